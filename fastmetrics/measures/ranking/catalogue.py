"""What lists show of a catalogue: coverage, inequality of exposure, novelty, diversity.

Items of a list are shown if they are of the first k, or have their chance of it where scores tie.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.item_lists import Catalogue, check_lists, counts_of, of_catalogue
from fastmetrics._input.scalars import check_choice, check_integer, check_positive
from fastmetrics._input.scores import check_finite
from fastmetrics._kernels.ranking import shown_items as kernels
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.ranking._by_query import Values, averaged
from fastmetrics.tables.ordering.row_order import jobs_of

CatalogueTies = Literal["expected", "trec_eval"]

#: Shown items of a job: some milliseconds of work.
_ITEMS_OF_A_JOB: Final = 1 << 15
#: Items of a job that are looked through for the first k: the same.
_ROWS_OF_A_JOB: Final = 1 << 18

#: What measures of catalogues take, and say alike.
_LISTS: Final = """
Parameters
----------
item : array-like of shape (n_items,) or (n_queries, n_items)
    The items of the lists by their ids, each once in a list.
score : array-like of the shape of `item`, optional
    What the items are ranked by, the highest first. Without it the lists are what was shown.
query : array-like of shape (n_items,), optional
    The query (user, session) of each item, in any order. Without it a matrix has a row for each
    query, and a vector is one query.
catalogue : array-like of shape (n_catalogue,)
    Ids of all items that there are, each once.
k : int, optional
    How many items are shown, the first of each list; None means all.
ties : {"expected", "trec_eval"}, default="expected"
    Which items that score the same are shown, where not all can be: each with the same chance; or
    those whose ids come last.
per_query : bool, default=False
    Whether to return the value of each query, in the order of their sorted ids, and no mean.

Raises
------
TypeError, ValueError
    If lengths differ, an id is not of the catalogue or twice in a list, a score is nan or infinite,
    or an argument has no meaning; the message names it, the rule, what came and where.
"""


@documented(_LISTS)
def catalogue_coverage(
    item: ArrayLike,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    catalogue: ArrayLike,
    k: int | None = None,
    ties: CatalogueTies = "expected",
    n_threads: int | None = None,
) -> float:
    """Compute the share of the catalogue that is shown in at least one list.

    Returns
    -------
    float
        In [0, 1]. Where scores tie, the mean over all their orders, those of one query independent
        of those of another.

    Notes
    -----
    Also called aggregate diversity, as a number of items. It grows with the number of queries:
    compare systems on the same ones.

    References
    ----------
    Ge, Delgado-Battenfeld & Jannach (2010), Beyond accuracy: evaluating recommender systems by
    coverage and serendipity, RecSys.

    Examples
    --------
    >>> from fastmetrics.ranking import catalogue_coverage
    >>> lists = [["a", "b"], ["b", "c"]]
    >>> catalogue_coverage(lists, catalogue=["a", "b", "c", "d"])
    0.75
    """
    shown = shown_items(item, score, query, catalogue, k, ties)
    n = len(shown.catalogue.ids)
    with np.errstate(divide="ignore"):
        never = np.exp(np.bincount(shown.items, np.log1p(-shown.chances), minlength=n))
    return float((1.0 - never).sum()) / n


@documented(_LISTS)
def catalogue_gini(
    item: ArrayLike,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    catalogue: ArrayLike,
    k: int | None = None,
    ties: CatalogueTies = "expected",
    n_threads: int | None = None,
) -> float:
    """Compute how unequally items of the catalogue are shown: the Gini coefficient of exposure.

    Returns
    -------
    float
        0 if all items are shown equally often; 1 - 1/n if one of n alone is shown.

    Notes
    -----
    Items that are never shown count as 0. An item's exposure is the number of lists that show it;
    where scores tie, the expected number. (The mean of the coefficient over all orders of ties,
    which has no closed form, is not below that.)

    References
    ----------
    Fleder & Hosanagar (2009), Blockbuster culture's next rise or fall: the impact of recommender
    systems on sales diversity, Management Science 55(5).

    Examples
    --------
    >>> from fastmetrics.ranking import catalogue_gini
    >>> lists = [["a", "b"], ["b", "c"]]
    >>> catalogue_gini(lists, catalogue=["a", "b", "c", "d"])  # exposure 0, 1, 1, 2
    0.375
    """
    shown = shown_items(item, score, query, catalogue, k, ties)
    n = len(shown.catalogue.ids)
    exposure = np.sort(np.bincount(shown.items, shown.chances, minlength=n))
    ranks = 2.0 * np.arange(1, n + 1) - n - 1
    return float((ranks * exposure).sum() / (n * exposure.sum()))


@documented(_LISTS)
def novelty(
    item: ArrayLike,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    catalogue: ArrayLike,
    popularity: ArrayLike | Mapping[Any, float] | None = None,
    interactions: ArrayLike | None = None,
    total: float | None = None,
    k: int | None = None,
    ties: CatalogueTies = "expected",
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute how unpopular the shown items are: their mean self-information, in bits.

    Parameters
    ----------
    popularity : array-like of shape (n_catalogue,) or mapping of item to number, optional
        How popular each item is, in the order of `catalogue`: counts, or any numbers in proportion.
    interactions : array-like of shape (n_interactions,), optional
        Instead of `popularity`: the item of each interaction that was seen before, in training.
    total : float, optional
        What a popularity is a share of; by default their sum. With the number of users it is the
        share of users who know the item.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over lists of the mean of ``-log2(popularity / total)`` over the items shown.

    Notes
    -----
    An item that nobody knows is infinitely novel; if one may be shown, that is an error, which
    ``popularity=counts + 1`` avoids.

    References
    ----------
    Zhou, Kuscsik, Liu, Medo, Wakeling & Zhang (2010), Solving the apparent diversity-accuracy
    dilemma of recommender systems, PNAS 107(10). Vargas & Castells (2011), Rank and relevance in
    novelty and diversity metrics for recommender systems, RecSys.

    Examples
    --------
    >>> from fastmetrics.ranking import novelty
    >>> seen = ["a", "a", "b", "c"]
    >>> novelty([["a", "b"], ["b", "c"]], catalogue=["a", "b", "c"], interactions=seen)
    1.75
    """
    shown = shown_items(item, score, query, catalogue, k, ties)
    known = _popularity(popularity, interactions, shown.catalogue)
    whole = float(known.sum()) if total is None else check_positive("total", total)
    if known.max() > whole:
        raise InputError(f"`total` must be at least {known.max():g}, a popularity: got {whole:g}")
    unknown = known[shown.items] <= 0
    if unknown.any():
        name = shown.catalogue.ids.tolist()[shown.items[np.argmax(unknown)]]
        n = len(np.unique(shown.items[unknown]))
        raise InputError(
            f"items that may be shown have popularity 0 and so are infinitely novel: {n:,}, the "
            f"first of them {name!r}; add 1 to all counts, or leave those items out"
        )
    with np.errstate(divide="ignore"):
        information = np.where(known > 0, -np.log2(known / whole), 0.0)
    values = shown.sums(information) / shown.counts
    return values if per_query else float(values.mean())


@documented(_LISTS)
def intra_list_diversity(
    item: ArrayLike,
    score: ArrayLike | None = None,
    *,
    query: ArrayLike | None = None,
    catalogue: ArrayLike,
    features: ArrayLike | None = None,
    distances: ArrayLike | None = None,
    k: int | None = None,
    ties: CatalogueTies = "expected",
    per_query: bool = False,
    n_threads: int | None = None,
) -> Any:
    """Compute how different the items of a list are: the mean distance of two of them.

    Parameters
    ----------
    features : array-like of shape (n_catalogue, n_features), optional
        What describes each item, in the order of `catalogue`: the distance of two is 1 less the
        cosine of the angle between them.
    distances : array-like of shape (n_catalogue, n_catalogue), optional
        Instead of `features`: the distance of each item from each, in the order of `catalogue`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Mean over lists that show at least two items; by cosines in [0, 2].

    Warns
    -----
    UndefinedMetricWarning
        If no list shows two items; the mean is then nan.

    Notes
    -----
    O(k d) a list of d features, since a sum of unit vectors has the cosines of all pairs; O(k²)
    with `distances`.

    References
    ----------
    Smyth & McClave (2001), Similarity vs. diversity, ICCBR. Ziegler, McNee, Konstan & Lausen
    (2005), Improving recommendation lists through topic diversification, WWW.

    Examples
    --------
    >>> from fastmetrics.ranking import intra_list_diversity
    >>> lists, genres = [["a", "b"], ["b", "c"]], [[1, 0], [0, 1], [0, 2]]
    >>> intra_list_diversity(lists, catalogue=["a", "b", "c"], features=genres, per_query=True)
    array([1., 0.])
    """
    if (features is None) == (distances is None):
        raise InputTypeError("pass `features` or `distances`, one of them: they say what differs")
    shown = shown_items(item, score, query, catalogue, k, ties)
    if features is not None:
        kernel, described = kernels.cosines_of_pairs, _units(features, shown)
    else:
        kernel, described = kernels.distances_of_pairs, _distances(distances, shown.catalogue)
    values = np.empty(len(shown.counts))
    data = (shown.starts, shown.items, shown.chances, shown.counts, described, values)
    jobs = jobs_of(shown.starts, _ITEMS_OF_A_JOB)
    run([partial(kernel, *job, *data) for job in jobs])
    if features is not None:
        values = np.clip(values, 0.0, 2.0)
    return averaged(values, per_query, "expected", "the diversity of lists")


def _popularity(popularity: Any, interactions: Any, catalogue: Catalogue) -> Values:
    """Return how popular each item is, in the order of ids."""
    if (popularity is None) == (interactions is None):
        raise InputTypeError("pass `popularity` or `interactions`, one of them")
    if popularity is None:
        return counts_of(interactions, catalogue)
    known = of_catalogue(popularity, "popularity", catalogue)
    if known.ndim != 1 or known.min() < 0:
        raise InputError("`popularity` must be a number not below 0 for each item")
    return known


def _units(features: Any, shown: ShownItems) -> Values:
    """Return the features of each item, of length 1."""
    vectors = of_catalogue(features, "features", shown.catalogue)
    if vectors.ndim != 2 or isinstance(features, Mapping):
        raise InputError(
            "`features` must be a matrix with a row for each item of the catalogue: got shape "
            f"{vectors.shape}"
        )
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    nowhere = largest[shown.items] == 0
    if nowhere.any():
        name = shown.catalogue.ids.tolist()[shown.items[np.argmax(nowhere)]]
        raise InputError(f"`features` of item {name!r} are all 0, and so have no angle to others")
    vectors /= np.where(largest > 0, largest, 1.0)[:, None]  # so that no square overflows
    lengths = np.sqrt((vectors**2).sum(axis=1))
    return np.ascontiguousarray(vectors / np.where(lengths > 0, lengths, 1.0)[:, None])


def _distances(distances: Any, catalogue: Catalogue) -> Values:
    matrix = of_catalogue(distances, "distances", catalogue)
    n = len(catalogue.ids)
    if matrix.shape != (n, n) or isinstance(distances, Mapping):
        raise InputError(f"`distances` must have shape {(n, n)}: got {matrix.shape}")
    if matrix.min() < 0:
        raise InputError(f"`distances` must not be below 0: got {matrix.min():g}")
    return np.ascontiguousarray(matrix[:, catalogue.order])


class ShownItems(NamedTuple):
    """Items that may be shown, those of one query together.

    ``items`` int64 (n,), places in ``catalogue.ids``, rising within a query; ``chances`` float64
    (n,) in (0, 1]; ``counts`` int64 (n_queries,): how many of them are shown.
    """

    catalogue: Catalogue
    items: NDArray[np.int64]
    chances: Values
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    def sums(self, values: Values) -> Values:
        """Return the expected sum over the shown items of each query, by the values of items."""
        return np.add.reduceat(self.chances * values[self.items], self.starts[:-1])


def shown_items(item: Any, score: Any, query: Any, catalogue: Any, k: Any, ties: Any) -> ShownItems:
    """Return what is shown of each query, from the data of a measure of catalogues."""
    if ties in ("optimistic", "pessimistic"):
        raise InputError(
            f"`ties={ties!r}` takes the order that is best or worst for relevant items, and here "
            "none is: take 'expected' or 'trec_eval'"
        )
    check_choice("ties", ties, ("expected", "trec_eval"))
    if k is not None:
        k = check_integer("k", k, low=1)
        if score is None:
            raise InputError("`k` needs `score`, which says the order: or pass the first k alone")
    rows = check_lists(item, score, query, catalogue)
    sizes = np.diff(rows.starts)
    chances = np.ones(len(rows.items))
    if rows.scores is not None:
        scores = rows.scores
        if ties == "trec_eval":
            scores = scores.astype(np.float32)  # as trec_eval holds them
        most = int(sizes.max()) if k is None else min(k, int(sizes.max()))
        write = partial(kernels.chances_of_first, scores, rows.starts)
        into = (most, ties == "trec_eval", chances)
        jobs = jobs_of(rows.starts, _ROWS_OF_A_JOB)
        if any(run([partial(write, *job, *into) for job in jobs])):
            check_finite(rows.scores, "score")
        sizes = np.minimum(sizes, most)
    may_be = chances > 0
    starts = np.append(0, np.cumsum(may_be))[rows.starts]
    return ShownItems(rows.catalogue, rows.items[may_be], chances[may_be], starts, sizes)
