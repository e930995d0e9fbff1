"""The one list of measures: what is fast, what is right, who else computes it, what must hold.

It feeds `tests/properties/` and `benchmarks/`, so that nothing is timed that is not checked. One
line here adds every property test, the differential tests and the benchmark of a measure.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from reference import oracles
from reference.oracles import Sample

#: Values do not change when: the rows come in another order; the scores go through an increasing
#: map (thresholds follow it); a row of weight 2 stands twice; a row of weight 0 is left out; all
#: weights are multiplied by one number; the rows are counted in parts, whose tables are added.
ROW_ORDER = "row_order"
MONOTONE = "monotone"
WEIGHT_2 = "weight2_is_duplicate"
WEIGHT_0 = "weight0_is_absent"
WEIGHT_UNIT = "weights_have_no_unit"
MERGE_SPLIT = "merge_split"
#: When the classes change places the first value: is one less itself; stays; stays if the scores
#: change sign too.
SWAP_COMPLEMENT = "swap_complement"
SWAP_SAME = "swap_same"
SWAP_MIRROR = "swap_mirror"

EVERY = frozenset({ROW_ORDER, MONOTONE, WEIGHT_2, WEIGHT_0, WEIGHT_UNIT, MERGE_SPLIT})


def resolve(path: str) -> Callable[..., Any]:
    """Return the object at ``module:name``; imported when it is asked for, not before."""
    module, name = path.split(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def scalar(value: Any) -> tuple[Any, ...]:
    return (value,)


def fields(*names: str) -> Callable[[Any], tuple[Any, ...]]:
    """Return a reader of some fields of a result."""
    return lambda result: tuple(getattr(result, name) for name in names)


@dataclass(frozen=True)
class Measure:
    """One measure, as the tests and the benchmarks call it.

    `thresholds` says which of the values are scores, `weights` which weights are allowed: whole
    ones ("counts"), fractional ones ("quarters"). `exact` says that every other value without
    weights, or with whole ones, is the double nearest to the rational number. With fractional
    weights only the first `weighted_values` values are compared: rounding may decide a tie
    between two thresholds.
    """

    name: str
    path: str
    oracle: Callable[[Sample], tuple[Any, ...]]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    peer: str | Callable[..., Any] | None = None
    peer_arguments: Mapping[str, Any] = field(default_factory=dict)
    read: Callable[[Any], tuple[Any, ...]] = scalar
    thresholds: tuple[int, ...] = ()
    exact: bool = True
    weighted_values: int | None = None
    weights: tuple[str, ...] = ("counts", "quarters")
    rows_of_each_class: int = 1
    properties: frozenset[str] = EVERY

    def fast(self, y_true: Any, y_score: Any = None, weights: Any = None, **more: Any) -> Any:
        """Call fastmetrics; `y_true` may be a ScoreTable."""
        if weights is not None:
            more["sample_weight"] = weights
        return self.read(resolve(self.path)(y_true, y_score, **self.arguments, **more))

    def by_peer(self, y_true: Any, y_score: Any, weights: Any = None) -> Any:
        """Call the peer, which must exist."""
        peer = resolve(self.peer) if isinstance(self.peer, str) else self.peer
        if peer is None:
            raise LookupError(f"{self.name} has no peer")
        more = {} if weights is None else {"sample_weight": weights}
        return self.read(peer(y_true, y_score, **self.peer_arguments, **more))


def trapezoid_by_sklearn(y_true: Any, y_score: Any, **more: Any) -> Any:
    from sklearn.metrics import auc, precision_recall_curve

    precision, recall, _ = precision_recall_curve(y_true, y_score, **more)
    return auc(recall, precision)


def mcclish_to(high: Fraction) -> Callable[[Sample], tuple[Any, ...]]:
    return lambda sample: (oracles.mcclish(sample, Fraction(0), high),)


def _best(criterion: str, *, exact: bool = True, **bound: float) -> Measure:
    limit = next(iter(bound.values()), 0.0)
    return Measure(
        name=f"best_threshold[{criterion}]",
        path="fastmetrics:best_threshold",
        arguments={"criterion": criterion, **bound},
        oracle=partial(oracles.best_threshold, criterion=criterion, bound=limit),
        read=fields("value", "threshold"),
        thresholds=(1,),
        exact=exact,
        weighted_values=1,
        properties=EVERY - ({WEIGHT_UNIT} if criterion == "fewest_errors" else set()),
    )


def _curve(name: str, oracle: Any, thresholds: int, label: str = "", **arguments: Any) -> Measure:
    return Measure(
        name=name + label,
        path=f"fastmetrics:{name}",
        arguments=arguments,
        oracle=oracle,
        peer=f"sklearn.metrics:{name}",
        peer_arguments=arguments,
        read=tuple,
        thresholds=(thresholds,),
        properties=EVERY - ({WEIGHT_UNIT} if name.startswith("confusion") else set()),
    )


MEASURES: tuple[Measure, ...] = (
    Measure(
        name="roc_auc_score",
        path="fastmetrics:roc_auc_score",
        oracle=oracles.roc_auc,
        peer="sklearn.metrics:roc_auc_score",
        properties=EVERY | {SWAP_COMPLEMENT, SWAP_MIRROR},
    ),
    Measure(
        name="roc_auc_score[max_fpr]",
        path="fastmetrics:roc_auc_score",
        arguments={"max_fpr": 0.25},
        oracle=mcclish_to(Fraction(1, 4)),
        peer="sklearn.metrics:roc_auc_score",
        peer_arguments={"max_fpr": 0.25},
    ),
    Measure(
        name="partial_auc[fpr]",
        path="fastmetrics:partial_auc",
        arguments={"fpr_range": (0.125, 0.5)},
        oracle=lambda sample: (oracles.partial_area(sample, Fraction(1, 8), Fraction(1, 2)),),
    ),
    Measure(
        name="partial_auc[tpr]",
        path="fastmetrics:partial_auc",
        arguments={"tpr_range": (0.5, 1.0)},
        oracle=lambda sample: (oracles.partial_area_of_tpr(sample, Fraction(1, 2), Fraction(1)),),
    ),
    Measure(
        name="rank_loss",
        path="fastmetrics:rank_loss",
        oracle=oracles.rank_loss,
        properties=EVERY | {SWAP_COMPLEMENT, SWAP_MIRROR},
    ),
    _curve("roc_curve", oracles.roc_curve, 2, drop_intermediate=False),
    _curve("roc_curve", oracles.roc_corners, 2, "[corners]", drop_intermediate=True),
    _curve("precision_recall_curve", oracles.precision_recall_curve, 2),
    _curve("det_curve", oracles.det_curve, 2),
    _curve("confusion_matrix_at_thresholds", oracles.confusion_at_thresholds, 4),
    Measure(
        name="average_precision_score",
        path="fastmetrics:average_precision_score",
        oracle=oracles.average_precision,
        peer="sklearn.metrics:average_precision_score",
        exact=False,
    ),
    Measure(
        name="pr_auc[step]",
        path="fastmetrics:pr_auc",
        arguments={"interpolation": "step"},
        oracle=oracles.average_precision,
        peer="sklearn.metrics:average_precision_score",
        exact=False,
    ),
    Measure(
        name="pr_auc[trapezoid]",
        path="fastmetrics:pr_auc",
        arguments={"interpolation": "trapezoid"},
        oracle=oracles.trapezoid_precision_recall,
        peer=trapezoid_by_sklearn,
        exact=False,
    ),
    Measure(
        name="pr_auc[continuous]",
        path="fastmetrics:pr_auc",
        arguments={"interpolation": "continuous"},
        oracle=oracles.continuous_precision_recall,
        exact=False,
    ),
    Measure(
        name="break_even_point",
        path="fastmetrics:break_even_point",
        oracle=oracles.break_even,
        read=fields("value"),
    ),
    Measure(
        name="ks_statistic",
        path="fastmetrics:ks_statistic",
        oracle=oracles.kolmogorov_smirnov,
        read=fields("statistic", "threshold", "sign"),
        thresholds=(1,),
        weighted_values=1,
        properties=EVERY | {SWAP_SAME, SWAP_MIRROR},
    ),
    _best("youden"),
    _best("closest_topleft", exact=False),
    _best("fewest_errors"),
    _best("f_beta"),
    _best("precision_at_recall", at_least=0.5),
    _best("recall_at_precision", at_least=0.5),
    _best("recall_at_fpr", at_most=0.25),
    Measure(
        name="delong",
        path="fastmetrics:delong",
        oracle=oracles.delong,
        read=fields("estimate", "variance"),
        weights=("counts",),
        rows_of_each_class=2,
        properties=EVERY - {WEIGHT_UNIT} | {SWAP_MIRROR},
    ),
)
