"""``BinnedScoreTable``: brackets that hold, what goes in, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from binned_samples import BITS, COARSE, ROWS, new, table_of
from hypothesis import given, settings, strategies as st
from table_samples import KINDS, labels_of
from travels import in_threads

import engine_sizes
from fastmetrics import (
    ScoreTable,
    UndefinedMetricWarning,
    average_precision_score,
    evaluate,
    ks_statistic,
    roc_auc_score,
    roc_curve,
)
from fastmetrics.results import Bracket
from fastmetrics.streams import BinLayout, BinnedScoreTable


@given(ROWS)
def test_a_bin_knows_whether_it_holds_one_score(rows: Any) -> None:
    table = table_of(rows, COARSE, "none")
    held: dict[int, set[float]] = {}
    for _, score, _ in rows:
        held.setdefault(int(COARSE.bins([score])[0]), set()).add(score)
    assert table.is_exact == all(len(scores) == 1 for scores in held.values())
    if table.is_exact:
        exact = table_of(rows, None, "none").to_score_table()
        assert table.to_score_table() == exact
    else:
        with pytest.raises(ValueError, match="hold several distinct scores"):
            table.to_score_table()


def measures(labels: Any, scores: Any, weights: Any = None) -> dict[str, float]:
    fpr, tpr, _ = roc_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
    return {
        "roc_auc": roc_auc_score(labels, scores, sample_weight=weights),
        "average_precision": average_precision_score(labels, scores, sample_weight=weights),
        "ks_statistic": float(ks_statistic(labels, scores, sample_weight=weights)),
        "tpr_at_fpr": float(tpr[fpr <= 0.1].max()),
    }


def brackets(table: BinnedScoreTable) -> dict[str, Bracket]:
    return {
        "roc_auc": table.roc_auc(),
        "average_precision": table.average_precision(),
        "ks_statistic": table.ks_statistic(),
        "tpr_at_fpr": table.tpr_at_fpr(0.1),
    }


FINITE = [kind for kind in KINDS if not kind.startswith(("infin", "int64", "uint64"))]


@pytest.mark.parametrize("weights", ["none", "counts", "floats"])
@pytest.mark.parametrize("kind", FINITE)
def test_brackets_hold_the_exact_values(rng: Any, kind: str, weights: str) -> None:
    n = 20_000
    scores, labels = KINDS[kind](rng, n), labels_of(rng, n, 0.3)
    amounts = {"none": None, "counts": rng.integers(0, 4, n), "floats": rng.random(n)}[weights]
    exact = measures(labels, scores, amounts)
    learnt = BinLayout.learn(rng.permutation(scores)[:5_000], n_bins=2_048)
    for layout in (learnt, BinLayout.of_bits(), None):
        table = new(layout)
        for part in np.array_split(np.arange(n), 3):
            table.update(labels[part], scores[part], None if amounts is None else amounts[part])
        for name, bracket in brackets(table).items():
            slack = 1e-15 if layout is None and name != "roc_auc" else 0.0
            assert bracket.low - slack <= exact[name] <= bracket.high + slack, name
            if table.is_exact:
                assert bracket.width < 1e-8, name
        threshold = float(np.float64(scores[17]))
        called, found = scores >= threshold, table.at_threshold(threshold)
        of = np.ones(n) if amounts is None else amounts
        assert of[called & (labels == 1)].sum() / of[labels == 1].sum() in found.true_positive_rate
        assert of[called & (labels == 0)].sum() / of[labels == 0].sum() in found.false_positive_rate
    smooth = kind in ("normal", "sorted", "reversed", "float32", "subnormals", "exp_100z")
    if smooth and weights != "floats":
        table = new(learnt)
        table.update(labels, scores, amounts)
        assert 0 <= table.roc_auc().width < 3 / learnt.n_bins


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_of_large_batches(rng: Any, monkeypatch: Any, weighted: bool) -> None:
    """What is counted by several threads is what one call counts."""
    scores = np.round(rng.normal(size=20_000), 2).astype(np.float32)
    labels = labels_of(rng, 20_000, 0.4)
    weights = rng.integers(1, 5, 20_000) if weighted else None
    layout = BinLayout.learn(scores[:300], n_bins=128)
    whole = new(layout)
    whole.update(labels, scores, weights)
    engine_sizes.put(monkeypatch, bin_part_rows=1_000, bin_call_rows=300)
    for n_threads in (1, 2, 3):
        table = new(layout)
        table.update(labels[:50], scores[:50], None if weights is None else weights[:50])
        table.update(
            labels[50:], scores[50:], None if weights is None else weights[50:], n_threads=n_threads
        )
        assert table == whole
    bad = scores.copy()
    bad[19_999] = np.nan
    with pytest.raises(ValueError, match="nan at index 19999"):
        table.update(labels, bad)
    assert table == whole


def test_floats_join_counts() -> None:
    table = new(COARSE)
    table.update([0, 1], [0.2, 0.7])
    assert not table.is_weighted
    table.update([0, 1], [0.2, 0.7], [0.5, 0.25])
    assert table.is_weighted
    assert (table.n_positive, table.n_negative) == (1.25, 1.5)
    other = new(COARSE)
    other.update([1], [0.2])
    for both in (table + other, other + table):
        assert both.is_weighted
        assert (both.n_positive, both.n_negative) == (2.25, 1.5)
    first = BinnedScoreTable()
    first.update([0, 1], [0.2, 0.7], [2, 3])
    first.update([0], [0.2], [0.5])
    first.update([0], [0.2])
    assert (first.n_positive, first.n_negative, first.is_weighted) == (3, 3.5, True)
    assert (first + other).layout == COARSE


def test_weights_of_any_size_add_up() -> None:
    """Sums beyond what a table of scores keeps unscaled are those of the weights all the same."""
    for layout in (None, BITS):
        for size in (2.0**240, 2.0**-240):
            table = new(layout)
            for _ in range(3):
                table.update([0, 1, 1], [0.1, 0.2, 0.4], [size, size, 2 * size])
            table.update([0], [0.9], [2.0**245 if size > 1 else 2.0**-245])
            assert table.n_positive == 9 * size
            assert table.n_negative in (3 * size + 2.0**245, 3 * size + 2.0**-245)
            assert table.is_exact
            assert table.roc_auc().width < 1e-13
            assert roc_auc_score(table.to_score_table()) in table.roc_auc()


FAULTS = {
    "labels": ([0, 2], [0.1, 0.2], "pass `pos_label`"),
    "three classes": ([0, 1, 2], [0.1, 0.2, 0.3], "`y_true` has 3 classes"),
    "big integers": ([0, 1], [2**53 + 2, 0], "integers beyond 2"),
    "bytes": (np.array([0, 3], np.int8), [0.1, 0.2], "pass `pos_label`"),
}


@pytest.mark.parametrize("layout", [None, BITS], ids=["learning", "bits"])
@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_changes_nothing(fault: str, layout: Any) -> None:
    labels, scores, message = FAULTS[fault]
    table = new(layout)
    table.update([0, 1], [0.3, 0.6])
    before = table.copy()
    with pytest.raises(ValueError, match=message):
        table.update(labels, scores)
    assert table == before


def test_other_faults() -> None:
    table = new(BITS)
    with pytest.raises(TypeError, match="must be a BinLayout, or None: got list"):
        BinnedScoreTable([0.5])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a BinnedScoreTable is needed: got ScoreTable"):
        table.merge(ScoreTable.from_counts([1], [1], [1]))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unsupported operand"):
        table + 1  # type: ignore[operator]
    with pytest.raises(ValueError, match=r"between 2\*\*-250 and 2\*\*250"):
        table.update([0, 1], [0.1, 0.2], [1e300, 1e300])
    table.update([0, 1], [0.1, 0.2], [2**51, 2**51])
    for _ in range(9):
        table.merge(table)
    for call in (lambda: table.merge(table), lambda: table + table):
        with pytest.raises(ValueError, match=r"fewer than 2\*\*62 rows"):
            call()
    with pytest.raises(ValueError, match="nan at index 1"):
        table.update([0, 1], [0.1, math.nan], [1, 0])  # a row that does not count is a row
    with pytest.raises(ValueError, match="got nan"):
        table.at_threshold(math.nan)
    with pytest.raises(ValueError, match=r"`max_fpr` must lie in \[0, 1\]"):
        table.tpr_at_fpr(1.5)


def test_infinite_scores_where_they_are_allowed() -> None:
    for layout in (BITS, None, BinLayout([-np.inf, 0.0, np.inf])):
        table = new(layout)
        table.update([0, 1, 1, 0], [-math.inf, math.inf, 3.0, 5.0], allow_inf=True)
        assert 0.75 in table.roc_auc()
        assert tuple(table.at_threshold(math.inf).tp) == (1, 1)
        assert tuple(table.at_threshold(-math.inf).tp) == (2, 2)
    table = new(BinLayout([0.0]))
    table.update([0, 1, 1, 0], [-math.inf, math.inf, 3.0, 5.0], allow_inf=True)
    assert tuple(table.at_threshold(math.inf).tp) == (0, 2)


@pytest.mark.parametrize("layout", [None, BITS], ids=["learning", "bits"])
def test_a_missing_class_is_undefined(layout: Any) -> None:
    table = new(layout)
    for labels in ([], [1, 1]):
        if labels:
            table.update(labels, [0.2, 0.3])
        for measure in (table.roc_auc, table.average_precision, table.ks_statistic):
            with pytest.warns(UndefinedMetricWarning, match="one class only"):
                assert all(math.isnan(limit) for limit in measure())
        with pytest.warns(UndefinedMetricWarning, match="one class only"):
            assert math.isnan(table.tpr_at_fpr(0.5).low)
        assert "One class is missing." in str(table)
    with pytest.warns(UndefinedMetricWarning, match="one class only"):
        found = table.at_threshold(0.25)
    assert math.isnan(found.false_positive_rate.low)
    assert tuple(found.true_positive_rate) == (0.5, 0.5)


def test_threads_may_share_a_table(rng: Any) -> None:
    scores, labels = rng.normal(size=(40, 500)), rng.integers(0, 2, (40, 500))
    table, whole = new(BITS), new(BITS)
    whole.update(labels.ravel(), scores.ravel())

    def work(rows: range) -> None:
        for k in rows:
            table.update(labels[k], scores[k])
            table.roc_auc()

    in_threads(work)
    assert table == whole


@settings(max_examples=20)
@given(st.floats(-2, 2), ROWS)
def test_a_threshold_is_bracketed(threshold: float, rows: Any) -> None:
    for layout in (COARSE, BITS, None):
        table = table_of(rows, layout, "none")
        if {label for label, _, _ in rows} != {0, 1}:
            continue
        found = table.at_threshold(threshold)
        tp = sum(label for label, score, _ in rows if score >= threshold)
        fp = sum(1 - label for label, score, _ in rows if score >= threshold)
        assert tp in found.tp
        assert fp in found.fp
        if layout is None:
            assert (found.tp.width, found.fp.width) == (0, 0)


def test_it_shows_itself() -> None:
    table = new(BinLayout([0.5]))
    table.update([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert repr(table).startswith("BinnedScoreTable(BinLayout(2 bins, ")
    assert repr(table).endswith(", 2 positive, 2 negative)")
    assert "roc_auc" in str(table)
    assert "between the limits" in str(table)
    frame = table.to_frame("pandas")
    assert frame["limits_low"].tolist()[0] == 0.5
    assert frame["limits_high"].tolist()[0] == 1.0
    assert repr(BinnedScoreTable()) == "BinnedScoreTable(learning, 0 positive, 0 negative)"
    assert str(Bracket(0.25, 0.5)) == "[0.25, 0.50]"
    with pytest.raises(TypeError, match="Bracket"):
        float(table.roc_auc())  # type: ignore[arg-type]


def test_functions_of_rows_say_what_a_table_of_bins_has() -> None:
    table = BinnedScoreTable()
    table.update([0, 1], [0.2, 0.7])
    for call in (
        lambda: roc_auc_score(table),
        lambda: roc_auc_score([0, 1], table),
        lambda: evaluate(table),
        lambda: evaluate({"a": table}),
        lambda: evaluate({"a": table.to_score_table(), "b": table}),
        lambda: evaluate([0, 1], {"a": table}),
    ):
        with pytest.raises(TypeError, match=r"^a BinnedScoreTable .* call `table\.roc_auc\(\)`"):
            call()
