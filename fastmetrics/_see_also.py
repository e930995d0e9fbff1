"""Which public names belong together: what "See Also" of their docstrings names."""

from __future__ import annotations

import inspect
import re
import textwrap
from functools import cache
from typing import Final

#: A line a family, each name with its public module; a name may stand in several.
FAMILIES: Final = """
roc_auc_score rank_loss gini_coefficient pr_auc average_precision_score partial_auc delong \
estimate
gini_coefficient concordance.somers_d costs.lorenz_gini rank_loss costs.h_measure
roc_curve det_curve precision_recall_curve roc_band costs.roc_convex_hull plots.plot_roc \
dominance
auc roc_curve precision_recall_curve roc_auc_score pr_auc
precision_recall_curve average_precision_score pr_auc pr_band break_even_point plots.plot_pr
pr_auc costs.precision_recall_gain_curve results.PrecisionRecallGain
det_curve plots.plot_det
roc_band results.RocBand pr_band results.PrBand
break_even_point results.BreakEvenPoint best_threshold
ks_statistic results.KolmogorovSmirnov youden_j best_threshold
dominance results.Dominance costs.compare_cost_curves
best_threshold results.BestThreshold predict_at_threshold metric_at_thresholds \
costs.threshold_costs costs.OperatingPoint guaranteed_threshold
guaranteed_threshold results.GuaranteedThreshold best_threshold predict_at_threshold \
costs.threshold_cost_interval
metric_at_thresholds confusion_matrix_at_thresholds plots.plot_thresholds
predict_at_threshold costs.cost_sensitive_predict
delong delong_test delong_unpaired_test estimate compare
estimate results.Estimate results.Estimates results.ConfidenceInterval compare evaluate \
bootstrap metrics_table
compare results.Comparison results.Comparisons results.Pair results.RankPair paired_bootstrap \
paired_permutation_test delong_test
doctor results.Diagnosis results.Finding evaluate
report results.Report evaluate doctor
show_versions report
evaluate_log evaluation_log read_evaluation_log results.EvaluationLog results.RepeatVariance \
results.TaskEvaluation compare
concordance.subgroup_auc evaluate find_slices results.Slices
find_slices results.FoundSlices results.FoundSlice evaluate
plots.plot_residuals regression_measures evaluate
gate results.Gate results.GateRule assert_not_worse pack compare
assert_not_worse gate
pack gate
evaluate results.Evaluation results.TaskEvaluation results.ModelEvaluation results.Slices \
results.SliceEstimate results.SliceDifference results.EvaluationBootstrap results.MetricEstimate \
estimate compare
bootstrap multiclass_bootstrap paired_bootstrap results.Replicates \
comparison.effective_sample_size
metrics_table results.MetricsTable results.MetricEntry register_metric scorer count_measure
accuracy_score balanced_accuracy_score zero_one_loss matthews_corrcoef cohen_kappa_score g_mean
precision_score recall_score f1_score fbeta_score precision_recall_fscore_support jaccard_score
recall_score specificity_score false_positive_rate false_negative_rate negative_predictive_value
specificity_score recall_score balanced_accuracy_score youden_j g_mean
class_likelihood_ratios recall_score specificity_score
f1_score macro_micro classification_report classification_measures \
results.ClassificationMeasures
precision_score negative_predictive_value costs.prevalence_adjusted_precision macro_micro
confusion_matrix multilabel_confusion_matrix ConfusionMatrix confusion_matrix_at_thresholds
hamming_loss zero_one_loss accuracy_score jaccard_score
count_measure ConfusionMatrix classification_measures
log_loss brier_score_loss d2_log_loss_score d2_brier_score hinge_loss \
calibration.score_decomposition
brier_score_loss calibration.score_decomposition calibration.reliability_diagram \
costs.brier_curve concordance.survival_brier_score
top_k_accuracy_score accuracy_score ranking.hit_rate_at_k
mean_squared_error root_mean_squared_error mean_absolute_error median_absolute_error max_error \
r2_score
r2_score explained_variance_score d2_absolute_error_score d2_pinball_score d2_tweedie_score
mean_squared_log_error root_mean_squared_log_error mean_squared_error
mean_absolute_percentage_error mean_absolute_error median_absolute_error
mean_pinball_loss d2_pinball_score mean_absolute_error d2_absolute_error_score
mean_tweedie_deviance mean_poisson_deviance mean_gamma_deviance d2_tweedie_score
regression_measures results.RegressionMeasures RegressionTable mean_squared_error
ScoreTable ConfusionMatrix RegressionTable RankingTable streams.BinnedScoreTable
RankingTable ranking.evaluate_rankings io.read_trec
calibration_curve calibration.reliability_diagram results.ReliabilityDiagram \
calibration.reliability_band calibration.calibration_summary
calibration.reliability_band results.ReliabilityBand calibration.calibration_error_interval
calibration.expected_calibration_error calibration.maximum_calibration_error \
calibration.root_mean_square_calibration_error calibration.adaptive_calibration_error \
calibration.calibration_error_interval
calibration.calibration_summary results.CalibrationSummary calibration.logistic_calibration \
calibration.calibration_test
calibration.calibration_test results.CalibrationTest calibration.hosmer_lemeshow_test \
calibration.spiegelhalter_test results.GoodnessOfFitTest
calibration.isotonic_fit results.IsotonicFit calibration.reliability_diagram \
calibration.logistic_calibration results.LogisticCalibration
calibration.score_decomposition results.ScoreDecomposition calibration.miscalibration \
calibration.discrimination
costs.cost_curve results.CostCurve costs.compare_cost_curves results.CostComparison \
results.CostWinner results.CostInterval costs.brier_curve
costs.brier_curve results.BrierCurve costs.h_measure costs.threshold_costs
costs.roc_convex_hull results.RocConvexHull costs.roc_hull_auc costs.cost_curve \
costs.OperatingPoint
costs.decision_curve results.DecisionCurve costs.net_benefit costs.threshold_costs
costs.threshold_costs results.ThresholdCosts costs.threshold_cost_interval \
results.ThresholdCostInterval costs.expected_cost
costs.expected_cost costs.expected_total_cost costs.total_cost costs.normalized_cost \
costs.cost_sensitive_error
costs.cost_sensitive_accuracy costs.cost_sensitive_error costs.cost_sensitive_predict \
costs.total_cost
costs.gains_curve results.GainsCurve costs.cumulative_gain costs.lift_score costs.lorenz_curve
costs.lorenz_curve results.LorenzCurve costs.lorenz_gini gini_coefficient
concordance.concordance_index concordance.royston_d concordance.somers_d \
concordance.cumulative_dynamic_auc rank_loss
concordance.kendall_tau concordance.kendall_test concordance.goodman_kruskal_gamma \
concordance.spearman_rho concordance.somers_d
concordance.cumulative_dynamic_auc concordance.survival_brier_score results.TimeDependentMeasure \
concordance.concordance_index
comparison.mcnemar_test comparison.cochran_q_test \
comparison.paired_proportion_difference_interval comparison.sample_size_paired_accuracy
comparison.binomial_test comparison.binomial_likelihood comparison.proportion_interval \
results.ComparisonTest
comparison.proportion_interval comparison.proportion_difference_interval \
comparison.paired_proportion_difference_interval
comparison.newcombe_interval delong comparison.proportion_interval
comparison.sample_size_paired_accuracy comparison.power_paired_accuracy results.SampleSize
comparison.sample_size_paired_auc comparison.power_paired_auc results.SampleSize delong_test
comparison.friedman_test results.FriedmanTest comparison.nemenyi_test \
comparison.bonferroni_dunn_test results.PostHocTest comparison.compare_table
comparison.nemenyi_test results.CriticalDifferenceDiagram
comparison.friedman_test results.FriedmanSegments
comparison.wilcoxon_signed_rank_test comparison.sign_flip_test \
comparison.bayesian_signed_rank_test results.BayesianSignedRankTest
comparison.bayesian_count_test results.BayesianCountTest comparison.mcnemar_test compare \
comparison.bayesian_correlated_t_test
comparison.kfold_paired_t_test comparison.five_by_two_cv_test comparison.one_sample_t_test \
comparison.bayesian_correlated_t_test results.BayesianCorrelatedTTest
comparison.equivalence_test comparison.non_inferiority_test compare results.ComparisonTest
comparison.adjust_pvalues comparison.compare_table results.TableComparison compare
selection.compare_estimators selection.evaluate_estimator comparison.five_by_two_cv_test \
comparison.kfold_paired_t_test
comparison.compare_timings comparison.read_timings results.TimingRun results.TimingComparison \
results.TimingRatio results.PooledRatio
selection.Folds selection.GroupedFolds selection.LeaveOneOut selection.FiveByTwo \
selection.HoldOut selection.BootstrapOutOfBag
selection.evaluate_estimator results.EstimatorEvaluation selection.nested_cross_validation \
selection.compare_estimators selection.tune_estimator
selection.nested_cross_validation results.NestedCrossValidation selection.tune_estimator \
results.TuningResult selection.parameter_range
selection.bootstrap632 results.Bootstrap632 selection.err632 selection.err632_plus \
selection.no_information_error selection.BootstrapOutOfBag
selection.estimator_learning_curve results.LearningCurve selection.estimator_validation_curve \
results.ValidationCurve
selection.bias_variance results.BiasVariance selection.bias_variance_curve \
results.BiasVarianceCurve selection.estimator_bias_variance
ranking.ndcg ndcg_score ranking.dcg dcg_score ranking.expected_reciprocal_rank \
ranking.rank_biased_precision
ranking.mean_average_precision ranking.mean_reciprocal_rank ranking.bpref ranking.r_precision
ranking.precision_at_k ranking.recall_at_k ranking.f1_at_k ranking.hit_rate_at_k \
ranking.r_precision
ranking.group_auc results.GroupAUC roc_auc_score ranking.evaluate_rankings
ranking.evaluate_rankings results.RankingEvaluation io.read_trec ranking.mean_average_precision \
ranking.ndcg
ranking.catalogue_coverage ranking.catalogue_gini ranking.novelty ranking.intra_list_diversity
coverage_error label_ranking_average_precision_score label_ranking_loss ndcg_score
streams.BinnedScoreTable streams.BinLayout streams.GroupedBinnedScoreTable \
streams.WindowedBinnedScoreTable streams.DecayedBinnedScoreTable streams.ScoreRuns
streams.BinnedScoreTable results.Bracket results.ThresholdBrackets results.GroupAUCBrackets
ConfusionMatrix streams.ConfusionMatrixStack streams.WindowedConfusionMatrix \
streams.DecayedConfusionMatrix
streams.ScoreRuns streams.ScoreRanges io.counts_query ScoreTable
plots.plot_roc plots.plot_pr plots.plot_det plots.plot_thresholds
"""
#: How many neighbours are named at most: those of the families that a name heads come first.
MOST: Final = 8
_OWN: Final = re.compile(r"^See Also\n-+\n(?:.+\n?)+", re.MULTILINE)
_AFTER: Final = re.compile(r"^(?:Notes|References|Examples)\n-+\n", re.MULTILINE)


def with_neighbours(text: str | None, name: str) -> str | None:
    """Return a docstring whose "See Also" has the neighbours that it does not describe itself.

    ``name`` says of which object: its name below `fastmetrics`. python -OO has no docstring.
    """
    text = inspect.cleandoc(text or "")
    own = _OWN.search(text)
    heads = [line.partition(" :")[0] for line in own[0].splitlines()] if own else []
    said = {name for head in heads for name in re.findall(r"\w+", head)}
    others = [each for each in neighbours(name) if each.rpartition(".")[2] not in said]
    if not text or not others:
        return text or None
    lines = "\n".join(textwrap.wrap(", ".join(others), 96, break_on_hyphens=False)) + "\n"
    if own:
        return text[: own.end()] + lines + text[own.end() :]
    after = _AFTER.search(text)
    place = after.start() if after else len(text)
    gap = "" if after else "\n\n"
    return f"{text[:place]}{gap}See Also\n--------\n{lines}\n{text[place:]}".rstrip()


def neighbours(name: str) -> list[str]:
    """Return the names that belong with this one, the nearest first."""
    mine = sorted((each for each in _families() if name in each), key=lambda each: each[0] != name)
    found = dict.fromkeys(other for family in mine for other in family if other != name)
    return list(found)[:MOST]


@cache
def _families() -> list[list[str]]:
    return [line.split() for line in FAMILIES.replace("\\\n", "").splitlines()]
