"""``Comparison``: several models by one metric, and what that shows, in words and tables.

Words never say more than intervals and adjusted p-values allow.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, overload

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display import Display, Table, as_p, decimals_of, limits, number
from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, WeightsAre
from fastmetrics._results import ConfidenceInterval, Several
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
    cautions_of,
    size_for_difference,
)
from fastmetrics.inference.reference import critical_value, holm, max_t_pvalues
from fastmetrics.inference.units import SamplesAre

#: More pairs than these are counted, not listed.
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
    def of(
        cls,
        models: Sequence[Estimate],
        pairs: Sequence[Pair],
        higher_is_better: bool | None,
        confidence_level: float,
        *,
        covariance: NDArray[np.float64] | None = None,
        **fields: Any,
    ) -> Comparison:
        """Return a comparison, the p-values of its pairs adjusted and the better models named."""
        one, size = models[0], (len(models), len(models))
        covariance = np.full(size, math.nan) if covariance is None else covariance
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
        """Verdict in words: the better model and its lead, or that no difference is shown."""
        return verdict_of({self.metric: self}).replace("\N{NO-BREAK SPACE}", " ")

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
        >>> found = compare(y_true, models, metrics="accuracy")["accuracy"]
        >>> found.plan(difference=0.05, power=0.9).n_samples
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

    def _shown(self) -> Display:
        return shown_comparisons({self.metric: self})


def _is_known(covariance: NDArray[np.float64]) -> bool:
    """Return whether there is a covariance, inside the range of doubles."""
    return bool(np.isfinite(covariance).all() and covariance.any())


def _adjusted_pvalues(
    pairs: Sequence[Pair],
    names: Sequence[str],
    covariance: NDArray[np.float64],
    alternative: Alternative,
) -> list[float]:
    """Return p-values of pairs adjusted for their number: by max-T, without a covariance Holm's."""
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
        """Verdict in words, and which of it remains after an adjustment for all metrics."""
        return verdict_of(self).replace("\N{NO-BREAK SPACE}", " ")

    def _shown(self) -> Display:
        return shown_comparisons(self)


def verdict_of(found: Mapping[str, Comparison], names: Mapping[str, str] | None = None) -> str:
    """Describe comparisons by several metrics in words; ``names`` are those of metrics."""
    named = [((names or {}).get(metric, metric), one) for metric, one in found.items()]
    if any(len(one.pairs) != 1 for _, one in named):
        lines = [_of_many(name, one) for name, one in named]
    else:
        lines = [_together(named) + (_smallest(named[0][1]) if len(named) == 1 else "")]
    lines += _over_all(named)
    return "\n".join(lines)


def _together(named: Sequence[tuple[str, Comparison]]) -> str:
    """Describe one pair by several metrics: the better in each, then the rest."""
    said: list[str] = []
    before = ""
    for name, one in named:
        (pair,) = one.pairs
        if pair.better is not None:
            better = f"{pair.better} is better in {name}"
            start = f"in {name} too" if pair.better == before else better
            said.append(f"{start}, by {_gain(pair)}{_margin(one, pair)}")
            before = pair.better
    is_said = False
    for name, one in named:
        (pair,) = one.pairs
        if pair.better is None:
            words = _not_better(name, one, pair)
            first = f"not shown which of {pair.a} and {pair.b} is better in {name}"
            if len(named) > 1 and words.startswith(first):
                start = "nor" if is_said else "not shown" if said else f"{first[: -len(name) - 4]}:"
                rest = words.removeprefix(first)
                if is_said:
                    rest = rest.replace(f"({pair.a} less {pair.b}: ", "(")
                words, is_said = f"{start} in {name}{rest}", True
            said.append(words + _margin(one, pair))
    text = re.sub("^n(?=othing can|either )", "N", "; ".join(said))
    return re.sub("^not shown", "It is not shown", text) + "."


def _of_many(name: str, one: Comparison) -> str:
    """Describe several pairs by one metric."""
    shown = [pair for pair in one.pairs if pair.better is not None]
    best = one.better
    if len(one.pairs) > _MOST_LISTED:
        start = f"{name}: {len(shown)} of {len(one.pairs)} pairs are told apart"
        return start + (f"; {best} is better than every other." if best else ".")
    others = [pair for pair in one.pairs if pair.better is None]
    said = []
    for pair in shown:
        other = pair.b if pair.better == pair.a else pair.a
        said.append(f"{pair.better} is better than {other}, by {_gain(pair)}{_margin(one, pair)}")
    said += [_not_better("", one, pair) + _margin(one, pair) for pair in others]
    return f"{name}: {'; '.join(said)}."


def _gain(pair: Pair) -> str:
    """Return by how much the better model of a pair is ahead."""
    value, (low, high) = pair.estimate, pair.confidence_interval
    if value < 0.0:
        value, low, high = -value, -high, -low
    return _with_limits(value, ConfidenceInterval(low, high), pair.pvalue_adjusted)


def _not_better(name: str, one: Comparison, pair: Pair) -> str:
    """Return that no model of a pair is shown to be better, and why."""
    of = f" in {name}" if name else ""
    with_limits = _with_limits(pair.estimate, pair.confidence_interval, pair.pvalue_adjusted)
    both = f"{pair.a} less {pair.b}: {with_limits}"
    if math.isnan(pair.pvalue):
        return f"nothing can be said of {pair.a} and {pair.b}{of}"
    if pair.standard_error == 0.0:
        what = f"no {_ONE_OF[one.samples_are]} varies"
        if pair.estimate == 0.0:
            return f"{pair.a} and {pair.b} cannot be told apart{of}: {what} ({both})"
        p = "" if as_p(pair.pvalue_adjusted) in both else f", {as_p(pair.pvalue_adjusted)}"
        return (
            f"neither {pair.a} nor {pair.b} is shown to be better{of}: the standard error is 0, "
            f"as {what} ({both}{p})"
        )
    if one.higher_is_better is None:
        apart = pair.pvalue_adjusted < 1.0 - one.confidence_level
        return f"{'' if apart else 'not shown that '}{pair.a} and {pair.b} differ{of} ({both})"
    return f"not shown which of {pair.a} and {pair.b} is better{of} ({both})"


def _smallest(one: Comparison) -> str:
    """Return the smallest difference that would have been shown, the others as they are."""
    (pair,) = one.pairs
    if pair.better or not pair.standard_error > 0.0 or one.higher_is_better is None:
        return ""
    least = abs(critical_value(pair.df, 1.0 - one.confidence_level, one.alternative))
    least *= pair.standard_error
    many = one.n_groups if one.n_groups is not None else one.n_samples
    what = one.samples_are if one.n_groups is None else "groups"
    if not math.isfinite(least) or math.isnan(many):
        return ""
    return (
        f" The smallest difference that these {many:,.0f} {what} could have shown is "
        f"{number(least, decimals_of([least], as_are=False))}."
    )


def _margin(one: Comparison, pair: Pair) -> str:
    """Describe the result for the margin, where there is one."""
    level = 1.0 - one.confidence_level
    if one.margin is None or math.isnan(pair.pvalue_noninferior):
        return ""
    margin = f"{one.margin:g}"
    if holm([each.pvalue_equivalent for each in one.pairs])[one.pairs.index(pair)] < level:
        return f"; the two differ by less than {margin}"
    if pair.better == pair.a:
        return ""
    if holm([each.pvalue_noninferior for each in one.pairs])[one.pairs.index(pair)] < level:
        return f"; {pair.a} is not worse than {pair.b} by {margin} or more"
    return f"; not shown that {pair.a} is not worse than {pair.b} by {margin} or more"


def _over_all(named: list[tuple[str, Comparison]]) -> list[str]:
    """Return which of what is shown would stand an adjustment over all metrics."""
    pairs = [(name, one, pair) for name, one in named for pair in one.pairs]
    if len(named) < 2 or not any(pair.better for *_, pair in pairs):
        return []
    adjusted = holm([pair.pvalue for *_, pair in pairs])
    kept = [
        name if len(one.pairs) == 1 else f"{name} ({pair.a}, {pair.b})"
        for (name, one, pair), p in zip(pairs, adjusted, strict=True)
        if pair.better is not None and p < 1.0 - one.confidence_level
    ]
    n_shown = sum(pair.better is not None for *_, pair in pairs)
    which = "Of it " + ", ".join(kept) if kept else "None of it"
    if len(kept) == n_shown:
        which = "All of it"
    verb = "stand" if 1 < len(kept) < n_shown else "stands"
    return [f"{which} {verb} Holm's adjustment over the {len(named)} metrics too."]


def _with_limits(value: float, interval: ConfidenceInterval, p: float) -> str:
    """Return a difference with its interval; with its p where the method has no interval."""
    decimals = decimals_of([value], [interval])
    if math.isnan(interval.low) and math.isnan(interval.high):
        return f"{number(value, decimals)}, {as_p(p)}"
    return f"{number(value, decimals)} {limits(interval, decimals)}"


def adjustment_of(found: Mapping[str, Comparison], names: Mapping[str, str] | None = None) -> str:
    """Return which method adjusts p-values for several pairs, and for which metrics another."""
    of_method: dict[str, list[str]] = {}
    for metric, one in found.items():
        method = "Holm's method" if one.adjustment == "Holm" else one.adjustment
        of_method.setdefault(method, []).append((names or {}).get(metric, metric))
    commonest, *others = sorted(of_method, key=lambda method: -len(of_method[method]))
    return commonest + "".join(f" ({method}: {', '.join(of_method[method])})" for method in others)


def pairs_table(found: Mapping[str, Comparison], **options: Any) -> Table:
    """Return a row for each pair of models by each metric."""
    pairs = [pair for one in found.values() for pair in one.pairs]
    names = "estimate confidence_interval standard_error df pvalue pvalue_adjusted better".split()
    if any(one.margin is not None for one in found.values()):
        names.append("pvalue_noninferior")
    are_drawn = all(isinstance(pair.details, Replicates) for pair in pairs)
    if are_drawn:
        names.remove("df")
    columns: dict[str, Any] = {
        "metric": [pair.metric for pair in pairs],
        "model": [pair.a for pair in pairs],
        "minus_model": [pair.b for pair in pairs],
        **Table.of(pairs, names).columns,
    }
    if are_drawn:
        columns["n_failed"] = [pair.details.n_failed for pair in pairs]
    return Table(_without_what_no_method_has(columns), **options)


def _without_what_no_method_has(columns: dict[str, Any]) -> dict[str, Any]:
    """Leave out errors, and intervals, that are all nan: a permutation test has none."""
    if all(math.isnan(error) for error in columns["standard_error"]) and all(
        math.isnan(low) and math.isnan(high) for low, high in columns["confidence_interval"]
    ):
        del columns["standard_error"], columns["confidence_interval"]
    return columns


def shown_comparisons(found: Mapping[str, Comparison]) -> Display:
    """Return the tables of one or several comparisons."""
    any_one = next(iter(found.values()))
    level = any_one.confidence_level
    models = [model for one in found.values() for model in one.models]
    pairs = [pair for one in found.values() for pair in one.pairs]
    own = {
        "metric": [model.metric for model in models],
        "model": [name for one in found.values() for name in one.names],
        **Table.of(models, FIGURES[1:]).columns,
    }
    below = {"", *(model.note for model in models)}
    notes = [
        note for note in dict.fromkeys(one.note for one in found.values()) if note not in below
    ]
    methods = ", ".join(dict.fromkeys(one.method for one in found.values()))
    n_pairs = max(len(one.pairs) for one in found.values())
    adjusted = f"p adjusted for {n_pairs} pairs by {adjustment_of(found)}; "
    said = (
        f"{methods}; {any_one.alternative}; {adjusted if n_pairs > 1 else ''}"
        "intervals are not adjusted."
    )
    drawn = next((pair.details for pair in pairs if isinstance(pair.details, Replicates)), None)
    if drawn is not None:
        said = f"{said[:-1]}; {again(drawn)}."
        notes += WEIGHTS[any_one.weights_are]
    of_models = Table(_without_what_no_method_has(own), level=level, framed=False)
    notes = [verdict_of(found), said, *notes, *cautions_of([*models, *pairs])]
    return Display([pairs_table(found, level=level), of_models], "Comparison", notes)
