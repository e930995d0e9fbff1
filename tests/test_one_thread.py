"""``n_threads=1`` starts no thread, in any public function that has it; 2 starts one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import engine_sizes
import fastmetrics as fm
from public import NAMES, public

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

N = 12 * engine_sizes.size("plain_rows")  # enough for several jobs
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
S = RNG.normal(size=N) + Y
Z = RNG.normal(size=N) + Y
P, Q = (S > 0.5).astype(np.int64), (Z > 0.5).astype(np.int64)
PROBABILITY = RNG.random(N)
W = RNG.random(N)
GROUPS = RNG.integers(0, 500, N)
CLASSES = RNG.integers(0, 3, N)
SHARES = RNG.dirichlet([1, 1, 1], N)
POSITIVE = np.exp(S)
FEW = {"n_resamples": 4, "rng": 1}
MODELS = {"a": S, "b": Z}
MANY = np.tile(P, 3), np.tile(S, 3)  # enough items for several jobs
QUERY = np.arange(3 * N) // 30
SHORTER = {"higher_score_means": "shorter-time"}
MILLIONS = np.tile(P, -(-2_100_000 // N)), np.tile(S, -(-2_100_000 // N))
BINS = fm.streams.BinLayout.of_bits()
CHANCES = {"a": PROBABILITY, "b": PROBABILITY[::-1]}

Call = Callable[..., Any]
#: Calls by the public name; ``n`` is ``n_threads``.
CALLS: dict[str, list[Call]] = {
    **{
        name: [lambda n, name=name: public(name)(*MANY, query=QUERY, n_threads=n)]
        for name in (
            *("bpref", "dcg", "expected_reciprocal_rank", "group_auc"),
            *("mean_average_precision", "mean_reciprocal_rank", "ndcg", "r_precision"),
        )
    },
    **{
        name: [lambda n, name=name: public(name)(*MANY, query=QUERY, k=3, n_threads=n)]
        for name in ("f1_at_k", "hit_rate_at_k", "precision_at_k", "recall_at_k")
    },
    "guaranteed_threshold": [lambda n: fm.guaranteed_threshold(Y, S, recall=0.5, n_threads=n)],
    "rank_biased_precision": [
        lambda n: fm.ranking.rank_biased_precision(*MANY, query=QUERY, persistence=0.8, n_threads=n)
    ],
    "RankingTable.from_scores": [
        lambda n: fm.RankingTable.from_scores(*MANY, query=QUERY, n_threads=n)
    ],
    **{
        name: [lambda n, name=name: public(name)(S, Z, n_threads=n)]
        for name in (*("goodman_kruskal_gamma", "kendall_tau", "somers_d", "spearman_rho"),)
    },
    "concordance_index": [
        lambda n: fm.concordance.concordance_index(1 + W, Y, Z, **SHORTER, n_threads=n)
    ],
    **{
        name: [lambda n, name=name: public(name)(Y, S, n_threads=n)]
        for name in (
            *("average_precision_score", "best_threshold", "break_even_point", "delong"),
            *("confusion_matrix_at_thresholds", "det_curve", "ks_statistic", "pr_auc"),
            *("precision_recall_curve", "rank_loss", "roc_curve"),
            *("cost_curve", "expected_total_cost", "gains_curve", "gini_coefficient"),
            *("h_measure", "isotonic_fit"),
            *("roc_convex_hull", "roc_hull_auc"),
        )
    },
    **{
        name: [lambda n, name=name: public(name)(Y, PROBABILITY, n_threads=n)]
        for name in (
            *("discrimination", "logistic_calibration", "miscalibration"),
            *("reliability_band", "reliability_diagram"),
            *("score_decomposition", "spiegelhalter_test"),
        )
    },
    **{
        name: [
            lambda n, name=name: public(name)(Y, PROBABILITY, n_threads=n),
            lambda n, name=name: public(name)(CLASSES, SHARES, n_threads=n),
        ]
        for name in (
            *("adaptive_calibration_error", "calibration_error_interval"),
            *("expected_calibration_error", "maximum_calibration_error"),
            "root_mean_square_calibration_error",
        )
    },
    **{
        name: [lambda n, name=name: public(name)(Y, S, fraction=0.1, n_threads=n)]
        for name in ("cumulative_gain", "lift_score")
    },
    **{
        name: [lambda n, name=name: public(name)(Y, S, cost_fn=5, cost_fp=W, n_threads=n)]
        for name in ("threshold_costs", "threshold_cost_interval")
    },
    **{
        name: [
            lambda n, name=name: public(name)(Y, PROBABILITY, ax=Figure().subplots(), n_threads=n)
        ]
        for name in ("plot_det", "plot_pr", "plot_roc", "plot_thresholds")
    },
    "calibration_summary": [
        lambda n: fm.calibration.calibration_summary(
            Y, PROBABILITY, on_training_data=False, n_threads=n
        )
    ],
    "calibration_test": [
        lambda n: fm.calibration.calibration_test(Y, PROBABILITY, **FEW, n_threads=n)
    ],
    "compare_cost_curves": [lambda n: fm.costs.compare_cost_curves(Y, MODELS, n_threads=n)],
    "hosmer_lemeshow_test": [
        lambda n: fm.calibration.hosmer_lemeshow_test(
            Y, PROBABILITY, on_training_data=False, n_threads=n
        )
    ],
    "net_benefit": [lambda n: fm.costs.net_benefit(Y, PROBABILITY, threshold=0.5, n_threads=n)],
    **{
        name: [lambda n, name=name: public(name)(POSITIVE, POSITIVE[::-1], n_threads=n)]
        for name in (
            *("d2_absolute_error_score", "d2_pinball_score", "d2_tweedie_score"),
            *("explained_variance_score", "max_error", "mean_absolute_error"),
            *("mean_absolute_percentage_error", "mean_gamma_deviance", "mean_pinball_loss"),
            *("mean_poisson_deviance", "mean_squared_error", "mean_squared_log_error"),
            *("mean_tweedie_deviance", "median_absolute_error", "r2_score"),
            *("regression_measures", "root_mean_squared_error", "root_mean_squared_log_error"),
        )
    },
    **{
        name: [
            lambda n, name=name: public(name)(Y, PROBABILITY, n_threads=n),
            lambda n, name=name: public(name)(CLASSES, SHARES, n_threads=n),
        ]
        for name in ("brier_score_loss", "d2_brier_score", "d2_log_loss_score", "log_loss")
    },
    "bias_variance": [
        lambda n: fm.selection.bias_variance(S, [Z, Z + 1], n_threads=n),
        lambda n: fm.selection.bias_variance(Y, [P, Q], decomposition="domingos", n_threads=n),
    ],
    "bootstrap": [
        lambda n: fm.bootstrap(Y, S, **FEW, n_threads=n),
        lambda n: fm.bootstrap(Y, S, sample_weight=W, **FEW, n_threads=n),
        lambda n: fm.bootstrap(Y, S, groups=GROUPS, **FEW, n_threads=n),
        lambda n: fm.bootstrap(Y, S, method="bca", **FEW, n_threads=n),
        lambda n: fm.bootstrap(Y, P, metrics="f1", **FEW, n_threads=n),
        lambda n: fm.bootstrap(Y, S, metrics="f1", threshold=0.5, **FEW, n_threads=n),
        lambda n: fm.bootstrap(Y, P, metrics="f1", groups=GROUPS, **FEW, n_threads=n),
        lambda n: fm.bootstrap(Y, PROBABILITY, metrics="log_loss", **FEW, n_threads=n),
        lambda n: fm.bootstrap(S, Z, metrics="mean_squared_error", **FEW, n_threads=n),
    ],
    "gate": [
        lambda n: fm.gate(
            *(Y, {"baseline": S, "candidate": Z}), margins={"roc_auc": 0.5}, n_threads=n
        )
    ],
    "compare": [
        lambda n: fm.compare(Y, MODELS, metrics="roc_auc", n_threads=n),
        lambda n: fm.compare(Y, CHANCES, metrics=["average_precision", "log_loss"], n_threads=n),
    ],
    "delong_test": [
        lambda n: fm.delong_test(Y, MODELS, n_threads=n),
        lambda n: fm.delong_test(Y, MODELS, groups=GROUPS, n_threads=n),
    ],
    "delong_unpaired_test": [lambda n: fm.delong_unpaired_test(Y, S, Y, Z, n_threads=n)],
    "dominance": [lambda n: fm.dominance(Y, S, Z, n_threads=n)],
    "estimate": [
        lambda n: fm.estimate(Y, S, metrics=["roc_auc", "pr_auc"], n_threads=n),
        lambda n: fm.estimate(Y, S, metrics="average_precision", groups=GROUPS, n_threads=n),
        lambda n: fm.estimate(CLASSES, SHARES, metrics="roc_auc_ovo", n_threads=n),
        lambda n: fm.estimate(S, Z, metrics=["kendall_tau", "r2"], n_threads=n),
    ],
    "evaluate": [
        lambda n: fm.evaluate(Y, MODELS, n_threads=n),
        lambda n: fm.evaluate(Y, MODELS, **FEW, n_threads=n),
    ],
    "hinge_loss": [lambda n: fm.hinge_loss(Y, S, n_threads=n)],
    "multiclass_bootstrap": [
        lambda n: fm.multiclass_bootstrap(CLASSES, SHARES, **FEW, n_threads=n)
    ],
    "paired_bootstrap": [
        lambda n: fm.paired_bootstrap(Y, MODELS, **FEW, n_threads=n),
        lambda n: fm.paired_bootstrap(Y, {"p": P, "q": Q}, metrics="f1", **FEW, n_threads=n),
        lambda n: fm.paired_bootstrap(
            PROBABILITY, MODELS, metrics="mean_squared_error", **FEW, n_threads=n
        ),
    ],
    "paired_permutation_test": [
        lambda n: fm.paired_permutation_test(Y, MODELS, **FEW, n_threads=n)
    ],
    "partial_auc": [
        lambda n: fm.partial_auc(Y, S, false_positive_rate_range=(0.0, 0.5), n_threads=n)
    ],
    "pr_band": [lambda n: fm.pr_band(Y, S, points=5, **FEW, n_threads=n)],
    "roc_auc_score": [
        lambda n: fm.roc_auc_score(Y, S, n_threads=n),
        lambda n: fm.roc_auc_score(Y, S, sample_weight=W, n_threads=n),
        lambda n: fm.roc_auc_score(Y, S, max_fpr=0.5, n_threads=n),
        lambda n: fm.roc_auc_score(CLASSES, SHARES, multi_class="ovr", n_threads=n),
        lambda n: fm.roc_auc_score(CLASSES, SHARES, multi_class="ovo", n_threads=n),
    ],
    "roc_band": [lambda n: fm.roc_band(Y, S, points=5, **FEW, n_threads=n)],
    "top_k_accuracy_score": [lambda n: fm.top_k_accuracy_score(CLASSES, SHARES, n_threads=n)],
    "ConfusionMatrix.from_labels": [
        lambda n: fm.ConfusionMatrix.from_labels(Y, P, n_threads=n),
        lambda n: fm.ConfusionMatrix.from_labels(Y, P, sample_weight=W, n_threads=n),
        lambda n: fm.ConfusionMatrix.from_labels(CLASSES, CLASSES[::-1], n_threads=n),
    ],
    "BinnedScoreTable.update": [
        lambda n: fm.streams.BinnedScoreTable(BINS).update(*MILLIONS, n_threads=n)
    ],
    "RegressionTable.from_arrays": [lambda n: fm.RegressionTable.from_arrays(S, Z, n_threads=n)],
    # What waits is counted when more comes.
    "ScoreRuns.update": [
        lambda n: (
            [runs := fm.streams.ScoreRuns(memory=1 << 28)]
            + [runs.update(*MILLIONS, n_threads=n) for _ in range(8)]
        )
    ],
    "ScoreTable.from_scores": [
        lambda n: fm.ScoreTable.from_scores(Y, S, n_threads=n),
        lambda n: fm.ScoreTable.from_scores(Y, S, sample_weight=W, n_threads=n),
    ],
}


def functions() -> set[str]:
    """Return the names of the public functions and constructors that have ``n_threads``."""
    found = {}
    for name in NAMES:
        each = public(name)
        found[name] = each
        if inspect.isclass(each) and not issubclass(each, Exception):
            inner = (one for one in dir(each) if one[0] != "_" and one != "from_rows")  # internal
            found |= {f"{name}.{one}": getattr(each, one) for one in inner}
    return {
        name
        for name, each in found.items()
        if inspect.isroutine(each)
        and callable(each)
        and "n_threads" in inspect.signature(each).parameters
    }


def test_every_function_is_called() -> None:
    assert set(CALLS) == functions() - {"read_trec"}  # whose threads are DuckDB's, and a table's


@pytest.mark.parametrize("name", CALLS)
def test_threads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    submit = ThreadPoolExecutor.submit

    def noted(pool: ThreadPoolExecutor, *given: Any, **options: Any) -> Any:
        started.append(name)
        return submit(pool, *given, **options)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", noted)
    for call in CALLS[name]:
        call(1)
    assert started == []
    for call in CALLS[name]:
        call(2)
    assert started, "else one thread says nothing"
