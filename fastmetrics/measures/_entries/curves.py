"""Measures of scores against thresholds."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from fastmetrics.measures._measure import REQUIRED, By, Measure

_CRITERIA: Final = By(
    "criterion",
    {
        "youden": True,
        "closest-topleft": False,  # a distance
        "fewest-errors": False,
        "fbeta": True,
        "precision_at_recall": True,
        "recall_at_precision": True,
        "recall_at_false_positive_rate": True,
        "lowest-cost": False,
    },
)
_REPORTED: Final = By(
    "of",
    {
        "value": _CRITERIA,
        "threshold": None,
        "true_positive_rate": True,
        "false_positive_rate": False,
        "precision": True,
        "recall": True,
    },
)


def _curve(name: str, title: str, function: str, up: bool | By = True, **more: Any) -> Measure:
    given: dict[str, Any] = {"needs": "scores", "classes": 2, "resampled": "curve"} | more
    return Measure(name, "curves", title, f"curves.{function}", up, **given)


_AT_RECALL: Final = {"recall": "at_least"}
_AT_PRECISION: Final = {"precision": "at_least"}


def _at(name: str, title: str, criterion: str, passed_as: dict[str, str]) -> Measure:
    return _curve(
        name,
        title,
        "best_threshold:best_threshold",
        arguments={"criterion": criterion},
        parameters=dict.fromkeys(passed_as, REQUIRED),
        passed_as=passed_as,
        read="value",
    )


def _multiclass(name: str, title: str, how: str, average: str) -> Measure:
    return _curve(
        name,
        title,
        "roc_auc:roc_auc_score",
        arguments={"multi_class": how, "average": average},
        needs="probabilities",
        classes=3,
        resampled="classes",
        influences="curves.class_influences:roc_auc",
    )


MEASURES: Final = (
    _curve(
        "roc_auc",
        "AUC",
        "roc_auc:roc_auc_score",
        aliases=("roc_auc_score",),
        parameters={"max_fpr": None},
        resampled="pairs",
        influences="curves.influences:roc_auc",
        is_free_of_shares=True,
    ),
    _curve(
        "rank_loss",
        "rank loss",
        "roc_auc:rank_loss",
        False,
        resampled="pairs",
        influences="curves.influences:rank_loss",
        is_free_of_shares=True,
    ),
    _curve(
        "partial_auc",
        "partial AUC",
        "partial_auc:partial_auc",
        parameters={
            "false_positive_rate_range": None,
            "true_positive_rate_range": None,
            "standardized": False,
        },
        influences="curves.influences:partial",
        is_free_of_shares=True,
    ),
    _curve(
        "average_precision",
        "average precision",
        "precision_recall:average_precision_score",
        aliases=("average_precision_score",),
        influences="curves.influences:average_precision",
    ),
    _curve(
        "pr_auc",
        "area under the P-R curve",
        "pr_areas:pr_auc",
        parameters={"interpolation": "continuous"},
        influences="curves.influences:area_under_pr",
    ),
    _curve(
        "ks_statistic",
        "KS",
        "kolmogorov_smirnov:ks_statistic",
        read="statistic",
        influences="curves.influences:ks_statistic",
        is_free_of_shares=True,
    ),
    _curve("break_even_point", "break-even point", "break_even:break_even_point", read="value"),
    _curve(
        "best_threshold",
        "best threshold",
        "best_threshold:best_threshold",
        _REPORTED,
        parameters={
            "criterion": "youden",
            "of": "value",
            "beta": 1.0,
            "at_least": None,
            "at_most": None,
            "cost_fn": None,
            "cost_fp": None,
            "prevalence": None,
        },
        read="of",
        bounds=(-inf, inf),
    ),
    _at(
        "recall_at_false_positive_rate",
        "recall at a false positive rate",
        "recall_at_false_positive_rate",
        {"false_positive_rate": "at_most"},
    ),
    _at("precision_at_recall", "precision at a recall", "precision_at_recall", _AT_RECALL),
    _at("recall_at_precision", "recall at a precision", "recall_at_precision", _AT_PRECISION),
    _multiclass("roc_auc_ovr", "AUC of each class against the rest", "ovr", "macro"),
    _multiclass("roc_auc_ovr_weighted", "class-weighted AUC against the rest", "ovr", "weighted"),
    _multiclass("roc_auc_ovo", "AUC of pairs of classes", "ovo", "macro"),
    _multiclass("roc_auc_ovo_weighted", "class-weighted AUC of pairs", "ovo", "weighted"),
)
