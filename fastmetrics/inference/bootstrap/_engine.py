"""The bootstrap engine: from forms and plans of measures to all replicates, and those that fail."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import key_text
from fastmetrics._kernels import replicates as kernels
from fastmetrics._threads.workers import run, run_batches
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.inference.bootstrap._cell_forms import Cells
from fastmetrics.inference.bootstrap._draws import WINDOW, Draws, Line, Needs, Yield
from fastmetrics.inference.bootstrap._forms import Form, Rows
from fastmetrics.inference.bootstrap._limits import acceleration
from fastmetrics.inference.bootstrap._plans import Planned, UserPlan
from fastmetrics.inference.bootstrap._rows import padded
from fastmetrics.inference.estimate_result import Replicates
from fastmetrics.inference.units import Sizes

Floats = NDArray[np.float64]

#: Share of failed replicates above which there is a warning.
MANY_FAILED: Final = 0.05

#: What keeps both classes in every replicate: draws by class where these are possible.
STRATIFY: Final = "`stratified=True` keeps both"
WEIGH: Final = "`resampling='bayesian'` of `bootstrap` keeps every row"

_BATCH_SECONDS: Final = 0.05  # of a batch with a user's own statistic, about
#: Between two calls of kernels threads wait for one another: batches are large, as long as there
#: are so many of them for the cores to share, and none of them has more rows.
_BATCHES: Final = 64
_MOST_ROWS: Final = 1 << 24
#: Bytes that a part of some replicates takes, and replicates from which on longer parts are slower.
_PART_BYTES: Final = 1 << 20
_SIDE_BY_SIDE: Final = 16


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Values of every model and measure, (models, measures, replicates).

    With whether a class is missing (models, replicates), of data of two classes.
    """

    values: Floats
    lost_a_class: NDArray[np.bool_]


class _Place(NamedTuple):
    """Where what a measure asked for stands in a yield."""

    lines: list[int]
    columns: slice
    statistics: list[int]


class Engine:
    """Draws replicates of forms that share their units, and measures them.

    A form is that of a model; several must be of rows.
    """

    def __init__(self, forms: Sequence[Form], asked: Sequence[Planned], draws: Draws) -> None:
        self.forms, self.asked, self.draws = list(forms), asked, draws
        self.places, self.needs = placed(asked)

    def run(self, n_resamples: int, *, progress: bool | None) -> Found:
        """Return the values of replicates 0 to ``n_resamples - 1``."""
        shape = (len(self.forms), len(self.asked), n_resamples)
        values = np.full(shape, np.nan)
        found = Found(values, np.zeros((len(self.forms), n_resamples), np.bool_))
        size, first = self._batch_size(n_resamples), 0
        if self.needs.statistics:  # of unknown cost: an interrupt waits for a batch to end
            size, first = min(size, self._timed(found)), 2
        run_batches(
            partial(self._batch, found),
            range(first, n_resamples, size),
            progress=progress,
            description="bootstrap",
            unit="replicates",
        )
        return found

    def estimates(self, model: int = 0) -> list[float]:
        """Return each measure of a model's data themselves."""
        form = self.forms[model]
        return [
            one.plan.estimate(form, place.columns)
            for one, place in zip(self.asked, self.places, strict=True)
        ]

    def accelerations(
        self, wanted: Sequence[tuple[int, int]], stratified: bool
    ) -> dict[tuple[int, int], float]:
        """Return BCa's acceleration of each (model, measure); nan where it is undefined."""
        first = self.forms[0]  # whose entries are the units of all
        strata = first.classes() if stratified else None

        def one(model: int, measure: int) -> float:
            return acceleration(self.contributions(model, measure), first.times(), strata)

        return dict(zip(wanted, run([partial(one, *each) for each in wanted]), strict=True))

    def contributions(self, model: int, measure: int) -> Floats:
        """Return what each sampling unit adds to the error of a measure of a model."""
        form = self.forms[model]
        plan, columns = self.asked[measure].plan, self.places[measure].columns
        return form.contributions(plan.influences(form, columns))

    def _batch_size(self, n_resamples: int) -> int:
        """Return how many replicates make a batch: a number of the call, not of the threads."""
        size = most = min(form.batch_size() for form in self.forms)
        rows = [form for form in self.forms if isinstance(form, Rows)]
        if rows:
            most = _PART_BYTES // rows[0].n
        if _is_streamed(rows, self.needs):
            most = max(most, min(_SIDE_BY_SIDE, _MOST_ROWS // rows[0].n))
        return max(size, min(most, n_resamples // _BATCHES))

    def _timed(self, into: Found) -> int:
        """Measure the first two replicates; return how many make a batch of a short time.

        The first may wait for a compiler. What a replicate yields does not depend on batches.
        """
        self._batch(into, 0, 1)
        start = perf_counter()
        self._batch(into, 1, 1)
        return max(1, int(_BATCH_SECONDS / max(perf_counter() - start, 1e-6)))

    def _batch(self, into: Found, first: int, count: int) -> None:
        found = _drawn(self.forms, self.draws, self.needs, first, count)
        here = slice(first, first + count)
        for m, (form, out) in enumerate(zip(self.forms, found, strict=True)):
            into.values[m, :, here] = self.values(form, out)
            into.lost_a_class[m, here] = ~((out.n_positive > 0) & (out.n_negative > 0))

    def values(self, form: Form, out: Yield) -> Floats:
        """Return the measures of what some replicates yielded: (measures, replicates)."""
        found = np.full((len(self.asked), len(out.total)), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            for i, (one, place) in enumerate(zip(self.asked, self.places, strict=True)):
                part = replace(
                    out,
                    states=out.states[:, place.lines],
                    sums=out.sums[:, place.columns],
                    statistics=out.statistics[:, place.statistics],
                    score_at=form.score_at,
                )
                found[i] = one.plan.values(part)
        return found


def placed(asked: Sequence[Planned]) -> tuple[list[_Place], Needs]:
    """Return what all measures need of a replicate, and where each finds its own."""
    numbers: dict[Line, int] = {}  # measures that ask for the same line share it
    statistics: list[Any] = []
    places, n_columns = [], 0
    for one in asked:
        plan, first, own = one.plan, n_columns, []
        n_columns += plan.n_columns
        if isinstance(plan, UserPlan):
            own = [len(statistics)]
            statistics.append(plan.statistic)
        at = [numbers.setdefault(line, len(numbers)) for line in plan.lines]
        places.append(_Place(at, slice(first, n_columns), own))
    return places, Needs(tuple(numbers), tuple(statistics))


def _drawn(
    forms: Sequence[Form], draws: Draws, needs: Needs, first: int, count: int
) -> list[Yield]:
    """Return what ``count`` replicates from number ``first`` on yield for each form."""
    rows = [form for form in forms if isinstance(form, Rows)]
    if not rows:
        return [form.draw(draws, needs, first, count) for form in forms if isinstance(form, Cells)]
    is_bayesian = draws.resampling == "bayesian"
    if _is_streamed(rows, needs):
        is_weighted = is_bayesian or rows[0].weights is not None
        streamed = _streamed_weights if is_weighted else _streamed
        return [streamed(rows[0], draws, needs, first, count)]
    if is_bayesian:
        found = [form.empty(count, needs) for form in rows]
        for r in range(count):
            weights, scale = draws.weights(first + r)
            for form, out in zip(rows, found, strict=True):
                form.weigh(needs, _of_rows(form, weights), scale, r, out)
        return found
    counts = draws.every(first, count)
    return [form.measure(needs, form.counts_of_rows(counts)) for form in rows]


def _is_streamed(rows: Sequence[Rows], needs: Needs) -> bool:
    """Return whether windows of rows are measured as they are drawn: nothing looks twice."""
    return len(rows) == 1 and rows[0].passes_through(needs)


def _of_rows(form: Rows, weights: Floats) -> Floats:
    """Return the weight of each row from that of its unit."""
    of_rows = weights if form.units is None else weights[form.units]
    return of_rows if form.weights is None else of_rows * form.weights


def _streamed(form: Rows, draws: Draws, needs: Needs, first: int, count: int) -> Yield:
    """Draw and measure windows part by part, in the memory of a part."""
    out, totals = form.empty(count, needs), draws.totals(first, count)
    n_windows = max(1, _PART_BYTES // (count * WINDOW))
    n_bytes = min(n_windows * WINDOW, padded(draws.n_units))
    buffer = np.empty(count * n_bytes, np.uint8)
    state = np.zeros((count, 4), np.int64)
    for start in range(0, draws.n_windows, n_windows):
        windows = np.arange(start, min(start + n_windows, draws.n_windows))
        row = start * WINDOW
        size = min(len(windows) * WINDOW, padded(draws.n_units) - row)
        counts = buffer[: count * size].reshape(count, size)
        draws.counts(first, totals, windows, counts)
        form.part(counts, row, state, out)
    out.close(state)
    return out


def _streamed_weights(form: Rows, draws: Draws, needs: Needs, first: int, count: int) -> Yield:
    """Do the same where rows have weights: exponential ones, or their own times how often drawn."""
    out, state, sums = form.empty(count, needs), np.zeros((count, 6)), np.zeros(count)
    is_bayesian = draws.resampling == "bayesian"
    totals = np.empty(0, np.int64) if is_bayesian else draws.totals(first, count)
    n_windows = max(1, _PART_BYTES // (8 * count * WINDOW))
    n_rows = min(n_windows * WINDOW, draws.n_units)
    drawn, buffer = np.empty(count * n_rows, np.uint8), np.empty(count * n_rows)
    for start in range(0, draws.n_windows, n_windows):
        row = start * WINDOW
        size = min(n_rows, draws.n_units - row)
        weights = buffer[: count * size].reshape(count, size)
        counts: NDArray[Any] = weights
        if is_bayesian:
            draws.weigh(first, row, weights, sums)
        else:
            counts = drawn[: count * size].reshape(count, size)
            windows = np.arange(start, min(start + n_windows, draws.n_windows))
            draws.counts(first, totals, windows, counts)
        if form.weights is not None:
            kernels.weigh_rows(counts, form.weights[row : row + size], weights)
        form.part_of_weights(weights, row, state, out)
    out.close_weights(state)
    if is_bayesian:
        for r, total in enumerate(sums.tolist()):
            out.rescale(r, draws.n_units / total)
    return out


class Failures(NamedTuple):
    """How many of the replicates are undefined, and why; ``what`` follows from the others."""

    n: int
    n_replicates: int
    causes: str
    what: str

    @classmethod
    def of(
        cls,
        replicates: NDArray[np.float64],
        lost_a_class: NDArray[np.bool_] | None = None,
        *,
        otherwise: str = "",
        remedy: str = STRATIFY,
        what: str = "interval",
    ) -> Failures:
        """Count what is nan; ``otherwise`` says why in replicates that did not lose a class."""
        failed = np.isnan(replicates)
        n = int(np.count_nonzero(failed))
        lost = 0 if lost_a_class is None else int(np.count_nonzero(failed & lost_a_class))
        causes = [(lost, f"they lost a class ({remedy})")] if lost else []
        if n > lost:
            causes.append((n - lost, otherwise or "the measure has no value there"))
        if len(causes) > 1:
            said = "; ".join(f"{cause} ({count:,} of them)" for count, cause in causes)
        else:
            said = "".join(cause for _, cause in causes)
        return cls(n, len(replicates), said, what)

    @property
    def are_many(self) -> bool:
        """Whether they are too many to be passed over in silence."""
        return self.n > MANY_FAILED * self.n_replicates

    @property
    def note(self) -> str:
        """What a reader of the interval must know; empty where no replicate failed."""
        if not self.n:
            return ""
        return (
            f"undefined in {self.n:,} of {self.n_replicates:,} replicates, which are left out: "
            f"{self.causes}; the {self.what} is conditional on the measure being defined"
        )

    def warn(self, what: str) -> None:
        """Say so where they are many."""
        if self.are_many:
            warn_user(f"{what} is {self.note}", UndefinedMetricWarning)


def joined(*notes: str) -> str:
    """Return the notes that there are, as one."""
    return "; ".join(note for note in notes if note)


def replicates_of(
    distribution: NDArray[np.float64],
    failures: Failures,
    sizes: Sizes,
    key: NDArray[np.uint64],
    bias: float = math.nan,
) -> Replicates:
    """Return what an estimate or a pair keeps of its replicates."""
    distribution.flags.writeable = False
    return Replicates(
        distribution,
        failures.n,
        bias,
        key_text(key),
        sizes.effective,
        sizes.effective_n_groups,
    )
