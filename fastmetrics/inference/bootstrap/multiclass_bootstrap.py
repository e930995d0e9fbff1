"""``multiclass_bootstrap``: intervals of the AUC of more than two classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels, in_class_order
from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_choice,
    check_same_length,
    check_weights_are,
)
from fastmetrics.errors import InputError
from fastmetrics.inference.bootstrap._draws import Draws, Resampling
from fastmetrics.inference.bootstrap._engine import WEIGH, Engine, Failures
from fastmetrics.inference.bootstrap._forms import Rows, ScoredRows
from fastmetrics.inference.bootstrap._parse import Given, as_drawn, drawn
from fastmetrics.inference.bootstrap._plans import RESAMPLED, SUMS, Planned
from fastmetrics.inference.bootstrap._rows import inverse_of, order_of, rows_of_arrays, taken
from fastmetrics.inference.bootstrap._threshold_plans import THRESHOLD_PLANS, ThresholdPlan
from fastmetrics.inference.bootstrap.bootstrap import Options, checked_options, result_of
from fastmetrics.inference.estimate_result import Estimates
from fastmetrics.inference.units import warn_of_rare_classes
from fastmetrics.measures import asking
from fastmetrics.measures._measure import Measure
from fastmetrics.measures.curves.roc_multiclass import class_codes, class_scores

Floats = NDArray[np.float64]
MulticlassMetric = Literal[
    "roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted"
]


@documented(RESAMPLED)
def multiclass_bootstrap(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metrics: MulticlassMetric | Sequence[MulticlassMetric] = "roc_auc_ovr",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    method: Literal["percentile", "basic"] = "percentile",
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    resampling: Resampling = "multinomial",
    alternative: Alternative = "two-sided",
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> Estimates:
    """Compute bootstrap intervals of macro and weighted AUCs of several classes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class labels.
    y_score : array-like of shape (n_samples, n_classes)
        Probabilities that add up to 1, one column for each class in sorted order.
    metrics : str or sequence of str, default="roc_auc_ovr"
        "roc_auc_ovr" and "roc_auc_ovo" are macro averages over one-vs-rest problems and over pairs
        of classes; "roc_auc_ovr_weighted" and "roc_auc_ovo_weighted" weigh by the number of rows.
        Values are those of `roc_auc_score`.
    method : {"percentile", "basic"}, default="percentile"
        Which interval.

    Returns
    -------
    Estimates
        A frozen mapping from the measure's name to its `Estimate`, with `Replicates` as `details`.

    Raises
    ------
    TypeError, ValueError
        For arguments without meaning; for fewer than three classes, or scores that are no
        probabilities.

    Notes
    -----
    Every binary problem sees the same draws. One-vs-rest costs as much as n_classes models,
    one-vs-one as 2 (n_classes - 1), in each replicate.

    References
    ----------
    Hand & Till (2001), A simple generalisation of the area under the ROC curve for multiple class
    classification problems, Machine Learning 45:171-186.

    Examples
    --------
    >>> y = [0, 1, 2] * 8
    >>> p = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.4, 0.5, 0.1]] * 6
    >>> r = multiclass_bootstrap(y, p, n_resamples=999, rng=1)["roc_auc_ovr"]
    >>> round(r.estimate, 4), r.confidence_interval.low < r.estimate
    (0.5, True)
    """
    check_choice("method", method, ("percentile", "basic"))
    asked = _asked(metrics)
    read = check_weights_are(sample_weight, weights_are)
    given = Given(y_true, y_score, sample_weight, read, groups=groups)
    data = _Classes.checked(given)
    options = checked_options(
        given,
        metrics="mean",
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        method=method,
        alternative=alternative,
        stratified=False,
        resampling=resampling,
        rng=rng,
        progress=progress,
        n_models=max(3 * len(data.problems(measure.arguments)) for _, measure in asked),
    )
    sizes = data.rows.sizes()._replace(n_rows=float(len(data.codes)))
    data.rows.warn_of_sizes()
    names = check_class_labels(y_true).classes.tolist()
    warn_of_rare_classes(names, np.bincount(data.codes, minlength=len(names)).tolist())
    results = {}
    for label, measure in asked:
        estimate = float(measure.value(data.codes, data.scores, sample_weight=data.rows.weights))
        values = _replicates(data, measure.arguments, options)
        results[label] = result_of(
            Planned(label, SUMS["mean"]),  # a mean of AUCs
            estimate,
            values,
            options,
            failures=Failures.of(values, np.isnan(values), remedy=WEIGH),  # of no other reason
            sizes=sizes,
            method=method,
        )
    return Estimates(results)


def _asked(metrics: Any) -> list[tuple[str, Measure]]:
    """Return the label of each measure, with what `roc_auc_score` is called with."""
    found = []
    for one in asking.ask(metrics):
        if one.measure is None or one.measure.resampled != "classes":
            raise InputError(
                f"`metrics` names {one.label!r}, which is no AUC of several classes: it must be "
                "'roc_auc_ovr', 'roc_auc_ovr_weighted', 'roc_auc_ovo' or 'roc_auc_ovo_weighted'"
            )
        found.append((one.label, one.measure))
    return found


class _Classes(NamedTuple):
    """Checked rows of several classes: class and scores of each, and how they are drawn."""

    codes: NDArray[np.int64]
    scores: NDArray[Any]
    rows: Rows

    @classmethod
    def checked(cls, given: Given) -> _Classes:
        """Return the rows in canonical form, or raise as `roc_auc_score` does."""
        scores = class_scores(in_class_order(given.scores, given.y_true), sum_to_1=True)
        if scores.shape[1] < 3:
            raise InputError(
                "`y_score` must have a column for each of three classes or more: got shape "
                f"{scores.shape}; for two classes pass [:, 1] to `bootstrap`"
            )
        codes = class_codes(given.y_true, None, scores.shape[1])
        check_same_length(y_true=codes, y_score=scores)
        groups = given.codes(len(codes))
        weights, groups, chosen = as_drawn(given.weights(len(codes)), groups)
        if chosen is not None:
            codes, scores = codes[chosen], scores[chosen]
        return cls(codes, scores, Rows(**drawn(np.arange(len(codes)), weights, groups)))

    def problems(self, how: Mapping[str, Any]) -> list[tuple[int, int | None]]:
        """Return the binary problems of a measure: a class against another, or all (None)."""
        n_classes = self.scores.shape[1]
        if how["multi_class"] == "ovr":
            return [(k, None) for k in range(n_classes)]
        return [pair for a, b in combinations(range(n_classes), 2) for pair in ((a, b), (b, a))]

    def form(self, positive: int, against: int | None, units: NDArray[np.int32]) -> ScoredRows:
        """Return the binary problem of a class against another (None: against all others)."""
        kept = slice(None) if against is None else np.isin(self.codes, (positive, against))
        labels = (self.codes[kept] == positive).astype(np.int8)
        column = np.ascontiguousarray(self.scores[kept, positive])
        weights = None if self.rows.weights is None else self.rows.weights[kept].astype(np.float64)
        binary = BinaryRows(labels, 0, column, weights, False, False)
        of_rows = units[kept]  # ties stand in the order of the units
        rows, order = rows_of_arrays(binary, of_rows)
        return ScoredRows(
            n_rows=rows.n,
            n_units=self.rows.n_units,
            n=rows.n,
            weights=rows.weights,
            units=taken(of_rows, order),
            rows=rows,
        )

    def units(self) -> NDArray[np.int32]:
        """Return the unit of each row, numbered by what the rows hold, not by where they stand."""
        if self.rows.units is not None:
            return self.rows.units
        order = order_of(self.codes, *self.scores.T, self.rows.weights)
        return inverse_of(order).astype(np.int32, copy=False)


def _replicates(data: _Classes, how: Mapping[str, Any], options: Options) -> Floats:
    """Return the replicates of an AUC of several classes; nan where one lost a class."""
    units = data.units()
    forms = [data.form(a, b, units) for a, b in data.problems(how)]
    parts = (
        THRESHOLD_PLANS["roc_auc"](),
        ThresholdPlan("positives", lambda table: 0.0, lambda part: part.n_positive),
        ThresholdPlan("rows", lambda table: 0.0, lambda part: part.n_positive + part.n_negative),
    )
    draws = Draws(options.key, data.rows.n_units, options.resampling)
    engine = Engine(forms, [Planned(part.name, part) for part in parts], draws)
    found = engine.run(options.n_resamples, progress=options.progress)
    areas, positives, rows = (found.values[:, part] for part in range(3))
    if how["average"] == "macro":
        return np.asarray(areas.mean(axis=0))
    sizes = positives if how["multi_class"] == "ovr" else rows
    return np.asarray((areas * sizes).sum(axis=0) / sizes.sum(axis=0))
