"""Folds, in which every row is tested equally often: `Folds`, `FiveByTwo`, `LeaveOneOut`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from fastmetrics._input.scalars import check_integer
from fastmetrics.errors import InputError
from fastmetrics.selection.splitters._splitter import (
    Classes,
    Split,
    Splitter,
    dealt_folds,
    row_count,
    splits_of_folds,
)

_HALVINGS = 5


class Folds(Splitter):
    """Splits of k-fold cross-validation, repeated p times with fresh folds.

    Parameters
    ----------
    n_splits : int, default=10
        k, the number of folds: disjoint test sets that together are all rows.
    n_repeats : int, default=1
        p, how often the rows are dealt into new folds.
    stratified : bool, default=True
        Whether each fold gets the classes of `y` in equal shares. A numeric target has none: pass
        False.
    rng : None, int, Generator or str, optional
        Source of the random numbers, or the `key` of another splitter. The same one splits alike.

    See Also
    --------
    GroupedFolds : Where rows come in groups.
    FiveByTwo : Five different halvings.

    Notes
    -----
    A class of n_c rows has floor(n_c / k) or ceil(n_c / k) of them in each fold, and the same
    holds for all rows. Rows are shuffled always; row numbers come in ascending order. It stands
    where scikit-learn takes ``cv=``. A class with fewer than k rows is warned of
    (`DegenerateDataWarning`); if all are so small, or k exceeds the rows, it is a ValueError.
    O(n) a split, and O(n log n) a repetition.

    References
    ----------
    Kohavi (1995), A study of cross-validation and bootstrap for accuracy estimation and model
    selection, IJCAI, 1137-1143.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0] * 6 + [1] * 3)
    >>> for train, test in Folds(3, rng=0).split(y, y):
    ...     print(len(train), np.bincount(y[test]))
    6 [2 1]
    6 [2 1]
    6 [2 1]
    >>> Folds(10, n_repeats=10, rng=0).get_n_splits()
    100
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_splits", "n_repeats", "stratified")

    def __init__(
        self, n_splits: int = 10, *, n_repeats: int = 1, stratified: bool = True, rng: Any = None
    ) -> None:
        self.n_splits = check_integer("n_splits", n_splits, low=2)
        self.n_repeats = check_integer("n_repeats", n_repeats, low=1)
        super().__init__(rng, self.n_splits * self.n_repeats, stratified)

    def _splits(self, n: int, y: Any, groups: Any) -> Iterator[Split]:
        classes = self._classes_of_folds(n, y, self.n_splits)
        return (
            split
            for repeat in range(self.n_repeats)
            for split in splits_of_folds(
                dealt_folds(n, self.n_splits, classes, self._generator(repeat)), self.n_splits
            )
        )


class FiveByTwo(Splitter):
    """The ten splits of 5x2 cross-validation: five halvings, no two of them the same.

    Parameters
    ----------
    stratified : bool, default=True
        Whether both halves get the classes of `y` in equal shares. A numeric target has none: pass
        False.
    rng : None, int, Generator or str, optional
        Source of the random numbers, or the `key` of another splitter. The same one splits alike.

    See Also
    --------
    five_by_two_cv_test : The test between two models that these splits are for.

    Notes
    -----
    The splits come in pairs, halving by halving. Halves differ by at most one row, in all and in
    each class. A halving that has come before is drawn again; data with fewer than five halvings
    are a ValueError. O(n log n) a halving.

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification
    learning algorithms, Neural Computation 10:1895-1923.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> splits = list(FiveByTwo(rng=0).split(y, y))
    >>> len(splits), len({frozenset(map(tuple, split)) for split in splits})
    (10, 5)
    """

    _shown: ClassVar[tuple[str, ...]] = ("stratified",)

    def __init__(self, *, stratified: bool = True, rng: Any = None) -> None:
        super().__init__(rng, 2 * _HALVINGS, stratified)

    def _splits(self, n: int, y: Any, groups: Any) -> Iterator[Split]:
        classes = self._classes_of_folds(n, y, 2)
        possible = _possible_halvings([n] if classes is None else classes.sizes.tolist())
        if possible < _HALVINGS:
            within = "" if classes is None else " of these classes"
            raise InputError(
                f"FiveByTwo needs 5 different halvings: {n:,} rows{within} have {possible}"
            )
        return self._halved(n, classes)

    def _halved(self, n: int, classes: Classes | None) -> Iterator[Split]:
        generator = self._generator(0)
        seen: set[bytes] = set()
        while len(seen) < _HALVINGS:
            folds = dealt_folds(n, 2, classes, generator)
            # The same of two halvings, whichever half is first.
            name = np.packbits(folds != folds[0]).tobytes()
            if name not in seen:
                seen.add(name)
                yield from splits_of_folds(folds, 2)


def _possible_halvings(sizes: list[int]) -> int:
    """Return how many halvings can be dealt; beyond 5 a lower bound.

    Both names of one halving are counted only if no class is odd.
    """
    ways = 1
    for size in sizes:
        small = min(size, 6 + size % 2)
        ways *= math.comb(small, small // 2)
        if ways > 2 * _HALVINGS:
            break
    return ways if any(size % 2 for size in sizes) else ways // 2


class LeaveOneOut(Splitter):
    """Splits whose test sets are the single rows, in their order.

    See Also
    --------
    Folds : Far cheaper, and of less variance.

    Notes
    -----
    As scikit-learn's class of that name. There is nothing random. O(n) a split, n splits.

    Examples
    --------
    >>> for train, test in LeaveOneOut().split([[1], [2], [3]]):
    ...     print(train, test)
    [1 2] [0]
    [0 2] [1]
    [0 1] [2]
    """

    def __init__(self) -> None:
        super().__init__(0, 0)

    def __repr__(self) -> str:
        return "LeaveOneOut()"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return how many splits there are: the number of rows of `X`, which must be given."""
        if X is None:
            raise InputError("`X` must be given: there are as many splits as it has rows")
        return row_count(X)

    def _splits(self, n: int, y: Any, groups: Any) -> Iterator[Split]:
        if n < 2:
            raise InputError(f"LeaveOneOut needs at least 2 rows: got {n}")
        rows = np.arange(n)
        return ((np.delete(rows, row), rows[row : row + 1].copy()) for row in range(n))
