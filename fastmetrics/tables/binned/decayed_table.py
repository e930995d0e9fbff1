"""``DecayedBinnedScoreTable``: a stream of scores in which old rows count ever less."""

from __future__ import annotations

import math
import threading
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._files import Members, scalar
from fastmetrics._input.scalars import check_n_rows, check_n_threads
from fastmetrics.errors import InputError
from fastmetrics.tables._streams import (
    FORGOTTEN,
    OLDEST,
    WHOLE_RANGE,
    Fading,
    check_rate,
    rows_seen,
    weights_at,
)
from fastmetrics.tables.binned._bins import Bins, Waiting
from fastmetrics.tables.binned._rows import ROWS, Rows, checked_rows
from fastmetrics.tables.binned._state import (
    FIRST_ROWS,
    BinnedState,
    check_first_rows,
    checked_bins,
    checked_first_rows,
)
from fastmetrics.tables.binned._stream import ScoreStream
from fastmetrics.tables.binned.bin_layout import BinLayout
from fastmetrics.tables.binned.binned_score_table import BinnedScoreTable

#: Roundings of a weight on its way, beside those of its sum; sixteen parts of a batch are added.
_ROUNDINGS: Final = 32


class _Now(NamedTuple):
    """What is replaced, never changed (but for the end of ``waiting``, beyond ``n_seen`` rows).

    ``bins`` hold weights times 2**position, 0 <= position < 1 being the part of a half-life that
    ``n_steps`` are more than whole ones. Before there are any, the first rows wait, with the step
    in which they came in place of weights. ``weight`` is that of all rows, and ``most`` the largest
    that it has been.
    """

    layout: BinLayout | None
    bins: Bins | None
    waiting: Waiting
    n_seen: int
    n_steps: int
    weight: float
    most: float


class DecayedBinnedScoreTable(Fading, ScoreStream):
    """How much weighs in each bin of the score lately: weights fall by half every `half_life` rows.

    The newest row weighs 1, the row `half_life` before it ½, the one as far before that ¼. `table`
    is a `BinnedScoreTable` of those weights, from which the limits of every measure follow.

    Parameters
    ----------
    half_life : int or float
        After so many rows (or batches) a row weighs half.
    layout : BinLayout, optional
        The bins. By default they are learnt from the first rows, for good.
    first_rows : int, default 65536
        Before there are so many, rows are kept as they are, and measures of them are all but exact.
        0, with a layout, counts in bins at once.
    per : {"row", "batch"}, default "row"
        What makes rows older: every row that follows, in the order of the batch; or every
        `update`, the rows of one batch being of one age.

    Raises
    ------
    TypeError, ValueError
        If `half_life` is not positive and finite, `layout` is no `BinLayout`, or `first_rows` no
        number up to 2**25.

    Notes
    -----
    Memory 25 bytes a bin, and as much again during an update; 17 bytes a first row, up to twice
    that as they grow. The sums are kept in units of the present that move by whole powers of two,
    which is exact. A sum's relative error is at most about ``W * 2**-53``, where ``W`` is the
    largest weight that all rows together have had (``1.44 * half_life`` for rows), however long
    the stream: limits are wider by that. Sums below 2**-250 are shown as 0.

    Several threads may update one object; their batches follow one another in some order. There is
    no merge, since rows of two streams have no common order; the `table` of each stream, taken at
    one time, can be added up where their layouts are equal.

    Examples
    --------
    >>> from fastmetrics.streams import DecayedBinnedScoreTable
    >>> lately = DecayedBinnedScoreTable(half_life=2)
    >>> lately.update([0, 1, 0, 1], [0.2, 0.1, 0.3, 0.4])
    >>> round(lately.table.n_positive, 3), round(lately.table.roc_auc().midpoint, 3)
    (1.5, 0.667)
    """

    __slots__ = ("_half_life", "_lock", "_now", "_per")

    def __init__(
        self,
        half_life: float,
        layout: BinLayout | None = None,
        *,
        first_rows: int = FIRST_ROWS,
        per: Literal["row", "batch"] = "row",
    ) -> None:
        self._half_life, self._per = check_rate(half_life, per)
        self._first_rows = check_first_rows(layout, first_rows)
        self._lock = threading.Lock()
        self._now = self._empty(layout)

    def _empty(self, layout: BinLayout | None) -> _Now:
        binned = layout is not None and self._first_rows == 0
        bins = Bins.empty(layout, is_weighted=True) if layout is not None and binned else None
        return _Now(layout, bins, Waiting(), 0, 0, 0.0, 0.0)

    @property
    def layout(self) -> BinLayout | None:
        """The bins; None until they are learnt."""
        return self._now.layout

    @property
    def n_seen(self) -> int:
        """Number of rows so far, each counted as 1."""
        return self._now.n_seen

    @property
    def table(self) -> BinnedScoreTable:
        """The weights at this moment; a table of its own, which later rows do not change."""
        with self._lock:
            now = self._now
            state = BinnedState(now.layout, self._first_rows)
            if now.bins is None:
                rows = now.waiting.rows().part(0, now.n_seen)
                state.keep(self._weighed(rows, now.n_steps, FORGOTTEN))
            else:
                state.take(_shown(now.bins, self._place(now.n_steps)[1], now.most), 0)
        return BinnedScoreTable._of(state)

    @documented(ROWS)
    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        allow_inf: bool = False,
        n_threads: int | None = None,
    ) -> None:
        """Count one more batch, the oldest row first.

        Raises
        ------
        TypeError, ValueError
            As `BinnedScoreTable.update`. Nothing has then changed.

        Notes
        -----
        O(n + bins): some twenty nanoseconds a row, and a tenth of a millisecond a batch.

        Examples
        --------
        >>> from fastmetrics.streams import DecayedBinnedScoreTable
        >>> daily = DecayedBinnedScoreTable(half_life=1, per="batch")
        >>> for y_score in ([0.1, 0.2], [0.5, 0.4], [0.3, 0.9]):
        ...     daily.update([0, 1], y_score)
        >>> daily.table.n_positive
        1.75
        """
        n_threads = check_n_threads(n_threads)
        rows = checked_rows(y_true, y_score, None, pos_label, allow_inf, n_threads)
        n = len(rows.labels)
        is_row = self._per == "row"
        ages = np.arange(n)[::-1] if is_row else np.zeros(n, np.int64)
        weights = weights_at(ages, self._half_life) if is_row else np.ones(n)
        steps = n if is_row else 1
        with self._lock:
            now = self._now
            n_seen, n_steps = check_n_rows(now.n_seen + n), now.n_steps + steps
            (before, _), (whole, unit) = self._place(now.n_steps), self._place(n_steps)
            layout, bins, waiting = now.layout, now.bins, now.waiting
            weighed = rows._replace(weights=weights * unit)
            if bins is None:
                waiting.n = now.n_seen  # what an interrupt may have left
                waiting.add(rows._replace(weights=n_steps - ages))
                if waiting.n >= self._first_rows:
                    first, waiting = waiting.rows(), Waiting()
                    if layout is None:
                        layout = BinLayout.learn(first.scores[: self._first_rows])
                    bins = Bins.empty(layout, is_weighted=True)
                    weighed = self._weighed(first, n_steps, 0.0, unit)
            else:
                bins = _scaled(bins, -min(whole - before, WHOLE_RANGE))
            if bins is not None:
                bins = bins.with_rows(weighed, n_threads)
            faded = now.weight * math.exp2(-min(steps / self._half_life, OLDEST))
            weight = faded + float(weights.sum())
            most = max(now.most, weight)
            self._now = _Now(layout, bins, waiting, n_seen, n_steps, weight, most)

    def reset(self) -> None:
        """Forget all rows, and keep the layout, given or learnt.

        Examples
        --------
        >>> from fastmetrics.streams import DecayedBinnedScoreTable
        >>> lately = DecayedBinnedScoreTable(half_life=100)
        >>> lately.update([0, 1], [0.2, 0.7])
        >>> lately.reset()
        >>> lately
        DecayedBinnedScoreTable(half_life=100.0, per='row', n_seen=0)
        """
        with self._lock:
            self._now = self._empty(self._now.layout)

    def _place(self, n_steps: int) -> tuple[int, float]:
        """Return the whole half-lives of so many steps, and what a weight of 1 is in the sums."""
        whole, part = divmod(Fraction(n_steps) / Fraction(self._half_life), 1)
        return whole, math.exp2(part)

    def _weighed(self, rows: Rows, n_steps: int, least: float, unit: float = 1.0) -> Rows:
        """Return rows with their weights, in place of steps, those below ``least`` left out."""
        steps = rows.weights if rows.weights is not None else np.empty(0, np.int64)
        weights = weights_at(n_steps - steps, self._half_life)
        kept = weights >= least
        if not kept.all():
            rows, weights = Rows(rows.scores[kept], rows.labels[kept], None), weights[kept]
        return rows._replace(weights=weights * unit)

    def _members(self) -> Members:
        with self._lock:
            now = self._now
            found = {
                "half_life": np.array(self._half_life),
                "per": np.array(self._per),
                "first_rows": np.array(self._first_rows),
                "n_seen": np.array(now.n_seen),
                "n_steps": np.array(now.n_steps),
                "weights": np.array([now.weight, now.most]),
            }
            if now.layout is not None:
                found["edges"] = now.layout.edges
            if now.bins is None:
                scores, labels, steps = now.waiting.rows().part(0, now.n_seen)
                came = np.empty(0, np.int64) if steps is None else steps
                return found | {
                    "scores": scores.copy(), "labels": labels.copy(), "steps": came.copy()
                }  # fmt: skip
            bins = now.bins  # replaced, never changed
            return found | {"counts": bins.counts, "seen": bins.seen, "watched": bins.watched}

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        layout = BinLayout(found["edges"]) if "edges" in found else None
        names = "half_life", "per", "first_rows"
        half_life, per, first_rows = (scalar(found, name) for name in names)
        table = cls(half_life, layout, first_rows=first_rows, per=per)
        n_seen, n_steps = rows_seen(found), rows_seen(found, "n_steps")
        if n_steps != n_seen if per == "row" else n_steps > n_seen:
            raise InputError(f"{n_steps:,} steps are not those of {n_seen:,} rows")
        weights = found["weights"]
        if weights.shape != (2,) or weights.dtype != np.float64:
            raise InputError("`weights` must be two numbers")
        weight, most = weights.tolist()
        if not 0.0 <= weight <= most <= 1.001 * n_seen:
            raise InputError(f"the weights are none of {n_seen:,} rows")
        bins, waiting = None, Waiting()
        if "counts" not in found:
            if n_seen >= table._first_rows:
                raise InputError("rows that should be in bins")
            waiting.add(checked_first_rows(found | {"weights": found["steps"]}, first_rows))
            steps = waiting.rows().weights
            if waiting.n != n_seen or steps is None or steps.dtype != np.int64:
                raise InputError("not the first rows")
            if n_seen and (steps[-1] > n_steps or (np.diff(steps) < 0).any()):
                raise InputError("steps do not rise")
        else:
            if layout is None or n_seen < table._first_rows:
                raise InputError("rows in bins that are none yet")
            bins = checked_bins(found | {"n_roundings": np.array(0)}, layout, -1074)
            if not bins.is_weighted or math.fsum(bins.counts) > 2.001 * n_seen:  # each below 2
                raise InputError(f"the weights are none of {n_seen:,} rows")
        table._now = _Now(layout, bins, waiting, n_seen, n_steps, weight, most)
        return table


def _scaled(bins: Bins, exponent: int) -> Bins:
    """Return bins of their own whose counts are times ``2**exponent``."""
    if not exponent:
        return bins.copy()
    with np.errstate(under="ignore"):
        counts = np.ldexp(bins.counts, exponent)
    return bins.with_counts(counts)  # what fell to 0 is forgotten, its scores too


def _shown(bins: Bins, unit: float, most: float) -> Bins:
    """Return the weights as of now, those that are all but 0 left out."""
    counts = bins.counts / unit
    counts[counts < FORGOTTEN] = 0.0
    return bins.with_counts(counts, math.ceil(most) + _ROUNDINGS)
