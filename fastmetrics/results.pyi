"""The names of `fastmetrics.results`, read by `_lazy`."""

from ._report.doctor import Diagnosis as Diagnosis, Finding as Finding
from ._report.evaluation_result import (
    Evaluation as Evaluation,
    EvaluationBootstrap as EvaluationBootstrap,
    ModelEvaluation as ModelEvaluation,
)
from ._report.gate import Gate as Gate, GateRule as GateRule
from ._report.report import Report as Report
from ._report.slices import SliceEstimate as SliceEstimate, Slices as Slices
from ._results import ConfidenceInterval as ConfidenceInterval
from .comparison.friedman import FriedmanTest as FriedmanTest
from .comparison.post_hoc import (
    PostHocTest as PostHocTest,
    RankPair as RankPair,
    TableComparison as TableComparison,
)
from .comparison.result import ComparisonTest as ComparisonTest
from .comparison.timings import (
    TimingComparison as TimingComparison,
    TimingRatio as TimingRatio,
    TimingRun as TimingRun,
)
from .inference.bands import PrBand as PrBand, RocBand as RocBand
from .inference.calibration import (
    CalibrationTest as CalibrationTest,
    ReliabilityBand as ReliabilityBand,
)
from .inference.comparison_result import Comparison as Comparison, Comparisons as Comparisons
from .inference.decision_curve import DecisionCurve as DecisionCurve
from .inference.estimate_result import (
    Estimate as Estimate,
    Estimates as Estimates,
    Pair as Pair,
    Replicates as Replicates,
    SampleSize as SampleSize,
)
from .inference.guaranteed_threshold import GuaranteedThreshold as GuaranteedThreshold
from .inference.threshold_cost import ThresholdCostInterval as ThresholdCostInterval
from .metrics.asking import MetricEntry as MetricEntry, MetricsTable as MetricsTable
from .metrics.calibration.calibration_summary import (
    CalibrationSummary as CalibrationSummary,
    GoodnessOfFitTest as GoodnessOfFitTest,
    ScoreDecomposition as ScoreDecomposition,
)
from .metrics.calibration.logistic_calibration import LogisticCalibration as LogisticCalibration
from .metrics.calibration.reliability_diagram import (
    IsotonicFit as IsotonicFit,
    ReliabilityDiagram as ReliabilityDiagram,
)
from .metrics.costs.cost_curve import CostCurve as CostCurve
from .metrics.costs.gains import GainsCurve as GainsCurve, LorenzCurve as LorenzCurve
from .metrics.costs.operating_point import ThresholdCosts as ThresholdCosts
from .metrics.curves.best_threshold import BestThreshold as BestThreshold
from .metrics.curves.dominance import Dominance as Dominance
from .metrics.curves.precision_recall import BreakEvenPoint as BreakEvenPoint
from .metrics.curves.roc import KolmogorovSmirnov as KolmogorovSmirnov
from .metrics.decisions.classification_report import ClassificationMetrics as ClassificationMetrics
from .metrics.ranking.positions import GroupAUC as GroupAUC
from .metrics.regression.regression_metrics import RegressionMetrics as RegressionMetrics
from .selection.decomposition import (
    BiasVariance as BiasVariance,
    BiasVarianceCurve as BiasVarianceCurve,
)
from .selection.estimates import (
    EstimatorEvaluation as EstimatorEvaluation,
    MetricEstimate as MetricEstimate,
)
from .selection.point632 import Bootstrap632 as Bootstrap632
from .selection.tuning import (
    NestedCrossValidation as NestedCrossValidation,
    TuningResult as TuningResult,
)
from .tables.bin_bounds import Bracket as Bracket, ThresholdBrackets as ThresholdBrackets

__all__: list[str]
