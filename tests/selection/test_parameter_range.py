"""Values from a range and a step: both ends as stated, every value the nearest double."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import engine_sizes
import fastmetrics as fm


def test_the_textbook_ranges_have_five_values():
    assert fm.selection.parameter_range(0, 0.2, 0.05) == (0.0, 0.05, 0.1, 0.15, 0.2)
    assert fm.selection.parameter_range(0, 1, 0.2, closed="right") == (0.2, 0.4, 0.6, 0.8, 1.0)
    # where floats are multiplied and added, they drift
    assert fm.selection.parameter_range(1, 1.3, 0.1, closed="left") == (1.0, 1.1, 1.2)
    assert len(np.arange(1, 1.3, 0.1)) == 4
    assert fm.selection.parameter_range(0.1, 0.7, 0.1)[2] == 0.3 != 0.1 + 0.1 + 0.1


@pytest.mark.parametrize(
    ("closed", "expected"),
    [("both", (1, 2, 3)), ("left", (1, 2)), ("right", (2, 3)), ("neither", (2,))],
)
def test_ends(closed, expected):
    found = fm.selection.parameter_range(1, 3, 1, closed=closed)
    assert found == expected
    assert all(type(value) is int for value in found)
    floats = fm.selection.parameter_range(1.0, 3, 1, closed=closed)
    assert floats == expected
    assert all(type(value) is float for value in floats)


def test_the_most_values_are_counted_without_the_ends_left_out(monkeypatch):
    engine_sizes.put(monkeypatch, most_values=3)
    assert fm.selection.parameter_range(0, 2, 1) == (0, 1, 2)
    assert fm.selection.parameter_range(0, 3, 1, closed="left") == (0, 1, 2)
    assert fm.selection.parameter_range(0, 4, 1, closed="neither") == (1, 2, 3)
    for ends, closed in (((0, 3, 1), "both"), ((0, 4, 1), "right")):
        with pytest.raises(ValueError, match="`step` must leave at most 3 values: got 4"):
            fm.selection.parameter_range(*ends, closed=closed)


def test_an_end_that_is_not_hit():
    assert fm.selection.parameter_range(0, 1, 0.3) == (0.0, 0.3, 0.6, 0.9)
    assert fm.selection.parameter_range(0, 1, 0.3, closed="left") == (0.0, 0.3, 0.6, 0.9)
    assert fm.selection.parameter_range(2, 2, 1) == (2,)
    assert fm.selection.parameter_range(np.float32(0.1), Decimal("0.3"), np.float64(0.1)) == (
        0.1,
        0.2,
        0.3,
    )


@given(
    st.integers(-50, 50), st.integers(0, 60), st.integers(1, 20), st.sampled_from([1, 8, 10, 1000])
)
def test_against_fractions(start, steps, step, scale):
    stop = start + steps * step
    floats = [number / scale for number in (start, stop, step)]
    for closed, first, last in (("both", 0, steps), ("right", 1, steps), ("left", 0, steps - 1)):
        expected = [float(Fraction(start + i * step, scale)) for i in range(first, last + 1)]
        if expected:
            assert list(fm.selection.parameter_range(*floats, closed=closed)) == expected
        else:
            with pytest.raises(ValueError, match="no value lies in"):
                fm.selection.parameter_range(*floats, closed=closed)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((0, 1, 0), {}, ValueError, "`step` must be positive: got 0"),
        ((1, 0, 0.1), {}, ValueError, "`start` must not exceed `stop`: got 1 and 0"),
        ((0, 1, 1e-9), {}, ValueError, "at most 10,000,000 values: got 1,000,000,001"),
        ((0, 1, 2), {"closed": "neither"}, ValueError, r"no value lies in \(0, 1\) by 2"),
    ],
)
def test_faults(arguments, options, error, message):
    with pytest.raises(error, match=message):
        fm.selection.parameter_range(*arguments, **options)
