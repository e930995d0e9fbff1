"""Rank correlation and the concordance index: every pair, peers, R's figures, faults."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from reference import concordance_oracle as oracle

#: The aml data of R's survival, the maintained arm, with the scores and weights of its tests.
TIME = [9, 13, 13, 18, 23, 28, 31, 34, 45, 48, 161]
EVENT = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
SCORE = [1, 6, 2, 7, 3, 7, 3, 8, 4, 4, 5]
WEIGHTS = [1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 1]
LONGER: Any = {"higher_score_means": "longer-time"}
SHORTER: Any = {"higher_score_means": "shorter-time"}

values = st.integers(-3, 3)
weighed = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), values, st.integers(1, 8)), min_size=1, max_size=14
)


# --- pairs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "options", "why"),
    [
        (
            fm.concordance.kendall_tau,
            {},
            "Kendall's tau-b is undefined: all values of one side tie",
        ),
        (
            fm.concordance.kendall_tau,
            {"variant": "c"},
            "tau-c is undefined: all values of one side tie",
        ),
        (fm.concordance.somers_d, {}, "undefined: all values of the outcome tie"),
        (fm.concordance.goodman_kruskal_gamma, {}, "gamma is undefined: every pair ties"),
        (fm.concordance.spearman_rho, {}, "rho is undefined: all values of one side tie"),
    ],
)
def test_ties_alone_are_nan(function, options, why) -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match=why):
        assert math.isnan(function([1, 1, 1], [1, 2, 3], **options))


def test_perfect_agreement_is_exactly_1(rng) -> None:
    for n in (3, 1_000, 4_099):
        outcome = np.append(0, rng.integers(1, n // 2 + 2, n))
        for function in (
            fm.concordance.kendall_tau,
            fm.concordance.somers_d,
            fm.concordance.spearman_rho,
            fm.concordance.goodman_kruskal_gamma,
        ):
            assert function(outcome, 3.5 * outcome) == 1.0
            assert function(outcome, -outcome) == -1.0


def test_large_integers_keep_their_order() -> None:
    assert fm.concordance.kendall_tau([1, 2, 3], [2**60, 2**60 + 1, 2**60 + 2]) == 1.0


# --- the concordance index -----------------------------------------------------------------------


def columns(rows: Any) -> tuple[list[int], list[bool], list[int], list[int]]:
    time, event, score, weights = map(list, zip(*rows, strict=True))
    return time, event, score, weights


@given(
    rows=weighed, tau=st.sampled_from([None, 3, 5]), half=st.booleans(), is_weighted=st.booleans()
)
@pytest.mark.parametrize("weighting", ["harrell", "uno"])
def test_index_is_what_every_pair_says(weighting, rows, tau, half, is_weighted) -> None:
    time, event, score, weights = columns(rows)
    given_weights = weights if is_weighted else None
    options = {"weighting": weighting, "tau": tau, "ties_in_score": "half" if half else "excluded"}
    right = oracle.index(time, event, score, given_weights, half=half, tau=tau, weighting=weighting)
    call = {**SHORTER, **options, "sample_weight": given_weights}
    if math.isnan(right):
        with pytest.warns(fm.UndefinedMetricWarning, match="no pair of times is"):
            assert math.isnan(fm.concordance.concordance_index(time, event, score, **call))
        return
    found = fm.concordance.concordance_index(time, event, score, **call)
    assert found == (right if weighting == "harrell" else pytest.approx(right, rel=1e-12))
    turned = fm.concordance.concordance_index(
        time, event, [-s for s in score], **{**call, **LONGER}
    )
    assert turned == found


def test_figures_of_r() -> None:
    """Of tests/concordance2.R of survival: counts 24, 14, 2, and 91, 70, 7 with case weights."""
    assert oracle.index_pairs(TIME, EVENT, [-s for s in SCORE]) == (24, 14, 2)
    assert fm.concordance.concordance_index(TIME, EVENT, SCORE, **LONGER) == 25 / 40
    found = fm.concordance.concordance_index(TIME, EVENT, SCORE, sample_weight=WEIGHTS, **LONGER)
    assert found == (91 + 3.5) / 168


def lung() -> tuple[Any, Any, Any]:
    """Return time, event and ph.ecog of R's lung data where it is known."""
    datasets = pytest.importorskip("lifelines.datasets")
    data = datasets.load_lung().dropna(subset=["ph.ecog"])
    event = data["status"].to_numpy()
    return data["time"].to_numpy(), event == event.max(), data["ph.ecog"].to_numpy()


def test_figures_of_r_on_lung() -> None:
    """Of the same file: concordant 8392, discordant 4258, tied 7137."""
    time, event, score = lung()
    found = fm.concordance.concordance_index(time, event, score, **SHORTER)
    assert found == (8392 + 7137 / 2) / (8392 + 4258 + 7137)


def survival(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    time = np.ceil(rng.exponential(20.0, n))
    return time, rng.random(n) < 0.6, np.round(rng.normal(size=n) - time / 20, 1)


def test_is_lifelines(rng) -> None:
    utils = pytest.importorskip("lifelines.utils")
    time, event, score = survival(rng, 300)
    right = utils.concordance_index(time, score, event)
    assert fm.concordance.concordance_index(time, event, score, **LONGER) == pytest.approx(
        right, rel=1e-12
    )


def test_is_scikit_survival(rng) -> None:
    metrics = pytest.importorskip("sksurv.metrics")
    time, event, score = survival(rng, 300)
    right = metrics.concordance_index_censored(event, time, score)[0]
    assert fm.concordance.concordance_index(time, event, score, **SHORTER) == pytest.approx(
        right, rel=1e-12
    )
    rows = np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])
    for tau in (None, 25.0):
        right = metrics.concordance_index_ipcw(rows, rows, score, tau=tau)[0]
        options = {"weighting": "uno-scikit-survival", "tau": tau}
        found = fm.concordance.concordance_index(time, event, score, **SHORTER, **options)
        assert found == pytest.approx(right, rel=1e-12)


def test_without_censoring_it_is_somers_d(rng) -> None:
    time, score = rng.integers(0, 50, 400), rng.integers(0, 20, 400)
    found = fm.concordance.concordance_index(time, np.ones(400), score, **LONGER)
    assert 2 * found - 1 == pytest.approx(fm.concordance.somers_d(time, score), abs=1e-15)


@pytest.mark.parametrize(
    ("changes", "error", "said"), [({"higher_score_means": None}, TypeError, "never guessed")]
)
def test_faults(changes, error, said) -> None:
    call = {"time": TIME, "event": EVENT, "score": SCORE, **LONGER, **changes}
    with pytest.raises(error, match=said):
        fm.concordance.concordance_index(**call)


@pytest.mark.parametrize("event", [[0] * 11, [False] * 10 + [True]])
def test_no_comparable_pair(event) -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="no pair of times is comparable"):
        assert math.isnan(fm.concordance.concordance_index(TIME, event, SCORE, **LONGER))


def test_ties_alone_may_be_left_out() -> None:
    data = ([1, 2, 3], [1, 1, 1], [5, 5, 5])
    assert fm.concordance.concordance_index(*data, **LONGER) == 0.5
    with pytest.warns(fm.UndefinedMetricWarning, match="no pair of times is of different scores"):
        assert math.isnan(
            fm.concordance.concordance_index(*data, ties_in_score="excluded", **LONGER)
        )


def test_a_share_of_0_is_refused() -> None:
    data = ([1, 2, 3, 3], [1, 1, 1, 0], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="at the last one it is 0: pass `tau`"):
        fm.concordance.concordance_index(*data, weighting="uno-scikit-survival", **LONGER)
    found = fm.concordance.concordance_index(
        *data, weighting="uno-scikit-survival", tau=3, **LONGER
    )
    assert found == 1.0
