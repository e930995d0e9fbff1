"""The .632 and .632+ rules against published figures and the definition in rational numbers."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from reference import selection_oracle as oracle

FIGURES = json.loads(
    (Path(__file__).parents[1] / "reference" / "reference_values.json").read_text("utf-8")
)["point632plus_formula"]
LOSSES = {"zero-one": oracle.zero_one, "squared": oracle.squared, "absolute": oracle.absolute}

tenths = st.integers(0, 100).map(lambda i: i / 100)


@pytest.mark.parametrize("case", FIGURES)
def test_published_figures(case):
    numbers = case["err"], case["Err1"], case["gamma"]
    assert fm.selection.err632_plus(*numbers) == pytest.approx(case["632plus"], rel=1e-12)
    assert fm.selection.err632(*numbers[:2]) == pytest.approx(case["632"], rel=1e-12)


@pytest.mark.parametrize(
    ("err", "err1", "gamma", "plus"),
    [(0, 0.4, 0.5, 0.3583), (0, 0.6, 0.5, 0.5632), (0.3, 0.2, 0.25, 0.2368)],
)
def test_the_three_cases_of_the_definitions(err, err1, gamma, plus):
    assert fm.selection.err632_plus(err, err1, gamma) == pytest.approx(plus, abs=5e-5)


@given(tenths, tenths, tenths)
def test_the_rule_by_its_definition(err, err1, gamma):
    exact = [Fraction(repr(number)) for number in (err, err1, gamma)]
    assert fm.selection.err632(err, err1) == pytest.approx(
        float(oracle.err632(*exact[:2])), abs=1e-15
    )
    plus = float(oracle.err632_plus(*exact))
    assert fm.selection.err632_plus(err, err1, gamma) == pytest.approx(plus, abs=1e-14)


def test_clipping_inside_632_would_be_another_rule():
    """With err1 clipped everywhere, (0, .6, .5) would be .5, the no-information error itself."""
    assert fm.selection.err632_plus(0.0, 0.6, 0.5) == pytest.approx(0.3792 + 0.5 * 0.368)


@st.composite
def predictions(draw, values):
    n, n_resamples = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    column = st.lists(values, min_size=n, max_size=n)
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    table = st.lists(column, min_size=n_resamples, max_size=n_resamples)
    out = draw(st.lists(flags, min_size=n_resamples, max_size=n_resamples))
    out[0][0] = True
    return draw(column), draw(column), draw(table), out


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("loss", LOSSES)
@given(data=st.data())
def test_predictions_by_the_definition(loss, data):
    values = st.integers(0, 3) if loss == "zero-one" else st.integers(-40, 40).map(lambda i: i / 8)
    y, fitted, resampled, out = data.draw(predictions(values))
    rule = LOSSES[loss]
    err, gamma = oracle.mean_loss(rule, y, fitted), oracle.no_information(rule, y, fitted)
    err1 = oracle.leave_one_out_bootstrap(rule, y, resampled, out)
    found = fm.selection.bootstrap632(y, fitted, resampled, out, loss=loss)
    assert found.err == pytest.approx(float(err), rel=1e-12)
    assert found.err1 == pytest.approx(float(err1), rel=1e-12)
    assert found.gamma == pytest.approx(float(gamma), rel=1e-12, abs=1e-13)
    assert found.err632 == pytest.approx(float(oracle.err632(err, err1)), rel=1e-12)
    plus = float(oracle.err632_plus(err, err1, gamma))
    assert found.err632_plus == pytest.approx(plus, rel=1e-9, abs=1e-12)
    if found.err1 <= found.gamma:  # the plain form of the rule
        plain = (1 - found.weight) * found.err + found.weight * found.err1
        assert found.err632_plus == pytest.approx(plain, rel=1e-9, abs=1e-12)
    assert found.n_resamples == len(out)
    assert found.n_never_out == sum(not any(column) for column in zip(*out, strict=True))
    own = fm.selection.bootstrap632(y, fitted, resampled, out, loss=_by_rows(loss))
    assert own.err632_plus == pytest.approx(found.err632_plus, rel=1e-9, abs=1e-12)


def _by_rows(loss):
    rules = {
        "zero-one": lambda y, r: y != r,
        "squared": lambda y, r: (y - r) ** 2,
        "absolute": lambda y, r: np.abs(y - r),
    }
    return rules[loss]


def test_a_callable_is_called_for_pairs_in_blocks(rng, monkeypatch):
    from fastmetrics.selection.estimates import row_losses

    y, r = rng.normal(size=60), rng.normal(size=60)
    whole = fm.selection.no_information_error(y, r, loss=_by_rows("absolute"))
    for pairs in (200, 50):  # several predictions at a time, or one
        monkeypatch.setattr(row_losses, "_BLOCK", pairs)
        assert fm.selection.no_information_error(y, r, loss=_by_rows("absolute")) == pytest.approx(
            whole
        )
    assert fm.selection.no_information_error(y, r, loss="absolute") == pytest.approx(whole)


def test_closed_forms_do_not_cancel():
    y = 1e9 + np.array([0.0, 1.0, 3.0])
    r = 1e9 + np.array([0.5, 0.5, 1.5])
    for loss in ("squared", "absolute"):
        exact = float(oracle.no_information(LOSSES[loss], y.tolist(), r.tolist()))
        assert fm.selection.no_information_error(y, r, loss=loss) == pytest.approx(exact, rel=1e-12)


def test_err1_is_averaged_by_row_not_by_sample():
    """Row 0 is out of two bags and wrong in both, row 1 of one and right: 1/2, not 2/3."""
    found = fm.selection.bootstrap632(
        [0, 1], [0, 1], [[1, 1], [1, 1]], [[True, True], [True, False]]
    )
    assert found.err1 == 0.5


def test_labels_of_text():
    y, fitted = ["a", "b", "b"], ["a", "b", "c"]
    assert fm.selection.no_information_error(y, fitted) == pytest.approx(1 - 1 / 9 - 2 / 9)
    out = [[True, False, True]]
    found = fm.selection.bootstrap632(y, fitted, [["b", "b", "b"]], out_of_bag=[[True, True, True]])
    assert found.err1 == pytest.approx(1 / 3)
    with pytest.warns(fm.DegenerateDataWarning, match="1 of 3 rows are in all samples"):
        found = fm.selection.bootstrap632(y, fitted, [["b", "b", "b"]], out)
    assert (found.err1, found.n_never_out) == (0.5, 1)


def test_no_row_out_of_a_bag():
    with pytest.warns(fm.UndefinedMetricWarning, match="err1 is not defined"):
        found = fm.selection.bootstrap632([0, 1], [0, 1], [[0, 1]], [[False, False]])
    assert math.isnan(found.err1)
    assert math.isnan(found.err632_plus)
    assert math.isnan(found.relative_overfitting_rate)


def test_result_shows_and_converts():
    found = fm.selection.bootstrap632([0, 1], [0, 1], [[1, 1]], [[True, True]])
    assert repr(found).startswith("Bootstrap632(err632=0.316, err632_plus=0.5, err=0, err1=0.5")
    assert found.to_dict()["gamma"] == 0.5
    assert "err632 plus" in found._repr_html_()
    assert json.dumps(found.to_dict())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: fm.selection.err632("a", 0.1), TypeError, "`err` must be a number"),
        (
            lambda: fm.selection.err632(0.1, math.nan),
            ValueError,
            "`err1` must be a finite number: got nan",
        ),
        (
            lambda: fm.selection.err632_plus(0.1, 0.2, math.inf),
            ValueError,
            "`gamma` must be a finite",
        ),
        (lambda: fm.selection.no_information_error([0, 1], [0]), ValueError, "lengths differ"),
        (
            lambda: fm.selection.no_information_error([0, 1], ["a", "b"]),
            TypeError,
            "`y_true` holds numbers",
        ),
        (
            lambda: fm.selection.no_information_error([0], [0], loss="hinge"),
            ValueError,
            "`loss` must be one",
        ),
        (
            lambda: fm.selection.no_information_error([0], [0], loss=3),
            TypeError,
            "a name or a callable",
        ),
        (
            lambda: fm.selection.no_information_error(["a"], ["b"], loss="squared"),
            TypeError,
            "`y_true` must hold numbers for loss='squared'",
        ),
        (
            lambda: fm.selection.no_information_error([1.0], [math.nan], loss="squared"),
            ValueError,
            "`y_pred` must be finite",
        ),
        (
            lambda: fm.selection.no_information_error(
                [1.0, 2.0], [1.0, 1.0], loss=lambda y, r: 1.0
            ),
            ValueError,
            r"one number for each of the 4 rows: got shape \(\)",
        ),
        (
            lambda: fm.selection.no_information_error([1.0], [1.0], loss=lambda y, r: y * np.nan),
            ValueError,
            "must return finite numbers: got nan",
        ),
        (
            lambda: fm.selection.no_information_error([1.0], [1.0], loss=lambda y, r: y * np.inf),
            ValueError,
            "must return finite numbers: got inf",
        ),
        (
            lambda: fm.selection.bootstrap632([0, 1], [0, 1], [[0, 1]], [[1, 0]]),
            TypeError,
            "`out_of_bag` must hold booleans",
        ),
        (
            lambda: fm.selection.bootstrap632([0, 1], [0, 1], [[0]], [[True]]),
            ValueError,
            r"`resampled_predictions` must have shape \(n_resamples, 2\)",
        ),
        (
            lambda: fm.selection.bootstrap632([0, 1], [0, 1], [[0, 1]], [[True, True]] * 2),
            ValueError,
            "as the other has",
        ),
    ],
)
def test_faults(call, error, message):
    with pytest.raises(error, match=message):
        call()
