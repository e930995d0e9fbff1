"""An example of each public result and table, for tests of what they have in common."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import fastmetrics as fm
from public import Result, public

RNG = np.random.default_rng(0)
N = 60
Y = np.tile([0, 1, 1], N // 3)
P, Q = (Y ^ (RNG.random(N) < share) for share in (0.3, 0.2))
S = np.round(Y + RNG.normal(size=N), 2)
CHANCES = np.round(1 / (1 + np.exp(-S)), 3)
MODELS = {"a": S, "b": np.round(Y + RNG.normal(size=N), 2)}
X = np.c_[S, MODELS["b"]]
TABLE = RNG.random((8, 3))
FEW = {"n_resamples": 50, "rng": 1, "stratified": True}


def model() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression()


def updated(stream: Any) -> Any:
    stream.update(Y, P)
    return stream


def scored(stream: Any) -> Any:
    stream.update(Y, S)
    return stream


def binned() -> fm.streams.BinnedScoreTable:
    return scored(
        fm.streams.BinnedScoreTable(fm.streams.BinLayout.learn(S, n_bins=8), first_rows=0)
    )


@cache
def pair() -> fm.results.Comparisons:
    return fm.paired_bootstrap(Y, MODELS, **FEW)


@cache
def evaluation() -> fm.results.Evaluation:
    return fm.evaluate(Y, MODELS, **FEW)


@cache
def estimated() -> fm.results.EstimatorEvaluation:
    return fm.selection.evaluate_estimator(model(), X, Y, cv=".632", n_resamples=40, rng=1)


@cache
def compared() -> fm.results.TableComparison:
    return fm.comparison.compare_table(TABLE, higher_is_better=True)


def timed() -> fm.results.TimingComparison:
    """Return the times of one work in a run for each row, before and after."""
    before, after = ([{"fit": [t]} for t in times + 1] for times in (P, Q))
    return fm.comparison.compare_timings(before, after)


def gated() -> fm.results.Gate:
    scores = {"baseline": CHANCES, "candidate": np.clip(0.3 * CHANCES + 0.5 * Q, 0, 1)}
    return fm.gate(Y, scores, margins={"roc_auc": 0.2, "brier_score": 0.1})


@cache
def sliced() -> fm.results.Slices:
    return fm.evaluate(Y, S, slices={"half": np.arange(N) // 30}).slices


def runs() -> fm.streams.ScoreRuns:
    score_runs = fm.streams.ScoreRuns(memory="1.5MB")
    score_runs.update(Y, S)
    return score_runs


def first(mapping: Any) -> Any:
    return next(iter(mapping.values()))


_MADE: dict[str, Callable[[], Any]] = {
    "BestThreshold": lambda: fm.best_threshold(Y, S),
    "GuaranteedThreshold": lambda: fm.guaranteed_threshold(Y, S, recall=0.5, delta=0.5),
    "BiasVariance": lambda: fm.selection.bias_variance(Y, [P, Q, Y], decomposition="domingos"),
    "BiasVarianceCurve": lambda: fm.selection.bias_variance_curve(
        model(), X, Y, X, Y, parameter="C", values=[0.1, 1.0], n_models=5, rng=1
    ),
    "BinLayout": lambda: fm.streams.BinLayout.learn(S),
    "BinnedScoreTable": binned,
    "Bootstrap632": lambda: fm.selection.bootstrap632(Y, P, [P, Q], [Y == 0, Y == 1]),
    "Bracket": lambda: fm.results.Bracket(0.25, 0.5),
    "BreakEvenPoint": lambda: fm.break_even_point(Y, S),
    "CalibrationTest": lambda: fm.calibration.calibration_test(Y, CHANCES, n_resamples=9, rng=1),
    "CalibrationSummary": lambda: fm.calibration.calibration_summary(Y, CHANCES),
    "ClassificationMetrics": lambda: fm.classification_metrics(Y, P),
    "ComparisonTest": lambda: fm.comparison.mcnemar_test(Y, P, Q),
    "ConfidenceInterval": lambda: fm.results.ConfidenceInterval(0.25, float("nan")),
    "ConfusionMatrix": lambda: fm.ConfusionMatrix.from_labels(Y, P),
    "Comparison": lambda: fm.compare(Y, MODELS, metrics="roc_auc")["roc_auc"],
    "Comparisons": pair,
    "CostCurve": lambda: fm.costs.cost_curve(Y, S),
    "DecisionCurve": lambda: fm.costs.decision_curve(
        Y, {"a": CHANCES, "b": CHANCES**2}, kind="simultaneous", rng=1
    ),
    "Diagnosis": lambda: fm.doctor(Y, {"a": S, "b": 2 * S}),
    "Dominance": lambda: fm.dominance(Y, S, MODELS["b"]),
    "EstimatorEvaluation": estimated,
    "Evaluation": evaluation,
    "EvaluationBootstrap": lambda: evaluation().bootstrap,
    "Estimate": lambda: fm.estimate(Y, S, metrics="roc_auc")["roc_auc"],
    "Estimates": lambda: fm.estimate(Y, S, metrics=["roc_auc", "average_precision"]),
    "Finding": lambda: fm.doctor(Y, S * 0).findings[0],
    "FriedmanTest": lambda: compared().friedman,
    "GainsCurve": lambda: fm.costs.gains_curve(Y, S),
    "GroupAUC": lambda: fm.ranking.group_auc(Y, S, query=np.arange(N) // 5),
    "Gate": gated,
    "GateRule": lambda: gated().rules[0],
    "GoodnessOfFitTest": lambda: fm.calibration.spiegelhalter_test(Y, CHANCES),
    "IsotonicFit": lambda: fm.calibration.isotonic_fit(Y, S),
    "KolmogorovSmirnov": lambda: fm.ks_statistic(Y, S),
    "LorenzCurve": lambda: fm.costs.lorenz_curve(CHANCES, S),
    "LogisticCalibration": lambda: fm.calibration.logistic_calibration(Y, CHANCES),
    "MetricEntry": lambda: fm.metrics_table().entries[0],
    "MetricEstimate": lambda: first(estimated().metrics),
    "MetricsTable": lambda: fm.metrics_table(),
    "ModelEvaluation": lambda: evaluation()[0],
    "NestedCrossValidation": lambda: fm.selection.nested_cross_validation(
        model(), X, Y, {"C": [0.1, 1.0]}, outer_cv=2, inner_cv=2, rng=1
    ),
    "Pair": lambda: pair()["roc_auc"].pairs[0],
    "PostHocTest": lambda: compared().post_hoc,
    "PrBand": lambda: fm.pr_band(Y, S, points=5, n_resamples=50, rng=1),
    "RankingTable": lambda: fm.RankingTable.from_scores(Y, S, query=np.arange(N) // 5),
    "RankPair": lambda: compared().post_hoc.pairs[0],
    "RegressionMetrics": lambda: fm.regression_metrics(
        X, X[::-1], metrics=["mean_squared_error", "r2"], multioutput="raw_values"
    ),
    "RegressionTable": lambda: fm.RegressionTable.from_arrays(X, X[::-1]),
    "ReliabilityBand": lambda: fm.calibration.reliability_band(
        Y, CHANCES, kind="consistency", n_resamples=9, rng=1
    ),
    "ReliabilityDiagram": lambda: fm.calibration.reliability_diagram(Y, CHANCES),
    "Replicates": lambda: fm.bootstrap(Y, S, **FEW)["roc_auc"].details,
    "Report": lambda: fm.report(Y, {"m": P}, task="labels", band=None),
    "RocBand": lambda: fm.roc_band(Y, S, points=5, n_resamples=50, rng=1),
    "SampleSize": lambda: fm.estimate(Y, S, metrics="roc_auc")["roc_auc"].plan(half_width=0.1),
    "ScoreDecomposition": lambda: fm.calibration.score_decomposition(Y, CHANCES),
    "ScoreRanges": lambda: fm.streams.ScoreRanges([0.1, 0.6], [0.4, 0.6], [1, 3], [5, 1]),
    "ScoreRuns": runs,
    "ScoreTable": lambda: fm.ScoreTable.from_scores(Y, S),
    "TableComparison": compared,
    "Slices": sliced,
    "SliceEstimate": lambda: sliced().rows[0],
    "ThresholdBrackets": lambda: binned().at_threshold(0.3),
    "ThresholdCostInterval": lambda: fm.costs.threshold_cost_interval(Y, S, cost_fn=5, cost_fp=1),
    "ThresholdCosts": lambda: fm.costs.threshold_costs(Y, S, cost_fn=5, cost_fp=1),
    "TimingComparison": lambda: timed(),
    "TimingRatio": lambda: timed()["fit"],
    "TimingRun": lambda: fm.results.TimingRun({"fit": [1.0, 1.25]}, {"machine": "m"}, "a.json"),
    "TuningResult": lambda: fm.selection.tune_estimator(
        model(), X, Y, {"C": [0.1, 1.0]}, cv=3, rng=1
    ),
}


@cache
def kept(name: str) -> Any:
    """Return a result, which nobody can change, made once."""
    return _MADE[name]()


#: The names of those that are results; the others are tables.
RESULTS = [name for name in _MADE if issubclass(public(name), Result)]

#: An example of each public result and table, by the name of its class; tables are new each time.
EXAMPLES: dict[str, Callable[[], Any]] = {
    name: partial(kept, name) if name in RESULTS else make for name, make in _MADE.items()
}
