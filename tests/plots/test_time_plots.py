"""Measures of censored times against time: they show the numbers, and all can be read."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from drawn import curves_on, faults, legend_texts, line
from matplotlib import pyplot as plt
from numpy.testing import assert_array_equal

import fastmetrics as fm

RNG = np.random.default_rng(2)
N = 300
RISK = RNG.normal(size=N)
UNTIL = RNG.exponential(np.exp(-RISK))
LEFT = RNG.exponential(2.0, N)
DATA = (np.minimum(UNTIL, LEFT), UNTIL <= LEFT)
TIMES = np.linspace(0.1, 1.5, 8)


@pytest.fixture(autouse=True)
def _agg():
    mpl.use("Agg")
    yield
    plt.close("all")


def auc(risk: Any = RISK) -> fm.results.TimeDependentMeasure:
    return fm.concordance.cumulative_dynamic_auc(
        *DATA, risk, times=TIMES, higher_score_means="shorter-time"
    )


def brier(risk: Any = RISK) -> fm.results.TimeDependentMeasure:
    return fm.concordance.survival_brier_score(
        *DATA, np.exp(-np.outer(np.exp(risk), TIMES)), times=TIMES
    )


@pytest.mark.parametrize("make", [auc, brier])
def test_two_models_can_be_read_in_a_column_of_a_paper(make) -> None:
    ax = plt.subplots(figsize=(3.15, 3.15), layout="constrained")[1]
    assert make().plot(ax, name="_old") is ax
    guides = len(ax.lines)
    make(RISK + RNG.normal(size=N)).plot(ax, name="5 $ or 6 $", color="black")
    assert len(ax.lines) == guides + 1  # what knows nothing is drawn once
    first, second = curves_on(ax)
    assert second.get_color() == "black"
    assert first.get_marker() != second.get_marker()
    texts = legend_texts(ax)
    assert len(texts) == len(set(texts)) == 3
    found = faults(ax)
    assert found[:2] == ([], [])
    assert not {*texts, "ThinArea"} & set(found.under_legend)


@pytest.mark.parametrize(("make", "known"), [(auc, "chance"), (brier, "the same for everybody")])
def test_what_is_drawn_are_the_numbers(make, known) -> None:
    found = make()
    ax = found.plot()
    said = "AUC" if make is auc else "Brier score"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time", said)
    assert_array_equal(line(ax, said).get_xydata(), np.c_[TIMES, found.estimate])
    assert_array_equal(line(ax, known).get_xydata(), np.c_[TIMES, found.reference])
    (area,) = ax.collections
    corners = {*map(tuple, area.get_paths()[0].vertices)}
    for limit in (found.low, found.high):
        assert {*zip(TIMES, limit, strict=True)} <= corners
    assert ax.get_legend().get_title().get_text() == "95 % band, pointwise"
    low, high = ax.get_ylim()
    assert high > found.high.max()
    assert low < min(0.5, found.low.min()) if make is auc else low == 0.0


def test_undefined_times_leave_gaps() -> None:
    late = [*TIMES[:3], 1e6]
    with pytest.warns(fm.UndefinedMetricWarning, match="undefined at 1 of 4 times"):
        found = fm.concordance.cumulative_dynamic_auc(
            *DATA, RISK, times=late, higher_score_means="shorter-time"
        )
    drawn = line(found.plot(), "AUC").get_ydata()
    assert np.isnan(drawn).tolist() == [False, False, False, True]
