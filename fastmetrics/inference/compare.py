"""``compare``: any measure of several models on the same rows, every pair with its error."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.rows import MODELS, named_scores, pairs_of
from fastmetrics._input.scalars import Alternative, WeightsAre, check_choice, check_real
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate import RULES, Request
from fastmetrics.inference.estimate_result import Estimate, Pair
from fastmetrics.inference.interval_rule import (
    estimate_of,
    limits_of_no_difference,
    limits_of_unseen,
)
from fastmetrics.inference.range_summary import Pairs, ProductSums
from fastmetrics.inference.reference import ALL, pvalue
from fastmetrics.inference.samples import Measured
from fastmetrics.inference.units import (
    Floats,
    Reference,
    SamplesAre,
    Spread,
    Units,
    without_rounding,
)
from fastmetrics.measures.asking import Asked, MetricsLike

Method = Literal["influence", "bootstrap"]
#: Of a model the units of each stratum, and how far apart their contributions are.
Ranges = Callable[[int], tuple[Floats, Floats]]


@documented(MODELS, RULES)
def compare(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    metrics: MetricsLike,
    names: Sequence[str] | None = None,
    method: Method | None = None,
    reference: str | None = None,
    margin: float | None = None,
    event: ArrayLike | None = None,
    query: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    threshold: float | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> Comparisons:
    """Compare two or more models on the same rows by one or several measures.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, numbers for measures of regression, censored times, or how relevant items are.
    method : {"influence", "bootstrap"}, optional
        How errors are found. None: by the influences of the rows, where the measure is smooth, else
        by the paired bootstrap.
    reference : str, optional
        The model that all others are compared with; every pair by default.
    margin : float, optional
        A loss in the measure's own unit that does not matter: of each pair (a, b) it is tested
        whether a is not worse than b by as much, and whether the two differ by less.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What a pair (a, b) is tested against: that a has another, a lower or a greater value than b.
        Intervals are one-sided too.

    Returns
    -------
    Comparisons
        A frozen mapping from the measure's name to its `Comparison`.

    Notes
    -----
    The influence of a row on a difference is the difference of its influences: one pass gives the
    covariance of all models. Tests are Student's: of means of rows (losses, errors) or of queries
    (rankings) the paired t test; of other measures with the degrees of freedom that the kurtosis of
    influences leaves, 2 (sum c^2)^2 / (sum c^4 - (sum c^2)^2 / m), and with groups the effective
    number of contributions, as in `estimate`; of groups of queries how many of equal size they are
    worth, less 1. Holm's adjustment is for the pairs of one measure. A model is
    `better` where the adjusted p-value is below 1 - `confidence_level`, the interval leaves out 0,
    and rows vary at all; `verdict` says so in words. O(K n log n) time, O(K n) memory.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44:837-845. Holm (1979), Scandinavian Journal
    of Statistics 6:65-70.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> first = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> second = [0.9, 0.2, 0.8, 0.7, 0.75, 0.1, 0.6, 0.3]
    >>> found = compare(y_true, {"first": first, "second": second}, metrics="roc_auc")
    >>> pair = found["roc_auc"]["first", "second"]
    >>> pair.estimate, round(pair.standard_error, 6), pair.better
    (-0.21875, 0.220971, None)
    >>> print(found.verdict)
    It is not shown which of first and second is better in roc_auc (first less second: −0.2188
    [−0.7594, 0.3219]). The smallest difference that these 8 rows could have shown is 0.5407.
    """
    if method is not None:
        check_choice("method", method, get_args(Method))
    if margin is not None:
        margin = check_margin(margin)
    request = Request.checked(
        *(metrics, None, confidence_level, alternative),
        event=event,
        query=query,
        groups=groups,
        strata=strata,
        sample_weight=sample_weight,
        weights_are=weights_are,
        threshold=threshold,
        pos_label=pos_label,
        drawn={"n_resamples": n_resamples, "rng": rng, "progress": progress},
    )
    models = named_scores(scores, names, at_least=2)
    own = tuple(model.name for model in models)
    chosen = Chosen(own, pairs_of(own, reference), margin, request.level, alternative)
    smooth = request.smooth(method)
    comparisons: dict[str, Comparison] = {}
    for one, measured, read in request.measured(smooth, y_true, models):
        comparisons[one.label] = compared(one, measured, chosen, read)
    if len(smooth) < len(request.asked):
        from fastmetrics.inference.bootstrap.paired import paired_bootstrap

        options = request.resampling(smooth, strata=strata, margin=margin)
        comparisons |= paired_bootstrap(y_true, scores, names=names, reference=reference, **options)
    return Comparisons(request.in_order(comparisons))


def check_margin(margin: Any) -> float:
    """Return a loss that does not matter, or raise."""
    loss: float = check_real("margin", margin)
    if not 0.0 <= loss < math.inf:
        raise InputError(f"`margin` is a finite loss, at least 0: got {loss:g}")
    return loss


class Chosen(NamedTuple):
    """What is asked of the pairs of every measure."""

    names: tuple[str, ...]
    pairs: Pairs
    margin: float | None
    level: float
    alternative: Alternative


def compared(
    one: Asked, measured: Measured, chosen: Chosen, weights_are: WeightsAre | None = None
) -> Comparison:
    """Return every pair by the influences that rows have on both models."""
    units = measured.units
    models = tuple(
        estimate_of(one, measured, k, chosen.level, None, "two-sided", weights_are=weights_are)
        for k in range(len(chosen.names))
    )
    reference = reference_of(one, units)
    values, influences = measured.values, measured.influences
    found = [
        units.difference((values[a], values[b]), influences[a], influences[b], reference)
        for a, b in chosen.pairs
    ]
    differences = [(difference, spread) for difference, spread, _ in found]
    covariance = units.covariance(measured.influences)

    def ranges(model: int) -> tuple[Floats, Floats]:
        return units.ranges(measured.influences[model])

    note = _of_few(one, [varied for *_, varied in found if varied])
    note = note or _of_unlike(one, measured, chosen.pairs, differences) or measured.note
    return _comparison(
        *(one, models, differences, covariance, chosen, measured.counts, ranges),
        *(measured.samples_are, note),
    )


def compared_by_sums(
    one: Asked,
    m: int,
    models: Sequence[Estimate],
    sums: ProductSums,
    chosen: Chosen,
    counts: Sequence[Floats | None],
) -> Comparison:
    """Return every pair of models of independent rows, by the sums of the m-th measure."""
    by_class = one.entry.is_by_class(one.parameters)
    reference = reference_of(one, sums.units(by_class))
    differences, varied = [], []
    for p, pair in enumerate(chosen.pairs):
        values = models[pair[0]].estimate, models[pair[1]].estimate
        spread = sums.spread(m, p, pair, values, by_class, reference)
        varied.append(sums.spread(m, p, pair, values, by_class, "kurtosis"))
        difference = without_rounding(values[0] - values[1], max(map(abs, values)), spread)
        differences.append((difference, spread))

    def ranges(model: int) -> tuple[Floats, Floats]:
        return sums.ranges(m, model, by_class)

    covariance = sums.covariance(m, by_class)
    return _comparison(
        *(one, models, differences, covariance, chosen, counts, ranges),
        note=_of_few(one, varied),
    )


def _comparison(
    one: Asked,
    models: Sequence[Estimate],
    differences: Sequence[tuple[float, Spread]],
    covariance: Floats,
    chosen: Chosen,
    counts: Sequence[Floats | None],
    ranges: Ranges,
    samples_are: SamplesAre = "rows",
    note: str = "",
) -> Comparison:
    """Return the comparison of models by the difference of each pair and its spread."""
    found = [
        _pair(one, chosen, pair, *difference, counts[pair[0]], ranges)
        for pair, difference in zip(chosen.pairs, differences, strict=True)
    ]
    return Comparison.of(
        models,
        found,
        one.higher_is_better,
        chosen.level,
        covariance=covariance,
        names=chosen.names,
        margin=chosen.margin,
        alternative=chosen.alternative,
        method="influence",
        samples_are=samples_are,
        note=note,
    )


def _of_few(one: Asked, differences: Iterable[Spread]) -> str:
    """Return what to know where few independent rows carry a difference; usually empty."""
    fewest = min((each.df for each in differences if each.variance > 0.0), default=math.inf)
    if not fewest < one.entry.min_df:
        return ""
    return (
        f"few rows carry the difference in {one.label}, as {fewest:.2g} would: "
        "its limits may cover less than their level"
    )


def _of_unlike(
    one: Asked, measured: Measured, pairs: Pairs, differences: Sequence[tuple[float, Spread]]
) -> str:
    """Return what to know where few rows show that one of two models lacks half of the other's."""
    if (
        one.entry.is_area_of_precision
        and measured.units.n_units < 200
        and measured.units.groups is None
    ):
        for pair, (difference, spread) in zip(pairs, differences, strict=True):
            least, most = sorted(1.0 - measured.values[k] for k in pair)
            if least < most / 2.0 and abs(difference) > 2.0 * spread.standard_error:
                return (
                    f"the models are unlike, on few rows: limits of the difference in {one.label} "
                    "may cover less than their level"
                )
    return ""


def reference_of(one: Asked, units: Units) -> Reference:
    """Return which degrees of freedom the tests of a measure have, as they keep their size.

    Means of rows or queries have those of the paired t test. Other measures lean on few rows,
    positives above all, and groups of unlike sizes on few groups (docs/coverage.md).
    """
    family = "" if one.measure is None else one.measure.family
    if units.groups is not None:
        return "student" if family == "ranking" else "contributions"
    is_mean = family in ("probabilities", "regression", "ranking")
    return "student" if is_mean else "kurtosis"


def _pair(
    one: Asked,
    chosen: Chosen,
    places: tuple[int, int],
    difference: float,
    spread: Spread,
    counts: Floats | None,
    ranges: Ranges,
) -> Pair:
    """Return one pair, its p not yet adjusted."""
    names = chosen.names[places[0]], chosen.names[places[1]]
    rule = chosen.level, chosen.alternative
    error, df, bounds = spread.standard_error, spread.df, ALL
    if one.measure is not None and chosen.alternative == "two-sided":
        low, high = one.measure.bounds
        bounds = low - high, high - low
    more: dict[str, Any] = {}
    if chosen.margin is not None and one.higher_is_better is not None and error > 0.0:
        gain = difference if one.higher_is_better else -difference
        above = pvalue((difference - chosen.margin) / error, df, "less")
        below = pvalue((difference + chosen.margin) / error, df, "greater")
        more["pvalue_noninferior"] = pvalue((gain + chosen.margin) / error, df, "greater")
        more["pvalue_equivalent"] = max(above, below)
    pair = Pair.tested(one.label, names, difference, spread, *rule, bounds, **more)
    if error != 0.0:
        return pair
    such = "nothing tells the models apart" if difference == 0.0 else "no row varies"
    warn_user(
        f"the difference in {one.label} between {pair.a!r} and {pair.b!r} is {difference:g} with a "
        f"variance of 0 ({such}): p = {pair.pvalue:g}",
        DegenerateDataWarning,
    )
    if difference == 0.0 and counts is not None:
        return replace(pair, confidence_interval=limits_of_no_difference(one, counts, *rule))
    if difference == 0.0:
        unseen = limits_of_unseen(one, *ranges(places[0]), *rule)
        return replace(pair, confidence_interval=unseen)
    return pair
