"""``RegressionTable``: the sums that errors, scores and deviances follow from.

May import the input layer and the kernels, no other table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._files import Members, Saved, scalar
from fastmetrics._input.regression_targets import (
    LOGARITHMS,
    RegressionRows,
    check_regression,
    power_domain,
)
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_flag, check_integer, check_real
from fastmetrics._input.scores import check_exponent, check_sums
from fastmetrics._kernels import errors
from fastmetrics._kernels.errors import deviance_sums
from fastmetrics._threads.workers import run, with_threads
from fastmetrics.errors import InputError
from fastmetrics.tables._mergeable import Frozen, Summed

Floats = NDArray[np.float64]

#: Numbers of a job, and of a piece: its copies and logarithms stay in the L2 cache, and are small
#: enough (64 KiB) for memory that the C library hands out again without a call to the kernel.
JOB: Final = 1 << 17
PIECE: Final = 1 << 13

#: A mean of squares below it has lost digits, or all of itself.
LEAST_SQUARE: Final = 2.0**-960

# Columns of the sums of one output; what follows a sum is the rest that it lost.
DEVIANCE = 0  # of the targets from the predictions
ABOUT = 2  # of the targets from the reference
REFERENCE = 4
N_DEVIANCES = 5


@dataclass(frozen=True, slots=True)
class Terms:
    """Sums requested beside the errors and their squares.

    ``powers`` holds the powers of Tweedie deviances, each with whether the deviance from the mean
    is included.
    """

    arithmetic: int = 0
    log_errors: bool = False
    powers: frozenset[tuple[float, bool]] = frozenset()

    def __or__(self, other: Terms) -> Terms:
        """Return the union of both requests."""
        powers = dict(sorted(self.powers | other.powers))  # (power, True) comes last, and stays
        return Terms(
            self.arithmetic | other.arithmetic,
            self.log_errors or other.log_errors,
            frozenset(powers.items()),
        )

    def __contains__(self, other: Terms) -> bool:
        """Return whether the other's sums are among these."""
        if other.arithmetic & ~self.arithmetic or other.log_errors > self.log_errors:
            return False
        return not other.powers or self | other == self


@dataclass(slots=True, eq=False)
class ErrorSums:
    """Sums over rows: those of the errors, of their logarithms, and of each power's deviances."""

    error_sums: Floats
    log_sums: Floats | None
    deviance_sums: dict[float, Floats]

    @property
    def weights(self) -> Floats:
        """The total weight, once for each output."""
        return np.asarray(self.error_sums[:, errors.WEIGHT] + self.error_sums[:, errors.WEIGHT + 1])

    @property
    def means(self) -> Floats:
        """The mean of the targets of each output."""
        column = errors.TARGET_MEAN
        return np.asarray(self.error_sums[:, column] + self.error_sums[:, column + 1])

    def mean(self, sums: Floats, column: int) -> Floats:
        """Return a sum with its rest, which is left out if the sum has overflowed, over the weight.

        ``sums`` are some of these, with an output in each row.
        """
        if len(sums) == 1:  # one number, for which arrays would take most of a small call's time
            high, low = sums.item(column), sums.item(column + 1)
            weight = self.error_sums.item(errors.WEIGHT) + self.error_sums.item(errors.WEIGHT + 1)
            return np.array([(high + low if math.isfinite(high) else high) / weight])
        with np.errstate(all="ignore"):
            highs, lows = sums[:, column], sums[:, column + 1]
            means: Floats = np.where(np.isfinite(highs), highs + lows, highs) / self.weights
        return means

    def copy(self) -> ErrorSums:
        """Return a copy of the sums."""
        logs = None if self.log_sums is None else self.log_sums.copy()
        powers = {power: sums.copy() for power, sums in self.deviance_sums.items()}
        return ErrorSums(self.error_sums.copy(), logs, powers)

    def add(self, other: ErrorSums) -> None:
        """Add the sums over other rows, which hold the same terms."""
        before = self.means, self.weights
        with np.errstate(all="ignore"):
            errors.merge_error_sums(self.error_sums, other.error_sums)
            if self.log_sums is not None:
                errors.merge_error_sums(self.log_sums, other.log_sums)
            for power in self.deviance_sums:
                self._add_deviances(power, other, *before)

    def _add_deviances(
        self, power: float, other: ErrorSums, means: Floats, weights: Floats
    ) -> None:
        """Add the deviances of other rows; means and weights are those of this object before."""
        mine = self.deviance_sums[power]
        theirs = other.deviance_sums[power]
        merged = mine.copy()
        _add(merged, DEVIANCE, theirs[:, DEVIANCE], theirs[:, DEVIANCE + 1])
        if mine[:, REFERENCE].all():  # else nothing was summed about a reference
            merged[:, REFERENCE] = np.where(self.means > 0, self.means, mine[:, REFERENCE])
            _add(merged, ABOUT, theirs[:, ABOUT], theirs[:, ABOUT + 1])
            for sums, mean, weight in (mine, means, weights), (theirs, other.means, other.weights):
                shift = _deviances(mean, merged[:, REFERENCE], power)
                shift -= _deviances(mean, sums[:, REFERENCE], power)
                _add(merged, ABOUT, np.where(weight > 0, weight * shift, 0.0), 0.0)
        self.deviance_sums[power] = merged


def add_up(rows: RegressionRows, terms: Terms) -> ErrorSums:
    """Return the sums over all rows; raise for values that are not finite or have no such term."""
    n = rows.n_samples
    size = max(errors.BLOCK, JOB // rows.n_outputs)
    jobs: list[Callable[[], tuple[ErrorSums, bool]]] = [
        partial(_job, rows, terms, first, min(first + size, n)) for first in range(0, n, size)
    ]
    done = run(jobs)
    total, is_sound = done[0]
    for sums, is_sound_here in done[1:]:
        is_sound &= is_sound_here
        total.add(sums)
    if not is_sound:  # raise, or an error overflows, and so does the metric
        rows.recheck()
        if terms.log_errors:
            rows.recheck_domain(LOGARITHMS)
        for power, _ in sorted(terms.powers):
            rows.recheck_domain(power_domain(power))
    return total


def _job(rows: RegressionRows, terms: Terms, first: int, last: int) -> tuple[ErrorSums, bool]:
    """Return the sums over some rows, and whether all terms are finite and defined."""
    in_place = rows.is_canonical and not terms.log_errors
    if in_place and not terms.powers:  # machine code warns of no overflow
        return _piece(rows, terms, first, last)
    size = last - first if in_place else max(errors.LANES, PIECE // rows.n_outputs)
    with np.errstate(all="ignore"):
        total, is_sound = _piece(rows, terms, first, min(first + size, last))
        for start in range(first + size, last, size):
            sums, is_sound_here = _piece(rows, terms, start, min(start + size, last))
            is_sound &= is_sound_here
            total.add(sums)
    return total, is_sound


def _piece(rows: RegressionRows, terms: Terms, first: int, last: int) -> tuple[ErrorSums, bool]:
    y_true, y_pred, weights = rows.piece(first, last)
    k = rows.n_outputs
    sums = ErrorSums(np.zeros((k, errors.N_SUMS)), None, {})
    is_sound = errors.error_sums(y_true, y_pred, k, weights, terms.arithmetic, sums.error_sums)
    for power, about in terms.powers:
        deviances = add_deviances(y_true, y_pred, weights, (sums.means, sums.weights), power, about)
        sums.deviance_sums[power] = deviances[0]
        is_sound = is_sound and deviances[1]
    if terms.log_errors:
        sums.log_sums = np.zeros((k, errors.N_SUMS))
        logs = (np.log1p(each, dtype=np.float64) for each in (y_true, y_pred))
        is_sound &= errors.error_sums(*logs, k, weights, 0, sums.log_sums)
    return sums, bool(is_sound)


def add_deviances(
    y: NDArray[np.generic],
    pred: NDArray[np.generic],
    weights: Floats,
    means: tuple[Floats, Floats],
    power: float,
    about: bool,
) -> tuple[Floats, bool]:
    """Return the sums over rows of outputs, and whether the deviance is defined for all of them.

    ``means`` are those of the targets of each output, and the total weights.
    """
    n_outputs = len(means[0])
    sums = np.zeros((n_outputs, N_DEVIANCES))
    is_sound = True
    for j, (mean, total) in enumerate(zip(*means, strict=True)):
        pair = sums[j, DEVIANCE : DEVIANCE + 2]
        is_sound &= deviance_sums(y, pred, n_outputs, j, 0.0, weights, power, pair)
        if about:
            # A mean that is no reference (not positive) leaves it to the predictions, which are.
            column = pred.reshape(-1, n_outputs)[:, j]
            reference = mean if mean > 0 else column.mean(dtype=np.float64)
            sums[j, REFERENCE] = reference
            if total > 0:
                pair = sums[j, ABOUT : ABOUT + 2]
                deviance_sums(y, pred, n_outputs, j, float(reference), weights, power, pair)
    return sums, bool(is_sound)


def _deviances(y: Floats, reference: Floats, power: float) -> Floats:
    """Return the deviance of each number from its reference."""
    sums = np.zeros((len(y), 2))
    for j, (one, other) in enumerate(zip(y, reference, strict=True)):
        deviance_sums(np.array([one]), np.array([other]), 1, 0, 0.0, np.empty(0), power, sums[j])
    return sums[:, 0]


def _add(sums: Floats, column: int, terms: Floats, rests: Floats | float) -> None:
    """Add to a column of sums, with Knuth's two-sum."""
    before = sums[:, column].copy()
    total = before + terms
    added = total - before
    sums[:, column] = total
    sums[:, column + 1] += (before - (total - added)) + (terms - added) + rests


ARITHMETIC = Terms(errors.ASK_RELATIVE | errors.ASK_LARGEST | errors.ASK_TARGET | errors.ASK_ERROR)
"""What a public table holds in any case."""

#: Sums of squares, and what else grows with the weights.
_WEIGHED = (
    *(errors.WEIGHT, errors.UNDER, errors.OVER, errors.SQUARED, errors.RELATIVE),
    *(errors.TARGET_SQUARES, errors.ERROR_SQUARES),
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RegressionTable(Frozen, Summed, Saved):
    """The sums over rows of targets and predictions that regression metrics follow from.

    It merges with ``+`` (or ``sum``), is never modified, and stands in place of `y_true` in every
    metric that needs no rows. Make one with `from_arrays`. An error is true less predicted.

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
    _sums: ErrorSums = field(repr=False)

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
        is_logged = check_flag("log_errors", log_errors)
        terms = ARITHMETIC | Terms(log_errors=is_logged, powers=wanted - {(0.0, True)})
        return cls.from_rows(rows, terms)

    @classmethod
    def from_rows(cls, rows: RegressionRows, terms: Terms) -> Self:
        """Build the table of checked rows with the requested terms, and no others."""
        return cls(rows.n_samples, rows.weight_exponent, terms, add_up(rows, terms))

    @property
    def n_outputs(self) -> int:
        """The number of outputs."""
        return len(self._sums.error_sums)

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
        sums = self._sums.error_sums
        if needed.log_errors and self._sums.log_sums is not None:
            sums = self._sums.log_sums
        return self._sums.mean(sums, column)

    def has_extreme_squares(self) -> bool:
        """Return whether a mean of squares, of errors or targets, may have left float64's range."""
        sums = self._sums.error_sums
        has_targets = self._terms.arithmetic & errors.ASK_TARGET
        least = LEAST_SQUARE * sums.item(errors.WEIGHT)
        for output in range(len(sums)):
            if not least < sums.item(output, errors.SQUARED) < math.inf:
                return True
            if has_targets and not least < sums.item(output, errors.TARGET_SQUARES) < math.inf:
                return True
        return False

    def largest_error(self) -> Floats:
        """Return the largest absolute error of each output, among rows that weigh something."""
        self.check_holds(Terms(errors.ASK_LARGEST))
        return self._sums.error_sums[:, errors.LARGEST].copy()

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
        return self._sums.mean(self._sums.deviance_sums[power], ABOUT if from_mean else DEVIANCE)

    def check_holds(self, terms: Terms) -> None:
        """Raise if the table lacks some of the terms."""
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
        total = _rescale(self._sums, exponent - self.weight_exponent)
        total.add(_rescale(other._sums, exponent - other.weight_exponent))
        return self._of(self.n_samples + other.n_samples, exponent, self._terms, total)

    def _members(self) -> Members:
        sums = self._sums
        powers = sorted(self._terms.powers)
        return {
            "n_samples": np.array(self.n_samples),
            "weight_exponent": np.array(self.weight_exponent),
            "asked": np.array(self._terms.arithmetic),
            "powers": np.array([power for power, _ in powers], np.float64),
            "from_mean": np.array([from_mean for _, from_mean in powers], np.bool_),
            "of_errors": sums.error_sums,
            "of_powers": np.array([sums.deviance_sums[power] for power, _ in powers]),
            **({} if sums.log_sums is None else {"of_logs": sums.log_sums}),
        }

    @classmethod
    def _from_members(cls, members: Members) -> Self:
        n_samples = check_integer("n_samples", scalar(members, "n_samples"), low=1)
        exponent = check_exponent(scalar(members, "weight_exponent"))
        arithmetic = check_integer(
            "asked", scalar(members, "asked"), low=0, high=ARITHMETIC.arithmetic
        )
        powers = [check_power(power) for power in members["powers"].tolist()]
        from_mean = members["from_mean"].astype(np.bool_).tolist()
        terms = Terms(
            arithmetic, "of_logs" in members, frozenset(zip(powers, from_mean, strict=True))
        )
        deviances = dict(zip(powers, members["of_powers"], strict=True))
        sums = ErrorSums(members["of_errors"], members.get("of_logs"), deviances)
        k = len(sums.error_sums)
        row_sums = [sums.error_sums] if sums.log_sums is None else [sums.error_sums, sums.log_sums]
        shapes = [(each, (k, errors.N_SUMS)) for each in row_sums]
        shapes += [(each, (k, N_DEVIANCES)) for each in deviances.values()]
        if any(each.dtype != np.float64 or each.shape != shape for each, shape in shapes):
            raise InputError("sums of other shapes, or of another dtype")
        if not k or len(deviances) < len(powers):
            raise InputError("sums of no rows, or of one power twice")
        _check_sums(sums, n_samples, row_sums)
        return cls(n_samples, exponent, terms, sums)

    def _display(self) -> Display:
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


def _check_sums(sums: ErrorSums, n_samples: int, row_sums: list[Floats]) -> None:
    """Raise if sums do not fit the number of rows; overflowed sums may be infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        positive = [each[:, _WEIGHED] + each[:, [c + 1 for c in _WEIGHED]] for each in row_sums]
        for (
            each
        ) in sums.deviance_sums.values():  # what is moved about a mean may be rounded below 0
            about_mean = each[:, ABOUT] + each[:, ABOUT + 1] + 1e-9 * sums.weights
            positive += [each[:, DEVIANCE] + each[:, DEVIANCE + 1], about_mean]
        check_sums(sums.weights)
    if any((each < 0).any() for each in positive) or not sums.weights.all():
        raise InputError("a sum of what is not negative is, or the weight is 0")
    if any(not np.allclose(each[:, errors.ROWS], n_samples, rtol=1e-9) for each in row_sums):
        raise InputError(f"sums of other rows than {n_samples:,}")


def _rescale(sums: ErrorSums, exponent: int) -> ErrorSums:
    """Return a copy of the sums for weights times a power of two."""
    copy = sums.copy()
    if exponent:
        factor = 2.0**exponent
        for array in (copy.error_sums, copy.log_sums):
            if array is not None:
                for column in _WEIGHED:
                    array[:, column : column + 2] *= factor
        for array in copy.deviance_sums.values():
            array[:, [DEVIANCE, DEVIANCE + 1, ABOUT, ABOUT + 1]] *= factor
    return copy
