"""``Folds``: p times k-fold cross-validation, stratified unless told otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from fastmetrics._input.scalars import check_choice, check_integer
from fastmetrics.selection.splitters._splitter import (
    Split,
    Splitter,
    check_class_sizes,
    check_enough_rows,
    classes_of,
    dealt_folds,
    splits_of_folds,
)


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
        self.stratified: bool = check_choice("stratified", stratified, (True, False))
        super().__init__(rng)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return how many splits there are, p k; the arguments do not matter."""
        return self.n_splits * self.n_repeats

    def _splits(self, n: int, y: Any, groups: Any) -> Iterator[Split]:
        check_enough_rows(n, self.n_splits)
        classes = classes_of(y, type(self).__name__) if self.stratified else None
        if classes is not None:
            check_class_sizes(classes, self.n_splits)
        return (
            split
            for repeat in range(self.n_repeats)
            for split in splits_of_folds(
                dealt_folds(n, self.n_splits, classes, self._generator(repeat)), self.n_splits
            )
        )
