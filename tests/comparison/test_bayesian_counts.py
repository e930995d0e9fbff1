"""The posterior of measures of counts: Beta distributions by the book, pairs by simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

import fastmetrics as fm

count_test = fm.comparison.bayesian_count_test
RNG = np.random.default_rng(8)
Y = RNG.permutation(np.repeat([0, 1], [40, 12]))
A, B = (np.where(RNG.random(52) < share, 1 - Y, Y) for share in (0.15, 0.25))
FEW: dict[str, Any] = {"n_resamples": 50_000, "rng": 3}


def cells(y: np.ndarray, p: np.ndarray) -> tuple[int, int, int]:
    return ((y & p).sum(), ((1 - y) & p).sum(), (y & (1 - p)).sum())


@pytest.mark.parametrize("prior", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "jaccard", "accuracy"])
def test_either_model_has_the_posterior_of_the_book(metric: str, prior: float) -> None:
    """Goutte and Gaussier: Beta for shares; F1 is 2 j / (1 + j) of one."""
    found = count_test(Y, A, B, metrics=metric, prior=prior, **FEW)
    for interval, p in ((found.credible_interval_a, A), (found.credible_interval_b, B)):
        tp, fp, fn = cells(Y, p)
        a, b = {
            "precision": (tp + prior, fp + prior),
            "recall": (tp + prior, fn + prior),
            "jaccard": (tp + prior, fp + fn + 2 * prior),
            "f1": (tp + prior, fp + fn + 2 * prior),
            "accuracy": (len(Y) - fp - fn + 2 * prior, fp + fn + 2 * prior),
        }[metric]
        ends = beta.ppf([0.025, 0.975], a, b)
        ends = 2 * ends / (1 + ends) if metric == "f1" else ends
        assert tuple(interval) == pytest.approx(ends, abs=0.008)


def test_what_both_models_get_right_tells_little_of_their_difference() -> None:
    """By an own sampler, of gammas; models that agree have a narrower difference."""
    found = count_test(Y, A, B, metrics="recall", **FEW)
    pairs = [((Y == 1) & (a == A) & (b == B)).sum() for a in (0, 1) for b in (0, 1)]
    draws = np.random.default_rng(0).gamma(np.array(pairs) + 0.25, size=(50_000, 4))
    less = (draws[:, 2] - draws[:, 1]) / draws.sum(axis=1)
    assert found.p_right == pytest.approx(np.mean(less > 0), abs=0.01)
    assert tuple(found.credible_interval) == pytest.approx(
        np.quantile(less, [0.025, 0.975]), abs=0.015
    )
    assert found.difference == pytest.approx(
        fm.recall_score(Y, A) - fm.recall_score(Y, B), rel=1e-12
    )
    alike = A.copy()
    alike[np.flatnonzero(Y)[:2]] ^= 1
    found = [count_test(Y, A, other, metrics="recall", **FEW) for other in (B, alike)]
    ends = [each.credible_interval for each in found]
    assert ends[1].high - ends[1].low < 0.7 * (ends[0].high - ends[0].low)


def test_equal_decisions_are_a_coin() -> None:
    found = count_test(Y, A, A, **FEW)
    assert found.p_left == pytest.approx(0.5, abs=4 * found.monte_carlo_error)
    assert (found.p_rope, found.decision, found.better, found.difference) == (
        0.0,
        "none",
        None,
        0.0,
    )
    assert count_test(Y, A, A, rope=0.5, **FEW).decision == "rope"


def test_sides_and_directions() -> None:
    worse = np.where(RNG.random(52) < 0.5, 1 - Y, Y)
    found = count_test(Y, Y, worse, names=("new", "old"), **FEW)
    assert (found.decision, found.better) == ("right", "new")
    found = count_test(Y, Y, worse, metrics="error_rate", names=("new", "old"), **FEW)
    assert (found.decision, found.better) == ("left", "new")
    assert found.p_left + found.p_rope + found.p_right == pytest.approx(1.0)
    again = count_test(Y, Y, worse, metrics="error_rate", n_resamples=50_000, rng=found.key)
    assert again.p_left == found.p_left


def test_several_classes_texts_and_parameters() -> None:
    y = RNG.integers(0, 3, 90)
    a, b = (np.where(RNG.random(90) < share, RNG.integers(0, 3, 90), y) for share in (0.1, 0.6))
    found = count_test(y, a, b, metrics="balanced_accuracy", **FEW)
    assert found.better == "A"
    words = np.array(["x", "y", "z"])
    assert count_test(words[y], words[a], words[b], metrics="balanced_accuracy", **FEW) == found
    two = count_test(Y, A, B, metrics=("fbeta", {"beta": 2.0}), **FEW)
    assert two.difference == pytest.approx(
        fm.fbeta_score(Y, A, beta=2.0) - fm.fbeta_score(Y, B, beta=2.0)
    )
    turned = count_test(1 - Y, 1 - A, 1 - B, pos_label=0, **FEW)
    assert turned.difference == pytest.approx(count_test(Y, A, B, **FEW).difference)


def test_an_undefined_measure_is_that_of_the_prior() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="its posterior is the prior's"):
        found = count_test([0, 0, 1], [0, 0, 0], [0, 0, 1], metrics="precision", **FEW)
    assert math.isnan(found.difference)
    ends = beta.ppf([0.025, 0.975], 0.5, 0.5)
    assert tuple(found.credible_interval_a) == pytest.approx(ends, abs=0.01)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metrics": "roc_auc"}, "`metrics` must be a measure of labels: got 'roc_auc'"),
        ({"metrics": lambda y, p: 0.0}, "`metrics` must be a measure of labels"),
        ({"prior": 0.01}, r"`prior` must lie in \[0.05"),
        ({"rope": -1}, "`rope` must be finite"),
        ({"n_resamples": 0}, "`n_resamples`"),
        ({"credible_level": 1}, "`credible_level`"),
        ({"pos_label": 7}, "`pos_label` is none of the labels"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises((fm.InputError, fm.InputTypeError), match=message):
        count_test(Y, A, B, **given)


def test_too_many_classes_are_refused() -> None:
    labels = np.arange(21)
    with pytest.raises(fm.InputError, match="there are 21 classes: at most 20"):
        count_test(labels, labels, labels, metrics="accuracy")
