"""The one list of measures: names, what each needs, its direction, its range, how it is resampled.

Entries are plain data. They name their functions, which are loaded when they are asked for: reading
the list imports no measure. Whoever takes a measure by name reads it here.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any, Final

from fastmetrics.measures._measure import REQUIRED, By, Measure

_MINUS_ONE_TO_ONE: Final = (-1.0, 1.0)
_FROM_ZERO: Final = (0.0, inf)
_UP_TO_ONE: Final = (-inf, 1.0)

# --- scores against thresholds -------------------------------------------------------------------

_CRITERIA: Final = By(
    "criterion",
    {
        "youden": True,
        "closest_topleft": False,  # a distance
        "fewest_errors": False,
        "f_beta": True,
        "precision_at_recall": True,
        "recall_at_precision": True,
        "recall_at_fpr": True,
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
    )


_CURVES: Final = (
    _curve(
        "roc_auc",
        "AUC",
        "roc_auc:roc_auc_score",
        aliases=("roc_auc_score",),
        parameters={"max_fpr": None},
        resampled="pairs",
    ),
    _curve("rank_loss", "rank loss", "roc_auc:rank_loss", False, resampled="pairs"),
    _curve(
        "partial_auc",
        "partial AUC",
        "partial_auc:partial_auc",
        parameters={"fpr_range": None, "tpr_range": None, "correct": False},
    ),
    _curve(
        "average_precision",
        "average precision",
        "precision_recall:average_precision_score",
        aliases=("average_precision_score",),
    ),
    _curve(
        "pr_auc",
        "area under the P-R curve",
        "pr_areas:pr_auc",
        parameters={"interpolation": "continuous"},
    ),
    _curve("ks_statistic", "KS", "kolmogorov_smirnov:ks_statistic", read="statistic"),
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
        },
        read="of",
        bounds=(-inf, inf),
    ),
    _at("tpr_at_fpr", "TPR at an FPR", "recall_at_fpr", {"fpr": "at_most"}),
    _at("precision_at_recall", "precision at a recall", "precision_at_recall", _AT_RECALL),
    _at("recall_at_precision", "recall at a precision", "recall_at_precision", _AT_PRECISION),
    _multiclass("roc_auc_ovr", "AUC of each class against the rest", "ovr", "macro"),
    _multiclass("roc_auc_ovr_weighted", "class-weighted AUC against the rest", "ovr", "weighted"),
    _multiclass("roc_auc_ovo", "AUC of pairs of classes", "ovo", "macro"),
    _multiclass("roc_auc_ovo_weighted", "class-weighted AUC of pairs", "ovo", "weighted"),
)

# --- predicted labels ----------------------------------------------------------------------------


def _decision(name: str, title: str, function: str, up: bool = True, **more: Any) -> Measure:
    given: dict[str, Any] = {"needs": "labels", "resampled": "cells"} | more
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

_DECISIONS: Final = (
    *_ratio("precision", "precision", "precision_recall_f:precision_score"),
    *_ratio("recall", "recall", "precision_recall_f:recall_score"),
    *_ratio("f1", "F1", "precision_recall_f:f1_score"),
    *_ratio("fbeta", "F-beta", "precision_recall_f:fbeta_score", beta=1.0),
    *_ratio("jaccard", "Jaccard index", "precision_recall_f:jaccard_score"),
    _decision(
        "macro_f1_harmonic",
        "F1 of macro precision and macro recall",
        "textbook:macro_f1_harmonic",
        parameters={"zero_division": nan},
    ),
    _decision("accuracy", "accuracy", "accuracy:accuracy_score", aliases=("accuracy_score",)),
    _decision(
        "error_rate",
        "error rate",
        "accuracy:zero_one_loss",
        False,
        aliases=("zero_one_loss",),
        row_loss="zero_one",
    ),
    _decision("hamming_loss", "Hamming loss", "accuracy:hamming_loss", False, row_loss="zero_one"),
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

# --- probabilities and class scores --------------------------------------------------------------


def _probability(name: str, title: str, function: str, up: bool = False, **more: Any) -> Measure:
    given: dict[str, Any] = {"needs": "probabilities", "bounds": _FROM_ZERO} | more
    return Measure(name, "probabilities", title, f"probabilities.{function}", up, **given)


_PROBABILITIES: Final = (
    _probability("log_loss", "log loss", "log_loss:log_loss", resampled="sums"),
    _probability(
        "brier_score",
        "Brier score",
        "brier:brier_score_loss",
        aliases=("brier_score_loss",),
        resampled="sums",
        bounds=(0.0, 2.0),
    ),
    _probability(
        "d2_log_loss_score",
        "D² of the log loss",
        "log_loss:d2_log_loss_score",
        True,
        bounds=_UP_TO_ONE,
    ),
    _probability(
        "d2_brier_score", "D² of the Brier score", "brier:d2_brier_score", True, bounds=_UP_TO_ONE
    ),
    _probability("hinge_loss", "hinge loss", "hinge:hinge_loss", needs="scores"),
    _probability(
        "top_k_accuracy",
        "top-k accuracy",
        "top_k:top_k_accuracy_score",
        True,
        classes=3,  # of two, every row is a hit
        aliases=("top_k_accuracy_score",),
        parameters={"k": 2},
        bounds=(0.0, 1.0),
    ),
)

# --- predicted numbers ---------------------------------------------------------------------------


def _number(name: str, title: str, function: str, up: bool | None = False, **more: Any) -> Measure:
    given: dict[str, Any] = {"needs": "values", "bounds": _FROM_ZERO} | more
    return Measure(name, "regression", title, function and f"regression.{function}", up, **given)


def _score(name: str, title: str, function: str, **more: Any) -> Measure:
    return _number(name, title, function, True, **({"bounds": _UP_TO_ONE} | more))


_REGRESSION: Final = (
    _number("mean", "mean", "", None, needs="nothing", resampled="sums", bounds=(-inf, inf)),
    _number("mean_error", "mean error", "", None, resampled="sums", bounds=(-inf, inf)),
    _number(
        "mean_squared_error",
        "mean squared error",
        "errors:mean_squared_error",
        resampled="sums",
        row_loss="squared",
    ),
    _number(
        "root_mean_squared_error",
        "root mean squared error",
        "errors:root_mean_squared_error",
        resampled="sums",
    ),
    _number(
        "mean_absolute_error",
        "mean absolute error",
        "errors:mean_absolute_error",
        resampled="sums",
        row_loss="absolute",
    ),
    _number(
        "mean_absolute_percentage_error",
        "mean absolute percentage error",
        "errors:mean_absolute_percentage_error",
    ),
    _number("mean_squared_log_error", "mean squared log error", "errors:mean_squared_log_error"),
    _number(
        "root_mean_squared_log_error",
        "root mean squared log error",
        "errors:root_mean_squared_log_error",
    ),
    _number("median_absolute_error", "median absolute error", "errors:median_absolute_error"),
    _number("max_error", "largest error", "errors:max_error"),
    _number(
        "mean_pinball_loss",
        "mean pinball loss",
        "errors:mean_pinball_loss",
        parameters={"alpha": 0.5},
    ),
    _number(
        "mean_tweedie_deviance",
        "mean Tweedie deviance",
        "deviances:mean_tweedie_deviance",
        parameters={"power": 0.0},
    ),
    _number("mean_poisson_deviance", "mean Poisson deviance", "deviances:mean_poisson_deviance"),
    _number("mean_gamma_deviance", "mean gamma deviance", "deviances:mean_gamma_deviance"),
    _score(
        "r2",
        "R²",
        "scores:r2_score",
        aliases=("r2_score",),
        parameters={"force_finite": True},
        resampled="sums",
    ),
    _score(
        "explained_variance",
        "explained variance",
        "scores:explained_variance_score",
        aliases=("explained_variance_score",),
        parameters={"force_finite": True},
    ),
    _score(
        "d2_tweedie_score",
        "D² of the Tweedie deviance",
        "scores:d2_tweedie_score",
        parameters={"power": 0.0},
    ),
    _score(
        "d2_pinball_score",
        "D² of the pinball loss",
        "scores:d2_pinball_score",
        parameters={"alpha": 0.5},
    ),
    _score("d2_absolute_error_score", "D² of the absolute error", "scores:d2_absolute_error_score"),
)

#: Every measure by its canonical name: scikit-learn's scorer name, where it has one, without
#: ``neg_``.
MEASURES: Final[dict[str, Measure]] = {
    measure.name: measure for measure in (*_CURVES, *_DECISIONS, *_PROBABILITIES, *_REGRESSION)
}
