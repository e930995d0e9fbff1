"""Data for the tests of `bootstrap`, and its replicates rebuilt row by row from their draws."""

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from draws import times_drawn
from numpy.typing import NDArray

import fastmetrics as fm

Metric = tuple[Any, Callable[[fm.ScoreTable], float]]

FIELDS = ("value", "threshold", "true_positive_rate", "false_positive_rate", "precision", "recall")
CRITERIA: tuple[dict[str, Any], ...] = (
    {"criterion": "youden"},
    {"criterion": "closest-topleft"},
    {"criterion": "fewest-errors"},
    {"criterion": "fbeta"},
    {"criterion": "precision_at_recall", "at_least": 0.5},
    {"criterion": "precision_at_recall", "at_least": 1.0},
    {"criterion": "recall_at_precision", "at_least": 0.6},
    {"criterion": "recall_at_false_positive_rate", "at_most": 0.0},
    {"criterion": "recall_at_false_positive_rate", "at_most": 0.2},
)


def _best(table: fm.ScoreTable, *, of: str = "value", **parameters: Any) -> float:
    return float(getattr(fm.best_threshold(table, **parameters), of))


def _named(name: str, metric: Callable[..., float], **parameters: Any) -> Metric:
    return (name, parameters), partial(metric, **parameters)


#: Label to what `metrics=` takes, and the public function of a table.
THRESHOLD: dict[str, Metric] = {
    "auc": ("roc_auc", fm.roc_auc_score),
    "max_fpr": _named("roc_auc", fm.roc_auc_score, max_fpr=0.3),
    "max_fpr_1": _named("roc_auc", fm.roc_auc_score, max_fpr=1),
    "rank_loss": ("rank_loss", fm.rank_loss),
    "average_precision": ("average_precision", fm.average_precision_score),
    "ks": ("ks_statistic", lambda table: fm.ks_statistic(table).statistic),
    "break_even": ("break_even_point", lambda table: fm.break_even_point(table).value),
    "recall_at_false_positive_rate": (
        ("recall_at_false_positive_rate", {"false_positive_rate": 0.1}),
        partial(_best, criterion="recall_at_false_positive_rate", at_most=0.1),
    ),
    "precision_at_recall": (
        ("precision_at_recall", {"recall": 0.7}),
        partial(_best, criterion="precision_at_recall", at_least=0.7),
    ),
    "recall_at_precision": (
        ("recall_at_precision", {"precision": 0.5}),
        partial(_best, criterion="recall_at_precision", at_least=0.5),
    ),
    # Equally good F-betas may round apart where beta**2 is no power of two: only values agree.
    "f2": _named("best_threshold", _best, criterion="fbeta", beta=2.0),
    "f03": _named("best_threshold", _best, criterion="fbeta", beta=0.3),
    **{
        f"pr_{way}": _named("pr_auc", fm.pr_auc, interpolation=way)
        for way in ("step", "trapezoid", "continuous")
    },
    **{
        f"partial_{name}_{standard}": _named(
            "partial_auc", fm.partial_auc, **ends, standardized=standard
        )
        for name, ends in {
            "fpr": {"false_positive_rate_range": (0.1, 0.45)},
            "start": {"false_positive_rate_range": (0, 0.2)},
            "tpr": {"true_positive_rate_range": (0.5, 0.95)},
        }.items()
        for standard in (False, True)
    },
    **{
        f"{i}_{of}": _named("best_threshold", _best, **parameters, of=of)
        for i, parameters in enumerate(CRITERIA)
        for of in FIELDS
    },
}
THRESHOLD_METRICS = {label: metric for label, (metric, _) in THRESHOLD.items()}


def value_of(label: str, table: fm.ScoreTable) -> float:
    """Return a threshold metric by its public function; nan where a class is missing."""
    if table.n_positive == 0 or table.n_negative == 0:
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.UndefinedMetricWarning)
        return float(THRESHOLD[label][1](table))


def quiet_bootstrap(*data: Any, **options: Any) -> fm.results.Estimates:
    """Bootstrap small or odd data, whose warnings have tests of their own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.UndefinedMetricWarning)
        warnings.simplefilter("ignore", fm.DegenerateDataWarning)
        return fm.bootstrap(*data, **{"rng": 1, "n_resamples": 40, **options})


def binary(
    n: int, *, seed: int = 0, share: float = 0.4, step: float = 0.0
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return labels of both classes with scores that tell, in steps if they shall tie."""
    rng = np.random.default_rng([n, seed])
    labels = (rng.random(n) < share).astype(np.int64)
    labels[:2] = 0, 1
    scores = labels * 0.8 + rng.normal(size=n)
    return labels, np.round(scores / step) * step if step else scores


def in_order(labels: Any, scores: Any, *less: Any) -> NDArray[np.int64]:
    """Return the rows in the engine's order: by falling score, positives first, then ``less``."""
    return np.lexsort([*reversed(less), labels, scores])[::-1]


def drawn(results: fm.results.Estimates, n_units: int, *, positive: Any = None) -> NDArray[Any]:
    """Return how often each unit came in each replicate; ``positive`` splits units by class."""
    first = next(iter(results.values()))
    return times_drawn(first.details.key, n_units, first.details.n_resamples, positive)


def assert_replicates(got: NDArray[np.float64], wanted: Any, *, rtol: float = 1e-12) -> None:
    """Compare replicates with values computed anew; nan and inf must be in the same places."""
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol)
