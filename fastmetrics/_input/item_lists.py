"""Lists of items of a catalogue: the numbers of the items, query by query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.queries import by_name, gathered, of_items
from fastmetrics._input.scalars import check_same_shape
from fastmetrics._input.scores import canonical_scores
from fastmetrics.errors import InputError, InputTypeError


class Catalogue(NamedTuple):
    """``ids`` (n_items,) sorted and distinct; ``order`` int64: where the caller has them."""

    ids: NDArray[Any]
    order: NDArray[np.int64]


class ListRows(NamedTuple):
    """Items of all lists, those of one query together and there by their number.

    ``items`` int64 (n,), places in ``catalogue.ids``; ``scores`` (n,) in a canonical dtype, not yet
    looked at, or None; ``starts`` int64 (n_queries + 1,).
    """

    catalogue: Catalogue
    items: NDArray[np.int64]
    scores: NDArray[Any] | None
    starts: NDArray[np.int64]


def check_lists(item: Any, score: Any, query: Any, catalogue: Any) -> ListRows:
    """Return the lists in canonical form: neither the order of rows nor of the catalogue is left.

    Ids are flat with ``query``; without, a row is a query, and a vector is one query. ``score`` has
    the shape of ``item``, or is None.
    """
    names = of_items(item, "item")
    if names.ndim == 2 and query is not None:
        raise InputError("a matrix has a row for each query: pass no `query`")
    scores = None if score is None else as_array(score, "score")
    if scores is not None:
        check_same_shape(item=names, score=scores)
    known, items = _numbered(names.ravel(), catalogue)
    if scores is not None:
        scores = canonical_scores(scores.ravel(), "score")
    order = None
    if query is None:
        width = names.shape[-1]
        starts = np.arange(0, names.size + 1, width, dtype=np.int64)
    else:
        starts, _, order = gathered(query, len(items))
    if order is not None:
        items, scores = items[order], scores if scores is None else scores[order]
    order = by_name(items, starts, "item")
    if order is not None:
        items, scores = items[order], scores if scores is None else scores[order]
    return ListRows(known, items, scores, starts)


def of_catalogue(values: Any, name: str, catalogue: Catalogue) -> NDArray[np.float64]:
    """Return numbers of the items, a mapping or in the caller's order, in the order of ids."""
    n = len(catalogue.ids)
    if isinstance(values, Mapping):
        missing = [one for one in catalogue.ids.tolist() if one not in values]
        if missing:
            raise InputError(
                f"`{name}` has no number for {len(missing):,} of the {n:,} items of the catalogue, "
                f"the first of them {missing[0]!r}"
            )
        numbers = np.array([values[one] for one in catalogue.ids.tolist()], np.float64)
    else:
        given = as_array(values, name)
        if given.dtype.kind not in "biuf":
            raise InputTypeError(f"`{name}` must be numbers: got {given.dtype}")
        if given.ndim == 0 or len(given) != n:
            raise InputError(
                f"`{name}` must have a row for each of the {n:,} items of the catalogue, in its "
                f"order: got shape {given.shape}"
            )
        numbers = given.astype(np.float64)[catalogue.order]
    if not np.isfinite(numbers).all():
        raise InputError(f"`{name}` must be finite: got {numbers[~np.isfinite(numbers)][0]}")
    return numbers


def counts_of(interactions: Any, catalogue: Catalogue) -> NDArray[np.float64]:
    """Return how often each item of the catalogue occurs."""
    _, items = _numbered(as_vector(interactions, "interactions"), catalogue.ids, "interactions")
    return np.bincount(items, minlength=len(catalogue.ids)).astype(np.float64)


def _numbered(
    names: NDArray[Any], catalogue: Any, what: str = "item"
) -> tuple[Catalogue, NDArray[np.int64]]:
    """Return the catalogue, and the place in it of each name."""
    ids = as_vector(catalogue, "catalogue")
    kinds = [array.dtype.kind.replace("u", "i").replace("O", "U") for array in (ids, names)]
    if kinds[0] != kinds[1]:
        raise InputTypeError(
            f"`{what}` and `catalogue` must be ids of one kind: got {names.dtype} and {ids.dtype}"
        )
    classes, codes = check_class_labels(np.concatenate([ids, names]), what)
    own, items = codes[: len(ids)], codes[len(ids) :]
    order = np.full(len(classes), -1)
    order[own] = np.arange(len(ids))
    n_known = np.count_nonzero(order >= 0)
    if n_known < len(ids):
        twice = np.flatnonzero(np.bincount(own) > 1)[0]
        raise InputError(f"`catalogue` has {classes.tolist()[twice]!r} twice")
    if n_known < len(classes):
        strange = order[items] < 0
        raise InputError(
            f"`{what}` has {np.count_nonzero(order < 0):,} ids that the catalogue lacks, the first "
            f"of them {classes.tolist()[items[np.argmax(strange)]]!r}"
        )
    return Catalogue(classes, order), items
