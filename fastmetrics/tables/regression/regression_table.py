"""``RegressionTable``: the sums over rows that most regression measures follow from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._files import Members, Saved, scalar
from fastmetrics._input.regression_targets import RegressionRows, check_regression
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_integer, check_real
from fastmetrics._input.weights import check_exponent, check_sums
from fastmetrics._kernels import errors
from fastmetrics._threads.workers import with_threads
from fastmetrics.errors import InputError
from fastmetrics.tables._mergeable import Frozen, Summed
from fastmetrics.tables.regression._sums import ABOUT, DEVIANCE, N_DEVIANCES, Sums, Terms, add_up

Floats = NDArray[np.float64]

ARITHMETIC = Terms(errors.ASK_RELATIVE | errors.ASK_LARGEST | errors.ASK_TARGET | errors.ASK_ERROR)
"""What a public table holds in any case."""

#: Sums of squares, and what else grows with the weights.
_WEIGHED = (
    *(errors.WEIGHT, errors.UNDER, errors.OVER, errors.SQUARED, errors.RELATIVE),
    *(errors.TARGET_SQUARES, errors.ERROR_SQUARES),
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RegressionTable(Frozen, Summed, Saved):
    """The sums over rows of targets and predictions that regression measures follow from.

    It merges with ``+`` (or ``sum``), is never modified, and stands in place of `y_true` in every
    measure that needs no rows. Make one with `from_arrays`. An error is true less predicted.

    Attributes
    ----------
    n_samples : int
        The number of rows.
    n_outputs : int
        The number of outputs.
    weight_exponent : int
        The sums hold the weights times ``2**weight_exponent``: 0 unless the weights were so
        extreme that sums would have left the range of float64.

    Notes
    -----
    160 bytes an output, whatever the number of rows. Sums are compensated: a sum of terms of one
    sign is within 6e-15 of the exact sum, relatively. The centred sums of squares are merged by the
    rule of Chan, Golub & LeVeque (1983), about means of twice the precision of a double.

    Examples
    --------
    >>> from fastmetrics import RegressionTable, mean_squared_error, r2_score
    >>> monday = RegressionTable.from_arrays([3.0, -0.5], [2.5, 0.0])
    >>> tuesday = RegressionTable.from_arrays([2.0, 7.0], [2.0, 8.0])
    >>> table = monday + tuesday
    >>> table
    RegressionTable(4 rows, 1 output, total weight 4)
    >>> mean_squared_error(table), round(r2_score(table), 4)
    (0.375, 0.9486)
    """

    n_samples: int
    weight_exponent: int
    _terms: Terms = field(repr=False)
    _sums: Sums = field(repr=False)

    @classmethod
    @documented()
    @with_threads
    def from_arrays(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        log_errors: bool = False,
        powers: Sequence[float] = (),
        n_threads: int | None = None,
    ) -> Self:
        """Build the table of targets and predictions in one pass, on all cores.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,) or (n, k)
            Targets and predictions: finite real numbers.
        log_errors : bool, default False
            Whether to add up squared logarithmic errors, for which all numbers exceed -1.
        powers : sequence of float, optional
            Powers of Tweedie deviances to add up: at most 0, or at least 1.

        Raises
        ------
        TypeError, ValueError
            For input of the wrong kind, shape or range; the message names the argument, the
            rule, what came and where.

        Notes
        -----
        O(n) time, no temporaries of n rows.

        Examples
        --------
        >>> from fastmetrics import RegressionTable, mean_poisson_deviance
        >>> table = RegressionTable.from_arrays([2, 0, 1], [0.5, 0.5, 2.0], powers=[1])
        >>> round(mean_poisson_deviance(table), 4)
        1.3863
        """
        check_same_index(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
        rows = check_regression(y_true, y_pred, sample_weight)
        wanted = frozenset((check_power(power), True) for power in powers)
        terms = ARITHMETIC | Terms(log_errors=bool(log_errors), powers=wanted - {(0.0, True)})
        return cls.from_rows(rows, terms)

    @classmethod
    def from_rows(cls, rows: RegressionRows, terms: Terms) -> Self:
        """Build the table of checked rows that holds the terms asked for, and no others."""
        sums = add_up(rows, terms)
        return cls(rows.n_samples, rows.weight_exponent, terms, sums)

    @property
    def n_outputs(self) -> int:
        """The number of outputs."""
        return len(self._sums.of_errors)

    @property
    def total_weight(self) -> float:
        """The total weight of the rows; their number if they have no weights."""
        with np.errstate(over="ignore"):  # of weights near the end of float64 the sum is inf
            return float(np.ldexp(self._sums.weights[0], -self.weight_exponent))

    def mean(self, what: str) -> Floats:
        """Return a weighted mean of each output.

        Parameters
        ----------
        what : str
            "under" (true less predicted where that is positive, else 0), "over" (the same for
            predicted less true), "squared_error", "relative_error", "squared_log_error", "target",
            "target_variance" or "error_variance" (centred, divided by the total weight).

        Returns
        -------
        ndarray of shape (n_outputs,)
        """
        column, needed = _MEANS[what]
        if needed is not _NONE:
            self.check_holds(needed)
        if column == errors.TARGET_MEAN:
            return self._sums.means
        sums = self._sums.of_errors
        if needed.log_errors and self._sums.of_logs is not None:
            sums = self._sums.of_logs
        return self._sums.mean(sums, column)

    def largest_error(self) -> Floats:
        """Return the largest absolute error of each output, among rows that weigh something."""
        self.check_holds(Terms(errors.ASK_LARGEST))
        return self._sums.of_errors[:, errors.LARGEST].copy()

    def mean_deviance(self, power: float, *, from_mean: bool = False) -> Floats:
        """Return the mean Tweedie deviance of each output's targets.

        Parameters
        ----------
        power : float
            Not 0, for which it is the squared error, or the variance of the targets.
        from_mean : bool, default False
            Whether to measure from the mean of the targets, not from the predictions.

        Returns
        -------
        ndarray of shape (n_outputs,)
        """
        self.check_holds(Terms(powers=frozenset({(power, from_mean)})))
        return self._sums.mean(self._sums.of_powers[power], ABOUT if from_mean else DEVIANCE)

    def check_holds(self, terms: Terms) -> None:
        """Raise if something was not added up."""
        if terms in self._terms:
            return
        if terms.log_errors and not self._terms.log_errors:
            raise InputError("this table holds no log errors: build it with `log_errors=True`")
        powers = ", ".join(f"{power:g}" for power, _ in sorted(terms.powers))
        raise InputError(f"this table holds no deviances of power {powers}: name it in `powers`")

    def _plus(self, other: Self) -> Self:
        if self.n_outputs != other.n_outputs:
            raise InputError(
                f"tables of {self.n_outputs} and of {other.n_outputs} outputs cannot be added"
            )
        if self._terms != other._terms:
            raise InputError("tables can be added if they hold the same log errors and powers")
        exponent = min(self.weight_exponent, other.weight_exponent)
        total = _rescaled(self._sums, exponent - self.weight_exponent)
        total.add(_rescaled(other._sums, exponent - other.weight_exponent))
        n_samples = self.n_samples + other.n_samples
        return self._of(n_samples, exponent, self._terms, total)

    def _members(self) -> Members:
        sums, powers = self._sums, sorted(self._terms.powers)
        return {
            "n_samples": np.array(self.n_samples),
            "weight_exponent": np.array(self.weight_exponent),
            "asked": np.array(self._terms.asked),
            "powers": np.array([power for power, _ in powers], np.float64),
            "from_mean": np.array([from_mean for _, from_mean in powers], np.bool_),
            "of_errors": sums.of_errors,
            "of_powers": np.array([sums.of_powers[power] for power, _ in powers]),
            **({} if sums.of_logs is None else {"of_logs": sums.of_logs}),
        }

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        n_samples = check_integer("n_samples", scalar(found, "n_samples"), low=1)
        exponent = check_exponent(scalar(found, "weight_exponent"))
        asked = check_integer("asked", scalar(found, "asked"), low=0, high=ARITHMETIC.asked)
        powers = [check_power(power) for power in found["powers"].tolist()]
        from_mean = found["from_mean"].astype(np.bool_).tolist()
        terms = Terms(asked, "of_logs" in found, frozenset(zip(powers, from_mean, strict=True)))
        deviances = dict(zip(powers, found["of_powers"], strict=True))
        sums = Sums(found["of_errors"], found.get("of_logs"), deviances)
        k = len(sums.of_errors)
        of_rows = [sums.of_errors] if sums.of_logs is None else [sums.of_errors, sums.of_logs]
        shapes = [(each, (k, errors.N_SUMS)) for each in of_rows]
        shapes += [(each, (k, N_DEVIANCES)) for each in deviances.values()]
        if any(each.dtype != np.float64 or each.shape != shape for each, shape in shapes):
            raise InputError("sums of other shapes, or of another dtype")
        if not k or len(deviances) < len(powers):
            raise InputError("sums of no rows, or of one power twice")
        _check_sums(sums, n_samples, of_rows)
        return cls(n_samples, exponent, terms, sums)

    def _shown(self) -> Display:
        columns = {
            "output": np.arange(self.n_outputs),
            "mean_absolute_error": self.mean("under") + self.mean("over"),
            "mean_squared_error": self.mean("squared_error"),
        }
        return Display([Table(columns)], repr(self).partition("(")[2].removesuffix(")"))

    def __repr__(self) -> str:
        rows = "1 row" if self.n_samples == 1 else f"{self.n_samples:,} rows"
        outputs = "1 output" if self.n_outputs == 1 else f"{self.n_outputs:,} outputs"
        return f"RegressionTable({rows}, {outputs}, total weight {self.total_weight:.6g})"


_NONE = Terms()
_MEANS = {
    "under": (errors.UNDER, _NONE),
    "over": (errors.OVER, _NONE),
    "squared_error": (errors.SQUARED, _NONE),
    "relative_error": (errors.RELATIVE, Terms(errors.ASK_RELATIVE)),
    "squared_log_error": (errors.SQUARED, Terms(log_errors=True)),
    "target": (errors.TARGET_MEAN, Terms(errors.ASK_TARGET)),
    "target_variance": (errors.TARGET_SQUARES, Terms(errors.ASK_TARGET)),
    "error_variance": (errors.ERROR_SQUARES, Terms(errors.ASK_ERROR)),
}


def check_power(power: Any) -> float:
    """Return the power of a Tweedie deviance: at most 0, or at least 1."""
    number = check_real("power", power)
    if not (number <= 0.0 or number >= 1.0) or math.isinf(number):
        raise InputError(f"`power` must be at most 0 or at least 1, and finite: got {power!r}")
    return number


def _check_sums(sums: Sums, n_samples: int, of_rows: list[Floats]) -> None:
    """Raise if sums are none of that many rows; those of numbers that overflowed are not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        positive = [each[:, _WEIGHED] + each[:, [c + 1 for c in _WEIGHED]] for each in of_rows]
        for each in sums.of_powers.values():  # what is moved about a mean may be rounded below 0
            moved = each[:, ABOUT] + each[:, ABOUT + 1] + 1e-9 * sums.weights
            positive += [each[:, DEVIANCE] + each[:, DEVIANCE + 1], moved]
        check_sums(sums.weights)
    if any((each < 0).any() for each in positive) or not sums.weights.all():
        raise InputError("a sum of what is not negative is, or the weight is 0")
    if any(not np.allclose(each[:, errors.ROWS], n_samples, rtol=1e-9) for each in of_rows):
        raise InputError(f"sums of other rows than {n_samples:,}")


def _rescaled(sums: Sums, exponent: int) -> Sums:
    """Return a copy of the sums for weights times a power of two."""
    copy = sums.copy()
    if exponent:
        factor = 2.0**exponent
        for array in (copy.of_errors, copy.of_logs):
            if array is not None:
                for column in _WEIGHED:
                    array[:, column : column + 2] *= factor
        for array in copy.of_powers.values():
            array[:, [DEVIANCE, DEVIANCE + 1, ABOUT, ABOUT + 1]] *= factor
    return copy
