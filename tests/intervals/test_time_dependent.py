"""AUC and Brier score over time: every row in fractions, derivatives, scikit-survival, faults."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from reference import concordance_oracle, survival_oracle as oracle

SHORTER: Any = {"higher_score_means": "shorter-time"}
TIMES = [2, 4, 5]
quiet = pytest.mark.filterwarnings(
    *(f"ignore::fastmetrics.{name}Warning" for name in ("UndefinedMetric", "DegenerateData")),
    "ignore:the weights leave:fastmetrics.errors.SmallSampleWarning",
)

rows = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.booleans(),
        st.integers(-2, 2),
        st.integers(1, 8),
        st.tuples(*3 * [st.sampled_from([0.0, 0.25, 0.5, 1.0])]),
    ),
    min_size=1,
    max_size=14,
)


def same(found: Any, right: Any) -> None:
    wanted = [math.nan if each is None else float(each) for each in right]
    assert found.tolist() == pytest.approx(wanted, rel=1e-12, abs=1e-15, nan_ok=True)


@quiet
@given(rows=rows, is_weighted=st.booleans(), longer=st.booleans())
def test_every_row_in_fractions(rows, is_weighted, longer) -> None:
    time, event, score, weights, survival = (list(each) for each in zip(*rows, strict=True))
    used = weights if is_weighted else None
    risk = [-s for s in score] if longer else score
    means = {"higher_score_means": "longer-time" if longer else "shorter-time"}
    found = fm.concordance.cumulative_dynamic_auc(
        time, event, score, times=TIMES, sample_weight=used, **means
    )
    right = [oracle.auc(time, event, risk, t, used) for t in TIMES]
    same(found.estimate, right)
    if None not in right:
        mean = oracle.mean_auc(time, event, risk, TIMES, used)
        assert float(found.integrated) == pytest.approx(float(mean), rel=1e-12, abs=1e-15)
    else:
        assert math.isnan(float(found.integrated))
    errors = fm.concordance.survival_brier_score(
        time, event, survival, times=TIMES, sample_weight=used
    )
    by_time = list(zip(*survival, strict=True))
    right = [oracle.brier(time, event, by_time[k], t, used) for k, t in enumerate(TIMES)]
    same(errors.estimate, right)
    if None not in right:
        mean = oracle.mean_brier(time, event, survival, TIMES, used)
        assert float(errors.integrated) == pytest.approx(float(mean), rel=1e-12, abs=1e-15)
    assert found.n_events.tolist() == [
        sum(e and u <= t for u, e in zip(time, event, strict=True)) for t in TIMES
    ]
    assert found.n_beyond.tolist() == [sum(u > t for u in time) for t in TIMES]
    left = [oracle.remaining(time, event, t, oracle.shares(used, len(time))) for t in TIMES]
    same(errors.reference, [s * (1 - s) for s in left])
    assert found.reference.tolist() == [0.5] * 3


def censored(rng: np.random.Generator, n: int = 14) -> tuple[Any, Any, Any, Any]:
    score = rng.integers(0, 5, n)
    time = np.minimum(np.ceil(rng.exponential(6 / np.exp(score / 4))), 7).astype(int)
    survival = rng.integers(0, 9, (n, 3)) / 8
    return time.tolist(), (rng.random(n) < 0.6).tolist(), score.tolist(), survival.tolist()


@quiet
@pytest.mark.parametrize("is_weighted", [False, True])
def test_errors_are_sums_of_squared_derivatives(rng, is_weighted) -> None:
    """The shares not censored are estimated too, and for the mean AUC those without the event."""
    time, event, score, survival = censored(rng)
    time[0], event[0] = 9, False
    weights = rng.integers(1, 5, len(time)).tolist() if is_weighted else [1] * len(time)
    given = {"times": TIMES, "sample_weight": weights if is_weighted else None}
    by_time = list(zip(*survival, strict=True))
    found = fm.concordance.cumulative_dynamic_auc(time, event, score, **given, **SHORTER)
    values = [lambda w, t=t: float(oracle.auc(time, event, score, t, w)) for t in TIMES]
    values.append(lambda w: float(oracle.mean_auc(time, event, score, TIMES, w)))
    errors = [*found.standard_error, found.integrated.standard_error]
    found = fm.concordance.survival_brier_score(time, event, survival, **given)
    values += [
        lambda w, k=k: float(oracle.brier(time, event, by_time[k], TIMES[k], w)) for k in range(3)
    ]
    values.append(lambda w: float(oracle.mean_brier(time, event, survival, TIMES, w)))
    errors += [*found.standard_error, found.integrated.standard_error]
    for value, error in zip(values, errors, strict=True):
        by_row = concordance_oracle.influences(value, weights)
        shares = np.array(weights) / sum(weights)
        left = 1 - 2 * (shares**3).sum() / (shares**2).sum() + (shares**2).sum()
        assert error == pytest.approx(math.sqrt(sum(x * x for x in by_row) / left), rel=1e-6)


def test_limits_are_symmetric_on_the_logit_scale(rng) -> None:
    time, event, score, survival = censored(rng, 80)
    for found in (
        fm.concordance.cumulative_dynamic_auc(
            time, event, score, times=TIMES, confidence_level=0.9, **SHORTER
        ),
        fm.concordance.survival_brier_score(
            time, event, survival, times=TIMES, confidence_level=0.9
        ),
    ):
        value = found.estimate
        half = 1.6448536269514722 * found.standard_error / (value * (1 - value))
        reach: list[Any] = []
        for limit, way in ((found.low, -1), (found.high, 1)):
            far = way * (np.log(limit / (1 - limit)) - np.log(value / (1 - value)))
            reach.append(far)
            assert ((half < far) & (far < 1.3 * half)).all()  # Student's t
        assert reach[0] == pytest.approx(reach[1], rel=1e-9)


def test_without_censoring_it_is_auc_to_the_bit_and_the_mean_squared_error(rng) -> None:
    time, score = rng.integers(0, 50, 3_000), np.round(rng.normal(size=3_000), 1)
    found = fm.concordance.cumulative_dynamic_auc(
        time, np.ones(3_000), score, times=[10, 30], **SHORTER
    )
    survival = rng.random((3_000, 2))
    errors = fm.concordance.survival_brier_score(time, np.ones(3_000), survival, times=[10, 30])
    for k, t in enumerate((10, 30)):
        assert found.estimate[k] == fm.roc_auc_score(time <= t, score)
        right = fm.brier_score_loss(time > t, survival[:, k])
        assert errors.estimate[k] == pytest.approx(right, rel=1e-13)


def test_is_scikit_survival(rng) -> None:
    metrics = pytest.importorskip("sksurv.metrics")
    n, times = 300, [3.0, 7.0, 12.0]
    until = np.ceil(rng.exponential(20.0, n))
    left = np.ceil(rng.exponential(30.0, n)) + 0.5  # ties, but of events with events alone
    time, event = np.minimum(until, left), until <= left
    score = np.round(rng.normal(size=n) - until / 20, 1)
    survival = rng.random((n, 3))
    seen = np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])
    for scores in (score, np.column_stack((score, -score, score**2))):
        right, mean = metrics.cumulative_dynamic_auc(seen, seen, scores, times)
        found = fm.concordance.cumulative_dynamic_auc(time, event, scores, times=times, **SHORTER)
        assert found.estimate == pytest.approx(right, rel=1e-12)
        assert float(found.integrated) == pytest.approx(mean, rel=1e-12)
    found = fm.concordance.survival_brier_score(time, event, survival, times=times)
    right = metrics.brier_score(seen, seen, survival, times)[1]
    assert found.estimate == pytest.approx(right, rel=1e-12)
    mean = metrics.integrated_brier_score(seen, seen, survival, times)
    assert float(found.integrated) == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("is_auc", [True, False])
def test_frequencies_are_rows(rng, is_auc) -> None:
    time, event, score, survival = (np.array(each) for each in censored(rng, 50))
    counts = rng.integers(1, 5, 50)

    def call(of: Any, **given: Any) -> Any:
        columns = (of(time), of(event), of(score if is_auc else survival))
        if is_auc:
            return fm.concordance.cumulative_dynamic_auc(*columns, times=TIMES, **SHORTER, **given)
        return fm.concordance.survival_brier_score(*columns, times=TIMES, **given)

    counted = call(lambda each: each, sample_weight=counts, weights_are="frequencies")
    repeated = call(lambda each: np.repeat(each, counts, axis=0))
    for name in ("estimate", "standard_error", "low", "high", "n_events", "n_beyond"):
        assert getattr(counted, name) == pytest.approx(getattr(repeated, name), rel=1e-11)
    assert counted.integrated.standard_error == pytest.approx(
        repeated.integrated.standard_error, rel=1e-11
    )
    assert counted.n_samples == repeated.n_samples == counts.sum()


def test_groups_of_one_row_are_rows_and_copies_tell_nothing_more(rng) -> None:
    time, event, score, _ = censored(rng, 50)
    alone = fm.concordance.cumulative_dynamic_auc(time, event, score, times=TIMES, **SHORTER)
    own = np.arange(50)
    grouped = fm.concordance.cumulative_dynamic_auc(
        time, event, score, times=TIMES, groups=own, **SHORTER
    )
    assert grouped.standard_error == pytest.approx(alone.standard_error, rel=1e-12)
    twice = fm.concordance.cumulative_dynamic_auc(
        time * 2, event * 2, score * 2, times=TIMES, groups=np.tile(own, 2), **SHORTER
    )
    assert twice.estimate == pytest.approx(alone.estimate, rel=1e-13)
    assert twice.standard_error == pytest.approx(grouped.standard_error, rel=1e-12)
    assert twice.n_groups == 50


def test_rows_and_threads_change_no_value(rng) -> None:
    time, event, score, survival = (np.array(each) for each in censored(rng, 3_000))
    order, times = rng.permutation(3_000), [1, 3, 6]
    auc = fm.concordance.cumulative_dynamic_auc(time, event, score, times=times, **SHORTER)
    brier = fm.concordance.survival_brier_score(time, event, survival, times=times)
    moved = (time[order], event[order])
    for threads in (1, 5):
        given: Any = {"times": times, "n_threads": threads}
        again = fm.concordance.cumulative_dynamic_auc(*moved, score[order], **SHORTER, **given)
        assert again.estimate.tolist() == auc.estimate.tolist()
        assert again.standard_error == pytest.approx(auc.standard_error, rel=1e-12)
        assert float(again.integrated) == pytest.approx(float(auc.integrated), rel=1e-14)
        again = fm.concordance.survival_brier_score(*moved, survival[order], **given)
        assert again.estimate.tolist() == brier.estimate.tolist()
        assert again.standard_error == pytest.approx(brier.standard_error, rel=1e-12)


def test_rows_without_weight_are_not_there(rng) -> None:
    time, event, score, _ = censored(rng, 60)
    weights = [1] * 60 + [0] * 3
    far = fm.concordance.cumulative_dynamic_auc(
        *([*time, 9, 20, 20], [*event, True, False, True], [*score, 0, 1, 2]),
        times=TIMES,
        sample_weight=weights,
        **SHORTER,
    )
    near = fm.concordance.cumulative_dynamic_auc(time, event, score, times=TIMES, **SHORTER)
    assert far.estimate.tolist() == near.estimate.tolist()
    assert far.standard_error == pytest.approx(near.standard_error, rel=1e-14)
    assert (far.n_samples, far.n_beyond[0]) == (60, near.n_beyond[0])


def test_undefined_times_are_nan() -> None:
    time, event, score = [2, 3, 3, 4, 5, 5], [0, 1, 1, 1, 0, 0], [4, 1, 5, 3, 2, 4]
    said = "AUC is undefined at 2 of 4 times, first at 2: nobody had the event by then, or is foll"
    with pytest.warns(fm.UndefinedMetricWarning) as caught:
        found = fm.concordance.cumulative_dynamic_auc(
            time, event, score, times=[2, 3, 4, 5], **SHORTER
        )
    assert said in str(caught[0].message)
    assert np.isnan(found.estimate).tolist() == [True, False, False, True]
    assert np.isnan(found.high).tolist()[::3] == [True, True]
    assert math.isnan(float(found.integrated))
    with pytest.warns(fm.UndefinedMetricWarning, match="the Brier score is undefined at 1 of 2"):
        errors = fm.concordance.survival_brier_score(time, event, [[0.5, 0.5]] * 6, times=[3, 5])
    assert errors.estimate[0] == 0.25
    assert math.isnan(errors.estimate[1])


def test_one_time_has_no_mean() -> None:
    found = fm.concordance.cumulative_dynamic_auc(
        [1, 2, 3, 4], [1, 1, 0, 0], [3, 1, 2, 0], times=2, **SHORTER
    )
    assert found.integrated is None
    assert found.estimate.tolist() == [0.75]
    found = fm.concordance.survival_brier_score([1, 2, 3, 4], [1, 1, 0, 0], [0.5, 0, 1, 1], times=2)
    assert found.estimate.tolist() == [0.0625]


def test_a_perfect_order_has_no_interval() -> None:
    with pytest.warns(fm.DegenerateDataWarning, match="interval of the cumulative/dynamic AUC is"):
        found = fm.concordance.cumulative_dynamic_auc(
            [1, 2, 3], [1, 1, 1], [3, 2, 1], times=1, **SHORTER
        )
    assert found.estimate.tolist() == [1.0]
    assert math.isnan(found.low[0])


GOOD: Any = {
    "time": [1, 2, 3],
    "event": [1, 0, 1],
    "score": [3, 2, 1],
    "times": [1, 2],
    **SHORTER,
}


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"time": [-1, 2, 3]}, ValueError, "`time` must not be negative"),
        ({"event": [2, 0, 1]}, ValueError, "`event` must hold 0"),
        ({"score": [1, 2]}, ValueError, "`score`"),
        ({"score": [[1, 2, 3]] * 3}, ValueError, "`score` must have a column for each of `times`"),
        ({"times": [2, 1]}, ValueError, "`times` must rise: got 1.0 at index 1"),
        ({"times": [1, 1]}, ValueError, "`times` must rise: got 1.0 at index 1"),
        ({"times": [-1, 1]}, ValueError, "`times` must not be negative: got -1.0 at index 0"),
        ({"times": [1, math.nan]}, ValueError, "`times` must be finite"),
        ({"times": []}, ValueError, "`times` is empty"),
        ({"higher_score_means": None}, TypeError, "never guessed"),
        ({"confidence_level": 95}, ValueError, "confidence_level"),
    ],
)
def test_faults(changes, error, said) -> None:
    with pytest.raises(error, match=said):
        fm.concordance.cumulative_dynamic_auc(**{**GOOD, **changes})


@pytest.mark.parametrize(
    ("survival", "said"),
    [
        ([0.5, 0.5, 0.5], "`survival` must have a column for each of `times`: 2, got 1"),
        ([[0.5, 0.5, 0.5]] * 3, "`survival` must have a column for each of `times`: 2, got 3"),
        ([[0.5, 1.5]] * 3, r"`survival` must lie in \[0, 1\]"),
        ([[0.5, math.nan]] * 3, "`survival` must be finite"),
    ],
)
def test_faults_of_probabilities(survival, said) -> None:
    with pytest.raises(ValueError, match=said):
        fm.concordance.survival_brier_score([1, 2, 3], [1, 0, 1], survival, times=[1, 2])


def test_what_is_shown(rng) -> None:
    time, event, score, _ = censored(rng, 60)
    found = fm.concordance.cumulative_dynamic_auc(time, event, score, times=TIMES, **SHORTER)
    text = str(found)
    assert "estimate [95 % interval]" in text
    assert "integrated AUC" in text
    frame = found.to_frame("pandas")
    assert frame["time"].tolist() == TIMES
    assert frame["estimate"].tolist() == found.estimate.tolist()


def test_fractions_are_exact() -> None:
    """The oracle itself, by hand: G is 3/4 after the censoring at 2."""
    time, event, risk = [1, 2, 3, 4], [True, False, True, False], [1, 2, 2, 3]
    assert oracle.auc(time, event, risk, 3) == 0
    assert oracle.brier(time, event, [0.5] * 4, 3) == Fraction(1, 4)
