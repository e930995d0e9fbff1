"""``LeaveOneOut``: each row is the test set once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fastmetrics.errors import InputError
from fastmetrics.selection.splitters._splitter import Split, Splitter, row_count


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
        super().__init__(0)

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
        return _each_row_alone(n)


def _each_row_alone(n: int) -> Iterator[Split]:
    rows = np.arange(n)
    for row in range(n):
        yield np.concatenate([rows[:row], rows[row + 1 :]]), rows[row : row + 1].copy()
