"""``TimeDependentMeasure``: a measure of censored times at one time after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._plots._style import shown_name
from fastmetrics._plots.curves import PLOTTED, Band, Curve, Guide, band_title
from fastmetrics._plots.time_plots import draw_over_time
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.tables.concordance.row_sums import Floats


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
    confidence_level : float
        Coverage aimed at.
    n_samples : int
        Rows that have a weight; the sum of frequencies.
    n_groups : int or None
        Groups of rows; None if each row stands for itself.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
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
        return Display(tables, type(self).__name__)

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the measure against time with its limits, beside a model that knows nothing."""
        is_auc = self.metric != "Brier score"
        measure = "AUC" if is_auc else "Brier score"
        known = "chance" if is_auc else "the same for everybody"
        band = Band(self.times, self.low, self.high)
        return draw_over_time(
            Curve(self.times, self.estimate, shown_name(name or measure), band, has_markers=True),
            Guide(self.times, self.reference, known),
            ("time", measure),
            ax,
            from_zero=not is_auc,
            title=band_title(self.confidence_level, "pointwise"),
            options=line_options,
        )
