"""Intervals for measures of counts: the binomial ones, F1 and Matthews' correlation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import metrics

from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from fastmetrics.inference.proportions.count_intervals import (
    CountMetricInterval,
    count_metric_interval,
)
from fastmetrics.inference.proportions.proportions import proportion_interval
from reference import proportion_oracle as oracle

CELLS = {"tp": 40, "fp": 10, "fn": 5, "tn": 95}
SHARES = {
    "accuracy": (135, 150),
    "error_rate": (15, 150),
    "precision": (40, 50),
    "recall": (40, 45),
    "specificity": (95, 105),
    "npv": (95, 100),
    "false_positive_rate": (10, 105),
    "false_negative_rate": (5, 45),
    "jaccard": (40, 55),
}
POSITIVE = st.tuples(*[st.integers(1, 300)] * 4)
LEVELS = st.sampled_from([0.8, 0.95, 0.99])


def ends(result: CountMetricInterval) -> tuple[float, float]:
    return result.confidence_interval.low, result.confidence_interval.high


def named(cells: tuple[float, ...]) -> dict[str, float]:
    return dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))


@pytest.mark.pairwise
@pytest.mark.parametrize("metric", SHARES)
@pytest.mark.parametrize(
    "method", ["wilson", "clopper-pearson", "jeffreys", "agresti-coull", "mid-p"]
)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_shares_are_proportions(metric: str, method: str, alternative: str) -> None:
    k, n = SHARES[metric]
    options = {"confidence_level": 0.9, "method": method, "alternative": alternative}
    result = count_metric_interval(metric, **CELLS, **options)
    assert result.confidence_interval == proportion_interval(k, n, **options).confidence_interval
    assert result.estimate == k / n
    assert result.standard_error == pytest.approx(math.sqrt(k / n * (1 - k / n) / n), rel=1e-14)
    assert (result.metric, result.method, result.alternative) == (metric, method, alternative)


def test_estimates_of_a_peer(rng: np.random.Generator) -> None:
    y, predicted = rng.integers(0, 2, 300), rng.integers(0, 2, 300) | (rng.random(300) < 0.3)
    tn, fp, fn, tp = metrics.confusion_matrix(y, predicted).ravel().tolist()
    cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    peers = {
        "accuracy": metrics.accuracy_score,
        "precision": metrics.precision_score,
        "recall": metrics.recall_score,
        "f1": metrics.f1_score,
        "jaccard": metrics.jaccard_score,
        "matthews_corrcoef": metrics.matthews_corrcoef,
    }
    for metric, peer in peers.items():
        found = count_metric_interval(metric, **cells).estimate
        assert found == pytest.approx(peer(y, predicted), rel=1e-13)


@given(POSITIVE, LEVELS)
def test_standard_errors_by_the_delta_method(cells: tuple[int, ...], level: float) -> None:
    """The closed forms against g' (diag(p) - p p') g / n with a gradient taken in 60 digits."""
    z = oracle.z_of((1 - level) / 2)
    for metric, measure, least in (("f1", oracle.f1, 0), ("matthews_corrcoef", oracle.mcc, -1)):
        result = count_metric_interval(
            metric, **named(cells), method="delta", confidence_level=level
        )
        estimate, error = oracle.delta_method(measure, cells)
        assert result.estimate == pytest.approx(estimate, rel=1e-12, abs=1e-15)
        assert result.standard_error == pytest.approx(error, rel=1e-12)
        expected = max(least, estimate - z * error), min(1, estimate + z * error)
        assert ends(result) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(POSITIVE)
def test_variance_of_phi_as_printed(cells: tuple[int, ...]) -> None:
    """Matthews' correlation is the phi coefficient, whose variance textbooks print otherwise."""
    result = count_metric_interval("matthews_corrcoef", **named(cells))
    assert result.standard_error**2 == pytest.approx(oracle.phi_variance(*cells), rel=1e-9)


@given(POSITIVE, LEVELS)
def test_fisher_z(cells: tuple[int, ...], level: float) -> None:
    result = count_metric_interval("matthews_corrcoef", **named(cells), confidence_level=level)
    estimate, error = oracle.delta_method(oracle.mcc, cells)
    step = oracle.z_of((1 - level) / 2) * error / (1 - estimate**2)
    centre = math.atanh(estimate)
    expected = math.tanh(centre - step), math.tanh(centre + step)
    assert ends(result) == pytest.approx(expected, rel=1e-10, abs=1e-13)
    assert result.method == "fisher-z"
    assert -1 < ends(result)[0] < result.estimate < ends(result)[1] < 1


@given(POSITIVE)
def test_symmetries_of_matthews_correlation(cells: tuple[int, ...]) -> None:
    tp, fp, fn, tn = cells
    result = count_metric_interval("matthews_corrcoef", **named(cells))
    other_class = count_metric_interval("matthews_corrcoef", tp=tn, fp=fn, fn=fp, tn=tp)
    assert ends(other_class) == pytest.approx(ends(result), abs=1e-13)
    turned = count_metric_interval("matthews_corrcoef", tp=fn, fp=tn, fn=tp, tn=fp)
    assert ends(turned) == pytest.approx([-limit for limit in ends(result)][::-1], abs=1e-13)


@given(POSITIVE, st.sampled_from(["wilson", "clopper-pearson", "jeffreys", "mid-p"]))
def test_f1_rises_with_the_share_it_follows_from(cells: tuple[int, ...], method: str) -> None:
    """Lam, Gopal & Qian (2023): F1 = 2 F* / (1 + F*), F* a proportion of TP + FP + FN."""
    tp, fp, fn, _ = cells
    result = count_metric_interval("f1", tp=tp, fp=fp, fn=fn, method=method)
    share = proportion_interval(tp, tp + fp + fn, method=method).confidence_interval
    expected = [2 * limit / (1 + limit) for limit in (share.low, share.high)]
    assert ends(result) == pytest.approx(expected, rel=1e-15)
    assert 0 <= ends(result)[0] < result.estimate < ends(result)[1] <= 1
    assert count_metric_interval("f1", **named(cells), method=method) == result


def test_f1_of_none_right() -> None:
    result = count_metric_interval("f1", tp=0, fp=3, fn=4)
    high = proportion_interval(0, 7).confidence_interval.high
    assert (result.estimate, ends(result)) == (0.0, (0.0, 2 * high / (1 + high)))


@pytest.mark.parametrize(
    ("metric", "cells", "why"),
    [
        ("accuracy", (0, 0, 0, 0), r"tp \+ tn \+ fp \+ fn is 0"),
        ("precision", (0, 0, 5, 5), r"tp \+ fp is 0"),
        ("recall", (0, 5, 0, 5), r"tp \+ fn is 0"),
        ("specificity", (5, 0, 5, 0), r"tn \+ fp is 0"),
        ("npv", (5, 5, 0, 0), r"tn \+ fn is 0"),
        ("f1", (0, 0, 0, 9), r"tp \+ fp \+ fn is 0"),
        ("matthews_corrcoef", (0, 0, 5, 5), r"tp \+ fp is 0"),
        ("matthews_corrcoef", (7, 0, 0, 0), r"fn \+ tn and fp \+ tn are 0"),
    ],
)
def test_undefined(metric: str, cells: tuple[int, ...], why: str) -> None:
    message = f"'{metric}' is not defined: {why}"
    with pytest.warns(UndefinedMetricWarning, match=message) as seen:
        result = count_metric_interval(metric, **named(cells), alternative="greater")
    assert seen[0].filename == __file__
    values = (result.estimate, result.standard_error, *ends(result))
    assert all(math.isnan(value) for value in values)


@pytest.mark.parametrize(
    ("metric", "method", "cells", "estimate", "instead"),
    [
        ("f1", "delta", (9, 0, 0, 3), 1.0, "'wilson'"),
        ("f1", "delta", (0, 2, 3, 3), 0.0, "'wilson'"),
        ("matthews_corrcoef", "delta", (9, 0, 0, 3), 1.0, "'error_rate'"),
        ("matthews_corrcoef", "fisher-z", (9, 0, 0, 3), 1.0, "'error_rate'"),
        ("matthews_corrcoef", "fisher-z", (0, 4, 7, 0), -1.0, "'error_rate'"),
    ],
)
def test_degenerate(
    metric: str, method: str, cells: tuple[int, ...], estimate: float, instead: str
) -> None:
    message = f"standard error of '{metric}' is 0 at an estimate of .*use {instead}"
    with pytest.warns(DegenerateDataWarning, match=message) as seen:
        result = count_metric_interval(metric, **named(cells), method=method)
    assert seen[0].filename == __file__
    assert (result.estimate, result.standard_error) == (estimate, 0.0)
    assert ends(result) == (estimate, estimate)


def test_one_bound_of_matthews_correlation() -> None:
    for method in ("delta", "fisher-z"):
        low, high = ends(
            count_metric_interval("matthews_corrcoef", **CELLS, method=method, confidence_level=0.9)
        )
        upper = count_metric_interval(
            "matthews_corrcoef", **CELLS, method=method, alternative="less"
        )
        lower = count_metric_interval(
            "matthews_corrcoef", **CELLS, method=method, alternative="greater"
        )
        assert ends(upper) == pytest.approx((-1.0, high), abs=1e-14)
        assert ends(lower) == pytest.approx((low, 1.0), abs=1e-14)


def test_a_correlation_that_rounds_to_one() -> None:
    result = count_metric_interval("matthews_corrcoef", tp=2**53, fp=1, fn=0, tn=2**53)
    assert result.estimate == pytest.approx(1, abs=1e-15)
    assert 0 < result.standard_error < 1e-15
    assert 1 - 1e-14 < ends(result)[0] <= ends(result)[1] == 1


@pytest.mark.parametrize(
    ("metric", "options", "error", "match"),
    [
        ("f2", {}, ValueError, "`metrics` must be one of 'accuracy'.*got 'f2'"),
        ("precision", {"method": "delta"}, ValueError, "`method` must be one of 'wilson'"),
        ("matthews_corrcoef", {"method": "wilson"}, ValueError, "one of 'fisher-z', 'delta'"),
        ("f1", {"method": "fisher-z"}, ValueError, "`method` must be one of .*'delta'"),
        ("f1", {"tp": -1}, ValueError, r"`tp` must lie in \[0, .*got -1"),
        ("precision", {"tn": math.nan}, ValueError, "`tn` must lie in .*got nan"),
        ("f1", {"fp": "3"}, TypeError, "`fp` must be a number: got str"),
        ("accuracy", {"tn": None}, TypeError, "'accuracy' needs .*: `tn` not given"),
        ("precision", {"tp": None, "fp": None}, TypeError, "`tp` and `fp` not given"),
        ("f1", {"confidence_level": 95}, ValueError, "did you mean 0.95"),
        ("f1", {"alternative": "up"}, ValueError, "`alternative` must be one of"),
        ("f1", {"method": "mid-p", "fn": 2.5}, ValueError, "whole counts: got fn = 2.5"),
    ],
)
def test_refused(metric: str, options: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        count_metric_interval(metric, **{**CELLS, **options})


def test_cells_that_are_not_used_may_be_left_out() -> None:
    assert count_metric_interval("precision", tp=4, fp=1) == count_metric_interval(
        "precision", tp=4, fp=1, fn=9, tn=9
    )


def test_effective_counts() -> None:
    """Half the rows' worth: the same estimate and a wider interval."""
    for metric in (*SHARES, "f1", "matthews_corrcoef"):
        whole = count_metric_interval(metric, **CELLS)
        half = count_metric_interval(metric, **{name: n / 2 for name, n in CELLS.items()})
        assert half.estimate == pytest.approx(whole.estimate, rel=1e-15)
        assert half.standard_error == pytest.approx(whole.standard_error * math.sqrt(2), rel=1e-14)
        assert ends(half)[0] < ends(whole)[0] < ends(whole)[1] < ends(half)[1]


def test_coverage(rng: np.random.Generator) -> None:
    """100 rows, a fifth of them positive, sensitivity and specificity 0.8: 2,000 tables."""
    shares = np.array([0.16, 0.16, 0.04, 0.64])
    truth = {
        "f1": 2 * 0.16 / (2 * 0.16 + 0.20),
        "matthews_corrcoef": (0.16 * 0.64 - 0.16 * 0.04) / math.sqrt(0.32 * 0.2 * 0.68 * 0.8),
    }
    tables = rng.multinomial(100, shares, size=2000).tolist()
    for metric, value in truth.items():
        inside = [
            low <= value <= high
            for low, high in (ends(count_metric_interval(metric, **named(t))) for t in tables)
        ]
        assert 0.935 < np.mean(inside) < 0.97
