"""What `evaluate` says of one model: by the table of its scores, or by a summary of ranges."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fastmetrics._input.models import NamedScores
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._input.weights import as_given
from fastmetrics._results import ConfidenceInterval, Result, plain_fields
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference._sample_sizes import effective_sample_size
from fastmetrics.inference.costs.threshold_cost import ThresholdCostInterval
from fastmetrics.inference.estimate import estimate
from fastmetrics.inference.estimate_result import Estimate, Estimates, Pair
from fastmetrics.inference.guarantees.guaranteed_threshold import (
    GuaranteedThreshold,
    guaranteed_threshold,
)
from fastmetrics.inference.range_summary import (
    LOSSES,
    Corner,
    RangeSummary,
    are_fractions,
    average_precision_of,
)
from fastmetrics.inference.reference import NOWHERE
from fastmetrics.inference.table_estimates import of_summary
from fastmetrics.measures.asking import ask
from fastmetrics.measures.calibration.score_decomposition import (
    ScoreDecomposition,
    decomposition_of_table,
)
from fastmetrics.measures.curves.best_threshold import best_threshold
from fastmetrics.measures.curves.break_even import break_even_at, break_even_point
from fastmetrics.measures.curves.kolmogorov_smirnov import ks_at, ks_statistic
from fastmetrics.measures.curves.precision_recall import average_precision_score
from fastmetrics.measures.curves.roc_auc import roc_auc_score
from fastmetrics.tables.score_table import ScoreTable

#: Fields of a bootstrap result that are its own; the rest are those of the whole bootstrap.
_OF_ONE_MEASURE = ("estimate", "confidence_interval", "method", "standard_error")
#: Examples of the smaller class below which coverage hangs on what nobody knows.
_FEW: Final = 30
_NAN: Final = math.nan
#: What an evaluation measures by how far each row moves it: these have intervals as they are.
SMOOTH: Final = ("roc_auc", "average_precision")
#: What has limits of rows in memory, or of their table: KS, the largest of many gaps, too.
LIMITED: Final = (*SMOOTH, "ks_statistic")


@dataclass(frozen=True, slots=True, repr=False)
class ModelEvaluation(Result):
    """The measures of one model.

    Attributes
    ----------
    name : str
        Of the model.
    n_positive, n_negative : int or float
        Examples (or their weight) of each class.
    roc_auc : float
        Area under the ROC curve.
    confidence_interval : ConfidenceInterval
        For `roc_auc`: the bootstrap's if there was one, else as `evaluate` says; nan where a class
        is missing.
    interval_method : str
        Which interval that is; empty where there is none.
    standard_error : float
        Of `roc_auc`: the bootstrap's if there was one, else as `estimate` has it; nan where a class
        is missing.
    average_precision : float
        Area under the P-R curve by steps; a tie is one step.
    break_even_point : float
        Where precision equals recall.
    ks_statistic : float
        Largest distance between the score distributions of the two classes.
    threshold : int or float
        The threshold of the largest TPR - FPR (Youden); positive means score >= threshold.
    true_positive_rate, false_positive_rate : float
        At `threshold`.
    note : str
        What a reader of the figures must know; usually empty.
    estimates : Estimates or None
        By measure: estimate, error and interval by the influences of rows; None where a bootstrap
        made the intervals, or a class is missing.
    bootstrap : Estimates or None
        By measure: estimate, interval, standard error, replicates.
    costs : ThresholdCostInterval or None
        The cheapest threshold and what it costs, where prices were given; its intervals are nan
        where rows are grouped.
    guarantees : tuple of GuaranteedThreshold
        The threshold that keeps each promise that was asked for.
    """

    name: str
    n_positive: int | float
    n_negative: int | float
    roc_auc: float = _NAN
    confidence_interval: ConfidenceInterval = NOWHERE
    interval_method: str = ""
    standard_error: float = _NAN
    average_precision: float = _NAN
    break_even_point: float = _NAN
    ks_statistic: float = _NAN
    threshold: int | float = _NAN
    true_positive_rate: float = _NAN
    false_positive_rate: float = _NAN
    note: str = ""
    estimates: Estimates | None = field(default=None, hash=False)
    bootstrap: Estimates | None = None
    costs: ThresholdCostInterval | None = None
    guarantees: tuple[GuaranteedThreshold, ...] = ()

    @property
    def estimate(self) -> float:
        """The AUC, by the name that every result with an interval has."""
        return self.roc_auc

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Of the bootstrap, each measure's figures without the replicates; nothing if there
            was none, nothing of costs without prices, and of guarantees where none was asked.
        """
        plain = Result.to_dict(self)
        if self.costs is None:
            plain.pop("costs")
        if not self.guarantees:
            plain.pop("guarantees")
        for name in ("estimates", "bootstrap"):
            found = plain.pop(name) and getattr(self, name)
            if found is not None:
                plain[name] = {
                    metric: plain_of(one, _OF_ONE_MEASURE) for metric, one in found.items()
                }
        return plain


def figures_of(model: ModelEvaluation | Estimates) -> Mapping[str, Estimate]:
    """Return the estimates of the bootstrap where there was one, else those by influences."""
    return model if isinstance(model, Estimates) else model.bootstrap or model.estimates or {}


def plain_of(one: Estimate | Pair, names: tuple[str, ...]) -> dict[str, Any]:
    """Return an estimate or a difference; of a bootstrap without its replicates."""
    if one.details is None:
        return plain_fields(one, (*names, "df"))
    return plain_fields(one, (*names, "note")) | plain_fields(one.details, ("bias", "n_failed"))


def evaluate_model(
    model: NamedScores,
    y_true: Any,
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
    confidence_level: float | None = None,
    promises: Sequence[Mapping[str, Any]] = (),
    parts: dict[str, ScoreDecomposition] | None = None,
    table: ScoreTable | None = None,
    limited: Sequence[str] = LIMITED,
) -> ModelEvaluation:
    """Evaluate one model, with intervals if there is a confidence level; see `evaluate`.

    ``limited`` are those that the table gives, as it does where rows stand for themselves.
    ``parts`` takes the decomposition of its Brier score. ``table`` is that of the scores, of rows
    without weights, where it exists.
    """
    rows = {"sample_weight": sample_weight, "weights_are": weights_are, "pos_label": pos_label}
    if table is None:
        table, note = table_of(y_true, model.values, **rows)
    else:
        note = _note_of_size(table.n_positive, table.n_negative)
    found = _measured(model.name, table, confidence_level, note, limited)
    if parts is not None:
        parts[model.name] = decomposition_of_table(table, "brier_score")
    if not promises or math.isnan(found.roc_auc):
        return found
    return replace(
        found, guarantees=tuple(guaranteed_threshold(table, **each) for each in promises)
    )


def has_losses(table: ScoreTable | RangeSummary) -> bool:
    """Return whether rows of both classes have scores that may be probabilities."""
    if not (table.n_positive and table.n_negative):
        return False
    if isinstance(table, RangeSummary):
        return set(table.measures) >= {*LOSSES}
    is_inner = any(0.0 < score < 1.0 for score in table.scores[:2])
    return is_inner and are_fractions(table) and not table.is_weighted


def evaluate_table(
    name: str, table: ScoreTable | RangeSummary, confidence_level: float, with_losses: bool
) -> ModelEvaluation:
    """Evaluate one model by its table, or by a summary; fractional weights have no interval."""
    if isinstance(table, RangeSummary):
        return evaluation_of(table, name, confidence_level, with_losses)
    if table.is_weighted:
        note = "sums of weights, which do not tell how many rows there were: no interval"
        return _measured(name, table, None, note)
    note = _note_of_size(table.n_positive, table.n_negative)
    limited = (*LIMITED, *LOSSES) if with_losses else LIMITED
    return _measured(name, table, confidence_level, note, limited)


def evaluation_of(
    summary: RangeSummary, name: str, level: float, with_losses: bool = True
) -> ModelEvaluation:
    """Return what `evaluate` says of the rows of a summary, once all ranges are in.

    That of all rows in memory: counts and what is made of them the same to the bit, the average
    precision without any rounding but that of its terms, standard errors but for roundings.

    Raises
    ------
    ValueError
        If ranges are missing, or were added twice.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present, or there is no break-even point.
    """
    summary.check_whole()
    m, n = summary.n_positive, summary.n_negative
    if not (m and n):
        return _undefined(name, m, n)
    if summary.highest is None or summary.lowest is None or summary.balance is None:
        raise InputError("ranges of scores are missing")
    gap = max(
        summary.highest,
        summary.lowest,
        key=lambda corner: (abs(summary.gap_at(corner)), corner.threshold),
    )
    best = summary.highest if summary.gap_at(summary.highest) > 0 else Corner(math.inf, 0, 0)
    model = ModelEvaluation(
        name,
        m,
        n,
        roc_auc=summary.pairs.auc,
        average_precision=average_precision_of(summary),
        break_even_point=break_even_at(summary.balance).value,
        ks_statistic=ks_at(*gap, m, n).statistic,
        threshold=best.threshold,
        true_positive_rate=best.tp / m,
        false_positive_rate=best.fp / n,
        note=_note_of_size(m, n),
    )
    with said_in_notes():
        names = summary.measures if with_losses else SMOOTH
        found = {one.label: of_summary(one, summary, level) for one in ask(list(names))}
    return with_estimates(model, found)


def table_of(
    y_true: Any, y_score: Any, *, sample_weight: Any, weights_are: WeightsAre | None, pos_label: Any
) -> tuple[ScoreTable, str]:
    """Return the table of a model's scores, and a note where the smaller class is small."""
    rows = check_binary(
        y_true,
        y_score,
        sample_weight=sample_weight,
        # What importances are worth matters to intervals alone: whole ones are summed exactly.
        weights_are="frequencies" if weights_are == "frequencies" else None,
        pos_label=pos_label,
    )
    table = ScoreTable.from_rows(rows)
    positive, negative = table.n_positive, table.n_negative
    if weights_are == "importances" and rows.weights is not None:
        of_classes = (rows.weights[rows.labels == label] for label in (1, 0))
        # how many of equal weight tell as much
        positive, negative = (effective_sample_size(w) if w.any() else 0.0 for w in of_classes)
    return table, _note_of_size(positive, negative, weights_are)


def _measured(
    name: str,
    table: ScoreTable,
    confidence_level: float | None,
    note: str,
    limited: Sequence[str] = LIMITED,
) -> ModelEvaluation:
    n_positive, n_negative = (
        as_given(n, table.weight_exponent) for n in (table.n_positive, table.n_negative)
    )
    if not (n_positive > 0 and n_negative > 0):
        return _undefined(name, n_positive, n_negative)
    largest = ks_statistic(table)
    # Where the largest |TPR - FPR| is a positive one, its threshold is Youden's.
    best = largest if largest.sign > 0 else best_threshold(table, criterion="youden")
    model = ModelEvaluation(
        name,
        n_positive,
        n_negative,
        roc_auc=float(roc_auc_score(table)),
        average_precision=float(average_precision_score(table)),
        break_even_point=break_even_point(table).value,
        ks_statistic=largest.statistic,
        threshold=best.threshold,
        true_positive_rate=best.true_positive_rate,
        false_positive_rate=best.false_positive_rate,
        note=note,
    )
    if confidence_level is None:
        return model
    with said_in_notes():
        found = estimate(table, metrics=list(limited), confidence_level=confidence_level)
    return with_estimates(model, found)


def with_estimates(model: ModelEvaluation, found: Mapping[str, Estimate]) -> ModelEvaluation:
    """Return the evaluation with more of the errors and intervals that need no bootstrap."""
    notes = filter(None, [model.note, *(each.note for each in found.values())])
    both = {**(model.estimates or {}), **found}
    estimates = {name: both[name] for name in dict.fromkeys([*LIMITED, *both]) if name in both}
    model = replace(model, estimates=Estimates(estimates), note="; ".join(notes))
    if "roc_auc" not in found:
        return model
    auc = found["roc_auc"]
    return replace(
        model,
        confidence_interval=auc.confidence_interval,
        interval_method=auc.method,
        standard_error=auc.standard_error,
    )


@contextmanager
def said_in_notes(names: str = r"\w+") -> Iterator[None]:
    """Leave out warnings of what has no interval: notes of the estimates say so."""
    with warnings.catch_warnings():
        for kind in (DegenerateDataWarning, UndefinedMetricWarning):
            warnings.filterwarnings("ignore", f"`{names}` is|the difference in", kind)
        yield


def _undefined(name: str, n_positive: float, n_negative: float) -> ModelEvaluation:
    """Return the evaluation of rows of one class, or of none, and warn of it."""
    missing = "positive" if not n_positive > 0 else "negative"
    found = f"one class only: no {missing} example" if n_positive or n_negative else "no rows"
    note = f"{found}, so what needs both classes is undefined"
    warn_user(f"model {name!r}: {note}", UndefinedMetricWarning)
    return ModelEvaluation(name, n_positive, n_negative, note=note)


def _note_of_size(
    n_positive: float, n_negative: float, weights_are: WeightsAre | None = None
) -> str:
    """Return that the smaller class is small, if it is."""
    size = min(n_positive, n_negative)
    if size >= _FEW:
        return ""
    name = "positive" if n_positive == size else "negative"
    examples = f"{name} example" + ("s" if size > 1 else "")
    said = f"only {size:.0f} {examples}"
    if weights_are == "importances":
        said = f"the {name} examples are worth {size:.3g} of equal weight"
    return f"{said}: below about {_FEW} no interval is sure"
