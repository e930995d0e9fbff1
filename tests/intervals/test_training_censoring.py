"""The share not censored of other rows: by the definition, known to intervals, its faults."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from reference import concordance_oracle, survival_oracle as oracle

SHORTER: Any = {"higher_score_means": "shorter-time"}
TIMES = [2, 4, 5]
LAST = (9, True)  # somebody is followed to the end
quiet = pytest.mark.filterwarnings(
    *(f"ignore::fastmetrics.{name}Warning" for name in ("UndefinedMetric", "DegenerateData")),
    "ignore:the weights leave:fastmetrics.errors.SmallSampleWarning",
)
others = st.lists(st.tuples(st.integers(0, 8), st.booleans()), max_size=12)
rows = st.lists(
    st.tuples(
        *(st.integers(0, 6), st.booleans(), st.integers(-2, 2), st.integers(1, 8)),
        st.tuples(*3 * [st.sampled_from([0.0, 0.25, 0.5, 1.0])]),
    ),
    min_size=1,
    max_size=12,
)


def same(found: Any, right: Any) -> None:
    wanted = [math.nan if each is None else float(each) for each in right]
    assert np.ravel(found).tolist() == pytest.approx(wanted, rel=1e-12, abs=1e-15, nan_ok=True)


@quiet
@given(rows=rows, others=others, is_weighted=st.booleans())
def test_every_row_in_fractions(rows, others, is_weighted) -> None:
    time, event, score, weights, survival = (list(each) for each in zip(*rows, strict=True))
    of = [list(each) for each in zip(*others, LAST, strict=True)]
    used = weights if is_weighted else None
    more: Any = {"times": TIMES, "sample_weight": used, "censoring": of}
    found = fm.concordance.cumulative_dynamic_auc(time, event, score, **more, **SHORTER)
    right = [oracle.auc(time, event, score, t, used, of) for t in TIMES]
    same(found.estimate, right)
    if None not in right:
        same(float(found.integrated), [oracle.mean_auc(time, event, score, TIMES, used, of)])
    errors = fm.concordance.survival_brier_score(time, event, survival, **more)
    by_time = list(zip(*survival, strict=True))
    same(
        errors.estimate,
        [oracle.brier(time, event, by_time[k], t, used, of) for k, t in enumerate(TIMES)],
    )
    for weighting in ("uno", "uno-scikit-survival"):
        value = fm.concordance.concordance_index(
            *(time, event, score),
            weighting=weighting,
            censoring=of,
            sample_weight=used,
            **SHORTER,
        )
        expected = concordance_oracle.index(time, event, score, used, weighting=weighting, of=of)
        assert value == pytest.approx(expected, rel=1e-12, nan_ok=True)


def followed(seed: int = 1, n: int = 60) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    score, ends = rng.normal(size=n), rng.exponential(12.0, n)
    time = rng.exponential(8 * np.exp(-score))
    of = np.append(np.minimum(rng.exponential(8.0, 40), 20.0), 30.0), rng.random(41) < 0.6
    of[1][-1] = True
    return np.minimum(time, ends), time <= ends, score, rng.random((n, 3)), of


def test_it_is_what_scikit_survival_takes() -> None:
    """Its weights are of G(T), not of G(T-): the same where no two rows share a time."""
    metrics = pytest.importorskip("sksurv.metrics")
    time, event, score, survival, of = followed()
    kind = [("event", bool), ("time", float)]
    train, test = (
        np.array(list(zip(e, t, strict=True)), dtype=kind) for t, e in (of, (time, event))
    )
    found = fm.concordance.cumulative_dynamic_auc(
        time, event, score, times=TIMES, censoring=of, **SHORTER
    )
    right, mean = metrics.cumulative_dynamic_auc(train, test, score, TIMES)
    assert found.estimate == pytest.approx(right, rel=1e-12)
    assert float(found.integrated) == pytest.approx(mean, rel=1e-12)
    found = fm.concordance.survival_brier_score(time, event, survival, times=TIMES, censoring=of)
    assert found.estimate == pytest.approx(
        metrics.brier_score(train, test, survival, TIMES)[1], rel=1e-12
    )
    index = fm.concordance.concordance_index(
        time, event, score, weighting="uno-scikit-survival", censoring=of, tau=10.0, **SHORTER
    )
    right = metrics.concordance_index_ipcw(train, test, score, tau=10.0)[0]
    assert index == pytest.approx(right, rel=1e-12)


def test_the_share_of_others_is_known() -> None:
    """Errors are of the derivatives by the rows' weights, the weights of others staying."""
    time, event, score, survival, of = (
        each.tolist() if isinstance(each, np.ndarray) else tuple(part.tolist() for part in each)
        for each in followed(2, 20)
    )
    given: Any = {"times": TIMES, "censoring": of}
    by_time = list(zip(*survival, strict=True))
    found = fm.concordance.cumulative_dynamic_auc(time, event, score, **given, **SHORTER)
    values: list[Any] = [
        lambda w, t=t: float(oracle.auc(time, event, score, t, w, of)) for t in TIMES
    ]
    values.append(lambda w: float(oracle.mean_auc(time, event, score, TIMES, w, of)))
    errors = [*found.standard_error, found.integrated.standard_error]
    found = fm.concordance.survival_brier_score(time, event, survival, **given)
    values += [
        lambda w, k=k: float(oracle.brier(time, event, by_time[k], TIMES[k], w, of))
        for k in range(3)
    ]
    errors += list(found.standard_error)
    n = len(time)
    for value, error in zip(values, errors, strict=True):
        by_row = concordance_oracle.influences(value, [1] * n)
        assert error == pytest.approx(math.sqrt(sum(x * x for x in by_row) * n / (n - 1)), rel=1e-6)


@pytest.mark.parametrize("name", ["cumulative_dynamic_auc", "survival_brier_score"])
def test_estimate_takes_it_too(name) -> None:
    time, event, score, survival, of = followed(3)
    column, more = (score, SHORTER) if name.startswith("cum") else (survival[:, 0], {})
    found = getattr(fm.concordance, name)(time, event, column, times=4, censoring=of, **more)
    metric = (name, {"time": 4, "censoring": of, **more})
    one = fm.estimate(time, column, event=event, metrics=metric)[name]
    assert one.estimate == found.estimate[0]
    assert one.standard_error == found.standard_error[0]


def test_estimate_of_the_index_takes_it_too() -> None:
    time, event, score, _, of = followed(4)
    rules = {"weighting": "uno", "tau": 10.0, **SHORTER}
    kinds = {name: rules | {"censoring": each} for name, each in (("own", None), ("of", of))}
    metrics = {name: ("concordance_index", kind) for name, kind in kinds.items()}
    found = fm.estimate(time, score, event=event, metrics=metrics)
    for name, kind in kinds.items():
        value = fm.concordance.concordance_index(time, event, score, **kind)
        assert found[name].estimate == pytest.approx(value, rel=1e-12)
    assert found["own"].estimate != found["of"].estimate


def test_faults() -> None:
    time, event, score, survival, _ = followed()
    index, auc, brier = (
        lambda **more: fm.concordance.concordance_index(time, event, score, **more, **SHORTER),
        lambda **more: fm.concordance.cumulative_dynamic_auc(
            time, event, score, times=TIMES, **more, **SHORTER
        ),
        lambda **more: fm.concordance.survival_brier_score(
            time, event, survival, times=TIMES, **more
        ),
    )
    with pytest.raises(ValueError, match="`censoring` is for `weighting='uno'`"):
        index(censoring=([1, 2], [0, 1]))
    short = [1, 2, 3], [0, 1, 0]  # nobody is left at 3
    with pytest.raises(ValueError, match="followed up to the last event: pass `tau`"):
        index(weighting="uno", censoring=short)
    for call in (auc, brier):
        with pytest.raises(ValueError, match="`censoring` has nobody who is followed up to 4"):
            call(censoring=short)
        with pytest.raises(TypeError, match=r"`censoring` must be a pair \(time, event\): got int"):
            call(censoring=3)
        with pytest.raises(ValueError, match=r"`censoring\[0\]` must not be negative"):
            call(censoring=([-1, 2], [0, 1]))
