"""Predicted labels: ratios of a class and their averages, rates, agreement, costs.

The drop-ins put 0 where the definition has no value; what is new is nan there.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from reference import classification_oracle as classes, cost_oracle, count_oracle as counts
from registry.entry import (
    LABELS,
    OF_LABELS,
    RENAMED,
    ROWS,
    TWO,
    Entry,
    Oracle,
    Sample,
    Values,
    number,
    sk,
)


def _ratio(name: str, one: classes.Metric, **arguments: Any) -> tuple[Entry, ...]:
    """Return the entries of a ratio of a class: of the positive one, and its averages."""
    given: dict[str, Any] = {"arguments": arguments, "rows_of_each_class": 0}

    def by_definition(sample: Sample) -> Values:
        actual = classes.counts(classes.rows_of_labels(*sample.columns), 1)
        return (classes.filled(one(actual), Fraction(0)),)

    def averaged(how: str, sample: Sample) -> Values:
        rows = classes.rows_of_labels(*sample.columns)
        return (classes.average(rows, classes.labels_seen(rows), one, how, Fraction(0)),)

    counterpart = {"precision": "npv", "recall": "specificity"}.get(name, "")
    laws = OF_LABELS if counterpart else OF_LABELS - {RENAMED}
    return (
        Entry(name, TWO, by_definition, laws=laws, counterpart=counterpart, exact=True, **given),
        *(
            Entry(
                f"{name}_{how}",
                LABELS,
                partial(averaged, how),
                laws=OF_LABELS,
                exact=how == "micro",
                **given,
            )
            for how in ("macro", "micro", "weighted")
        ),
    )


def _labels(name: str, data: str, oracle: Oracle, **more: Any) -> Entry:
    return Entry(name, data, oracle, **({"laws": OF_LABELS, "rows_of_each_class": 0} | more))


def _counted(name: str, data: str = LABELS, undefined: float = math.nan, **more: Any) -> Entry:
    """Return the entry of a metric that is what `count_oracle` says, or ``undefined``."""

    def oracle(sample: Sample) -> Values:
        actual = counts.value(
            name.partition("[")[0], counts.rows_of(*sample.columns), sample.classes
        )
        return (undefined if math.isnan(actual) else actual,)

    return _labels(name, data, oracle, **more)


def _rate(name: str, counterpart: str, peer: Callable[..., Any], **more: Any) -> Entry:
    return _counted(name, TWO, counterpart=counterpart, peer=peer, exact=True, **more)


def kappa(power: int, sample: Sample) -> Values:
    return (number(counts.cohen_kappa(counts.rows_of(*sample.columns), sample.labels, power)),)


def balanced(sample: Sample) -> Values:
    """Return the mean of the recalls of the classes that occur in the true labels."""
    rows = counts.rows_of(*sample.columns)
    actual = [counts.recall(rows, k) for k in sample.labels]
    return (counts.mean([value for value in actual if value is not None]),)


COSTS = [[0, 1, 2, 7], [5, -1, 0, 1], [2, 3, 0, 1], [1, 1, 4, 0]]


def expected_cost(on_fn: int, on_fp: int, prevalence: float, sample: Sample) -> Values:
    rows = counts.rows_of(*sample.columns)
    return (number(cost_oracle.expected(rows, on_fn, on_fp, prevalence)),)


def cost(costs: Any, sample: Sample) -> Values:
    return (counts.cost(counts.rows_of(*sample.columns), range(len(costs)), costs),)


def minus(peer: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *data, **more: 1 - peer(*data, **more)


RECALL, NEGATIVE = (
    sk("recall_score", zero_division=math.nan, pos_label=pos_label) for pos_label in (1, 0)
)
UNNAMED = OF_LABELS - {RENAMED}
DECISIONS = (
    *_ratio("precision", classes.precision),
    *_ratio("recall", classes.recall),
    *_ratio("f1", classes.fbeta(1)),
    *_ratio("fbeta", classes.fbeta(2), beta=2.0),
    *_ratio("jaccard", classes.jaccard),
    *(_counted(name, exact=True) for name in ("accuracy", "error_rate", "hamming_loss")),
    _labels("balanced_accuracy", LABELS, balanced),
    _counted("macro_f1_harmonic", peer=None),
    _counted("g_mean", peer=None),
    _counted("matthews_corrcoef", undefined=0.0),
    _labels("cohen_kappa", LABELS, partial(kappa, 0)),
    *(
        _labels(
            f"cohen_kappa[{how}]",
            LABELS,
            partial(kappa, power),
            arguments={"weights": how},
            laws=UNNAMED,
        )
        for power, how in ((1, "linear"), (2, "quadratic"))
    ),
    _labels(
        "cost",
        TWO,
        partial(cost, [[0, 1], [5, 0]]),
        arguments={"cost_fn": 5, "cost_fp": 1},
        laws=UNNAMED,
        peer=None,
    ),
    _labels(
        "expected_cost",
        TWO,
        partial(expected_cost, 5, 1, 0.25),
        arguments={"cost_fn": 5, "cost_fp": 1, "prevalence": 0.25},
        laws=UNNAMED,
        peer=None,
    ),
    _labels(
        "cost[matrix]",
        LABELS,
        partial(cost, COSTS),
        arguments={"cost_matrix": COSTS, "labels": range(4)},
        laws=ROWS,
        peer=None,
    ),
    _rate("specificity", "recall", NEGATIVE),
    _rate("npv", "precision", sk("precision_score", zero_division=math.nan, pos_label=0)),
    _rate("false_positive_rate", "false_negative_rate", minus(NEGATIVE)),
    _rate("false_negative_rate", "false_positive_rate", minus(RECALL)),
    _counted(
        "informedness",
        TWO,
        peer=lambda *data, **more: RECALL(*data, **more) + NEGATIVE(*data, **more) - 1,
    ),
    *(
        _counted(f"{sign}_likelihood_ratio", TWO, laws=UNNAMED, rows_of_each_class=1)
        for sign in ("positive", "negative")
    ),
)
