"""Power and sample size of the test of two AUCs on the same examples."""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple, get_args

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_fraction, check_integer
from fastmetrics.comparison.planning.power_accuracy import (
    DESIGN,
    MOST_EXAMPLES,
    SampleSize,
    Sides,
    critical_z,
    normal_power,
    smallest,
)
from fastmetrics.errors import InputError

AucVariance = Literal["binormal", "hanley-mcneil"]

_AUCS: Final = """
Parameters
----------
auc_a, auc_b : float
    True AUCs, in (0, 1).
correlation : float
    Between the two estimated AUCs, in (-1, 1); `delong_test` on a pilot gives it: covariance over
    the product of the standard errors. 0 for models on different examples.
variance : {"binormal", "hanley-mcneil"}, default="binormal"
    Of an AUC: for normal scores of equal variance in both classes, or for the exponential scores
    of Hanley and McNeil.

Raises
------
TypeError
    If a number is none.
ValueError
    If a number is out of range.

References
----------
Hanley & McNeil (1982), Radiology 143:29-36, and (1983), Radiology 148:839-843. Obuchowski &
McClish (1997), Sample size determination for diagnostic accuracy studies involving binormal
ROC curve indices, Statistics in Medicine 16:1529-1542.
"""


@documented(_AUCS, DESIGN)
def power_paired_auc(
    n_positive: int,
    n_negative: int,
    *,
    auc_a: float,
    auc_b: float,
    correlation: float,
    confidence_level: float = 0.95,
    alternative: Sides = "two-sided",
    variance: AucVariance = "binormal",
) -> float:
    """Return the power of DeLong's test to find a difference of two AUCs.

    Parameters
    ----------
    n_positive, n_negative : int
        Examples of either class that both models score.

    Returns
    -------
    float
        The chance of a significant result in the right direction.

    Notes
    -----
    Phi((|d| - z s_0) / s_1), s_0 the standard error of the difference if both AUCs were their
    mean, s_1 as they are. One AUC has the variance (A (1 - A) + (n+ - 1)(Q1 - A^2) + (n- - 1)(Q2 -
    A^2)) / (n+ n-), with Q1 = A / (2 - A) and Q2 = 2 A^2 / (1 + A) (Hanley and McNeil), or with
    both the chance that two independent examples of one class beat, or are beaten by, the same one
    of the other, for normal scores (Owen's T). Where the spreads of the classes differ, so does
    the variance: then take the standard errors of a pilot.

    Examples
    --------
    >>> round(power_paired_auc(100, 200, auc_a=0.85, auc_b=0.80, correlation=0.6), 4)
    0.6096
    """
    check_integer("n_positive", n_positive, low=1, high=MOST_EXAMPLES)
    check_integer("n_negative", n_negative, low=1, high=MOST_EXAMPLES)
    design = _design(auc_a, auc_b, correlation, variance)
    return _power(n_positive, n_negative, design, critical_z(confidence_level, alternative))


@documented(_AUCS, DESIGN)
def sample_size_paired_auc(
    *,
    auc_a: float,
    auc_b: float,
    correlation: float,
    ratio: float = 1.0,
    power: float = 0.8,
    confidence_level: float = 0.95,
    alternative: Sides = "two-sided",
    variance: AucVariance = "binormal",
) -> SampleSize:
    """Return how many examples DeLong's test needs to find a difference of two AUCs.

    Parameters
    ----------
    ratio : float, default=1.0
        Negatives for each positive, up to 10^15.

    Returns
    -------
    SampleSize
        The smallest number of positives with their negatives, rounded up, and the power reached.

    Raises
    ------
    ValueError
        If the AUCs are equal.

    Notes
    -----
    The smallest number of positives at which `power_paired_auc` is at least `power`.

    Examples
    --------
    >>> size = sample_size_paired_auc(auc_a=0.85, auc_b=0.80, correlation=0.6, ratio=2)
    >>> size.n_positive, size.n_negative
    (157, 314)
    """
    design = _design(auc_a, auc_b, correlation, variance)
    z = critical_z(confidence_level, alternative)
    check_fraction("power", power)
    many = check_fraction("ratio", ratio, high=MOST_EXAMPLES, include_high=True)
    if auc_a == auc_b:
        raise InputError("`auc_a` and `auc_b` must differ: there is nothing to find")

    def reached(n_positive: int) -> float:
        return _power(n_positive, math.ceil(many * n_positive), design, z)

    positives = smallest(reached, power)
    negatives = math.ceil(many * positives)
    return SampleSize(
        n=positives + negatives,
        n_positive=positives,
        n_negative=negatives,
        power=reached(positives),
        difference=auc_a - auc_b,
        confidence_level=float(confidence_level),
        alternative=alternative,
        method=f"paired AUCs, {variance} variance",
    )


class _Auc(NamedTuple):
    """An AUC, and the chances Q1 and Q2 of two examples of a class beside one of the other."""

    auc: float
    q1: float
    q2: float

    def variance(self, n_positive: int, n_negative: int) -> float:
        square = self.auc * self.auc
        total = (
            self.auc * (1 - self.auc)
            + (n_positive - 1) * (self.q1 - square)
            + (n_negative - 1) * (self.q2 - square)
        )
        return total / (n_positive * n_negative)


class _Design(NamedTuple):
    a: _Auc
    b: _Auc
    mean: _Auc
    correlation: float


def _design(auc_a: float, auc_b: float, correlation: float, variance: str) -> _Design:
    a, b = check_fraction("auc_a", auc_a), check_fraction("auc_b", auc_b)
    r = check_fraction("correlation", correlation, low=-1.0)
    check_choice("variance", variance, get_args(AucVariance))
    mean = _chances((a + b) / 2, variance)
    return _Design(_chances(a, variance), _chances(b, variance), mean, r)


def _chances(auc: float, variance: str) -> _Auc:
    if variance == "hanley-mcneil":
        return _Auc(auc, auc / (2 - auc), 2 * auc * auc / (1 + auc))
    from scipy.special import ndtri, owens_t

    # Two normal differences that share one score have the correlation 1/2.
    both = auc - 2 * float(owens_t(float(ndtri(auc)), 1 / math.sqrt(3.0)))
    return _Auc(auc, both, both)


def _power(n_positive: int, n_negative: int, design: _Design, z: float) -> float:
    r = design.correlation
    a, b = (each.variance(n_positive, n_negative) for each in (design.a, design.b))
    alike = 2 * (1 - r) * design.mean.variance(n_positive, n_negative)
    apart = a + b - 2 * r * math.sqrt(a * b)
    difference = abs(design.a.auc - design.b.auc)
    return normal_power(difference - z * math.sqrt(alike), math.sqrt(max(0.0, apart)))
