"""``BootstrapOutOfBag``: training rows drawn with replacement, the rest to test on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from fastmetrics._input.scalars import check_choice, check_integer
from fastmetrics.errors import InputError
from fastmetrics.selection.splitters._splitter import Classes, Rows, Split, Splitter, classes_of


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

    _shown: ClassVar[tuple[str, ...]] = ("n_resamples", "stratified")

    def __init__(
        self, n_resamples: int = 200, *, stratified: bool = False, rng: Any = None
    ) -> None:
        self.n_resamples = check_integer("n_resamples", n_resamples, low=1)
        self.stratified: bool = check_choice("stratified", stratified, (True, False))
        super().__init__(rng)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return how many splits there are: `n_resamples`; the arguments do not matter."""
        return self.n_resamples

    def _splits(self, n: int, y: Any, groups: Any) -> Iterator[Split]:
        classes = classes_of(y, type(self).__name__) if self.stratified else None
        if n < 2 or (classes is not None and len(classes.sizes) == n):
            where = "" if classes is None else " in some class of `y`, as each is drawn by itself"
            raise InputError(f"BootstrapOutOfBag needs at least 2 rows{where}: got 1")
        generator = self._generator(0)  # one for all samples: to make one takes 0.1 ms
        return (_resampled(n, classes, generator) for _ in range(self.n_resamples))


def _resampled(n: int, classes: Classes | None, generator: np.random.Generator) -> Split:
    while True:
        train = _drawn_rows(n, classes, generator)
        out = np.ones(n, np.bool_)
        out[train] = False
        test = np.flatnonzero(out)
        if len(test):
            return train, test


def _drawn_rows(n: int, classes: Classes | None, generator: np.random.Generator) -> Rows:
    if classes is None:
        dtype = np.uint32 if n <= 2**32 else np.uint64  # half the bits, half the time
        return generator.integers(0, n, n, dtype).astype(np.intp)
    order = np.argsort(classes.codes, kind="stable")
    starts = np.repeat(np.cumsum(classes.sizes) - classes.sizes, classes.sizes)
    return np.asarray(
        order[starts + generator.integers(0, np.repeat(classes.sizes, classes.sizes))]
    )
