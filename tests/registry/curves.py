"""Scores against thresholds: areas, points and curves; areas of several classes."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from reference import delong_oracle, pr_oracle, roc_oracle
from registry.entry import (
    COMPLEMENT,
    MERGE,
    MIRROR,
    MONOTONE,
    OF_SCORES,
    RENAMED,
    ROW_ORDER,
    ROWS,
    SAME,
    SCORES,
    SHARES,
    WEIGHT_UNIT,
    Entry,
    Oracle,
    Sample,
    Values,
    fields,
    number,
    sk,
)


def by_rows(function: Callable[..., Any], *arguments: Any) -> Oracle:
    """Return the oracle of a function of `roc_oracle`'s rows."""
    return lambda sample: (function(roc_oracle.rows_of(*sample.columns), *arguments),)


def by_decisions(function: Callable[..., Any]) -> Oracle:
    return lambda sample: (number(function(*sample.columns)),)


def best(criterion: str, bound: float | None, sample: Sample) -> Values:
    """Return the best value and its threshold."""
    true, given, weights = sample.columns
    actual = pr_oracle.best_threshold(
        true, given, criterion, at_least=bound, at_most=bound, weights=weights
    )
    if actual is None:
        return math.nan, math.nan
    threshold, value = actual[:2]
    if criterion == "closest-topleft":
        return math.sqrt(-value), threshold
    return (-value if criterion == "fewest-errors" else value), threshold


def roc_points(drop: bool, sample: Sample) -> Values:
    actual = roc_oracle.points(roc_oracle.rows_of(*sample.columns))
    thresholds, fpr, tpr = zip(*(roc_oracle.corners(actual) if drop else actual), strict=True)
    return fpr, tpr, thresholds


def detection(sample: Sample) -> Values:
    actual = roc_oracle.detection(roc_oracle.rows_of(*sample.columns))
    thresholds, fpr, fnr = zip(*actual, strict=True)
    return fpr, fnr, thresholds


def confusion(sample: Sample) -> Values:
    thresholds, tp, fp = zip(*pr_oracle.decisions(*sample.columns)[1:], strict=True)
    p, n = tp[-1], fp[-1]
    return [n - x for x in fp], fp, [p - x for x in tp], tp, thresholds


def delong(sample: Sample) -> Values:
    """Return AUC and variance."""
    rows = [*zip(sample.true, sample.given, strict=True)]
    by_class = [[score for label, score in rows if label == k] for k in (1, 0)]
    return delong_oracle.auc_and_variance(*by_class)


def trapezoid_by_sklearn(true: Any, given: Any, **more: Any) -> float:
    from sklearn.metrics import auc, precision_recall_curve

    precision, recall, _ = precision_recall_curve(true, given, **more)
    return float(auc(recall, precision))


def ks_by_scipy(true: Any, given: Any) -> float:
    from scipy.stats import ks_2samp

    return float(ks_2samp(given[true == 1], given[true == 0], method="asymp").statistic)


def _curve(name: str, oracle: Oracle, **more: Any) -> Entry:
    return Entry(name, SCORES, oracle, **({"laws": OF_SCORES, "exact": True} | more))


def _points(name: str, oracle: Oracle, threshold: int, **more: Any) -> Entry:
    path = f"fastmetrics:{name.partition('[')[0]}"
    return _curve(name, oracle, path=path, read=tuple, thresholds=(threshold,), **more)


def _best(criterion: str, bound: float | None = None, **more: Any) -> Entry:
    side = "at_most" if criterion.endswith("false_positive_rate") else "at_least"
    limit = {side: bound} if bound else {}
    return _curve(
        f"best_threshold[{criterion}]",
        partial(best, criterion, bound),
        arguments={"criterion": criterion, **limit},
        path="fastmetrics:best_threshold",
        read=fields("value", "threshold"),
        thresholds=(1,),
        weighted_values=1,
        peer=None,
        **more,
    )


def _at(name: str, criterion: str, **bound: float) -> Entry:
    def oracle(sample: Sample) -> Values:
        return best(criterion, next(iter(bound.values())), sample)[:1]

    return _curve(name, oracle, arguments=bound, peer=None)


AREA = OF_SCORES | {COMPLEMENT, MIRROR}
STEP = {"interpolation": "step"}
NO_UNIT = OF_SCORES - {WEIGHT_UNIT}
CURVES = (
    _curve("roc_auc", by_rows(roc_oracle.auc), laws=AREA),
    _curve("roc_auc[max_fpr]", by_rows(roc_oracle.mcclish, 0, 0.25), arguments={"max_fpr": 0.25}),
    _curve(
        "rank_loss",
        by_rows(roc_oracle.rank_loss),
        laws=AREA,
        peer=lambda *data, **more: 1 - sk("roc_auc_score")(*data, **more),
    ),
    *(
        _curve(
            f"partial_auc[{over}]",
            by_rows(roc_oracle.partial_auc, *between, over),
            arguments={f"{name}_range": between},
            peer=None,
        )
        for over, name, between in (
            ("fpr", "false_positive_rate", (0.125, 0.5)),
            ("tpr", "true_positive_rate", (0.5, 1.0)),
        )
    ),
    _curve("average_precision", by_decisions(pr_oracle.average_precision), exact=False),
    _curve(
        "pr_auc[step]",
        by_decisions(pr_oracle.average_precision),
        arguments=STEP,
        exact=False,
        peer=sk("average_precision_score"),
    ),
    _curve(
        "pr_auc[trapezoid]",
        by_decisions(pr_oracle.trapezoid),
        arguments={"interpolation": "trapezoid"},
        exact=False,
        peer=trapezoid_by_sklearn,
    ),
    _curve("pr_auc", by_decisions(pr_oracle.continuous), exact=False, peer=None),
    _curve(
        "break_even_point",
        lambda sample: (number(pr_oracle.break_even(*sample.columns)[0]),),
        peer=None,
    ),
    _curve(
        "ks_statistic",
        lambda sample: by_rows(roc_oracle.kolmogorov_smirnov)(sample)[0],
        laws=OF_SCORES | {SAME, MIRROR},
        path="fastmetrics:ks_statistic",
        read=fields("statistic", "threshold", "sign"),
        thresholds=(1,),
        weighted_values=1,
        peer=ks_by_scipy,
        peer_takes_weights=False,
    ),
    _best("youden"),
    _best("closest-topleft", exact=False),
    _best("fewest-errors", laws=NO_UNIT),
    _best("fbeta"),
    _best("precision_at_recall", 0.5),
    _best("recall_at_precision", 0.5),
    _best("recall_at_false_positive_rate", 0.25),
    _at("recall_at_false_positive_rate", "recall_at_false_positive_rate", false_positive_rate=0.25),
    _at("precision_at_recall", "precision_at_recall", recall=0.5),
    _at("recall_at_precision", "recall_at_precision", precision=0.5),
    _points("roc_curve", partial(roc_points, False), 2, arguments={"drop_intermediate": False}),
    _points("roc_curve[corners]", partial(roc_points, True), 2),
    _points("precision_recall_curve", lambda sample: pr_oracle.curve(*sample.columns), 2),
    _points("det_curve", detection, 2),
    _points("confusion_matrix_at_thresholds", confusion, 4, laws=NO_UNIT),
    _curve(
        "delong",
        delong,
        path="fastmetrics:delong",
        read=lambda result: (result.estimate, result.details["variance"]),
        weights=(),
        rows_of_each_class=2,
        laws=frozenset({ROW_ORDER, MERGE, MONOTONE, MIRROR}),
        peer=None,
        exact=False,  # the variance is of influence values
    ),
)


def _classes(name: str, oracle: Callable[..., Any], weighted: bool) -> Entry:
    def by_definition(sample: Sample) -> Values:
        return (oracle(*sample.columns, weighted=weighted),)

    takes = oracle is roc_oracle.one_vs_rest  # scikit-learn's, weights
    return Entry(name, SHARES, by_definition, laws=ROWS | {RENAMED}, peer_takes_weights=takes)


MULTICLASS = tuple(
    _classes(f"roc_auc_{how}{end}", oracle, bool(end))
    for how, oracle in (("ovr", roc_oracle.one_vs_rest), ("ovo", roc_oracle.one_vs_one))
    for end in ("", "_weighted")
)
