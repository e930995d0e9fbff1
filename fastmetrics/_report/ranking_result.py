"""What `evaluate_rankings` returns: values of each query, their means, how systems differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import decimals_of, limits, number
from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._plots.ranking_plots import Means, draw_cutoffs, draw_query_differences
from fastmetrics._report.task_evaluation import percent, raised
from fastmetrics._results import Result
from fastmetrics.errors import by_name
from fastmetrics.inference.comparison_result import Comparison, Comparisons, pairs_table
from fastmetrics.inference.estimate_result import Estimate, Pair
from fastmetrics.tables.ranking.ranking_table import Ties

Test = Literal["t", "randomization"]
Adjustment = Literal["holm", "max-t"]

_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
#: What both plots say alike.
_DRAWN: Final = """
Raises
------
ImportError
    If matplotlib is not installed.
"""
_TESTS: Final[Mapping[Test, str]] = {
    "t": "paired t test",
    "randomization": "Fisher's randomization test (sign flips)",
}


@dataclass(frozen=True, slots=True, repr=False)
class RankingEvaluation(Result):
    """Systems that rank the items of the same queries, judged by the same measures.

    Attributes
    ----------
    models, metrics : tuple of str
        Names of the systems, and of the measures.
    cutoffs : tuple of int or None
        The k of each measure.
    queries : ndarray of shape (n_queries,) or None
        Sorted ids; None where queries are numbered.
    values : ndarray of float64, shape (n_models, n_metrics, n_queries)
        nan where a measure leaves a query out, for all systems alike.
    comparisons : Comparisons
        By measure, an `Estimate` of each system and every pair, as `compare` has them; of one
        system without pairs. Their p-values are those of `test`; `better` is by `adjustment`.
    pvalues_max_t : tuple of float
        Of each of the `differences`, adjusted by the largest statistic of joint sign flips; empty
        where the adjustment is another.
    n_left_out : mapping of str to int
        Queries that each measure leaves out: of most, those without relevant items.
    test, adjustment : str
        Where `pvalue` comes from, and which adjusted one decides.
    confidence_level : float
        Of the intervals; p-values decide at 1 less this.
    n_resamples : int
        Of random sign flips.
    n_groups : int or None
        Groups of queries.
    ties : str
        What became of items that score the same.
    key : str
        ``rng=key`` draws the same numbers.
    """

    models: tuple[str, ...]
    metrics: tuple[str, ...]
    cutoffs: tuple[int | None, ...]
    queries: NDArray[Any] | None
    values: NDArray[np.float64]
    comparisons: Comparisons
    pvalues_max_t: tuple[float, ...]
    n_left_out: Mapping[str, int]
    test: Test
    adjustment: Adjustment
    confidence_level: float
    n_resamples: int
    n_groups: int | None
    ties: Ties
    key: str

    @property
    def n_queries(self) -> int:
        """Number of queries, those that measures leave out included."""
        return int(self.values.shape[2])

    @property
    def means(self) -> tuple[Estimate, ...]:
        """Measure by measure, the mean of each system."""
        return tuple(mean for one in self.comparisons.values() for mean in one.models)

    @property
    def differences(self) -> tuple[Pair, ...]:
        """Measure by measure, each pair of systems."""
        return tuple(pair for one in self.comparisons.values() for pair in one.pairs)

    @property
    def verdict(self) -> str:
        """What is shown of the systems' differences, in words; empty of one system."""
        return self.comparisons.verdict if self.differences else ""

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
        found: NDArray[np.float64] = self.values
        for name, names, what in (
            (model, self.models, "systems"),
            (metric, self.metrics, "measures"),
        ):
            found = by_name(dict(zip(names, found, strict=True)), name, what)
        return found

    def __getitem__(self, metric: str) -> Comparison:
        """Return the systems by a measure: ``[metric][model]``, ``[metric][model_a, model_b]``."""
        return self.comparisons[metric]

    @documented(_DRAWN)
    def plot(self, ax: Any = None) -> Any:
        """Draw the means of each system: against k, where one measure has several.

        Returns
        -------
        matplotlib Axes
            What was drawn on: the measures by the side of one another, or, if all are one measure
            at different cut-offs, a curve a system. Bars are the confidence intervals.
        """
        means = {}
        for model in self.models:
            found = [self[metric][model] for metric in self.metrics]
            limits = np.array([tuple(one.confidence_interval) for one in found])
            values = np.array([one.estimate for one in found])
            means[model] = Means(values, limits[:, 0], limits[:, 1])
        return draw_cutoffs(means, self.metrics, self.cutoffs, f"{percent(self)} intervals", ax)

    @documented(_DRAWN)
    def plot_differences(self, model_a: str, model_b: str, metric: str, ax: Any = None) -> Any:
        """Draw how two systems differ in each query, sorted, with the mean and its interval.

        Parameters
        ----------
        model_a, model_b, metric : str
            Of `models` and `metrics`.

        Returns
        -------
        matplotlib Axes
            What was drawn on.

        Raises
        ------
        KeyError
            For a comparison that was not made.
        """
        pair = self[metric][model_a, model_b]
        less = self.per_query(model_a, metric) - self.per_query(model_b, metric)
        mean = pair.estimate, *pair.confidence_interval
        return draw_query_differences(less[~np.isnan(less)], mean, (model_a, model_b), metric, ax)

    def __repr__(self) -> str:
        systems = ", ".join(self.models)
        measures = ", ".join(self.metrics)
        return f"RankingEvaluation({systems}: {measures}; {self.n_queries:,} queries)"

    def _shown(self) -> Display:
        several, level = len(self.models) > 1, self.confidence_level
        marks = {m: raised(k) for k, m in enumerate(self.models, start=1)}
        columns = {"system": [f"{marks[m]}{_NO_BREAK}{m}" if several else m for m in self.models]}
        for metric, one in self.comparisons.items():
            worse: dict[str | None, list[str]] = {}
            for pair in one.pairs:
                other = pair.b if pair.better == pair.a else pair.a
                worse.setdefault(pair.better, []).append(marks[other])
            columns[metric] = _cells(one.models, [",".join(worse.get(m, ())) for m in self.models])
        tables = [Table(columns, most=len(self.models))]
        means: dict[str, Any] = {
            "metric": [mean.metric for mean in self.means],
            "model": [name for _ in self.metrics for name in self.models],
        }
        names = ("estimate", "confidence_interval", "standard_error", "n_samples")
        frame = [Table(means | dict(Table.of(self.means, names).columns))]
        if several:
            pairs = dict(pairs_table(self.comparisons).columns)
            pairs.pop("pvalue_max_t", None)  # here it is that of sign flips, where it is asked for
            if self.pvalues_max_t:
                pairs["pvalue_max_t"] = self.pvalues_max_t
            unseen = ("standard_error", "df", "better")
            table = Table(pairs, words={"metric": "measure"}, level=level, unseen=unseen)
            tables, frame = [*tables, table], [*frame, table]
        return Display(tables, notes=self._notes(several), frame=frame)

    def _notes(self, several: bool) -> Sequence[str]:
        units = f"{self.n_queries:,} queries"
        if self.n_groups is not None:
            units += f" in {self.n_groups:,} groups"
        notes = [*self.verdict.split("\n")] * several
        notes.append(f"{units}. [{percent(self)} interval] over queries.")
        left = [f"{metric}: {n:,}" for metric, n in self.n_left_out.items() if n]
        if left:
            notes.append(f"Queries left out, for all systems alike: {', '.join(left)}.")
        if several:
            level = f"{1 - self.confidence_level:.6g}"
            n_pairs = len(self.differences)
            decides = f"p (max-T), adjusted for all {n_pairs:,} comparisons by sign flips,"
            if self.adjustment == "holm":
                many = n_pairs > len(self.metrics)
                decides = "p (Holm), adjusted for the pairs of a measure," if many else "p"
            notes.append(
                f"¹, ² …: shown to be better than these systems: {decides} below {level}, and the "
                f"interval of the difference leaves 0 out. p: {_TESTS[self.test]}."
            )
            if self.test == "randomization" or self.pvalues_max_t:
                notes.append(f"`rng={self.key!r}` draws the same numbers.")
        said = dict.fromkeys(mean.note for mean in self.means if mean.note)
        return [*notes, *(f"{note[0].upper()}{note[1:]}." for note in said)]


def _cells(means: Sequence[Estimate], raised: Sequence[str]) -> list[str]:
    """Return means, marks of the systems that are worse, and intervals, to the same decimals."""
    own = [None if isnan(one.confidence_interval.low) else one.confidence_interval for one in means]
    decimals = decimals_of([one.estimate for one in means], [each for each in own if each])
    room = max(map(len, raised))
    return [
        f"{number(one.estimate, decimals)}{mark:{_NO_BREAK}<{room}}{_NO_BREAK}"
        f"{limits(each, decimals) if each else ''}".rstrip()
        for one, mark, each in zip(means, raised, own, strict=True)
    ]
