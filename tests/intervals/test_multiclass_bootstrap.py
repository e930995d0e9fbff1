"""Multiclass AUCs of every replicate against scikit-learn on the drawn rows."""

import math
from typing import Any

import numpy as np
import pytest
from draws import times_drawn
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

KEY = "00c0ffee0badcafe"
MEASURES = {
    "roc_auc_ovr": ("ovr", "macro"),
    "roc_auc_ovr_weighted": ("ovr", "weighted"),
    "roc_auc_ovo": ("ovo", "macro"),
    "roc_auc_ovo_weighted": ("ovo", "weighted"),
}


def samples(
    rng: np.random.Generator, n: int, k: int, *, sixteenths: bool = True
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return classes and probabilities; in sixteenths they have many ties and add up exactly."""
    y = rng.permutation(np.arange(n) % k)
    p = np.exp(rng.normal(size=(n, k)) + 1.2 * (np.arange(k) == y[:, None]))
    p /= p.sum(axis=1, keepdims=True)
    if sixteenths:
        p = np.floor(16 * p) / 16
        p[:, 0] += 1 - p.sum(axis=1)
    return y, p


def area(name: str, y: Any, p: Any, weights: Any = None) -> float:
    """Return scikit-learn's value of the rows; of weighted ones, from binary problems."""
    kind, average = MEASURES[name]
    if weights is None:
        return float(roc_auc_score(y, p, multi_class=kind, average=average))
    k = p.shape[1]
    areas, sizes = [], []
    for a in range(k):
        for b in range(k) if kind == "ovo" else (None,):
            kept = np.ones(len(y), bool) if b is None else (y == a) | (y == b)
            if a == b:
                continue
            there = (y[kept] == a, p[kept, a])
            areas.append(roc_auc_score(*there, sample_weight=weights[kept]))
            sizes.append(weights[kept].sum() if kind == "ovo" else weights[y == a].sum())
    return float(np.average(areas, weights=sizes if average == "weighted" else None))


def counts_of_units(n: int, n_resamples: int) -> NDArray[Any]:
    return times_drawn(KEY, n, n_resamples)


def in_order(y: NDArray[Any], p: NDArray[Any], *last: NDArray[Any]) -> list[int]:
    """Return rows as they are drawn: by class, probabilities, and then what else there is."""
    others = [column.tolist() for column in last]
    return sorted(range(len(y)), key=lambda i: (y[i], *p[i], *(column[i] for column in others)))


def check(
    result: fm.results.Estimates, y: NDArray[Any], p: NDArray[Any], weights: NDArray[Any]
) -> None:
    """Assert that replicates are the measure of rows with such counts, or weights."""
    n_lost = 0
    for r, weight in enumerate(weights):
        there = weight > 0
        whole = len(np.unique(y[there])) == p.shape[1]
        for name, one in result.items():
            found = one.details.distribution[r]
            if not whole:
                assert math.isnan(found)
                n_lost += 1
            elif weight.dtype.kind == "i":
                rows = np.repeat(np.arange(len(y)), weight)
                assert found == pytest.approx(area(name, y[rows], p[rows]), abs=1e-13)
            else:
                expected = area(name, y[there], p[there], weight[there])
                assert found == pytest.approx(expected, abs=1e-12)
    assert sum(one.details.n_failed for one in result.values()) == n_lost
    assert n_lost < len(weights)


@pytest.mark.pairwise
@pytest.mark.parametrize("sixteenths", [True, False])
@pytest.mark.parametrize("k", [3, 4])
def test_replicates_are_sklearns_of_the_drawn_rows(
    k: int, sixteenths: bool, rng: np.random.Generator
) -> None:
    y, p = samples(rng, 50, k, sixteenths=sixteenths)
    result = fm.bootstrap(y, p, metrics=list(MEASURES), n_resamples=6, rng=KEY)
    assert list(result) == list(MEASURES)
    for name, one in result.items():
        assert one.metric == name
        assert one.estimate == pytest.approx(area(name, y, p), abs=1e-14)
        assert one.details.effective_sample_size == 50
    order = in_order(y, p)
    check(result, y[order], p[order], counts_of_units(50, 6))


def test_importances_stay_with_their_rows(rng: np.random.Generator) -> None:
    y, p = samples(rng, 60, 3)
    weights = rng.integers(1, 6, 60) / 4
    result = fm.bootstrap(
        *(y, p), metrics=list(MEASURES), n_resamples=6, rng=KEY, sample_weight=weights
    )
    for name, one in result.items():
        assert one.estimate == pytest.approx(area(name, y, p, weights), abs=1e-14)
        assert one.details.effective_sample_size == pytest.approx(
            weights.sum() ** 2 / (weights**2).sum()
        )
    order = in_order(y, p, weights)
    times = counts_of_units(60, 6)
    check(result, y[order], p[order], times * weights[order])


@pytest.mark.parametrize("weighted", [None, "frequencies", "importances"])
def test_groups_are_drawn_whole(weighted: Any, rng: np.random.Generator) -> None:
    y, p = samples(rng, 90, 3)
    groups = rng.integers(0, 25, 90)
    weights = None
    if weighted == "frequencies":
        weights = rng.integers(0, 3, 90)
        weights[groups == 4] = 0  # a group of no row is as good as absent
    elif weighted == "importances":
        weights = rng.integers(1, 6, 90) / 4
    result = fm.bootstrap(
        *(y, p),
        metrics=list(MEASURES),
        n_resamples=6,
        rng=KEY,
        groups=groups,
        sample_weight=weights,
        weights_are=weighted or "importances",
    )
    kept = np.ones(90, bool) if weights is None else weights > 0
    y, p, groups = y[kept], p[kept], groups[kept]
    names = np.unique(groups)
    times = counts_of_units(len(names), 6)[:, np.searchsorted(names, groups)]
    if weights is not None:
        times = times * weights[kept]
    if weighted != "importances":
        size = len(y) if weights is None else weights.sum()
        assert result["roc_auc_ovo"].details.effective_sample_size == size
    check(result, y, p, times)


def test_replicates_that_lost_a_class_are_undefined_and_counted(rng: np.random.Generator) -> None:
    y, p = samples(rng, 40, 3)
    y[y == 2] = 1
    y[:2] = 2
    with pytest.warns(UndefinedMetricWarning, match="they lost a class") as caught:
        result = fm.bootstrap(y, p, metrics=list(MEASURES), n_resamples=200, rng=KEY)
    assert len(caught) == len(MEASURES) + 1  # the rare class
    order = in_order(y, p)
    times = counts_of_units(40, 200)
    lost = times[:, np.isin(order, (0, 1))].sum(axis=1) == 0
    assert 10 < lost.sum() < 50  # (38 / 40)^40 = 0.13
    for one in result.values():
        assert np.array_equal(np.isnan(one.details.distribution), lost)
        assert one.details.n_failed == lost.sum()
        kept = one.details.distribution[~lost]
        assert one.standard_error == pytest.approx(kept.std(ddof=1))
        assert one.confidence_interval.low == pytest.approx(np.quantile(kept, 0.025))


@pytest.mark.parametrize("method", ["percentile", "basic"])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_limits_follow_from_the_replicates(
    method: Any, alternative: Any, rng: np.random.Generator
) -> None:
    y, p = samples(rng, 150, 3)
    one = fm.bootstrap(
        y,
        p,
        metrics="roc_auc_ovr",
        method=method,
        alternative=alternative,
        n_resamples=400,
        confidence_level=0.9,
    )["roc_auc_ovr"]
    tail = 0.05 if alternative == "two-sided" else 0.1
    low, high = np.quantile(one.details.distribution, (tail, 1 - tail))
    if method == "basic":
        low, high = 2 * one.estimate - high, 2 * one.estimate - low
    expected = (
        -np.inf if alternative == "less" else low,
        np.inf if alternative == "greater" else high,
    )
    found = (one.confidence_interval.low, one.confidence_interval.high)
    assert found == pytest.approx(expected, rel=1e-12)
    assert one.details.bias == pytest.approx(one.details.distribution.mean() - one.estimate)


def test_the_standard_error_is_that_of_a_plain_bootstrap(rng: np.random.Generator) -> None:
    y, p = samples(rng, 200, 3, sixteenths=False)
    drawn = fm.bootstrap(y, p, metrics="roc_auc_ovr", n_resamples=4_000, rng=1)
    found = drawn["roc_auc_ovr"].standard_error
    plain = [
        fm.roc_auc_score(y[rows], p[rows], multi_class="ovr")
        for rows in rng.integers(0, 200, (1_000, 200))
    ]
    assert found == pytest.approx(np.std(plain), rel=0.09)  # four standard errors of both


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"y_score": [0.2, 0.3]}, ValueError, r"`y_score` must have shape \(n_samples, n_classes\)"),
    ({"y_score": [[0.2, 0.3], [1.0]]}, ValueError, "`y_score` is not a rectangular sequence"),
    (
        {"y_score": np.full((6, 3), 0.5)},
        ValueError,
        "`y_score` must hold probabilities: row 0 adds up to 1.5",
    ),
    ({"y_score": np.full((6, 2), 0.5)}, ValueError, r"three classes or more: got shape \(6, 2\)"),
    ({"y_true": [0, 1, 0, 1, 0, 1]}, ValueError, "a column for each class of `y_true`, 2: got 3"),
    ({"metrics": ["roc_auc", "roc_auc_ovr"]}, ValueError, "and 'roc_auc' does not: ask for them"),
    ({"threshold": 0.5}, TypeError, "`threshold` has no meaning for 'roc_auc_ovr'"),
    ({"pos_label": 1}, TypeError, "`pos_label` has no meaning for 'roc_auc_ovr'"),
    ({"stratified": True}, ValueError, "`stratified` needs two classes"),
    ({"metrics": []}, ValueError, "`metrics` must name at least one measure: got none"),
    ({"metrics": None}, TypeError, "`metrics` must be a name"),
    ({"metrics": ["roc_auc_ovr"] * 2}, ValueError, "names 'roc_auc_ovr' 2 times"),
    ({"method": "bca"}, ValueError, "`method='bca'` is not defined for 'roc_auc_ovr'"),
    ({"n_resamples": 10**9}, ValueError, "GB of replicates, more than"),
    ({"groups": np.zeros(6, int)}, ValueError, "at least two groups"),
    (
        {"groups": np.arange(6) // 3, "sample_weight": [1, 1, 1, 0, 0, 0]}
        | {"weights_are": "frequencies"},
        ValueError,
        "two groups",
    ),
    (
        {"sample_weight": [1, 1, 0, 1, 1, 0], "weights_are": "frequencies"},
        ValueError,
        "a column for each class of `y_true`, 2: got 3",
    ),
]


@pytest.mark.parametrize(
    ("wrong", "error", "message"), BAD, ids=[f"{i}-{'-'.join(bad[0])}" for i, bad in enumerate(BAD)]
)
def test_bad_input_is_named(wrong: dict[str, Any], error: type[Exception], message: str) -> None:
    call = {"y_true": [0, 1, 2, 0, 1, 2], "y_score": np.eye(3)[[0, 1, 2, 1, 2, 0]]}
    call |= {"metrics": "roc_auc_ovr", **wrong}
    with pytest.raises(error, match=message):
        fm.bootstrap(call.pop("y_true"), call.pop("y_score"), **call)


def test_perfect_scores_have_an_interval_of_no_width() -> None:
    y = np.arange(30) % 3
    with pytest.warns(DegenerateDataWarning, match="all replicates are equal"):
        one = fm.bootstrap(y, np.eye(3)[y], metrics="roc_auc_ovr", n_resamples=50, rng=1)[
            "roc_auc_ovr"
        ]
    assert one.estimate == one.confidence_interval.low == one.confidence_interval.high == 1.0
