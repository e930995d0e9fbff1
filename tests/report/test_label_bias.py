"""Limits of means over labels take in what few positives put measures of a label off by."""

import numpy as np
import pytest
from labelled_rows import AT, MODELS, N, Y, made

import fastmetrics as fm


def for_themselves(y: np.ndarray, s: np.ndarray, w: np.ndarray) -> float:
    """Return by how much precision is less at each positive without it, on average over labels."""
    of_labels = []
    for j in range(y.shape[1]):
        found, own = [], []
        for i in np.flatnonzero(y[:, j]):
            above = s[:, j] >= s[i, j]
            right, called = (w * y[:, j])[above].sum(), w[above].sum()
            others = (right - w[i]) / (called - w[i]) if called > right else 1.0
            found.append(right / called - others)
            own.append(w[i])
        of_labels.append(np.average(found, weights=own))
    return float(np.mean(of_labels))


@pytest.mark.parametrize("weights_are", [None, "importances", "frequencies"])
def test_lower_limits_of_precision_leave_out_what_a_positive_counts_of_itself(
    weights_are: str | None,
) -> None:
    y, models = made(40)
    y[:, 0] = np.arange(40) % 10 == 0  # of few positives
    s = np.round(models["a"], 1)  # of ties
    w = {None: np.ones(40), "importances": 1.0 + np.arange(40) % 3}.get(weights_are)
    options = {} if weights_are is None else {"sample_weight": w, "weights_are": weights_are}
    if weights_are == "frequencies":  # as if each row stood there so often
        times = 1 + np.arange(40) % 3
        options["sample_weight"] = times
        y_all, s_all, w = np.repeat(y, times, axis=0), np.repeat(s, times, axis=0), np.ones(79)
    else:
        y_all, s_all = y, s
    excess = for_themselves(y_all, s_all, w)
    assert excess > 0.01
    one = fm.evaluate(y, s, **options)[0]["average_precision_macro"]
    at, high = np.log(one.estimate / (1 - one.estimate)), one.confidence_interval.high
    upper = np.log(high / (1 - high))
    lower = 1.0 / (1.0 + np.exp(upper - 2 * at))  # as far below on the scale of log-odds
    assert one.confidence_interval.low == pytest.approx(lower - excess, abs=1e-12)
    is_told = excess > 0.25 * one.standard_error
    assert ("counts itself" in one.note) == is_told


def curved(y: np.ndarray, called: np.ndarray, w: np.ndarray) -> float:
    """Return half the second derivative of F1 by each row's weight, in its squares, over labels."""

    def mean(i: int, step: float) -> float:
        moved = np.where(np.arange(len(w)) == i, w * (1.0 + step), w)
        right, wrong = moved @ (called & (y == 1)), moved @ (called != y)
        return float(np.mean(2.0 * right / (2.0 * right + wrong)))

    h = 1e-3
    return sum(mean(i, h) + mean(i, -h) - 2.0 * mean(i, 0.0) for i in range(len(w))) / (2 * h * h)


@pytest.mark.parametrize("weights_are", [None, "importances", "frequencies"])
def test_limits_of_f1_take_in_what_it_is_too_small_by(weights_are: str | None) -> None:
    y, models = made(40)
    y[:, 0] = np.arange(40) % 10 == 0  # of few positives
    times, options, w = 1 + np.arange(40) % 3, {}, np.ones(40)
    if weights_are is not None:
        options = {"sample_weight": times, "weights_are": weights_are}
        w = times.astype(float)
    own = fm.evaluate(y, models, metrics=["f1_macro"], threshold=AT, **options)
    both = {name: s >= AT for name, s in models.items()}
    bias = {name: curved(y, called, w) for name, called in both.items()}
    if weights_are == "frequencies":  # as if each row stood there so often
        many = np.repeat(np.arange(40), times)
        bias = {name: curved(y[many], s[many], np.ones(79)) for name, s in both.items()}
    for name, of_model in own.models.items():
        one, low, high = of_model["f1_macro"], *of_model["f1_macro"].confidence_interval
        assert bias[name] < -0.002
        at = np.log(one.estimate / (1 - one.estimate))
        upper = 1.0 / (1.0 + np.exp(np.log(low / (1 - low)) - 2 * at))
        assert high == pytest.approx(upper - bias[name], abs=1e-6)
        is_told = -bias[name] > 0.25 * one.standard_error
        assert ("few positives" in one.note) == is_told
    pair = own.comparisons["f1_macro"]["a", "b"]
    low, high = pair.confidence_interval
    more = bias["a"] - bias["b"]
    assert pair.estimate - low - (high - pair.estimate) == pytest.approx(more, abs=1e-6)


def test_limits_of_a_difference_take_in_what_models_are_unlike_too_large_by() -> None:
    found = fm.evaluate(Y, MODELS)
    name = "average_precision_macro"
    pair = found.comparisons[name]["a", "b"]
    low, high = pair.confidence_interval
    below, above = pair.estimate - low, high - pair.estimate
    more = [for_themselves(Y, s, np.ones(N)) for s in MODELS.values()]
    assert below - above == pytest.approx(more[0] - more[1], abs=1e-12)
    for one, other in zip(found.comparisons[name].models, found, strict=True):
        assert one.confidence_interval == other[name].confidence_interval
    turned = fm.evaluate(Y, {"b": MODELS["b"], "a": MODELS["a"]}).comparisons[name]["b", "a"]
    assert turned.confidence_interval == pytest.approx((-high, -low))
