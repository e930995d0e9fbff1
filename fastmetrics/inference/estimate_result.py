"""``Estimate`` and ``Pair``: results of a metric and of a difference, with their replicates."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display import Display, Shown, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, WeightsAre, check_fraction, check_positive
from fastmetrics._number_text import percent_text
from fastmetrics._results import ConfidenceInterval, OneNumber, Result, equals
from fastmetrics.errors import (
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    by_name,
    warn_user,
)
from fastmetrics.inference.reference import ALL, critical_value, difference_test, limits, tail
from fastmetrics.inference.units import Variance
from fastmetrics.metrics._metric import Scale

#: More samples than anyone has; their product with a standard error is still exact enough.
_MOST: Final = 10**15
#: Degrees of freedom beyond which Student's t is the normal distribution.
_MANY_DF: Final = 1e6


@dataclass(frozen=True, slots=True, repr=False)
class SampleSize(Result):
    """The number of samples that an interval or a comparison needs.

    Attributes
    ----------
    metric : str
        The metric, and of a difference the two models.
    n_samples : float
        Rows, or queries of a ranking; a whole number, or nan where it cannot be known.
    n_groups : float or None
        Groups (clusters) as large as those at hand; None where each sample stands for itself.
    standard_error : float
        Of the estimate, or of the difference, with so many samples.
    half_width : float
        Half the width of the interval with so many samples; of a one-sided interval the distance of
        its limit from the estimate.
    difference, power : float or None
        The true difference, and the probability that it is shown; None of an interval.
    confidence_level : float
        Of the interval and of the test.
    """

    metric: str
    n_samples: float
    n_groups: float | None
    standard_error: float
    half_width: float
    difference: float | None
    power: float | None
    confidence_level: float


def _sample_size(
    metric: str,
    pilot: Any,
    n_samples: float,
    n_groups: int | None,
    level: float,
    figures: Callable[[float, float], tuple[float, float | None]],
    is_enough: Callable[[float, Any], bool],
    difference: float | None = None,
) -> SampleSize:
    """Find the smallest number of units whose half width and power are enough.

    Units are groups where there are some, else samples; `pilot` has the error and the degrees of
    freedom of those at hand, of which ``figures`` makes half width and power. All is nan where the
    data do not tell how much the metric varies.
    """
    units = n_samples if n_groups is None else float(n_groups)
    error, df = pilot.standard_error, pilot.df

    def result(n: float, n_groups: float | None, error: float, df: float) -> SampleSize:
        half_width, power = figures(error, df)
        return SampleSize(metric, n, n_groups, error, half_width, difference, power, level)

    if not (error > 0.0 and df > 0.0 and units > 0.0):
        warn_user(
            f"the number of samples for {metric} is nan: its standard error is "
            f"{error:g} on {units:g} samples, which does not tell how much it varies",
            UndefinedMetricWarning,
        )
        return result(math.nan, None if n_groups is None else math.nan, math.nan, math.nan)

    def at(n: int) -> tuple[float, float]:
        return error / math.sqrt(n / units), df * (n / units)

    n = _smallest(lambda n: is_enough(*figures(*at(n))))
    return result(math.ceil(n * (n_samples / units)), None if n_groups is None else n, *at(n))


def size_for_half_width(one: Any, half_width: Any) -> SampleSize:
    """Return how many samples give the interval of an `Estimate` this half width at most."""
    width = check_positive("half_width", half_width)
    level = one.confidence_level
    alternative = one.alternative

    def figures(error: float, df: float) -> tuple[float, None]:
        if one.method == "score":  # what it is now, narrower as t times the error is
            now = one.standard_error * critical_value(one.df, 1.0 - level, alternative)
            scale = error * critical_value(df, 1.0 - level, alternative) / now
            low, high = (
                one.estimate + scale * (end - one.estimate) for end in one.confidence_interval
            )
        else:
            low, high = limits(one.estimate, error, df, level, one.scale, alternative)
        if alternative == "two-sided":
            return (high - low) / 2.0, None
        return float(high - one.estimate if alternative == "less" else one.estimate - low), None

    pilot = one.metric, one, one.n_samples, one.n_groups
    return _sample_size(*pilot, level, figures, lambda half_width, _: half_width <= width)


def size_for_difference(
    pair: Any,
    n_samples: float,
    n_groups: int | None,
    level: float,
    alternative: Alternative,
    *,
    difference: Any,
    power: Any,
) -> SampleSize:
    """Return how many samples show the difference of a `Pair` with a power, tested at a level."""
    gap = check_positive("difference", difference)
    chance = check_fraction("power", power)

    def figures(error: float, df: float) -> tuple[float, float]:
        critical = abs(critical_value(df, 1.0 - level, alternative))
        return critical * error, _power(gap / error, df, critical)

    pilot = f"{pair.metric} of {pair.a} and {pair.b}", pair, n_samples, n_groups
    return _sample_size(*pilot, level, figures, lambda _, power: power >= chance, gap)


def _power(shift: float, df: float, critical: float) -> float:
    """Compute the probability that a noncentral t exceeds its critical value."""
    if df > _MANY_DF:
        return tail(shift - critical, math.inf)
    from scipy.special import nctdtr

    return 1.0 - float(nctdtr(df, shift, critical))


def _smallest(is_enough: Callable[[int], bool]) -> int:
    """Find the smallest number of units, from 2 on, that is enough."""
    high = 2
    while not is_enough(high):
        high *= 2
        if high > _MOST:
            raise InputError("more than 10^15 samples are needed: ask for less")
    low = max(2, high // 2)
    return low + bisect_left(range(low, high), True, key=is_enough)


#: How weights were read, which intervals hang on.
WEIGHTS: Final = {
    None: (),
    "importances": ("Weights are importances: each row counts as one, whatever its weight.",),
    "frequencies": ("Weights are frequencies: each row counts as often as its weight.",),
}
METHODS: Final = {
    "band": "simultaneous band",
    "bca": "BCa",
    "influence": "Student's t, infinitesimal jackknife",
    "newcombe": "Newcombe",
    "wilson": "Wilson",
    "clopper-pearson": "Clopper and Pearson",
    "outer limits with wilson": "the wider of the Wilson and t intervals",
    "score": "Newcombe's score interval with DeLong's variance",
}
#: What fields of results say alike.
FIELDS: Final = """
Attributes
----------
metric : str
    What was measured.
standard_error : float
    nan where it cannot be known.
confidence_interval : ConfidenceInterval
    Its two limits, `low` and `high`.
df : float
    Degrees of freedom of the standard error; inf where it is taken for known.
confidence_level : float
    Coverage aimed at by each interval.
method : str
    How the interval was made.
n_samples : float
    Rows of a weight, or queries that count; the sum of frequencies.
n_groups : int or None
    Groups of rows, or of queries; None where each stands for itself.
weights_are : {"importances", "frequencies"} or None
    How weights were read; None where there were none.
key : str or None
    Of the random numbers: ``rng=key`` draws them again; None where there were none.
note : str
    What a reader of the interval must know; usually empty.
details : object
    What else the method found; None if nothing.
"""

#: Of an estimate, in tables.
FIGURES: Final = ("metric", "estimate", "confidence_interval", "standard_error")


@dataclass(frozen=True, slots=True, repr=False)
class Replicates(Result):
    """Replicates of one number: `details` of its `Estimate` or `Pair`.

    Attributes
    ----------
    distribution : ndarray of shape (n_resamples,)
        The number of each replicate, or after each exchange of a permutation test, in their order;
        nan where it is undefined. Read-only.
    n_failed : int
        Replicates that are undefined, and left out: what follows from the others is conditional on
        the metric being defined, and `note` of the estimate says why.
    bias : float
        Mean of the replicates less the estimate; nan of exchanges.
    key : str
        The key of the random numbers: ``rng=key`` draws the same replicates again.
    effective_sample_size : float
        Rows, or with importances the number of equal weights that tell as much (Kish).
    effective_n_groups : float or None
        How many groups of equal size the groups are worth, (sum m)^2 / sum m^2: the interval is
        widened by Student's t with one degree of freedom less. None where rows are drawn.
    """

    distribution: NDArray[np.float64] = field(repr=False)
    n_failed: int
    bias: float
    key: str
    effective_sample_size: float
    effective_n_groups: float | None = None

    @property
    def n_resamples(self) -> int:
        """Number of replicates."""
        return len(self.distribution)


class WithReplicates(OneNumber, ABC):
    """Base of results whose `details` may be replicates, which `plot` draws."""

    __slots__ = ()
    metric: str
    estimate: float
    confidence_interval: ConfidenceInterval
    details: Any

    @documented()
    def plot(self, ax: Any = None, **histogram_options: Any) -> Any:
        """Draw the distribution of the replicates, the estimate, and the limits of its interval.

        Parameters
        ----------
        **histogram_options
            Of ``ax.hist``: `bins`, `facecolor` and so on.

        Returns
        -------
        matplotlib Axes
            What was drawn on. Replicates that are undefined are left out.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If there are no replicates, as of an interval by a formula.
        """
        from fastmetrics._plots.tests import draw_replicates

        if not isinstance(self.details, Replicates):
            raise InputTypeError(
                f"{self.metric!r} has no replicates to draw: a bootstrap or a permutation test has"
            )
        name, interval, null = self._plot_labels()
        return draw_replicates(
            self.details.distribution,
            name,
            self.estimate,
            self.confidence_interval,
            ax,
            interval=interval,
            null=null,
            options=histogram_options,
        )

    @abstractmethod
    def _plot_labels(self) -> tuple[str, str, float | None]:
        """Return the names of number and interval, and the value it is compared with."""

    def _display(self) -> Display:
        display = Result._display(self)
        if not isinstance(self.details, Shown):
            return display
        more = [replace(each, framed=False) for each in self.details._display().tables]
        return replace(display, tables=[*display.tables, *more])


@documented(FIELDS)
@dataclass(frozen=True, slots=True, repr=False)
class Estimate(WithReplicates):
    """A metric with its standard error and interval.

    Attributes
    ----------
    estimate : float
        Its value on the data; nan where it is undefined.
    scale : {"identity", "logit", "log", "lack", "atanh"}
        Where the estimate was taken for normal; "lack" is the logarithm of 1 - estimate.
    alternative : {"two-sided", "less", "greater"}
        Both limits, the upper one alone, or the lower one alone.
    design_effect : float or None
        The variance over that of independent rows: so many rows of these groups are worth one
        (Kish 1965); None without groups, or where their rows were not at hand.
    details : object
        What else the method found: `Replicates` of a bootstrap; None if nothing.
    """

    metric: str
    estimate: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    df: float
    confidence_level: float
    method: str
    scale: Scale = "identity"
    alternative: Alternative = "two-sided"
    n_samples: float = float("nan")
    n_groups: int | None = None
    design_effect: float | None = None
    weights_are: WeightsAre | None = None
    note: str = ""
    details: Any = field(default=None, repr=False)

    def __repr__(self) -> str:
        value = f"{self.estimate:.6g}{_limits(self.confidence_interval)}"
        return f"Estimate({self.metric}: {value}, {self.method})"

    @documented()
    def plan(self, *, half_width: float) -> SampleSize:
        """Return how many samples give an interval of this half width.

        The samples are as those at hand: in the shares of the classes, and in the sizes of groups,
        where there are some; then the groups are counted too.

        Parameters
        ----------
        half_width : float
            Half the width of the interval at most; of a one-sided one the distance of its limit.

        Returns
        -------
        SampleSize
            The smallest number, and the half width that it gives.

        Raises
        ------
        ValueError
            If `half_width` is not positive and finite, or takes more than 10^15 samples.

        Warns
        -----
        UndefinedMetricWarning
            If the standard error is 0 or nan: the number is nan.

        Notes
        -----
        The standard error falls as one over the root of the number of samples. The interval is
        Student's t on the `scale` of the estimate, with degrees of freedom that grow in proportion.

        Examples
        --------
        >>> from fastmetrics import estimate
        >>> y_true, y_pred = [0, 1] * 50, [0, 1] * 40 + [1, 1, 0, 0] * 5
        >>> result = estimate(y_true, y_pred, metrics="accuracy")["accuracy"]
        >>> result.plan(half_width=0.02).n_samples
        894
        """
        return size_for_half_width(self, half_width)

    def _plot_labels(self) -> tuple[str, str, float | None]:
        method = METHODS.get(self.method, self.method)
        return self.metric, f"{percent_text(self.confidence_level)} {method} interval", None


def _limits(interval: ConfidenceInterval) -> str:
    """Return the limits in brackets, or nothing where there are none."""
    return "" if math.isnan(interval.low) else f" [{interval.low:.6g}, {interval.high:.6g}]"


@documented(FIELDS)
@dataclass(frozen=True, slots=True, repr=False)
class Pair(WithReplicates):
    """Two models compared by one metric: that of `a` less that of `b`.

    Attributes
    ----------
    metric, a, b : str
        The metric and the models.
    estimate : float
        The difference.
    confidence_interval : ConfidenceInterval
        Of the difference; not adjusted.
    statistic : float
        The difference over its standard error; 0 where both are 0, +-inf where the error alone is.
    pvalue : float
        Of "there is no difference".
    pvalue_adjusted : float
        The same, adjusted for the number of pairs of this metric: by max-T where the covariance of
        the models is known, else by Holm's method (`Comparison.adjustment`).
    better : str or None
        The better model, where the adjusted p-value and the interval show that there is one.
    pvalue_noninferior, pvalue_equivalent : float
        Of "`a` is worse than `b` by the margin or more", and of "they differ by the margin or
        more"; nan without a margin.
    skewness : float
        Of the difference, which interval and p-values of an AUC allow for (`compare`); else 0.
    details : object
        What else the method found: `Replicates` of a bootstrap or of exchanges; None if nothing.
    """

    metric: str
    a: str
    b: str
    estimate: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    statistic: float
    df: float
    pvalue: float
    pvalue_adjusted: float
    better: str | None
    pvalue_noninferior: float = float("nan")
    pvalue_equivalent: float = float("nan")
    skewness: float = 0.0
    note: str = ""
    details: Any = field(default=None, repr=False)

    @classmethod
    def from_difference(
        cls,
        metric: str,
        names: tuple[str, str],
        difference: float,
        variance: Variance,
        confidence_level: float,
        alternative: Alternative,
        bounds: tuple[float, float] = ALL,
        **fields: Any,
    ) -> Pair:
        """Return a difference with its interval and p, which is not adjusted for others yet."""
        rule = confidence_level, alternative, bounds, variance.skewness
        test = difference_test(difference, variance.standard_error, variance.df, *rule)
        return cls(
            metric=metric,
            a=names[0],
            b=names[1],
            estimate=difference,
            standard_error=variance.standard_error,
            confidence_interval=test.interval,
            statistic=test.statistic,
            df=variance.df,
            pvalue=test.pvalue,
            pvalue_adjusted=test.pvalue,
            better=None,
            skewness=variance.skewness,
            **fields,
        )

    @property
    def difference(self) -> float:
        """The estimate, by the name of what it is."""
        return self.estimate

    def better_at(self, confidence_level: float, higher_is_better: bool | None) -> str | None:
        """Return the better model, where the adjusted p-value and the interval show one."""
        low, high = self.confidence_interval
        is_of_p_alone = math.isnan(self.standard_error) and math.isnan(low)  # of exchanges
        leaves_out_0 = low > 0.0 or high < 0.0 or is_of_p_alone
        is_significant = self.pvalue_adjusted < 1.0 - confidence_level and leaves_out_0
        if higher_is_better is None or not is_significant or self.standard_error == 0.0:
            return None  # no direction, no evidence, or no row that varies
        return self.a if (self.estimate > 0.0) == higher_is_better else self.b

    def __repr__(self) -> str:
        limits = _limits(self.confidence_interval)
        p = f"pvalue{equals(self.pvalue)}{self.pvalue:.6g}"
        return f"Pair({self.metric}: {self.a} - {self.b} = {self.estimate:.6g}{limits}, {p})"

    def _plot_labels(self) -> tuple[str, str, float | None]:
        return f"{self.metric}, {self.a} − {self.b}", "confidence interval", 0.0


AnyResult = TypeVar("AnyResult", bound=Result)


class ByMetric(Shown, Mapping[str, AnyResult]):
    """Results, each an Estimate or a Comparison, by the name of the metric; frozen."""

    __slots__ = ("_results",)

    def __init__(self, results: Mapping[str, AnyResult]) -> None:
        self._results: dict[str, AnyResult] = dict(results)

    def __getitem__(self, metric: str) -> AnyResult:
        return by_name(self._results, metric, "metrics")

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a dictionary of built-in Python objects, by metric."""
        return {metric: result.to_dict() for metric, result in self._results.items()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._results.values()))})"


class Estimates(ByMetric[Estimate]):
    """Estimates by the name of the metric; frozen.

    Examples
    --------
    >>> from fastmetrics import estimate
    >>> estimate([0, 1, 1, 0, 1], [0.1, 0.8, 0.4, 0.5, 0.9], metrics="brier_score")
    Estimates(Estimate(brier_score: 0.134 [0.0300498, 0.597541], influence))
    """

    __slots__ = ()

    def _display(self) -> Display:
        estimates = list(self.values())
        columns = dict(Table.of(estimates, (*FIGURES, "df", "method")).columns)
        if any(one.design_effect is not None for one in estimates):
            columns |= Table.of(estimates, ("design_effect",)).columns
        replicates = [one.details for one in estimates if isinstance(one.details, Replicates)]
        notes = []
        if replicates and len(replicates) == len(estimates):
            del columns["df"], columns["method"]
            columns |= Table.of(replicates, ("bias", "n_failed")).columns
            how = ", ".join(dict.fromkeys(METHODS.get(one.method, one.method) for one in estimates))
            notes = [f"Intervals: {how}; {again(replicates[0])}."]
            notes += WEIGHTS[estimates[0].weights_are]
        level = estimates[0].confidence_level
        notes += caution_notes(estimates)
        return Display([Table(columns, level=level)], type(self).__name__, notes)


def caution_notes(results: Iterable[Any]) -> list[str]:
    """List the notes of results with the metrics that they concern."""
    about: dict[str, list[str]] = {}
    for one in results:
        if one.note:
            metrics = about.setdefault(one.note, [])
            metrics += [one.metric] * (one.metric not in metrics)
    return [f"{', '.join(metrics)}: {note}." for note, metrics in about.items()]


def again(replicates: Replicates) -> str:
    """Write the number of replicates and the key that draws them again."""
    return f"{replicates.n_resamples:,} resamples, `rng={replicates.key!r}` draws them again"
