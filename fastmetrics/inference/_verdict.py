"""What comparisons show, in words and tables: never more than intervals and adjusted p allow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from fastmetrics._display.numbers import as_p, decimals_of, limits, number
from fastmetrics._display.table import Display, Table
from fastmetrics._results import ConfidenceInterval
from fastmetrics.inference._pvalues import holm
from fastmetrics.inference.reference import quantile
from fastmetrics.inference.replicates import WEIGHTS, Replicates, again, cautions_of
from fastmetrics.inference.units import SamplesAre

if TYPE_CHECKING:
    from fastmetrics.inference.estimate_result import Comparison, Pair

#: More pairs than these are counted, not listed.
_MOST_LISTED: Final = 6

#: Of an estimate, in tables.
FIGURES: Final = ("metric", "estimate", "confidence_interval", "standard_error")

_ONE_OF: Final[dict[SamplesAre, str]] = {"rows": "row", "queries": "query", "items": "item"}


def decided(
    pairs: Sequence[Pair],
    level: float,
    higher_is_better: bool | None,
    adjusted: Sequence[float] | None = None,
) -> tuple[Pair, ...]:
    """Return pairs with p adjusted for their number, and the better models by Holm's or other p."""
    by_holm = holm([pair.pvalue for pair in pairs])
    found = []
    for pair, p, deciding in zip(pairs, by_holm, adjusted or by_holm, strict=True):
        better = replace(pair, pvalue_holm=deciding).better_at(level, higher_is_better)
        found.append(replace(pair, pvalue_holm=p, better=better))
    return tuple(found)


def verdict_of(found: Mapping[str, Comparison], names: Mapping[str, str] | None = None) -> str:
    """Return what comparisons by several measures show; ``names`` are those of measures."""
    named = [((names or {}).get(metric, metric), one) for metric, one in found.items()]
    if any(len(one.pairs) != 1 for _, one in named):
        lines = [_of_many(name, one) for name, one in named]
    elif len(named) == 1:
        lines = [_alone(*named[0])]
    else:
        lines = [_together(named)]
    lines += _over_all(named)
    return "\n".join(lines)


def _alone(name: str, one: Comparison) -> str:
    """Return what one pair by one measure shows, and what it could have shown."""
    (pair,) = one.pairs
    if pair.better is not None:
        return f"{pair.better} is better in {name}, by {_gain(pair)}{_margin(one, pair)}."
    return f"{_sentence(_not_better(name, one, pair) + _margin(one, pair))}.{_smallest(one, pair)}"


def _sentence(said: str) -> str:
    """Return words that begin a line; names of models stay as they are."""
    starts = {"not shown": "It is not shown", "nothing can": "Nothing can"}
    return next((to + said[len(of) :] for of, to in starts.items() if said.startswith(of)), said)


def _together(named: Sequence[tuple[str, Comparison]]) -> str:
    """Return what one pair by several measures shows: the better in each, then the others."""
    said: list[str] = []
    before = ""
    for name, one in named:
        (pair,) = one.pairs
        if pair.better is not None:
            start = (
                f"in {name} too" if pair.better == before else f"{pair.better} is better in {name}"
            )
            said.append(f"{start}, by {_gain(pair)}{_margin(one, pair)}")
            before = pair.better
    is_said = False
    for name, one in named:
        (pair,) = one.pairs
        if pair.better is None:
            words = _not_better(name, one, pair)
            first = f"not shown which of {pair.a} and {pair.b} is better in {name}"
            if words.startswith(first):
                start = "nor" if is_said else "not shown" if said else f"{first[: -len(name) - 4]}:"
                rest = words.removeprefix(first)
                if is_said:
                    rest = rest.replace(f"({pair.a} less {pair.b}: ", "(")
                words, is_said = f"{start} in {name}{rest}", True
            said.append(words + _margin(one, pair))
    return f"{_sentence('; '.join(said))}."


def _of_many(name: str, one: Comparison) -> str:
    """Return what several pairs by one measure show."""
    shown = [pair for pair in one.pairs if pair.better is not None]
    best = one.better
    if len(one.pairs) > _MOST_LISTED:
        start = f"{name}: {len(shown)} of {len(one.pairs)} pairs are told apart"
        return start + (f"; {best} is better than every other." if best else ".")
    others = [pair for pair in one.pairs if pair.better is None]
    said = [_beaten(pair) + _margin(one, pair) for pair in shown]
    said += [_not_better("", one, pair) + _margin(one, pair) for pair in others]
    return f"{name}: " + "; ".join(said) + "."


def _beaten(pair: Pair) -> str:
    other = pair.b if pair.better == pair.a else pair.a
    return f"{pair.better} is better than {other}, by {_gain(pair)}"


def _gain(pair: Pair) -> str:
    """Return by how much the better model of a pair is ahead."""
    value, (low, high) = pair.estimate, pair.confidence_interval
    if value < 0.0:
        value, low, high = -value, -high, -low
    return _with_limits(value, ConfidenceInterval(low, high), pair.pvalue_holm)


def _not_better(name: str, one: Comparison, pair: Pair) -> str:
    """Return that no model of a pair is shown to be better, and why."""
    of = f" in {name}" if name else ""
    with_limits = _with_limits(pair.estimate, pair.confidence_interval, pair.pvalue_holm)
    both = f"{pair.a} less {pair.b}: {with_limits}"
    if math.isnan(pair.pvalue):
        return f"nothing can be said of {pair.a} and {pair.b}{of}"
    if pair.standard_error == 0.0:
        what = f"no {_ONE_OF[one.samples_are]} varies"
        return f"{pair.a} and {pair.b} cannot be told apart{of}: {what} ({both})"
    if one.higher_is_better is None:
        apart = pair.pvalue_holm < 1.0 - one.confidence_level
        return f"{'' if apart else 'not shown that '}{pair.a} and {pair.b} differ{of} ({both})"
    return f"not shown which of {pair.a} and {pair.b} is better{of} ({both})"


def _smallest(one: Comparison, pair: Pair) -> str:
    """Return the smallest difference that would have been shown, the others as they are."""
    if not pair.standard_error > 0.0 or one.higher_is_better is None:
        return ""
    sides = 2.0 if one.alternative == "two-sided" else 1.0
    least = quantile(1.0 - (1.0 - one.confidence_level) / sides, pair.df) * pair.standard_error
    many = one.n_groups if one.n_groups is not None else one.n_samples
    what = one.samples_are if one.n_groups is None else "groups"
    if not math.isfinite(least) or math.isnan(many):
        return ""
    return (
        f" The smallest difference that these {many:,.0f} {what} could have shown is "
        f"{number(least, decimals_of([least], as_are=False))}."
    )


def _margin(one: Comparison, pair: Pair) -> str:
    """Return what is shown about the margin, where there is one."""
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


def _over_all(named: Sequence[tuple[str, Comparison]]) -> list[str]:
    """Return which of what is shown would stand an adjustment over all measures."""
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
    which = (
        "All of it"
        if len(kept) == n_shown
        else "Of it " + ", ".join(kept)
        if kept
        else "None of it"
    )
    verb = "stand" if 1 < len(kept) < n_shown else "stands"
    return [f"{which} {verb} Holm's adjustment over the {len(named)} measures too."]


def _with_limits(value: float, interval: ConfidenceInterval, p: float) -> str:
    """Return a difference with its interval; with its p where the method has no interval."""
    decimals = decimals_of([value], [interval])
    if math.isnan(interval.low) and math.isnan(interval.high):
        return f"{number(value, decimals)}, {as_p(p)}"
    return f"{number(value, decimals)} {limits(interval, decimals)}"


def pairs_table(found: Mapping[str, Comparison], **options: Any) -> Table:
    """Return a row for each pair of models by each measure."""
    pairs = [pair for one in found.values() for pair in one.pairs]
    columns: dict[str, list[Any]] = {
        "metric": [pair.metric for pair in pairs],
        "model": [pair.a for pair in pairs],
        "minus_model": [pair.b for pair in pairs],
        "estimate": [pair.estimate for pair in pairs],
    }
    names = ["confidence_interval", "standard_error", "df", "pvalue", "pvalue_holm", "better"]
    if any(one.margin is not None for one in found.values()):
        names.append("pvalue_noninferior")
    drawn = [pair.details for pair in pairs if isinstance(pair.details, Replicates)]
    are_drawn = len(drawn) == len(pairs)
    if are_drawn:
        names.remove("df")
    for name in names:
        columns[name] = [getattr(pair, name) for pair in pairs]
    if any(len(one.pairs) > 1 and not np.isnan(one.covariance).any() for one in found.values()):
        columns["pvalue_max_t"] = [p for one in found.values() for p in one.pvalue_max_t]
    if are_drawn:
        columns["n_failed"] = [each.n_failed for each in drawn]
    return Table(_without_what_no_method_has(columns), **options)


def _without_what_no_method_has(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
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
    notes = [note for note in dict.fromkeys(one.note for one in found.values()) if note]
    methods = ", ".join(dict.fromkeys(one.method for one in found.values()))
    said = f"{methods}; {any_one.alternative}; intervals are not adjusted."
    drawn = next((pair.details for pair in pairs if isinstance(pair.details, Replicates)), None)
    if drawn is not None:
        said = f"{said[:-1]}; {again(drawn)}."
        notes += WEIGHTS[any_one.weights_are]
    return Display(
        [
            pairs_table(found, level=level),
            Table(_without_what_no_method_has(own), level=level, framed=False),
        ],
        "Comparison",
        [verdict_of(found), said, *notes, *cautions_of([*models, *pairs])],
    )
