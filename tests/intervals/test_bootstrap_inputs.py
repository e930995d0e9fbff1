"""`bootstrap`: what is refused, told too little, drawn, interrupted."""

import _thread
import gc
import math
import re
import signal
import threading
import time
import tracemalloc
import warnings
from typing import Any

import numba
import numpy as np
import pytest
from bootstrap_samples import binary, quiet_bootstrap
from numba.core import event

import engine_sizes
import fastmetrics as fm

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


LABELS, SCORES = binary(30, step=0.1)
P = 1 / (1 + np.exp(-SCORES))
GROUPS = np.arange(30) // 3
TABLE = fm.ScoreTable.from_scores(LABELS, SCORES)
MATRIX = fm.ConfusionMatrix.from_labels(LABELS, SCORES > 0.4)
WEIGHTED_TABLE = fm.ScoreTable.from_scores(LABELS, SCORES, sample_weight=np.full(30, 0.5))


@pytest.fixture
def no_work(monkeypatch):
    """Let every replicate fail the test: what is wrong is said before any is drawn."""
    error = AssertionError("replicates were drawn before the arguments were checked")
    engine_sizes.failing(monkeypatch, "replicates", error)


def mean_score(labels, scores):
    return float(scores.mean())


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_resamples": 1}, ValueError, "`n_resamples` must be at least 2: got 1"),
        ({"n_resamples": 10**9}, ValueError, "`n_resamples` of 1,000,000,000 would keep 8 GB"),
        ({"n_resamples": 10**400}, ValueError, "`n_resamples` of 1"),
        (
            {"stratified": True, "groups": GROUPS},
            ValueError,
            "`stratified` and `groups` exclude each other",
        ),
        ({"groups": [1] * 30}, ValueError, "`groups` must name at least two groups: got one"),
        ({"groups": np.ones((30, 2), int)}, ValueError, r"labels of shape \(n,\): got \(30, 2\)$"),
        (
            {
                "groups": GROUPS,
                "sample_weight": np.where(GROUPS == 0, 1, 0),
                "weights_are": "frequencies",
            },
            ValueError,
            "`groups` must name at least two groups whose rows have a weight: got one",
        ),
        ({"pos_label": 7}, ValueError, "`pos_label`=7 is not a label of `y_true`"),
        ({"metrics": "f1"}, ValueError, "'f1' counts decisions.*pass `threshold`"),
        ({"metrics": ["roc_auc", "roc_auc"]}, ValueError, "`metrics` names 'roc_auc' 2 times"),
        ({"metrics": ("roc_auc", {"max_tpr": 1})}, TypeError, "no parameter 'max_tpr': it has"),
        (
            {"metrics": "recall_at_false_positive_rate"},
            TypeError,
            "`recall_at_false_positive_rate` needs its parameter 'false_positive_rate'",
        ),
        (
            {
                "metrics": (
                    "partial_auc",
                    {"false_positive_rate_range": (0, 1), "true_positive_rate_range": (0, 1)},
                )
            },
            ValueError,
            "give `false_positive_rate_range` or `true_positive_rate_range`, not both",
        ),
        (
            {"metrics": ("best_threshold", {"criterion": "recall_at_false_positive_rate"})},
            TypeError,
            "criterion 'recall_at_false_positive_rate' needs `at_most`",
        ),
        (
            {"metrics": ("fbeta", {"alpha": 2}), "threshold": 0.5},
            TypeError,
            "`fbeta` has no parameter 'alpha'",
        ),
        # --- a method that a metric does not have -------------------------------------------
        (
            {"method": "bca", "metrics": ("precision_at_recall", {"recall": 0.5})},
            ValueError,
            "'precision_at_recall', which jumps from score to score",
        ),
        ({"metrics": "roc_hull_auc"}, ValueError, "'roc_hull_auc': the convex hull follows every"),
        ({"metrics": fm.costs.h_measure}, ValueError, "'h_measure': the convex hull follows"),
        (
            {"method": "bca", "metrics": mean_score},
            ValueError,
            "'mean_score', as replicates do not tell how far a row moves it: take `method=",
        ),
        (
            {"method": "bca", "sample_weight": np.full(30, 0.5)},
            ValueError,
            "`method='bca'` is not defined for 'roc_auc' with importance weights",
        ),
        (
            {"method": "bca", "metrics": "f1", "threshold": 0, "sample_weight": np.full(30, 0.5)},
            ValueError,
            "`method='bca'` is not defined for 'f1' with importance weights",
        ),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        fm.bootstrap(LABELS, SCORES, **options)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ((LABELS,), {}, TypeError, "`y_score` must be an array: got None"),
        ((LABELS,), {"metrics": "log_loss"}, TypeError, "`y_score` must be an array: got None"),
        ((SCORES,), {"metrics": "r2"}, ValueError, "`y_score` is needed for 'r2': got None"),
        ((LABELS,), {"metrics": "f1"}, TypeError, "`y_score` must be given for 'f1': got None"),
        ((GROUPS, SCORES), {}, ValueError, "`y_true` has 10 classes"),
        ((np.ones((3, 2)),), {"metrics": "mean"}, ValueError, r"`y_true` must have shape \(n,\)"),
        ((LABELS, GROUPS), {"metrics": "f1"}, ValueError, "for two classes.* f1_macro, f1_micro"),
        ((GROUPS, GROUPS), {"metrics": "f1", "pos_label": 0}, ValueError, "`pos_label` is for two"),
        ((LABELS, LABELS), {"metrics": "f1", "pos_label": "a"}, ValueError, "is not a label"),
        ((LABELS,), {"metrics": "mean", "pos_label": 1}, TypeError, "`pos_label` is for labels"),
        ((LABELS, SCORES), {"metrics": ["f1", "mean"]}, ValueError, "'f1' takes predicted labels"),
        ((SCORES, P), {"metrics": "r2", "stratified": True}, ValueError, "needs two classes"),
        ((TABLE,), {"groups": GROUPS}, TypeError, "groups need rows: a ScoreTable does not tell"),
        ((MATRIX,), {"groups": GROUPS, "metrics": "f1"}, TypeError, "a ConfusionMatrix does not"),
        ((TABLE, SCORES), {}, TypeError, "a ScoreTable comes alone"),
        ((TABLE,), {"sample_weight": np.ones(30)}, TypeError, "a ScoreTable comes alone"),
        ((TABLE,), {"pos_label": 1}, TypeError, "a ScoreTable comes alone"),
        ((TABLE,), {"metrics": "f1"}, ValueError, "pass `threshold` with scores"),
        ((MATRIX, SCORES), {"metrics": "f1"}, TypeError, "a ConfusionMatrix comes alone"),
        (
            (MATRIX,),
            {"metrics": "f1", "threshold": 0.5},
            TypeError,
            "a ConfusionMatrix comes alone: pass no .*threshold",
        ),
        ((MATRIX,), {}, TypeError, "'roc_auc' does not follow from a ConfusionMatrix: pass rows"),
        ((MATRIX,), {"metrics": mean_score}, TypeError, "'mean_score' does not follow"),
        ((WEIGHTED_TABLE,), {}, TypeError, "ScoreTable of fractional weights cannot be resampled"),
        (
            (fm.ConfusionMatrix.from_counts([[0.5, 1], [1, 2]]),),
            {"metrics": "f1"},
            TypeError,
            "ConfusionMatrix of fractional weights cannot be resampled",
        ),
        (
            (fm.ScoreTable.from_counts([0.1], [0], [0]),),
            {},
            ValueError,
            "`y_true` must hold at least one example: got an empty table",
        ),
        (
            (fm.ConfusionMatrix.from_counts([[0, 0], [0, 0]]),),
            {"metrics": "f1"},
            ValueError,
            "`y_true` must hold at least one example: got an empty matrix",
        ),
    ],
)
def test_bad_data(data, options, error, message):
    with pytest.raises(error, match=message):
        fm.bootstrap(*data, **options)


def test_rows_that_memory_cannot_hold():
    table = fm.ScoreTable.from_counts([0.2, 0.9], [1, 10**12], [10**12, 3])
    with pytest.raises(MemoryError, match=r"2,000,000,000,004 rows .* 6,000 GB or more"):
        fm.bootstrap(table, metrics=mean_score)
    with pytest.raises(MemoryError, match="rows would be resampled one by one"):
        fm.bootstrap(
            [1.5, 2.5], metrics="mean", sample_weight=[10**10, 1], weights_are="frequencies"
        )


METHODS = ["percentile", "basic", "bca"]
B = 400

#: Data, metric, and the estimate: in every replicate the metric has this one value.
ALL_EQUAL = {
    "auc 1": (([0, 0, 1, 1] * 9, [1, 2, 3, 4] * 9), "roc_auc", 1.0),
    "auc 0": (([1, 1, 0, 0] * 9, [1, 2, 3, 4] * 9), "roc_auc", 0.0),
    "all tied": (([1, 0, 0] * 9, [0.5] * 27), "roc_auc", 0.5),
    "all tied, by cells": (([1, 0, 0] * 200, [0.5] * 600), "roc_auc", 0.5),
    "accuracy 1": (([0, 1, 2], [0, 1, 2]), "accuracy", 1.0),
    "accuracy 0": (([0, 1, 0], [1, 0, 1]), "accuracy", 0.0),
    "mean of equal values": (([0.1] * 10,), "mean", 0.1),
    "mean of one value": (([1.5],), "mean", 1.5),
    "no error": (([0.5, 1, 7], [0.5, 1, 7]), "mean_squared_error", 0.0),
    "no root error": (([0.5, 1, 7], [0.5, 1, 7]), "root_mean_squared_error", 0.0),
    **{
        f"perfect {name}": (([0, 1] * 20, [1, 2] * 20), name, 1.0)
        for name in ("ks_statistic", "average_precision")
    },
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ALL_EQUAL)
def test_replicates_that_are_all_equal(name, method):
    data, metric, estimate = ALL_EQUAL[name]
    with pytest.warns(fm.DegenerateDataWarning, match=f"{metric!r} is degenerate: all replicates"):
        result = fm.bootstrap(*data, metrics=metric, method=method, n_resamples=B, rng=1)[metric]
    assert result.estimate == pytest.approx(estimate)
    interval = result.confidence_interval
    wanted = estimate if method in ("percentile", "basic") else math.nan
    np.testing.assert_allclose((interval.low, interval.high), (wanted, wanted), rtol=1e-14)


def test_warning_of_auc_1_names_an_analytic_interval():
    with pytest.warns(fm.DegenerateDataWarning, match="newcombe_interval.*proportion_interval"):
        fm.bootstrap([0, 0, 1, 1] * 9, [1, 2, 3, 4] * 9, n_resamples=B, rng=1)


def test_two_limits_that_are_one():
    """Replicates differ, but their quantiles are ties."""
    values = np.append(np.zeros(60), 1.0)
    with pytest.warns(fm.DegenerateDataWarning, match="'median' is degenerate: both of its"):
        result = fm.bootstrap(
            np.append(values, -1.0),
            metrics={"median": lambda v: np.median(v) + 0.001 * (v.sum() > 4)},
            n_resamples=B,
            rng=1,
        )
    assert len(set(result["median"].details.distribution.tolist())) > 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("data", "metric"),
    [
        (([0, 0, 0, 1], [0, 0, 0, 0]), "precision"),
        (([0, 0, 0, 0], [0, 1, 0, 0]), "recall"),
        (([4.0], [5.0]), "r2"),
    ],
)
def test_an_undefined_estimate_is_never_silent(data, metric, method):
    with pytest.warns(fm.UndefinedMetricWarning, match=f"{metric!r} is undefined on these data"):
        result = fm.bootstrap(*data, metrics=metric, method=method, n_resamples=B, rng=1)[metric]
    assert math.isnan(result.estimate)
    assert math.isnan(result.confidence_interval.high)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_r2_of_constant_targets_is_that_of_its_function():
    with pytest.warns(fm.UndefinedMetricWarning, match="'r2' is undefined in 9 of 9 replicates"):
        result = fm.bootstrap([0.7] * 3, [0.5, 0.6, 0.8], metrics="r2", n_resamples=9)["r2"]
    assert result.estimate == 0.0
    assert math.isnan(result.confidence_interval.low)


def test_a_statistic_that_is_nan():
    labels, scores = binary(20)
    with pytest.warns(fm.UndefinedMetricWarning, match="'nothing' is undefined on these data"):
        fm.bootstrap(labels, scores, metrics={"nothing": lambda y, s: math.nan}, n_resamples=9)


def test_replicates_without_the_one_positive():
    """About 1/e of them: left out, counted, and a warning that names the way out."""
    labels = [1] + [0] * 40
    scores = np.arange(41)[::-1] % 7 + 0.5
    with pytest.warns(
        fm.UndefinedMetricWarning,
        match=r"'roc_auc' is undefined in [\d,]+ of 2,000 replicates, which are left out.*"
        r"`stratified=True` keeps both",
    ):
        result = fm.bootstrap(labels, scores, n_resamples=2_000, rng=1)["roc_auc"]
    assert abs(result.details.n_failed / 2_000 - (40 / 41) ** 41) < 0.05
    assert np.isnan(result.details.distribution).sum() == result.details.n_failed
    defined = result.details.distribution[~np.isnan(result.details.distribution)]
    assert result.standard_error == pytest.approx(defined.std(ddof=1), rel=1e-12)
    assert result.details.bias == pytest.approx(defined.mean() - result.estimate, abs=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stratified = fm.bootstrap(labels, scores, n_resamples=2_000, rng=1, stratified=True)
    assert stratified["roc_auc"].details.n_failed == 0


def test_few_failures_are_counted_without_a_warning():
    labels = [1] * 4 + [0] * 26
    scores = np.arange(30) % 11 + 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = fm.bootstrap(labels, scores, n_resamples=2_000, rng=1)["roc_auc"]
    assert 0 < result.details.n_failed <= 100
    wanted = (26 / 30) ** 30
    assert abs(result.details.n_failed / 2_000 - wanted) < 4.5 * math.sqrt(wanted / 2_000)
    assert result.note.startswith(f"undefined in {result.details.n_failed} of 2,000 replicates")
    assert CONDITIONAL in result.note
    assert fm.bootstrap(*scored(), n_resamples=99, rng=1)["roc_auc"].note == ""


def test_failures_of_count_metrics_name_no_strata():
    data = [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0, 0]
    with pytest.warns(fm.UndefinedMetricWarning, match="'precision' is undefined in") as caught:
        result = fm.bootstrap(*data, metrics="precision", n_resamples=B, rng=1)["precision"]
    assert "stratified" not in str(caught[0].message)
    assert abs(result.details.n_failed / B - (6 / 8) ** 8) < 0.06


def test_groups_that_hold_a_class_each():
    """Among 27 ways to draw three groups, one has no positive, and 8 have no negative."""
    with pytest.warns(fm.UndefinedMetricWarning, match="'roc_auc' is undefined in"):
        result = fm.bootstrap(
            [0, 0, 1, 1, 1], [0.1, 0.5, 0.4, 0.9, 0.2], groups=[1, 1, 2, 2, 3], n_resamples=B, rng=1
        )["roc_auc"]
    assert abs(result.details.n_failed / B - (1 + 8) / 27) < 0.1


def test_r2_of_replicates_of_one_row_is_undefined():
    """Their targets have no variance; rounding must not make one."""
    result = quiet_bootstrap([0.1, 0.7, 0.3], [0.2, 0.5, 0.3], metrics="r2", n_resamples=B)["r2"]
    assert 0.05 < result.details.n_failed / B < 0.2
    assert np.nanmin(result.details.distribution) > -10


def test_infinite_values_have_no_standard_error():
    def odds(labels, scores):
        return math.inf if labels.all() else labels.mean() / (1 - labels.mean())

    result = quiet_bootstrap([1, 1, 1, 0], [1, 2, 3, 4], metrics=odds, n_resamples=B)["odds"]
    assert abs(np.isinf(result.details.distribution).mean() - 0.75**4) < 0.1
    assert result.details.n_failed == 0
    assert result.confidence_interval.high == math.inf
    assert result.confidence_interval.low == pytest.approx(1 / 3)
    assert math.isnan(result.standard_error)
    assert math.isnan(result.details.bias)


def test_negative_zero_ties_with_zero():
    labels = [1, 0, 1, 0, 0, 1] * 6
    scores = np.array([0.0, -0.0, -1.0, 0.0, 1.0, -0.0] * 6)
    one, other = (
        quiet_bootstrap(labels, s, metrics=["roc_auc", "ks_statistic"])
        for s in (scores, scores + 0.0)
    )
    for name, result in one.items():
        np.testing.assert_array_equal(result.details.distribution, other[name].details.distribution)
        assert result.estimate == other[name].estimate


@pytest.mark.parametrize("base", [2**63, 2**64 - 64, 2**53])
@pytest.mark.parametrize("options", [{}, {"groups": np.arange(60) // 2}])
def test_large_integer_scores_are_not_rounded(base, options):
    """Neighbours above 2**53 are one float64, but not one score."""
    labels, scores = binary(60, step=1.0)
    ranks = np.unique(scores, return_inverse=True)[1]
    large = (np.uint64(base) + ranks.astype(np.uint64)).astype(np.uint64)
    metrics = ["roc_auc", "average_precision", "ks_statistic"]
    got = quiet_bootstrap(labels, large, metrics=metrics, **options)
    for name, result in quiet_bootstrap(labels, ranks, metrics=metrics, **options).items():
        np.testing.assert_array_equal(got[name].details.distribution, result.details.distribution)


@pytest.mark.parametrize("threshold", [math.inf, -math.inf, 1e300, 2**70])
def test_thresholds_beyond_all_scores(threshold):
    labels, scores = binary(40)
    positive = labels.mean()
    result = quiet_bootstrap(labels, scores, metrics="accuracy", threshold=threshold)["accuracy"]
    assert result.estimate == pytest.approx(positive if threshold < 0 else 1 - positive)


B_FAIL = 499
CONDITIONAL = "the interval is conditional on the metric being defined"


def scored(n: int = 60) -> tuple[Any, Any]:
    """Labels with scores of which the best are negatives often enough."""
    rng = np.random.default_rng(5)
    labels = (np.arange(n) % 3 == 0).astype(int)
    return labels, labels + 1.1 * rng.normal(size=n)


def test_no_threshold_reaches_the_precision() -> None:
    """The cause is named though both classes are in every replicate."""
    labels, scores = scored()
    metric = {"R@P": ("recall_at_precision", {"precision": 0.95})}
    with pytest.warns(fm.UndefinedMetricWarning) as caught:
        result = fm.bootstrap(
            labels, scores, metrics=metric, stratified=True, n_resamples=B_FAIL, rng=1
        )["R@P"]
    assert result.details.n_failed == np.isnan(result.details.distribution).sum() > 0.05 * B_FAIL
    assert result.note == (
        f"undefined in {result.details.n_failed} of {B_FAIL} replicates, which are left out: no "
        f"threshold reaches a precision of 0.95; {CONDITIONAL}"
    )
    assert [str(one.message) for one in caught] == [f"'R@P' is {result.note}"]
    assert math.isfinite(result.confidence_interval.low)


def test_two_causes_are_counted_apart() -> None:
    labels = np.repeat([1, 0], [2, 28])
    scores = scored(30)[1]
    metric = {"R@P": ("recall_at_precision", {"precision": 0.9})}
    scores[0] = 9.0
    with pytest.warns(fm.UndefinedMetricWarning, match="R@P"):
        result = fm.bootstrap(labels, scores, metrics=metric, n_resamples=B_FAIL, rng=1)["R@P"]
    with pytest.warns(fm.UndefinedMetricWarning, match="lost a class"):
        auc = fm.bootstrap(labels, scores, n_resamples=B_FAIL, rng=1)["roc_auc"]
    lost = auc.details.n_failed
    assert (
        f"they lost a class (`stratified=True` keeps both) ({lost} of them); no threshold reaches "
        f"a precision of 0.9 ({result.details.n_failed - lost} of them)"
    ) in result.note
    assert result.details.n_failed > lost > 0


@pytest.mark.parametrize(
    ("metric", "data", "why"),
    [
        ("precision", ([0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 1]), "the metric divides by is 0"),
        ("r2", ([0.1, 0.7, 0.3], [0.2, 0.5, 0.3]), "the metric divides by is 0"),
        ({"odd": lambda v: v.mean() if v.min() < 0.2 else math.nan},) * 1
        + (([0.1, 0.7, 0.3],), "the function returned nan"),
        ("break_even_point", ([0, 0, 1, 1, 0, 1], [6, 5, 4, 3, 2, 1]), "equals recall at 0 only"),
        (
            ("partial_auc", {"false_positive_rate_range": (0, 0.5), "standardized": True}),
            ([0, 0, 1, 1, 0, 1, 0, 1] * 3, [8, 1, 7, 9, 6, 2, 3, 9] * 3),
            "McClish's correction has no value",
        ),
        (
            ("best_threshold", {"of": "precision"}),
            ([0, 1, 0, 1, 1, 0] * 2, [6, 5, 4, 3, 2, 1] * 2),
            "nothing is called positive",
        ),
    ],
)
def test_each_kind_of_metric_names_its_cause(metric: Any, data: Any, why: str) -> None:
    stratify = {"stratified": True} if metric not in ("precision", "r2") and len(data) > 1 else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = fm.bootstrap(*data, metrics=metric, n_resamples=B_FAIL, rng=1, **stratify)
    one = next(iter(result.values()))
    assert one.details.n_failed > 0
    assert why in one.note
    assert "class" not in one.note


def test_the_way_out_is_one_that_the_draws_allow() -> None:
    """`stratified=True` excludes groups."""
    labels = [1, 1, 0, 0, 0, 0]
    scores = [3, 4, 1, 2, 5, 0.5]
    groups = [0, 0, 1, 1, 2, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        note = fm.bootstrap(labels, scores, n_resamples=B_FAIL, rng=1, groups=groups)[
            "roc_auc"
        ].note
    assert "they lost a class (gather more of it)" in note


def test_differences_say_it_where_the_models_have_not() -> None:
    """Either model fails in less than 5 % of the replicates, one of the two in more."""
    labels, scores = scored(90)
    rng = np.random.default_rng(8)
    metric = {"R@P": ("recall_at_precision", {"precision": 0.85})}
    call = {"metrics": metric, "stratified": True, "n_resamples": 999, "rng": 1}
    models = {"a": scores, "b": labels + 1.1 * rng.normal(size=90)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = fm.paired_bootstrap(labels, models, **call)
    own = [one.details.n_failed for one in result["R@P"].models]
    pair = result["R@P"].pairs[0]
    assert pair.details.n_failed == np.isnan(pair.details.distribution).sum() >= max(own) > 0
    assert f"undefined in {pair.details.n_failed} of 999" in pair.note
    told = [str(one.message) for one in caught if one.category.__name__.startswith("Undefined")]
    many = [n > 0.05 * 999 for n in (*own, pair.details.n_failed)]
    assert len(told) == (sum(many[:2]) or many[2])
    assert all(re.search("no threshold reaches a precision of 0.85", text) for text in told)


@pytest.mark.parametrize("band", [fm.roc_band, fm.pr_band])
def test_bands(band: Any) -> None:
    labels = np.repeat([1, 0], [2, 28])
    scores = np.arange(30) % 7
    with pytest.warns(fm.UndefinedMetricWarning, match=r"keeps both\); the band is conditional on"):
        actual = band(labels, scores, stratified=False, n_resamples=200, rng=1)
    assert actual.n_failed > 10


def slow(labels, scores):
    time.sleep(0.02)
    return 0.5


@numba.njit
def sorts_in_place(labels, scores, weights):
    scores.sort()
    return scores[0]


@numba.njit
def weighted_mean(labels, scores, weights):
    return (scores * weights).sum() / weights.sum()


@pytest.mark.parametrize(
    ("metrics", "n_resamples", "options"),
    [
        ({"slow": slow}, 1_000, {"n_threads": 2}),
        pytest.param({"slow": slow}, 1_000, {"n_threads": 1}, marks=pytest.mark.exhaustive),
        ("roc_auc", 5_000_000, {"n_threads": 2}),
        pytest.param("average_precision", 5_000_000, {}, marks=pytest.mark.exhaustive),
        ("accuracy", 5_000_000, {"threshold": 0.5}),
    ],
)
def test_an_interrupt_stops_it_within_a_second(metrics, n_resamples, options, monkeypatch):
    labels, scores = binary(400)
    before = quiet_bootstrap(labels, scores, rng=1)["roc_auc"].details.distribution
    if metrics != {"slow": slow}:
        quiet_bootstrap(labels, scores, metrics=metrics, **options)  # compiled before the clock
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        _thread.interrupt_main()

    timer = threading.Timer(0.3, press)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.collect()
    gc.disable()  # an interrupt inside a collector's callback would be lost
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            fm.bootstrap(labels, scores, metrics=metrics, n_resamples=n_resamples, rng=1, **options)
        assert time.perf_counter() - pressed[0] < 1.0
    finally:
        gc.enable()
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, handler)
    after = quiet_bootstrap(labels, scores, rng=1)["roc_auc"].details.distribution
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_what_a_function_raises_is_raised(n_threads):
    labels, scores = binary(30)
    calls = []

    def breaks(labels, scores):
        calls.append(len(scores))
        if len(calls) > 20:
            raise ZeroDivisionError("one of mine")
        return 0.0

    with pytest.raises(ZeroDivisionError, match="one of mine"):
        fm.bootstrap(labels, scores, metrics=breaks, n_threads=n_threads, rng=1)
    assert len(calls) < 40
    with pytest.raises(TypeError):
        fm.bootstrap(labels, scores, metrics={"none": lambda y, s: None}, rng=1)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_memory_that_runs_out(n_threads, monkeypatch):
    labels, scores = binary(30)

    with monkeypatch.context() as patch:
        engine_sizes.failing(patch, "counts of draws", MemoryError("Unable to allocate"))
        with pytest.raises(MemoryError, match="Unable to allocate"):
            fm.bootstrap(labels, scores, n_threads=n_threads, rng=1)
    assert quiet_bootstrap(labels, scores)["roc_auc"].details.n_failed < 5


@pytest.mark.parametrize(
    ("metrics", "method", "most"),
    [
        ("roc_auc", "percentile", 24),
        (["roc_auc", "ks_statistic"], "percentile", 24),
        ("brier_score", "percentile", 48),
        (["roc_auc", "average_precision"], "bca", 160),
    ],
)
def test_memory_is_that_of_a_part(metrics, method, most, monkeypatch):
    """In bytes a row, beside the table; 300 replicates of a byte a row would take 300."""
    labels, scores = binary(200_000)
    table = fm.ScoreTable.from_scores(labels, 1 / (1 + np.exp(-scores)))
    options = {"metrics": metrics, "method": method, "n_resamples": 300, "rng": 1, "n_threads": 1}
    fm.bootstrap(table, **options | {"n_resamples": 30})  # loads and compiles
    tracemalloc.start()
    try:
        fm.bootstrap(table, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most * 200_000


def test_functions_that_modify_what_they_get():
    labels, scores = binary(50)
    kept = scores.copy(), labels.copy()

    def modifies(labels, scores):
        labels[:] = 0
        scores.sort()
        return scores[0]

    for data in ((labels, scores), (scores, scores)):
        for weights in (None, np.arange(50) % 3):
            metrics = {"modifies": modifies, "first": lambda y, s: s.min()}
            if data[0] is labels:
                metrics["auc"] = "roc_auc"
            options = {"sample_weight": weights, "weights_are": "frequencies"}
            results = quiet_bootstrap(*data, metrics=metrics, **options)
            np.testing.assert_array_equal(
                results["modifies"].details.distribution, results["first"].details.distribution
            )
    np.testing.assert_array_equal(scores, kept[0])
    np.testing.assert_array_equal(labels, kept[1])
    with pytest.raises(numba.TypingError, match=r"readonly|read-only|immutable"):
        quiet_bootstrap(labels, scores, metrics=sorts_in_place)


def test_a_compiled_function_is_compiled_once():
    """Each bootstrap asks for it several times; numba would take a second each time."""
    labels, scores = binary(50)
    quiet_bootstrap(labels, scores, metrics=weighted_mean)
    with event.install_recorder("numba:compile") as recorder:
        quiet_bootstrap(labels, scores, metrics=weighted_mean, rng=2)
    assert not recorder.buffer
