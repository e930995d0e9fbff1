"""``multiclass_bootstrap``: intervals of the AUC of more than two classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels, check_groups
from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_choice,
    check_same_length,
    check_weights_are,
)
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError
from fastmetrics.inference._sample_sizes import (
    Sizes,
    effective_groups,
    warn_of_few_groups,
    warn_of_few_rows,
    warn_of_rare_classes,
)
from fastmetrics.inference.bootstrap._draws import Draws, Resampling
from fastmetrics.inference.bootstrap._engine import WEIGH, Engine, Failures
from fastmetrics.inference.bootstrap._forms import ScoredRows
from fastmetrics.inference.bootstrap._orders import inverse_of, order_of, taken
from fastmetrics.inference.bootstrap._plans import RESAMPLED, Options, Planned, checked_options
from fastmetrics.inference.bootstrap._rows import (
    check_rows,
    of_some_weight,
    rows_of_arrays,
)
from fastmetrics.inference.bootstrap._sums import SUMS, SumPlan
from fastmetrics.inference.bootstrap._threshold_plans import THRESHOLD_PLANS, Part, ThresholdPlan
from fastmetrics.inference.bootstrap.bootstrap import result_of
from fastmetrics.inference.bootstrap.effective_size import effective_sample_size
from fastmetrics.inference.estimate_result import Estimates
from fastmetrics.measures import asking
from fastmetrics.measures.curves.roc_multiclass import class_codes, class_probabilities

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

    Warns
    -----
    UndefinedMetricWarning
        If more than 5 % of the replicates lose a class: these are left out, and the interval is
        conditional on every class being there.
    SmallSampleWarning
        If a class has fewer than five rows: the warning names it; if groups, or rows of
        importances, are worth fewer than 30.

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
    data = _Rows.checked(y_true, y_score, sample_weight, read, groups)
    options = checked_options(
        metrics="mean",
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        method=method,
        alternative=alternative,
        stratified=False,
        groups=groups,
        resampling=resampling,
        rng=rng,
        progress=progress,
        weights_are=read,
        n_models=max(3 * len(data.problems(_how(one))) for one in asked),
    )
    warn_of_few_groups(data.sizes.effective_n_groups, data.n_units)
    if read == "importances":
        warn_of_few_rows(data.sizes.effective, len(data.codes))
    names = check_class_labels(y_true).classes.tolist()
    warn_of_rare_classes(names, np.bincount(data.codes, minlength=len(names)).tolist())
    results = {}
    for one in asked:
        estimate = data.estimate(one)
        values = _replicates(data, one, options)
        plan = Planned(one.label, SumPlan(SUMS["mean"]))  # a mean of AUCs
        failures = Failures.of(values, np.isnan(values), remedy=WEIGH)  # of no other reason
        results[one.label] = result_of(
            plan,
            estimate,
            values,
            options,
            failures=failures,
            sizes=data.sizes,
            method=method,
        )
    return Estimates(results)


def _asked(metrics: Any) -> Sequence[asking.Asked]:
    asked = asking.ask(metrics)
    for one in asked:
        if one.measure is None or one.measure.resampled != "classes":
            raise InputError(
                f"`metrics` names {one.label!r}, which is no AUC of several classes: it must be "
                "'roc_auc_ovr', 'roc_auc_ovr_weighted', 'roc_auc_ovo' or 'roc_auc_ovo_weighted'"
            )
    return asked


def _how(one: asking.Asked) -> Mapping[str, Any]:
    """Return what `roc_auc_score` is called with: `multi_class` and `average`."""
    return {} if one.measure is None else one.measure.arguments


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Checked rows of several classes.

    Attributes
    ----------
    codes : ndarray of int64, shape (n,)
        Class of each row.
    scores : ndarray of shape (n, n_classes)
    weights : ndarray of float64 or None
        Weights; frequencies are written out, unless the rows are of groups.
    groups : ndarray of int64 or None
    size : float
        Rows; with importances, the number of equal weights that tell as much.
    """

    codes: NDArray[np.int64]
    scores: NDArray[Any]
    weights: Floats | None
    groups: NDArray[np.int64] | None
    size: float

    @classmethod
    def checked(
        cls, y_true: Any, y_score: Any, sample_weight: Any, read: WeightsAre | None, groups: Any
    ) -> _Rows:
        """Return the rows in canonical form, or raise as `roc_auc_score` does."""
        scores = class_probabilities(y_score)
        if scores.shape[1] < 3:
            raise InputError(
                "`y_score` must have a column for each of three classes or more: got shape "
                f"{scores.shape}; for two classes pass [:, 1] to `bootstrap`"
            )
        codes = class_codes(y_true, None, scores.shape[1])
        check_same_length(y_true=codes, y_score=scores)
        of_groups = None if groups is None else check_groups(groups, len(codes))
        if sample_weight is None:
            return cls(codes, scores, None, of_groups, float(len(codes)))
        weights = check_weights(sample_weight, len(codes), weights_are=read)
        values = weights.values
        if not weights.is_integer:
            return cls(codes, scores, values, of_groups, effective_sample_size(values))
        size = float(values.sum())
        if of_groups is not None:
            kept, of_groups = of_some_weight(values, of_groups)
            return cls(codes[kept], scores[kept], values[kept], of_groups, size)
        check_rows(int(size))
        times = values.astype(np.int64)
        return cls(np.repeat(codes, times), np.repeat(scores, times, axis=0), None, None, size)

    @property
    def sizes(self) -> Sizes:
        """Return rows and groups, and what they are worth in rows and groups of equal weight."""
        if self.groups is None:
            return Sizes(float(len(self.codes)), self.size)
        effective = effective_groups(self.groups, self.weights)
        return Sizes(float(len(self.codes)), self.size, self.n_units, effective)

    def estimate(self, one: asking.Asked) -> float:
        """Return the measure of the data themselves."""
        if one.measure is None:
            raise InputError(f"{one.label!r} is no AUC of several classes")
        return float(one.measure.value(self.codes, self.scores, sample_weight=self.weights))

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
        weights = None if self.weights is None else self.weights[kept]
        binary = BinaryRows(labels, 0, column, weights, False, False)
        of_rows = units[kept]  # ties stand in the order of the units
        rows, order = rows_of_arrays(binary, of_rows)
        return ScoredRows(
            n_rows=rows.n,
            n_units=self.n_units,
            n=rows.n,
            weights=rows.weights,
            units=taken(of_rows, order),
            rows=rows,
        )

    @property
    def n_units(self) -> int:
        """Number of rows or groups."""
        return len(self.codes) if self.groups is None else int(self.groups.max()) + 1

    def units(self) -> NDArray[np.int32]:
        """Return the unit of each row, numbered by what the rows hold, not by where they stand."""
        if self.groups is not None:
            return self.groups.astype(np.int32)
        order = order_of(self.codes, *self.scores.T, self.weights)
        return inverse_of(order).astype(np.int32, copy=False)


def _replicates(data: _Rows, one: asking.Asked, options: Options) -> Floats:
    """Return the replicates of an AUC of several classes; nan where one lost a class."""
    how, units = _how(one), data.units()
    forms = [data.form(a, b, units) for a, b in data.problems(how)]
    parts = (
        THRESHOLD_PLANS["roc_auc"](),
        ThresholdPlan("positives", {}, lambda table: 0.0, _n_positive),
        ThresholdPlan("rows", {}, lambda table: 0.0, _n_rows),
    )
    draws = Draws(options.key, data.n_units, options.resampling)
    engine = Engine(forms, [Planned(part.name, part) for part in parts], draws)
    found = engine.run(options.n_resamples, progress=options.progress)
    areas, positives, rows = (found.values[:, part] for part in range(3))
    if how["average"] == "macro":
        return np.asarray(areas.mean(axis=0))
    sizes = positives if how["multi_class"] == "ovr" else rows
    return np.asarray((areas * sizes).sum(axis=0) / sizes.sum(axis=0))


def _n_positive(part: Part) -> Floats:
    return part.n_positive


def _n_rows(part: Part) -> Floats:
    return part.n_positive + part.n_negative
