"""What ``fastmetrics`` offers, for type checkers: every name of ``_HOMES`` in ``__init__.py``."""

from fastmetrics._results import ConfidenceInterval as ConfidenceInterval
from fastmetrics.comparison.adjusted_pvalues import adjust_pvalues as adjust_pvalues
from fastmetrics.comparison.bayesian_correlated_t import (
    BayesianCorrelatedTTest as BayesianCorrelatedTTest,
)
from fastmetrics.comparison.bayesian_correlated_t import (
    bayesian_correlated_t_test as bayesian_correlated_t_test,
)
from fastmetrics.comparison.bayesian_signed_rank import (
    BayesianSignedRankTest as BayesianSignedRankTest,
)
from fastmetrics.comparison.bayesian_signed_rank import (
    bayesian_signed_rank_test as bayesian_signed_rank_test,
)
from fastmetrics.comparison.binomial import binomial_likelihood as binomial_likelihood
from fastmetrics.comparison.binomial import binomial_test as binomial_test
from fastmetrics.comparison.bonferroni_dunn import bonferroni_dunn_test as bonferroni_dunn_test
from fastmetrics.comparison.cochran_q import cochran_q_test as cochran_q_test
from fastmetrics.comparison.compare_table import compare_table as compare_table
from fastmetrics.comparison.equivalence import equivalence_test as equivalence_test
from fastmetrics.comparison.equivalence import non_inferiority_test as non_inferiority_test
from fastmetrics.comparison.estimators import compare_estimators as compare_estimators
from fastmetrics.comparison.five_by_two import five_by_two_cv_test as five_by_two_cv_test
from fastmetrics.comparison.friedman import FriedmanTest as FriedmanTest
from fastmetrics.comparison.friedman import friedman_test as friedman_test
from fastmetrics.comparison.kfold_t import kfold_paired_t_test as kfold_paired_t_test
from fastmetrics.comparison.mcnemar import mcnemar_test as mcnemar_test
from fastmetrics.comparison.nemenyi import nemenyi_test as nemenyi_test
from fastmetrics.comparison.one_sample_t import one_sample_t_test as one_sample_t_test
from fastmetrics.comparison.post_hoc_result import PostHocTest as PostHocTest
from fastmetrics.comparison.post_hoc_result import RankPair as RankPair
from fastmetrics.comparison.power_accuracy import power_paired_accuracy as power_paired_accuracy
from fastmetrics.comparison.power_accuracy import (
    sample_size_paired_accuracy as sample_size_paired_accuracy,
)
from fastmetrics.comparison.power_auc import power_paired_auc as power_paired_auc
from fastmetrics.comparison.power_auc import sample_size_paired_auc as sample_size_paired_auc
from fastmetrics.comparison.result import ComparisonTest as ComparisonTest
from fastmetrics.comparison.sample_size_result import SampleSize as SampleSize
from fastmetrics.comparison.sign_flip import sign_flip_test as sign_flip_test
from fastmetrics.comparison.table_comparison import (
    CriticalDifferenceDiagram as CriticalDifferenceDiagram,
)
from fastmetrics.comparison.table_comparison import FriedmanSegments as FriedmanSegments
from fastmetrics.comparison.table_comparison import TableComparison as TableComparison
from fastmetrics.comparison.wilcoxon import (
    wilcoxon_signed_rank_test as wilcoxon_signed_rank_test,
)
from fastmetrics.errors import DataConversionWarning as DataConversionWarning
from fastmetrics.errors import DegenerateDataWarning as DegenerateDataWarning
from fastmetrics.errors import FileError as FileError
from fastmetrics.errors import UndefinedMetricWarning as UndefinedMetricWarning
from fastmetrics.intervals._metrics import register_metric as register_metric
from fastmetrics.intervals.band_results import PrBand as PrBand
from fastmetrics.intervals.band_results import RocBand as RocBand
from fastmetrics.intervals.bands import pr_band as pr_band
from fastmetrics.intervals.bands import roc_band as roc_band
from fastmetrics.intervals.bootstrap import bootstrap as bootstrap
from fastmetrics.intervals.bootstrap_result import BootstrapResult as BootstrapResult
from fastmetrics.intervals.bootstrap_result import BootstrapResults as BootstrapResults
from fastmetrics.intervals.count_intervals import CountMetricInterval as CountMetricInterval
from fastmetrics.intervals.count_intervals import count_metric_interval as count_metric_interval
from fastmetrics.intervals.delong import DeLongResult as DeLongResult
from fastmetrics.intervals.delong import delong as delong
from fastmetrics.intervals.delong_test import DeLongPair as DeLongPair
from fastmetrics.intervals.delong_test import DeLongTest as DeLongTest
from fastmetrics.intervals.delong_test import delong_test as delong_test
from fastmetrics.intervals.delong_unpaired import DeLongUnpairedTest as DeLongUnpairedTest
from fastmetrics.intervals.delong_unpaired import delong_unpaired_test as delong_unpaired_test
from fastmetrics.intervals.effective_size import effective_sample_size as effective_sample_size
from fastmetrics.intervals.multiclass_bootstrap import (
    multiclass_bootstrap as multiclass_bootstrap,
)
from fastmetrics.intervals.newcombe import newcombe_interval as newcombe_interval
from fastmetrics.intervals.paired_bootstrap import PairedBootstrap as PairedBootstrap
from fastmetrics.intervals.paired_bootstrap import PairedDifference as PairedDifference
from fastmetrics.intervals.paired_bootstrap import paired_bootstrap as paired_bootstrap
from fastmetrics.intervals.permutation import PairedPermutationTest as PairedPermutationTest
from fastmetrics.intervals.permutation import PermutedDifference as PermutedDifference
from fastmetrics.intervals.permutation import (
    paired_permutation_test as paired_permutation_test,
)
from fastmetrics.intervals.proportion_differences import (
    ProportionDifference as ProportionDifference,
)
from fastmetrics.intervals.proportion_differences import (
    paired_proportion_difference_interval as paired_proportion_difference_interval,
)
from fastmetrics.intervals.proportion_differences import (
    proportion_difference_interval as proportion_difference_interval,
)
from fastmetrics.intervals.proportions import ProportionInterval as ProportionInterval
from fastmetrics.intervals.proportions import proportion_interval as proportion_interval
from fastmetrics.measures.accuracy import accuracy_score as accuracy_score
from fastmetrics.measures.accuracy import zero_one_loss as zero_one_loss
from fastmetrics.measures.agreement import cohen_kappa_score as cohen_kappa_score
from fastmetrics.measures.agreement import matthews_corrcoef as matthews_corrcoef
from fastmetrics.measures.balanced_accuracy import (
    balanced_accuracy_score as balanced_accuracy_score,
)
from fastmetrics.measures.balanced_accuracy import g_mean as g_mean
from fastmetrics.measures.best_threshold import BestThreshold as BestThreshold
from fastmetrics.measures.best_threshold import best_threshold as best_threshold
from fastmetrics.measures.binary_rates import false_negative_rate as false_negative_rate
from fastmetrics.measures.binary_rates import false_positive_rate as false_positive_rate
from fastmetrics.measures.binary_rates import (
    negative_predictive_value as negative_predictive_value,
)
from fastmetrics.measures.binary_rates import specificity_score as specificity_score
from fastmetrics.measures.binary_rates import youden_j as youden_j
from fastmetrics.measures.break_even import BreakEvenPoint as BreakEvenPoint
from fastmetrics.measures.break_even import break_even_point as break_even_point
from fastmetrics.measures.brier import brier_score_loss as brier_score_loss
from fastmetrics.measures.brier import d2_brier_score as d2_brier_score
from fastmetrics.measures.classification_measures import (
    ClassificationMeasures as ClassificationMeasures,
)
from fastmetrics.measures.classification_measures import (
    classification_measures as classification_measures,
)
from fastmetrics.measures.classification_report import (
    classification_report as classification_report,
)
from fastmetrics.measures.cost import cost_sensitive_accuracy as cost_sensitive_accuracy
from fastmetrics.measures.cost import cost_sensitive_error as cost_sensitive_error
from fastmetrics.measures.cost import normalized_cost as normalized_cost
from fastmetrics.measures.cost import total_cost as total_cost
from fastmetrics.measures.cost_decision import cost_sensitive_predict as cost_sensitive_predict
from fastmetrics.measures.count_measure import count_measure as count_measure
from fastmetrics.measures.counts import (
    confusion_matrix_at_thresholds as confusion_matrix_at_thresholds,
)
from fastmetrics.measures.counts import metric_at_thresholds as metric_at_thresholds
from fastmetrics.measures.decision import predict_at_threshold as predict_at_threshold
from fastmetrics.measures.dominance import Dominance as Dominance
from fastmetrics.measures.dominance import dominance as dominance
from fastmetrics.measures.expected_cost import expected_cost as expected_cost
from fastmetrics.measures.hamming import hamming_loss as hamming_loss
from fastmetrics.measures.hinge import hinge_loss as hinge_loss
from fastmetrics.measures.jaccard import jaccard_score as jaccard_score
from fastmetrics.measures.kolmogorov_smirnov import KolmogorovSmirnov as KolmogorovSmirnov
from fastmetrics.measures.kolmogorov_smirnov import ks_statistic as ks_statistic
from fastmetrics.measures.likelihood_ratios import (
    class_likelihood_ratios as class_likelihood_ratios,
)
from fastmetrics.measures.log_loss import d2_log_loss_score as d2_log_loss_score
from fastmetrics.measures.log_loss import log_loss as log_loss
from fastmetrics.measures.macro_measures import macro_f1_harmonic as macro_f1_harmonic
from fastmetrics.measures.macro_measures import macro_precision as macro_precision
from fastmetrics.measures.macro_measures import macro_recall as macro_recall
from fastmetrics.measures.matrix_functions import confusion_matrix as confusion_matrix
from fastmetrics.measures.matrix_functions import (
    multilabel_confusion_matrix as multilabel_confusion_matrix,
)
from fastmetrics.measures.micro_measures import micro_f1 as micro_f1
from fastmetrics.measures.micro_measures import micro_precision as micro_precision
from fastmetrics.measures.micro_measures import micro_recall as micro_recall
from fastmetrics.measures.partial_auc import partial_auc as partial_auc
from fastmetrics.measures.pr_areas import pr_auc as pr_auc
from fastmetrics.measures.precision_recall import (
    average_precision_score as average_precision_score,
)
from fastmetrics.measures.precision_recall import (
    precision_recall_curve as precision_recall_curve,
)
from fastmetrics.measures.precision_recall_f import f1_score as f1_score
from fastmetrics.measures.precision_recall_f import fbeta_score as fbeta_score
from fastmetrics.measures.precision_recall_f import (
    precision_recall_fscore_support as precision_recall_fscore_support,
)
from fastmetrics.measures.precision_recall_f import precision_score as precision_score
from fastmetrics.measures.precision_recall_f import recall_score as recall_score
from fastmetrics.measures.regression_d2_scores import (
    d2_absolute_error_score as d2_absolute_error_score,
)
from fastmetrics.measures.regression_d2_scores import d2_pinball_score as d2_pinball_score
from fastmetrics.measures.regression_d2_scores import d2_tweedie_score as d2_tweedie_score
from fastmetrics.measures.regression_deviances import mean_gamma_deviance as mean_gamma_deviance
from fastmetrics.measures.regression_deviances import (
    mean_poisson_deviance as mean_poisson_deviance,
)
from fastmetrics.measures.regression_deviances import (
    mean_tweedie_deviance as mean_tweedie_deviance,
)
from fastmetrics.measures.regression_errors import max_error as max_error
from fastmetrics.measures.regression_errors import mean_absolute_error as mean_absolute_error
from fastmetrics.measures.regression_errors import (
    mean_absolute_percentage_error as mean_absolute_percentage_error,
)
from fastmetrics.measures.regression_errors import mean_squared_error as mean_squared_error
from fastmetrics.measures.regression_errors import (
    median_absolute_error as median_absolute_error,
)
from fastmetrics.measures.regression_errors import (
    root_mean_squared_error as root_mean_squared_error,
)
from fastmetrics.measures.regression_losses import mean_pinball_loss as mean_pinball_loss
from fastmetrics.measures.regression_losses import (
    mean_squared_log_error as mean_squared_log_error,
)
from fastmetrics.measures.regression_losses import (
    root_mean_squared_log_error as root_mean_squared_log_error,
)
from fastmetrics.measures.regression_measures import RegressionMeasures as RegressionMeasures
from fastmetrics.measures.regression_measures import regression_measures as regression_measures
from fastmetrics.measures.regression_scores import (
    explained_variance_score as explained_variance_score,
)
from fastmetrics.measures.regression_scores import r2_score as r2_score
from fastmetrics.measures.roc import auc as auc
from fastmetrics.measures.roc import det_curve as det_curve
from fastmetrics.measures.roc import roc_curve as roc_curve
from fastmetrics.measures.roc_auc import rank_loss as rank_loss
from fastmetrics.measures.roc_auc import roc_auc_score as roc_auc_score
from fastmetrics.measures.top_k import top_k_accuracy_score as top_k_accuracy_score
from fastmetrics.plots.null_distributions import plot_binomial_test as plot_binomial_test
from fastmetrics.plots.null_distributions import plot_t_test as plot_t_test
from fastmetrics.report.evaluation import evaluate as evaluate
from fastmetrics.report.evaluation_result import Evaluation as Evaluation
from fastmetrics.report.evaluation_result import EvaluationBootstrap as EvaluationBootstrap
from fastmetrics.report.evaluation_result import ModelEvaluation as ModelEvaluation
from fastmetrics.selection.bias_variance import BiasVariance as BiasVariance
from fastmetrics.selection.bias_variance import bias_variance as bias_variance
from fastmetrics.selection.bootstrap_out_of_bag import BootstrapOutOfBag as BootstrapOutOfBag
from fastmetrics.selection.error_curves import LearningCurve as LearningCurve
from fastmetrics.selection.error_curves import ValidationCurve as ValidationCurve
from fastmetrics.selection.estimator_bias_variance import BiasVarianceCurve as BiasVarianceCurve
from fastmetrics.selection.estimator_bias_variance import (
    bias_variance_curve as bias_variance_curve,
)
from fastmetrics.selection.estimator_bias_variance import (
    estimator_bias_variance as estimator_bias_variance,
)
from fastmetrics.selection.estimator_curves import (
    estimator_learning_curve as estimator_learning_curve,
)
from fastmetrics.selection.estimator_curves import (
    estimator_validation_curve as estimator_validation_curve,
)
from fastmetrics.selection.estimator_evaluation import (
    EstimatorEvaluation as EstimatorEvaluation,
)
from fastmetrics.selection.estimator_evaluation import MetricEstimate as MetricEstimate
from fastmetrics.selection.evaluate_estimator import evaluate_estimator as evaluate_estimator
from fastmetrics.selection.five_by_two import FiveByTwo as FiveByTwo
from fastmetrics.selection.folds import Folds as Folds
from fastmetrics.selection.grouped_folds import GroupedFolds as GroupedFolds
from fastmetrics.selection.hold_out import HoldOut as HoldOut
from fastmetrics.selection.leave_one_out import LeaveOneOut as LeaveOneOut
from fastmetrics.selection.parameter_range import parameter_range as parameter_range
from fastmetrics.selection.point632 import Bootstrap632 as Bootstrap632
from fastmetrics.selection.point632 import bootstrap632 as bootstrap632
from fastmetrics.selection.point632 import err632 as err632
from fastmetrics.selection.point632 import err632_plus as err632_plus
from fastmetrics.selection.row_losses import no_information_error as no_information_error
from fastmetrics.selection.tuning import nested_cross_validation as nested_cross_validation
from fastmetrics.selection.tuning import tune_estimator as tune_estimator
from fastmetrics.selection.tuning_result import NestedCrossValidation as NestedCrossValidation
from fastmetrics.selection.tuning_result import TuningResult as TuningResult
from fastmetrics.tables.confusion_matrix import ConfusionMatrix as ConfusionMatrix
from fastmetrics.tables.confusion_stack import ConfusionMatrixStack as ConfusionMatrixStack
from fastmetrics.tables.decayed_matrix import DecayedConfusionMatrix as DecayedConfusionMatrix
from fastmetrics.tables.regression_table import RegressionTable as RegressionTable
from fastmetrics.tables.score_table import ScoreTable as ScoreTable
from fastmetrics.tables.windowed_matrix import (
    WindowedConfusionMatrix as WindowedConfusionMatrix,
)

__version__: str
