"""What `evaluate_rankings` returns: values of each query, their means, how systems differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.frame import Library, as_frame
from fastmetrics._display.numbers import decimals_of, limits, number
from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._results import ConfidenceInterval, Difference, OneNumber, Result
from fastmetrics.errors import no_such
from fastmetrics.inference.bootstrap._result_tables import METHODS
from fastmetrics.plots.ranking_plots import Means, draw_cutoffs, draw_query_differences
from fastmetrics.report._ranking_statistics import Method, Test
from fastmetrics.tables.ranking.ranking_table import Ties

_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_TESTS: Final = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
    "randomization": "Fisher's randomization test (sign flips)",
}
_ADJUSTMENTS: Final = {"holm": "p (Holm)", "max-t": "p (max-T)"}


@dataclass(frozen=True, slots=True, repr=False)
class RankingMean(OneNumber):
    """The mean of a measure over the queries, for one system.

    Attributes
    ----------
    metric, model : str
        The measure and the system.
    estimate : float
        Mean over the queries that count.
    confidence_interval : ConfidenceInterval
        nan where all queries have one value.
    standard_error : float
        Of the mean, over queries or groups of them.
    n_queries : int
        Queries that count: those for which the measure is defined, for every system.
    method : str
        Of the interval: that of the evaluation, or "wilson" of values that are 0 and 1 alone.
    cutoff : int or None
        The k of the measure.
    better_than : tuple of str
        Systems that this one is shown to be better than.
    note : str
        What is to be known of the interval; usually empty.
    """

    metric: str
    model: str
    estimate: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    n_queries: int
    method: str
    cutoff: int | None = None
    better_than: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class RankingDifference(Difference):
    """How two systems differ by a measure, query by query.

    Attributes
    ----------
    metric, model_a, model_b : str
    difference : float
        The mean of `model_a` less that of `model_b`.
    confidence_interval : ConfidenceInterval
        Of the difference.
    standard_error : float
    pvalue : float
        Of no difference, by the test of the evaluation. Of random signs
        ``pvalue.is_bound`` says that none is as extreme: p is at most that.
    pvalue_holm : float
        Adjusted for all pairs of systems and all measures.
    pvalue_max_t : float
        Of the randomization test, adjusted for all of them by the largest statistic.
    better : str or None
        The system that is shown to be better: the adjusted p-value is small enough, and the
        interval leaves 0 out. None for neither.
    n_better, n_worse, n_equal : int
        Queries in which `model_a` is better, worse, and neither.
    differences : ndarray of float64, shape (n_queries,)
        Of each query that counts, in the order of the evaluation.
    """

    metric: str
    model_a: str
    model_b: str
    difference: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    pvalue: float
    pvalue_holm: float
    pvalue_max_t: float
    better: str | None
    n_better: int
    n_worse: int
    n_equal: int
    differences: NDArray[np.float64] = field(repr=False)

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw the differences of the queries, sorted, with their mean and its interval.

        Returns
        -------
        matplotlib Axes
            What was drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw_query_differences(
            self.differences,
            (self.difference, self.confidence_interval.low, self.confidence_interval.high),
            (self.model_a, self.model_b),
            self.metric,
            ax,
        )


@dataclass(frozen=True, slots=True, repr=False)
class RankingEvaluation(Result):
    """Systems that rank the items of the same queries, judged by the same measures.

    Attributes
    ----------
    models, metrics : tuple of str
        Names of the systems, and of the measures.
    queries : ndarray of shape (n_queries,) or None
        Sorted ids; None where queries are numbered.
    values : ndarray of float64, shape (n_models, n_metrics, n_queries)
        nan where a measure leaves a query out, for all systems alike.
    means : tuple of RankingMean
        Measure by measure, each system.
    differences : tuple of RankingDifference
        Measure by measure, each pair.
    n_left_out : mapping of str to int
        Queries that each measure leaves out: of most, those without relevant items.
    method : str
        Of the intervals.
    test, adjustment : str
        Where `pvalue` comes from, and which adjusted one decides.
    confidence_level : float
        Of the intervals; p-values decide at 1 less this.
    n_resamples : int
        Of a bootstrap, and of sign flips.
    n_groups : int or None
        Groups of queries.
    ties : str
        What became of items that score the same.
    key : str
        ``rng=key`` draws the same numbers.
    """

    models: tuple[str, ...]
    metrics: tuple[str, ...]
    queries: NDArray[Any] | None
    values: NDArray[np.float64]
    means: tuple[RankingMean, ...]
    differences: tuple[RankingDifference, ...]
    n_left_out: Mapping[str, int]
    method: Method
    test: Test
    adjustment: str
    confidence_level: float
    n_resamples: int
    n_groups: int | None
    ties: Ties
    key: str

    @property
    def n_queries(self) -> int:
        """Number of queries, those that measures leave out included."""
        return int(self.values.shape[2])

    def per_query(self, model: str, metric: str) -> NDArray[np.float64]:
        """Return the values of each query, for one system by one measure.

        Parameters
        ----------
        model, metric : str
            Of `models` and `metrics`.

        Returns
        -------
        ndarray of float64, shape (n_queries,)
            In the order of `queries`; nan where the measure leaves a query out. Read-only.

        Raises
        ------
        KeyError
            For a name that is none of them.
        """
        row = _place(model, self.models, "systems"), _place(metric, self.metrics, "measures")
        values: NDArray[np.float64] = self.values[row]
        return values

    def mean(self, model: str, metric: str) -> RankingMean:
        """Return the mean of one system by one measure, with its interval.

        Parameters
        ----------
        model, metric : str
            Of `models` and `metrics`.

        Returns
        -------
        RankingMean

        Raises
        ------
        KeyError
            For a name that is none of them.
        """
        i, j = _place(model, self.models, "systems"), _place(metric, self.metrics, "measures")
        return self.means[j * len(self.models) + i]

    def difference(self, model_a: str, model_b: str, metric: str) -> RankingDifference:
        """Return how two systems differ by one measure, in the order in which they are compared.

        Parameters
        ----------
        model_a, model_b, metric : str
            Of `models` and `metrics`.

        Returns
        -------
        RankingDifference

        Raises
        ------
        KeyError
            For a comparison that was not made.
        """
        pairs = {(p.model_a, p.model_b, p.metric): p for p in self.differences}
        asked = (model_a, model_b, metric)
        if asked not in pairs:
            raise no_such(asked, "comparisons", pairs)
        return pairs[asked]

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw the means of each system: against k, where one measure has several.

        Returns
        -------
        matplotlib Axes
            What was drawn on: the measures by the side of one another, or, if all are one measure
            at different cut-offs, a curve a system. Bars are the confidence intervals.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        means = {}
        for model in self.models:
            found = [self.mean(model, metric) for metric in self.metrics]
            limits = np.array([tuple(one.confidence_interval) for one in found])
            values = np.array([one.estimate for one in found])
            means[model] = Means(values, limits[:, 0], limits[:, 1])
        cutoffs = [self.mean(self.models[0], metric).cutoff for metric in self.metrics]
        return draw_cutoffs(means, self.metrics, cutoffs, f"{self._percent()} intervals", ax)

    def to_frame(self, library: Library | None = None) -> Any:
        """Return the means and the differences as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            By default the one that is loaded, pandas if both are, or else the one installed.

        Returns
        -------
        DataFrame
            One row a mean, and below one a difference, which has a "minus_model".

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        names = ("metric", "model", "estimate", "confidence_interval", "standard_error")
        means = Table.of(self.means, (*names, "n_queries"))
        shown = [means, self._pairs()] if self.differences else [means]
        return as_frame(Display(shown), library)

    def __repr__(self) -> str:
        systems = ", ".join(self.models)
        measures = ", ".join(self.metrics)
        return f"RankingEvaluation({systems}: {measures}; {self.n_queries:,} queries)"

    def _percent(self) -> str:
        return f"{100 * self.confidence_level:.6g} %"

    def _pairs(self) -> Table:
        names = ("confidence_interval", "standard_error", "pvalue", "pvalue_holm", "pvalue_max_t")
        words = {"metric": "measure", "pvalue_max_t": "p (max-T)"}
        unseen = ("standard_error",)
        return Table.of_pairs(
            self.differences, names, words=words, level=self.confidence_level, unseen=unseen
        )

    def _shown(self) -> Display:
        marks = dict(zip(self.models, _marks(len(self.models)), strict=True))
        several = len(self.models) > 1
        columns = {"system": [f"{marks[m]}{_NO_BREAK}{m}" if several else m for m in self.models]}
        for metric in self.metrics:
            means = [self.mean(model, metric) for model in self.models]
            columns[metric] = _cells(means, marks)
        tables = [Table(columns, framed=False, most=len(self.models))]
        if self.differences:
            tables.append(self._pairs())
        return Display(tables, notes=self._notes(several))

    def _notes(self, several: bool) -> Sequence[str]:
        units = f"{self.n_queries:,} queries"
        if self.n_groups is not None:
            units += f" in {self.n_groups:,} groups"
        made = "Student's t"
        drawn = f"`rng={self.key!r}` draws the same numbers"
        if self.method != "t":
            made = (
                f"{METHODS.get(self.method, self.method)} bootstrap, {self.n_resamples:,} resamples"
            )
        notes = [f"{units}. [{self._percent()} interval] over queries: {made}."]
        left = [f"{metric}: {n:,}" for metric, n in self.n_left_out.items() if n]
        if left:
            notes.append(f"Queries left out, for all systems alike: {', '.join(left)}.")
        if several:
            m = len(self.differences)
            adjusted = f"; adjusted for all {m:,} comparisons" if m > 1 else ""
            notes.append(
                f"¹, ² …: shown to be better than these systems: {_ADJUSTMENTS[self.adjustment]} "
                f"at most {1 - self.confidence_level:.6g}, and the interval of the difference "
                f"leaves 0 out. p: {_TESTS[self.test]}{adjusted}. p (max-T): sign flips; {drawn}."
            )
        elif self.method != "t":
            notes[0] = f"{notes[0][:-1]}; {drawn}."
        said = {one.note: None for one in self.means if one.note}
        for note in said:
            about = [f"{one.model}, {one.metric}" for one in self.means if one.note == note]
            notes.append(f"{'; '.join(about)}: {note}.")
        return notes


def _place(name: str, names: Sequence[str], what: str) -> int:
    if name not in names:
        raise no_such(name, what, names)
    return names.index(name)


def _marks(n: int) -> list[str]:
    return [str(i).translate(_RAISED) for i in range(1, n + 1)]


def _cells(means: Sequence[RankingMean], marks: Mapping[str, str]) -> list[str]:
    """Return means, marks of the systems that are worse, and intervals, to the same decimals."""
    known = [one for one in means if one.confidence_interval.low == one.confidence_interval.low]
    decimals = decimals_of(
        [one.estimate for one in means], [one.confidence_interval for one in known]
    )
    raised = [",".join(marks[model] for model in one.better_than) for one in means]
    room = max(map(len, raised))
    return [
        f"{number(one.estimate, decimals)}{mark:{_NO_BREAK}<{room}}{_NO_BREAK}"
        f"{limits(one.confidence_interval, decimals) if one in known else ''}".rstrip()
        for one, mark in zip(means, raised, strict=True)
    ]
