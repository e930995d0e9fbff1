"""Power and sample size of McNemar's test of two accuracies on the same examples."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    check_choice,
    check_decision_level,
    check_fraction,
    check_integer,
    check_real,
)
from fastmetrics._results import Result
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.reference import critical_value, tail

Sides = Literal["two-sided", "one-sided"]
AccuracyFormula = Literal["connor", "miettinen"]
McNemarForm = Literal["corrected", "uncorrected"]

#: More than anyone has; the products of three such numbers are floats.
MOST_EXAMPLES: Final = 10**15

#: What all that plans a comparison takes.
DESIGN: Final = """
Parameters
----------
power : float, default=0.8
    The chance to find the difference.
confidence_level : float, default=0.95
    Level of the test.
alternative : {"two-sided", "one-sided"}, default="two-sided"
    Of the test.
"""

_ACCURACIES: Final = """
Parameters
----------
test : {"corrected", "uncorrected"}, default="corrected"
    The form of McNemar's test that is planned, as `mcnemar_test` calls it; the exact one has the
    power of the corrected one, mid-p that of the uncorrected, nearly.
accuracy_a, accuracy_b : float
    True accuracies, in [0, 1].
discordance : float, optional
    Share of the examples that exactly one of the models gets right: at least the difference.
correlation : float, optional
    In place of `discordance`: between the two models being right. One of the two is needed; 0 is
    the discordance of independent models, and those of one task agree much more.
method : {"connor", "miettinen"}, default="connor"
    "miettinen" allows for the varying number of discordant examples, and says a little more.

Raises
------
TypeError
    If both or none of `discordance` and `correlation` are given.
ValueError
    If an accuracy, the discordance or the correlation is out of range or cannot be, or an option
    is out of range.

References
----------
Miettinen (1968), The matched pairs design in the case of all-or-none responses, Biometrics
24:339-352. Connor (1987), Sample size for testing differences in proportions for the
paired-sample design, Biometrics 43:207-211.
"""


@dataclass(frozen=True, slots=True, repr=False)
class SampleSize(Result):
    """The smallest number of examples with at least the power asked for.

    Attributes
    ----------
    n : int
        Examples that both models are to be run on.
    n_positive, n_negative : int or None
        Of either class; None where the classes do not matter.
    power : float
        Reached with so many.
    difference : float
        The true difference to be found, A less B.
    confidence_level : float
        Level of the test.
    alternative : {"two-sided", "one-sided"}
        Of the test.
    method : str
        The formula.
    """

    n: int
    n_positive: int | None
    n_negative: int | None
    power: float
    difference: float
    confidence_level: float
    alternative: str
    method: str


@documented(_ACCURACIES, DESIGN)
def power_paired_accuracy(
    n: int,
    *,
    accuracy_a: float,
    accuracy_b: float,
    discordance: float | None = None,
    correlation: float | None = None,
    confidence_level: float = 0.95,
    alternative: Sides = "two-sided",
    test: McNemarForm = "corrected",
    method: AccuracyFormula = "connor",
) -> float:
    """Return the power of McNemar's test to find a difference of two accuracies.

    Parameters
    ----------
    n : int
        Examples that both models are run on.

    Returns
    -------
    float
        The chance of a significant result in the right direction.

    Notes
    -----
    With d the difference and psi the discordance: Connor, Phi((sqrt(n) |d| - z sqrt(psi)) /
    sqrt(psi - d^2)); Miettinen, Phi((sqrt(n psi) |d| - z psi) / sqrt(psi^2 - d^2 (3 + psi) / 4)).
    The correction for continuity takes 1 / n from |d|: some 2 / |d| more examples are needed.

    Examples
    --------
    >>> round(power_paired_accuracy(1000, accuracy_a=0.92, accuracy_b=0.90, discordance=0.06), 4)
    0.6896
    """
    check_integer("n", n, low=1, high=MOST_EXAMPLES)
    design = _design(accuracy_a, accuracy_b, discordance, correlation)
    z = critical_z(confidence_level, alternative)
    check_choice("test", test, get_args(McNemarForm))
    check_choice("method", method, get_args(AccuracyFormula))
    return _power(n, design, z, test, method)


@documented(_ACCURACIES, DESIGN)
def sample_size_paired_accuracy(
    *,
    accuracy_a: float,
    accuracy_b: float,
    discordance: float | None = None,
    correlation: float | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    alternative: Sides = "two-sided",
    test: McNemarForm = "corrected",
    method: AccuracyFormula = "connor",
) -> SampleSize:
    """Return how many examples McNemar's test needs to find a difference of two accuracies.

    Returns
    -------
    SampleSize
        `n` examples, and the power that they reach.

    Raises
    ------
    ValueError
        If the accuracies are equal.

    Notes
    -----
    The smallest n at which `power_paired_accuracy` is at least `power`.

    Examples
    --------
    >>> sample_size_paired_accuracy(accuracy_a=0.92, accuracy_b=0.90, discordance=0.06).n
    1274
    """
    design = _design(accuracy_a, accuracy_b, discordance, correlation)
    z = critical_z(confidence_level, alternative)
    check_choice("test", test, get_args(McNemarForm))
    check_choice("method", method, get_args(AccuracyFormula))
    check_fraction("power", power)
    if design.difference == 0:
        raise InputError("`accuracy_a` and `accuracy_b` must differ: there is nothing to find")
    n = smallest(lambda n: _power(n, design, z, test, method), power)
    return SampleSize(
        n=n,
        n_positive=None,
        n_negative=None,
        power=_power(n, design, z, test, method),
        difference=design.difference,
        confidence_level=float(confidence_level),
        alternative=alternative,
        method=f"McNemar, {method.capitalize()}",
    )


class _Design(NamedTuple):
    difference: float
    discordance: float


def _design(a: float, b: float, discordance: float | None, correlation: float | None) -> _Design:
    for name, value in (("accuracy_a", a), ("accuracy_b", b)):
        check_fraction(name, value, include_low=True, include_high=True)
    if discordance is not None and correlation is None:
        psi, what, given = check_real("discordance", discordance), "discordance", discordance
    elif correlation is not None and discordance is None:
        both = check_real("correlation", correlation) * math.sqrt(a * (1 - a) * b * (1 - b))
        psi, what, given = a * (1 - b) + b * (1 - a) - 2 * both, "correlation", correlation
    else:
        came = "neither" if discordance is None else "both"
        raise InputTypeError(f"pass either `discordance` or `correlation`: got {came}")
    least, most = abs(a - b), min(a + b, 2 - a - b)
    slack = 1e-12
    if not (least - slack <= psi <= most + slack and psi > 0):
        raise InputError(
            f"`{what}` of {given!r} cannot be: accuracies of {a:g} and {b:g} leave a discordance "
            f"of {least:g} to {most:g}"
        )
    return _Design(a - b, min(max(psi, least), most))


def _power(n: int, design: _Design, z: float, test: str, method: str) -> float:
    d, psi = abs(design.difference), design.discordance
    seen = d - 1.0 / n if test == "corrected" else d
    if method == "connor":
        return normal_power(math.sqrt(n) * seen - z * math.sqrt(psi), math.sqrt(psi - d * d))
    deviation = math.sqrt(max(0.0, psi * psi - d * d * (3 + psi) / 4))
    return normal_power(math.sqrt(n * psi) * seen - z * psi, deviation)


def critical_z(confidence_level: float, alternative: Sides) -> float:
    """Return the normal quantile of a checked level."""
    alpha = check_decision_level(confidence_level)
    check_choice("alternative", alternative, get_args(Sides))
    return critical_value(math.inf, alpha, "two-sided" if alternative == "two-sided" else "greater")


def normal_power(excess: float, deviation: float) -> float:
    """Return Phi(excess / deviation), and what it tends to where nothing deviates."""
    if deviation == 0:
        return 1.0 if excess > 0 else 0.0
    return tail(excess / deviation, math.inf)


def smallest(power: Callable[[int], float], target: float) -> int:
    """Return the smallest number, 10^15 at most, whose power is at least ``target``."""
    high = 1
    while power(high) < target:
        high *= 2
        if high > MOST_EXAMPLES:
            raise InputError("more than 10^15 examples are needed: the difference is too small")
    low = high // 2 + 1
    return low + bisect_left(range(low, high), target, key=power)
