"""Measures of predicted labels."""

from __future__ import annotations

from math import inf, nan
from typing import Any, Final

from fastmetrics.measures._measure import REQUIRED, Measure

_MINUS_ONE_TO_ONE: Final = (-1.0, 1.0)
_FROM_ZERO: Final = (0.0, inf)
_COSTS_OF_ROWS: Final = "decisions.count_measures:costs_of_rows"
#: Made of rates within the true classes alone.
_FREE_OF_SHARES: Final = frozenset(
    (
        *("recall", "recall_macro", "specificity", "balanced_accuracy", "g_mean", "informedness"),
        *("false_positive_rate", "false_negative_rate"),
        *("positive_likelihood_ratio", "negative_likelihood_ratio"),
    )
)


def _decision(name: str, title: str, function: str, up: bool = True, **more: Any) -> Measure:
    given: dict[str, Any] = {
        "needs": "labels",
        "resampled": "cells",
        "influences": "decisions.count_measures:gradient",
        "is_free_of_shares": name in _FREE_OF_SHARES,
    } | more
    return Measure(name, "decisions", title, f"decisions.{function}", up, **given)


def _ratio(name: str, title: str, function: str, **parameters: float) -> tuple[Measure, ...]:
    """Return a ratio of the positive class, and its averages over classes."""
    drop_in = f"{name}_score"
    given: dict[str, Any] = {
        "arguments": parameters,
        "parameters": parameters | {"zero_division": nan},
    }

    def averaged(how: str, words: str) -> Measure:
        alias = (f"{how}_{name}",) if name in _TEXTBOOK.get(how, ()) else ()
        of_average = given | {"arguments": parameters | {"average": how}}
        return _decision(f"{name}_{how}", f"{words} {title}", function, aliases=alias, **of_average)

    return (
        _decision(name, title, function, aliases=(drop_in,), classes=2, **given),
        averaged("macro", "macro-averaged"),
        averaged("micro", "micro-averaged"),
        averaged("weighted", "class-weighted"),
    )


_TEXTBOOK: Final = {"macro": ("precision", "recall"), "micro": ("precision", "recall", "f1")}

MEASURES: Final = (
    *_ratio("precision", "precision", "precision_recall_f:precision_score"),
    *_ratio("recall", "recall", "precision_recall_f:recall_score"),
    *_ratio("f1", "F1", "precision_recall_f:f1_score"),
    *_ratio("fbeta", "F-beta", "precision_recall_f:fbeta_score", beta=1.0),
    *_ratio("jaccard", "Jaccard index", "precision_recall_f:jaccard_score"),
    _decision(
        "macro_f1_harmonic",
        "F1 of macro precision and macro recall",
        "macro_micro:macro_micro",
        arguments={"metrics": "macro_f1_harmonic"},
        parameters={"zero_division": nan},
    ),
    _decision("accuracy", "accuracy", "accuracy:accuracy_score", aliases=("accuracy_score",)),
    _decision(
        "error_rate",
        "error rate",
        "accuracy:zero_one_loss",
        False,
        aliases=("zero_one_loss",),
        row_loss=_COSTS_OF_ROWS,
    ),
    _decision(
        "hamming_loss", "Hamming loss", "accuracy:hamming_loss", False, row_loss=_COSTS_OF_ROWS
    ),
    _decision(
        "balanced_accuracy",
        "balanced accuracy",
        "recalls:balanced_accuracy_score",
        aliases=("balanced_accuracy_score",),
    ),
    _decision("g_mean", "geometric mean of recalls", "recalls:g_mean"),
    _decision(
        "matthews_corrcoef",
        "Matthews' coefficient",
        "agreement:matthews_corrcoef",
        aliases=("mcc",),
        bounds=_MINUS_ONE_TO_ONE,
    ),
    _decision(
        "cohen_kappa",
        "Cohen's kappa",
        "agreement:cohen_kappa_score",
        aliases=("cohen_kappa_score",),
        parameters={"weights": None},
        bounds=_MINUS_ONE_TO_ONE,
    ),
    _decision(
        "cost",
        "mean cost",
        "costs:cost_sensitive_error",
        False,
        aliases=("cost_sensitive_error",),
        parameters={"cost_matrix": None, "cost_fn": None, "cost_fp": None},
        bounds=(-inf, inf),
        row_loss=_COSTS_OF_ROWS,
    ),
    _decision(
        "expected_cost",
        "expected cost",
        "costs:expected_cost",
        False,
        parameters={"cost_fn": REQUIRED, "cost_fp": REQUIRED, "prevalence": None},
        classes=2,
        bounds=_FROM_ZERO,
    ),
    _decision(
        "specificity",
        "specificity",
        "rates:specificity_score",
        aliases=("specificity_score",),
        classes=2,
    ),
    _decision(
        "npv",
        "negative predictive value",
        "rates:negative_predictive_value",
        aliases=("negative_predictive_value",),
        classes=2,
    ),
    _decision("false_positive_rate", "FPR", "rates:false_positive_rate", False, classes=2),
    _decision("false_negative_rate", "FNR", "rates:false_negative_rate", False, classes=2),
    _decision(
        "informedness",
        "Youden's J",
        "rates:youden_j",
        aliases=("youden_j",),
        classes=2,
        bounds=_MINUS_ONE_TO_ONE,
    ),
    _decision(
        "positive_likelihood_ratio",
        "likelihood ratio of a positive",
        "rates:class_likelihood_ratios",
        read="0",
        classes=2,
        bounds=_FROM_ZERO,
    ),
    _decision(
        "negative_likelihood_ratio",
        "likelihood ratio of a negative",
        "rates:class_likelihood_ratios",
        False,
        read="1",
        classes=2,
        bounds=_FROM_ZERO,
    ),
)
