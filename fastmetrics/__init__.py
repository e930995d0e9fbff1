"""fastmetrics: labels and scores turned into numbers one can stand behind.

Public names are resolved on first use (PEP 562): importing fastmetrics loads no heavy package.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# The same names stand in __init__.pyi, where type checkers look for them.
_HOMES = {
    "_results": ("ConfidenceInterval",),
    "comparison.adjusted_pvalues": ("adjust_pvalues",),
    "comparison.bayesian_correlated_t": (
        "BayesianCorrelatedTTest",
        "bayesian_correlated_t_test",
    ),
    "comparison.bayesian_signed_rank": ("BayesianSignedRankTest", "bayesian_signed_rank_test"),
    "comparison.binomial": ("binomial_likelihood", "binomial_test"),
    "comparison.bonferroni_dunn": ("bonferroni_dunn_test",),
    "comparison.cochran_q": ("cochran_q_test",),
    "comparison.compare_table": ("compare_table",),
    "comparison.equivalence": ("equivalence_test", "non_inferiority_test"),
    "comparison.estimators": ("compare_estimators",),
    "comparison.five_by_two": ("five_by_two_cv_test",),
    "comparison.friedman": ("FriedmanTest", "friedman_test"),
    "comparison.kfold_t": ("kfold_paired_t_test",),
    "comparison.mcnemar": ("mcnemar_test",),
    "comparison.nemenyi": ("nemenyi_test",),
    "comparison.one_sample_t": ("one_sample_t_test",),
    "comparison.post_hoc_result": ("PostHocTest", "RankPair"),
    "comparison.power_accuracy": ("power_paired_accuracy", "sample_size_paired_accuracy"),
    "comparison.power_auc": ("power_paired_auc", "sample_size_paired_auc"),
    "comparison.result": ("ComparisonTest",),
    "comparison.sample_size_result": ("SampleSize",),
    "comparison.sign_flip": ("sign_flip_test",),
    "comparison.table_comparison": (
        "CriticalDifferenceDiagram",
        "FriedmanSegments",
        "TableComparison",
    ),
    "comparison.wilcoxon": ("wilcoxon_signed_rank_test",),
    "errors": (
        "DataConversionWarning",
        "DegenerateDataWarning",
        "FileError",
        "UndefinedMetricWarning",
    ),
    "intervals._metrics": ("register_metric",),
    "intervals.band_results": ("PrBand", "RocBand"),
    "intervals.bands": ("pr_band", "roc_band"),
    "intervals.bootstrap": ("bootstrap",),
    "intervals.bootstrap_result": ("BootstrapResult", "BootstrapResults"),
    "intervals.count_intervals": ("CountMetricInterval", "count_metric_interval"),
    "intervals.delong": ("DeLongResult", "delong"),
    "intervals.delong_test": ("DeLongPair", "DeLongTest", "delong_test"),
    "intervals.delong_unpaired": ("DeLongUnpairedTest", "delong_unpaired_test"),
    "intervals.effective_size": ("effective_sample_size",),
    "intervals.multiclass_bootstrap": ("multiclass_bootstrap",),
    "intervals.newcombe": ("newcombe_interval",),
    "intervals.paired_bootstrap": ("PairedBootstrap", "PairedDifference", "paired_bootstrap"),
    "intervals.permutation": (
        "PairedPermutationTest",
        "PermutedDifference",
        "paired_permutation_test",
    ),
    "intervals.proportion_differences": (
        "ProportionDifference",
        "paired_proportion_difference_interval",
        "proportion_difference_interval",
    ),
    "intervals.proportions": ("ProportionInterval", "proportion_interval"),
    "measures.accuracy": (
        "accuracy_score",
        "zero_one_loss",
    ),
    "measures.agreement": (
        "cohen_kappa_score",
        "matthews_corrcoef",
    ),
    "measures.balanced_accuracy": (
        "balanced_accuracy_score",
        "g_mean",
    ),
    "measures.best_threshold": ("BestThreshold", "best_threshold"),
    "measures.binary_rates": (
        "false_negative_rate",
        "false_positive_rate",
        "negative_predictive_value",
        "specificity_score",
        "youden_j",
    ),
    "measures.break_even": ("BreakEvenPoint", "break_even_point"),
    "measures.brier": ("brier_score_loss", "d2_brier_score"),
    "measures.classification_measures": (
        "ClassificationMeasures",
        "classification_measures",
    ),
    "measures.classification_report": ("classification_report",),
    "measures.cost": (
        "cost_sensitive_accuracy",
        "cost_sensitive_error",
        "normalized_cost",
        "total_cost",
    ),
    "measures.cost_decision": ("cost_sensitive_predict",),
    "measures.count_measure": ("count_measure",),
    "measures.counts": ("confusion_matrix_at_thresholds", "metric_at_thresholds"),
    "measures.decision": ("predict_at_threshold",),
    "measures.dominance": ("Dominance", "dominance"),
    "measures.expected_cost": ("expected_cost",),
    "measures.hamming": ("hamming_loss",),
    "measures.hinge": ("hinge_loss",),
    "measures.jaccard": ("jaccard_score",),
    "measures.kolmogorov_smirnov": ("KolmogorovSmirnov", "ks_statistic"),
    "measures.likelihood_ratios": ("class_likelihood_ratios",),
    "measures.log_loss": ("d2_log_loss_score", "log_loss"),
    "measures.macro_measures": (
        "macro_f1_harmonic",
        "macro_precision",
        "macro_recall",
    ),
    "measures.matrix_functions": (
        "confusion_matrix",
        "multilabel_confusion_matrix",
    ),
    "measures.micro_measures": (
        "micro_f1",
        "micro_precision",
        "micro_recall",
    ),
    "measures.partial_auc": ("partial_auc",),
    "measures.pr_areas": ("pr_auc",),
    "measures.precision_recall": ("average_precision_score", "precision_recall_curve"),
    "measures.precision_recall_f": (
        "f1_score",
        "fbeta_score",
        "precision_recall_fscore_support",
        "precision_score",
        "recall_score",
    ),
    "measures.regression_d2_scores": (
        "d2_absolute_error_score",
        "d2_pinball_score",
        "d2_tweedie_score",
    ),
    "measures.regression_deviances": (
        "mean_gamma_deviance",
        "mean_poisson_deviance",
        "mean_tweedie_deviance",
    ),
    "measures.regression_errors": (
        "max_error",
        "mean_absolute_error",
        "mean_absolute_percentage_error",
        "mean_squared_error",
        "median_absolute_error",
        "root_mean_squared_error",
    ),
    "measures.regression_losses": (
        "mean_pinball_loss",
        "mean_squared_log_error",
        "root_mean_squared_log_error",
    ),
    "measures.regression_measures": ("RegressionMeasures", "regression_measures"),
    "measures.regression_scores": ("explained_variance_score", "r2_score"),
    "measures.roc": ("auc", "det_curve", "roc_curve"),
    "measures.roc_auc": ("rank_loss", "roc_auc_score"),
    "measures.top_k": ("top_k_accuracy_score",),
    "plots.null_distributions": ("plot_binomial_test", "plot_t_test"),
    "report.evaluation": ("evaluate",),
    "report.evaluation_result": ("Evaluation", "EvaluationBootstrap", "ModelEvaluation"),
    "selection.bias_variance": ("BiasVariance", "bias_variance"),
    "selection.bootstrap_out_of_bag": ("BootstrapOutOfBag",),
    "selection.error_curves": ("LearningCurve", "ValidationCurve"),
    "selection.estimator_bias_variance": (
        "BiasVarianceCurve",
        "bias_variance_curve",
        "estimator_bias_variance",
    ),
    "selection.estimator_curves": ("estimator_learning_curve", "estimator_validation_curve"),
    "selection.estimator_evaluation": ("EstimatorEvaluation", "MetricEstimate"),
    "selection.evaluate_estimator": ("evaluate_estimator",),
    "selection.five_by_two": ("FiveByTwo",),
    "selection.folds": ("Folds",),
    "selection.grouped_folds": ("GroupedFolds",),
    "selection.hold_out": ("HoldOut",),
    "selection.leave_one_out": ("LeaveOneOut",),
    "selection.parameter_range": ("parameter_range",),
    "selection.point632": ("Bootstrap632", "bootstrap632", "err632", "err632_plus"),
    "selection.row_losses": ("no_information_error",),
    "selection.tuning": ("nested_cross_validation", "tune_estimator"),
    "selection.tuning_result": ("NestedCrossValidation", "TuningResult"),
    "tables.confusion_matrix": ("ConfusionMatrix",),
    "tables.confusion_stack": ("ConfusionMatrixStack",),
    "tables.decayed_matrix": ("DecayedConfusionMatrix",),
    "tables.regression_table": ("RegressionTable",),
    "tables.score_table": ("ScoreTable",),
    "tables.windowed_matrix": ("WindowedConfusionMatrix",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
