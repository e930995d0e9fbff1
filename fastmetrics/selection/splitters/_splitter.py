"""What splitters share: scikit-learn's interface, a key of random numbers, the check of data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.calls import as_called
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_choice, check_same_length, key_text, seed_key
from fastmetrics.errors import DegenerateDataWarning, InputError, InputTypeError, warn_user

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]
#: What is asked for of scikit-learn's metadata: True, False, None (an error if passed) or its name.
Requests = dict[str, bool | str | None]


class Classes(NamedTuple):
    """The class number of each row, in the smallest unsigned type; sizes and names of classes."""

    codes: NDArray[Any]
    sizes: NDArray[np.int64]
    names: list[Any]


class Splitter(ABC):
    """Base of the splitters: `split` checks at once, and returns an iterator.

    The key of the random numbers is drawn when the splitter is made. So it splits alike whenever
    it is asked, as its copies in other processes do.
    """

    _shown: ClassVar[tuple[str, ...]] = ()
    _uses_groups: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        named = as_called(cls.__init__, cls.__module__, name=cls.__name__, has_rows=False)
        setattr(cls, "__init__", named)  # noqa: B010

    def __init__(self, rng: Any, n_splits: int, stratified: bool = False) -> None:
        self.stratified: bool = check_choice("stratified", stratified, (True, False))
        self._key, self._count = seed_key(rng), n_splits
        self._requests: Requests = {"groups": True} if self._uses_groups else {}

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

    def get_metadata_routing(self) -> Any:
        """Return what is asked for of scikit-learn's metadata: groups, by what heeds them."""
        return routing(self, "split", self._requests)

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
        """Return the random numbers of one repetition, whatever the others do."""
        return np.random.default_rng([*self._key.tolist(), repeat])

    def __repr__(self) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name in self._shown]
        return f"{type(self).__name__}({', '.join([*shown, f'rng={self.key!r}'])})"


def routing(owner: Any, method: str, requests: Requests) -> Any:
    """Return what is asked for as scikit-learn's `MetadataRequest`."""
    from sklearn.utils.metadata_routing import MetadataRequest

    found = MetadataRequest(owner=owner)
    for name, alias in requests.items():
        getattr(found, method).add_request(param=name, alias=alias)
    return found


def set_requests(owner: Any, method: str, requests: Requests, given: Requests) -> None:
    """Change what is asked for, under the rules of scikit-learn's own ``set_..._request``."""
    from sklearn import get_config

    if not get_config()["enable_metadata_routing"]:
        raise RuntimeError(
            f"set_{method}_request is only available when metadata routing is enabled: "
            "sklearn.set_config(enable_metadata_routing=True)"
        )
    for name in given:
        if name not in requests:
            known = ", ".join(f"`{known}`" for known in requests) or "nothing"
            raise InputTypeError(f"`{name}` is nothing that {owner!r} takes: it takes {known}")
    routing(owner, method, given)
    requests.update(given)


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
    said = f"class {classes.names[least]!r} has {_rows(int(classes.sizes[least]))}"
    if len(small) == len(classes.sizes):
        largest = int(classes.sizes.max())
        raise InputError(
            f"`n_splits` must not exceed the number of rows of every class: got {n_splits:,}, and "
            f"the largest class has {_rows(largest)}"
        )
    warn_user(
        f"{len(small):,} of {len(classes.sizes):,} classes have fewer rows than n_splits="
        f"{n_splits:,}, so that some test sets lack them: {said}",
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


def dealt_folds(
    n: int, n_splits: int, classes: Classes | None, generator: np.random.Generator
) -> NDArray[Any]:
    """Return the fold of each row, dealt like cards: in turns, one class after the other.

    So the folds differ by at most one row, in all and in each class. Which fold gets the rows left
    over is random.
    """
    dtype = np.min_scalar_type(n_splits - 1)
    names = generator.permutation(n_splits).astype(dtype)
    folds = np.empty(n, dtype)
    folds[shuffled_rows(n, classes, generator)] = np.resize(names, n)
    return folds


def splits_of_folds(folds: NDArray[Any], n_splits: int) -> Iterator[Split]:
    """Yield each fold as the test set of the others, rows in ascending order."""
    for fold in range(n_splits):
        in_test = folds == fold
        yield np.flatnonzero(~in_test), np.flatnonzero(in_test)
