"""`evaluate` of scores of two classes by sums over sorted runs of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from fastmetrics._input.rows import model_pairs
from fastmetrics._report.evaluation_result import (
    LIMITED,
    SMOOTH,
    Evaluation,
    ModelEvaluation,
)
from fastmetrics._report.score_evaluation import (
    _doubts,
    _note_of_size,
    _on_calibration,
    _undefined,
    _with_estimates,
    said_in_notes,
)
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate import PairOptions, compare_models
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.measurement import join_models
from fastmetrics.inference.ordered.row_sums import RowSums, RowTotals, ScoredRows
from fastmetrics.inference.range_summary import Lookup
from fastmetrics.inference.threshold_cost import ThresholdCostInterval
from fastmetrics.metrics.asking import ask
from fastmetrics.metrics.curves.precision_recall import break_even_at
from fastmetrics.metrics.registry import LOSSES

#: Compares models by the lookups of their influences.
CompareLookups = Callable[[list[ModelEvaluation], list[Lookup], PairOptions], dict[str, Comparison]]


def evaluate_rows(
    rows: Mapping[str, ScoredRows],
    level: float,
    *,
    are_probabilities: bool,
    n_cells: int = 0,
    compare: CompareLookups | None = None,
) -> Evaluation:
    """Evaluate models of the same rows, of both classes.

    ``compare`` compares several models without groups by lookups of about ``n_cells`` cells.
    """
    models = {
        name: RowSums(each, are_probabilities=are_probabilities) for name, each in rows.items()
    }
    totals = next(iter(rows.values())).totals
    read = totals.weights_are
    names = [*LIMITED, *((*LOSSES, "mean_error") if are_probabilities else ())]
    requests = ask(names)
    by_groups = len(models) > 1 and compare is None
    measured = [sums.measure(requests, n_cells) for sums in models.values()]
    estimates: dict[str, list[Estimate]] = {}
    pairs: dict[str, Comparison] = {}
    chosen = PairOptions(tuple(models), model_pairs([*models]), None, level, "two-sided")
    with said_in_notes():
        for one in requests:
            joined = join_models([each[one.label] for each in measured])
            if one is requests[0]:
                joined.units.warn_small_samples(read)
            if by_groups and one.label in (*SMOOTH, *LOSSES):
                pairs[one.label] = compare_models(one, joined, chosen, read)
                estimates[one.label] = [*pairs[one.label].models]
                continue
            estimates[one.label] = [
                make_estimate(
                    one,
                    joined,
                    k,
                    level,
                    weights_are=read,
                    variance=None if totals.n_groups else joined.row_variances[k],
                )
                for k in range(len(models))
            ]
    results = [
        _evaluate_model(name, sums, {label: each[k] for label, each in estimates.items()})
        for k, (name, sums) in enumerate(models.items())
    ]
    if compare is not None:
        with said_in_notes():
            pairs = compare(results, [sums.lookup for sums in models.values()], chosen)
    notes = _doubts(results, [sums.top for sums in models.values()])
    if are_probabilities:
        losses = [sums.decompose_brier_score() for sums in models.values()]
        notes += _on_calibration(results, estimates["mean_error"], losses)
    comparisons = Comparisons(pairs) if pairs else None
    return Evaluation.from_scores(results, level, read, comparisons, notes=notes)


def with_costs(evaluation: Evaluation, costs: Sequence[ThresholdCostInterval]) -> Evaluation:
    """Return the evaluation with the cheapest threshold of each model."""
    models = [replace(model, costs=each) for model, each in zip(evaluation, costs, strict=True)]
    return replace(evaluation, models={model.name: model for model in models})


def evaluate_one_class(names: list[str], totals: RowTotals, level: float) -> Evaluation:
    """Evaluate models of rows of one class: no metric of both classes is defined."""
    sizes = _class_sizes(totals)
    models = [_undefined(name, *sizes) for name in names]
    return Evaluation.from_scores(models, level, totals.weights_are)


def _class_sizes(totals: RowTotals) -> tuple[float, float]:
    """Return the weights of both classes, whole numbers where all weights are."""
    m, n = totals.sizes
    return (int(m), int(n)) if totals.are_whole else (m, n)


def _evaluate_model(name: str, sums: RowSums, estimates: Mapping[str, Estimate]) -> ModelEvaluation:
    totals = sums.rows.totals
    effective = totals.units(True).class_sizes()
    threshold, tpr, fpr = sums.best
    model = ModelEvaluation(
        name,
        *_class_sizes(totals),
        roc_auc=sums.values["roc_auc"],
        average_precision=sums.values["average_precision"],
        break_even_point=break_even_at(sums.balance).value,
        ks_statistic=sums.gap.statistic,
        threshold=threshold,
        true_positive_rate=tpr,
        false_positive_rate=fpr,
        note=_note_of_size(*effective, totals.weights_are),
    )
    kept = {label: one for label, one in estimates.items() if label != "mean_error"}
    return _with_estimates(model, kept)
