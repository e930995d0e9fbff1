"""How a public module offers names that live elsewhere: read from its stub, resolved on first use.

A stub (``costs.pyi``) is the one list of what its module offers, for type checkers and for this.
Whoever asks for a name that a module has not is told where it is. Docstrings are completed by the
names that belong together: what "See Also" names.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from types import FunctionType
from typing import Final, NamedTuple

#: The public modules beside `fastmetrics` itself; that of Dask needs Dask.
NAMESPACES: Final = (
    "calibration",
    "comparison",
    "concordance",
    "costs",
    "io",
    "plots",
    "ranking",
    "results",
    "selection",
    "streams",
)
#: What does the work of names that were public once.
_GONE: Final = {
    "BootstrapResult": "results.Estimate",
    "BootstrapResults": "results.Estimates",
    "PairedBootstrap": "results.Comparisons",
    "PairedDifference": "results.Pair",
    "PairedPermutationTest": "results.Comparisons",
    "PermutedDifference": "results.Pair",
    "concordance_index_interval": "estimate(time, score, event=..., metrics=...)",
    "concordance_index_test": "compare(time, scores, event=..., metrics=...)",
    "concordance_interval": "estimate(y_true, y_score, metrics='kendall_tau')",
    "concordance_test": "compare(y_true, scores, metrics='kendall_tau')",
    "count_metric_interval": "estimate(ConfusionMatrix.binary(...), metrics='f1')",
    "decision_curve_difference": "costs.decision_curve(y_true, scores, reference='b')",
    "macro_f1_harmonic": "macro_micro(..., metrics='macro_f1_harmonic')",
    "macro_precision": "macro_micro(..., metrics='precision_macro')",
    "macro_recall": "macro_micro(..., metrics='recall_macro')",
    "micro_f1": "macro_micro(..., metrics='f1_micro')",
    "micro_precision": "macro_micro(..., metrics='precision_micro')",
    "micro_recall": "macro_micro(..., metrics='recall_micro')",
    "plot_binomial_test": "comparison.binomial_test(...).plot()",
    "plot_t_test": "results.ComparisonTest.plot",
    "score_difference": "compare(y_true, scores, metrics='brier_score')",
}
#: What peers and textbooks call it; names of measures are known to their registry.
_ELSEWHERE: Final = {
    "GridSearchCV": "selection.tune_estimator",
    "GroupKFold": "selection.GroupedFolds",
    "KFold": "selection.Folds",
    "LeaveOneOut": "selection.LeaveOneOut",
    "StratifiedKFold": "selection.Folds",
    "bias_variance_decomp": "selection.estimator_bias_variance",
    "brier_decomposition": "calibration.score_decomposition",
    "c_statistic": "concordance.concordance_index",
    "calibration_error": "calibration.expected_calibration_error",
    "ci_auc": "delong",
    "concordance_index_censored": "concordance.concordance_index",
    "confint": "estimate",
    "cross_val_score": "selection.evaluate_estimator",
    "cross_validate": "selection.evaluate_estimator",
    "dcurves": "costs.decision_curve",
    "ece": "calibration.expected_calibration_error",
    "friedmanchisquare": "comparison.friedman_test",
    "gains": "costs.gains_curve",
    "isotonic_regression": "calibration.isotonic_fit",
    "kendalltau": "concordance.kendall_tau",
    "learning_curve": "selection.estimator_learning_curve",
    "lift": "costs.lift_score",
    "lift_curve": "costs.gains_curve",
    "mce": "calibration.maximum_calibration_error",
    "mcnemar": "comparison.mcnemar_test",
    "mean_difference": "compare",
    "multipletests": "comparison.adjust_pvalues",
    "nemenyi": "comparison.nemenyi_test",
    "proportion_confint": "comparison.proportion_interval",
    "reliability_curve": "calibration.reliability_diagram",
    "roc": "roc_curve",
    "roc_test": "delong_test",
    "somersd": "concordance.somers_d",
    "spearmanr": "concordance.spearman_rho",
    "validation_curve": "selection.estimator_validation_curve",
    "wilcoxon": "comparison.wilcoxon_signed_rank_test",
    "wilson": "comparison.proportion_interval",
}
#: A line a family of public names, which may stand in several.
FAMILIES: Final = """

roc_auc_score rank_loss gini_coefficient pr_auc average_precision_score partial_auc delong \
estimate
gini_coefficient somers_d lorenz_gini rank_loss h_measure
roc_curve det_curve precision_recall_curve roc_band roc_convex_hull plot_roc dominance
auc roc_curve precision_recall_curve roc_auc_score pr_auc
precision_recall_curve average_precision_score pr_auc pr_band break_even_point plot_pr
det_curve plot_det
roc_band RocBand pr_band PrBand
break_even_point BreakEvenPoint best_threshold
ks_statistic KolmogorovSmirnov youden_j best_threshold
dominance Dominance compare_cost_curves
best_threshold BestThreshold predict_at_threshold metric_at_thresholds threshold_costs \
OperatingPoint guaranteed_threshold
guaranteed_threshold GuaranteedThreshold best_threshold predict_at_threshold \
threshold_cost_interval
metric_at_thresholds confusion_matrix_at_thresholds plot_thresholds
predict_at_threshold cost_sensitive_predict
delong delong_test delong_unpaired_test estimate compare
estimate Estimate Estimates ConfidenceInterval compare evaluate bootstrap metrics_table
compare Comparison Comparisons Pair RankPair paired_bootstrap paired_permutation_test delong_test
doctor Diagnosis Finding evaluate
report Report evaluate doctor
show_versions report
subgroup_auc evaluate Slices
evaluate_log read_evaluation_log TaskEvaluation compare
plot_residuals regression_measures evaluate
gate Gate GateRule assert_not_worse compare
assert_not_worse gate
evaluate Evaluation TaskEvaluation ModelEvaluation Slices SliceEstimate \
EvaluationBootstrap MetricEstimate estimate compare
bootstrap multiclass_bootstrap paired_bootstrap Replicates effective_sample_size
metrics_table MetricsTable MetricEntry register_metric scorer count_measure
accuracy_score balanced_accuracy_score zero_one_loss matthews_corrcoef cohen_kappa_score g_mean
precision_score recall_score f1_score fbeta_score precision_recall_fscore_support jaccard_score
recall_score specificity_score false_positive_rate false_negative_rate negative_predictive_value
specificity_score recall_score balanced_accuracy_score youden_j g_mean
class_likelihood_ratios recall_score specificity_score
f1_score macro_micro classification_report classification_measures ClassificationMeasures
precision_score negative_predictive_value prevalence_adjusted_precision macro_micro
confusion_matrix multilabel_confusion_matrix ConfusionMatrix confusion_matrix_at_thresholds
hamming_loss zero_one_loss accuracy_score jaccard_score
count_measure ConfusionMatrix classification_measures
log_loss brier_score_loss d2_log_loss_score d2_brier_score hinge_loss score_decomposition
brier_score_loss score_decomposition reliability_diagram
top_k_accuracy_score accuracy_score hit_rate_at_k
mean_squared_error root_mean_squared_error mean_absolute_error median_absolute_error max_error \
r2_score
r2_score explained_variance_score d2_absolute_error_score d2_pinball_score d2_tweedie_score
mean_squared_log_error root_mean_squared_log_error mean_squared_error
mean_absolute_percentage_error mean_absolute_error median_absolute_error
mean_pinball_loss d2_pinball_score mean_absolute_error d2_absolute_error_score
mean_tweedie_deviance mean_poisson_deviance mean_gamma_deviance d2_tweedie_score
regression_measures RegressionMeasures RegressionTable mean_squared_error
ScoreTable ConfusionMatrix RegressionTable RankingTable BinnedScoreTable
RankingTable read_trec evaluate
calibration_curve reliability_diagram ReliabilityDiagram reliability_band calibration_summary
reliability_band ReliabilityBand calibration_error_interval
expected_calibration_error maximum_calibration_error root_mean_square_calibration_error \
adaptive_calibration_error calibration_error_interval
calibration_summary CalibrationSummary logistic_calibration calibration_test
calibration_test CalibrationTest hosmer_lemeshow_test spiegelhalter_test GoodnessOfFitTest
isotonic_fit IsotonicFit reliability_diagram logistic_calibration LogisticCalibration
score_decomposition ScoreDecomposition miscalibration discrimination
cost_curve CostCurve compare_cost_curves CostComparison CostWinner CostInterval
roc_convex_hull RocConvexHull roc_hull_auc cost_curve OperatingPoint
decision_curve DecisionCurve net_benefit threshold_costs
threshold_costs ThresholdCosts threshold_cost_interval ThresholdCostInterval expected_cost
expected_cost expected_total_cost total_cost normalized_cost cost_sensitive_error
cost_sensitive_accuracy cost_sensitive_error cost_sensitive_predict total_cost
gains_curve GainsCurve cumulative_gain lift_score lorenz_curve
lorenz_curve LorenzCurve lorenz_gini gini_coefficient
concordance_index somers_d rank_loss
kendall_tau goodman_kruskal_gamma spearman_rho somers_d
mcnemar_test paired_proportion_difference_interval
SampleSize estimate compare Estimate Comparison
binomial_test binomial_likelihood proportion_interval ComparisonTest
proportion_interval proportion_difference_interval paired_proportion_difference_interval
newcombe_interval delong proportion_interval
friedman_test FriedmanTest nemenyi_test bonferroni_dunn_test PostHocTest compare_table
wilcoxon_signed_rank_test sign_flip_test
kfold_paired_t_test five_by_two_cv_test one_sample_t_test
adjust_pvalues compare_table TableComparison compare
compare_estimators evaluate_estimator five_by_two_cv_test kfold_paired_t_test
compare_timings read_timings TimingRun TimingComparison TimingRatio PooledRatio
Folds GroupedFolds LeaveOneOut FiveByTwo HoldOut BootstrapOutOfBag
evaluate_estimator EstimatorEvaluation nested_cross_validation compare_estimators tune_estimator
nested_cross_validation NestedCrossValidation tune_estimator TuningResult parameter_range
bootstrap632 Bootstrap632 err632 err632_plus no_information_error BootstrapOutOfBag
estimator_learning_curve LearningCurve estimator_validation_curve ValidationCurve
bias_variance BiasVariance bias_variance_curve BiasVarianceCurve estimator_bias_variance
ndcg ndcg_score dcg dcg_score expected_reciprocal_rank rank_biased_precision
mean_average_precision mean_reciprocal_rank bpref r_precision
precision_at_k recall_at_k f1_at_k hit_rate_at_k r_precision
group_auc GroupAUC roc_auc_score
coverage_error label_ranking_average_precision_score label_ranking_loss ndcg_score
BinnedScoreTable BinLayout ScoreRuns
BinnedScoreTable Bracket ThresholdBrackets
ConfusionMatrix ConfusionMatrixStack
ScoreRuns ScoreRanges counts_query ScoreTable
plot_roc plot_pr plot_det plot_thresholds
"""
#: How many neighbours are named at most: those of the families that a name heads come first.
MOST: Final = 8


class Face(NamedTuple):
    """What a module needs to offer names: `__getattr__`, `__dir__` and `__all__`."""

    find: Callable[[str], object]
    names: Callable[[], list[str]]
    listed: list[str]


def face(module: str, file: str) -> Face:
    """Return what makes a module offer the names of the stub beside its file."""
    homes = homes_of(Path(file).with_suffix(".pyi"), module)
    listed = sorted(homes)

    def find(name: str) -> object:
        home = homes.get(name)
        if home is None and f"{module}.{name}" != "fastmetrics.dask":
            raise AttributeError(f"{module} has no {name!r}{_advice(module, name)}", name=name)
        if home is None or home == f"{module}.{name}":  # a module
            return importlib.import_module(f"{module}.{name}")
        found = getattr(importlib.import_module(home), name)
        if isinstance(found, FunctionType):
            from fastmetrics._input.calls import as_called

            found = as_called(found, module)
        found.__doc__ = with_neighbours(found.__doc__, f"{module}.{name}".partition(".")[2])
        setattr(sys.modules[module], name, found)
        return found

    return Face(find, lambda: listed, listed)


def homes_of(stub: Path, module: str) -> dict[str, str]:
    """Return the module in which each name of a stub lives; that of a module is its own."""
    package = module if stub.stem == "__init__" else module.rpartition(".")[0]
    homes: dict[str, str] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            home = resolve_name(f"{'.' * node.level}{node.module or ''}", package)
            homes |= {
                each.name: home if node.module else f"{home}.{each.name}" for each in node.names
            }
    return homes


@cache
def public_names() -> dict[str, str]:
    """Return where each public name is found: in which module, by name, as stubs say it."""
    package, found = Path(__file__).parent, dict[str, str]()
    for name in ("__init__", *NAMESPACES):
        stub = package / f"{name}.pyi"
        stub = stub if stub.exists() else package / name / "__init__.pyi"
        names = re.findall(r"\b(\w+) as \1\b", stub.read_text(encoding="utf-8"))
        found |= dict.fromkeys(names, f"fastmetrics.{name}".removesuffix(".__init__"))
    return found


def with_neighbours(text: str | None, name: str) -> str | None:
    """Return a docstring whose "See Also" has the neighbours that it does not describe itself.

    ``name`` says of which object: its name below `fastmetrics`. python -OO has no docstring.
    """
    import inspect
    import textwrap

    text = inspect.cleandoc(text or "")
    own = re.search(r"^See Also\n-+\n(?:.+\n?)+", text, re.MULTILINE)
    heads = [line.partition(" :")[0] for line in own[0].splitlines()] if own else []
    said = {name for head in heads for name in re.findall(r"\w+", head)}
    others = [each for each in neighbours(name) if each.rpartition(".")[2] not in said]
    if not text or not others:
        return text or None
    lines = "\n".join(textwrap.wrap(", ".join(others), 96, break_on_hyphens=False)) + "\n"
    if own:
        return text[: own.end()] + lines + text[own.end() :]
    after = re.search(r"^(?:Notes|References|Examples)\n-+\n", text, re.MULTILINE)
    place = after.start() if after else len(text)
    gap = "" if after else "\n\n"
    return f"{text[:place]}{gap}See Also\n--------\n{lines}\n{text[place:]}".rstrip()


def neighbours(name: str) -> list[str]:
    """Return the names below `fastmetrics` that belong with this one, the nearest first."""
    mine = sorted((each for each in _families() if name in each), key=lambda each: each[0] != name)
    found = dict.fromkeys(other for family in mine for other in family if other != name)
    return list(found)[:MOST]


@cache
def _families() -> list[list[str]]:
    homes = {name: f"{home}.{name}".partition(".")[2] for name, home in public_names().items()}
    lines = FAMILIES.replace("\\\n", "").splitlines()
    return [[homes[name] for name in line.split()] for line in lines]


def _advice(module: str, name: str) -> str:
    """Return where a name is that a module has not: "" where nobody knows."""
    if name.startswith("_"):
        return ""
    if name in _GONE:
        return f" any more: see `fastmetrics.{_GONE[name]}`"
    there = _place(name)
    if there is not None:
        return f": it is `{there}`"
    from difflib import get_close_matches

    near = get_close_matches(name, public_names(), n=2, cutoff=0.75)
    places = " or ".join(f"`{public_names()[each]}.{each}`" for each in near)
    return f"; did you mean {places}?" if near else ""


def _place(name: str) -> str | None:
    """Return where the meaning of a name is public: moved, a peer's word, or a measure's."""
    from fastmetrics.measures.asking import usual_function

    names = public_names()
    if name in names:
        return f"{names[name]}.{name}"
    if name in _ELSEWHERE:
        return f"fastmetrics.{_ELSEWHERE[name]}"
    function = usual_function(name)
    return f"{names[function]}.{function}" if function in names else None
