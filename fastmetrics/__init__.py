"""fastmetrics: labels and scores turned into numbers one can stand behind.

Public names are resolved on first use (PEP 562): importing fastmetrics loads neither numba nor
scipy nor any data-frame or plotting library.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from fastmetrics._results import ConfidenceInterval as ConfidenceInterval
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
    from fastmetrics.measures.best_threshold import BestThreshold as BestThreshold
    from fastmetrics.measures.best_threshold import best_threshold as best_threshold
    from fastmetrics.measures.break_even import BreakEvenPoint as BreakEvenPoint
    from fastmetrics.measures.break_even import break_even_point as break_even_point
    from fastmetrics.measures.counts import (
        confusion_matrix_at_thresholds as confusion_matrix_at_thresholds,
    )
    from fastmetrics.measures.counts import metric_at_thresholds as metric_at_thresholds
    from fastmetrics.measures.decision import predict_at_threshold as predict_at_threshold
    from fastmetrics.measures.dominance import Dominance as Dominance
    from fastmetrics.measures.dominance import dominance as dominance
    from fastmetrics.measures.kolmogorov_smirnov import KolmogorovSmirnov as KolmogorovSmirnov
    from fastmetrics.measures.kolmogorov_smirnov import ks_statistic as ks_statistic
    from fastmetrics.measures.partial_auc import partial_auc as partial_auc
    from fastmetrics.measures.pr_areas import pr_auc as pr_auc
    from fastmetrics.measures.precision_recall import (
        average_precision_score as average_precision_score,
    )
    from fastmetrics.measures.precision_recall import (
        precision_recall_curve as precision_recall_curve,
    )
    from fastmetrics.measures.roc import auc as auc
    from fastmetrics.measures.roc import det_curve as det_curve
    from fastmetrics.measures.roc import roc_curve as roc_curve
    from fastmetrics.measures.roc_auc import rank_loss as rank_loss
    from fastmetrics.measures.roc_auc import roc_auc_score as roc_auc_score
    from fastmetrics.report.evaluation import evaluate as evaluate
    from fastmetrics.report.evaluation_result import Evaluation as Evaluation
    from fastmetrics.report.evaluation_result import EvaluationBootstrap as EvaluationBootstrap
    from fastmetrics.report.evaluation_result import ModelEvaluation as ModelEvaluation
    from fastmetrics.tables.confusion_matrix import ConfusionMatrix as ConfusionMatrix
    from fastmetrics.tables.score_table import ScoreTable as ScoreTable

_HOMES = {
    "_results": ("ConfidenceInterval",),
    "errors": (
        "DataConversionWarning",
        "DegenerateDataWarning",
        "FileError",
        "UndefinedMetricWarning",
    ),
    "intervals.count_intervals": ("CountMetricInterval", "count_metric_interval"),
    "intervals._metrics": ("register_metric",),
    "intervals.band_results": ("PrBand", "RocBand"),
    "intervals.bands": ("pr_band", "roc_band"),
    "intervals.bootstrap": ("bootstrap",),
    "intervals.bootstrap_result": ("BootstrapResult", "BootstrapResults"),
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
    "measures.best_threshold": ("BestThreshold", "best_threshold"),
    "measures.break_even": ("BreakEvenPoint", "break_even_point"),
    "measures.counts": ("confusion_matrix_at_thresholds", "metric_at_thresholds"),
    "measures.decision": ("predict_at_threshold",),
    "measures.dominance": ("Dominance", "dominance"),
    "measures.kolmogorov_smirnov": ("KolmogorovSmirnov", "ks_statistic"),
    "measures.partial_auc": ("partial_auc",),
    "measures.pr_areas": ("pr_auc",),
    "measures.precision_recall": ("average_precision_score", "precision_recall_curve"),
    "measures.roc": ("auc", "det_curve", "roc_curve"),
    "measures.roc_auc": ("rank_loss", "roc_auc_score"),
    "report.evaluation": ("evaluate",),
    "report.evaluation_result": ("Evaluation", "EvaluationBootstrap", "ModelEvaluation"),
    "tables.confusion_matrix": ("ConfusionMatrix",),
    "tables.score_table": ("ScoreTable",),
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
