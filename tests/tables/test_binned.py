"""Tables of bins: layouts, brackets, files, merging."""

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from binned_samples import BITS, COARSE, ROWS, new, table_of
from hypothesis import assume, given, settings, strategies as st
from table_samples import KINDS, labels_of
from travels import changed, in_threads

import engine_sizes
import fastmetrics as fm
from fastmetrics.results import Bracket
from fastmetrics.streams import BinLayout, BinnedScoreTable, ScoreRanges
from fastmetrics.tables import bin_bounds
from fastmetrics.tables.bin_bounds import BinColumns
from reference import bin_oracle as oracle


@given(ROWS)
def test_a_bin_knows_whether_it_holds_one_score(rows: Any) -> None:
    table = table_of(rows, COARSE, "none")
    held: dict[int, set[float]] = {}
    for _, score, _ in rows:
        held.setdefault(int(COARSE.bins([score])[0]), set()).add(score)
    assert table.is_exact == all(len(scores) == 1 for scores in held.values())
    if table.is_exact:
        assert table.to_score_table() == table_of(rows, None, "none").to_score_table()
    else:
        with pytest.raises(ValueError, match="hold several distinct scores"):
            table.to_score_table()


def metrics(labels: Any, scores: Any, weights: Any = None) -> dict[str, float]:
    fpr, tpr, _ = fm.roc_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
    return {
        "roc_auc": fm.roc_auc_score(labels, scores, sample_weight=weights),
        "average_precision": fm.average_precision_score(labels, scores, sample_weight=weights),
        "ks_statistic": float(fm.ks_statistic(labels, scores, sample_weight=weights)),
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


@pytest.mark.parametrize(
    ("kind", "weights"),
    [("normal", "none"), *zip(FINITE, itertools.cycle(["counts", "none", "floats"]), strict=False)],
)
def test_brackets_hold_the_exact_values(rng: Any, kind: str, weights: str) -> None:
    n = 20_000
    scores = KINDS[kind](rng, n)
    labels = labels_of(rng, n, 0.3)
    amounts = {"none": None, "counts": rng.integers(0, 4, n), "floats": rng.random(n)}[weights]
    exact = metrics(labels, scores, amounts)
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
        called = scores >= threshold
        actual = table.at_threshold(threshold)
        of = np.ones(n) if amounts is None else amounts
        assert of[called & (labels == 1)].sum() / of[labels == 1].sum() in actual.true_positive_rate
        assert (
            of[called & (labels == 0)].sum() / of[labels == 0].sum() in actual.false_positive_rate
        )
    smooth = kind in ("normal", "sorted", "reversed", "float32", "subnormals", "exp_100z")
    if smooth and weights != "floats":
        table = new(learnt)
        table.update(labels, scores, amounts)
        assert 0 <= table.roc_auc().width < 3 / learnt.n_bins


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_of_large_batches(rng: Any, monkeypatch: Any, weighted: bool) -> None:
    """Several threads count the same as one call."""
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
            assert fm.roc_auc_score(table.to_score_table()) in table.roc_auc()


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
        table.merge(fm.ScoreTable.from_counts([1], [1], [1]))  # type: ignore[arg-type]
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
        for metric in (table.roc_auc, table.average_precision, table.ks_statistic):
            with pytest.warns(fm.UndefinedMetricWarning, match="one class only"):
                assert all(math.isnan(limit) for limit in metric())
        with pytest.warns(fm.UndefinedMetricWarning, match="one class only"):
            assert math.isnan(table.tpr_at_fpr(0.5).low)
        assert "One class is missing." in str(table)
    with pytest.warns(fm.UndefinedMetricWarning, match="one class only"):
        actual = table.at_threshold(0.25)
    assert math.isnan(actual.false_positive_rate.low)
    assert tuple(actual.true_positive_rate) == (0.5, 0.5)


def test_threads_may_share_a_table(rng: Any) -> None:
    scores = rng.normal(size=(40, 500))
    labels = rng.integers(0, 2, (40, 500))
    table = new(BITS)
    whole = new(BITS)
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
        actual = table.at_threshold(threshold)
        tp = sum(label for label, score, _ in rows if score >= threshold)
        fp = sum(1 - label for label, score, _ in rows if score >= threshold)
        assert tp in actual.tp
        assert fp in actual.fp
        if layout is None:
            assert (actual.tp.width, actual.fp.width) == (0, 0)


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
        lambda: fm.roc_auc_score(table),
        lambda: fm.roc_auc_score([0, 1], table),
        lambda: fm.evaluate(table),
        lambda: fm.evaluate({"a": table}),
        lambda: fm.evaluate({"a": table.to_score_table(), "b": table}),
        lambda: fm.evaluate([0, 1], {"a": table}),
    ):
        with pytest.raises(TypeError, match=r"^a BinnedScoreTable .* call `table\.roc_auc\(\)`"):
            call()


BINS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()).filter(lambda bin: any(bin[:2])),
    min_size=1,
    max_size=4,
)


def columns_of(bins: list[Any], scale: int = 1, weighted: bool = False) -> BinColumns:
    positives, negatives, sure = (np.array(each) for each in zip(*bins, strict=True))
    kind = np.float64 if weighted else np.int64
    counts = (each.astype(kind) * kind(scale) for each in (positives, negatives))
    return BinColumns(*counts, sure, 0 if weighted else None)


def rows_of_both(bins: list[Any]) -> bool:
    """Return whether both classes are there, and few enough rows to try every order."""
    n_open = sum(math.comb(p + n, p) << (p + n) for p, n, sure in bins if not sure)
    return any(p for p, _, _ in bins) and any(n for _, n, _ in bins) and n_open < 400


@settings(max_examples=60)
@given(BINS, st.integers(0, 8))
def test_limits_are_those_of_every_order(bins: Any, eighths: int) -> None:
    assume(rows_of_both(bins))
    columns = columns_of(bins)
    for fast, slow in [
        (bin_bounds.auc_bracket, oracle.auc),
        (bin_bounds.ks_bracket, oracle.ks_statistic),
        (
            partial(bin_bounds.tpr_bracket, max_fpr=eighths / 8),
            partial(oracle.tpr_at_fpr, max_fpr=Fraction(eighths, 8)),
        ),
    ]:
        actual = fast(columns)
        limits = oracle.limits(bins, slow)
        assert (actual.low, actual.high) == tuple(map(float, limits))
    actual = bin_bounds.precision_bracket(columns)
    limits = oracle.limits(bins, oracle.average_precision)
    assert actual.low <= limits[0] <= actual.low + 2**-48
    assert actual.high - 2**-48 <= limits[1] <= actual.high


@settings(max_examples=60)
@given(BINS, st.sampled_from([0.0, 0.19, 0.47, 1.0]), st.sampled_from([1, 3, 2**40]))
def test_weights_widen_the_limits_by_little(bins: Any, max_fpr: float, scale: int) -> None:
    """Rows of equal weights have the limits of counts, or wider ones."""
    assume(rows_of_both(bins))
    counts = columns_of(bins)
    weights = columns_of(bins, scale, weighted=True)
    for fast in (
        bin_bounds.auc_bracket,
        bin_bounds.ks_bracket,
        partial(bin_bounds.tpr_bracket, max_fpr=max_fpr),
    ):
        exact = fast(counts)
        actual = fast(weights)
        assert actual.low <= exact.low <= actual.low + 1e-13
        assert exact.high <= actual.high <= exact.high + 1e-13
    exact = bin_bounds.precision_bracket(counts)
    actual = bin_bounds.precision_bracket(weights)
    assert actual.low <= exact.low
    assert exact.high <= actual.high <= exact.high + 1e-13


def test_weights_of_unlike_sizes_do_not_cancel() -> None:
    """A light positive between a light negative and a heavy one keeps its precision of one half."""
    sure = np.ones(3, np.bool_)
    columns = BinColumns(np.array([0, 1e-9, 1e-9]), np.array([1e-9, 0, 1e9]), sure, 0)
    bracket = bin_bounds.precision_bracket(columns)
    assert 0.25 in bracket
    assert bracket.width < 1e-13


@pytest.mark.parametrize("scale", [2**29, 2**32, 2**57])
def test_products_beyond_64_bits_are_exact(scale: int) -> None:
    bins = [(1, 3, False), (4, 2, True), (2, 5, False), (1, 1, True)]
    columns = columns_of(bins, scale)
    bracket = bin_bounds.auc_bracket(columns)
    twice = [2 * (1 * 8 + 4 * 6 + 2 * 1) + 4 * 2 + 1 * 1]
    twice.append(twice[0] + 2 * (1 * 3 + 2 * 5))
    assert tuple(bracket) == tuple(float(Fraction(each, 2 * 8 * 11)) for each in twice)
    assert bin_bounds.ks_bracket(columns) == bin_bounds.ks_bracket(columns_of(bins))


def test_average_precision_of_many_rows_in_few_bins() -> None:
    """Sums of a million terms, by the formula of harmonic numbers and one by one."""
    bins = [(10**6, 3, False), (5, 2 * 10**6, False), (10**5, 10**5, False)]
    bracket = bin_bounds.precision_bracket(columns_of(bins))
    low = high = 0.0
    tp = fp = 0
    for p, n, _ in bins:
        i = np.arange(1, p + 1, dtype=np.longdouble)
        low += float(((tp + i) / (tp + i + fp + n)).sum())
        high += p * (tp + p) / (tp + p + fp)
        tp, fp = tp + p, fp + n
    assert bracket.low == pytest.approx(low / tp, abs=1e-14)
    assert bracket.high == pytest.approx(high / tp, abs=1e-14)
    assert bracket.low < low / tp + 1e-16


@pytest.mark.parametrize(("max_fpr", "tpr"), [(0.3, 3), (0.2999, 2), (0.7, 7), (0.1, 1), (0, 0)])
def test_a_limit_is_the_double_of_its_rate(max_fpr: float, tpr: int) -> None:
    columns = columns_of([(1, 1, False)] * 10)
    assert bin_bounds.tpr_bracket(columns, max_fpr).low == tpr / 10
    assert bin_bounds.tpr_bracket(columns, max_fpr).high == (tpr + 1) / 10


def test_a_threshold_of_every_corner() -> None:
    columns = columns_of([(2, 1, True), (3, 4, False), (1, 6, True)])
    first = np.array([True, False, False])
    both = np.array([True, True, False])
    actual = bin_bounds.threshold_brackets(0.5, columns, columns.where(first), columns.where(both))
    for tp in range(2, 6):
        for fp in range(1, 6):
            assert tp in actual.tp
            assert 6 - tp in actual.fn
            assert fp in actual.fp
            assert 11 - fp in actual.tn
            assert tp / 6 in actual.true_positive_rate
            assert fp / 11 in actual.false_positive_rate
            assert tp / (tp + fp) in actual.precision
            assert (tp + 11 - fp) / 17 in actual.accuracy
            assert 2 * tp / (tp + fp + 6) in actual.f1
    assert tuple(actual.precision) == (2 / 7, 5 / 6)
    assert tuple(actual.f1) == (4 / 13, 10 / 12)
    assert tuple(actual.accuracy) == (8 / 17, 15 / 17)
    assert tuple(actual.tp) == (2, 5)
    assert tuple(actual.tn) == (6, 10)


@pytest.mark.parametrize(
    ("inside", "limits"),
    [((0, 0), (math.nan, math.nan)), ((2, 0), (1, 1)), ((0, 2), (0, 0)), ((1, 2), (0, 1))],
)
def test_precision_where_perhaps_nothing_is_called(inside: Any, limits: Any) -> None:
    columns = columns_of([(*inside, False), (3, 3, True)])
    none = columns.where(np.zeros(len(columns[0]), bool))
    some = columns.where(~columns.is_sure)
    precision = bin_bounds.threshold_brackets(0.5, columns, none, some).precision
    assert tuple(precision) == pytest.approx(limits, nan_ok=True)


LAYOUT = BinLayout([0.0, 0.5, float(np.nextafter(0.5, 1.0)), 1.0])


def binned() -> BinnedScoreTable:
    table = BinnedScoreTable(LAYOUT, first_rows=0)
    table.update([0, 1, 1, 0, 1], [0.2, 0.5, 0.7, 0.8, 3.0])
    return table


def learning() -> BinnedScoreTable:
    table = BinnedScoreTable()
    table.update([0, 1, 1, 0, 1], [0.2, 0.5, 0.7, 0.8, 3.0])
    return table


COUNTS = np.zeros(10, np.int64)
FIVE = np.zeros(5)

#: Members that do not go together, by the rule that they break.
WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "edges fall": ("bins", {"edges": LAYOUT.edges[::-1]}, "must rise"),
    "edges are nan": ("bins", {"edges": np.full(4, np.nan)}, "must be finite"),
    "other edges": ("bins", {"edges": LAYOUT.edges[1:]}, "not two of each of 4 bins"),
    "other bins": ("bins", {"edges": LAYOUT.edges + 0.4}, "`seen` does not go with counts"),
    "negative": ("bins", {"counts": COUNTS - 1}, "negative, or not finite"),
    "not finite": ("bins", {"counts": np.full(10, np.inf)}, "negative, or not finite"),
    "too many": ("bins", {"counts": binned()._bins.counts * 2**60}, r"fewer than 2\*\*62 rows"),
    "32 bits": ("bins", {"counts": COUNTS.astype(np.int32)}, "not two of each"),
    "no counts": ("bins", {"counts": COUNTS}, "`seen` does not go with counts"),
    "seen": ("bins", {"seen": FIVE}, "`seen` does not go with counts"),
    "short": ("bins", {"seen": FIVE[1:]}, "not of the bins"),
    "watched twice": ("bins", {"watched": np.full(5, 2, np.uint8)}, "is not 0 and 1"),
    "all watched": ("bins", {"watched": np.ones(5, np.uint8)}, "one value at most"),
    "none watched": (
        "bins",
        {"watched": np.zeros(5, np.uint8), "seen": np.full(5, np.nan)},
        "without rows",
    ),
    "roundings": ("bins", {"n_roundings": np.array(-1)}, "`n_roundings` must be one number"),
    "first_rows": ("bins", {"first_rows": np.array(-1)}, "`first_rows` must be"),
    "more first rows": ("first rows", {"first_rows": np.array(5)}, "not columns of first rows"),
    "labels": ("first rows", {"labels": np.full(5, 2, np.int8)}, "labels are not 0 and 1"),
    "bytes": ("first rows", {"labels": FIVE}, "other dtypes"),
    "nan": ("first rows", {"scores": np.full(5, np.nan)}, "must be finite"),
    "lengths": ("first rows", {"scores": np.zeros(4)}, "not columns of first rows"),
    "weights": ("first rows", {"weights": np.zeros(5, np.int64)}, "weights are not positive"),
    "no weights": ("first rows", {"weights": None}, "weights"),
}


@pytest.mark.parametrize("what", WRONG)
def test_members_that_are_wrong(what: str) -> None:
    name, members, message = WRONG[what]
    table = binned() if name == "bins" else learning()
    whole = table.to_bytes()
    assert BinnedScoreTable.from_bytes(changed(whole)) == table
    with pytest.raises(ValueError, match=message):
        BinnedScoreTable.from_bytes(changed(whole, **members))


@given(ROWS, st.randoms(use_true_random=False), st.lists(st.integers(0, 30), max_size=4))
def test_neither_order_nor_batches_matter(rows: Any, random: Any, cuts: list[int]) -> None:
    for layout, first_rows in ((BITS, 0), (COARSE, 0), (COARSE, 9), (None, 65_536)):
        whole = table_of(rows, layout, "counts", first_rows)
        parts = new(layout, first_rows)
        mixed = random.sample(rows, len(rows))
        for start, stop in itertools.pairwise([0, *sorted(cuts), len(rows)]):
            batch = [row for row in mixed[start:stop] if row[2]]
            if batch:
                parts.update(*(np.array(each) for each in zip(*batch, strict=True)))
        assert parts == whole


def test_first_rows_are_exact_with_a_layout_too() -> None:
    table = BinnedScoreTable(COARSE, first_rows=5)
    table.update([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    assert table.layout == COARSE
    assert tuple(table.roc_auc()) == (0.75, 0.75)
    table.update([1], [0.25])
    assert table.roc_auc().width == 1.0
    assert (BinnedScoreTable(COARSE) + table).first_rows == 5
    later = BinnedScoreTable(COARSE, first_rows=9)
    later.update([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    assert not (later + BinnedScoreTable(COARSE, first_rows=3)).is_exact
    assert (later + BinnedScoreTable()).layout == COARSE
    with pytest.raises(ValueError, match="different bins cannot be merged"):
        later + BinnedScoreTable(BITS)
    for wrong in (-1, 2**25 + 1):
        with pytest.raises(ValueError, match="`first_rows`"):
            BinnedScoreTable(COARSE, first_rows=wrong)
    with pytest.raises(ValueError, match="`first_rows`"):
        BinnedScoreTable(first_rows=0)


def test_first_rows_are_kept_and_then_learnt_from(rng: Any) -> None:
    """The layout depends on the first rows, and not on how they are cut into batches."""
    scores = rng.normal(size=1_500)
    labels = labels_of(rng, 1_500, 0.4)
    expected = BinnedScoreTable(BinLayout.learn(scores[:500]), first_rows=500)
    expected.update(labels, scores)
    for sizes in ([1_500], [499, 1, 1_000], [499, 1_001], [100] * 15, [500, 1_000]):
        table = BinnedScoreTable(first_rows=500)
        at = 0
        for size in sizes:
            table.update(labels[at : at + size], scores[at : at + size])
            at += size
            seen = slice(0, at)
            if at < 500:
                assert table.layout is None
                assert table.is_exact
                auc = fm.roc_auc_score(labels[seen], scores[seen])
                assert tuple(table.roc_auc()) == (auc, auc)
                assert table.to_score_table() == fm.ScoreTable.from_scores(
                    labels[seen], scores[seen]
                )
        assert table == expected
        assert table.layout == expected.layout


def test_first_rows_join_bins_and_one_another(rng: Any) -> None:
    scores = rng.normal(size=900)
    labels = labels_of(rng, 900, 0.4)

    def table(part: slice, layout: Any = None) -> BinnedScoreTable:
        made = BinnedScoreTable(layout, first_rows=500)
        made.update(labels[part], scores[part])
        return made

    first = slice(0, 400)
    last = slice(400, 900)
    whole = slice(0, 900)
    assert table(first) + table(last, BITS) == table(whole, BITS)
    assert table(last, BITS) + table(first) == table(whole, BITS)
    assert table(last).layout is not None  # of its own 500 rows
    assert (table(first) + table(slice(400, 899))).layout == BinLayout.learn(scores[:899])
    assert table(first) + table(slice(400, 899)) == table(slice(400, 899)) + table(first)
    few = table(slice(0, 250)) + table(slice(250, 499))
    assert few == table(slice(0, 499))
    assert few.layout is None
    with pytest.raises(ValueError, match=r"different bins cannot be merged: BinLayout\(.*of_bits"):
        table(last, BITS).merge(table(last))


METRICS = {
    "roc_auc": fm.roc_auc_score,
    "average_precision": fm.average_precision_score,
    "ks_statistic": lambda y, s: fm.ks_statistic(y, s).statistic,
}


def ranges_of(y, s, edges, weights=None):
    """Count rows in the ranges between edges, as a database would."""
    weights = np.ones(len(y), np.int64) if weights is None else weights
    place = np.searchsorted(edges, s, side="right")
    rows = []
    for each in np.unique(place):
        inside = place == each
        counts = [weights[inside & (y == label)].sum() for label in (1, 0)]
        rows.append((s[inside].min(), s[inside].max(), *counts))
    rows = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    return ScoreRanges(*map(np.array, zip(*rows, strict=True)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("is_weighted", [False, True])
def test_exact_values_lie_within(seed, is_weighted):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    s = np.round(rng.normal(size=60) + y, 1)
    w = rng.random(60) if is_weighted else None
    actual = ranges_of(y, s, np.sort(rng.normal(size=rng.integers(1, 9))), w)
    for name, metric in METRICS.items():
        exact = fm.roc_auc_score(y, s, sample_weight=w) if name == "roc_auc" else metric(y, s)
        if w is None or name == "roc_auc":
            assert exact in getattr(actual, name)()
    for threshold in (-0.5, 0.0, 0.3):
        at = actual.at_threshold(threshold)
        ones = np.ones(60) if w is None else w
        assert at.tp.low - 1e-9 <= ones[(s >= threshold) & (y == 1)].sum() <= at.tp.high + 1e-9
        assert at.fp.low - 1e-9 <= ones[(s >= threshold) & (y == 0)].sum() <= at.fp.high + 1e-9


def test_limits_are_attained():
    """Within [.1, .4]: one positive and two negatives; the rest is known."""
    ranges = ScoreRanges([0.1, 0.6], [0.4, 0.6], [1, 1], [2, 1])
    y = np.array([1, 0, 0, 1, 0])
    best = [0.4, 0.1, 0.1, 0.6, 0.6]
    worst = [0.1, 0.4, 0.4, 0.6, 0.6]
    for name, metric in METRICS.items():
        bracket = getattr(ranges, name)()
        reached = sorted((metric(y, best), metric(y, worst)))
        if name == "roc_auc":
            np.testing.assert_allclose(list(bracket), reached, rtol=1e-15)
        assert bracket.low <= reached[0] <= reached[1] <= bracket.high


def test_ranges_of_one_score_are_exact():
    s = np.array([0.1, 0.1, 0.4, 0.8])
    y = np.array([0, 1, 0, 1])
    ranges = ScoreRanges(s, s, y, 1 - y)
    assert ranges.is_exact
    assert len(ranges) == 3
    assert ranges.to_score_table().scores.tolist() == [0.8, 0.4, 0.1]
    assert ranges.roc_auc().low == ranges.roc_auc().high == fm.roc_auc_score(y, s)


def test_ranges_that_overlap_or_touch_become_one():
    ranges = ScoreRanges([0.1, 0.3, 0.6, 0.9], [0.4, 0.6, 0.7, 0.9], [1, 2, 4, 8], [3, 0, 0, 1])
    assert ranges.low.tolist() == [0.9, 0.1]
    assert ranges.high.tolist() == [0.9, 0.7]
    assert ranges.positives.tolist() == [8, 7]
    assert ranges.negatives.tolist() == [1, 3]
    whole = ScoreRanges([0.0, 0.2, 0.5], [1.0, 0.3, 0.5], [1, 1, 1], [0, 1, 0])
    assert (len(whole), whole.is_exact) == (1, False)


def test_empty_ranges_are_left_out():
    ranges = ScoreRanges([0.1, 0.3, 0.6], [0.2, 0.4, 0.6], [1, 0, 4], [3, 0, 0])
    assert ranges.low.tolist() == [0.6, 0.1]
    with pytest.raises(ValueError, match="read-only"):
        ranges.low[0] = 1


def test_counts_beyond_32_bits_stay_exact():
    n = 10**12
    ranges = ScoreRanges([0.1, 0.5], [0.2, 0.5], [n, n], [n + 1, 0])
    assert ranges.n_negative == n + 1
    assert ranges.roc_auc().low == 0.5
    assert ranges.roc_auc().high == 1.0


def test_one_class_is_undefined():
    with pytest.warns(fm.UndefinedMetricWarning):
        assert np.isnan(ScoreRanges([0.1], [0.2], [3], [0]).roc_auc().low)


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        (([0.1], [0.2], [1], [-1]), "`negatives` must not be negative"),
        (([0.3], [0.2], [1], [1]), r"`high` must not be below `low`: 0\.2 < 0\.3 at index 0"),
        (([np.nan], [0.2], [1], [1]), "`low`"),
        (([0.1], [np.inf], [1], [1]), "`high`"),
        (([0.1, 0.2], [0.2, 0.3], [1], [1]), "length|shape"),
        (([0.1], [0.2], [2**62, 2**62], [1]), "`positives` must sum"),
        (([], [], [], []), "`low` is empty"),
    ],
)
def test_what_are_no_counts_of_ranges(columns, match):
    with pytest.raises(ValueError, match=match):
        ScoreRanges(*columns)


def test_a_table_needs_distinct_scores():
    with pytest.raises(ValueError, match="1 of 2 ranges hold several scores"):
        ScoreRanges([0.1, 0.6], [0.4, 0.6], [1, 3], [5, 1]).to_score_table()
