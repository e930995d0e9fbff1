"""``GroupedFolds``: folds that tear no group apart."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.scalars import check_integer, check_same_length
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.selection.splitters._splitter import (
    Classes,
    Split,
    Splitter,
    set_requests,
    splits_of_folds,
)

Floats = NDArray[np.float64]
Folds = NDArray[np.int64]

#: How many exchanges are tried at most; most often a few dozen are all that help.
_EXCHANGES: Final = 200


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
    n_jc of the n_c rows of class c being in fold j. Then two folds exchange groups, or one group
    moves, as long as that lessens the sum. Of a few such attempts, two for many groups and up to
    eight for few, the one is taken whose n_jc / n_c deviate least from 1/k, the greatest first;
    where only one set of folds is as good, each repetition finds it again. A fold is never empty.
    A class that is missing in a test set is warned of (`DegenerateDataWarning`); fewer groups than
    folds are a ValueError. O(G log G) a repetition for G groups, or O(G k C) for C classes.

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
        super().__init__(rng, self.n_splits * self.n_repeats, stratified)

    def set_split_request(self, **requests: bool | str | None) -> Self:
        """Say which metadata of scikit-learn's routing are the groups, and return the splitter.

        Parameters
        ----------
        **requests
            ``groups=True`` (the default), False, None (an error if passed) or the name of the
            metadata that are the groups.

        Raises
        ------
        RuntimeError
            If scikit-learn's metadata routing is not enabled.
        TypeError, ValueError
            If anything else is asked for.
        """
        set_requests(self, "split", self._requests, requests)
        return self

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
        classes = self._classes(y)
        n_classes = 1 if classes is None else len(classes.sizes)
        cell = coded.codes if classes is None else coded.codes * n_classes + classes.codes
        rows = np.bincount(cell, minlength=n_groups * n_classes).astype(np.float64)
        return self._grouped(coded.codes, rows.reshape(n_groups, n_classes), classes)

    def _grouped(
        self, group_of_row: NDArray[np.int64], rows: Floats, classes: Classes | None
    ) -> Iterator[Split]:
        for repeat in range(self.n_repeats):
            generator = self._generator(repeat)
            found = _most_alike(rows, self.n_splits, generator)
            folds = generator.permutation(self.n_splits)[found].astype(
                np.min_scalar_type(self.n_splits - 1)
            )
            if classes is not None:
                _warn_of_lacking(rows, folds, self.n_splits, classes)
            yield from splits_of_folds(folds[group_of_row], self.n_splits)


def _most_alike(rows: Floats, n_splits: int, generator: np.random.Generator) -> Folds:
    """Return the fold of each group: of a few attempts, that of the most equal folds.

    Groups are dealt by the power of two in their size, at random within it; in the second attempt
    by what is hard to place, as scikit-learn does: the spread of a group's classes, or its size.
    """
    shares = rows / rows.sum(axis=0)
    deal, exact = _fewest_rows, rows[:, 0]
    if rows.shape[1] > 1:
        deal, exact = _least_added, rows.std(axis=1)
    best: tuple[float, ...] = (np.inf,)
    for attempt in range(max(2, min(8, 2_000 // len(rows)))):
        size = exact if attempt == 1 else np.frexp(rows.sum(axis=1))[1]
        order = generator.permutation(len(rows))
        order = order[np.argsort(-size[order], kind="stable")]
        folds = np.empty(len(rows), np.int64)
        folds[order] = deal(rows[order], n_splits)
        _exchange(shares, folds, n_splits, generator)
        held = _held(rows, folds, n_splits)
        unlike = _unlikeness(held)
        if unlike < best:
            best, found = unlike, folds
        if np.ptp(held, axis=0).max() <= 1:
            break
    return found


def _held(rows: Floats, folds: NDArray[Any], n_splits: int) -> Floats:
    """Return the rows of each class in each fold."""
    held = np.zeros((n_splits, rows.shape[1]))
    np.add.at(held, folds, rows)
    return held


def _unlikeness(held: Floats) -> tuple[float, ...]:
    """Return how far folds are from one another, the most important first, rounding taken off.

    By shares of classes: the largest deviation from 1/k, the sum of squares, and that inside folds.
    """
    totals = held.sum(axis=0)
    shares = held / totals
    within = held / held.sum(axis=1, keepdims=True) - totals / totals.sum()
    found = abs(shares - 1 / len(held)).max(), (shares**2).sum(), abs(within).max()
    return tuple(np.round(found, 12).tolist())


def _fewest_rows(rows: Floats, n_splits: int) -> Folds:
    heap = [(0.0, fold) for fold in range(n_splits)]
    found = np.empty(len(rows), np.int64)
    for i, size in enumerate(rows[:, 0].tolist()):
        held, fold = heap[0]
        found[i] = fold
        heapq.heapreplace(heap, (held + size, fold))
    return found


def _least_added(rows: Floats, n_splits: int) -> Folds:
    """Return the fold of each group: it adds least to the sum of squared shares of classes.

    A group g adds sum of (2 n_jc g_c + g_c^2) / n_c^2, of which only the first part depends on j.
    It is 0 in an empty fold.
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


def _exchange(shares: Floats, folds: Folds, n_splits: int, generator: np.random.Generator) -> None:
    """Let two folds exchange groups, or one go over, while that lessens the sum of squares.

    What goes from one fold to the other, d, changes the sum by 2 |d - D|^2 - 2 |D|^2, D being half
    the difference of the two: the best d is the one nearest to D. The two farthest apart come
    first. Of the groups of a fold at most 64 are looked at, drawn at random.
    """
    held = _held(shares, folds, n_splits)
    far = np.array([((held - fold) ** 2).sum(axis=1) for fold in held])
    nothing = np.zeros((1, shares.shape[1]))
    for _ in range(_EXCHANGES):
        i, j = divmod(int(far.argmax()), n_splits)
        if far[i, j] <= 0:  # no two have anything to exchange
            return
        half = (held[i] - held[j]) / 2
        there, back = (_some(np.flatnonzero(folds == fold), generator) for fold in (i, j))
        given = np.concatenate([shares[there], nothing])
        taken = np.concatenate([shares[back], nothing])
        aim = given - half
        left = (aim**2).sum(axis=1)[:, None] + (taken**2).sum(axis=1) - 2 * aim @ taken.T
        a, b = divmod(int(left.argmin()), len(taken))
        moved = given[a] - taken[b]
        if ((moved - half) ** 2).sum() < (half**2).sum() * (1 - 1e-9):
            folds[there[a : a + 1]], folds[back[b : b + 1]] = j, i
            held[i] -= moved
            held[j] += moved
            for fold in (i, j):
                far[fold] = far[:, fold] = ((held - held[fold]) ** 2).sum(axis=1)
        else:
            far[i, j] = far[j, i] = 0


def _some(groups: NDArray[np.intp], generator: np.random.Generator) -> NDArray[np.intp]:
    return groups if len(groups) <= 64 else generator.choice(groups, 64, replace=False)


def _warn_of_lacking(rows: Floats, folds: NDArray[Any], n_splits: int, classes: Classes) -> None:
    lacking = np.flatnonzero((_held(rows, folds, n_splits) == 0).any(axis=0))
    if len(lacking):
        name = classes.names[int(lacking[0])]
        n_groups = int(np.count_nonzero(rows[:, lacking[0]]))
        warn_user(
            f"{len(lacking):,} of {len(classes.sizes):,} classes are missing in some test set, as "
            f"groups stay whole: class {name!r} is in {n_groups:,} "
            f"{'group' if n_groups == 1 else 'groups'}",
            DegenerateDataWarning,
        )
