"""``multiclass_bootstrap``: intervals of the AUC of more than two classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from fastmetrics._input.scalars import Alternative, check_choice
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.intervals.bootstrap._draws import Draws, Resampling
from fastmetrics.intervals.bootstrap._metrics import Asked
from fastmetrics.intervals.bootstrap._multiclass import (
    MULTICLASS,
    Multiclass,
    multiclass_replicates,
)
from fastmetrics.intervals.bootstrap._run import checked_options
from fastmetrics.intervals.bootstrap._sum_metrics import SUM_METRICS
from fastmetrics.intervals.bootstrap.bootstrap import result_of
from fastmetrics.intervals.bootstrap.bootstrap_result import (
    BootstrapResult,
    BootstrapResults,
)

MulticlassMetric = Literal[
    "roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted"
]


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
    resampling: Resampling = "multinomial",
    alternative: Alternative = "two-sided",
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool = False,
) -> BootstrapResults:
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
    n_resamples, confidence_level, groups, sample_weight, resampling, alternative
        As in `bootstrap`.
    rng, n_threads, progress
        As in `bootstrap`.

    Returns
    -------
    BootstrapResults
        A frozen mapping from the measure's name to its `BootstrapResult`.

    Raises
    ------
    TypeError, ValueError
        For arguments without meaning; for fewer than three classes, or scores that are no
        probabilities.

    Warns
    -----
    UndefinedMetricWarning
        If more than 5 % of the replicates lose a class: these are left out.

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
    >>> y = [0, 1, 2] * 4
    >>> p = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.4, 0.5, 0.1]] * 3
    >>> r = multiclass_bootstrap(y, p, n_resamples=999, rng=1)["roc_auc_ovr"]
    >>> round(r.estimate, 4), r.confidence_interval.low < r.estimate
    (0.5, True)
    """
    check_choice("method", method, ("percentile", "basic"))
    names = _checked_names(metrics)
    data = Multiclass.checked(y_true, y_score, sample_weight, groups)
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
        n_threads=n_threads,
        progress=progress,
        n_models=max(3 * len(data.pairs(name)) for name in names),
    )
    draws = Draws(options.key, data.n_units, options.resampling)
    results: dict[str, BootstrapResult] = {}
    for name in names:
        estimate = data.estimate(name)
        values = multiclass_replicates(
            data,
            name,
            draws,
            options.n_resamples,
            n_threads=options.n_threads,
            progress=options.progress,
        )
        one = Asked(name, SUM_METRICS["mean"])
        results[name] = result_of(one, estimate, values, options, data.size, {}, method)
    return BootstrapResults(results)


def _checked_names(metrics: Any) -> list[str]:
    if isinstance(metrics, str):
        metrics = [metrics]
    if not isinstance(metrics, Sequence):
        raise InputTypeError(
            f"`metrics` must be a name or a sequence of names: got {type(metrics).__name__}"
        )
    if not metrics:
        raise InputError("`metrics` must name at least one measure: got none")
    names = [check_choice("metrics", name, MULTICLASS) for name in metrics]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"`metrics` names {name!r} {names.count(name)} times")
    return names
