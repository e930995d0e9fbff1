"""``DecayedBinnedScoreTable``: weights that fall by half, against each row's own weight."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from binned_samples import BITS, COARSE, FAULTS, VALUES
from hypothesis import given, strategies as st
from travels import in_threads

import engine_sizes
from fastmetrics import average_precision_score, ks_statistic, roc_auc_score
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.streams import BinLayout, BinnedScoreTable, DecayedBinnedScoreTable
from fastmetrics.tables.binned import _rows
from reference import bin_oracle

BATCHES = st.lists(
    st.lists(st.tuples(st.integers(0, 1), st.sampled_from(VALUES)), min_size=1, max_size=12),
    min_size=1,
    max_size=8,
)
FORMS = {
    "coarse": (COARSE, 0),
    "bits": (BITS, 0),
    "bins after three": (COARSE, 3),
    "learnt of three": (None, 3),
    "rows": (None, 100),
}


def weights_of(batches: Any, half_life: float, per: str) -> list[float]:
    """Return the weight of each row, from exact ages."""
    if per == "batch":
        ages = [len(batches) - 1 - k for k, batch in enumerate(batches) for _ in batch]
    else:
        n = sum(map(len, batches))
        ages = list(range(n - 1, -1, -1))
    return [2.0 ** -float(Fraction(age) / Fraction(half_life)) for age in ages]


def auc(labels: Any, scores: Any, weights: Any) -> Fraction:
    rows = [
        (y, s, Fraction(w)) for y, s, w in zip(labels, scores, weights, strict=True) if w >= 2**-250
    ]
    positives, negatives = ([r[1:] for r in rows if r[0] == c] for c in (1, 0))
    pairs = sum(
        p * n * (Fraction(s > t) + Fraction(int(s == t), 2))
        for s, p in positives
        for t, n in negatives
    )
    return pairs / (sum(p for _, p in positives) * sum(n for _, n in negatives))


def groups_of(labels: Any, scores: Any, weights: Any) -> list[Any]:
    """Return the weights of both classes at each distinct score, the highest first."""
    held = {score: [Fraction(0), Fraction(0)] for score in sorted(set(scores), reverse=True)}
    for label, score, weight in zip(labels, scores, weights, strict=True):
        if weight >= 2**-250:
            held[score][1 - label] += Fraction(weight)
    return [tuple(each) for each in held.values() if sum(each)]


@pytest.mark.parametrize("form", FORMS)
@given(
    batches=BATCHES,
    half_life=st.sampled_from([1, 2, 3.7, 0.3, 50, 1e9]),
    per=st.sampled_from(["row", "batch"]),
)
def test_rows_weigh_by_their_age(form: str, batches: Any, half_life: float, per: Any) -> None:
    layout, first_rows = FORMS[form]
    lately = DecayedBinnedScoreTable(half_life, layout, first_rows=first_rows, per=per)
    for batch in batches:
        lately.update(*zip(*batch, strict=True))
    rows = [row for batch in batches for row in batch]
    labels, scores = (np.array(each) for each in zip(*rows, strict=True))
    weights = np.array(weights_of(batches, half_life, per))
    table = lately.table
    assert lately.n_seen == len(rows)
    assert table.is_weighted
    assert table.n_positive == pytest.approx(weights[labels == 1].sum(), rel=1e-13)
    assert table.n_negative == pytest.approx(weights[labels == 0].sum(), rel=1e-13)
    fresh = BinnedScoreTable(table.layout, first_rows=0 if table._state.bins else 100)
    fresh.update(labels, scores, weights)
    mine, theirs = table._columns(), fresh._columns()
    np.testing.assert_allclose(mine.positives, theirs.positives, rtol=1e-13)
    np.testing.assert_allclose(mine.negatives, theirs.negatives, rtol=1e-13)
    np.testing.assert_array_equal(mine.is_sure, theirs.is_sure)
    if min(table.n_positive, table.n_negative) > 0:
        found = table.roc_auc()
        exact = auc(labels.tolist(), scores.tolist(), weights.tolist())
        assert Fraction(found.low) <= exact <= Fraction(found.high)
        tops = groups_of(labels.tolist(), scores.tolist(), weights.tolist())
        for found, exact in (
            (table.average_precision(), bin_oracle.average_precision(tops)),
            (table.ks_statistic(), bin_oracle.ks_statistic(tops)),
        ):
            assert Fraction(found.low) <= exact <= Fraction(found.high)
    assert BinnedScoreTable.from_bytes(table.to_bytes()) == table
    assert lately.copy() == lately


def test_limits_hold_after_a_long_stream(rng: Any) -> None:
    """A bin's error is bounded by the weight of all rows, not by their number."""
    n, half_life = 200_000, 700.5
    labels, scores = rng.integers(0, 2, n), np.round(rng.normal(size=n), 1)
    lately = DecayedBinnedScoreTable(half_life, BinLayout.learn(scores), first_rows=0)
    for part in np.array_split(np.arange(n), 300):
        lately.update(labels[part], scores[part])
    table = lately.table
    assert table.is_exact
    n_roundings = table._columns().n_roundings
    assert half_life / math.log(2) < n_roundings < 1.45 * half_life + 40
    last = slice(n - 10_000, n)  # what is older weighs less than 2**-14 in all
    weights = 2.0 ** (-np.arange(9_999, -1, -1) / half_life)
    given = {"sample_weight": weights}
    for found, exact in (
        (table.roc_auc(), roc_auc_score(labels[last], scores[last], **given)),
        (table.average_precision(), average_precision_score(labels[last], scores[last], **given)),
        (table.ks_statistic(), float(ks_statistic(labels[last], scores[last], **given))),
    ):
        assert found.width < 1e-11
        assert found.midpoint == pytest.approx(exact, abs=2**-13)
    whole = 2.0 ** (-np.arange(n - 1, -1, -1) / half_life)
    assert roc_auc_score(labels, scores, sample_weight=whole) in table.roc_auc()


@pytest.mark.parametrize("per", ["row", "batch"])
def test_parts_of_large_batches(rng: Any, monkeypatch: Any, per: Any) -> None:
    engine_sizes.put(monkeypatch, bin_part_rows=100)
    labels, scores = rng.integers(0, 2, 2_000), rng.normal(size=2_000)
    tables = []
    for n_threads in (1, 3):
        lately = DecayedBinnedScoreTable(64, BITS, first_rows=0, per=per)
        for part in (slice(0, 500), slice(500, 2_000)):
            lately.update(labels[part], scores[part], n_threads=n_threads)
        tables.append(lately)
    assert tables[0] == tables[1]
    weights = weights_of([range(500), range(1_500)], 64, per)
    assert roc_auc_score(labels, scores, sample_weight=weights) in tables[0].table.roc_auc()


def test_what_is_forgotten_is_not_there() -> None:
    lately = DecayedBinnedScoreTable(1, COARSE, first_rows=0)
    lately.update([1] + [0] * 300, [0.7] + [0.2] * 300)
    assert (lately.table.n_positive, lately.n_seen) == (0.0, 301)
    rows = DecayedBinnedScoreTable(1)
    rows.update([1] + [0] * 300, [0.7] + [0.2] * 300)
    assert (rows.table.n_positive, rows.n_seen) == (0.0, 301)
    with pytest.warns(UndefinedMetricWarning, match="one class only"):
        assert math.isnan(lately.table.roc_auc().low)
    lately.update([0] * 5_000, [0.2] * 5_000)
    assert lately.table.n_negative == 2.0


def test_what_an_interrupt_leaves_is_not_there() -> None:
    lately = DecayedBinnedScoreTable(3)
    lately.update([0, 1], [0.2, 0.3])
    before = lately.copy()
    lately._now.waiting.add(_rows.Rows(np.ones(1), np.ones(1, np.int8), np.ones(1, np.int64)))
    assert lately == before
    assert lately.table == before.table
    for each in (lately, before):
        each.update([1], [0.9])
    assert lately == before


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_changes_nothing(fault: str, form: str) -> None:
    layout, first_rows = FORMS[form]
    lately = DecayedBinnedScoreTable(4, layout, first_rows=first_rows)
    lately.update([0, 1, 1, 0, 1], [0.3, 0.6, 0.7, 0.1, 0.2])
    before = lately.copy()
    labels, scores, message = FAULTS[fault]
    with pytest.raises(ValueError, match=message):
        lately.update(labels, scores)
    assert lately == before
    lately.update(["a", "b"], [math.inf, -math.inf], pos_label="a", allow_inf=True)
    assert lately.n_seen == 7
    assert lately != before


def test_options_are_checked() -> None:
    for half_life in (0, -1, math.inf, math.nan):
        with pytest.raises(ValueError, match="`half_life`"):
            DecayedBinnedScoreTable(half_life)
    with pytest.raises(ValueError, match="`per`"):
        DecayedBinnedScoreTable(4, per="day")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a BinLayout, or None: got list"):
        DecayedBinnedScoreTable(4, [0.5])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`first_rows`"):
        DecayedBinnedScoreTable(4, first_rows=0)


def test_layouts_are_learnt_once(rng: Any) -> None:
    scores, labels = rng.normal(size=3_000) + np.arange(3_000) / 500, rng.integers(0, 2, 3_000)
    lately = DecayedBinnedScoreTable(1_000, first_rows=800)
    assert lately.layout is None
    lately.update(labels[:100], scores[:100])
    lately.update(labels[100:], scores[100:])
    assert lately.layout == BinLayout.learn(scores[:800])
    layout = lately.layout
    lately.reset()
    assert (lately.layout, lately.n_seen) == (layout, 0)


def test_threads_may_share_it(rng: Any) -> None:
    scores, labels = rng.normal(size=(40, 500)), rng.integers(0, 2, (40, 500))
    lately = DecayedBinnedScoreTable(1e12, BITS, first_rows=0)

    def work(rows: range) -> None:
        for k in rows:
            lately.update(labels[k], scores[k])
            lately.table.roc_auc()

    in_threads(work)
    assert lately.n_seen == 20_000
    assert lately.table.n_positive == pytest.approx(labels.sum(), rel=1e-7)


def test_it_shows_itself() -> None:
    lately = DecayedBinnedScoreTable(3)
    lately.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert repr(lately) == "DecayedBinnedScoreTable(half_life=3.0, per='row', n_seen=4)"
    assert "4 rows, of half-life 3" in str(lately)
    assert "roc_auc" in lately._repr_html_()
    assert (lately.half_life, lately.first_rows, lately.per) == (3.0, 65_536, "row")
    assert lately != "decay"


def test_a_decayed_stream_whose_old_rows_weigh_nothing_travels() -> None:
    lately = DecayedBinnedScoreTable(1, BinLayout([0.0, 0.5, 1.0]), first_rows=0)
    for score in (0.2, 0.7, 0.7):
        lately.update([0, 1] * 1_000, np.full(2_000, score))
    assert lately.copy() == lately == type(lately).from_bytes(lately.to_bytes())
