"""``metrics_table``: every measure that ``metrics=`` accepts, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastmetrics._display import Display, Table
from fastmetrics._results import Result, Several
from fastmetrics.errors import no_such
from fastmetrics.measures._measure import REQUIRED, By, Measure
from fastmetrics.measures.asking import registered
from fastmetrics.measures.registry import MEASURES


@dataclass(frozen=True, slots=True, repr=False)
class MetricEntry(Result):
    """One measure of the table.

    Attributes
    ----------
    name : str
        Canonical: scikit-learn's scorer name, where there is one, without ``neg_``.
    title : str
        In plain words.
    family : str
        "curves" (scores against thresholds), "decisions" (predicted labels), "probabilities",
        "regression" (predicted numbers), "costs" (what the best thresholds cost), "calibration",
        "concordance", "ranking" (queries), or "own" (registered by the user).
    needs : str
        What it takes beside the true values: "scores", "labels", "probabilities", "values",
        "rankings" (with `query=` alone), "times" (by `estimate`
        and `compare` alone) or "nothing".
    direction : str
        "higher" or "lower" is better, "none", or "by criterion" where a parameter decides.
    low, high : float
        The least and the greatest value.
    parameters : tuple of str
        What may be given as ``(name, {parameter: value})``; with "=" and its default where it has
        one.
    intervals : tuple of str
        The methods of its intervals.
    aliases : tuple of str
        Other names that are accepted.
    """

    name: str
    title: str
    family: str
    needs: str
    direction: str
    low: float
    high: float
    parameters: tuple[str, ...]
    intervals: tuple[str, ...]
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class MetricsTable(Several[MetricEntry]):
    """The measures of the library and those of the user: a sequence of `MetricEntry`.

    Attributes
    ----------
    entries : tuple of MetricEntry
        One a measure; ``table["roc_auc"]`` is that of a name or alias.
    """

    _rows = "entries"
    entries: tuple[MetricEntry, ...]

    def __getitem__(self, name: str) -> MetricEntry:
        for entry in self.entries:
            if name in (entry.name, *entry.aliases):
                return entry
        raise no_such(name, "measures", (entry.name for entry in self.entries))

    def __repr__(self) -> str:
        return f"MetricsTable({len(self)} measures)"

    def _shown(self) -> Display:
        return Display([Table.of(self, _COLUMNS, most=len(self), unseen=_COLUMNS[6:])])


#: In this order, the widest last.
_COLUMNS: Final = (
    *("name", "needs", "direction", "low", "high", "title", "family"),
    *("parameters", "intervals", "aliases"),
)
_DIRECTIONS: Final = {True: "higher", False: "lower", None: "none"}


def metrics_table() -> MetricsTable:
    """Return every measure that ``metrics=`` accepts, with what it needs, its direction and range.

    Returns
    -------
    MetricsTable
        Printed as a table; ``to_frame()`` makes a data frame of it.

    Examples
    --------
    >>> table = metrics_table()
    >>> table["roc_auc_score"].name, table["log_loss"].direction
    ('roc_auc', 'lower')
    >>> [entry.name for entry in table if entry.needs == "probabilities"][:2]
    ['roc_auc_ovr', 'roc_auc_ovr_weighted']
    """
    return MetricsTable(tuple(map(_entry, (*MEASURES.values(), *registered()))))


def _entry(measure: Measure) -> MetricEntry:
    up = measure.higher_is_better
    return MetricEntry(
        *(measure.name, measure.title, measure.family, measure.needs),
        "by criterion" if isinstance(up, By) else _DIRECTIONS[up],
        *measure.bounds,
        tuple(
            name if default is REQUIRED else f"{name}={default!r}"
            for name, default in measure.parameters.items()
        ),
        *(measure.intervals, measure.aliases),
    )
