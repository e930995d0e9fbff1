"""What a test expects if its null hypothesis holds, where it rejects, and what was observed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError
from fastmetrics.plots._style import (
    INK,
    PALE,
    REJECTED,
    axes_or_new,
    legend_on_top,
    plain_spines,
    upright,
)

if TYPE_CHECKING:
    from fastmetrics.comparison.result import ComparisonTest

Floats = NDArray[np.float64]

_BARS: Final = 120
"""So many counts have a bar each; more become one outline."""

_POINTS: Final = 2_000
_PLAIN: Final[dict[str, Any]] = {"facecolor": PALE, "edgecolor": "0.35"}
_HATCHED: Final[dict[str, Any]] = {"facecolor": "white", "edgecolor": REJECTED, "hatch": "////"}
_OBSERVED: Final = {"color": INK, "lw": 1.4, "ls": "--"}


def plot_binomial_test(test: ComparisonTest, *, ax: Any = None) -> Any:
    """Draw the binomial distribution of a binomial test with its rejection region.

    Parameters
    ----------
    test : ComparisonTest
        What `binomial_test` returns.
    ax : matplotlib Axes, optional
        Where to draw; by default on a figure of its own.

    Returns
    -------
    matplotlib Axes
        What was drawn on: the probability of each number of errors at the error rate of the null
        hypothesis, hatched where the test rejects, and a line at the errors observed.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If it is another test.

    Examples
    --------
    >>> from fastmetrics import binomial_test
    >>> ax = plot_binomial_test(binomial_test(6, 10, error_rate=0.3))
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()][1]
    ('errors of 10', 'rejected: more than 5 errors (size 0.0473)')
    """
    if test.statistic_name != "errors" or not {"n", "error_rate"} <= test.details.keys():
        raise InputError(f"`test` must be a binomial test: got {test.method!r}")
    ax = axes_or_new(ax)
    from matplotlib.patches import Patch
    from scipy.stats import binom

    n, rate, observed = int(test.details["n"]), test.details["error_rate"], int(test.statistic)
    low, high = _critical_counts(test, n)
    bounds = [count for count, rejects in ((low, low > 0), (high, high < n)) if rejects]
    counts = _counts(n, rate, [observed, *bounds])
    chances = binom.pmf(counts, n, rate)
    rejected = (counts < low) | (counts > high)
    size = float(binom.cdf(low - 1, n, rate) + binom.sf(high, n, rate))
    null = f"binomial({n:,}, {rate:g})"
    said = f"rejected: {_rejected_counts(low, high, n)} (size {size:.3g})"
    if len(counts) <= _BARS and counts[-1] - counts[0] < _BARS:
        ax.bar(counts[~rejected], chances[~rejected], width=0.8, **_PLAIN)
        ax.bar(counts[rejected], chances[rejected], width=0.8, **_HATCHED)
        _integer_ticks(ax)
    else:
        ax.fill_between(counts, chances, where=~rejected, **_PLAIN)
        ax.fill_between(counts, chances, where=rejected, **_HATCHED)
    ax.set_xlim(counts[0] - 0.8, counts[-1] + 0.8)
    ax.set_ylim(0.0, 1.05 * float(chances.max()))
    line = upright(ax, observed, **_OBSERVED, label=_observed(f"{observed:,}", test))
    ax.set_xlabel(f"errors of {n:,}")
    ax.set_ylabel("probability")
    plain_spines(ax)
    areas = [Patch(label=null, **_PLAIN), Patch(label=said, **_HATCHED)]
    legend_on_top(ax, [*areas, line], n_columns=1)
    return ax


def plot_t_test(test: ComparisonTest, *, ax: Any = None) -> Any:
    """Draw Student's t distribution of a t test with the tails where it rejects.

    Parameters
    ----------
    test : ComparisonTest
        What `one_sample_t_test`, `kfold_paired_t_test` or another t test returns.
    ax : matplotlib Axes, optional
        Where to draw; by default on a figure of its own.

    Returns
    -------
    matplotlib Axes
        What was drawn on: the density if the null hypothesis holds, the tails of the rejection
        region hatched, and a line at the t observed; an arrow points to a t outside the figure.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If it is another test.

    Examples
    --------
    >>> from fastmetrics import one_sample_t_test
    >>> test = one_sample_t_test([0.12, 0.15, 0.11, 0.14, 0.13], error_rate=0.1)
    >>> ax = plot_t_test(test)
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()][1]
    ('t', 'rejected: |t| ≥ 2.776 (0.025 in each tail)')
    """
    if test.statistic_name != "t" or test.df is None or isinstance(test.df, tuple):
        raise InputError(f"`test` must be a t test: got {test.method!r}")
    ax = axes_or_new(ax)
    from matplotlib.patches import Patch
    from scipy.stats import t as student

    ax.set_xlabel("t")
    ax.set_ylabel("density")
    plain_spines(ax)
    df, statistic = test.df, test.statistic
    if df <= 0:
        said = "t is not defined: it has no degrees of freedom"
        ax.text(0.5, 0.5, said, ha="center", va="center", transform=ax.transAxes)
        return ax
    critical = abs(test.critical_value)
    if not math.isfinite(critical):  # of a test that is not defined
        tail = test.alpha / 2 if test.alternative == "two-sided" else test.alpha
        critical = float(student.isf(tail, df))
    edge = _edge(critical, statistic)
    values = np.linspace(-edge, edge, _POINTS + 1)
    density = student.pdf(values, df)
    peak = float(density.max())
    ax.set_xlim(-edge, edge)
    ax.set_ylim(0.0, 1.05 * peak)
    curve = ax.plot(values, density, color=INK, lw=1.4, label=f"t with {_degrees(df)}")[0]
    for side in _tails(test.alternative):
        tail_values = np.linspace(side * critical, side * edge, _POINTS // 4)
        heights = student.pdf(tail_values, df)
        ax.fill_between(tail_values, heights, **_HATCHED)
        # Few degrees of freedom have tails too flat to be seen.
        ax.plot([tail_values[0]] * 2, [0.0, max(heights[0], 0.05 * peak)], color=REJECTED, lw=1.4)
    tails = Patch(label=f"rejected: {_rejected_t(test, critical)}", **_HATCHED)
    legend_on_top(ax, [curve, tails, _draw_observed_t(ax, test, edge, peak)], n_columns=1)
    return ax


def _critical_counts(test: ComparisonTest, n: int) -> tuple[int, int]:
    """Return the counts below the first and above the second of which the test rejects."""
    if test.alternative == "greater":
        return 0, int(test.critical_value)
    if test.alternative == "less":
        return int(test.critical_value), n
    return int(test.details["critical_low"]), int(test.details["critical_high"])


def _rejected_counts(low: int, high: int, n: int) -> str:
    said = []
    if low > 0:
        said.append(f"fewer than {low:,}")
    if high < n:
        said.append(f"more than {high:,}")
    return " or ".join(said) + " errors" if said else "no count"


def _counts(n: int, rate: float, shown: list[int]) -> NDArray[np.int64]:
    """Return the counts to draw: those that matter, and those that must be seen."""
    middle, spread = n * rate, math.sqrt(n * rate * (1.0 - rate))
    low = max(0, min(*shown, math.floor(middle - 4.5 * spread)) - 1)
    high = min(n, max(*shown, math.ceil(middle + 4.5 * spread)) + 1)
    if n <= 30:
        low, high = 0, n
    if high - low < _POINTS:
        return np.arange(low, high + 1)
    return np.unique(np.linspace(low, high, _POINTS).astype(np.int64))


def _integer_ticks(ax: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(nbins=11, integer=True))


def _observed(value: str, test: ComparisonTest) -> str:
    decision = "rejected" if test.reject else "not rejected"
    return f"observed: {value} (p = {test.pvalue:.3g}, {decision} at {test.alpha:g})"


def _edge(critical: float, statistic: float) -> float:
    """Return how far the axis of t reaches to either side."""
    least = max(4.0, 1.35 * critical)
    seen = 1.15 * abs(statistic)
    return max(least, seen) if seen <= 2.5 * least else least


def _degrees(df: float) -> str:
    return "1 degree of freedom" if df == 1 else f"{df:g} degrees of freedom"


def _tails(alternative: str) -> tuple[int, ...]:
    return {"two-sided": (-1, 1), "less": (-1,), "greater": (1,)}[alternative]


def _rejected_t(test: ComparisonTest, critical: float) -> str:
    if test.alternative == "two-sided":
        return f"|t| ≥ {critical:.4g} ({test.alpha / 2:g} in each tail)"
    sign, bound = ("≤", -critical) if test.alternative == "less" else ("≥", critical)
    return f"t {sign} {bound:.4g} ({test.alpha:g} in the tail)"


def _draw_observed_t(ax: Any, test: ComparisonTest, edge: float, peak: float) -> Any:
    """Draw the t observed, and return what stands for it in the legend."""
    label = _observed(f"t = {test.statistic:.4g}", test)
    if math.isnan(test.statistic):
        return ax.plot([], [], " ", label="observed: t is not defined")[0]
    if abs(test.statistic) < edge:
        return upright(ax, test.statistic, **_OBSERVED, label=label)
    side = math.copysign(1.0, test.statistic)
    ax.annotate(
        "",
        (side * edge, 0.35 * peak),
        xytext=(side * 0.86 * edge, 0.35 * peak),
        arrowprops={"arrowstyle": "-|>", **_OBSERVED},
    )
    return ax.plot([], [], **_OBSERVED, label=f"{label}, beyond the axis")[0]
