"""``DecayedBinnedScoreTable``: a stream of scores in which old rows count ever less."""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple

import numpy as np

from fastmetrics._files import Members
from fastmetrics.errors import InputError
from fastmetrics.tables._streams import FORGOTTEN, OLDEST, Clock, Fading, weights_at
from fastmetrics.tables.binned._bins import Bins, Waiting
from fastmetrics.tables.binned._rows import Rows
from fastmetrics.tables.binned._state import (
    FIRST_ROWS,
    check_first_rows,
    checked_bins,
    checked_first_rows,
)
from fastmetrics.tables.binned._stream import RecentScores
from fastmetrics.tables.binned.bin_layout import BinLayout

#: Roundings of a weight on its way, beside those of its sum; sixteen parts of a batch are added.
_ROUNDINGS: Final = 32


class _Now(NamedTuple):
    """What is replaced, never changed (but for the end of ``waiting``, beyond ``n_seen`` rows).

    ``bins`` hold weights times ``clock.unit``. Before there are any, the first rows wait, with the
    step in which they came in place of weights. ``weight`` is that of all rows, and ``most`` the
    largest that it has been.
    """

    layout: BinLayout | None
    bins: Bins | None
    waiting: Waiting
    clock: Clock
    weight: float
    most: float


class DecayedBinnedScoreTable(Fading, RecentScores):
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

    __slots__ = ("_first_rows",)
    _options = "half_life", "per", "first_rows"
    _now: _Now

    def __init__(
        self,
        half_life: float,
        layout: BinLayout | None = None,
        *,
        first_rows: int = FIRST_ROWS,
        per: Literal["row", "batch"] = "row",
    ) -> None:
        self._begin(half_life, per)
        self._first_rows = check_first_rows(layout, first_rows)
        self._now = self._empty(layout)

    def _empty(self, layout: BinLayout | None) -> _Now:
        binned = layout is not None and self._first_rows == 0
        bins = Bins.empty(layout, is_weighted=True) if layout is not None and binned else None
        return _Now(layout, bins, Waiting(), Clock(), 0.0, 0.0)

    def _held(self) -> Rows | Bins:
        now = self._now
        if now.bins is not None:
            counts = now.bins.counts / now.clock.unit  # as of now
            counts[counts < FORGOTTEN] = 0.0
            return now.bins.with_counts(counts, math.ceil(now.most) + _ROUNDINGS)
        rows = now.waiting.rows().part(0, now.clock.n_seen)
        return self._weighed(rows, now.clock.n_steps, FORGOTTEN)

    def _after(self, rows: Rows) -> _Now:
        now, n = self._now, len(rows.labels)
        weights = self._weights(n)
        if weights is None:
            weights = np.ones(n)
        clock, exponent = self._later(n)
        layout, bins, waiting = now.layout, now.bins, now.waiting
        weighed = rows._replace(weights=weights * clock.unit)
        if bins is None:
            waiting.n = now.clock.n_seen  # what an interrupt may have left
            ages = np.arange(n)[::-1] if self._per == "row" else np.zeros(n, np.int64)
            waiting.add(rows._replace(weights=clock.n_steps - ages))  # the steps in which they came
            if waiting.n >= self._first_rows:
                first, waiting = waiting.rows(), Waiting()
                layout = layout or BinLayout.learn(first.scores[: self._first_rows])
                bins = Bins.empty(layout, is_weighted=True)
                weighed = self._weighed(first, clock.n_steps, 0.0, clock.unit)
        elif exponent:
            with np.errstate(under="ignore"):
                counts = np.ldexp(bins.counts, exponent)
            bins = bins.with_counts(counts)  # what fell to 0 is forgotten, its scores too
        else:
            bins = bins.copy()
        if bins is not None:
            bins = bins.with_rows(weighed)
        steps = clock.n_steps - now.clock.n_steps
        faded = now.weight * math.exp2(-min(steps / self._half_life, OLDEST))
        weight = faded + float(weights.sum())
        return _Now(layout, bins, waiting, clock, weight, max(now.most, weight))

    def _weighed(self, rows: Rows, n_steps: int, least: float, unit: float = 1.0) -> Rows:
        """Return rows with their weights, in place of steps, those below ``least`` left out."""
        steps = rows.weights if rows.weights is not None else np.empty(0, np.int64)
        weights = weights_at(n_steps - steps, self._half_life)
        kept = weights >= least
        if not kept.all():
            rows, weights = Rows(rows.scores[kept], rows.labels[kept], None), weights[kept]
        return rows._replace(weights=weights * unit)

    def _columns(self) -> Members:
        now = self._now
        found = {
            "n_steps": np.array(now.clock.n_steps), "weights": np.array([now.weight, now.most])
        }  # fmt: skip
        if now.bins is None:
            scores, labels, steps = now.waiting.rows().part(0, now.clock.n_seen)
            came = np.empty(0, np.int64) if steps is None else steps
            return found | {"scores": scores, "labels": labels, "steps": came}
        bins = now.bins
        return found | {"counts": bins.counts, "seen": bins.seen, "watched": bins.watched}

    def _of_kept(self, found: Members, n_seen: int) -> _Now:
        layout, clock, weights = self.layout, self._clock_of(found, n_seen), found["weights"]
        if weights.shape != (2,) or weights.dtype != np.float64:
            raise InputError("`weights` must be two numbers")
        weight, most = weights.tolist()
        if not 0.0 <= weight <= most <= 1.001 * n_seen:
            raise InputError(f"the weights are none of {n_seen:,} rows")
        bins, waiting = None, Waiting()
        if "counts" not in found:
            if n_seen >= self._first_rows:
                raise InputError("rows that should be in bins")
            waiting = Waiting.of(checked_first_rows(found, self._first_rows, "steps"))
            steps = waiting.rows().weights
            if waiting.n != n_seen or steps is None or steps.dtype != np.int64:
                raise InputError("not the first rows")
            if n_seen and (steps[-1] > clock.n_steps or (np.diff(steps) < 0).any()):
                raise InputError("steps do not rise")
        else:
            if layout is None or n_seen < self._first_rows:
                raise InputError("rows in bins that are none yet")
            bins = checked_bins(found | {"n_roundings": np.array(0)}, layout, -1074)
            if not bins.is_weighted or math.fsum(bins.counts) > 2.001 * n_seen:  # each below 2
                raise InputError(f"the weights are none of {n_seen:,} rows")
        return _Now(layout, bins, waiting, clock, weight, most)
