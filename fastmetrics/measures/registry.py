"""The one list of measures: names, what each needs, its direction, its range, how it is resampled.

Entries are plain data. They name their functions, which are loaded when they are asked for: reading
the list imports no measure. Whoever takes a measure by name reads it here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from fastmetrics.measures._entries import predictions, purposes
from fastmetrics.measures._measure import Measure

#: What people type beside the names of functions. None means another measure, or its opposite.
USUAL: Final[dict[str, tuple[str, ...]]] = {
    "roc_auc": ("auc", "auroc", "auc_roc", "aucroc"),
    "average_precision": ("ap", "auprc", "aucpr"),
    "ks_statistic": ("ks",),
    "accuracy": ("acc",),
    "precision": ("ppv",),
    "recall": ("sensitivity", "tpr", "true_positive_rate"),
    "specificity": ("tnr", "true_negative_rate"),
    "false_positive_rate": ("fpr",),
    "false_negative_rate": ("fnr",),
    "cohen_kappa": ("kappa",),
    "log_loss": ("logloss",),
    "brier_score": ("brier",),
    "balanced_accuracy": ("balanced_acc", "bacc"),
    "mean_squared_error": ("mse",),
    "root_mean_squared_error": ("rmse",),
    "mean_absolute_error": ("mae",),
    "mean_absolute_percentage_error": ("mape",),
    "median_absolute_error": ("medae",),
    "mean_squared_log_error": ("msle",),
    "root_mean_squared_log_error": ("rmsle",),
    "concordance_index": ("c_index", "cindex"),
    "kendall_tau": ("tau",),
    "spearman_rho": ("rho",),
    "f1_micro": ("micro_f1",),
    "precision_macro": ("macro_precision",),
    "precision_micro": ("micro_precision",),
    "recall_macro": ("macro_recall",),
    "recall_micro": ("micro_recall",),
    "matthews_corrcoef": ("mcc",),
    "gini_coefficient": ("gini",),
    "expected_calibration_error": ("ece",),
    "maximum_calibration_error": ("mce",),
    "adaptive_calibration_error": ("ace",),
    "root_mean_square_calibration_error": ("l2_calibration_error",),
    "mean_average_precision": ("map",),
    "mean_reciprocal_rank": ("mrr",),
    "group_auc": ("gauc",),
}

#: Every measure by its canonical name: scikit-learn's scorer name, where it has one, without
#: ``neg_``.
MEASURES: Final[dict[str, Measure]] = {
    measure.name: replace(measure, aliases=(*measure.aliases, *USUAL.get(measure.name, ())))
    for measure in (*predictions.MEASURES, *purposes.MEASURES)
}
