"""``Comparison``: several models by one metric, with the sentences and tables that describe it.

No text claims more than intervals and corrected p-values do.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, overload

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, WeightsAre
from fastmetrics._number_text import common_decimals, number
from fastmetrics._results import Several
from fastmetrics.errors import by_name, no_such
from fastmetrics.inference.estimate_result import (
    FIELDS,
    FIGURES,
    WEIGHTS,
    ByMetric,
    Estimate,
    Pair,
    Replicates,
    SampleSize,
    again,
    caution_notes,
    size_for_difference,
)
from fastmetrics.inference.reference import holm, max_t_pvalues
from fastmetrics.inference.units import SamplesAre

#: More metrics, or models, than these are counted, not listed.
_MOST_LISTED: Final = 6
_ONE_OF: Final[dict[SamplesAre, str]] = {"rows": "row", "queries": "query", "items": "item"}


@documented(FIELDS)
@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Several[Pair]):
    """Several models compared by one metric on the same rows.

    Attributes
    ----------
    names : tuple of str
        Of the models, in the order given.
    models : tuple of Estimate
        Of each model.
    pairs : tuple of Pair
        Every two models, in the order of `names`; with a reference each other model less that.
    covariance : ndarray of shape (K, K)
        Of the models' estimates; read-only; nan where the method has none.
    higher_is_better : bool or None
        The direction of the metric; None where it has none.
    margin : float or None
        What a difference must not exceed for models to be as good as one another.
    alternative : {"two-sided", "less", "greater"}
        Of the pairs: the difference is other than 0, below 0 or above 0.
    method : str
        How errors were found.
    samples_are : {"rows", "queries", "items"}
    details : object
        What else the method found, such as the test of all models at once; None if nothing.
    """

    _rows = "pairs"
    metric: str
    names: tuple[str, ...]
    models: tuple[Estimate, ...]
    pairs: tuple[Pair, ...]
    covariance: NDArray[np.float64] = field(compare=False)
    higher_is_better: bool | None
    margin: float | None
    confidence_level: float
    alternative: Alternative
    method: str
    n_samples: float
    n_groups: int | None
    weights_are: WeightsAre | None
    samples_are: SamplesAre = "rows"
    note: str = ""
    details: Any = field(default=None, repr=False)

    @classmethod
    def from_pairs(
        cls,
        models: Sequence[Estimate],
        pairs: Sequence[Pair],
        higher_is_better: bool | None,
        confidence_level: float,
        *,
        covariance: NDArray[np.float64] | None = None,
        **fields: Any,
    ) -> Comparison:
        """Build a comparison: adjust the p-values of pairs and decide which models are better."""
        one = models[0]
        if covariance is None:
            covariance = np.full((len(models), len(models)), math.nan)
        covariance.flags.writeable = False
        adjusted = _adjusted_pvalues(pairs, fields["names"], covariance, fields["alternative"])
        decided = []
        for pair, p in zip(pairs, adjusted, strict=True):
            tested = replace(pair, pvalue_adjusted=p)
            better = tested.better_at(confidence_level, higher_is_better)
            decided.append(replace(tested, better=better))
        fields = {"margin": None, "n_samples": one.n_samples, "n_groups": one.n_groups} | fields
        return cls(
            metric=one.metric,
            models=tuple(models),
            pairs=tuple(decided),
            covariance=covariance,
            higher_is_better=higher_is_better,
            confidence_level=confidence_level,
            weights_are=one.weights_are,
            **fields,
        )

    @property
    def estimate(self) -> tuple[float, ...]:
        """The metric of each model."""
        return tuple(model.estimate for model in self.models)

    @property
    def better(self) -> str | None:
        """The better of two models, where it is shown; of more, the one that beats all others."""
        wins = Counter(pair.better for pair in self.pairs)
        return next((name for name in self.names if wins[name] == len(self.names) - 1), None)

    @property
    def adjustment(self) -> Literal["max-T", "Holm"]:
        """Name the method that adjusts p-values for the number of pairs.

        Max-T where `covariance` says how the models vary together: its p-values are never above
        Holm's, which fears the worst (Westfall & Young 1993). Holm's (1979) where there is none.
        """
        return "max-T" if _is_known(self.covariance) else "Holm"

    @property
    def verdict(self) -> str:
        """Sentences on significant differences, or on their absence."""
        return verdict_text({self.metric: self})

    @documented()
    def plan(self, *, difference: float, power: float = 0.8) -> SampleSize:
        """Return how many samples show a difference of the models with a power.

        The samples are as those at hand: in the shares of the classes, and in the sizes of groups,
        where there are some; then the groups are counted too. The models differ as these do: the
        standard error of the difference is that of this comparison, for fewer or more samples.

        Parameters
        ----------
        difference : float
            The true difference that is to be shown, in the unit of the metric.
        power : float, default=0.8
            The probability to show it.

        Returns
        -------
        SampleSize
            The smallest number, and the power that it has; of several pairs for the one that needs
            most, at Bonferroni's level, which Holm's never goes below.

        Raises
        ------
        ValueError
            If `difference` is not positive and finite, `power` not between 0 and 1, or more than
            10^15 samples are needed.

        Warns
        -----
        UndefinedMetricWarning
            If a standard error is 0 or nan: the number is nan.

        Notes
        -----
        The power is that of Student's t test in the right direction, by the noncentral t, the
        standard error falling as one over the root of the number of samples.

        Examples
        --------
        >>> from fastmetrics import compare
        >>> y_true = [0, 1] * 50
        >>> models = {"a": [0, 1] * 40 + [1, 1, 0, 0] * 5, "b": [0, 1] * 30 + [1, 1, 1, 0] * 10}
        >>> result = compare(y_true, models, metrics="accuracy")["accuracy"]
        >>> result.plan(difference=0.05, power=0.9).n_samples
        682
        """
        level = 1.0 - (1.0 - self.confidence_level) / len(self.pairs)
        rule = self.n_samples, self.n_groups, level, self.alternative
        plans = [
            size_for_difference(pair, *rule, difference=difference, power=power)
            for pair in self.pairs
        ]
        unknown = [plan for plan in plans if math.isnan(plan.n_samples)]
        return unknown[0] if unknown else max(plans, key=lambda plan: plan.n_samples)

    @overload
    def __getitem__(self, models: str) -> Estimate: ...

    @overload
    def __getitem__(self, models: tuple[str, str]) -> Pair: ...

    def __getitem__(self, models: str | tuple[str, str]) -> Estimate | Pair:
        """Return the estimate of a model, or how two differ in the order of `pairs`, by name."""
        if isinstance(models, str):
            return by_name(dict(zip(self.names, self.models, strict=True)), models, "models")
        for pair in self.pairs:
            if (pair.a, pair.b) == models:
                return pair
        raise no_such(models, "pairs", ((pair.a, pair.b) for pair in self.pairs))

    def __repr__(self) -> str:
        named = zip(self.names, self.estimate, strict=True)
        values = ", ".join(f"{name}: {value:.6g}" for name, value in named)
        return f"Comparison({self.metric}; {values}; {self.method})"

    def _display(self) -> Display:
        return display_comparisons({self.metric: self})


def _is_known(covariance: NDArray[np.float64]) -> bool:
    """Return True if the covariance is finite and not all 0."""
    return bool(np.isfinite(covariance).all() and covariance.any())


def _adjusted_pvalues(
    pairs: Sequence[Pair],
    names: Sequence[str],
    covariance: NDArray[np.float64],
    alternative: Alternative,
) -> list[float]:
    """Adjust the p-values of pairs for their number: by max-T, or Holm without a covariance."""
    pvalues = [pair.pvalue for pair in pairs]
    if not _is_known(covariance):
        return holm(pvalues)
    indices = [(names.index(pair.a), names.index(pair.b)) for pair in pairs]
    return max_t_pvalues(pvalues, indices, covariance, alternative)


class Comparisons(ByMetric[Comparison]):
    """Comparisons by the name of the metric; frozen.

    Examples
    --------
    >>> from fastmetrics import compare
    >>> scores = {"a": [0.1, 0.8, 0.4, 0.5, 0.9], "b": [0.2, 0.7, 0.6, 0.4, 0.8]}
    >>> compare([0, 1, 1, 0, 1], scores, metrics="brier_score")
    Comparisons(Comparison(brier_score; a: 0.134, b: 0.098; influence))
    """

    __slots__ = ()

    @property
    def verdict(self) -> str:
        """Sentences on significant differences, corrected for all pairs and metrics."""
        return verdict_text(self)

    def _display(self) -> Display:
        return display_comparisons(self)


class Outcome:
    """Significant differences between models by metric, corrected for all tests.

    A model counts as better in a metric where its p-value stands Holm's correction over all pairs
    and metrics, and the interval leaves out 0.
    """

    def __init__(self, comparisons: Mapping[str, Comparison], labels: Mapping[str, str]) -> None:
        self.comparisons = comparisons
        self.labels = labels
        self.tests = [
            (labels.get(metric, metric), one, pair)
            for metric, one in comparisons.items()
            for pair in one.pairs
        ]
        self.metrics = [*dict.fromkeys(metric for metric, *_ in self.tests)]
        self.models = next(iter(comparisons.values())).names
        #: By winner and loser, the metrics.
        self.wins: dict[tuple[str, str], list[str]] = {}
        #: Tests that are significant before the correction for metrics alone.
        self.uncorrected: list[str] = []
        corrected = holm([pair.pvalue for *_, pair in self.tests])
        for (metric, one, pair), p in zip(self.tests, corrected, strict=True):
            if pair.better is None:
                continue
            if len(self.metrics) == 1 or p < 1.0 - one.confidence_level:
                loser = pair.b if pair.better == pair.a else pair.a
                self.wins.setdefault((pair.better, loser), []).append(metric)
            else:
                self.uncorrected.append(self._name(metric, pair))

    def _name(self, metric: str, pair: Pair) -> str:
        return metric if len(self.models) == 2 else f"{metric} ({pair.a}, {pair.b})"

    def _is_won(self, metric: str, pair: Pair) -> bool:
        return any(metric in self.wins.get(ab, ()) for ab in ((pair.a, pair.b), (pair.b, pair.a)))

    def _beats(self, model: str, other: str) -> bool:
        return (model, other) in self.wins and (other, model) not in self.wins

    @property
    def best(self) -> str | None:
        """The model better than each other one in a metric, and worse in none."""
        for model in self.models:
            if all(self._beats(model, other) for other in self.models if other != model):
                return model
        return None

    @property
    def leader(self) -> str:
        """The best model; else the first with the most significant differences."""
        n_wins = Counter(dict.fromkeys(self.models, 0))
        for (winner, loser), metrics in self.wins.items():
            n_wins[winner] += len(metrics)
            n_wins[loser] -= len(metrics)
        return self.best or max(n_wins, key=n_wins.__getitem__)

    def sentences(self) -> list[str]:
        """Write the significant differences, then those that are not significant."""
        best = self.best
        n = len(self.models)
        lines = []
        if best and n > 2:
            lines = [f"{best} is best: {self._gains(best)}."]
        elif self.wins:
            winners = [*dict.fromkeys(winner for winner, _ in self.wins)]
            n_pairs = len({(pair.a, pair.b) for *_, pair in self.tests})
            text = "; ".join(f"{each} is {self._gains(each)}" for each in winners)
            if len(winners) > 3:
                n_apart = len({frozenset(pair) for pair in self.wins})
                text = f"{n_apart} of {n_pairs} pairs of models differ significantly in a metric"
            lines = [f"{text}."]
            if n > 2 and n_pairs == n * (n - 1) // 2:
                lines.insert(0, f"No model is best: {self._rivals()}.")
        margins = (text for test in self.tests for text in _margin(*test))
        return [*lines, *self._others(best if n > 2 else None), *margins]

    def _gains(self, winner: str) -> str:
        """Write in which metrics a model is better, and than which models."""
        losers: dict[str, list[str]] = {}
        for (model, loser), metrics in self.wins.items():
            if model == winner:
                losers.setdefault(_listed(metrics), []).append(loser)
        gains = [f"than {_listed(names, 'models')} in {where}" for where, names in losers.items()]
        return f"better {', '.join(gains)}"

    def _rivals(self) -> str:
        """Write which unbeaten models are not told apart, or better in different metrics."""
        beaten = {b for a in self.models for b in self.models if self._beats(a, b)}
        rivals = [model for model in self.models if model not in beaten]
        wins = self.wins
        if len(rivals) == 1:
            others = [b for b in self.models if b != rivals[0] and (rivals[0], b) not in wins]
            return f"{rivals[0]} and {_listed(others, 'models')} are not told apart"
        if not rivals:
            return "each is worse than another one in a metric"
        traded = any((a, b) in wins for a in rivals for b in rivals)
        how = "better in different metrics, or not told apart" if traded else "not told apart"
        return f"{_listed(rivals, 'models')} are {how}"

    def _others(self, best: str | None) -> list[str]:
        """Write the metrics without a significant difference, and those without a direction."""
        kept = [each for each in self.tests if best is None or best in (each[2].a, each[2].b)]
        open_: dict[str, list[str]] = {}
        apart: dict[str, list[str]] = {}
        for metric, one, pair in kept:
            other = pair.a if pair.b == best else pair.b
            if one.higher_is_better is None and pair.pvalue_adjusted < 1.0 - one.confidence_level:
                apart.setdefault(metric, []).append(f"{pair.a} and {pair.b}")
            elif not (math.isnan(pair.pvalue) or self._is_won(metric, pair)):
                open_.setdefault(metric, []).append(other)
        n_pairs = len(kept) // len(self.metrics)
        lines = [f"{_listed(who)} differ in {metric}." for metric, who in apart.items()]
        nowhere = [metric for metric, who in open_.items() if len(who) == n_pairs]
        texts = [f"in {_listed(nowhere)}"] if nowhere else []
        if nowhere and not self.wins:
            texts = [f"between {_listed(self.models, 'models')} {texts[0]}"]
        if best is not None:
            by_other: dict[str, list[str]] = {}
            for metric, who in open_.items():
                if metric not in nowhere:
                    by_other.setdefault(_listed(who, "models"), []).append(metric)
            texts += [f"from {who} in {_listed(metrics)}" for who, metrics in by_other.items()]
        return [f"No significant difference {', nor '.join(texts)}.", *lines] if texts else lines

    def notes(self) -> list[str]:
        """Write which tests are undefined, and how p-values are corrected."""
        undefined: list[str] = []
        constant: list[str] = []
        for metric, _, pair in self.tests:
            if math.isnan(pair.pvalue):
                undefined.append(self._name(metric, pair))
            elif pair.standard_error == 0.0:
                constant.append(self._name(metric, pair))
        unit = _ONE_OF[self.tests[0][1].samples_are]
        reasons = {
            "The difference is undefined": undefined,
            f"The standard error is 0, as no {unit} varies": constant,
        }
        notes = [f"{reason}: {', '.join(of)}." for reason, of in reasons.items() if of]
        return [*notes, *self._corrections(), *_smallest(self.tests)]

    def _corrections(self) -> list[str]:
        n_metrics = len(self.metrics)
        n_pairs = len(self.tests) // n_metrics
        notes = []
        if n_pairs > 1:
            method = adjustment_text(self.comparisons, self.labels)
            notes = [f"p is adjusted for the {n_pairs} pairs of a metric by {method}."]
        after = f"after Holm's correction for {n_metrics} metrics"
        if self.uncorrected:
            notes.append(f"Not significant {after}: {', '.join(self.uncorrected)}.")
        elif n_metrics > 1 and self.wins:
            notes.append(f"Significant differences stay so {after}.")
        return notes


def verdict_text(
    comparisons: Mapping[str, Comparison], labels: Mapping[str, str] | None = None
) -> str:
    """Write the outcome of comparisons by several metrics; ``labels`` name the metrics."""
    return "\n".join(Outcome(comparisons, labels or {}).sentences())


def _listed(names: Sequence[str], noun: str = "metrics") -> str:
    """Join names for a text, or count them if there are many."""
    if len(names) > _MOST_LISTED:
        return f"{len(names)} {noun}"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _smallest(tests: Sequence[tuple[str, Comparison, Pair]]) -> list[str]:
    """Write the smallest significant difference, for a single test that is not significant."""
    (_, one, pair), *others = tests
    if others or pair.better or not pair.standard_error > 0.0 or one.higher_is_better is None:
        return []
    low, high = pair.confidence_interval
    is_above = one.alternative == "greater" or (one.alternative != "less" and pair.estimate > 0.0)
    least = pair.estimate - low if is_above else high - pair.estimate
    many = one.n_groups if one.n_groups is not None else one.n_samples
    units = one.samples_are if one.n_groups is None else "groups"
    if not math.isfinite(least) or math.isnan(many):
        return []
    text = number(least, common_decimals([least], as_are=False))
    return [f"With these {many:,.0f} {units} a difference is significant from {text} on."]


def _margin(metric: str, one: Comparison, pair: Pair) -> list[str]:
    """Write whether two models are equivalent, or one not inferior, given a margin."""
    level = 1.0 - one.confidence_level
    if one.margin is None or math.isnan(pair.pvalue_noninferior):
        return []
    index = one.pairs.index(pair)
    if holm([each.pvalue_equivalent for each in one.pairs])[index] < level:
        return [f"{metric}: {pair.a} and {pair.b} differ by less than {one.margin:g}."]
    if pair.better == pair.a:
        return []
    is_significant = holm([each.pvalue_noninferior for each in one.pairs])[index] < level
    claim = f"{pair.a} is not worse than {pair.b} by {one.margin:g} or more"
    return [f"{metric}: {claim}." if is_significant else f"{metric}: no evidence that {claim}."]


def adjustment_text(
    comparisons: Mapping[str, Comparison], labels: Mapping[str, str] | None = None
) -> str:
    """Write the method that adjusts p-values for pairs, and the metrics with another one."""
    by_method: dict[str, list[str]] = {}
    for metric, one in comparisons.items():
        method = "Holm's method" if one.adjustment == "Holm" else one.adjustment
        by_method.setdefault(method, []).append((labels or {}).get(metric, metric))
    commonest, *others = sorted(by_method, key=lambda method: -len(by_method[method]))
    return commonest + "".join(f" ({method}: {', '.join(by_method[method])})" for method in others)


def pairs_table(
    comparisons: Mapping[str, Comparison], baseline: str | None = None, **options: Any
) -> Table:
    """Build the table of pairs by metric; rows of the baseline, or the best model, are printed."""
    pairs = [pair for one in comparisons.values() for pair in one.pairs]
    baseline = baseline or Outcome(comparisons, {}).leader
    chosen = [row for row, pair in enumerate(pairs) if baseline in (pair.a, pair.b)]
    names = "estimate confidence_interval standard_error df pvalue pvalue_adjusted better".split()
    if any(one.margin is not None for one in comparisons.values()):
        names.append("pvalue_noninferior")
    are_resampled = all(isinstance(pair.details, Replicates) for pair in pairs)
    if are_resampled:
        names.remove("df")
    columns: dict[str, Any] = {
        "metric": [pair.metric for pair in pairs],
        "model": [pair.a for pair in pairs],
        "minus_model": [pair.b for pair in pairs],
        **Table.of(pairs, names).columns,
    }
    if are_resampled:
        columns["n_failed"] = [pair.details.n_failed for pair in pairs]
    columns = _without_empty_columns(columns)
    return Table(columns, explained=("standard_error", "df"), chosen=chosen or None, **options)


def _without_empty_columns(columns: dict[str, Any]) -> dict[str, Any]:
    """Drop errors and intervals that are all nan, as of a permutation test."""
    if all(math.isnan(error) for error in columns["standard_error"]) and all(
        math.isnan(low) and math.isnan(high) for low, high in columns["confidence_interval"]
    ):
        del columns["standard_error"], columns["confidence_interval"]
    return columns


def display_comparisons(comparisons: Mapping[str, Comparison]) -> Display:
    """Build the display of one or several comparisons."""
    any_one = next(iter(comparisons.values()))
    level = any_one.confidence_level
    models = [model for one in comparisons.values() for model in one.models]
    pairs = [pair for one in comparisons.values() for pair in one.pairs]
    columns = {
        "metric": [model.metric for model in models],
        "model": [name for one in comparisons.values() for name in one.names],
        **Table.of(models, FIGURES[1:]).columns,
    }
    below = {"", *(model.note for model in models)}
    all_notes = dict.fromkeys(one.note for one in comparisons.values())
    notes = [note for note in all_notes if note not in below]
    methods = ", ".join(dict.fromkeys(one.method for one in comparisons.values()))
    method = f"Method: {methods}, {any_one.alternative}; intervals are not corrected."
    replicates = next(
        (pair.details for pair in pairs if isinstance(pair.details, Replicates)), None
    )
    if replicates is not None:
        method = f"{method[:-1]}; {again(replicates)}."
        notes += WEIGHTS[any_one.weights_are]
    models_table = Table(_without_empty_columns(columns), level=level, framed=False)
    outcome = Outcome(comparisons, {})
    notes = [*caution_notes([*models, *pairs]), *outcome.notes(), *notes, method]
    tables = [models_table, pairs_table(comparisons, level=level)]
    return Display(tables, "", notes, outcome.sentences())
