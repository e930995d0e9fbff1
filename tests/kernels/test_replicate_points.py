"""Points and pairs of replicates."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest
from kernel_forms import IS_COMPILED

from fastmetrics._kernels import replicates as kernels
from fastmetrics.inference.bootstrap._parse import lone_positives
from reference import replicate_oracle
from reference.replicate_oracle import Rows, points, twice_pairs_won

SEGMENT = kernels.SEGMENT


BEST = kernels.BEST
AREA = kernels.AREA
PRECISION_AREA = kernels.PRECISION_AREA
CRITERIA = {
    "youden": kernels.YOUDEN,
    "youden_below": kernels.YOUDEN_BELOW,
    "closest": kernels.CLOSEST,
    "errors": kernels.ERRORS,
    "fbeta": kernels.F_BETA,
    "precision": kernels.PRECISION,
    "recall": kernels.RECALL,
    "recall_at_false_positive_rate": kernels.RECALL_AT_FPR,
}
ESTIMATORS = {
    "step": kernels.STEP,
    "trapezoid": kernels.TRAPEZOID,
    "continuous": kernels.CONTINUOUS,
}
#: (metric, its criterion or estimator or axis, two bounds)
LINES = [
    *[("best", name, 0.0, 0.0) for name in ("youden", "youden_below", "closest", "errors")],
    *[("best", "fbeta", bound, 0.0) for bound in (0.5, 0.25, 0.8)],
    *[("best", "precision", bound, 0.0) for bound in (0.0, 0.5, 0.9, 1.0)],
    *[("best", "recall", bound, 0.0) for bound in (0.0, 0.6, 1.0)],
    *[("best", "recall_at_false_positive_rate", bound, 0.0) for bound in (0.0, 0.1, 0.7, 1.0)],
    *[("area", "fpr", *bounds) for bounds in ((0.0, 1.0), (0.0, 0.1), (0.05, 0.3), (0.8, 1.0))],
    *[("area", "tpr", *bounds) for bounds in ((0.0, 1.0), (0.9, 1.0), (0.2, 0.9), (0.3, 0.3001))],
    *[("precision area", name, 0.0, 0.0) for name in ESTIMATORS],
    ("break even", "", 0.0, 0.0),
]


def code(line):
    metric, name = line[:2]
    if metric == "best":
        return BEST, CRITERIA[name]
    if metric == "area":
        return AREA, int(name == "tpr")
    if metric == "precision area":
        return PRECISION_AREA, ESTIMATORS[name]
    return kernels.BREAK_EVEN, 0


IS_BEST = np.array([line[0] == "best" for line in LINES])


def expected_state(line, cells, ends):
    """Return the state that kernels keep of a metric; ``ends`` has the last row of each cell.

    The row of the best F-beta is nan (any) where beta's share has no exact double.
    """
    metric, name, low, high = line
    p, n = points(cells)[-1]
    if metric == "best":
        actual = replicate_oracle.best(cells, name, low)
        if actual is None:
            return -math.inf, -2, 0, 0
        value, called, tp, fp = actual
        scale = {"youden": p * n, "youden_below": p * n, "closest": (p * n) ** 2}
        scale |= {"recall": p, "recall_at_false_positive_rate": p}
        merit = value * scale.get(name, 1) + (p if name == "errors" else 0)
        if (name, low) == ("fbeta", 0.8):
            return float(merit), math.nan, math.nan, math.nan
        return float(merit), ends[called - 1] if called else -1, float(tp), float(fp)
    if metric == "area":
        area = replicate_oracle.partial_area(cells, low, high, over_tpr=name == "tpr")
        return float(2 * p * n * area), 0, 0, 0
    if metric == "precision area":
        return replicate_oracle.precision_area(cells, name) * float(p), 0, 0, 0
    return 1, float(replicate_oracle.expected_at_balance(cells)), 0, 0


def labels_and_scores(rng, n, kind):
    labels = (rng.random(n) < (0.04 if kind == "rare" else 0.4)).astype(int)
    labels[:2] = 1, 0
    scores = rng.permutation(n) + 0.5 * n * labels
    if kind == "tied":
        scores = rng.integers(0, max(2, n // 6), n) + labels
    elif kind == "long tie":  # from row 300 on, over three segments and more
        scores = np.where(np.arange(n) < 300, 1.0, np.where(np.arange(n) < 2_050, 0.5, 0.0))
        scores += np.where(scores == 0.5, 0.0, 0.4 * rng.random(n))
    elif kind == "some ties":
        scores = np.arange(n, 0, -1.0)
        scores[[1_024, 1_300]] = scores[[1_023, 1_299]]
    elif kind == "all equal":
        scores = np.zeros(n)
    elif kind == "upside down":
        scores = -labels * n + rng.permutation(n)
    elif kind == "perfect":
        scores = labels * n + rng.permutation(n)
    return labels, scores


def drawn_counts(rng, rows, count):
    """Return counts in which each class comes at least once."""
    counts = np.zeros((count, rows.padded), np.uint8)
    counts[:, : rows.n] = rng.poisson(1.0, (count, rows.n)).clip(0, 9)
    masks = rows.masks()[: rows.n]
    for label in (255, 0):
        counts[:, rng.choice(np.flatnonzero(masks == label))] += 1
    return counts


CASES = [
    *[(n, kind, 3) for n in (2, 3, 9, 60) for kind in ("distinct", "tied", "all equal")],
    *[(60, kind, 3) for kind in ("upside down", "perfect", "rare")],
    *[(n, "tied", 1) for n in (511, 512, 513, 1_300)],
    *[(600, kind, 1) for kind in ("distinct", "upside down", "perfect", "rare")],
    (1_536, "distinct", 1),
    (1_700, "some ties", 1),  # of the second segment's last row with the third's first, and later
    (1_100, "all equal", 1),
    (2_500, "long tie", 1),
]


@functools.cache
def case(n, kind, count):
    """Return the rows, counts, and the states that every line must leave."""
    rng = np.random.default_rng([n, count, len(kind)])
    rows = Rows.of(*labels_and_scores(rng, n, kind))
    counts = drawn_counts(rng, rows, count)
    ends = [end - 1 for _, _, end in rows.ties()]
    states = [
        [expected_state(line, rows.resampled(row), ends) for line in LINES]
        for row in counts[:, : rows.n].tolist()
    ]
    return rows, counts, np.array(states, float)


def segments(rows, counts):
    starts = np.arange(0, rows.padded, SEGMENT)
    return [
        np.add.reduceat(counts & masks, starts, axis=1, dtype=np.int64)
        for masks in (rows.masks(), ~rows.masks())
    ]


def measured(rows, counts, lines=LINES):
    """Return the state of every line for each replicate."""
    states = np.full((len(counts), len(lines), kernels.STATE), np.nan)
    columns = (counts, rows.masks(), rows.ends())
    totals = segments(rows, counts)
    words = counts.view(np.uint64), columns[1].view(np.uint64)
    for j, line in enumerate(lines):
        kind, criterion, low, high = *code(line), *line[2:]
        actual = np.zeros((len(counts), kernels.STATE))
        if kind == BEST:
            kernels.best_of_rows(*columns, *totals, criterion, low, actual)
        elif kind == kernels.BREAK_EVEN:
            kernels.break_even_of_rows(*columns, rows.anchors(), *totals, actual)
        else:
            how = kind, criterion, low, high
            kernels.areas_of_rows(*columns, rows.anchors(), *totals, *how, actual)
        if (kind, criterion) == (PRECISION_AREA, kernels.STEP):
            lone = lone_positives(*columns[1:], rows.anchors())
            steps = np.zeros_like(actual)
            both = counts, words[0], columns[1], words[1], columns[2]
            kernels.step_areas(*both, *lone, steps)
            np.testing.assert_allclose(steps, actual, rtol=1e-12)
        states[:, j] = actual
    return states


def measured_points(tp, fp, ends, slack=0.0, lines=LINES):
    """Return the state of every line for one curve."""
    states = np.full((len(lines), kernels.STATE), np.nan)
    for line, state in zip(lines, states, strict=True):
        kernels.measure_curve(*code(line), *line[2:], tp, fp, ends, slack, state)
    return states


def measured_curve(cells, ends, slack=0.0, lines=LINES):
    tp, fp = np.array(points(cells), float).T.copy()
    return measured_points(tp, fp, np.array(ends), slack, lines)


def assert_states(actual, expected, cells):
    """Compare places exactly, values by rounding; areas relative to the whole of their axes."""
    p, n = (float(total) for total in points(cells)[-1])
    for line, mine, theirs in zip(LINES, actual, expected, strict=True):
        known = ~np.isnan(theirs)
        near = 1e-13 * p * n if line[0] == "area" else 1e-13 * p
        np.testing.assert_allclose(
            mine[known], theirs[known], rtol=1e-13, atol=near, err_msg=str(line)
        )
        if line[0] == "best":
            assert mine[known][1:].tolist() == theirs[known][1:].tolist(), line


@pytest.mark.pairwise
@pytest.mark.parametrize(("n", "kind", "count"), CASES)
def test_rows_and_points(n, kind, count):
    rows, counts, expected = case(n, kind, count)
    actual = measured(rows, counts)
    ends = [end - 1 for _, _, end in rows.ties()]
    for r in range(count):
        cells = rows.resampled(counts[r, : rows.n])
        assert_states(actual[r], expected[r], cells)
        assert_states(measured_curve(cells, ends), expected[r], cells)


@pytest.mark.parametrize("n", [2, 5, 40, 200])
def test_points_of_weights(rng, n):
    """Weights in quarters: their sums are exact, so that even places can be compared."""
    cells = [(Fraction(int(p), 4), Fraction(int(q), 4)) for p, q in rng.integers(0, 9, (n, 2))]
    cells[0] = Fraction(1, 4), Fraction(3, 4)
    ends = [3 * k + 2 for k in range(n)]
    expected = np.array([expected_state(line, cells, ends) for line in LINES], float)
    assert_states(measured_curve(cells, ends, 2.0**-50 * n), expected, cells)


@pytest.mark.skipif(not IS_COMPILED, reason="too many rows for plain Python")
@pytest.mark.parametrize("kind", ["distinct", "tied", "rare", "long tie"])
def test_skipped_segments_miss_nothing(rng, kind):
    """Many segments: what is read of the rows leaves what all points leave, to the last bit."""
    rows = Rows.of(*labels_and_scores(rng, 20_000, kind))
    counts = drawn_counts(rng, rows, 3)
    actual = measured(rows, counts)
    ends = np.array([end - 1 for _, _, end in rows.ties()])
    for r in range(3):
        tp, fp = np.zeros((2, len(ends) + 1))
        for curve, masks in ((tp, rows.masks()), (fp, ~rows.masks())):
            curve[1:] = np.cumsum(counts[r] & masks, dtype=np.int64)[ends]
        states = measured_points(tp, fp, ends)
        assert actual[r, IS_BEST].tolist() == states[IS_BEST].tolist()
        np.testing.assert_allclose(actual[r, ~IS_BEST], states[~IS_BEST], rtol=1e-12)


ONE_CLASS = [
    # (what is drawn of each class, line, what is left)
    (1, 0, ("best", "youden", 0.0, 0.0), (0, -1, 0, 0)),
    (1, 0, ("best", "precision", 0.5, 0.0), (1, 0, 2, 0)),
    (1, 0, ("best", "recall", 0.5, 0.0), (3, 1, 3, 0)),
    (1, 0, ("best", "recall_at_false_positive_rate", 0.5, 0.0), (-math.inf, -2, 0, 0)),
    (1, 0, ("area", "fpr", 0.1, 0.9), (0, 0, 0, 0)),
    (1, 0, ("precision area", "step", 0.0, 0.0), (3, 0, 0, 0)),
    (1, 0, ("break even", "", 0.0, 0.0), (1, 3, 0, 0)),
    (0, 1, ("best", "closest", 0.0, 0.0), (0, -1, 0, 0)),
    (0, 1, ("best", "fbeta", 0.5, 0.0), (0, -1, 0, 0)),
    (0, 1, ("best", "precision", 0.5, 0.0), (-math.inf, -2, 0, 0)),
    (0, 1, ("best", "recall", 0.5, 0.0), (-math.inf, -2, 0, 0)),
    (0, 1, ("best", "recall_at_false_positive_rate", 0.5, 0.0), (0, -1, 0, 0)),
    (0, 1, ("area", "tpr", 0.1, 0.9), (0, 0, 0, 0)),
    (0, 1, ("precision area", "continuous", 0.0, 0.0), (0, 0, 0, 0)),
    (0, 0, ("best", "precision", 0.0, 0.0), (-math.inf, -2, 0, 0)),
    (0, 0, ("best", "recall_at_false_positive_rate", 0.0, 0.0), (-math.inf, -2, 0, 0)),
]


@pytest.mark.parametrize(("positive_count", "negative_count", "line", "left"), ONE_CLASS)
def test_a_class_may_be_missing(positive_count, negative_count, line, left):
    """Nothing warns, as nothing does in machine code."""
    rows = Rows(((1, 0), (1, 0), (0, 1), (1, 1)))
    counts = np.where(rows.masks(), positive_count, negative_count).astype(np.uint8)
    counts[rows.n :] = 0
    counts[0] *= 2  # of three positives, two at the highest score
    counts[1] *= 1
    counts[3] *= 0
    assert measured(rows, counts[None], [line])[0, 0].tolist() == list(left)
    ends = [end - 1 for _, _, end in rows.ties()]
    states = measured_curve(rows.resampled(counts[: rows.n]), ends, lines=[line])
    assert states[0].tolist() == list(left)


@pytest.mark.parametrize("below", [True, False])
def test_sums_of_weights_near_the_balance_meet_it(below):
    """Within the slack of the weight of the positives it is as much, else a share of the step."""
    near = 0.2 - 2.0**-54 if below else 0.2 + 2.0**-54
    tp, fp = np.array([0.0, 0.1, 0.1 + 0.2]), np.array([0.0, near, near])
    total = 0.1 + 0.2 if below else 0.3
    assert (tp[1] + fp[1] < total) == below
    for slack, expected in ((2.0**-50, 0.1), (0.0, pytest.approx(0.1, rel=1e-12))):
        state = np.zeros(kernels.STATE)
        kernels.break_even_of_points(tp, fp, 2, total, slack, state)
        assert state[0] == 1.0
        assert state[1] == expected
        assert (state[1] == 0.1) == (slack > 0)


@pytest.mark.parametrize("x", [0.0, 1e-300, 1e-9, 9.99e-4, 1e-3, 1.001e-3, 0.3, 1e6])
@pytest.mark.parametrize("share", [0.0, 0.01, 1.0])
def test_the_continuous_area_of_one_step(x, share):
    """Steps that add little to what is called positive lose no digits."""
    called = 1e3
    tp0 = 1e3 * share
    gain = 0.3 * x * called
    tp, fp = np.array([tp0, tp0 + gain]), np.array([called - tp0, called - tp0 + 0.7 * x * called])
    state = np.zeros(kernels.STATE)
    chosen = np.zeros(1, np.int64)
    n = kernels.chosen_points(tp, 1, chosen)
    assert n == int(tp[1] > tp[0])
    kernels.precision_area_of_points(kernels.CONTINUOUS, tp, fp, chosen, n, state)
    cells = [(Fraction(tp[0]), Fraction(fp[0]))]
    cells.append((Fraction(tp[1]) - Fraction(tp[0]), Fraction(fp[1]) - Fraction(fp[0])))
    both = 0.0
    if n:
        both = replicate_oracle.under_interpolation(*points(cells)[1], *points(cells)[2])
    assert state[0] == pytest.approx(both, rel=3e-12, abs=1e-290)


def sample(rng, n, kind):
    """Return sorted rows of both classes, as a rule."""
    labels = (rng.random(n) < 0.4).astype(int)
    if kind == "distinct":
        scores = rng.permutation(n)
    elif kind == "tied":
        scores = rng.integers(0, max(2, n // 6), n) + labels
    elif kind == "one long tie":
        scores = np.where(rng.random(n) < 0.15, rng.permutation(n), n // 2)
    else:
        scores = np.zeros(n)
    if kind == "positives only":
        labels[:] = 1
    if kind == "negatives only":
        labels[:] = 0
    return Rows.of(labels, scores)


KINDS = ["distinct", "tied", "one long tie", "all equal", "positives only", "negatives only"]


def drawn(rng, rows, count):
    """Return counts of the rows: small ones, some large, none beyond the last row."""
    counts = np.zeros((count, rows.padded), np.uint8)
    counts[:, : rows.n] = rng.poisson(1.0, (count, rows.n)).clip(0, 7)
    counts[:, : rows.n : 8] *= rng.integers(1, 21, counts[:, : rows.n : 8].shape).astype(np.uint8)
    return counts


def counted(rows, counts, state=None, first=0):
    """Return the state and the segments' totals, going on from ``state`` at row ``first``."""
    last = first + counts.shape[1]
    masks = rows.masks()[first:last]
    state = np.zeros((len(counts), 4), np.int64) if state is None else state
    segments = np.full((2, len(counts), -(-counts.shape[1] // SEGMENT)), -1)
    counts = np.ascontiguousarray(counts)
    kernels.pair_counts(
        counts.view(np.uint64),
        masks.view(np.uint64),
        rows.pieces(first, last),
        counts,
        (scratch := np.empty((2, SEGMENT), np.uint8)).view(np.uint64),
        scratch,
        state,
        *segments,
    )
    return state, segments


def expected(rows, counts):
    actual = []
    for row in counts[:, : rows.n].tolist():
        cells = rows.resampled(row)
        totals = [sum(column) for column in zip(*cells, strict=True)]
        actual.append([*totals, twice_pairs_won(cells), 0])
    return actual


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 63, 511, 512, 513, 1_030])
def test_pairs_won(rng, n, kind):
    rows = sample(rng, n, kind)
    counts = drawn(rng, rows, 2)
    state, segments = counted(rows, counts)
    assert state.tolist() == expected(rows, counts)
    starts = np.arange(0, rows.padded, SEGMENT)
    for class_segments, masks in zip(segments, (rows.masks(), ~rows.masks()), strict=True):
        sums = np.add.reduceat(counts & masks, starts, axis=1, dtype=int)
        assert class_segments.tolist() == sums.tolist()


@pytest.mark.parametrize("labels", ["alternating", "positives first", "random"])
def test_eight_counts_may_sum_to_255(rng, labels):
    """The largest sums that a word holds, at every place in it; a segment of nothing else."""
    positive = {
        "alternating": np.arange(1_024) % 2 == 0,
        "positives first": np.arange(1_024) < 512,
        "random": rng.random(1_024) < 0.5,
    }[labels]
    rows = Rows.of(positive, -np.arange(1_024))
    counts = np.zeros((3, 1_024), np.uint8)
    counts[0] = np.tile([31, 31, 31, 31, 31, 31, 31, 38], 128)
    counts[1, rng.integers(0, 8, 128) + 8 * np.arange(128)] = 255
    counts[2] = np.tile([1, 0, 127, 0, 0, 126, 0, 1], 128)
    state, _ = counted(rows, counts)
    assert state.tolist() == expected(rows, counts)


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [8, 64, 512, 520])
def test_parts_go_on_where_the_one_before_ended(rng, part, kind):
    rows = sample(rng, 150 if part < 512 else 1_100, kind)
    counts = drawn(rng, rows, 1)
    state = np.zeros((1, 4), np.int64)
    for first in range(0, rows.padded, part):
        counted(rows, counts[:, first : first + part], state, first)
        tie = next(((a, c) for a, b, c in rows.ties() if a < b < c and a < first + part < c), None)
        if tie is None:  # no tie of both classes is open
            assert not state[:, 3].any()
    assert state.tolist() == expected(rows, counts)


def test_a_tie_over_two_parts_is_left_open():
    """Ten positives and six negatives tie; the part ends before, between and after the classes."""
    rows = Rows(((0, 4), (10, 6), (3, 1)))
    counts = np.ones((1, 24), np.uint8)
    assert rows.pieces(0, 8).tolist() == [[4, 8, 8, 0]]
    assert rows.pieces(8, 24).tolist() == [[0, 6, 12, 1], [12, 15, 16, 1]]
    state, _ = counted(rows, counts[:, :8])
    assert state.tolist() == [[4, 4, 0, 4]]
    counted(rows, counts[:, 8:16], state, 8)
    assert state.tolist() == [[10, 6, 20, 10]]  # two of the tied negatives, ten halves each
    counted(rows, counts[:, 16:], state, 16)
    assert state.tolist() == expected(rows, counts) == [[13, 11, 60 + 20 + 3, 0]]


@pytest.mark.parametrize("n", [0, 1, 7, 512])
def test_byte_products(rng, n):
    a, b = rng.integers(0, 256, (2, 512)).astype(np.uint8)
    assert kernels.byte_products(a, b, n) == int(a[:n].astype(int) @ b[:n].astype(int))


def test_byte_products_of_the_largest_bytes():
    full = np.full(512, 255, np.uint8)
    assert kernels.byte_products(full, full, 512) == 512 * 255**2


def test_gather_counts(rng):
    unit_counts = rng.integers(0, 9, (3, 16)).astype(np.uint8)
    units = rng.integers(0, 11, 29, dtype=np.int32)
    counts = np.full((3, 32), 77, np.uint8)
    kernels.gather_counts(unit_counts, units, counts)
    assert (counts[:, :29] == unit_counts[:, units]).all()
    assert (counts[:, 29:] == 77).all()


def test_exchanged_rows(rng):
    """Every unit has a row of each model; what is exchanged is one's instead of the other's."""
    units = np.tile(rng.permutation(100).astype(np.int32), 2)
    second = np.zeros(208, np.uint8)
    second[100:200] = 1
    coins = rng.integers(0, 2**64, (3, 2), dtype=np.uint64)
    counts = np.full((2, 3, 208), 9, np.uint8)
    kernels.exchange_rows(coins, units, second, *counts)
    assert (counts[:, :, 200:] == 9).all()
    for r, words in enumerate(coins.tolist()):
        bits = [words[unit // 64] >> unit % 64 & 1 for unit in units.tolist()]
        moved = [bit != own for bit, own in zip(bits, second.tolist(), strict=False)]
        assert counts[1, r, :200].tolist() == moved
        assert counts[0, r, :200].tolist() == [not other for other in moved]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 511, 512, 513, 1_025, 1_500])
def test_column_sums(rng, n):
    counts = rng.integers(0, 200, (2, -(-n // 8) * 8)).astype(np.uint8)
    columns = np.stack((rng.random(n), rng.standard_normal(n) * 1e6, np.ones(n)))
    sums = np.full((2, 3), 0.5)
    kernels.column_sums(counts, columns, sums)
    for r in range(2):
        for j in range(3):
            products = counts[r, :n] * columns[j]
            error = 2.0**-52 * n * float(abs(products).sum() + 1)
            assert abs(sums[r, j] - 0.5 - math.fsum(products)) <= error
    assert sums[:, 2].tolist() == (counts[:, :n].sum(axis=1, dtype=int) + 0.5).tolist()
