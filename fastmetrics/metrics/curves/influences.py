"""How far each row moves an area under a curve, and how replicates of a bootstrap make it.

Rows of one class and one score move it alike, so that two columns along the table hold all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scalars import check_choice, check_flag, check_fraction, check_positive
from fastmetrics._kernels import curve_kernels as kernels, merges, replicates
from fastmetrics._threads.workers import by_blocks, run
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.metrics._metric import Metric, RowInfluences
from fastmetrics.metrics.curves.best_threshold import best_threshold, check_constraint
from fastmetrics.metrics.curves.precision_recall import average_precision_score, pr_auc
from fastmetrics.metrics.curves.roc import ks_of_table
from fastmetrics.metrics.curves.roc_auc import _checked_range, mcclish, partial_auc
from fastmetrics.tables.ordering import (
    ONE_BUCKET_ROWS,
    RowOrder,
    partition,
    row_order,
    walk_in_order,
)
from fastmetrics.tables.pairs import exact_dot, pairs_of_weights, weigh_runs
from fastmetrics.tables.score_table import (
    Floats,
    Piece,
    ScoreTable,
    by_pieces,
    is_called_positive,
    real_threshold,
    running_sums,
)


class CurveInfluences(NamedTuple):
    """A metric of a table of scores, and how a row of either class moves it at each score.

    That is the derivative of the value by the weight of such a row, in the scale of the table.
    """

    value: float
    of_positives: Floats
    of_negatives: Floats

    @classmethod
    def nowhere(cls, value: float, table: ScoreTable) -> CurveInfluences:
        """Return columns to be filled, which lie beside each other."""
        return cls(value, *np.empty((2, len(table))))

    def at(self, piece: Piece) -> CurveInfluences:
        """Return those of a piece of the table, in the same memory."""
        here = slice(piece.start, piece.stop)
        return CurveInfluences(self.value, self.of_positives[here], self.of_negatives[here])

    def joined(self) -> Floats:
        """Return both columns as one, the positives' first; what lies so already is not copied."""
        base = self.of_positives.base
        if base is not None and base is self.of_negatives.base and base.shape == (2, len(base[0])):
            return base.reshape(-1)
        return np.concatenate([self.of_positives, self.of_negatives])

    def scaled(self, factor: float, added: float = 0.0) -> CurveInfluences:
        """Return those of ``factor * value + added``."""
        return CurveInfluences(
            factor * self.value + added, factor * self.of_positives, factor * self.of_negatives
        )


def curve_influences(
    table: ScoreTable, influences: Callable[..., CurveInfluences], **parameters: Any
) -> CurveInfluences:
    """Return a metric with its influences, all nan where a class is missing."""
    if not (table.n_positive and table.n_negative):
        nowhere = np.full(len(table), np.nan)
        return CurveInfluences(float("nan"), nowhere, nowhere)
    return influences(table, **parameters)


class CurveCounts(NamedTuple):
    """The columns of a table as floats, and their running sums, of rows above it too."""

    positives: Floats
    negatives: Floats
    tp: Floats
    fp: Floats

    @classmethod
    def of(cls, table: ScoreTable, start: tuple[int, int] = (0, 0)) -> CurveCounts:
        """Return those of a table below so many positive and negative rows."""
        sums = running_sums(table)
        if any(start):
            sums = sums[0] + start[0], sums[1] + start[1]
        columns = (table.positives, table.negatives, *sums)
        return cls(*(column.astype(np.float64, copy=False) for column in columns))


def roc_auc(table: ScoreTable, max_fpr: float | None = None) -> CurveInfluences:
    """Return the AUC with DeLong's placements, less the AUC, over the size of the class."""
    if max_fpr is not None and max_fpr < 1.0:
        low = max_fpr * max_fpr / 2.0
        scale = 0.5 / (max_fpr - low)
        return partial_auc_influences(table, (0.0, max_fpr)).scaled(scale, 0.5 - scale * low)
    return _auc(table, 0)[0]


def auc_with_sums(table: ScoreTable) -> tuple[CurveInfluences, Floats]:
    """Return the AUC the same way; with sums of squares and of influences of either class.

    Those of the negatives are the first row: (2, 2).
    """
    return _auc(table, 2)


def _auc(table: ScoreTable, n_sums: int) -> tuple[CurveInfluences, Floats]:
    sizes = table.n_positive, table.n_negative
    auc = pairs_of_weights(table.positives, table.negatives, sizes).auc
    found = CurveInfluences.nowhere(auc, table)
    sizes = float(sizes[0]), float(sizes[1])

    def write(piece: Piece) -> Floats:
        sums = np.zeros((n_sums, 2))
        kernels.auc_influences(*piece.columns, piece.above, sizes, *found.at(piece), sums)
        return sums

    return found, sum(by_pieces(table, write), np.zeros((n_sums, 2)))


def rank_loss(table: ScoreTable) -> CurveInfluences:
    """Return 1 - AUC."""
    return roc_auc(table).scaled(-1.0, 1.0)


def gini(table: ScoreTable) -> CurveInfluences:
    """Return 2 AUC - 1."""
    return roc_auc(table).scaled(2.0, -1.0)


def average_precision(table: ScoreTable) -> CurveInfluences:
    """Return average precision; a row lowers or raises the precision of all positives below it."""
    found = CurveInfluences.nowhere(float(average_precision_score(table)), table)
    size = float(table.n_positive)

    def shares(piece: Piece) -> tuple[CurveInfluences, tuple[float, float]]:
        here = found.at(piece)
        return here, kernels.precision_shares(*piece.columns, piece.above, *here[1:])

    jobs, below = [], (0.0, 0.0)
    for (value, *columns), (gained, lost) in reversed(by_pieces(table, shares)):
        jobs.append(partial(kernels.precision_influences, size, value, below, *columns))
        below = below[0] + gained, below[1] + lost
    run(jobs)
    return found


def area_under_pr(table: ScoreTable, interpolation: str = "continuous") -> CurveInfluences:
    """Return the area under the P-R curve by one of its three estimators."""
    if interpolation == "step":
        return average_precision(table)
    c = CurveCounts.of(table)
    value, m = pr_auc(table, interpolation=interpolation), c.tp[-1]  # type: ignore[arg-type]
    slopes_of = _slopes_of_lines if interpolation == "trapezoid" else _slopes_of_segments
    start_tp, start_fp, by_tp, by_fp = slopes_of(c, c.tp - c.positives, c.fp - c.negatives)
    by_tp[:-1] += start_tp[1:]  # where one part ends, the next starts
    by_fp[:-1] += start_fp[1:]
    of_positives = (_from_here_down(by_tp) - value) / m
    return CurveInfluences(value, of_positives, _from_here_down(by_fp) / m)


_Slopes = tuple[Floats, Floats, Floats, Floats]
"""How the parts of an area move with TP and FP at their starts, then with both at their ends."""


def _slopes_of_lines(c: CurveCounts, tp: Floats, fp: Floats) -> _Slopes:
    """Return those of the mean of the precisions at both ends, times the positives between."""
    started = np.where(tp + fp > 0.0, tp + fp, np.inf)
    called, half = c.tp + c.fp, c.positives / 2.0
    before = np.where(tp + fp > 0.0, tp / started, 1.0)  # the curve starts at precision 1
    mean = (before + c.tp / called) / 2.0
    return (
        half * fp / started**2 - mean,
        -half * tp / started**2,
        half * c.fp / called**2 + mean,
        -half * c.tp / called**2,
    )


def _slopes_of_segments(c: CurveCounts, tp: Floats, fp: Floats) -> _Slopes:
    """Return those of p times the integral of T / (T + F) over u from 0 to 1.

    T = tp + p u and F = fp + q u: the slopes are p times the integrals of 1 - u, or u, times
    F / (T + F)^2 for TP and -T / (T + F)^2 for FP; as the width p is the difference of both TPs,
    the mean precision is added at the end and taken away at the start.
    """
    rises = c.positives > 0.0  # other parts have no width
    p, q, tp, fp = (column[rises] for column in (c.positives, c.negatives, tp, fp))
    n = tp + fp
    from_origin = n == 0.0  # only the first part
    safe = np.where(from_origin, 1.0, n)
    x = np.where(from_origin, 0.0, (p + q) / safe)
    i0, i1, i2, mean_0, mean_1 = _integrals(x)
    precision = (tp * mean_0 + p * mean_1) / safe
    scale = p / safe**2
    slopes = [
        scale * (fp * (i0 - i1) + q * (i1 - i2)) - precision,
        -scale * (tp * (i0 - i1) + p * (i1 - i2)),
        scale * (fp * i1 + q * i2) + precision,
        -scale * (tp * i1 + p * i2),
    ]
    if from_origin.any():  # precision p / (p + q) throughout, whatever u
        share, rest = p / (p + q), q / (p + q)
        there = (0.0 * p, 0.0 * p, share + share * rest, -share * share)
        for column, first in zip(slopes, there, strict=True):
            column[from_origin] = first[from_origin]
    found = np.zeros((4, len(rises)))
    for row, column in zip(found, slopes, strict=True):
        row[rises] = column
    return found[0], found[1], found[2], found[3]


def _integrals(x: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return the integrals of u^k / (1 + x u)^2, k = 0, 1, 2, and u^k / (1 + x u), k = 0, 1.

    In closed form where x is large, by ten points of Gauss and Legendre elsewhere: there the closed
    forms cancel, and the rule is exact to rounding (its error falls as 5.8^-20).
    """
    found = np.zeros((5, len(x)))
    large = x > 1.0
    small = x[~large]
    part = np.zeros((5, len(small)))
    for point, weight in zip(*np.polynomial.legendre.leggauss(10), strict=True):
        u, weight = (point + 1.0) / 2.0, weight / 2.0
        inverse = 1.0 / (1.0 + small * u)
        squared = inverse * inverse
        for row, term in zip(
            part, (squared, u * squared, u * u * squared, inverse, u * inverse), strict=True
        ):
            row += weight * term
    found[:, ~large] = part
    big = x[large]
    log_part = np.log1p(big)
    found[0, large] = 1.0 / (1.0 + big)
    found[1, large] = (log_part - big / (1.0 + big)) / big**2
    found[2, large] = (big * (2.0 + big) / (1.0 + big) - 2.0 * log_part) / big**3
    found[3, large] = log_part / big
    found[4, large] = (big - log_part) / big**2
    return found[0], found[1], found[2], found[3], found[4]


def ks_statistic(table: ScoreTable) -> CurveInfluences:
    """Return the largest gap; where it is largest, a move of the threshold changes nothing."""
    found = ks_of_table(table)
    above = np.asarray(table.scores >= found.threshold, np.float64)
    p, q = (float(size) for size in (table.n_positive, table.n_negative))
    return CurveInfluences(
        found.statistic,
        (above - found.true_positive_rate) * (found.sign / p),
        (found.false_positive_rate - above) * (found.sign / q),
    )


def partial_auc_influences(
    table: ScoreTable,
    false_positive_rate_range: tuple[float, float] | None = None,
    true_positive_rate_range: tuple[float, float] | None = None,
    standardized: bool = False,
) -> CurveInfluences:
    """Return the area between two false, or true, positive rates.

    At a fixed FPR a positive raises the curve below its score, and a negative shifts it: the curve
    moves by its slope. Between true positive rates, classes and order change places.
    """
    over_tpr = true_positive_rate_range is not None
    low, high = true_positive_rate_range or false_positive_rate_range or (0.0, 1.0)
    c = CurveCounts.of(table)
    if over_tpr:
        p, q = c.negatives[::-1], c.positives[::-1]
        inside = _between(CurveCounts(p, q, p.cumsum(), q.cumsum()), 1.0 - high, 1.0 - low)
        found = CurveInfluences(inside.value, inside.of_negatives[::-1], inside.of_positives[::-1])
    else:
        found = _between(c, low, high)
    ranges: dict[str, Any] = {
        "false_positive_rate_range": false_positive_rate_range,
        "true_positive_rate_range": true_positive_rate_range,
    }
    value = partial_auc(table, **ranges, standardized=standardized)
    if standardized:
        perfect = high - low
        diagonal = perfect * (2.0 - low - high if over_tpr else low + high) / 2.0
        found = found.scaled(0.5 / (perfect - diagonal))
    return found._replace(value=value)


def _between(c: CurveCounts, low: float, high: float) -> CurveInfluences:
    """Return the area between two FPRs."""
    m, n = c.tp[-1], c.fp[-1]
    before = c.fp - c.negatives
    flat = c.negatives == 0.0
    width = np.where(flat, 1.0, c.negatives)
    start, stop = (np.clip((end * n - before) / width, 0.0, 1.0) for end in (low, high))
    is_inside = (before > low * n) & (before < high * n)
    start, stop = np.where(flat, 0.0, start), np.where(flat, is_inside, stop)
    length, square = stop - start, (stop * stop - start * start) / 2.0
    along, up = c.negatives / n, c.positives / m
    area = float(np.sum((c.tp - c.positives) / m * along * length + up * along * square))
    shifted = float(np.sum(up * (before / n * length + along * square)))
    later_along = _from_here_down(along * length) - along * length
    later_up = _from_here_down(up * length) - up * length
    of_positives = (later_along + along * square - area) / m
    return CurveInfluences(area, of_positives, (shifted - later_up - up * square) / n)


def _from_here_down(values: Floats) -> Floats:
    """Return the sums over each row of the table and all that score less."""
    return np.ascontiguousarray(values[::-1].cumsum()[::-1])


def doubled_placements(rows: BinaryRows) -> NDArray[np.int64]:
    """Return the doubled placement of each row, ties counting one half: whole numbers.

    A positive's is 2 (negatives below) + (negatives tied), a negative's 2 (positives above) +
    (positives tied). The rows are fully verified, without weights or with counts, none of them 0.
    """
    n = len(rows.scores)
    counts = np.empty(0, np.int64) if rows.weights is None else rows.weights.astype(np.int64)
    doubled = np.empty(n, np.int64)

    def place(
        scores: NDArray[Any], numbers: NDArray[Any], n_negative: int, above: int, below: int
    ) -> None:
        def walk(*words: Any) -> int:
            of_rows = numbers, n_negative, counts, above, below, doubled
            return int(merges.place_words(*words, *of_rows))

        if len(scores):
            walk_in_order(scores, walk)

    if n < ONE_BUCKET_ROWS:
        by_class = [np.flatnonzero(rows.labels == label) for label in (rows.negative, 1)]
        numbers = np.concatenate(by_class).astype(np.int32)
        positives = by_class[1]
        n_positive = len(positives) if rows.weights is None else int(counts[positives].sum())
        place(rows.scores[numbers], numbers, len(by_class[0]), n_positive, 0)
        return doubled
    parted = partition(rows, with_numbers=True)

    sizes = parted.rows.tolist()
    if rows.weights is not None:

        def examples(stream: int) -> int:
            return int(counts[parted.gather_carried(stream)].sum())

        sizes = run([partial(examples, stream) for stream in range(len(sizes))])

    def place_bucket(b: int, above: int, below: int) -> None:
        place(*parted.bucket(b), int(parted.rows[2 * b]), above, below)

    above, below = sum(sizes[1::2]), 0
    jobs = []
    for b in range(parted.plan.n_buckets):
        jobs.append(partial(place_bucket, b, above, below))
        above, below = above - sizes[2 * b + 1], below + sizes[2 * b]
    run(jobs)
    parted.release()
    return doubled


class OrderedRows:
    """Rows of two classes in the order of their scores, whose groups of ties are rows of a table.

    They are fully verified, none of weight 0.
    """

    def __init__(self, rows: BinaryRows) -> None:
        self._rows = rows

    @cached_property
    def _ordered(self) -> tuple[RowOrder, ScoreTable]:
        rows = self._rows
        order = row_order(rows.scores)
        n = order.n_distinct
        scores, positives, negatives = np.empty(n, rows.scores.dtype), *np.empty((2, n))

        def weigh(first: int, stop: int) -> None:
            here = slice(n - stop, n - first)
            weigh_runs(rows, order, first, stop, scores[here], positives[here], negatives[here])

        run([partial(weigh, *job) for job in order.jobs()])
        are_counts = rows.weights is None or rows.integer_weights
        kind = np.dtype(np.int64 if are_counts else np.float64)
        p, q = positives.astype(kind, copy=False), negatives.astype(kind, copy=False)
        return order, ScoreTable._of_columns(scores, p, q, rows.weight_exponent)

    @property
    def table(self) -> ScoreTable:
        """The classes at each score."""
        return self._ordered[1]

    def spread(self, by_score: Floats) -> Floats:
        """Return for each row, in the order of the rows, the entry of its score in the table."""
        return self._ordered[0].spread(np.ascontiguousarray(by_score[::-1]))

    def influences(
        self, of_table: Callable[..., CurveInfluences], **parameters: Any
    ) -> RowInfluences:
        """Return a metric with the influence of each row, in the order of the rows."""
        order, table = self._ordered
        found = curve_influences(table, of_table, **parameters)
        columns = found.of_negatives, found.of_positives
        return RowInfluences(found.value, order.spread_by_class(self._rows.labels, *columns))

    def auc(self) -> RowInfluences:
        """Return the AUC the same way; of counts by placements, which need no order."""
        rows = self._rows
        if "_ordered" in vars(self) or not (rows.weights is None or rows.integer_weights):
            return self.influences(roc_auc)
        return _of_placements(rows)


def _of_placements(rows: BinaryRows) -> RowInfluences:
    """Return the AUC of rows, or of counts of them: whole numbers, which need no order."""
    doubled = doubled_placements(rows)
    is_positive = rows.labels == 1
    if rows.weights is None:
        m = int(np.count_nonzero(is_positive))
        n = len(doubled) - m
        twice = int(doubled.sum()) // 2
    else:
        counts = rows.weights.astype(np.int64)
        m = int(counts[is_positive].sum())
        n = int(counts.sum()) - m
        twice = int(exact_dot(counts, doubled)) // 2
    if not (m and n):
        return RowInfluences(float("nan"), np.full(len(doubled), np.nan))
    value = twice / (2 * m * n)
    # of a positive (V / (2 n) - A) / m, of a negative (V / (2 m) - A) / n
    centres = np.array([value / n, value / m])
    influences = doubled.view(np.float64)  # in place: fresh memory costs more than the sums

    def fill(here: slice) -> None:
        moved = doubled[here] / (2.0 * m * n)
        moved -= centres[is_positive.view(np.int8)[here]]
        influences[here] = moved

    by_blocks(len(doubled), fill)
    return RowInfluences(value, influences)


def roc_auc_of_classes(
    codes: NDArray[np.int64],
    scores: NDArray[Any],
    weights: Floats | None,
    *,
    multi_class: str,
    average: str,
) -> RowInfluences:
    """Return the mean AUC of each class against the rest, or of pairs of classes."""
    n_classes = scores.shape[1]

    def auc(kept: NDArray[np.bool_], k: int) -> RowInfluences:
        column = np.ascontiguousarray(scores[kept, k])
        labels = (codes[kept] == k).view(np.int8)
        chosen = None if weights is None else weights[kept]
        rows = BinaryRows(labels, 0, column, chosen, integer_weights=False, allow_inf=False)
        inner = OrderedRows(rows).auc()
        influences = np.zeros(len(codes))
        influences[kept] = inner.influences
        return RowInfluences(inner.value, influences)

    groups: list[tuple[int, ...]] = [(k,) for k in range(n_classes)]
    if multi_class == "ovo":
        groups = list(combinations(range(n_classes), 2))
    values, influences = [], []
    for group in groups:
        kept = np.ones(len(codes), np.bool_)
        if len(group) == 2:
            kept = (codes == group[0]) | (codes == group[1])
        areas = [auc(kept, k) for k in group]
        values.append(sum(each.value for each in areas) / len(areas))
        total: Any = sum(each.influences for each in areas)
        influences.append(total / len(areas))
    if average == "macro":
        return RowInfluences(float(np.mean(values)), np.mean(influences, axis=0))
    sizes = np.bincount(codes, weights, n_classes)
    of_groups = np.array([sizes[list(group)].sum() for group in groups])
    value = float(np.average(values, weights=of_groups))
    # The weight of a row moves that of each group that its class is in.
    by_class = np.zeros(n_classes)
    for group, area in zip(groups, values, strict=True):
        by_class[list(group)] += area - value
    moved: Floats = np.average(influences, axis=0, weights=of_groups)
    return RowInfluences(value, moved + by_class[codes] / of_groups.sum())


# How replicates of a bootstrap make metrics of a curve. A line of op-codes of their kernels is
# (kind, criterion, two bounds), and leaves a state, see ``_kernels/replicates.py``.

Fields = dict[str, Any]

# A corrected partial AUC this near to 1/2, where it ends to be defined, is 1/2: all scores tied.
_ROUNDING: Final = 2.0**-46
OF_A_MAXIMUM: Final = (
    "the interval is of the best value in the population, which a sample's overstates by chance; "
    "it covers less than its level (docs/coverage.md)"
)
OF_A_CHOICE: Final = (
    "the interval is of the value at the best threshold of the population, which each resample "
    "looks for anew, not at the threshold found here; where positives are few it covers less than "
    "its level (docs/coverage.md)"
)
_CRITERIA: Final = {
    "youden": replicates.YOUDEN,
    "closest-topleft": replicates.CLOSEST,
    "fewest-errors": replicates.ERRORS,
    "fbeta": replicates.F_BETA,
    "precision_at_recall": replicates.PRECISION,
    "recall_at_precision": replicates.RECALL,
    "recall_at_false_positive_rate": replicates.RECALL_AT_FPR,
}


def curve_replicates(entry: Metric, **parameters: Any) -> Fields:
    """Return how replicates make a metric, by the names of the fields of its specification.

    ``finish`` makes values of a yield and of the states of its ``lines``; ``undefined_where`` says
    why a replicate of both classes may have none, ``note`` what a reader of the interval must know.
    ``moved`` and ``of_table`` are there where the registry says neither.
    """
    if entry.linear_in_auc and parameters.get("max_fpr") in (None, 1):
        slope, shift = entry.linear_in_auc
        return {"finish": lambda out: slope * _share_of_pairs(out, out.twice_pairs) + shift}
    passed = {entry.passed_as.get(name, name): value for name, value in parameters.items()}
    fields_of: Callable[..., Fields] = _FIELDS.get(entry.name, _best_threshold)
    return fields_of(**entry.arguments, **passed)


def _share_of_pairs(out: Any, twice: Floats) -> Floats:
    area: Floats = twice / (2.0 * out.n_positive * out.n_negative)
    return area


def _standardized_auc(max_fpr: float) -> Fields:
    high = check_fraction("max_fpr", max_fpr, include_high=True)
    least = high * high / 2.0

    def finish(out: Any, states: Floats) -> Floats:
        value: Floats = 0.5 * (1.0 + (_share_of_pairs(out, states[0]) - least) / (high - least))
        return value

    return {"finish": finish, "lines": ((replicates.AREA, 0, 0.0, high),)}


def _partial_auc(
    false_positive_rate_range: Any = None,
    true_positive_rate_range: Any = None,
    standardized: bool = False,
) -> Fields:
    over_tpr, low, high = _checked_range(false_positive_rate_range, true_positive_rate_range)
    check_flag("standardized", standardized)
    least = float(mcclish(low * 0, low, high, over_tpr=over_tpr))
    slope = float(mcclish(low * 0 + 1, low, high, over_tpr=over_tpr)) - least

    def finish(out: Any, states: Floats) -> Floats:
        area = _share_of_pairs(out, states[0])
        if not standardized:
            return area
        corrected = least + slope * area
        corrected = np.where(np.abs(corrected - 0.5) < _ROUNDING, 0.5, corrected)
        return np.where(corrected < 0.5, np.nan, corrected)

    return {
        "finish": finish,
        "lines": ((replicates.AREA, int(over_tpr), float(low), float(high)),),
        "undefined_where": "the area is below that of chance, where McClish's correction has no "
        "value",
    }


def _area_of_precision(interpolation: str = "continuous") -> Fields:
    names = ("step", "trapezoid", "continuous")
    code = names.index(check_choice("interpolation", interpolation, names))
    return {
        "finish": lambda out, states: states[0] / out.n_positive,
        "lines": ((replicates.PRECISION_AREA, code, 0.0, 0.0),),
    }


def _ks_statistic() -> Fields:
    def finish(out: Any, above: Floats, below: Floats) -> Floats:
        value: Floats = np.maximum(above[0], below[0]) / (out.n_positive * out.n_negative)
        return value

    criteria = replicates.YOUDEN, replicates.YOUDEN_BELOW
    return {
        "finish": finish,
        "lines": tuple((replicates.BEST, criterion, 0.0, 0.0) for criterion in criteria),
        "note": f"{OF_A_MAXIMUM}; `estimate` has limits that hold",
    }


def _break_even_point() -> Fields:
    return {
        "finish": lambda out, states: np.where(states[1] > 0, states[1] / out.n_positive, np.nan),
        "lines": ((replicates.BREAK_EVEN, 0, 0.0, 0.0),),
        "undefined_where": "precision equals recall at 0 only",
    }


def _recall(merit: Floats, tp: Floats, fp: Floats, m: Floats, n: Floats) -> Floats:
    return tp / m


def _precision(merit: Floats, tp: Floats, fp: Floats, m: Floats, n: Floats) -> Floats:
    return tp / (tp + fp)


#: What is reported of the best threshold of each replicate, by its field, or its criterion.
_REPORTED: Final[dict[str, Callable[..., Floats]]] = {
    "true_positive_rate": _recall,
    "false_positive_rate": lambda merit, tp, fp, m, n: fp / n,
    "precision": _precision,
    "recall": _recall,
    "youden": lambda merit, tp, fp, m, n: tp / m - fp / n,
    "closest-topleft": lambda merit, tp, fp, m, n: np.hypot(1.0 - tp / m, fp / n),
    "fewest-errors": lambda merit, tp, fp, m, n: m - tp + fp,
    "fbeta": lambda merit, *_: merit,
    "precision_at_recall": _precision,
    "recall_at_precision": _recall,
    "recall_at_false_positive_rate": _recall,
}


def _best_threshold(
    criterion: str = "youden",
    of: str = "value",
    *,
    beta: float = 1.0,
    at_least: float | None = None,
    at_most: float | None = None,
    **costs: Any,
) -> Fields:
    check_choice("criterion", criterion, (*_CRITERIA, "lowest-cost"))
    if criterion == "lowest-cost":
        raise InputError(
            "the bootstrap covers neither the cheapest threshold nor its cost (docs/coverage.md): "
            "`threshold_cost_interval` has intervals of both"
        )
    for name, cost in costs.items():
        if cost is not None:
            raise InputTypeError(f"`{name}` has no meaning for criterion {criterion!r}")
    fields_of_rates = ("true_positive_rate", "false_positive_rate", "precision", "recall")
    check_choice("of", of, ("value", "threshold", *fields_of_rates))
    square = check_positive("beta", beta) ** 2
    bound = check_constraint(criterion, at_least, at_most)
    low = square / (1.0 + square) if criterion == "fbeta" else float(bound or 0.0)
    why = "nothing is called positive at the threshold"
    if criterion == "recall_at_precision":
        why = f"no threshold reaches a precision of {bound:g}"

    def finish(out: Any, states: Floats) -> Floats:
        merit, row, tp, fp = states
        if of == "threshold":
            scores = out.score_at(np.maximum(row.astype(np.int64), 0))
            values = np.where(row >= 0, scores, math.inf)
        else:
            report = _REPORTED[criterion if of == "value" else of]
            values = report(merit, tp, fp, out.n_positive, out.n_negative)
        return np.where(row == -2, np.nan, values)

    fields: Fields = {
        "finish": finish,
        "lines": ((replicates.BEST, _CRITERIA[criterion], low, 0.0),),
        "undefined_where": why,
    }
    if bound is None:  # nothing but the best value determines it
        fields["note"] = OF_A_MAXIMUM if of == "value" else OF_A_CHOICE
        if of == "value":
            fields["moved"] = partial(_moved_at_best, criterion=criterion, beta=beta)
    if of == "threshold":
        given: Fields = {"criterion": criterion, "beta": beta}
        given |= {"at_least": at_least, "at_most": at_most}
        fields["of_table"] = partial(_threshold_of_data, **given)
    return fields


def _threshold_of_data(table: ScoreTable, **given: Any) -> float:
    """Return the best threshold of the data."""
    if table.scores.dtype.kind in "iu":
        largest = max(map(abs, table.scores[[0, -1]].tolist()), default=0)
        if largest > 2**53:
            raise InputError(
                "`y_score` holds integers beyond 2**53, which thresholds of replicates, being "
                "floats, cannot tell apart: subtract a number from all of them"
            )
    return best_threshold(table, **given).threshold


def _moved_at_best(table: ScoreTable, criterion: Any, beta: float) -> CurveInfluences:
    """Return the best value of a criterion with what moves it, but for a factor.

    That is the decision at the best threshold: that the threshold moves too does not matter to
    first order, as the value is greatest there.
    """
    best = best_threshold(table, criterion=criterion, beta=beta)
    called = is_called_positive(table.scores, real_threshold(best.threshold)).astype(np.float64)
    if criterion == "fewest-errors":  # a number, not a share
        return CurveInfluences(best.value, 1.0 - called, called)
    if criterion == "fbeta":
        share = beta**2 / (1.0 + beta**2)
        missed = -best.value * share
        of_positives = np.where(called > 0.0, 1.0 - best.value, missed)
        return CurveInfluences(best.value, of_positives, (share - 1.0) * best.value * called)
    of_positives = (called - best.true_positive_rate) / float(table.n_positive)
    of_negatives = (best.false_positive_rate - called) / float(table.n_negative)
    if criterion == "closest-topleft":
        of_positives *= best.true_positive_rate - 1.0
        of_negatives *= -best.false_positive_rate
    return CurveInfluences(best.value, of_positives, of_negatives)


#: The metrics that are not what `best_threshold` reports.
_FIELDS: Final[dict[str, Callable[..., Fields]]] = {
    "roc_auc": _standardized_auc,
    "partial_auc": _partial_auc,
    "average_precision": partial(_area_of_precision, "step"),
    "pr_auc": _area_of_precision,
    "ks_statistic": _ks_statistic,
    "break_even_point": _break_even_point,
}
