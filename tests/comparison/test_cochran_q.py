"""Cochran's Q against its definition, all arrangements, and statsmodels."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from statsmodels.stats.contingency_tables import cochrans_q

import engine_sizes
import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning
from reference import paired_tests_oracle as oracle


def rows_of(n_models: int, n: int, rng: np.random.Generator) -> np.ndarray:
    return (rng.random((n, n_models)) < np.linspace(0.4, 0.8, n_models)).astype(int)


@st.composite
def matrices(draw):
    n_models = draw(st.integers(2, 4))
    row = st.lists(st.integers(0, 1), min_size=n_models, max_size=n_models)
    return draw(st.lists(row, min_size=1, max_size=7 if n_models < 4 else 5))


@given(matrices())
def test_definition_and_every_arrangement(rows):
    expected = oracle.cochran_q(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        test = fm.comparison.cochran_q_test(rows)
        exact = fm.comparison.cochran_q_test(rows, method="permutation")
    assert test.statistic == exact.statistic == pytest.approx(float(expected), rel=1e-12)
    assert exact.pvalue == pytest.approx(float(oracle.cochran_pvalue(rows)), rel=1e-12)
    assert exact.method.endswith("exact permutation")
    assert 0 <= test.effect_size <= 1 + 1e-12


@pytest.mark.parametrize("n_models", [2, 3, 7, 40])
def test_statsmodels(n_models, rng):
    rows = rows_of(n_models, 300, rng)
    peer = cochrans_q(rows)
    test = fm.comparison.cochran_q_test(rows)
    assert test.statistic == pytest.approx(peer.statistic, rel=1e-12)
    assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-10, abs=1e-300)
    assert test.df == n_models - 1
    assert test.reject == (test.statistic >= test.critical_value)
    assert test.better == f"model {rows.sum(axis=0).argmax()}"


def test_two_models_are_mcnemar(rng):
    rows = rows_of(2, 80, rng)
    e10 = int(np.sum(rows[:, 0] > rows[:, 1]))
    e01 = int(np.sum(rows[:, 0] < rows[:, 1]))
    chi2 = fm.comparison.mcnemar_test(e01=e01, e10=e10, method="uncorrected")
    test = fm.comparison.cochran_q_test(rows)
    assert (test.statistic, test.pvalue) == pytest.approx((chi2.statistic, chi2.pvalue))
    exact = fm.comparison.mcnemar_test(e01=e01, e10=e10, method="exact")
    assert fm.comparison.cochran_q_test(rows, method="permutation").pvalue == pytest.approx(
        exact.pvalue
    )


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, float])
@pytest.mark.parametrize("order", ["C", "F"])
def test_layout_and_dtype_do_not_matter(dtype, order, rng):
    rows = rows_of(5, 1003, rng)
    whole = fm.comparison.cochran_q_test(rows)
    assert (
        fm.comparison.cochran_q_test(np.array(rows, dtype=dtype, order=order)).to_dict()
        == whole.to_dict()
    )


def test_predictions_of_any_labels(rng):
    y = rng.integers(0, 4, 200)
    predicted = [np.where(rng.random(200) < q, y, (y + 1) % 4) for q in (0.5, 0.7, 0.9)]
    expected = fm.comparison.cochran_q_test(np.column_stack([y == p for p in predicted]))
    assert (
        fm.comparison.cochran_q_test(y_true=y, predictions=predicted).to_dict()
        == expected.to_dict()
    )
    words = np.array(["ant", "bee", "cat", "dog"])
    named = {f"m{i}": pd.Series(words[p]) for i, p in enumerate(predicted)}
    test = fm.comparison.cochran_q_test(y_true=words[y], predictions=named)
    assert (test.statistic, test.better) == (expected.statistic, "m2")
    assert test.details["accuracy m2"] == np.mean(y == predicted[2])
    renamed = fm.comparison.cochran_q_test(
        y_true=words[y], predictions=named, names=["x", "y", "z"]
    )
    assert renamed.better == "z"


@pytest.mark.parametrize("method", ["chi2", "permutation"])
@pytest.mark.parametrize("rows", [[[1, 1, 1], [0, 0, 0]], [[1, 1, 1]], [[0, 0, 0]]])
def test_models_that_never_differ(rows, method):
    with pytest.warns(DegenerateDataWarning, match="Q is 0 and p is 1"):
        test = fm.comparison.cochran_q_test(rows, method=method)
    assert (test.statistic, test.pvalue, test.reject, test.better) == (0, 1, False, None)


def test_random_permutations_agree_with_the_exact_p(rng, monkeypatch):
    rows = rows_of(4, 12, rng)
    exact = fm.comparison.cochran_q_test(rows, method="permutation")
    engine_sizes.put(monkeypatch, cochran_steps=10)
    for patterns in (1 << 12, 1):  # by patterns, and row by row
        engine_sizes.put(monkeypatch, cochran_patterns=patterns)
        options = {"method": "permutation", "n_resamples": 4000, "rng": 1}
        test = fm.comparison.cochran_q_test(rows, **options)
        assert test.method.endswith("random permutation")
        error = np.sqrt(exact.pvalue * (1 - exact.pvalue) / 4000)
        assert abs(test.pvalue - exact.pvalue) < 4 * error + 1 / 4000
        assert fm.comparison.cochran_q_test(rows, **options).pvalue == test.pvalue
        assert Fraction(test.pvalue).limit_denominator(4001) * 4001 == round(test.pvalue * 4001)


def test_many_rows_by_patterns(rng):
    rows = rng.integers(0, 2, (100_000, 5))
    chi2 = fm.comparison.cochran_q_test(rows)
    test = fm.comparison.cochran_q_test(rows, method="permutation", n_resamples=2000, rng=2)
    assert test.pvalue == pytest.approx(chi2.pvalue, abs=0.05)  # chi2 is right for so many rows


@pytest.mark.parametrize(
    ("given_", "error", "match"),
    [
        ({}, ValueError, "pass either `correct`, or `y_true` and `predictions`"),
        ({"correct": [[1, 0]], "y_true": [1]}, ValueError, "pass either"),
        ({"y_true": [1]}, ValueError, "pass either"),
        ({"correct": [[1], [0]]}, ValueError, "two columns or more"),
        ({"correct": [[1, 2], [0, 1]]}, ValueError, "`correct` must be an indicator matrix"),
        ({"correct": [1, 0]}, ValueError, "`correct` must be an indicator matrix"),
        ({"y_true": [1], "predictions": {"a": [1]}}, ValueError, "two models or more: got 1"),
        ({"y_true": [1], "predictions": "ab"}, TypeError, "`predictions` must be a mapping"),
        (
            {"y_true": [1, 0], "predictions": {"a": [1, 0], "b": [1]}},
            ValueError,
            r"lengths differ: .*`predictions\['b'\]` has 1 rows",
        ),
        ({"correct": [[1, 0]], "names": ["a"]}, ValueError, "`names` must be 2 distinct texts"),
        ({"correct": [[1, 0]], "method": "exact"}, ValueError, "`method` must be one of"),
        ({"correct": [[1, 0]], "n_resamples": 0}, ValueError, "`n_resamples` must be at least 1"),
    ],
)
def test_faults(given_, error, match):
    with pytest.raises(error, match=match):
        fm.comparison.cochran_q_test(**given_)
