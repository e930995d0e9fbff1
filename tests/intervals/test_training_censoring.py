"""The share not censored of other rows: by the definition, and its faults."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from reference import concordance_oracle

SHORTER: Any = {"higher_score_means": "shorter-time"}
LAST = (9, True)  # somebody is followed to the end
others = st.lists(st.tuples(st.integers(0, 8), st.booleans()), max_size=12)
rows = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.integers(-2, 2), st.integers(1, 8)),
    min_size=1,
    max_size=12,
)


@pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning")
@given(rows=rows, others=others, is_weighted=st.booleans())
def test_every_row_in_fractions(rows, others, is_weighted) -> None:
    time, event, score, weights = (list(each) for each in zip(*rows, strict=True))
    of = [list(each) for each in zip(*others, LAST, strict=True)]
    used = weights if is_weighted else None
    for weighting in ("uno", "uno-scikit-survival"):
        value = fm.concordance.concordance_index(
            *(time, event, score), weighting=weighting, censoring=of, sample_weight=used, **SHORTER
        )
        expected = concordance_oracle.index(time, event, score, used, weighting=weighting, of=of)
        assert value == pytest.approx(expected, rel=1e-12, nan_ok=True)


def followed(seed: int = 1, n: int = 60) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    score, ends = rng.normal(size=n), rng.exponential(12.0, n)
    time = rng.exponential(8 * np.exp(-score))
    of = np.append(np.minimum(rng.exponential(8.0, 40), 20.0), 30.0), rng.random(41) < 0.6
    of[1][-1] = True
    return np.minimum(time, ends), time <= ends, score, of


def test_it_is_what_scikit_survival_takes() -> None:
    metrics = pytest.importorskip("sksurv.metrics")
    time, event, score, of = followed()
    kind = [("event", bool), ("time", float)]
    train, test = (
        np.array(list(zip(e, t, strict=True)), dtype=kind) for t, e in (of, (time, event))
    )
    index = fm.concordance.concordance_index(
        time, event, score, weighting="uno-scikit-survival", censoring=of, tau=10.0, **SHORTER
    )
    right = metrics.concordance_index_ipcw(train, test, score, tau=10.0)[0]
    assert index == pytest.approx(right, rel=1e-12)


def test_estimate_of_the_index_takes_it_too() -> None:
    time, event, score, of = followed(4)
    rules = {"weighting": "uno", "tau": 10.0, **SHORTER}
    kinds = {name: rules | {"censoring": each} for name, each in (("own", None), ("of", of))}
    metrics = {name: ("concordance_index", kind) for name, kind in kinds.items()}
    found = fm.estimate(time, score, event=event, metrics=metrics)
    for name, kind in kinds.items():
        value = fm.concordance.concordance_index(time, event, score, **kind)
        assert found[name].estimate == pytest.approx(value, rel=1e-12)
    assert found["own"].estimate != found["of"].estimate


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"censoring": ([1, 2], [0, 1])}, "`censoring` is for `weighting='uno'`"),
        # nobody is left at 3
        (
            {"weighting": "uno", "censoring": ([1, 2, 3], [0, 1, 0])},
            "followed up to the last event: pass `tau`",
        ),
        (
            {"weighting": "uno", "censoring": 3},
            r"`censoring` must be a pair \(time, event\): got int",
        ),
        (
            {"weighting": "uno", "censoring": ([-1, 2], [0, 1])},
            r"`censoring\[0\]` must not be negative",
        ),
    ],
)
def test_faults(more: Any, message: str) -> None:
    time, event, score, _ = followed()
    with pytest.raises((TypeError, ValueError), match=message):
        fm.concordance.concordance_index(time, event, score, **more, **SHORTER)
