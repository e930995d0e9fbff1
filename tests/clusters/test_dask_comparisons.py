"""``compare`` on Dask: the comparisons of rows in memory, whatever the partitions."""

import warnings
from typing import Any

import numpy as np
import pytest
from dask_columns import delayed_columns
from test_dask_estimates import LAYOUTS, OF_LABELS, OF_SCORES, N, P, Y, assert_same

import fastmetrics as fm
import fastmetrics.dask as fmd
from fastmetrics.errors import DegenerateDataWarning, InputError, SmallSampleWarning

pytestmark = pytest.mark.usefixtures("synchronous")
RNG = np.random.default_rng(9)
MODELS = {
    "first": P,
    "second": np.round(np.clip(P + RNG.normal(scale=0.2, size=N), 0.01, 0.99), 2),
    "third": np.round(np.clip(Y * 0.3 + RNG.random(N) * 0.7, 0.01, 0.99), 2),
}
WEIGHTS = RNG.integers(0, 4, N)
GROUPS = RNG.integers(0, 50, N)
METRICS: Any = {"metrics": [*OF_SCORES, *OF_LABELS], "threshold": 0.6}


def assert_comparisons(actual: Any, expected: Any) -> None:
    assert list(actual) == list(expected)
    for name, one in actual.items():
        other = expected[name]
        assert one.names == other.names
        assert (one.n_samples, one.n_groups) == (other.n_samples, other.n_groups)
        for each, same in zip(
            (*one.models, *one.pairs), (*other.models, *other.pairs), strict=True
        ):
            assert_same(each, same)
        scale = np.abs(other.covariance).max()
        np.testing.assert_allclose(one.covariance, other.covariance, rtol=1e-11, atol=1e-13 * scale)


def both(places: list[int], weights: Any = None, groups: Any = None, **options: Any) -> None:
    y, w, g, *columns = delayed_columns([Y, weights, groups, *MODELS.values()], places)
    if weights is not None:
        options["weights_are"] = "frequencies"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallSampleWarning)
        comparisons = fmd.compare(
            y, dict(zip(MODELS, columns, strict=True)), sample_weight=w, groups=g, **options
        )
        expected = fm.compare(Y, MODELS, sample_weight=weights, groups=groups, **options)
    assert_comparisons(comparisons, expected)


@pytest.mark.parametrize("places", LAYOUTS)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["rows", "frequencies"])
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "groups"])
def test_partitions_do_not_matter(places: list[int], weights: Any, groups: Any) -> None:
    both(places, weights, groups, **METRICS)


def test_options() -> None:
    both([100], metrics="roc_auc", reference="second", margin=0.02, alternative="less")


def test_partitions_of_one_class() -> None:
    order = np.argsort(Y, kind="stable")
    y = Y[order]
    models = {"a": P[order], "b": MODELS["third"][order]}
    columns = delayed_columns([y, *models.values()], [int(np.sum(y == 0)), N])
    comparisons = fmd.compare(columns[0], {"a": columns[1], "b": columns[2]}, metrics="roc_auc")
    assert_comparisons(comparisons, fm.compare(y, models, metrics="roc_auc"))


def test_equal_models() -> None:
    """No row tells them apart: the interval is that of what rows not seen may do."""
    y, p = delayed_columns([Y, P], [100])
    metrics = ["roc_auc", "average_precision", "brier_score"]
    message = "nothing tells the models apart"
    with pytest.warns(DegenerateDataWarning, match=message):
        comparisons = fmd.compare(y, {"a": p, "b": p}, metrics=metrics)
    with pytest.warns(DegenerateDataWarning, match=message):
        expected = fm.compare(Y, {"a": P, "b": P}, metrics=metrics)
    assert_comparisons(comparisons, expected)
    assert comparisons["roc_auc"]["a", "b"].pvalue == 1.0
    assert comparisons["roc_auc"]["a", "b"].confidence_interval.low < -0.01


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"metrics": "f1"}, "holds scores where labels are needed"),
        ({"metrics": "best_threshold"}, "take `fastmetrics.bootstrap` of"),
        ({"metrics": "roc_auc", "margin": -1}, "`margin` is a finite loss"),
        ({"metrics": "roc_auc", "sample_weight": 1}, "`weights_are` must be 'frequencies' here"),
    ],
)
def test_what_is_refused(options: Any, text: str) -> None:
    y, p = delayed_columns([Y, P], [100])
    with pytest.raises(InputError, match=text):
        fmd.compare(y, {"a": p, "b": p}, **options)
    with pytest.raises(InputError, match="at least two models"):
        fmd.compare(y, {"a": p}, metrics="roc_auc")
