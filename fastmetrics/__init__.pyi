"""What `fastmetrics` itself offers; ``fastmetrics.<namespace>`` has the rest. Read by `_lazy`."""

from . import (
    calibration as calibration,
    comparison as comparison,
    concordance as concordance,
    costs as costs,
    io as io,
    plots as plots,
    ranking as ranking,
    results as results,
    selection as selection,
    streams as streams,
)
from ._report.doctor import doctor as doctor, show_versions as show_versions
from ._report.evaluate_log import evaluate_log as evaluate_log
from ._report.evaluation import evaluate as evaluate
from ._report.gate import assert_not_worse as assert_not_worse, gate as gate
from ._report.report import report as report
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
from .inference.bands import pr_band as pr_band, roc_band as roc_band
from .inference.bootstrap.bootstrap import bootstrap as bootstrap
from .inference.bootstrap.paired import (
    paired_bootstrap as paired_bootstrap,
    paired_permutation_test as paired_permutation_test,
)
from .inference.delong import (
    delong as delong,
    delong_test as delong_test,
    delong_unpaired_test as delong_unpaired_test,
)
from .inference.estimate import compare as compare, estimate as estimate
from .inference.guaranteed_threshold import guaranteed_threshold as guaranteed_threshold
from .io.logs import read_evaluation_log as read_evaluation_log
from .metrics.asking import metrics_table as metrics_table, register_metric as register_metric
from .metrics.calibration.reliability_diagram import calibration_curve as calibration_curve
from .metrics.costs.gains import gini_coefficient as gini_coefficient
from .metrics.curves.best_threshold import (
    best_threshold as best_threshold,
    predict_at_threshold as predict_at_threshold,
)
from .metrics.curves.dominance import dominance as dominance
from .metrics.curves.precision_recall import (
    average_precision_score as average_precision_score,
    break_even_point as break_even_point,
    pr_auc as pr_auc,
    precision_recall_curve as precision_recall_curve,
)
from .metrics.curves.roc import (
    auc as auc,
    confusion_matrix_at_thresholds as confusion_matrix_at_thresholds,
    det_curve as det_curve,
    ks_statistic as ks_statistic,
    metric_at_thresholds as metric_at_thresholds,
    roc_curve as roc_curve,
)
from .metrics.curves.roc_auc import (
    partial_auc as partial_auc,
    rank_loss as rank_loss,
    roc_auc_score as roc_auc_score,
)
from .metrics.decisions.accuracy import (
    accuracy_score as accuracy_score,
    balanced_accuracy_score as balanced_accuracy_score,
    cohen_kappa_score as cohen_kappa_score,
    g_mean as g_mean,
    hamming_loss as hamming_loss,
    macro_micro as macro_micro,
    matthews_corrcoef as matthews_corrcoef,
    zero_one_loss as zero_one_loss,
)
from .metrics.decisions.classification_report import (
    classification_metrics as classification_metrics,
    classification_report as classification_report,
    confusion_matrix as confusion_matrix,
    multilabel_confusion_matrix as multilabel_confusion_matrix,
)
from .metrics.decisions.count_metrics import count_metric as count_metric
from .metrics.decisions.precision_recall_f import (
    f1_score as f1_score,
    fbeta_score as fbeta_score,
    jaccard_score as jaccard_score,
    precision_recall_fscore_support as precision_recall_fscore_support,
    precision_score as precision_score,
    recall_score as recall_score,
)
from .metrics.decisions.rates import (
    class_likelihood_ratios as class_likelihood_ratios,
    false_negative_rate as false_negative_rate,
    false_positive_rate as false_positive_rate,
    negative_predictive_value as negative_predictive_value,
    specificity_score as specificity_score,
    youden_j as youden_j,
)
from .metrics.probabilities.losses import (
    brier_score_loss as brier_score_loss,
    d2_brier_score as d2_brier_score,
    d2_log_loss_score as d2_log_loss_score,
    hinge_loss as hinge_loss,
    log_loss as log_loss,
    top_k_accuracy_score as top_k_accuracy_score,
)
from .metrics.ranking.label_rankings import (
    coverage_error as coverage_error,
    dcg_score as dcg_score,
    label_ranking_average_precision_score as label_ranking_average_precision_score,
    label_ranking_loss as label_ranking_loss,
    ndcg_score as ndcg_score,
)
from .metrics.regression.errors import (
    d2_absolute_error_score as d2_absolute_error_score,
    d2_pinball_score as d2_pinball_score,
    d2_tweedie_score as d2_tweedie_score,
    explained_variance_score as explained_variance_score,
    max_error as max_error,
    mean_absolute_error as mean_absolute_error,
    mean_absolute_percentage_error as mean_absolute_percentage_error,
    mean_gamma_deviance as mean_gamma_deviance,
    mean_pinball_loss as mean_pinball_loss,
    mean_poisson_deviance as mean_poisson_deviance,
    mean_squared_error as mean_squared_error,
    mean_squared_log_error as mean_squared_log_error,
    mean_tweedie_deviance as mean_tweedie_deviance,
    median_absolute_error as median_absolute_error,
    r2_score as r2_score,
    root_mean_squared_error as root_mean_squared_error,
    root_mean_squared_log_error as root_mean_squared_log_error,
)
from .metrics.regression.regression_metrics import regression_metrics as regression_metrics
from .selection.scoring import scorer as scorer
from .tables.confusion.confusion_matrix import ConfusionMatrix as ConfusionMatrix
from .tables.ranking import RankingTable as RankingTable
from .tables.regression import RegressionTable as RegressionTable
from .tables.score_table import ScoreTable as ScoreTable

__version__: str
__all__: list[str]
