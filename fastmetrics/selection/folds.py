"""Splitters: folds, which test each row equally often, and rows drawn at random."""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.calls import as_called
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import (
    check_choice,
    check_fraction,
    check_integer,
    check_same_length,
    key_text,
    seed_key,
)
from fastmetrics.errors import DegenerateDataWarning, InputError, InputTypeError, warn_user

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]


class Classes(NamedTuple):
    """The class number of each row, in the smallest unsigned type; sizes and names of classes."""

    codes: NDArray[Any]
    sizes: NDArray[np.int64]
    names: list[Any]


class Splitter(ABC):
    """Base of the splitters: `split` checks at once, and returns an iterator.

    The key of the random numbers is drawn when the splitter is made: every call, and every copy in
    another process, gives the same splits.
    """

    _repr_fields: ClassVar[tuple[str, ...]] = ()
    _uses_groups: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        named = as_called(cls.__init__, cls.__module__, name=cls.__name__, has_rows=False)
        setattr(cls, "__init__", named)  # noqa: B010

    def __init__(self, rng: Any, n_splits: int, stratified: bool = False) -> None:
        self.stratified: bool = check_choice("stratified", stratified, (True, False))
        self._key = seed_key(rng)
        self._count = n_splits

    @property
    def key(self) -> str:
        """Key of the random numbers: ``rng=key`` makes a splitter that splits alike."""
        return key_text(self._key)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Return an iterator over splits: the rows to train on and the rows to test on.

        Parameters
        ----------
        X : array-like of n_samples rows
            Only its length matters.
        y : array-like of shape (n_samples,), optional
            Classes, needed where the splits are stratified.
        groups : array-like of shape (n_samples,), optional
            Groups that must not be torn apart, for the splitters that heed them.

        Returns
        -------
        iterator of (ndarray of intp, ndarray of intp)
            Row numbers.

        Raises
        ------
        TypeError, ValueError
            If the data cannot be split in this way: raised by this call, not by the iterator.
        """
        check_same_index(X=X, y=y, groups=groups)
        n = row_count(X, y)
        if groups is not None and not self._uses_groups:
            warn_user(
                f"`groups` is ignored by {type(self).__name__}: a group may come to stand on both "
                "sides of a split; GroupedFolds keeps groups whole",
                UserWarning,
            )
        return self._splits(n, y, groups)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return how many splits there are; the arguments do not matter."""
        return self._count

    @abstractmethod
    def _splits(self, n: int, y: Any, groups: Any) -> Iterator[Split]:
        """Check what the splits depend on, and return them."""

    def _classes(self, y: Any) -> Classes | None:
        """Return the classes to stratify by, or raise for a target that has none."""
        if not self.stratified:
            return None
        needs = f"{type(self).__name__} with `stratified=True` needs"
        if y is None:
            raise InputError(f"{needs} `y`: got None")
        try:
            labels = check_class_labels(y, "y")
        except ValueError as error:
            raise InputError(
                f"{needs} classes: {error}; of a numeric target pass `stratified=False`"
            ) from None
        n_classes = len(labels.classes)
        sizes = np.bincount(labels.codes, minlength=n_classes)
        codes = labels.codes.astype(np.min_scalar_type(n_classes - 1))
        return Classes(codes, sizes, labels.classes.tolist())

    def _classes_of_folds(self, n: int, y: Any, n_splits: int) -> Classes | None:
        """Return the classes to stratify by; raise if there are more folds than rows."""
        if n_splits > n:
            raise InputError(
                f"`n_splits` must not exceed the number of rows: got {n_splits:,} for {_rows(n)}"
            )
        classes = self._classes(y)
        if classes is not None:
            check_class_sizes(classes, n_splits)
        return classes

    def _generator(self, repeat: int) -> np.random.Generator:
        """Return the generator of one repetition, independent of the others."""
        return np.random.default_rng([*self._key.tolist(), repeat])

    def __repr__(self) -> str:
        fields = [f"{name}={getattr(self, name)!r}" for name in self._repr_fields]
        return f"{type(self).__name__}({', '.join([*fields, f'rng={self.key!r}'])})"


def row_count(X: Any, y: Any = None) -> int:
    """Return the number of rows of the data, in whatever container, `y` being as long."""
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) > 0:
        n = int(shape[0])
    elif shape is None and hasattr(X, "__len__"):
        n = len(X)
    else:
        raise InputTypeError(f"`X` must be an array of n_samples rows: got {type(X).__name__}")
    if y is not None and hasattr(y, "__len__"):
        check_same_length(X=range(n), y=y)
    if n == 0:
        raise InputError("`X` is empty: at least one row is needed")
    return n


def check_class_sizes(classes: Classes, n_splits: int) -> None:
    """Raise if every class has fewer rows than there are folds; warn if some class has."""
    small = np.flatnonzero(classes.sizes < n_splits)
    if not len(small):
        return
    least = int(small[np.argmin(classes.sizes[small])])
    smallest = f"class {classes.names[least]!r} has {_rows(int(classes.sizes[least]))}"
    if len(small) == len(classes.sizes):
        raise InputError(
            f"`n_splits` must not exceed the number of rows of every class: got {n_splits:,}, and "
            f"the largest class has {_rows(int(classes.sizes.max()))}"
        )
    warn_user(
        f"{len(small):,} of {len(classes.sizes):,} classes have fewer rows than n_splits="
        f"{n_splits:,}, so that some test sets lack them: {smallest}",
        DegenerateDataWarning,
    )


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


def shuffled_rows(n: int, classes: Classes | None, generator: np.random.Generator) -> Rows:
    """Return all rows in random order; with classes, one class after the other."""
    order = generator.permutation(n)
    if classes is None:
        return order
    return order[np.argsort(classes.codes[order], kind="stable")]


def deal_folds(
    n: int, n_splits: int, classes: Classes | None, generator: np.random.Generator
) -> NDArray[Any]:
    """Return the fold of each row, assigned in turns like cards, one class after the other.

    So the folds differ by at most one row, in all and in each class. Which fold gets the rows left
    over is random.
    """
    dtype = np.min_scalar_type(n_splits - 1)
    names = generator.permutation(n_splits).astype(dtype)
    folds = np.empty(n, dtype)
    folds[shuffled_rows(n, classes, generator)] = np.resize(names, n)
    return folds


def iter_folds(folds: NDArray[Any], n_splits: int) -> Iterator[Split]:
    """Yield each fold as the test set of the others, rows in ascending order."""
    for fold in range(n_splits):
        in_test = folds == fold
        yield np.flatnonzero(~in_test), np.flatnonzero(in_test)


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

    _repr_fields: ClassVar[tuple[str, ...]] = ("n_splits", "n_repeats", "stratified")

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
            for split in iter_folds(
                deal_folds(n, self.n_splits, classes, self._generator(repeat)), self.n_splits
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

    _repr_fields: ClassVar[tuple[str, ...]] = ("stratified",)

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
        return self._halvings(n, classes)

    def _halvings(self, n: int, classes: Classes | None) -> Iterator[Split]:
        generator = self._generator(0)
        seen: set[bytes] = set()
        while len(seen) < _HALVINGS:
            folds = deal_folds(n, 2, classes, generator)
            # The same of two halvings, whichever half is first.
            name = np.packbits(folds != folds[0]).tobytes()
            if name not in seen:
                seen.add(name)
                yield from iter_folds(folds, 2)


def _possible_halvings(sizes: list[int]) -> int:
    """Return the number of possible halvings; beyond 5 a lower bound.

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


Floats = NDArray[np.float64]
FoldOfRows = NDArray[np.int64]


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
    n_jc of the n_c rows of class c being in fold j, as in scikit-learn. A fold is never empty. A
    class that is missing in a test set is warned of (`DegenerateDataWarning`); fewer groups than
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

    _repr_fields: ClassVar[tuple[str, ...]] = ("n_splits", "n_repeats", "stratified")
    _uses_groups: ClassVar[bool] = True

    def __init__(
        self, n_splits: int = 5, *, n_repeats: int = 1, stratified: bool = False, rng: Any = None
    ) -> None:
        self.n_splits = check_integer("n_splits", n_splits, low=2)
        self.n_repeats = check_integer("n_repeats", n_repeats, low=1)
        super().__init__(rng, self.n_splits * self.n_repeats, stratified)

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
        return self._group_folds(coded.codes, rows.reshape(n_groups, n_classes), classes)

    def _group_folds(
        self, group_of_row: NDArray[np.int64], rows: Floats, classes: Classes | None
    ) -> Iterator[Split]:
        for repeat in range(self.n_repeats):
            generator = self._generator(repeat)
            order = generator.permutation(len(rows))
            size = np.frexp(rows.sum(axis=1))[1]  # the power of two
            order = order[np.argsort(-size[order], kind="stable")]
            deal = _fewest_rows if classes is None else _least_added
            folds = np.empty(len(rows), np.min_scalar_type(self.n_splits - 1))
            names = generator.permutation(self.n_splits)
            folds[order] = names[deal(rows[order], self.n_splits)]
            if classes is not None:
                _warn_of_lacking(rows, folds, self.n_splits, classes)
            yield from iter_folds(folds[group_of_row], self.n_splits)


def _fewest_rows(rows: Floats, n_splits: int) -> FoldOfRows:
    heap = [(0.0, fold) for fold in range(n_splits)]
    folds_of_rows = np.empty(len(rows), np.int64)
    for i, size in enumerate(rows[:, 0].tolist()):
        held, fold = heap[0]
        folds_of_rows[i] = fold
        heapq.heapreplace(heap, (held + size, fold))
    return folds_of_rows


def _least_added(rows: Floats, n_splits: int) -> FoldOfRows:
    """Return the fold of each group, which adds least to the sum of squared class proportions.

    A group g adds sum of (2 n_jc g_c + g_c^2) / n_c^2, of which only the first part depends on j.
    It is 0 in an empty fold.
    """
    held = np.zeros((n_splits, rows.shape[1]))
    total = np.zeros(n_splits)
    weights = rows / rows.sum(axis=0) ** 2
    folds_of_rows = np.empty(len(rows), np.int64)
    for i, (group, weight) in enumerate(zip(rows, weights, strict=True)):
        added = held @ weight
        ties = np.flatnonzero(added <= added.min() * (1 + 1e-12))
        fold = ties[np.argmin(total[ties])]
        folds_of_rows[i] = fold
        held[fold] += group
        total[fold] += group.sum()
    return folds_of_rows


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


# --- rows drawn at random -----------------------------------------------------------------------


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
