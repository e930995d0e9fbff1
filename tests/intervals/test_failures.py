"""Replicates that are undefined: the warning names why, and the result that it is conditional."""

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm

B = 499
CONDITIONAL = "the interval is conditional on the measure being defined"


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
            labels, scores, metrics=metric, stratified=True, n_resamples=B, rng=1
        )["R@P"]
    failed = np.isnan(result.details.distribution)
    assert result.details.n_failed == failed.sum() > 0.05 * B
    assert result.note == (
        f"undefined in {result.details.n_failed} of {B} replicates, which are left out: no "
        f"threshold reaches a precision of 0.95; {CONDITIONAL}"
    )
    assert [str(one.message) for one in caught] == [f"'R@P' is {result.note}"]
    assert math.isfinite(result.confidence_interval.low)


def test_two_causes_are_counted_apart() -> None:
    labels, scores = np.repeat([1, 0], [2, 28]), scored(30)[1]
    metric = {"R@P": ("recall_at_precision", {"precision": 0.9})}
    scores[0] = 9.0
    with pytest.warns(fm.UndefinedMetricWarning, match="R@P"):
        result = fm.bootstrap(labels, scores, metrics=metric, n_resamples=B, rng=1)["R@P"]
    with pytest.warns(fm.UndefinedMetricWarning, match="lost a class"):
        auc = fm.bootstrap(labels, scores, n_resamples=B, rng=1)["roc_auc"]
    lost = auc.details.n_failed
    assert (
        f"they lost a class (`stratified=True` keeps both) ({lost} of them); no threshold reaches "
        f"a precision of 0.9 ({result.details.n_failed - lost} of them)"
    ) in result.note
    assert result.details.n_failed > lost > 0


def test_few_failures_leave_a_note_without_a_warning() -> None:
    labels, scores = [1] * 4 + [0] * 26, np.arange(30) % 11 + 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = fm.bootstrap(labels, scores, n_resamples=2_000, rng=1)["roc_auc"]
    assert result.note.startswith(f"undefined in {result.details.n_failed} of 2,000 replicates")
    assert CONDITIONAL in result.note
    assert fm.bootstrap(*scored(), n_resamples=99, rng=1)["roc_auc"].note == ""


@pytest.mark.parametrize(
    ("metric", "data", "why"),
    [
        ("precision", ([0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 1]), "the measure divides by is 0"),
        ("r2", ([0.1, 0.7, 0.3], [0.2, 0.5, 0.3]), "the measure divides by is 0"),
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
def test_each_kind_of_measure_names_its_cause(metric: Any, data: Any, why: str) -> None:
    stratify = {"stratified": True} if metric not in ("precision", "r2") and len(data) > 1 else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = fm.bootstrap(*data, metrics=metric, n_resamples=B, rng=1, **stratify)
    one = next(iter(result.values()))
    assert one.details.n_failed > 0
    assert why in one.note
    assert "class" not in one.note


def test_the_way_out_is_one_that_the_draws_allow() -> None:
    """`stratified=True` excludes groups."""
    labels, scores, groups = [1, 1, 0, 0, 0, 0], [3, 4, 1, 2, 5, 0.5], [0, 0, 1, 1, 2, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        note = fm.bootstrap(labels, scores, n_resamples=B, rng=1, groups=groups)["roc_auc"].note
    assert "they lost a class (gather more of it)" in note


def test_several_classes() -> None:
    y = np.repeat([0, 1, 2], [20, 20, 5])
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 45)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = fm.bootstrap(y, p, metrics="roc_auc_ovr", n_resamples=B, rng=1)["roc_auc_ovr"]
    assert 0 < one.details.n_failed < B
    assert "they lost a class (gather more of it)" in one.note


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
    labels, scores = np.repeat([1, 0], [2, 28]), np.arange(30) % 7
    with pytest.warns(fm.UndefinedMetricWarning, match=r"keeps both\); the band is conditional on"):
        found = band(labels, scores, stratified=False, n_resamples=200, rng=1)
    assert found.n_failed > 10
