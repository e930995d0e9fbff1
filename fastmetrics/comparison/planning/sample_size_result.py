"""``SampleSize``: how many examples a comparison of two models needs."""

from __future__ import annotations

from dataclasses import dataclass

from fastmetrics._results import Result


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
    alpha : float
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
    alpha: float
    alternative: str
    method: str
