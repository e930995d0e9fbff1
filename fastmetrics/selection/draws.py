"""Rows drawn at random: `HoldOut` draws without replacement, `BootstrapOutOfBag` with."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_fraction, check_integer
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.selection.folds import Classes, Rows, Split, Splitter, shuffled_rows


class HoldOut(Splitter):
    """Random splits into training and test rows, each repetition drawn independently.

    Parameters
    ----------
    test_size : float or int, default=0.25
        Share of the rows to test on, rounded to the nearest whole number of rows; or that number.
        The rest is trained on.
    n_repeats : int, default=10
        How often rows are drawn.
    stratified : bool, default=True
        Whether the classes of `y` have the same shares on both sides. A numeric target has none:
        pass False.
    rng : None, int, Generator or str, optional
        Source of the random numbers, or the `key` of another splitter. The same one splits alike.

    See Also
    --------
    Folds : Tests every row equally often.

    Notes
    -----
    Of a class of n_c rows, the test set gets its exact share n_c n_test / n rounded up or down, so
    that all are n_test. Where the share is below one row, the class is rounded up first, so that no
    test set lacks it if that is possible; if not, `DegenerateDataWarning` says so. A class of one
    row, or more classes than rows on one side, is a ValueError. O(n log n) a split.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0] * 15 + [1] * 5)
    >>> for train, test in HoldOut(0.2, n_repeats=2, rng=0).split(y, y):
    ...     print(np.bincount(y[train]), np.bincount(y[test]))
    [12  4] [3 1]
    [12  4] [3 1]
    """

    _repr_fields: ClassVar[tuple[str, ...]] = ("test_size", "n_repeats", "stratified")

    def __init__(
        self,
        test_size: float = 0.25,
        *,
        n_repeats: int = 10,
        stratified: bool = True,
        rng: Any = None,
    ) -> None:
        self.test_size: float
        if isinstance(test_size, int | np.integer):
            self.test_size = check_integer("test_size", test_size, low=1)
        else:
            self.test_size = check_fraction("test_size", test_size)
        self.n_repeats = check_integer("n_repeats", n_repeats, low=1)
        super().__init__(rng, self.n_repeats, stratified)

    def _splits(self, n: int, y: Any, groups: Any) -> Iterator[Split]:
        n_test = self._test_rows(n)
        classes = self._classes(y)
        if classes is not None:
            _check_classes(classes, n, n_test)
        return (self._draw(n, n_test, classes, i) for i in range(self.n_repeats))

    def _test_rows(self, n: int) -> int:
        n_test = self.test_size
        if isinstance(n_test, float):
            n_test = round(Fraction(repr(n_test)) * n)  # .35 of 10 rows is 3.5, not 3.4999...
        if not 0 < n_test < n:
            raise InputError(
                f"`test_size` must leave rows on both sides: got {self.test_size!r}, which is "
                f"{n_test:,} of {n:,} rows"
            )
        return int(n_test)

    def _draw(self, n: int, n_test: int, classes: Classes | None, repeat: int) -> Split:
        generator = self._generator(repeat)
        order = shuffled_rows(n, classes, generator)
        in_test = np.zeros(n, np.bool_)
        if classes is None:
            in_test[order[:n_test]] = True
        else:
            starts = np.cumsum(classes.sizes) - classes.sizes
            taken = _test_counts(classes.sizes, n_test, generator)
            rank = np.arange(n) - np.repeat(starts, classes.sizes)
            in_test[order[rank < np.repeat(taken, classes.sizes)]] = True
        return np.flatnonzero(~in_test), np.flatnonzero(in_test)


def _check_classes(classes: Classes, n: int, n_test: int) -> None:
    n_classes = len(classes.sizes)
    least = int(np.argmin(classes.sizes))
    if classes.sizes[least] < 2:
        raise InputError(
            f"each class of `y` must have at least 2 rows, one on each side: class "
            f"{classes.names[least]!r} has 1"
        )
    for side, rows in (("test", n_test), ("training", n - n_test)):
        if rows < n_classes:
            raise InputError(
                f"`test_size` must leave each of the {n_classes:,} classes a row on both sides: "
                f"there are {rows:,} {side} rows"
            )
    taken = _test_counts(classes.sizes, n_test, np.random.default_rng(0))
    lacking = int(np.count_nonzero((taken == 0) | (taken == classes.sizes)))
    if lacking:
        warn_user(
            f"`y` has small classes: {lacking:,} of {n_classes:,} are missing on one side of each "
            "split, as their exact share is less than a row",
            DegenerateDataWarning,
        )


def _test_counts(
    sizes: NDArray[np.int64], n_test: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return each class's number of test rows: its exact proportion rounded, n_test in all.

    Rounded up are first the classes that would have no row, then those of the largest remainder,
    last those that would keep no row to train on; the toss decides between equals.
    """
    taken, remainder = np.divmod(sizes * n_test, int(sizes.sum()))
    rank = np.where(taken == 0, 0, np.where(taken + 1 == sizes, 2, 1))
    toss = generator.permutation(len(sizes))
    first = np.lexsort((toss, -remainder, rank, remainder == 0))
    taken[first[: n_test - int(taken.sum())]] += 1
    return np.asarray(taken)


class BootstrapOutOfBag(Splitter):
    """Splits of the bootstrap: n rows drawn with replacement train, those not drawn test.

    Parameters
    ----------
    n_resamples : int, default=200
        How many bootstrap samples are drawn.
    stratified : bool, default=False
        Whether each class of `y` is drawn by itself, so that none is lost.
    rng : None, int, Generator or str, optional
        Source of the random numbers, or the `key` of another splitter. The same one splits alike.

    See Also
    --------
    evaluate_estimator : ``method=".632+"`` corrects the bias of the out-of-bag error.

    Notes
    -----
    A row is out of the bag with probability (1 - 1/n)^n, about 36.8 %. Training rows come as they
    were drawn, test rows ascending. In a tiny set every row may be drawn; such a sample has no test
    rows and is drawn again. O(n) a split, by a mask.

    References
    ----------
    Efron (1983), Estimating the error rate of a prediction rule: improvement on
    cross-validation, JASA 78:316-331.

    Examples
    --------
    >>> import numpy as np
    >>> train, test = next(BootstrapOutOfBag(rng=0).split(np.zeros((10_000, 1))))
    >>> len(train), 0.35 < len(test) / 10_000 < 0.39, bool(np.isin(test, train).any())
    (10000, True, False)
    """

    _repr_fields: ClassVar[tuple[str, ...]] = ("n_resamples", "stratified")

    def __init__(
        self, n_resamples: int = 200, *, stratified: bool = False, rng: Any = None
    ) -> None:
        self.n_resamples = check_integer("n_resamples", n_resamples, low=1)
        super().__init__(rng, self.n_resamples, stratified)

    def _splits(self, n: int, y: Any, groups: Any) -> Iterator[Split]:
        classes = self._classes(y)
        if n < 2 or (classes is not None and len(classes.sizes) == n):
            where = "" if classes is None else " in some class of `y`, as each is drawn by itself"
            raise InputError(f"BootstrapOutOfBag needs at least 2 rows{where}: got 1")
        generator = self._generator(0)  # one for all samples: to make one takes 0.1 ms
        return (_resample(n, classes, generator) for _ in range(self.n_resamples))


def _resample(n: int, classes: Classes | None, generator: np.random.Generator) -> Split:
    while True:
        train = _draw_rows(n, classes, generator)
        out = np.ones(n, np.bool_)
        out[train] = False
        test = np.flatnonzero(out)
        if len(test):
            return train, test


def _draw_rows(n: int, classes: Classes | None, generator: np.random.Generator) -> Rows:
    if classes is None:
        dtype = np.uint32 if n <= 2**32 else np.uint64  # half the bits, half the time
        return generator.integers(0, n, n, dtype).astype(np.intp)
    order = np.argsort(classes.codes, kind="stable")
    starts = np.repeat(np.cumsum(classes.sizes) - classes.sizes, classes.sizes)
    return np.asarray(
        order[starts + generator.integers(0, np.repeat(classes.sizes, classes.sizes))]
    )
