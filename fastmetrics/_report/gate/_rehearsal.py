"""How often the rules of a gate would fail equal models, and pass one that is worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from fastmetrics._input.models import NamedScores
from fastmetrics._report.gate._rules import Task
from fastmetrics._report.gate.gate_result import GateRule
from fastmetrics.inference.forms import sample_of
from fastmetrics.inference.reference import quantile
from fastmetrics.inference.units import Floats, Units

#: Numbers of a block of draws.
_BLOCK: Final = 1 << 22


def rehearsed(
    task: Task, rules: Sequence[GateRule], n_rules: int, n_resamples: int, rng: Any
) -> list[GateRule]:
    """Return the rules of all rows with the shares of replicates that fail, and that pass, wrongly.

    A replicate weighs each row (group) by Poisson's law of mean 1; the difference and its error
    follow by the influences, around a difference of 0 for "fails equal models" (of one rule alone
    Holm's adjustment begins with the number of all, ``n_rules``) and around the margin for "passes
    what is worse by the margin".
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
        fail = np.mean(ratios + shifts < quantile(task.alpha / n_rules, rule.df)) if is_known else 0
        passed = np.mean(-ratios < quantile(task.alpha, rule.df)) if is_known else 0
        found.append(replace(rule, fails_equal=float(fail), passes_worse=float(passed)))
    return found


def _contributions(task: Task, rule: GateRule) -> Floats:
    """Return what each unit adds to the gain of the candidate."""
    one = next(each for each in task.asked if each.label == rule.metric)
    models = [
        NamedScores(name, f"scores[{name!r}]", task.scores[name])
        for name in (task.candidate, rule.baseline)
    ]
    given: dict[str, Any] = dict.fromkeys(
        ("event", "query", "groups", "strata", "sample_weight", "threshold", "pos_label")
    )
    known = task if task.unknown is None else task.part(~task.unknown)
    given |= {"weights_are": "importances", **task.options, **known.columns}
    if "sample_weight" not in known.columns:
        given["weights_are"] = None
    models = [each._replace(values=known.scores[each.name]) for each in models]
    measured = sample_of((one,), known.labels, models, **given)[one.label].measured(one)
    moved = measured.influences[0] - measured.influences[1]
    return _of_units(measured.units, moved if rule.higher_is_better else -moved)


def _of_units(units: Units, moved: Floats) -> Floats:
    if units.groups is not None:
        return np.asarray(units.sums_of_groups(moved[None, :])[0].sum(axis=0))
    if units.counts is not None:  # a row of a frequency is so many
        return np.repeat(moved, units.counts.astype(np.int64))
    return moved if units.weights is None else moved * units.weights
