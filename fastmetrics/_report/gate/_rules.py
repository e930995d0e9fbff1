"""From differences with their errors to decisions: what each rule of a gate says, and how well."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels, in_class_order
from fastmetrics._input.containers import as_array, by_names, column_count
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scalars import check_same_length
from fastmetrics._report.gate.gate_result import Decision, GateRule
from fastmetrics._report.model_evaluation import said_in_notes
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference._pvalues import holm
from fastmetrics.inference.compare import compare
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.forms import sample_of
from fastmetrics.inference.reference import normal_quantile, pvalue, quantile, tail
from fastmetrics.inference.units import Floats
from fastmetrics.measures.asking import Asked

#: How probably as good a candidate should pass: what sample sizes are named for.
POWER: Final = 0.8
#: Measures that are means over rows, for which a label of a row is the worst or the best whatever
#: the others are.
OF_ROWS: Final = ("accuracy", "error_rate", "log_loss", "brier_score")


#: Numbers of a block of draws.
_BLOCK: Final = 1 << 22


@dataclass(frozen=True)
class Task:
    """What a gate is asked: rows, models, what is measured, how much may be lost.

    ``columns`` has what belongs to rows beside labels and scores (weights, groups, …), ``options``
    what holds for all of them.
    """

    asked: tuple[Asked, ...]
    margins: Mapping[str, float]
    candidate: str
    baselines: tuple[str, ...]
    labels: NDArray[Any]
    scores: Mapping[str, NDArray[Any]]
    columns: Mapping[str, NDArray[Any]]
    options: Mapping[str, Any]
    alpha: float
    unknown: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls, labels: Any, models: Sequence[NamedScores], columns: Mapping[str, Any], **rest: Any
    ) -> Task:
        """Return the task of rows in any containers."""
        scores = {
            each.name: as_array(
                in_class_order(each.values, labels, name=each.argument), each.argument
            )
            for each in models
        }
        own = {name: as_array(each, name) for name, each in columns.items() if each is not None}
        for columns in ({each.argument: scores[each.name] for each in models}, own):
            check_same_length(**{"y_true": labels, **columns})
        return cls(labels=labels, scores=scores, columns=own, **rest)

    def part(self, chosen: NDArray[np.bool_]) -> Task:
        """Return the task of some rows."""
        return replace(
            self,
            labels=self.labels[chosen],
            scores={name: each[chosen] for name, each in self.scores.items()},
            columns={name: each[chosen] for name, each in self.columns.items()},
            unknown=None if self.unknown is None else self.unknown[chosen],
        )

    def compared(
        self, baseline: str, positive: NDArray[np.bool_] | None = None
    ) -> Mapping[str, Comparison]:
        """Return how the candidate differs from a baseline, unknown labels positive where told."""
        labels, own = self.labels, dict[str, Any](self.columns)
        if positive is not None and self.unknown is not None:
            labels = np.where(self.unknown, positive, labels)
        return compare(
            labels,
            {name: self.scores[name] for name in (self.candidate, baseline)},
            metrics={one.label: (one.name, dict(one.parameters)) for one in self.asked},
            method="influence",
            reference=baseline,
            confidence_level=1.0 - 2.0 * self.alpha,
            **self.options,
            **own,
        )


def rules_of(task: Task, name: str = "") -> list[GateRule]:
    """Return the rules of a task, their p not yet adjusted and nothing decided."""
    found = []
    known = task if task.unknown is None else task.part(~task.unknown)
    for baseline in task.baselines:
        with said_in_notes("[^`]*"):  # rules say it
            comparisons = known.compared(baseline)
            bounds = _bounds(task, baseline) if task.unknown is not None else None
        for one in task.asked:
            rule = _rule(one, comparisons[one.label], baseline, task, name)
            found.append(rule if bounds is None else _within(rule, bounds, one, task, baseline))
    return found


def _bounds(task: Task, baseline: str) -> list[Mapping[str, Comparison]]:
    """Return comparisons with the labels that are unknown at their worst, and at their best.

    Of a mean over rows the candidate is at its worst where what it scores lower than the baseline
    is positive, and what it scores higher is negative.
    """
    lower = task.scores[task.candidate] < task.scores[baseline]
    return [task.compared(baseline, at) for at in (lower, ~lower)]


def _within(
    rule: GateRule,
    bounds: Sequence[Mapping[str, Comparison]],
    one: Asked,
    task: Task,
    baseline: str,
) -> GateRule:
    """Return a rule of which both ends are those of the worst and the best labels."""
    worst, best = (_rule(one, each[one.label], baseline, task, rule.slice) for each in bounds)
    ends = [end for each in (worst, best) for end in each.confidence_interval]
    n = 0 if task.unknown is None else int(np.count_nonzero(task.unknown))
    note = f"{n:,} outcomes are unknown: from their worst to their best"
    return replace(
        rule,
        confidence_interval=ConfidenceInterval(min(ends), max(ends)),
        pvalue_noninferior=worst.pvalue_noninferior,
        pvalue_worse=best.pvalue_worse,
        n_samples=worst.n_samples,
        note=f"{rule.note}; {note}" if rule.note else note,
    )


def _rule(one: Asked, found: Comparison, baseline: str, task: Task, name: str) -> GateRule:
    """Return a rule by the difference of two models."""
    (pair,) = found.pairs
    margin, error, df = task.margins[one.label], pair.standard_error, pair.df
    upwards = bool(one.higher_is_better)
    gain = pair.estimate if upwards else -pair.estimate
    many = found.n_samples if found.n_groups is None else float(found.n_groups)
    what = "groups" if found.n_groups is not None else found.samples_are
    note, noninferior, worse = "", math.nan, math.nan
    chance, needed = math.nan, math.nan
    if error > 0.0 and df > 0.0:
        noninferior = pvalue((gain + margin) / error, df, "greater")
        worse = pvalue((gain + margin) / error, df, "less")
        chance = tail(quantile(task.alpha, df) + margin / error, df)
        z = -normal_quantile(task.alpha) + normal_quantile(POWER)
        needed = math.ceil(many * (z * error / margin) ** 2) if margin > 0.0 else math.inf
    elif math.isnan(pair.estimate):
        note = f"not defined on these {what}"
    elif pair.estimate == 0.0 and not math.isnan(pair.confidence_interval.low):
        unseen = f"what {many:,.0f} {what} cannot have seen"
        note = f"nothing tells the two apart: the limits are of {unseen}"
    else:
        note = f"no variance in {many:,.0f} {what}: nothing is known of others"
    return GateRule(
        metric=one.label,
        baseline=baseline,
        slice=name,
        margin=margin,
        estimate=pair.estimate,
        higher_is_better=upwards,
        standard_error=error,
        df=df,
        confidence_interval=pair.confidence_interval,
        pvalue_noninferior=noninferior,
        pvalue_worse=worse,
        pvalue_worse_holm=worse,
        decision="INCONCLUSIVE",
        chance_of_pass=chance,
        n_needed=needed,
        n_samples=many,
        note=note,
    )


def decided(rules: Sequence[GateRule], alpha: float) -> tuple[GateRule, ...]:
    """Return rules with their decisions: FAIL where all of the interval is beyond the margin."""
    adjusted = holm([rule.pvalue_worse for rule in rules])
    found = []
    for rule, p in zip(rules, adjusted, strict=True):
        decision: Decision = "INCONCLUSIVE"
        if rule.pvalue_worse < alpha:  # the interval, which leaves alpha outside, is beyond
            decision = "FAIL"
        elif rule.pvalue_noninferior < alpha:
            decision = "PASS"
        elif rule.estimate == 0.0 == rule.standard_error and rule.loss_limits.high < rule.margin:
            decision = "PASS"  # no row tells the models apart, and unseen ones could not by it
        found.append(replace(rule, pvalue_worse_holm=p, decision=decision))
    return tuple(found)


def verdict_of(rules: Sequence[GateRule], *, require_slices: bool) -> Decision:
    """Return FAIL if any rule fails, PASS if all required rules pass, else INCONCLUSIVE."""
    if any(rule.decision == "FAIL" for rule in rules):
        return "FAIL"
    required = [rule.decision for rule in rules if require_slices or not rule.slice]
    return "PASS" if all(each == "PASS" for each in required) else "INCONCLUSIVE"


def slices_of(
    task: Task, slices: Mapping[str, Any], min_n: int
) -> tuple[list[GateRule], list[str], list[str]]:
    """Return the rules of each slice, and the slices that are left out.

    Those are slices of fewer than ``min_n`` known rows, and, where scores are a column a class,
    those without a row of some class.
    """
    found: list[GateRule] = []
    small: list[str] = []
    lacking: list[str] = []
    is_by_class = any(column_count(scores) > 1 for scores in task.scores.values())
    n_classes = len(check_class_labels(task.labels).classes) if is_by_class else 0
    for column, values in by_names(slices, "slices", "columns").items():
        labels = check_class_labels(values, f"slices[{column!r}]")
        check_same_length(**{"y_true": task.labels, f"slices[{column!r}]": labels.codes})
        for code, value in enumerate(np.asarray(labels.classes).tolist()):
            chosen = labels.codes == code
            name = f"{column}={value}"
            known = chosen if task.unknown is None else chosen & ~task.unknown
            if int(np.count_nonzero(known)) < min_n:
                small.append(name)
                continue
            if n_classes > len(np.unique(task.labels[chosen])):
                lacking.append(name)
                continue
            try:
                found += rules_of(task.part(chosen), name)
            except InputError as error:
                raise InputError(f"slice {name!r}: {error}") from error
    return found, small, lacking


# --- rehearsals: how often rules fail equal models, and pass one that is worse -----------------


def rehearsed(task: Task, rules: Sequence[GateRule], n_resamples: int, rng: Any) -> list[GateRule]:
    """Return the rules of all rows with the shares of replicates that fail, and that pass, wrongly.

    A replicate weighs each row (group) by Poisson's law of mean 1; the difference and its error
    follow by the influences, around a difference of 0 for "fails equal models" and around the
    margin for "passes what is worse by the margin".
    """
    generator = np.random.default_rng(rng)
    contributions = [_contributions(task, rule) for rule in rules]
    moves = np.stack(contributions, axis=1)
    moves -= moves.mean(axis=0)
    m = len(moves)
    squares, factor = moves * moves, m / (m - 1.0)
    sums, spreads = [], []
    done, step = 0, max(1, _BLOCK // m)
    while done < n_resamples:
        weights = generator.poisson(1.0, (min(step, n_resamples - done), m)).astype(np.float64)
        sums.append(weights @ moves)
        spreads.append(np.sqrt(factor * (weights @ squares)))
        done += len(weights)
    differences, errors = np.concatenate(sums), np.concatenate(spreads)
    found = []
    for rule, difference, error in zip(rules, differences.T, errors.T, strict=True):
        ratios = np.divide(difference, error, out=np.zeros(len(error)), where=error > 0.0)
        shifts = np.divide(rule.margin, error, out=np.zeros(len(error)), where=error > 0.0)
        is_known = rule.df > 0.0
        fail = np.mean(ratios + shifts < quantile(task.alpha, rule.df)) if is_known else 0
        passed = np.mean(-ratios < quantile(task.alpha, rule.df)) if is_known else 0
        found.append(replace(rule, fails_equal=float(fail), passes_worse=float(passed)))
    return found


def _contributions(task: Task, rule: GateRule) -> Floats:
    """Return what each unit adds to the gain of the candidate."""
    one = next(each for each in task.asked if each.label == rule.metric)
    known = task if task.unknown is None else task.part(~task.unknown)
    names = task.candidate, rule.baseline
    models = [NamedScores(name, f"scores[{name!r}]", known.scores[name]) for name in names]
    given: dict[str, Any] = dict.fromkeys(("event", "query", "groups", "strata", "sample_weight"))
    given |= {**task.options, **known.columns}
    if given["sample_weight"] is None:
        given["weights_are"] = None
    measured = sample_of((one,), known.labels, models, **given)[one.label].measured(one)
    moved, units = measured.influences[0] - measured.influences[1], measured.units
    moved = moved if rule.higher_is_better else -moved
    if units.groups is not None:
        return np.asarray(units.sums_of_groups(moved[None, :])[0].sum(axis=0))
    if units.counts is not None:  # a row of a frequency is so many
        return np.repeat(moved, units.counts.astype(np.int64))
    return moved if units.weights is None else moved * units.weights
