"""``TimeDependentMeasure``: a measure of censored times at one after the other, and its making."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.censored import check_censored
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import (
    WeightsAre,
    check_confidence_level,
    check_same_length,
    check_weights_are,
)
from fastmetrics._input.scores import check_score_matrix, check_scores_array, score_column
from fastmetrics._plots._style import shown_name
from fastmetrics._plots.curves import PLOTTED, Band, Curve, Guide, band_title, draw_curves
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics._threads.workers import run
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.estimate_result import FIELDS, Estimate
from fastmetrics.inference.forms import of_few_beyond
from fastmetrics.inference.reference import limits
from fastmetrics.inference.samples import Design, warn_of_units
from fastmetrics.inference.units import Units
from fastmetrics.measures._influences import RowInfluences
from fastmetrics.tables.concordance.follow_up import FollowUp, follow
from fastmetrics.tables.concordance.row_sums import Floats


@documented(FIELDS)
@dataclass(frozen=True, slots=True, repr=False)
class TimeDependentMeasure(Result):
    """A measure of a model of censored times at several times, with limits at each.

    Attributes
    ----------
    metric : {"cumulative/dynamic AUC", "Brier score"}
        What was computed.
    times : ndarray of shape (n_times,)
        Rising.
    estimate : ndarray of shape (n_times,)
        The measure at each time; nan where it is undefined. Read-only, like all arrays.
    low, high : ndarray of shape (n_times,)
        Limits of it, each at the level on its own: on the logit scale.
    standard_error : ndarray of shape (n_times,)
        By influences, which know that the share not censored is estimated too.
    reference : ndarray of shape (n_times,)
        What a model that knows nothing has: an AUC of 1/2; the Brier score S(t) (1 - S(t)) of
        Kaplan and Meier's share S(t) given to everybody.
    n_events, n_beyond : ndarray of int64, shape (n_times,)
        Rows with the event by then, and rows followed beyond; those of a weight, or their number.
    integrated : Estimate or None
        The mean over time; nan where one of the times is undefined, None where there is one time.
    """

    metric: Literal["cumulative/dynamic AUC", "Brier score"]
    times: Floats
    estimate: Floats
    low: Floats
    high: Floats
    standard_error: Floats
    reference: Floats
    n_events: Any
    n_beyond: Any
    integrated: Estimate | None
    confidence_level: float
    n_samples: int
    n_groups: int | None
    weights_are: WeightsAre | None

    def _shown(self) -> Display:
        level = self.confidence_level
        limits = zip(self.low.tolist(), self.high.tolist(), strict=True)
        columns = {
            "time": self.times,
            "estimate": self.estimate,
            "confidence_interval": [ConfidenceInterval(*each) for each in limits],
            "standard_error": self.standard_error,
            "reference": self.reference,
            "n_events": self.n_events,
            "n_beyond": self.n_beyond,
        }
        tables = [Table(columns, self.metric, level=level)]
        if self.integrated is not None:
            names = ("metric", "estimate", "confidence_interval", "standard_error")
            tables.append(Table.of([self.integrated], names, level=level, framed=False))
        of_rows = {name: getattr(self, name) for name in ("n_samples", "n_groups", "weights_are")}
        tables.append(Table.record(of_rows, framed=False))
        few = [of_few_beyond(*each) for each in zip(self.n_beyond, self.times, strict=True)]
        return Display(tables, type(self).__name__, [f"{note}." for note in few if note])

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the measure against time with its limits, beside a model that knows nothing."""
        is_auc = self.metric != "Brier score"
        measure = "AUC" if is_auc else "Brier score"
        known = "chance" if is_auc else "the same for everybody"
        band = Band(self.times, self.low, self.high)
        ax = draw_curves(
            [Curve(self.times, self.estimate, shown_name(name or measure), band, has_markers=True)],
            [Guide(self.times, self.reference, known)],
            ("time", measure),
            ax,
            has_zero=not is_auc,
            title=band_title(self.confidence_level, "pointwise"),
            options=line_options,
        )
        if not is_auc:
            ax.set_ylim(bottom=0.0)
        return ax


#: Times whose influences are held at once.
_BATCH: Final = 8


class Asked(NamedTuple):
    """Checked rows and options."""

    rows: FollowUp
    design: Design
    units: Units
    times: Floats
    ends: NDArray[np.int64]
    level: float

    @property
    def fields(self) -> dict[str, Any]:
        """What results say of the rows."""
        n_groups = None if self.design.groups is None else self.units.n_units
        read = self.design.weights_are
        return {"confidence_level": self.level, "n_groups": n_groups, "weights_are": read}


def checked(
    time: Any,
    event: Any,
    times: Any,
    groups: Any,
    confidence_level: Any,
    sample_weight: Any,
    weights_are: Any,
) -> Asked:
    """Return rows and options, verified."""
    level = check_confidence_level(confidence_level)
    read = check_weights_are(sample_weight, weights_are)
    censored = check_censored(time, event)
    given = {"sample_weight": sample_weight, "weights_are": read, "groups": groups, "strata": None}
    design = Design.checked(len(censored.times), given)
    weights = np.ones(len(censored.times)) if design.weights is None else design.weights
    at_one = isinstance(times, int | float | np.number)
    asked = check_scores_array([times] if at_one else times, "times").astype(np.float64)
    for what, bad in (
        ("not be negative", asked < 0.0),
        ("rise", np.diff(asked, prepend=-1.0) <= 0.0),
    ):
        if bad.any():
            at = int(np.argmax(bad))
            raise InputError(f"`times` must {what}: got {asked[at].item()!r} at index {at}")
    rows = follow(*censored, weights)
    ends = np.array([rows.keys_up_to(each) for each in asked.tolist()])
    return Asked(rows, design, design.units(len(weights)), asked, ends, level)


def columns_of(values: Any, name: str, asked: Asked) -> list[NDArray[Any]]:
    """Return the one column of a model's values, or one for each time."""
    if as_array(values, name).ndim == 1:
        columns = [check_scores_array(values, name)]
    else:
        matrix = check_score_matrix(values, name)
        if matrix.shape[1] != len(asked.times):
            raise InputError(
                f"`{name}` must have a column for each of `times`: {len(asked.times)}, got "
                f"{matrix.shape[1]}"
            )
        columns = [score_column(matrix, k) for k in range(matrix.shape[1])]
    check_same_length(**{"time": asked.rows.keys, name: columns[0]})
    return columns


def at_all(
    asked: Asked, at: Callable[[int], RowInfluences], factors: Floats
) -> tuple[Floats, Floats]:
    """Return values, errors and limits at all times, and the influences times ``factors``."""
    columns = np.empty((4, len(asked.times)))
    summed = np.zeros(len(asked.rows.keys))
    for start in range(0, len(asked.times), _BATCH):
        batch = range(start, min(start + _BATCH, len(asked.times)))
        for k, one in zip(batch, run([partial(at, k) for k in batch], len(summed)), strict=True):
            found = _estimate("", asked, one)
            columns[:, k] = one.value, found.standard_error, *found.confidence_interval
            if factors[k] != 0.0:
                summed += factors[k] * one.influences
    columns.flags.writeable = False
    return columns, summed


def _estimate(metric: str, asked: Asked, one: RowInfluences) -> Estimate:
    """Return a measure of [0, 1] with its error and limits."""
    spread = asked.units.spread(one.influences)
    return Estimate(
        metric=metric,
        estimate=one.value,
        standard_error=spread.standard_error,
        confidence_interval=limits(
            one.value, spread.standard_error, spread.df, asked.level, "logit", bounds=(0.0, 1.0)
        ),
        df=spread.df,
        method="influence",
        scale="logit",
        n_samples=asked.units.n_rows,
        **asked.fields,
    )


def result_of(
    metric: Any, asked: Asked, columns: Floats, mean: RowInfluences | None, reference: Floats
) -> TimeDependentMeasure:
    """Return the result, and say where it is undefined."""
    warn_of_units(asked.units, asked.design.weights_are)
    values, errors, low, high = columns
    _warn(metric, asked.times, values, low)
    counts = asked.rows.weights
    if asked.design.weights_are != "frequencies":
        counts = (counts > 0.0).astype(np.float64)
    passed = np.searchsorted(asked.ends.astype(np.int32), asked.rows.keys, side="right")
    in_stretch = np.bincount(2 * passed + (asked.rows.keys & 1), counts, 2 * len(asked.ends) + 2)
    events, all_rows = in_stretch[::2], in_stretch[::2] + in_stretch[1::2]
    integrated = None
    if mean is not None:
        name = metric.split("/")[-1].replace("dynamic ", "")
        integrated = _estimate(f"integrated {name}", asked, mean)
        if not np.isnan(mean.value) and np.isnan(integrated.confidence_interval.low):
            warn_user(
                f"`{integrated.metric}` does not vary between these rows: its interval is not "
                "defined",
                DegenerateDataWarning,
            )
    result = TimeDependentMeasure(
        metric=metric,
        times=asked.times,
        estimate=values,
        low=low,
        high=high,
        standard_error=errors,
        reference=reference,
        n_events=np.cumsum(events)[:-1].astype(np.int64),
        n_beyond=np.cumsum(all_rows[::-1])[::-1][1:].astype(np.int64),
        integrated=integrated,
        n_samples=int(asked.units.n_rows),
        **asked.fields,
    )
    for column in (asked.times, reference, result.n_events, result.n_beyond):
        column.flags.writeable = False
    return result


def _warn(metric: str, times: Floats, values: Floats, low: Floats) -> None:
    """Say where a measure is undefined, or does not vary."""
    undefined = np.isnan(values)
    of_values = "nobody had the event by then, or is followed beyond", UndefinedMetricWarning
    of_limits = "it does not vary between these rows", DegenerateDataWarning
    for what, where, (why, category) in (
        (f"the {metric}", undefined, of_values),
        (f"the interval of the {metric}", np.isnan(low) & ~undefined, of_limits),
    ):
        if where.any():
            first = times[int(np.argmax(where))]
            warn_user(
                f"{what} is undefined at {np.count_nonzero(where)} of {len(times)} times, first at "
                f"{first:g}: {why}; set to nan",
                category,
            )
