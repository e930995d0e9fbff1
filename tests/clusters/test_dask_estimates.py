"""``estimate`` on Dask: the estimates of rows in memory, whatever the partitions."""

import warnings
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from dask_columns import delayed_columns, problems
from hypothesis import given

import fastmetrics as fm
import fastmetrics.dask as fmd
from fastmetrics.errors import InputError, InputTypeError, SmallSampleWarning

pytestmark = pytest.mark.usefixtures("synchronous")
RNG = np.random.default_rng(8)
N = 300
Y = RNG.integers(0, 2, N)
P = np.round(1.0 / (1.0 + np.exp(-RNG.normal(size=N) - Y)), 2)
LAYOUTS = [[], [150], [0, 7, 7, 250, 300]]
CURVES = ["roc_auc", "rank_loss", "average_precision", ("pr_auc", {"interpolation": "trapezoid"})]
OF_SCORES = [
    *CURVES,
    *("ks_statistic", "gini_coefficient", ("partial_auc", {"false_positive_rate_range": (0, 0.3)})),
    *("brier_score", "log_loss", "d2_brier_score", "hinge_loss", "calibration_slope"),
    *("calibration_intercept", ("net_benefit", {"threshold": 0.4})),
]
OF_LABELS = ["accuracy", "f1", "recall", "matthews_corrcoef", "balanced_accuracy"]


def assert_same(actual: Any, expected: Any) -> None:
    """Compare all fields of two results, numbers up to the rounding of sums."""
    for field in fields(expected):
        one = getattr(actual, field.name)
        other = getattr(expected, field.name)
        if isinstance(other, float) or field.name == "confidence_interval":
            assert tuple(np.atleast_1d(one)) == pytest.approx(
                tuple(np.atleast_1d(other)), rel=1e-12, abs=1e-14, nan_ok=True
            ), field.name
        elif field.name != "details":
            assert one == other, field.name


def assert_estimates(actual: Any, expected: Any) -> None:
    assert list(actual) == list(expected)
    for name in expected:
        assert_same(actual[name], expected[name])


@pytest.mark.parametrize("places", LAYOUTS)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_scores_and_probabilities(places: list[int], kind: Any) -> None:
    score = P.astype(kind)
    columns = delayed_columns([Y, score], places)
    options: Any = {"metrics": [*OF_SCORES, *OF_LABELS], "threshold": 0.6}
    assert_estimates(fmd.estimate(*columns, **options), fm.estimate(Y, score, **options))


@pytest.mark.parametrize("places", LAYOUTS)
@pytest.mark.parametrize("labels", [["no", "yes"], ["a", "b", "c"], [1, 2]])
def test_predicted_labels(places: list[int], labels: list[Any]) -> None:
    k = len(labels)
    y, predicted = (np.array(labels)[RNG.integers(0, k, N)] for _ in range(2))
    options: Any = {"metrics": ["accuracy", "matthews_corrcoef", "f1_macro"]}
    if k == 2:
        options = {"metrics": OF_LABELS, "pos_label": labels[0]}
    estimates = fmd.estimate(*delayed_columns([y, predicted], places), **options)
    assert_estimates(estimates, fm.estimate(y, predicted, **options))


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_frequencies(dtype: Any) -> None:
    weights = RNG.integers(0, 4, N).astype(dtype)
    columns = delayed_columns([Y, P, weights], [0, 7, 250])
    options: Any = {"weights_are": "frequencies", "metrics": OF_SCORES}
    estimates = fmd.estimate(*columns[:2], sample_weight=columns[2], **options)
    assert_estimates(estimates, fm.estimate(Y, P, sample_weight=weights, **options))
    options |= {"metrics": OF_LABELS, "alternative": "less", "confidence_level": 0.9}
    columns[1] = delayed_columns([(P > 0.5).astype(int)], [0, 7, 250])[0]
    estimates = fmd.estimate(*columns[:2], sample_weight=columns[2], **options)
    assert_estimates(estimates, fm.estimate(Y, P > 0.5, sample_weight=weights, **options))


@pytest.mark.parametrize("places", LAYOUTS)
@pytest.mark.parametrize("n_groups", [20, 200])
@pytest.mark.parametrize("are_texts", [False, True])
def test_groups_that_cross_partitions(places: list[int], n_groups: int, are_texts: bool) -> None:
    groups: Any = RNG.integers(0, n_groups, N)
    weights = None if n_groups == 20 else RNG.integers(0, 4, N)
    if are_texts:
        groups = np.char.add("user ", groups.astype(str))
    y = np.array(["no", "yes"])[Y]
    options: Any = {"metrics": [*OF_SCORES, *OF_LABELS], "threshold": 0.6, "pos_label": "yes"}
    if weights is not None:
        options["weights_are"] = "frequencies"
    columns = delayed_columns([y, P, weights, groups], places)
    given = dict(zip(("sample_weight", "groups"), columns[2:], strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallSampleWarning)
        estimates = fmd.estimate(*columns[:2], **given, **options)
        expected = fm.estimate(y, P, sample_weight=weights, groups=groups, **options)
    assert_estimates(estimates, expected)


def test_few_groups_are_warned_of() -> None:
    columns = delayed_columns([Y, P, np.arange(N) // 30], [100])
    with pytest.warns(SmallSampleWarning, match="there are 10 groups"):
        fmd.estimate(*columns[:2], groups=columns[2], metrics="roc_auc")


@given(problems())
def test_as_in_memory(problem: Any) -> None:
    y, score, weights, places, _ = problem
    columns = delayed_columns([y, score, weights], places)
    options: Any = {"metrics": CURVES, "weights_are": "frequencies"}
    if weights is None:
        del options["weights_are"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = fm.estimate(y, score, sample_weight=weights, **options)
        except InputError:
            with pytest.raises(InputError):
                fmd.estimate(*columns[:2], sample_weight=columns[2], **options)
            return
        estimates = fmd.estimate(*columns[:2], sample_weight=columns[2], **options)
    assert_estimates(estimates, expected)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"metrics": "mean_squared_error"}, "which needs the rows in memory: take `fastmetrics"),
        ({"metrics": "f1", "groups": 1}, "`y_score` holds scores where labels are needed"),
        ({"metrics": "roc_auc_ovr"}, "is of several classes"),
        ({"metrics": "best_threshold"}, "take `fastmetrics.bootstrap` of"),
        ({"metrics": "f1"}, "`y_score` holds probabilities"),
        ({"metrics": "roc_auc", "method": "wilson"}, "`method='wilson'` is for"),
        ({"metrics": "roc_auc", "sample_weight": 1}, "`weights_are` must be 'frequencies' here"),
    ],
)
def test_what_is_refused(options: Any, text: str) -> None:
    columns = delayed_columns([Y, P], [100])
    if "groups" in options:
        options = options | {"groups": columns[0]}
    with pytest.raises((InputError, InputTypeError), match=text.replace("(", "\\(")):
        fmd.estimate(*columns, **options)
