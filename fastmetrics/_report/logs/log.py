"""``EvaluationLog``: scores of models on items, repeat by repeat, and how repeats vary."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_flag, check_integer, check_same_length, check_text
from fastmetrics._input.scores import check_finite
from fastmetrics._results import Result
from fastmetrics.errors import InputError, InputTypeError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Values that are shown in messages and tables, at most.
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, repr=False)
class RepeatVariance(Result):
    """Variance of a model's scores between items, and between repeats of an item.

    Attributes
    ----------
    model : str
        Whose scores.
    between_items : float
        Of the items' expected scores, unbiased: below 0 by chance where it is small. nan without
        repeats.
    between_repeats : float
        Of one repeat about its item's expected score: the mean over items, unbiased.
    n_items : int
        Items.
    n_repeats : float
        Repeats of an item: their harmonic mean.
    """

    model: str
    between_items: float
    between_repeats: float
    n_items: int
    n_repeats: float

    @classmethod
    def of(
        cls, model: str, n: NDArray[np.int64], means: NDArray[Any], squares: NDArray[Any]
    ) -> RepeatVariance:
        """Return that of items with n repeats each, by their means and sums of squares about them.

        Items that were tried once tell nothing, and are left out.
        """
        has = n > 1
        n, means, squares = n[has], means[has], squares[has]
        if len(n) < 2:
            return cls(model, math.nan, math.nan, len(n), float(n[0]) if len(n) else 1.0)
        own = squares / (n - 1.0)
        between = float(means.var(ddof=1) - np.mean(own / n))
        return cls(model, between, float(own.mean()), len(n), float(len(n) / np.sum(1.0 / n)))

    def standard_error(self, n_repeats: int, n_items: int | None = None) -> float:
        """Return the standard error that the mean would have with so many repeats, and items.

        Parameters
        ----------
        n_repeats : int
            Of each item.
        n_items : int, optional
            By default as many as there are.

        Returns
        -------
        float
            The root of (between_items + between_repeats / n_repeats) / n_items: what is between
            items no repeat takes away.
        """
        check_integer("n_repeats", n_repeats, low=1)
        if n_items is not None:
            check_integer("n_items", n_items, low=1)
        variance = max(self.between_items, 0.0) + self.between_repeats / n_repeats
        return math.sqrt(variance / (n_items or self.n_items)) if variance == variance else math.nan

    def __repr__(self) -> str:
        return (
            f"RepeatVariance({self.model!r}, between_items={self.between_items:.4g}, "
            f"between_repeats={self.between_repeats:.4g})"
        )

    def _shown(self) -> Display:
        return Display([Table.record(self.to_dict())], "Variance")


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationLog(Result):
    """Scores of one or several models on items, each with one or more repeats.

    Attributes
    ----------
    models : tuple of str
        Names, in order of first appearance.
    items : ndarray of shape (n_items,)
        What items are called, sorted.
    model, item : ndarray of int64, shape (n_rows,)
        The place of each row's model in `models`, and of its item in `items`.
    score : ndarray of float64, shape (n_rows,)
        What the repeat is worth.
    group : ndarray of int64, shape (n_items,), or None
        The group of each item, from 0: groups are then what varies.
    metric : str
        What the score is called.
    higher_is_better : bool or None
        Its direction; None if nobody said.
    """

    models: tuple[str, ...]
    items: NDArray[Any]
    model: Ints = field(repr=False)
    item: Ints = field(repr=False)
    score: Floats = field(repr=False)
    group: Ints | None
    metric: str
    higher_is_better: bool | None

    @cached_property
    def n_repeats(self) -> Ints:
        """How often each model tried each item, (n_models, n_items); 0 where it did not."""
        return self._sums(None).astype(np.int64)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the scores of each model's item, (n_models, n_items)."""
        return self._sums(self.score)

    @property
    def _means(self) -> Floats:
        return np.asarray(self.totals / np.maximum(self.n_repeats, 1))

    @cached_property
    def squares(self) -> Floats:
        """The sum of squared deviations of repeats from the mean of their item."""
        return self._sums((self.score - self._means[self.model, self.item]) ** 2)

    def _sums(self, weights: Floats | None) -> NDArray[Any]:
        """Return the sum of the rows of each model's item, or how many there are."""
        shape = len(self.models), len(self.items)
        cell = self.model * shape[1] + self.item
        return np.bincount(cell, weights, shape[0] * shape[1]).reshape(shape)

    def repeat_variance(self) -> tuple[RepeatVariance, ...]:
        """Return, of each model, how scores vary between items, and between repeats of one.

        Returns
        -------
        tuple of RepeatVariance
            In the order of `models`; nan where no two items were tried twice.
        """
        rows = zip(self.models, self.n_repeats, self._means, self.squares, strict=True)
        return tuple(RepeatVariance.of(*row) for row in rows)

    @property
    def are_successes(self) -> bool:
        """Whether every score is 0 or 1."""
        return bool(((self.score == 0.0) | (self.score == 1.0)).all())

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        return (
            f"EvaluationLog({len(self.models)} models, {len(self.items):,} items, "
            f"{len(self):,} scores of {self.metric!r})"
        )

    def _shown(self) -> Display:
        repeats = self.n_repeats
        columns = {
            "model": list(self.models),
            "items": [int((own > 0).sum()) for own in repeats],
            "repeats": [_range(own[own > 0]) for own in repeats],
            self.metric: [float(self.score[self.model == k].mean()) for k in range(len(repeats))],
        }
        return Display([Table(columns)], "Evaluation log")


def _range(counts: Ints) -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low}" if low == high else f"{low} to {high}"


def evaluation_log(
    item: ArrayLike,
    score: ArrayLike,
    *,
    model: ArrayLike | None = None,
    repeat: ArrayLike | None = None,
    group: ArrayLike | None = None,
    name: str = "score",
    higher_is_better: bool | None = None,
) -> EvaluationLog:
    """Return the scores of models on items, checked: a row for each repeat of an item by a model.

    Parameters
    ----------
    item : array-like of shape (n_rows,)
        What the item is called: text or whole numbers.
    score : array-like of shape (n_rows,)
        What the repeat is worth: finite numbers, or booleans.
    model : array-like of shape (n_rows,), optional
        What the model is called; by default all rows are of one, "model".
    repeat : array-like of shape (n_rows,), optional
        Which repeat of the item it is: needed where a model has an item more than once.
    group : array-like of shape (n_rows,), optional
        Whose items vary together, as questions on one document: the same for all rows of an item.
    name : str, default="score"
        What the score is called.
    higher_is_better : bool, optional
        Its direction. Scores that are all 0 or 1 are successes, of which more are better; of others
        nobody is called better unless this says which way.

    Returns
    -------
    EvaluationLog
        To be passed to `evaluate_log`.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, a score is no finite number, an item belongs to two groups, or a model
        has an item twice in one repeat.

    Notes
    -----
    O(n log n). Names are compared as they are: 1 and "1" cannot be in one column.

    Examples
    --------
    >>> log = evaluation_log(["q1", "q1", "q2", "q2"], [1, 0, 1, 1], repeat=[1, 2, 1, 2])
    >>> log
    EvaluationLog(1 models, 2 items, 4 scores of 'score')
    >>> log.n_repeats
    array([[2, 2]])
    """
    check_text("name", name)
    if higher_is_better is not None:
        check_flag("higher_is_better", higher_is_better)
    values = as_array(score, "score")
    if values.dtype.kind not in "biuf" or values.ndim != 1:
        raise InputTypeError("`score` must be a vector of numbers or booleans")
    check_finite(values, "score")
    values = values.astype(np.float64)
    items, item_codes = _named(item, "item", len(values))
    names: tuple[str, ...] = ("model",)
    model_codes = np.zeros(len(values), np.int64)
    if model is not None:
        found, codes = _named(model, "model", len(values))
        first = np.full(len(found), len(codes))
        np.minimum.at(first, codes, np.arange(len(codes)))
        order = np.argsort(first)
        names, model_codes = tuple(str(found[k]) for k in order), np.argsort(order)[codes]
    repeats = None if repeat is None else _named(repeat, "repeat", len(values))[1]
    _check_once(items, item_codes, names, model_codes, repeats)
    groups = None
    if group is not None:
        groups = _group_of_items(items, item_codes, _named(group, "group", len(values))[1])
    if higher_is_better is None and bool(((values == 0.0) | (values == 1.0)).all()):
        higher_is_better = True
    upwards = None if higher_is_better is None else bool(higher_is_better)
    return EvaluationLog(names, items, model_codes, item_codes, values, groups, name, upwards)


def _named(values: Any, name: str, n: int) -> tuple[NDArray[Any], Ints]:
    """Return the different values of a column, sorted, and the place of each row's."""
    array = as_array(values, name)
    if array.dtype.kind == "f":
        raise InputTypeError(f"`{name}` must hold texts or whole numbers: got {array.dtype}")
    found = check_class_labels(array, name)
    check_same_length(**{"score": range(n), name: found.codes})
    return np.asarray(found.classes), found.codes


def _check_once(
    items: NDArray[Any], item: Ints, names: tuple[str, ...], model: Ints, repeat: Ints | None
) -> None:
    """Raise if a model has an item more than once in one repeat."""
    keys = model * len(items) + item
    if repeat is not None:
        keys = keys * (int(repeat.max()) + 1) + repeat
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(twice) == 0:
        return
    row = order[twice[0] + 1]
    advice = "name each `repeat`" if repeat is None else "in one `repeat`: these are copies"
    raise InputError(
        f"`item` {items[item[row]]!s} is there more than once for model {names[model[row]]!r}, "
        f"and {len(twice):,} such rows in all: {advice}"
    )


def _group_of_items(items: NDArray[Any], item: Ints, group: Ints) -> Ints:
    found = np.empty(len(items), np.int64)
    found[item] = group
    torn = np.unique(item[found[item] != group])
    if len(torn):
        some = ", ".join(str(items[k]) for k in torn[:_SHOWN])
        raise InputError(
            f"`group` must be the same for all rows of an item: {len(torn):,} items have several, "
            f"{some} for one"
        )
    return found
