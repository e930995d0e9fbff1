"""What a test expects if its null hypothesis holds, where it rejects, and what was observed."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._plots._style import (
    INK,
    PALE,
    REJECTED,
    axes_or_new,
    legend_off_curves,
    plain_spines,
    upright,
)

_BARS: Final = 120
"""So many counts have a bar each; more become one outline."""

_POINTS: Final = 2_000
_PLAIN: Final[dict[str, Any]] = {"facecolor": PALE, "edgecolor": "0.35"}
_HATCHED: Final[dict[str, Any]] = {"facecolor": "white", "edgecolor": REJECTED, "hatch": "////"}
_OBSERVED: Final = {"color": INK, "lw": 1.4, "ls": "--"}
_TAILS: Final = {"two-sided": (-1, 1), "less": (-1,), "greater": (1,)}


class Observed(NamedTuple):
    """What a test found, and what it decided."""

    statistic: float
    pvalue: float
    alpha: float
    reject: bool

    def said(self, statistic: str) -> str:
        """Return what the legend says, given the statistic as it is written."""
        decision = "rejected" if self.reject else "not rejected"
        return f"observed: {statistic} (p = {self.pvalue:.3g}, {decision} at {self.alpha:g})"


def draw_binomial(
    observed: Observed, n: int, rate: float, accepted: tuple[int, int], ax: Any = None
) -> Any:
    """Draw the distribution of the errors of n examples, and what a test of them rejects.

    It rejects counts below the first and above the second of ``accepted``, and has observed its
    statistic.
    """
    ax = axes_or_new(ax)
    from matplotlib.patches import Patch
    from scipy.stats import binom

    seen, (low, high) = int(observed.statistic), accepted
    bounds = [count for count, rejects in ((low, low > 0), (high, high < n)) if rejects]
    counts = _counts(n, rate, [seen, *bounds])
    chances = binom.pmf(counts, n, rate)
    rejected = (counts < low) | (counts > high)
    size = float(binom.cdf(low - 1, n, rate) + binom.sf(high, n, rate))
    null = f"binomial({n:,}, {rate:g})"
    said = f"rejected: {_rejected_counts(low, high, n)} (size {size:.3g})"
    if len(counts) <= _BARS and counts[-1] - counts[0] < _BARS:
        ax.bar(counts[~rejected], chances[~rejected], width=0.8, **_PLAIN)
        ax.bar(counts[rejected], chances[rejected], width=0.8, **_HATCHED)
        ax.locator_params(axis="x", nbins=11, integer=True)
    else:
        ax.fill_between(counts, chances, where=~rejected, **_PLAIN)
        ax.fill_between(counts, chances, where=rejected, **_HATCHED)
    ax.set_xlim(counts[0] - 0.8, counts[-1] + 0.8)
    ax.set_ylim(0.0, 1.05 * float(chances.max()))
    line = upright(ax, seen, **_OBSERVED, label=observed.said(f"{seen:,}"))
    ax.set_xlabel(f"errors of {n:,}")
    ax.set_ylabel("probability")
    plain_spines(ax)
    areas = [Patch(label=null, **_PLAIN), Patch(label=said, **_HATCHED)]
    legend_off_curves(ax, handles=[*areas, line])
    return ax


def draw_t(
    observed: Observed, df: float, critical_value: float, alternative: str, ax: Any = None
) -> Any:
    """Draw Student's t distribution, and the tails where a test rejects.

    An arrow points to a t outside the figure. The critical value is nan where it is not defined,
    and the degrees of freedom are 0 where there is no t.
    """
    ax = axes_or_new(ax)
    from matplotlib.patches import Patch
    from scipy.stats import t as student

    ax.set_xlabel("t")
    ax.set_ylabel("density")
    plain_spines(ax)
    if df <= 0:
        said = "t is not defined: it has no degrees of freedom"
        ax.text(0.5, 0.5, said, ha="center", va="center", transform=ax.transAxes)
        return ax
    critical = abs(critical_value)
    if not math.isfinite(critical):  # of a test that is not defined
        tail = observed.alpha / 2 if alternative == "two-sided" else observed.alpha
        critical = float(student.isf(tail, df))
    edge, seen = max(4.0, 1.35 * critical), 1.15 * abs(observed.statistic)
    edge = max(edge, seen) if seen <= 2.5 * edge else edge
    values = np.linspace(-edge, edge, _POINTS + 1)
    density = student.pdf(values, df)
    peak = float(density.max())
    ax.set_xlim(-edge, edge)
    ax.set_ylim(0.0, 1.05 * peak)
    degrees = "1 degree" if df == 1 else f"{df:g} degrees"
    curve = ax.plot(values, density, color=INK, lw=1.4, label=f"t with {degrees} of freedom")[0]
    for side in _TAILS[alternative]:
        tail_values = np.linspace(side * critical, side * edge, _POINTS // 4)
        heights = student.pdf(tail_values, df)
        ax.fill_between(tail_values, heights, **_HATCHED)
        # Few degrees of freedom have tails too flat to be seen.
        ax.plot([tail_values[0]] * 2, [0.0, max(heights[0], 0.05 * peak)], color=REJECTED, lw=1.4)
    said = f"rejected: {_rejected_t(observed.alpha, alternative, critical)}"
    tails = Patch(label=said, **_HATCHED)
    legend_off_curves(ax, handles=[curve, tails, _draw_observed_t(ax, observed, edge, peak)])
    return ax


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


def _rejected_t(alpha: float, alternative: str, critical: float) -> str:
    if alternative == "two-sided":
        return f"|t| ≥ {critical:.4g} ({alpha / 2:g} in each tail)"
    sign, bound = ("≤", -critical) if alternative == "less" else ("≥", critical)
    return f"t {sign} {bound:.4g} ({alpha:g} in the tail)"


def _draw_observed_t(ax: Any, observed: Observed, edge: float, peak: float) -> Any:
    """Draw the t observed, and return what stands for it in the legend."""
    t = observed.statistic
    label = observed.said(f"t = {t:.4g}")
    if math.isnan(t):
        return ax.plot([], [], " ", label="observed: t is not defined")[0]
    if abs(t) < edge:
        return upright(ax, t, **_OBSERVED, label=label)
    side = math.copysign(1.0, t)
    ax.annotate(
        "",
        (side * edge, 0.35 * peak),
        xytext=(side * 0.86 * edge, 0.35 * peak),
        arrowprops={"arrowstyle": "-|>", **_OBSERVED},
    )
    return ax.plot([], [], **_OBSERVED, label=f"{label}, beyond the axis")[0]
