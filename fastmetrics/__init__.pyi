"""What ``fastmetrics`` offers: the one list of public names, read lazily by ``__init__.py``."""

from ._report.evaluation import evaluate as evaluate
from ._report.evaluation_result import (
    Evaluation as Evaluation,
    EvaluationBootstrap as EvaluationBootstrap,
    ModelEvaluation as ModelEvaluation,
)
from ._report.ranking_evaluation import evaluate_rankings as evaluate_rankings
from ._report.ranking_result import (
    RankingEvaluation as RankingEvaluation,
)
from ._report.score_plots import (
    plot_det as plot_det,
    plot_pr as plot_pr,
    plot_roc as plot_roc,
    plot_thresholds as plot_thresholds,
)
from ._results import ConfidenceInterval as ConfidenceInterval
from .comparison.planning.power_accuracy import (
    SampleSize as SampleSize,
    power_paired_accuracy as power_paired_accuracy,
    sample_size_paired_accuracy as sample_size_paired_accuracy,
)
from .comparison.planning.power_auc import (
    power_paired_auc as power_paired_auc,
    sample_size_paired_auc as sample_size_paired_auc,
)
from .comparison.result import ComparisonTest as ComparisonTest
from .comparison.samples.bayesian_correlated_t import (
    BayesianCorrelatedTTest as BayesianCorrelatedTTest,
    bayesian_correlated_t_test as bayesian_correlated_t_test,
)
from .comparison.samples.bayesian_signed_rank import (
    BayesianSignedRankTest as BayesianSignedRankTest,
    bayesian_signed_rank_test as bayesian_signed_rank_test,
)
from .comparison.samples.binomial import (
    binomial_likelihood as binomial_likelihood,
    binomial_test as binomial_test,
)
from .comparison.samples.cochran_q import cochran_q_test as cochran_q_test
from .comparison.samples.equivalence import (
    equivalence_test as equivalence_test,
    non_inferiority_test as non_inferiority_test,
)
from .comparison.samples.estimators import compare_estimators as compare_estimators
from .comparison.samples.five_by_two import five_by_two_cv_test as five_by_two_cv_test
from .comparison.samples.kendall import kendall_test as kendall_test
from .comparison.samples.mcnemar import mcnemar_test as mcnemar_test
from .comparison.samples.sign_flip import sign_flip_test as sign_flip_test
from .comparison.samples.t_tests import (
    kfold_paired_t_test as kfold_paired_t_test,
    one_sample_t_test as one_sample_t_test,
)
from .comparison.samples.timings import (
    TimingComparison as TimingComparison,
    TimingRatio as TimingRatio,
    compare_timings as compare_timings,
)
from .comparison.samples.wilcoxon import wilcoxon_signed_rank_test as wilcoxon_signed_rank_test
from .comparison.tables.compare_table import (
    CriticalDifferenceDiagram as CriticalDifferenceDiagram,
    FriedmanSegments as FriedmanSegments,
    TableComparison as TableComparison,
    compare_table as compare_table,
)
from .comparison.tables.friedman import FriedmanTest as FriedmanTest, friedman_test as friedman_test
from .comparison.tables.post_hoc import (
    adjust_pvalues as adjust_pvalues,
    bonferroni_dunn_test as bonferroni_dunn_test,
    nemenyi_test as nemenyi_test,
)
from .comparison.tables.post_hoc_result import PostHocTest as PostHocTest, RankPair as RankPair
from .errors import (
    DataConversionWarning as DataConversionWarning,
    DegenerateDataWarning as DegenerateDataWarning,
    FileError as FileError,
    InputError as InputError,
    InputKeyError as InputKeyError,
    InputTypeError as InputTypeError,
    SmallSampleWarning as SmallSampleWarning,
    UndefinedMetricWarning as UndefinedMetricWarning,
)
from .inference.bands.band_results import PrBand as PrBand, RocBand as RocBand
from .inference.bands.bands import pr_band as pr_band, roc_band as roc_band
from .inference.bootstrap.bootstrap import bootstrap as bootstrap
from .inference.bootstrap.effective_size import effective_sample_size as effective_sample_size
from .inference.bootstrap.multiclass_bootstrap import multiclass_bootstrap as multiclass_bootstrap
from .inference.bootstrap.paired_bootstrap import paired_bootstrap as paired_bootstrap
from .inference.bootstrap.permutation import paired_permutation_test as paired_permutation_test
from .inference.calibration.calibration_error_interval import (
    calibration_error_interval as calibration_error_interval,
)
from .inference.calibration.calibration_test import (
    CalibrationTest as CalibrationTest,
    calibration_test as calibration_test,
)
from .inference.calibration.reliability_band import (
    ReliabilityBand as ReliabilityBand,
    reliability_band as reliability_band,
)
from .inference.compare import compare as compare
from .inference.concordance.time_dependent import (
    cumulative_dynamic_auc as cumulative_dynamic_auc,
    survival_brier_score as survival_brier_score,
)
from .inference.concordance.time_dependent_results import (
    TimeDependentMeasure as TimeDependentMeasure,
)
from .inference.costs.decision_curve import (
    decision_curve as decision_curve,
)
from .inference.costs.decision_results import (
    DecisionCurve as DecisionCurve,
)
from .inference.costs.threshold_cost import (
    ThresholdCostInterval as ThresholdCostInterval,
    threshold_cost_interval as threshold_cost_interval,
)
from .inference.delong.delong import delong as delong
from .inference.delong.delong_test import delong_test as delong_test
from .inference.delong.delong_unpaired import delong_unpaired_test as delong_unpaired_test
from .inference.delong.newcombe import newcombe_interval as newcombe_interval
from .inference.estimate import estimate as estimate
from .inference.estimate_result import (
    Comparison as Comparison,
    Comparisons as Comparisons,
    Estimate as Estimate,
    Estimates as Estimates,
    Pair as Pair,
)
from .inference.proportions.proportion_differences import (
    paired_proportion_difference_interval as paired_proportion_difference_interval,
    proportion_difference_interval as proportion_difference_interval,
)
from .inference.proportions.proportions import proportion_interval as proportion_interval
from .inference.replicates import Replicates as Replicates
from .io.counts_query import counts_query as counts_query
from .io.trec import read_trec as read_trec
from .measures.asking import register_metric as register_metric
from .measures.calibration.calibration_curve import calibration_curve as calibration_curve
from .measures.calibration.calibration_errors import (
    adaptive_calibration_error as adaptive_calibration_error,
    expected_calibration_error as expected_calibration_error,
    maximum_calibration_error as maximum_calibration_error,
    root_mean_square_calibration_error as root_mean_square_calibration_error,
)
from .measures.calibration.calibration_summary import (
    CalibrationSummary as CalibrationSummary,
    calibration_summary as calibration_summary,
)
from .measures.calibration.goodness_of_fit import (
    GoodnessOfFitTest as GoodnessOfFitTest,
    hosmer_lemeshow_test as hosmer_lemeshow_test,
    spiegelhalter_test as spiegelhalter_test,
)
from .measures.calibration.isotonic import (
    IsotonicFit as IsotonicFit,
    isotonic_fit as isotonic_fit,
)
from .measures.calibration.logistic_calibration import (
    LogisticCalibration as LogisticCalibration,
    logistic_calibration as logistic_calibration,
)
from .measures.calibration.reliability_diagram import (
    ReliabilityDiagram as ReliabilityDiagram,
    reliability_diagram as reliability_diagram,
)
from .measures.calibration.score_decomposition import (
    ScoreDecomposition as ScoreDecomposition,
    discrimination as discrimination,
    miscalibration as miscalibration,
    score_decomposition as score_decomposition,
)
from .measures.concordance.concordance_index import concordance_index as concordance_index
from .measures.concordance.rank_correlation import (
    goodman_kruskal_gamma as goodman_kruskal_gamma,
    kendall_tau as kendall_tau,
    somers_d as somers_d,
    spearman_rho as spearman_rho,
)
from .measures.concordance.royston_d import royston_d as royston_d
from .measures.costs.brier_curve import BrierCurve as BrierCurve, brier_curve as brier_curve
from .measures.costs.convex_hull import (
    RocConvexHull as RocConvexHull,
    roc_convex_hull as roc_convex_hull,
    roc_hull_auc as roc_hull_auc,
)
from .measures.costs.cost_curve import (
    cost_curve as cost_curve,
    expected_total_cost as expected_total_cost,
)
from .measures.costs.cost_curve_result import CostCurve as CostCurve, CostInterval as CostInterval
from .measures.costs.cost_curves import (
    CostComparison as CostComparison,
    CostWinner as CostWinner,
    compare_cost_curves as compare_cost_curves,
)
from .measures.costs.gains import (
    GainsCurve as GainsCurve,
    cumulative_gain as cumulative_gain,
    gains_curve as gains_curve,
    lift_score as lift_score,
)
from .measures.costs.h_measure import (
    gini_coefficient as gini_coefficient,
    h_measure as h_measure,
)
from .measures.costs.lorenz import (
    LorenzCurve as LorenzCurve,
    lorenz_curve as lorenz_curve,
    lorenz_gini as lorenz_gini,
)
from .measures.costs.net_benefit import net_benefit as net_benefit
from .measures.costs.operating_point import (
    OperatingPoint as OperatingPoint,
    prevalence_adjusted_precision as prevalence_adjusted_precision,
)
from .measures.costs.precision_recall_gain import (
    PrecisionRecallGain as PrecisionRecallGain,
    precision_recall_gain_curve as precision_recall_gain_curve,
)
from .measures.costs.row_costs import (
    ThresholdCosts as ThresholdCosts,
    threshold_costs as threshold_costs,
)
from .measures.curves.best_threshold import (
    BestThreshold as BestThreshold,
    best_threshold as best_threshold,
    predict_at_threshold as predict_at_threshold,
)
from .measures.curves.break_even import (
    BreakEvenPoint as BreakEvenPoint,
    break_even_point as break_even_point,
)
from .measures.curves.counts import (
    confusion_matrix_at_thresholds as confusion_matrix_at_thresholds,
    metric_at_thresholds as metric_at_thresholds,
)
from .measures.curves.dominance import Dominance as Dominance, dominance as dominance
from .measures.curves.kolmogorov_smirnov import (
    KolmogorovSmirnov as KolmogorovSmirnov,
    ks_statistic as ks_statistic,
)
from .measures.curves.partial_auc import partial_auc as partial_auc
from .measures.curves.pr_areas import pr_auc as pr_auc
from .measures.curves.precision_recall import (
    average_precision_score as average_precision_score,
    precision_recall_curve as precision_recall_curve,
)
from .measures.curves.roc import auc as auc, det_curve as det_curve, roc_curve as roc_curve
from .measures.curves.roc_auc import rank_loss as rank_loss, roc_auc_score as roc_auc_score
from .measures.decisions.accuracy import (
    accuracy_score as accuracy_score,
    hamming_loss as hamming_loss,
    zero_one_loss as zero_one_loss,
)
from .measures.decisions.agreement import (
    cohen_kappa_score as cohen_kappa_score,
    matthews_corrcoef as matthews_corrcoef,
)
from .measures.decisions.classification_measures import (
    ClassificationMeasures as ClassificationMeasures,
    classification_measures as classification_measures,
)
from .measures.decisions.classification_report import classification_report as classification_report
from .measures.decisions.cost_decision import cost_sensitive_predict as cost_sensitive_predict
from .measures.decisions.costs import (
    cost_sensitive_accuracy as cost_sensitive_accuracy,
    cost_sensitive_error as cost_sensitive_error,
    expected_cost as expected_cost,
    normalized_cost as normalized_cost,
    total_cost as total_cost,
)
from .measures.decisions.count_measures import count_measure as count_measure
from .measures.decisions.macro_micro import macro_micro as macro_micro
from .measures.decisions.matrix_functions import (
    confusion_matrix as confusion_matrix,
    multilabel_confusion_matrix as multilabel_confusion_matrix,
)
from .measures.decisions.precision_recall_f import (
    f1_score as f1_score,
    fbeta_score as fbeta_score,
    jaccard_score as jaccard_score,
    precision_recall_fscore_support as precision_recall_fscore_support,
    precision_score as precision_score,
    recall_score as recall_score,
)
from .measures.decisions.rates import (
    class_likelihood_ratios as class_likelihood_ratios,
    false_negative_rate as false_negative_rate,
    false_positive_rate as false_positive_rate,
    negative_predictive_value as negative_predictive_value,
    specificity_score as specificity_score,
    youden_j as youden_j,
)
from .measures.decisions.recalls import (
    balanced_accuracy_score as balanced_accuracy_score,
    g_mean as g_mean,
)
from .measures.metrics_table import (
    MetricEntry as MetricEntry,
    MetricsTable as MetricsTable,
    metrics_table as metrics_table,
)
from .measures.probabilities.brier import (
    brier_score_loss as brier_score_loss,
    d2_brier_score as d2_brier_score,
)
from .measures.probabilities.hinge import hinge_loss as hinge_loss
from .measures.probabilities.log_loss import (
    d2_log_loss_score as d2_log_loss_score,
    log_loss as log_loss,
)
from .measures.probabilities.top_k import top_k_accuracy_score as top_k_accuracy_score
from .measures.ranking.catalogue import (
    catalogue_coverage as catalogue_coverage,
    catalogue_gini as catalogue_gini,
    intra_list_diversity as intra_list_diversity,
    novelty as novelty,
)
from .measures.ranking.first_items import (
    f1_at_k as f1_at_k,
    hit_rate_at_k as hit_rate_at_k,
    precision_at_k as precision_at_k,
    r_precision as r_precision,
    recall_at_k as recall_at_k,
)
from .measures.ranking.graded import (
    dcg as dcg,
    expected_reciprocal_rank as expected_reciprocal_rank,
    ndcg as ndcg,
)
from .measures.ranking.group_auc import (
    GroupAUC as GroupAUC,
    group_auc as group_auc,
)
from .measures.ranking.label_rankings import (
    coverage_error as coverage_error,
    dcg_score as dcg_score,
    label_ranking_average_precision_score as label_ranking_average_precision_score,
    label_ranking_loss as label_ranking_loss,
    ndcg_score as ndcg_score,
)
from .measures.ranking.positions import (
    bpref as bpref,
    mean_average_precision as mean_average_precision,
    mean_reciprocal_rank as mean_reciprocal_rank,
    rank_biased_precision as rank_biased_precision,
)
from .measures.regression.deviances import (
    mean_gamma_deviance as mean_gamma_deviance,
    mean_poisson_deviance as mean_poisson_deviance,
    mean_tweedie_deviance as mean_tweedie_deviance,
)
from .measures.regression.errors import (
    max_error as max_error,
    mean_absolute_error as mean_absolute_error,
    mean_absolute_percentage_error as mean_absolute_percentage_error,
    mean_pinball_loss as mean_pinball_loss,
    mean_squared_error as mean_squared_error,
    mean_squared_log_error as mean_squared_log_error,
    median_absolute_error as median_absolute_error,
    root_mean_squared_error as root_mean_squared_error,
    root_mean_squared_log_error as root_mean_squared_log_error,
)
from .measures.regression.regression_measures import (
    RegressionMeasures as RegressionMeasures,
    regression_measures as regression_measures,
)
from .measures.regression.scores import (
    d2_absolute_error_score as d2_absolute_error_score,
    d2_pinball_score as d2_pinball_score,
    d2_tweedie_score as d2_tweedie_score,
    explained_variance_score as explained_variance_score,
    r2_score as r2_score,
)
from .selection.bias_variance.bias_variance import (
    BiasVariance as BiasVariance,
    bias_variance as bias_variance,
)
from .selection.bias_variance.error_curves import (
    LearningCurve as LearningCurve,
    ValidationCurve as ValidationCurve,
)
from .selection.bias_variance.estimator_bias_variance import (
    BiasVarianceCurve as BiasVarianceCurve,
    bias_variance_curve as bias_variance_curve,
    estimator_bias_variance as estimator_bias_variance,
)
from .selection.bias_variance.estimator_curves import (
    estimator_learning_curve as estimator_learning_curve,
    estimator_validation_curve as estimator_validation_curve,
)
from .selection.estimates.estimator_evaluation import (
    EstimatorEvaluation as EstimatorEvaluation,
    MetricEstimate as MetricEstimate,
)
from .selection.estimates.evaluate_estimator import evaluate_estimator as evaluate_estimator
from .selection.estimates.point632 import (
    Bootstrap632 as Bootstrap632,
    bootstrap632 as bootstrap632,
    err632 as err632,
    err632_plus as err632_plus,
)
from .selection.estimates.row_losses import no_information_error as no_information_error
from .selection.estimates.scorer import scorer as scorer
from .selection.splitters.draws import (
    BootstrapOutOfBag as BootstrapOutOfBag,
    HoldOut as HoldOut,
)
from .selection.splitters.folds import (
    FiveByTwo as FiveByTwo,
    Folds as Folds,
    LeaveOneOut as LeaveOneOut,
)
from .selection.splitters.grouped_folds import GroupedFolds as GroupedFolds
from .selection.tuning.grid import parameter_range as parameter_range
from .selection.tuning.tuning import (
    nested_cross_validation as nested_cross_validation,
    tune_estimator as tune_estimator,
)
from .selection.tuning.tuning_result import (
    NestedCrossValidation as NestedCrossValidation,
    TuningResult as TuningResult,
)
from .tables.binned.bin_layout import BinLayout as BinLayout
from .tables.binned.binned_score_table import BinnedScoreTable as BinnedScoreTable
from .tables.binned.bracket import Bracket as Bracket, ThresholdBrackets as ThresholdBrackets
from .tables.binned.decayed_table import DecayedBinnedScoreTable as DecayedBinnedScoreTable
from .tables.binned.group_brackets import GroupAUCBrackets as GroupAUCBrackets
from .tables.binned.grouped_table import GroupedBinnedScoreTable as GroupedBinnedScoreTable
from .tables.binned.score_ranges import ScoreRanges as ScoreRanges
from .tables.binned.windowed_table import WindowedBinnedScoreTable as WindowedBinnedScoreTable
from .tables.confusion.confusion_matrix import ConfusionMatrix as ConfusionMatrix
from .tables.confusion.confusion_stack import ConfusionMatrixStack as ConfusionMatrixStack
from .tables.confusion.decayed_matrix import DecayedConfusionMatrix as DecayedConfusionMatrix
from .tables.confusion.windowed_matrix import WindowedConfusionMatrix as WindowedConfusionMatrix
from .tables.ranking.ranking_table import RankingTable as RankingTable
from .tables.regression.regression_table import RegressionTable as RegressionTable
from .tables.runs.score_runs import ScoreRuns as ScoreRuns
from .tables.scores.score_table import ScoreTable as ScoreTable

__version__: str
__all__: list[str]
