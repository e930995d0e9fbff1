"""Influence values of metrics of curves by score and class, and their bootstrap replicates.

Rows of one class and one score have one influence, so that two columns along the table hold all.
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
from fastmetrics.metrics.curves.roc import KolmogorovSmirnov, ks_of_table
from fastmetrics.metrics.curves.roc_auc import _checked_range, mcclish, partial_auc
from fastmetrics.tables.ordering import (
    ONE_BUCKET_ROWS,
    NarrowOrder,
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
    """A metric of a table of scores, and the influence of a row of either class at each score.

    The influence is the derivative of the value by the weight of the row, in the table's scale.
    """

    value: float
    positives: Floats
    negatives: Floats

    @classmethod
    def allocate(cls, value: float, table: ScoreTable) -> CurveInfluences:
        """Return empty columns to be filled, adjacent in memory."""
        return cls(value, *np.empty((2, len(table))))

    def at(self, piece: Piece) -> CurveInfluences:
        """Return views of a piece of the table."""
        here = slice(piece.start, piece.stop)
        return CurveInfluences(self.value, self.positives[here], self.negatives[here])

    def joined(self) -> Floats:
        """Return both columns in one array, positives first; no copy if they are adjacent."""
        base = self.positives.base
        if base is not None and base is self.negatives.base and base.shape == (2, len(base[0])):
            return base.reshape(-1)
        return np.concatenate([self.positives, self.negatives])

    def scaled(self, factor: float, added: float = 0.0) -> CurveInfluences:
        """Return the influences on ``factor * value + added``."""
        return CurveInfluences(
            factor * self.value + added, factor * self.positives, factor * self.negatives
        )


def curve_influences(
    table: ScoreTable, influences: Callable[..., CurveInfluences], **parameters: Any
) -> CurveInfluences:
    """Return a metric with its influences, all nan where a class is missing."""
    if not (table.n_positive and table.n_negative):
        undefined = np.full(len(table), np.nan)
        return CurveInfluences(float("nan"), undefined, undefined)
    return influences(table, **parameters)


class CurveCounts(NamedTuple):
    """The columns of a table as floats, and their running sums from the top."""

    positives: Floats
    negatives: Floats
    tp: Floats
    fp: Floats

    @classmethod
    def from_table(cls, table: ScoreTable) -> CurveCounts:
        """Return the counts of a table as floats."""
        columns = (table.positives, table.negatives, *running_sums(table))
        return cls(*(column.astype(np.float64, copy=False) for column in columns))


def roc_auc(table: ScoreTable, max_fpr: float | None = None) -> CurveInfluences:
    """Return the AUC; influences are DeLong's placements, centred, over the size of the class."""
    if max_fpr is not None and max_fpr < 1.0:
        low = max_fpr * max_fpr / 2.0
        scale = 0.5 / (max_fpr - low)
        return partial_auc_influences(table, (0.0, max_fpr)).scaled(scale, 0.5 - scale * low)
    return _auc(table, 0)[0]


def auc_with_sums(table: ScoreTable) -> tuple[CurveInfluences, Floats]:
    """Return the AUC, and sums of squares and of influences, (2, 2), the negatives first."""
    return _auc(table, 2)


def _auc(table: ScoreTable, n_sums: int) -> tuple[CurveInfluences, Floats]:
    sizes = table.n_positive, table.n_negative
    auc = pairs_of_weights(table.positives, table.negatives, sizes).auc
    result = CurveInfluences.allocate(auc, table)
    sizes = float(sizes[0]), float(sizes[1])

    def write(piece: Piece) -> Floats:
        sums = np.zeros((n_sums, 2))
        kernels.auc_influences(*piece.columns, piece.above, sizes, *result.at(piece), sums)
        return sums

    return result, sum(by_pieces(table, write), np.zeros((n_sums, 2)))


def average_precision(table: ScoreTable) -> CurveInfluences:
    """Return average precision; a row changes the precision of all positives below it."""
    result = CurveInfluences.allocate(float(average_precision_score(table)), table)
    size = float(table.n_positive)

    def sum_piece(piece: Piece) -> tuple[CurveInfluences, tuple[float, float]]:
        here = result.at(piece)
        return here, kernels.precision_fractions(*piece.columns, piece.above, *here[1:])

    jobs = []
    below = (0.0, 0.0)
    for (value, *columns), (gained, lost) in reversed(by_pieces(table, sum_piece)):
        jobs.append(partial(kernels.precision_influences, size, value, below, *columns))
        below = below[0] + gained, below[1] + lost
    run(jobs)
    return result


def area_under_pr(table: ScoreTable, interpolation: str = "continuous") -> CurveInfluences:
    """Return the area under the P-R curve by one of its three estimators."""
    if interpolation == "step":
        return average_precision(table)
    c = CurveCounts.from_table(table)
    value = pr_auc(table, interpolation=interpolation)  # type: ignore[arg-type]
    m = c.tp[-1]
    compute_slopes = _line_slopes if interpolation == "trapezoid" else _segment_slopes
    start_tp, start_fp, by_tp, by_fp = compute_slopes(c, c.tp - c.positives, c.fp - c.negatives)
    by_tp[:-1] += start_tp[1:]  # the end of a segment is the start of the next one
    by_fp[:-1] += start_fp[1:]
    positives = (_sum_below(by_tp) - value) / m
    return CurveInfluences(value, positives, _sum_below(by_fp) / m)


_Slopes = tuple[Floats, Floats, Floats, Floats]
"""Derivatives of the area of each segment by TP and FP at its start, then at its end."""


def _line_slopes(c: CurveCounts, tp: Floats, fp: Floats) -> _Slopes:
    """Return the slopes of the mean of both precisions, times the positives between."""
    started = np.where(tp + fp > 0.0, tp + fp, np.inf)
    called = c.tp + c.fp
    half = c.positives / 2.0
    before = np.where(tp + fp > 0.0, tp / started, 1.0)  # the curve starts at precision 1
    mean = (before + c.tp / called) / 2.0
    return (
        half * fp / started**2 - mean,
        -half * tp / started**2,
        half * c.fp / called**2 + mean,
        -half * c.tp / called**2,
    )


def _segment_slopes(c: CurveCounts, tp: Floats, fp: Floats) -> _Slopes:
    """Return the slopes of p times the integral of T / (T + F) over u from 0 to 1.

    T = tp + p u and F = fp + q u: the slopes are p times the integrals of 1 - u, or u, times
    F / (T + F)^2 for TP and -T / (T + F)^2 for FP. The width p is the difference of both TPs: the
    mean precision is added at the end and subtracted at the start.
    """
    rises = c.positives > 0.0  # other segments have no width
    p, q, tp, fp = (column[rises] for column in (c.positives, c.negatives, tp, fp))
    n = tp + fp
    from_origin = n == 0.0  # only the first segment
    safe = np.where(from_origin, 1.0, n)
    i0, i1, i2, mean_0, mean_1 = _integrals(np.where(from_origin, 0.0, (p + q) / safe))
    precision = (tp * mean_0 + p * mean_1) / safe
    scale = p / safe**2
    slopes = [
        scale * (fp * (i0 - i1) + q * (i1 - i2)) - precision,
        -scale * (tp * (i0 - i1) + p * (i1 - i2)),
        scale * (fp * i1 + q * i2) + precision,
        -scale * (tp * i1 + p * i2),
    ]
    if from_origin.any():  # precision p / (p + q) throughout, whatever u
        precision = p / (p + q)
        at_end = precision + precision * (q / (p + q))
        limits = (0.0 * p, 0.0 * p, at_end, -precision * precision)
        for column, first in zip(slopes, limits, strict=True):
            column[from_origin] = first[from_origin]
    result = np.zeros((4, len(rises)))
    for row, column in zip(result, slopes, strict=True):
        row[rises] = column
    return result[0], result[1], result[2], result[3]


def _integrals(x: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return the integrals of u^k / (1 + x u)^2, k = 0, 1, 2, and u^k / (1 + x u), k = 0, 1.

    Closed forms where x > 1; elsewhere they cancel, and ten points of Gauss-Legendre are exact to
    rounding (their error falls as 5.8^-20).
    """
    integrals = np.zeros((5, len(x)))
    large = x > 1.0
    small = x[~large]
    small_integrals = np.zeros((5, len(small)))
    for point, weight in zip(*np.polynomial.legendre.leggauss(10), strict=True):
        u = (point + 1.0) / 2.0
        inverse = 1.0 / (1.0 + small * u)
        squared = inverse * inverse
        for row, term in zip(
            small_integrals,
            (squared, u * squared, u * u * squared, inverse, u * inverse),
            strict=True,
        ):
            row += weight / 2.0 * term
    integrals[:, ~large] = small_integrals
    big = x[large]
    log_part = np.log1p(big)
    integrals[0, large] = 1.0 / (1.0 + big)
    integrals[1, large] = (log_part - big / (1.0 + big)) / big**2
    integrals[2, large] = (big * (2.0 + big) / (1.0 + big) - 2.0 * log_part) / big**3
    integrals[3, large] = log_part / big
    integrals[4, large] = (big - log_part) / big**2
    return integrals[0], integrals[1], integrals[2], integrals[3], integrals[4]


def ks_statistic(table: ScoreTable) -> CurveInfluences:
    """Return the largest gap; to first order its threshold does not matter."""
    gap = ks_of_table(table)
    sizes = float(table.n_positive), float(table.n_negative)
    return CurveInfluences(gap.statistic, *gap_influences(table.scores, gap, sizes))


def gap_influences(
    scores: NDArray[Any], gap: KolmogorovSmirnov, sizes: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return influences on the largest gap of rows of either class, at some of the scores."""
    above = np.asarray(scores >= gap.threshold, np.float64)
    return (
        (above - gap.true_positive_rate) * (gap.sign / sizes[0]),
        (gap.false_positive_rate - above) * (gap.sign / sizes[1]),
    )


def partial_auc_influences(
    table: ScoreTable,
    false_positive_rate_range: tuple[float, float] | None = None,
    true_positive_rate_range: tuple[float, float] | None = None,
    standardized: bool = False,
) -> CurveInfluences:
    """Return the area between two false, or true, positive rates.

    At a fixed FPR a positive raises the curve below its score; a negative shifts the curve, which
    changes by its slope. For ranges of true positive rates, classes and order are swapped.
    """
    over_tpr = true_positive_rate_range is not None
    low, high = true_positive_rate_range or false_positive_rate_range or (0.0, 1.0)
    c = CurveCounts.from_table(table)
    if over_tpr:
        p = c.negatives[::-1]
        q = c.positives[::-1]
        inside = _between(CurveCounts(p, q, p.cumsum(), q.cumsum()), 1.0 - high, 1.0 - low)
        result = CurveInfluences(inside.value, inside.negatives[::-1], inside.positives[::-1])
    else:
        result = _between(c, low, high)
    ranges: dict[str, Any] = {
        "false_positive_rate_range": false_positive_rate_range,
        "true_positive_rate_range": true_positive_rate_range,
    }
    value = partial_auc(table, **ranges, standardized=standardized)
    if standardized:
        perfect = high - low
        diagonal = perfect * (2.0 - low - high if over_tpr else low + high) / 2.0
        result = result.scaled(0.5 / (perfect - diagonal))
    return result._replace(value=value)


def _between(c: CurveCounts, low: float, high: float) -> CurveInfluences:
    """Return the area between two FPRs."""
    m, n = c.tp[-1], c.fp[-1]
    before = c.fp - c.negatives
    flat = c.negatives == 0.0
    width = np.where(flat, 1.0, c.negatives)
    start, stop = (np.clip((end * n - before) / width, 0.0, 1.0) for end in (low, high))
    is_inside = (before > low * n) & (before < high * n)
    start = np.where(flat, 0.0, start)
    stop = np.where(flat, is_inside, stop)
    length = stop - start
    square = (stop * stop - start * start) / 2.0
    along = c.negatives / n
    up = c.positives / m
    area = float(np.sum((c.tp - c.positives) / m * along * length + up * along * square))
    shifted = float(np.sum(up * (before / n * length + along * square)))
    later_along = _sum_below(along * length) - along * length
    later_up = _sum_below(up * length) - up * length
    positives = (later_along + along * square - area) / m
    return CurveInfluences(area, positives, (shifted - later_up - up * square) / n)


def _sum_below(values: Floats) -> Floats:
    """Return the sums over each row of the table and all rows of lower scores."""
    return np.ascontiguousarray(values[::-1].cumsum()[::-1])


def doubled_placements(rows: BinaryRows) -> NDArray[np.int64]:
    """Return the doubled placement of each row, an integer; ties count one half.

    It is 2 (negatives below) + (negatives tied) for a positive, and 2 (positives above) +
    (positives tied) for a negative. Rows are validated, with positive counts or no weights.
    """
    if rows.is_countable:
        table = ScoreTable.from_rows(rows)
        below = 2 * (table.n_negative - table.false_positives) + table.negatives
        above = 2 * table.true_positives - table.positives
        order = NarrowOrder(rows.unwidened[2], table.scores)
        return order.spread_by_class(rows.labels, above, below)
    n = len(rows)
    counts = np.empty(0, np.int64) if rows.weights is None else rows.weights.astype(np.int64)
    doubled = np.empty(n, np.int64)

    def place(
        scores: NDArray[Any], numbers: NDArray[Any], n_negative: int, above: int, below: int
    ) -> None:
        def walk(*keys: Any) -> int:
            arrays = numbers, n_negative, counts, above, below, doubled
            return int(merges.place_rows(*keys, *arrays))

        if len(scores):
            walk_in_order(scores, walk)

    if n < ONE_BUCKET_ROWS:
        by_class = [np.flatnonzero(rows.labels == label) for label in (rows.negative, 1)]
        numbers = np.concatenate(by_class).astype(np.int32)
        positives = by_class[1]
        n_positive = len(positives) if rows.weights is None else int(counts[positives].sum())
        place(rows.scores[numbers], numbers, len(by_class[0]), n_positive, 0)
        return doubled
    buckets = partition(rows, with_numbers=True)

    sizes = buckets.rows.tolist()
    if rows.weights is not None:

        def examples(stream: int) -> int:
            return int(counts[buckets.gather_carried(stream)].sum())

        sizes = run([partial(examples, stream) for stream in range(len(sizes))])

    def place_bucket(b: int, above: int, below: int) -> None:
        place(*buckets.bucket(b), int(buckets.rows[2 * b]), above, below)

    above = sum(sizes[1::2])
    below = 0
    jobs = []
    for b in range(buckets.bucket_map.n_buckets):
        jobs.append(partial(place_bucket, b, above, below))
        above -= sizes[2 * b + 1]
        below += sizes[2 * b]
    run(jobs)
    buckets.release()
    return doubled


class OrderedRows:
    """Rows of two classes in the order of their scores; ties form one row of the table.

    Rows are validated, with positive weights.
    """

    def __init__(self, rows: BinaryRows) -> None:
        self._rows = rows

    @cached_property
    def _ordered(self) -> tuple[RowOrder | NarrowOrder, ScoreTable]:
        rows = self._rows
        if rows.is_countable:
            table = ScoreTable.from_rows(rows)
            return NarrowOrder(rows.unwidened[2], table.scores), table
        order = row_order(rows.scores)
        n = order.n_distinct
        scores = np.empty(n, rows.scores.dtype)
        are_counts = rows.weights is None or rows.integer_weights
        kind = np.dtype(np.int64 if are_counts else np.float64)
        positives, negatives = np.empty(n, kind), np.empty(n, kind)

        def weigh(first: int, stop: int) -> None:
            here = slice(n - stop, n - first)
            sums = np.empty((2, stop - first))
            weigh_runs(rows, order, first, stop, scores[here], *sums)
            positives[here], negatives[here] = sums

        run([partial(weigh, *job) for job in order.jobs()])
        columns = scores, positives, negatives
        return order, ScoreTable._from_columns(*columns, rows.weight_exponent)

    @property
    def table(self) -> ScoreTable:
        """The classes at each score."""
        return self._ordered[1]

    def spread(self, by_score: Floats) -> Floats:
        """Return for each row, in the order of the rows, the entry at its score in the table."""
        return self._ordered[0].spread_by_class(self._rows.labels, by_score, by_score)

    def influences(
        self, function: Callable[..., CurveInfluences], **parameters: Any
    ) -> RowInfluences:
        """Return a metric with the influence of each row, in the order of the rows."""
        order, table = self._ordered
        result = curve_influences(table, function, **parameters)
        columns = result.negatives, result.positives
        return RowInfluences(result.value, order.spread_by_class(self._rows.labels, *columns))

    def auc(self) -> RowInfluences:
        """Return the AUC with influences; of counts from placements, without sorting."""
        rows = self._rows
        if "_ordered" in vars(self) or not (rows.weights is None or rows.integer_weights):
            return self.influences(roc_auc)
        return _placement_influences(rows)


def _placement_influences(rows: BinaryRows) -> RowInfluences:
    """Return the AUC of rows, or of counts of rows, from placements."""
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
    # influences: (V / (2 n) - A) / m of a positive, (V / (2 m) - A) / n of a negative
    centres = np.array([value / n, value / m])
    influences = doubled.view(np.float64)  # in place: fresh memory costs more than the sums

    def fill(here: slice) -> None:
        centred = doubled[here] / (2.0 * m * n)
        centred -= centres[is_positive.view(np.int8)[here]]
        influences[here] = centred

    by_blocks(len(doubled), fill)
    return RowInfluences(value, influences)


def multiclass_influences(
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
    values = []
    influences = []
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
    group_sizes = np.array([sizes[list(group)].sum() for group in groups])
    value = float(np.average(values, weights=group_sizes))
    # The weight of a row changes the weights of all groups with its class.
    by_class = np.zeros(n_classes)
    for group, area in zip(groups, values, strict=True):
        by_class[list(group)] += area - value
    average_influences: Floats = np.average(influences, axis=0, weights=group_sizes)
    return RowInfluences(value, average_influences + by_class[codes] / group_sizes.sum())


# Bootstrap replicates of metrics of curves. A line of op-codes for the kernels is
# (kind, criterion, two bounds) and leaves a state, see ``_kernels/replicates.py``.

Fields = dict[str, Any]

# A corrected partial AUC within this of 1/2, below which it is undefined, is 1/2: scores tie.
_ROUNDING: Final = 2.0**-46
MAXIMUM_NOTE: Final = (
    "the best value in a sample is optimistic, and its interval covers less than its level "
    "(docs/coverage.md)"
)
CHOICE_NOTE: Final = (
    "the threshold is re-chosen in every resample; with few positives the interval covers less "
    "than its level (docs/coverage.md)"
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
    """Return the fields of the specification of a metric's replicates, by name.

    ``finish`` computes values from a yield and the states of its ``ops``; ``undefined_where`` is
    the reason why a replicate of both classes may have no value, ``note`` a caveat of the interval.
    ``gradient`` and ``table_value`` are set where the registry has neither.
    """
    if entry.linear_in_auc and parameters.get("max_fpr") in (None, 1):
        slope, shift = entry.linear_in_auc
        return {"finish": lambda out: slope * _pair_fraction(out, out.twice_pairs) + shift}
    passed = {entry.passed_as.get(name, name): value for name, value in parameters.items()}
    make_fields: Callable[..., Fields] = _FIELDS.get(entry.name, _best_threshold)
    return make_fields(**entry.arguments, **passed)


def _pair_fraction(out: Any, twice: Floats) -> Floats:
    area: Floats = twice / (2.0 * out.n_positive * out.n_negative)
    return area


def _standardized_auc(max_fpr: float) -> Fields:
    high = check_fraction("max_fpr", max_fpr, include_high=True)
    least = high * high / 2.0

    def finish(out: Any, states: Floats) -> Floats:
        value: Floats = 0.5 * (1.0 + (_pair_fraction(out, states[0]) - least) / (high - least))
        return value

    return {"finish": finish, "ops": ((replicates.AREA, 0, 0.0, high),)}


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
        area = _pair_fraction(out, states[0])
        if not standardized:
            return area
        corrected = least + slope * area
        corrected = np.where(np.abs(corrected - 0.5) < _ROUNDING, 0.5, corrected)
        return np.where(corrected < 0.5, np.nan, corrected)

    return {
        "finish": finish,
        "ops": ((replicates.AREA, int(over_tpr), float(low), float(high)),),
        "undefined_where": "the area is below that of chance, where McClish's correction has no "
        "value",
    }


def _area_of_precision(interpolation: str = "continuous") -> Fields:
    names = ("step", "trapezoid", "continuous")
    code = names.index(check_choice("interpolation", interpolation, names))
    return {
        "finish": lambda out, states: states[0] / out.n_positive,
        "ops": ((replicates.PRECISION_AREA, code, 0.0, 0.0),),
    }


def _ks_statistic() -> Fields:
    def finish(out: Any, above: Floats, below: Floats) -> Floats:
        value: Floats = np.maximum(above[0], below[0]) / (out.n_positive * out.n_negative)
        return value

    criteria = replicates.YOUDEN, replicates.YOUDEN_BELOW
    return {
        "finish": finish,
        "ops": tuple((replicates.BEST, criterion, 0.0, 0.0) for criterion in criteria),
        "note": f"{MAXIMUM_NOTE}; `estimate` has limits that hold",
    }


def _break_even_point() -> Fields:
    return {
        "finish": lambda out, states: np.where(states[1] > 0, states[1] / out.n_positive, np.nan),
        "ops": ((replicates.BREAK_EVEN, 0, 0.0, 0.0),),
        "undefined_where": "precision equals recall at 0 only",
    }


def _recall(merit: Floats, tp: Floats, fp: Floats, m: Floats, n: Floats) -> Floats:
    return tp / m


def _precision(merit: Floats, tp: Floats, fp: Floats, m: Floats, n: Floats) -> Floats:
    return tp / (tp + fp)


#: The reported value at the best threshold of each replicate, by field or by criterion.
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
        "ops": ((replicates.BEST, _CRITERIA[criterion], low, 0.0),),
        "undefined_where": why,
    }
    if bound is None:  # chosen by its value alone, which the sample overstates
        fields["note"] = MAXIMUM_NOTE if of == "value" else CHOICE_NOTE
        if of == "value":
            fields["gradient"] = partial(_influences_at_best, criterion=criterion, beta=beta)
    if of == "threshold":
        given: Fields = {"criterion": criterion, "beta": beta}
        given |= {"at_least": at_least, "at_most": at_most}
        fields["table_value"] = partial(_best_observed_threshold, **given)
    return fields


def _best_observed_threshold(table: ScoreTable, **given: Any) -> float:
    """Return the best threshold of the data."""
    if table.scores.dtype.kind in "iu":
        largest = max(map(abs, table.scores[[0, -1]].tolist()), default=0)
        if largest > 2**53:
            raise InputError(
                "`y_score` holds integers beyond 2**53, which thresholds of replicates, being "
                "floats, cannot tell apart: subtract a number from all of them"
            )
    return best_threshold(table, **given).threshold


def _influences_at_best(table: ScoreTable, criterion: Any, beta: float) -> CurveInfluences:
    """Return the best value of a criterion with its influences, up to a factor.

    They are those at the fixed best threshold: its own change does not matter to first order, as
    the value is at its maximum there.
    """
    best = best_threshold(table, criterion=criterion, beta=beta)
    called = is_called_positive(table.scores, real_threshold(best.threshold)).astype(np.float64)
    if criterion == "fewest-errors":  # a number, not a rate
        return CurveInfluences(best.value, 1.0 - called, called)
    if criterion == "fbeta":
        weight = beta**2 / (1.0 + beta**2)
        missed = -best.value * weight
        positives = np.where(called > 0.0, 1.0 - best.value, missed)
        return CurveInfluences(best.value, positives, (weight - 1.0) * best.value * called)
    positives = (called - best.true_positive_rate) / float(table.n_positive)
    negatives = (best.false_positive_rate - called) / float(table.n_negative)
    if criterion == "closest-topleft":
        positives *= best.true_positive_rate - 1.0
        negatives *= -best.false_positive_rate
    return CurveInfluences(best.value, positives, negatives)


#: Metrics other than those that `best_threshold` reports.
_FIELDS: Final[dict[str, Callable[..., Fields]]] = {
    "roc_auc": _standardized_auc,
    "partial_auc": _partial_auc,
    "average_precision": partial(_area_of_precision, "step"),
    "pr_auc": _area_of_precision,
    "ks_statistic": _ks_statistic,
    "break_even_point": _break_even_point,
}
