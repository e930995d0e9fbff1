"""``estimate`` and ``compare``: metrics with their intervals, and how models differ by them."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple, get_args

from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.classes import are_class_columns
from fastmetrics._input.columns import take_columns
from fastmetrics._input.rows import MODELS, NamedScores, model_pairs, named_scores, refuse_several
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_flag,
    check_integer,
    check_real,
    check_rng,
    check_weights_are,
)
from fastmetrics.errors import DegenerateDataWarning, InputError, InputTypeError, warn_user
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate_result import Estimate, Estimates, Pair
from fastmetrics.inference.interval_rule import make_estimate, no_difference_limits, unseen_limits
from fastmetrics.inference.measurement import Measurement
from fastmetrics.inference.range_summary import Pairs, ProductSums
from fastmetrics.inference.reference import ALL, pvalue, without_skewness
from fastmetrics.inference.samples import build_samples, check_influences, request_metrics
from fastmetrics.inference.table_estimates import TABLES, AnyTable, estimate_table
from fastmetrics.inference.units import (
    PRIOR,
    Floats,
    Reference,
    SamplesAre,
    Units,
    Variance,
    without_rounding,
)
from fastmetrics.metrics.asking import MetricRequest, MetricsLike
from fastmetrics.tables.ranking import RankingTable
from fastmetrics.tables.score_table import real_threshold

Method = Literal["influence", "wilson", "newcombe", "percentile", "basic", "bca", "bootstrap"]
CompareMethod = Literal["influence", "bootstrap"]
#: From a model to the units of each stratum, and the range of their contributions.
Ranges = Callable[[int], tuple[Floats, Floats]]

_OF_BOOTSTRAP: Final = ("percentile", "basic", "bca", "bootstrap")
#: Arguments about rows: those that `bootstrap` takes too, and the others.
_RESAMPLING_ROWS: Final = ("groups", "sample_weight", "threshold", "pos_label")
_OTHER_ROWS: Final = ("event", "query", "strata", "weights_are")

#: What `estimate` and `compare` say alike.
RULES: Final = """
Parameters
----------
metrics : str, callable, (str, dict), or a sequence or mapping of them
    What to measure, by the names of `metrics_table`.
event : array-like of shape (n_samples,), optional
    Of censored times, which `y_true` then holds: whether each is that of an event (1, True).
query : array-like of shape (n_samples,), optional
    Of rankings, `y_true` being how relevant items are: the query of each. Metrics then have names
    such as "ndcg@10", and queries vary, not rows.
groups : array-like of shape (n_samples,), optional
    Which rows belong together (user, patient): groups then vary, not rows.
strata : array-like of shape (n_samples,), optional
    What was sampled apart, as much of each as was decided beforehand.
threshold : float, optional
    Metrics of labels call a score >= threshold positive; without it predictions are labels.
n_resamples, rng, progress : optional
    Of the bootstrap, where there is one.

Raises
------
TypeError, ValueError
    For data that are not what a metric needs, or an option without meaning.

Warns
-----
UndefinedMetricWarning
    If a metric is undefined on these data, or its error cannot be known: nan.
SmallSampleWarning
    If groups, or rows of importances, are worth few.
"""


@documented(RULES)
def estimate(
    y_true: ArrayLike | AnyTable | RankingTable,
    y_score: ArrayLike | None = None,
    *,
    data: Any = None,
    metrics: MetricsLike,
    method: Method | None = None,
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
) -> Estimates:
    """Estimate one or several metrics, each with its standard error and interval.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or a table
        Labels, numbers for metrics of regression, censored times, or how relevant items are; or a
        table of counts, alone: `ScoreTable`, `ConfusionMatrix`, `RankingTable`, `ScoreRuns`, or one
        of bins (Notes).
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), optional
        Scores, probabilities, predicted labels or numbers, as the metrics need.
    method : str, optional
        How intervals are made. None: by the influences of the rows, where the metric is smooth and
        they hold (Notes); else by the bootstrap. "influence", "wilson" (shares of counts),
        "newcombe" (AUC), or one of `bootstrap`: "percentile", "basic", "bca", and
        "bootstrap" for what that takes by default.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "less": an upper limit alone. "greater": a lower limit alone.

    Returns
    -------
    Estimates
        A frozen mapping from the metric's name to its `Estimate`.

    Notes
    -----
    The influence of a row is the derivative of the metric by its weight, a pass over the order
    that the metric needs anyway. Influences of rows, or their sums over groups, give the variance
    (infinitesimal jackknife; with m/(m - 1), of groups 1/(1 - their share), by class for metrics
    that do not depend on how frequent classes are: for the AUC of rows that is DeLong's variance;
    of groups the CR2 of Bell & McCaffrey). Limits are Student's on the
    metric's scale (logit for shares, logarithms for what is positive), its degrees of freedom
    being the effective number of contributions (sum c^2)^2 / sum c^4, small where few positives,
    few groups or heavy weights carry the variance, and 5 more (of groups 1 more).

    Where a share of counts is asked and each row stands for itself the interval is Wilson's. That
    of an AUC, and of what is linear in it, is a score interval: the t with (t - AUC)^2 =
    q^2 r V(t), V being Newcombe's variance and r DeLong's over V(AUC), nearer to 1 where few rows
    tell it. KS, the largest of many gaps, which chance makes larger, has the greatest limits
    of the gaps of both rates, the lower one as of several tests. Means of queries, without
    groups, have the degrees of freedom of a mean; of hits Wilson's interval. O(n log n) time
    for metrics of order, O(n) for others.

    Of `ScoreRuns`, and of bins (`BinnedScoreTable`, `ScoreRanges`), there are the AUC, its kin and
    average precision; of runs KS too, and losses of probabilities. In a bin no order is known: the
    lower limit begins at the value of the worst order of all bins, the upper one at that of the
    best, both with the largest variance that an order may have. The estimate lies halfway;
    `details` is the `Bracket` of the value.

    References
    ----------
    Efron & Tibshirani (1993), An introduction to the bootstrap, chapter 21. DeLong, DeLong &
    Clarke-Pearson (1988), Biometrics 44:837-845.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> y_score = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> result = estimate(y_true, y_score, metrics="roc_auc")["roc_auc"]
    >>> result.estimate, round(result.standard_error, 4)
    (0.65625, 0.221)
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": y_true, "p": y_score})
    >>> estimate("y", "p", data=frame, metrics="roc_auc")["roc_auc"] == result
    True

    A confusion matrix is enough for metrics of labels.

    >>> from fastmetrics import ConfusionMatrix
    >>> matrix = ConfusionMatrix.binary(tp=40, fp=10, fn=5, tn=95)
    >>> estimate(matrix, metrics="f1")["f1"].confidence_interval
    ConfidenceInterval(low=0.748183, high=0.905425)

    A stream needs no rows in memory.

    >>> from fastmetrics.streams import BinLayout, BinnedScoreTable
    >>> stream = BinnedScoreTable(BinLayout([0.2, 0.4, 0.6]), first_rows=0)
    >>> stream.update(y_true, y_score)
    >>> result = estimate(stream, metrics="roc_auc")["roc_auc"]
    >>> result.details, result.confidence_interval
    (Bracket(low=0.5, high=0.75), ConfidenceInterval(low=0.106641, high=0.971993))
    """
    given = locals()
    if data is not None:
        return estimate(**take_columns(given))
    if method is not None:
        check_choice("method", method, get_args(Method))
    request = Request.parse(given, y_true)
    rule = request.level, method, alternative
    smooth = request.smooth(method)
    estimates: dict[str, Estimate] = {}
    if smooth and isinstance(y_true, TABLES):
        estimates = estimate_table(smooth, y_true, y_score, *rule, request.rows)
    elif smooth:
        if not are_class_columns(y_score, y_true):
            refuse_several(y_score, "compare")
        if y_score is None and not isinstance(y_true, RankingTable):
            raise InputTypeError("`y_score` is missing: only a table comes alone")
        models = [NamedScores("", "y_score", y_score)]
        for one, measured, read in request.measure(smooth, y_true, models):
            estimates[one.label] = make_estimate(one, measured, 0, *rule, weights_are=read)
    if len(smooth) < len(request.metrics):
        from fastmetrics.inference.bootstrap.bootstrap import bootstrap

        interval_method: Any = None if method in (None, "bootstrap") else method
        table: Any = y_true
        options = request.resampling(smooth, strata=strata)
        estimates |= bootstrap(table, y_score, method=interval_method, **options)
    return Estimates(request.in_order(estimates))


class Request(NamedTuple):
    """Options that `estimate` and `compare` share: metrics, level, rows, and replicates."""

    metrics: tuple[MetricRequest, ...]
    level: float
    alternative: Alternative
    rows: dict[str, Any]
    resampling_options: dict[str, Any]

    @classmethod
    def parse(cls, given: Mapping[str, Any], y_true: Any) -> Request:
        """Validate arguments of `estimate` and `compare`; `weights_are` is None without weights."""
        level = check_confidence_level(given["confidence_level"])
        alternative = check_alternative(given["alternative"])
        resampling = {name: given[name] for name in ("n_resamples", "rng", "progress")}
        rows = {name: given[name] for name in (*_RESAMPLING_ROWS, *_OTHER_ROWS)}
        check_integer("n_resamples", resampling["n_resamples"], low=1)
        if resampling["rng"] is not None:  # validated even if no metric is resampled
            check_rng(resampling["rng"])
        if resampling["progress"] is not None:
            check_flag("progress", resampling["progress"])
        if rows["threshold"] is not None:
            rows["threshold"] = real_threshold(rows["threshold"])
        requests = request_metrics(given["metrics"], y_true, rows["query"])
        rows["weights_are"] = check_weights_are(rows["sample_weight"], rows["weights_are"])
        return cls(requests, level, alternative, rows, resampling)

    def smooth(self, method: str | None) -> tuple[MetricRequest, ...]:
        """Return the metrics that have influences of rows; raise if ``method`` requires all."""
        if method in _OF_BOOTSTRAP:
            return ()
        if method is not None:
            for one in self.metrics:
                check_influences(one)
        return tuple(one for one in self.metrics if one.has_influences)

    def measure(
        self, requests: tuple[MetricRequest, ...], y_true: Any, models: list[NamedScores]
    ) -> Iterator[tuple[MetricRequest, Measurement, WeightsAre | None]]:
        """Yield each metric with its measurement on all models, and what its weights are."""
        if not requests:
            return
        samples = build_samples(requests, y_true, models, **self.rows)
        for k, one in enumerate(requests):
            sample = samples[one.label]
            measured = sample.measure_alone(one)
            read = sample.design.weights_are
            if k == 0:
                measured.units.warn_small_samples(read)
            yield one, measured, read

    def resampling(self, smooth: Container[MetricRequest], **unsupported: Any) -> dict[str, Any]:
        """Return options of `bootstrap` for metrics not in ``smooth``; refuse ``unsupported``."""
        others = [one for one in self.metrics if one not in smooth]
        for one in self.metrics:
            needs = "" if one.metric is None else one.metric.needs
            if needs == "rankings":
                raise InputError(
                    f"`{one.label}` has no replicates of queries: `bootstrap(values, "
                    "metrics='mean')` has them of its values by query"
                )
            if one in others and (needs == "times" or self.rows["event"] is not None):
                raise InputError(f"`{one.label}` has no replicates of censored times (`event`)")
        if any(value is not None for value in unsupported.values()):
            names = " and ".join(f"`{name}`" for name in unsupported)
            raise InputError(f"{names} are for metrics with influences of rows")
        return {
            "metrics": {one.label: metric_argument(one) for one in others},
            "confidence_level": self.level,
            "alternative": self.alternative,
            "weights_are": self.rows["weights_are"] or "importances",
            **{name: self.rows[name] for name in _RESAMPLING_ROWS},
            **self.resampling_options,
        }

    def in_order(self, estimates: Mapping[str, Any]) -> dict[str, Any]:
        """Return results in the order of the metrics."""
        return {one.label: estimates[one.label] for one in self.metrics}


def metric_argument(one: MetricRequest) -> Any:
    """Return the `metrics=` argument that requests the metric again."""
    return one.function if one.function is not None else (one.name, dict(one.parameters))


@documented(MODELS, RULES)
def compare(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    data: Any = None,
    metrics: MetricsLike,
    names: Sequence[str] | None = None,
    method: CompareMethod | None = None,
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
    """Compare two or more models on the same rows by one or several metrics.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, numbers for metrics of regression, censored times, or how relevant items are.
    method : {"influence", "bootstrap"}, optional
        How errors are found. None: by the influences of the rows, where the metric is smooth, else
        by the paired bootstrap.
    reference : str, optional
        The model that all others are compared with; every pair by default.
    margin : float, optional
        The largest accepted loss, in the metric's unit: of each pair (a, b) it is tested
        whether a is not worse than b by as much, and whether the two differ by less.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What a pair (a, b) is tested against: that a has another, a lower or a greater value than b.
        Intervals are one-sided too.

    Returns
    -------
    Comparisons
        A frozen mapping from the metric's name to its `Comparison`.

    Notes
    -----
    The influence of a row on a difference is the difference of its influences: one pass gives the
    covariance of all models. Tests are Student's: of means of rows (losses, errors) or of queries
    (rankings) the paired t test; of other metrics with the degrees of freedom that the kurtosis of
    influences leaves, 2 (sum c^2)^2 / (sum c^4 - (sum c^2)^2 / m), and with groups the effective
    number of contributions, as in `estimate`; of groups of queries how many of equal size they are
    worth, less 1. The test of an AUC of rows, and of what is linear in it, is that of Hall's cubic
    transform t + s t^2 / 3 + s^2 t^3 / 27 of the statistic, s being the skewness of the influences,
    sum c^3 / (sum c^2)^1.5, times m / (m + 3) for m contributions; limits are its inverse.

    p-values are adjusted for the pairs of one metric by step-down max-T, which takes from the
    covariance how models vary together, is never above Holm's adjustment and needs no random
    numbers; by Holm's where there are replicates alone. A model is `better` where the adjusted
    p-value is below 1 - `confidence_level`, the interval leaves out 0, and rows vary at all;
    `verdict` says so in words. O(K n log n) time, O(K n) memory.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44:837-845. Holm (1979), Scandinavian Journal
    of Statistics 6:65-70. Hall (1992), Journal of the Royal Statistical Society B 54:221-228.
    Westfall & Young (1993), Resampling-based multiple testing, Wiley.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> first = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    >>> second = [0.9, 0.2, 0.8, 0.7, 0.75, 0.1, 0.6, 0.3]
    >>> result = compare(y_true, {"first": first, "second": second}, metrics="roc_auc")
    >>> pair = result["roc_auc"]["first", "second"]
    >>> pair.estimate, round(pair.standard_error, 6), pair.better
    (-0.21875, 0.220971, None)
    >>> print(result.verdict)
    No significant difference between first and second in roc_auc.
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": y_true, "first": first, "second": second})
    >>> compare("y", ["first", "second"], data=frame, metrics="roc_auc") == result
    True
    """
    given = locals()
    if data is not None:
        return compare(**take_columns(given))
    if method is not None:
        check_choice("method", method, get_args(CompareMethod))
    if margin is not None:
        margin = check_margin(margin)
    request = Request.parse(given, None)
    models = named_scores(scores, names, at_least=2)
    model_names = tuple(model.name for model in models)
    pairs = model_pairs(model_names, reference)
    chosen = PairOptions(model_names, pairs, margin, request.level, alternative)
    smooth = request.smooth(method)
    comparisons: dict[str, Comparison] = {}
    for one, measured, read in request.measure(smooth, y_true, models):
        comparisons[one.label] = compare_models(one, measured, chosen, read)
    if len(smooth) < len(request.metrics):
        from fastmetrics.inference.bootstrap.paired import paired_bootstrap

        options = request.resampling(smooth, strata=strata, margin=margin)
        comparisons |= paired_bootstrap(y_true, scores, names=names, reference=reference, **options)
    return Comparisons(request.in_order(comparisons))


def check_margin(margin: Any) -> float:
    """Return the margin as a float; raise unless it is finite and not negative."""
    loss: float = check_real("margin", margin)
    if not 0.0 <= loss < math.inf:
        raise InputError(f"`margin` is a finite loss, at least 0: got {loss:g}")
    return loss


class PairOptions(NamedTuple):
    """Options of the pairs of every metric."""

    names: tuple[str, ...]
    pairs: Pairs
    margin: float | None
    level: float
    alternative: Alternative


def compare_models(
    one: MetricRequest,
    measured: Measurement,
    chosen: PairOptions,
    weights_are: WeightsAre | None = None,
) -> Comparison:
    """Compare every pair of models by the influences of rows."""
    units = measured.units
    influences = measured.influences
    if units.groups is None:
        sums = units.product_matrix(influences)
        covariance = units.covariance_from_sums(sums)
        measured = measured.with_variances(one, [sums[k, k] for k in range(len(sums))])
    else:
        covariance = units.covariance(influences)
    models = tuple(
        make_estimate(one, measured, k, chosen.level, weights_are=weights_are)
        for k in range(len(chosen.names))
    )
    reference = choose_reference(one, units)
    values = measured.values
    tests = [
        units.difference((values[a], values[b]), influences[a], influences[b], reference)
        for a, b in chosen.pairs
    ]
    differences = [(difference, variance) for difference, variance, _ in tests]
    note = _few_rows_note(one, [by_kurtosis for *_, by_kurtosis in tests if by_kurtosis])
    note = note or _unlike_models_note(one, measured, chosen.pairs, differences) or measured.note
    return _comparison(
        one,
        models,
        differences,
        covariance,
        chosen,
        measured.counts,
        lambda model: units.ranges(influences[model]),
        measured.samples_are,
        note,
    )


def compare_by_sums(
    one: MetricRequest,
    m: int,
    models: Sequence[Estimate],
    sums: ProductSums,
    chosen: PairOptions,
    counts: Sequence[Floats | None],
) -> Comparison:
    """Compare every pair of models by the m-th metric's sums over independent rows."""
    by_class = one.entry.is_by_class(one.parameters)
    reference = choose_reference(one, sums.units(by_class))
    differences = []
    by_kurtosis = []
    for p, pair in enumerate(chosen.pairs):
        values = models[pair[0]].estimate, models[pair[1]].estimate
        variance = sums.variance(m, p, pair, values, by_class, reference)
        by_kurtosis.append(sums.variance(m, p, pair, values, by_class, "kurtosis"))
        difference = without_rounding(values[0] - values[1], max(map(abs, values)), variance)
        differences.append((difference, variance))
    return _comparison(
        one,
        models,
        differences,
        sums.covariance(m, by_class),
        chosen,
        counts,
        lambda model: sums.ranges(m, model, by_class),
        note=_few_rows_note(one, by_kurtosis),
    )


def _comparison(
    one: MetricRequest,
    models: Sequence[Estimate],
    differences: Sequence[tuple[float, Variance]],
    covariance: Floats,
    chosen: PairOptions,
    counts: Sequence[Floats | None],
    ranges: Ranges,
    samples_are: SamplesAre = "rows",
    note: str = "",
) -> Comparison:
    """Build the comparison of models from each pair's difference and variance."""
    tests = [
        _pair(one, chosen, pair, *difference, counts[pair[0]], ranges)
        for pair, difference in zip(chosen.pairs, differences, strict=True)
    ]
    return Comparison.from_pairs(
        models,
        tests,
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


def _few_rows_note(one: MetricRequest, differences: Iterable[Variance]) -> str:
    """Return a caveat if few independent rows carry a difference, else an empty string."""
    fewest = min((each.df for each in differences if each.value > 0.0), default=math.inf) - PRIOR
    if not fewest < one.entry.min_df:
        return ""
    return (
        f"{one.label}: few rows (about {max(fewest, 1.0):.2g}) determine the difference, "
        "whose interval may cover less than its level"
    )


def _unlike_models_note(
    one: MetricRequest,
    measured: Measurement,
    pairs: Pairs,
    differences: Sequence[tuple[float, Variance]],
) -> str:
    """Return a caveat if 1 - precision of one model is less than half of the other's."""
    if (
        one.entry.is_area_of_precision
        and measured.units.n_units < 200
        and measured.units.groups is None
    ):
        for pair, (difference, variance) in zip(pairs, differences, strict=True):
            least, most = sorted(1.0 - measured.values[k] for k in pair)
            if least < most / 2.0 and abs(difference) > 2.0 * variance.standard_error:
                return (
                    f"{one.label}: the models differ much and rows are few; "
                    "the interval of their difference may cover less than its level"
                )
    return ""


def choose_reference(one: MetricRequest, units: Units) -> Reference:
    """Choose the degrees of freedom with which a metric's tests keep their level.

    Means over rows or queries take those of the paired t test. Other metrics depend on few rows,
    mostly positives, and unequal groups on few groups (docs/coverage.md).
    """
    family = one.entry.family
    if units.groups is not None:
        return "student" if family == "ranking" else "contributions"
    return "student" if family in ("probabilities", "regression", "ranking") else "kurtosis"


def _pair(
    one: MetricRequest,
    chosen: PairOptions,
    models: tuple[int, int],
    difference: float,
    variance: Variance,
    counts: Floats | None,
    ranges: Ranges,
) -> Pair:
    """Build the result of one pair; its p-value is not adjusted yet."""
    names = chosen.names[models[0]], chosen.names[models[1]]
    rule = chosen.level, chosen.alternative
    metric_rule = one.entry.interval
    if metric_rule is None or metric_rule.name != "auc":
        variance = variance._replace(skewness=0.0)
    error = variance.standard_error
    bounds = ALL
    if chosen.alternative == "two-sided":
        low, high = one.entry.bounds
        bounds = low - high, high - low
    more: dict[str, Any] = {}
    if chosen.margin is not None and one.higher_is_better is not None and error > 0.0:
        less, more_than = (
            without_skewness((difference + shift) / error, variance.skewness)
            for shift in (-chosen.margin, chosen.margin)
        )
        below, above = pvalue(less, variance.df, "less"), pvalue(more_than, variance.df, "greater")
        more["pvalue_noninferior"] = above if one.higher_is_better else below
        more["pvalue_equivalent"] = max(below, above)
    pair = Pair.from_difference(one.label, names, difference, variance, *rule, bounds, **more)
    if error != 0.0:
        return pair
    reason = "nothing tells the models apart" if difference == 0.0 else "no row varies"
    warn_user(
        f"the difference in {one.label} between {pair.a!r} and {pair.b!r} is {difference:g} with a "
        f"variance of 0 ({reason}): p = {pair.pvalue:g}",
        DegenerateDataWarning,
    )
    if difference == 0.0 and counts is not None:
        return replace(pair, confidence_interval=no_difference_limits(one, counts, *rule))
    if difference == 0.0:
        return replace(pair, confidence_interval=unseen_limits(one, *ranges(models[0]), *rule))
    return pair
