"""``GroupedFolds``: folds that tear no group apart."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.scalars import check_choice, check_integer, check_same_length
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.selection.splitters._splitter import (
    Classes,
    Split,
    Splitter,
    classes_of,
    splits_of_folds,
)

Floats = NDArray[np.float64]


class GroupedFolds(Splitter):
    """Splits of k-fold cross-validation whose folds are made of whole groups, repeated p times.

    Parameters
    ----------
    n_splits : int, default=5
        k, the number of folds.
    n_repeats : int, default=1
        p, how often the groups are put into new folds.
    stratified : bool, default=False
        Whether the folds are made alike in the classes of `y` too, as far as whole groups allow.
    rng : None, int, Generator or str, optional
        Source of the random numbers, or the `key` of another splitter. The same one splits alike.

    See Also
    --------
    Folds : Where rows are independent of one another.

    Notes
    -----
    Groups come in random order, those of at least twice the rows before the others, and each is put
    into the fold with the fewest rows; so folds differ by at most the rows of the largest group.
    With `stratified`, it goes where the sum over folds and classes of (n_jc / n_c)^2 grows least,
    n_jc of the n_c rows of class c being in fold j. A fold is never empty. A class that is missing
    in a test set is warned of (`DegenerateDataWarning`); fewer groups than folds are a ValueError.
    O(G log k) a repetition for G groups, or O(G k C) for C classes.

    Examples
    --------
    >>> import numpy as np
    >>> groups = np.array(["a", "a", "b", "b", "c", "c"])
    >>> for train, test in GroupedFolds(3, rng=0).split(groups, groups=groups):
    ...     print(len(train), len(set(groups[test])))
    4 1
    4 1
    4 1
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_splits", "n_repeats", "stratified")
    _uses_groups: ClassVar[bool] = True

    def __init__(
        self, n_splits: int = 5, *, n_repeats: int = 1, stratified: bool = False, rng: Any = None
    ) -> None:
        self.n_splits = check_integer("n_splits", n_splits, low=2)
        self.n_repeats = check_integer("n_repeats", n_repeats, low=1)
        self.stratified: bool = check_choice("stratified", stratified, (True, False))
        super().__init__(rng)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return how many splits there are, p k; the arguments do not matter."""
        return self.n_splits * self.n_repeats

    def _splits(self, n: int, y: Any, groups: Any) -> Iterator[Split]:
        if groups is None:
            raise InputError("GroupedFolds needs `groups`: got None")
        coded = check_class_labels(groups, "groups")
        check_same_length(X=range(n), groups=coded.codes)
        n_groups = len(coded.classes)
        if n_groups < self.n_splits:
            raise InputError(
                f"`n_splits` must not exceed the number of groups: got {self.n_splits:,} for "
                f"{n_groups:,} in `groups`"
            )
        classes = classes_of(y, type(self).__name__) if self.stratified else None
        rows = _rows_of_groups(coded.codes, n_groups, classes)
        return self._grouped(coded.codes, rows, classes)

    def _grouped(
        self, group_of_row: NDArray[np.int64], rows: Floats, classes: Classes | None
    ) -> Iterator[Split]:
        for repeat in range(self.n_repeats):
            generator = self._generator(repeat)
            order = _large_first(rows.sum(axis=1), generator)
            put = _fewest_rows if classes is None else _most_alike
            fold_of_group = put(rows[order], self.n_splits)
            folds = np.empty(len(order), np.min_scalar_type(self.n_splits - 1))
            folds[order] = generator.permutation(self.n_splits)[fold_of_group]
            if classes is not None:
                _warn_of_lacking(rows, folds, self.n_splits, classes)
            yield from splits_of_folds(folds[group_of_row], self.n_splits)


def _rows_of_groups(
    groups: NDArray[np.int64], n_groups: int, classes: Classes | None
) -> NDArray[np.float64]:
    """Return the rows of each group, in one column or in one for each class."""
    n_classes = 1 if classes is None else len(classes.sizes)
    cell = groups if classes is None else groups * n_classes + classes.codes
    counts = np.bincount(cell, minlength=n_groups * n_classes).astype(np.float64)
    return counts.reshape(n_groups, n_classes)


def _large_first(sizes: Floats, generator: np.random.Generator) -> NDArray[np.intp]:
    """Return the groups in random order, sorted by the power of two in their size.

    By size alone, the folds of groups that all differ in size would be the same every time.
    """
    order = generator.permutation(len(sizes))
    power = np.frexp(sizes[order])[1]
    return np.asarray(order[np.argsort(-power, kind="stable")])


def _fewest_rows(rows: Floats, n_splits: int) -> NDArray[np.int64]:
    heap = [(0.0, fold) for fold in range(n_splits)]
    found = np.empty(len(rows), np.int64)
    for i, size in enumerate(rows[:, 0].tolist()):
        held, fold = heap[0]
        found[i] = fold
        heapq.heapreplace(heap, (held + size, fold))
    return found


def _most_alike(rows: Floats, n_splits: int) -> NDArray[np.int64]:
    """Return the fold of each group: it adds least to the sum of squared shares of classes.

    A group g adds sum of (2 n_jc g_c + g_c^2) / n_c^2, of which only the first part depends on j.
    It is 0 in an empty fold, which the smaller number of rows then decides for.
    """
    held = np.zeros((n_splits, rows.shape[1]))
    total = np.zeros(n_splits)
    weights = rows / rows.sum(axis=0) ** 2
    found = np.empty(len(rows), np.int64)
    for i, (group, weight) in enumerate(zip(rows, weights, strict=True)):
        added = held @ weight
        ties = np.flatnonzero(added <= added.min() * (1 + 1e-12))
        fold = ties[np.argmin(total[ties])]
        found[i] = fold
        held[fold] += group
        total[fold] += group.sum()
    return found


def _warn_of_lacking(rows: Floats, folds: NDArray[Any], n_splits: int, classes: Classes) -> None:
    held = np.zeros((n_splits, rows.shape[1]))
    np.add.at(held, folds, rows)
    lacking = np.flatnonzero((held == 0).any(axis=0))
    if len(lacking):
        name = classes.names[int(lacking[0])]
        n_groups = int(np.count_nonzero(rows[:, lacking[0]]))
        warn_user(
            f"{len(lacking):,} of {len(classes.sizes):,} classes are missing in some test set, as "
            f"groups stay whole: class {name!r} is in {n_groups:,} "
            f"{'group' if n_groups == 1 else 'groups'}",
            DegenerateDataWarning,
        )
