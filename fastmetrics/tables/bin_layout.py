"""Where the bins of a stream of scores begin: edges given or learnt, and the search for a bin."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Shown, Table
from fastmetrics._files import Members, Saved
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_integer
from fastmetrics._input.scores import canonical_scores, check_scores_array
from fastmetrics._kernels import buckets as kernels
from fastmetrics.errors import InputError

#: Pieces that are interpolated, about: of 65,536 scores one has 64, of which an eighth is chance.
_PIECES: Final = 1024
#: Nearer to an end than this, so much of the distance to it lies between.
_NEARER: Final = 8
#: How far edges reach above the sample, in steps; each has half the rows of the one before.
_ABOVE: Final = 8


def learnt_edges(scores: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Return rising edges of at most ``n_bins`` bins for scores such as these, which are finite.

    The uncertainty of a bin grows with the square of its rows, so that small bins suit all
    metrics, but differently. With ``u`` the fraction of rows above a bin and ``du`` that in it,
    the area under the ROC curve and the Kolmogorov-Smirnov statistic want the same ``du``
    everywhere; average precision divides by the rows above, and is best served by ``du`` in
    proportion to ``sqrt(u)``, edges at the squares of even steps. Half of the edges are spread
    either way: the width of average precision is then within a factor of about 1.5 of the least
    that so many bins can have, where even bins alone lose a factor that grows with the logarithm of
    their number.

    A sample is rough: of two neighbours in it one knows little of the rows between. So edges are
    interpolated between scores some way apart in it, ever nearer ones towards its ends, where
    scores thin out.
    """
    values, counts = np.unique(scores + 0.0, return_counts=True)  # without -0.0
    n_left = n_bins - 1
    recurs = counts > 1
    # A value has a bin to itself, which costs two edges, where it weighs as much as two bins; or
    # any value, of few that recur.
    is_alone = recurs & (counts * n_bins >= 2 * len(scores))
    most_alone = n_left // 4
    if 2 * len(values) <= n_left and 2 * counts[recurs].sum() >= len(scores):
        is_alone[:] = True
        most_alone = len(values)
    alone = _most_frequent(values, counts, is_alone, most_alone)
    is_alone = np.isin(values, alone)
    edges = [alone, above(alone)]
    n_left -= 2 * len(alone)
    if len(values) < n_bins:
        edges.append(_most_frequent(values, counts, recurs & ~is_alone, n_left))
        n_left -= len(edges[-1])
    rows = np.repeat(values[~is_alone], counts[~is_alone])
    # Where nearly all rows are recurring values, bins of half the even size suffice for the others.
    n_left = min(n_left, 2 * n_bins * len(rows) // max(len(scores), 1))
    if n_left:
        edges.append(_spread(rows, n_left))
    return np.unique(np.concatenate(edges))


def above(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the next double above each: infinity above the largest."""
    with np.errstate(over="ignore"):
        next_: NDArray[np.float64] = np.nextafter(values, np.inf)
    return next_


def _most_frequent(
    values: NDArray[np.float64], counts: NDArray[Any], which: NDArray[np.bool_], most: int
) -> NDArray[np.float64]:
    """Return up to ``most`` of the masked values, the most frequent ones."""
    order = np.argsort(-counts[which], kind="stable")
    return values[which][order[:most]]


def _spread(rows: NDArray[np.float64], n_edges: int) -> NDArray[np.float64]:
    """Return edges between sorted rows: half at even ranks, half ever finer to the top."""
    n = len(rows)
    ranks = _knots(n)
    knots = rows[ranks]
    below = (ranks + 0.5) / n
    with np.errstate(over="ignore"):
        step = (knots[-1] - rows[max(n - 1 - _ABOVE, 0)]) / 4
        beyond = np.minimum(knots[-1] + step * np.arange(1, _ABOVE + 1), np.finfo(np.float64).max)
    knots = np.concatenate([knots, beyond])
    below = np.concatenate([below, 1 - 0.5 / n * 0.5 ** np.arange(1, _ABOVE + 1)])
    edges_below = (below + 1 - np.sqrt(1 - below)) / 2
    wanted = np.arange(1, n_edges + 1) / (n_edges + 1)
    right = np.searchsorted(edges_below, wanted).clip(1, len(knots) - 1)
    left = right - 1
    fraction = ((wanted - edges_below[left]) / (edges_below[right] - edges_below[left])).clip(0, 1)
    between = (
        knots[left] * (1 - fraction) + knots[right] * fraction
    )  # their distance may be infinite
    edges: NDArray[np.float64] = between.clip(knots[left], knots[right])  # between equal ones too
    return edges


def _knots(n: int) -> NDArray[np.int64]:
    """Return the ranks of a sample of ``n`` that are interpolated between, both ends among them."""
    ranks = []
    rank = 0
    while rank < (n + 1) // 2:
        ranks.append(rank)
        rank += max(min(rank // _NEARER, n // _PIECES), 1)
    low = np.array(ranks, np.int64)
    return np.unique(np.concatenate([low, n - 1 - low]))


#: Bins by default: with all that belongs to one, about a megabyte.
N_BINS: Final = 1 << 15
#: Bins at most: their numbers are kept in 16 bits.
MOST_BINS: Final = 1 << 16
#: Integers up to here are doubles.
_EXACT: Final = 2**53
#: Octaves of magnitudes that bins of bits tell apart, from 2**-64 up to 2**64.
_OCTAVES: Final = 128
#: Cells, each with a start of two bytes: four a bin by default, so that most have one edge or none.
N_CELLS: Final = 1 << 17
#: Leading bits of a distance within an octave: few reach over many octaves.
_LEADING: Final = (7, 10, 11, 12)


class BinLayout(Saved, Shown):
    """The bins of a `BinnedScoreTable`: where one ends and the next begins.

    Tables merge where their layouts are equal: make one, and give it to all of them (or to all
    machines: it is saved and loaded). `learn` makes bins of few rows each; `of_bits`
    knows nothing of the data, and is the same everywhere.

    Parameters
    ----------
    edges : array-like of shape (n_bins - 1,)
        Rising numbers. Bin 0 holds the scores below the first edge, bin b those from edge b - 1
        on and below edge b, the last bin those from the last edge on.

    Raises
    ------
    TypeError, ValueError
        If the edges are not rising real numbers, at most 65,535 of them.

    Notes
    -----
    Memory 16 bytes a bin, and 256 KiB for the search. Layouts are equal where their edges are.

    Examples
    --------
    >>> from fastmetrics.streams import BinLayout
    >>> layout = BinLayout([0.25, 0.5, 0.75])
    >>> layout.n_bins
    4
    >>> layout.bins([0.1, 0.25, 0.3, 0.9])
    array([0, 1, 1, 3])
    """

    def __init__(self, edges: ArrayLike) -> None:
        array = as_array(edges, "edges")
        rising = (
            np.empty(0) if array.ndim == 1 and len(array) == 0 else check_doubles(array, "edges")
        )
        if len(rising) >= MOST_BINS:
            raise InputError(
                f"at most {MOST_BINS - 1:,} `edges` are told apart: got {len(rising):,}"
            )
        falls = rising[1:] <= rising[:-1]
        if falls.any():
            at = int(np.argmax(falls))
            pair = f"{rising[at].item()!r}, {rising[at + 1].item()!r}"
            raise InputError(f"`edges` must rise: {pair} at index {at}")
        self._edges = rising + 0.0  # a copy of our own, without -0.0
        self._edges.setflags(write=False)

    @classmethod
    def learn(cls, scores: ArrayLike, *, n_bins: int = N_BINS) -> Self:
        """Make bins that hold few rows each, fewest at the top, and values that recur alone.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Scores of some rows, such as the first 65,536 of a stream; infinite ones are left out.
        n_bins : int, default 32768
            Bins at most, from 2 to 65,536.

        Raises
        ------
        TypeError, ValueError
            If the scores are not real numbers.

        Notes
        -----
        O(n log n). A function of the multiset of scores. Half of the edges are spread evenly over
        the rows, half ever closer towards the highest scores, which average precision is made of:
        no bin has more than about 4/3 of an even share. Between the scores of the sample, and a
        little above them, edges are interpolated, so that a sample may have fewer rows than there
        are bins. A value that recurs with the weight of two bins gets a bin to itself; so does each
        of few values, most of which recur.

        Examples
        --------
        >>> from fastmetrics.streams import BinLayout
        >>> BinLayout.learn([1, 3, 3, 1, 4, 4]).bins([1, 2, 3, 4, 5])
        array([1, 2, 3, 5, 6])
        """
        n_bins = check_integer("n_bins", n_bins, low=2, high=MOST_BINS)
        known = check_doubles(scores, "scores")
        return cls(learnt_edges(known[np.isfinite(known)].astype(np.float64), n_bins))

    @classmethod
    def of_bits(cls, *, n_bins: int = N_BINS) -> Self:
        """Make bins of the leading bits of numbers: as many in each octave, of either sign.

        They do not depend on the data, and are the same on every machine.

        Parameters
        ----------
        n_bins : {32768, 65536, 16384, 8192, 4096, 2048, 1024}, default 32768
            A power of two: 128 bins an octave from 2**-64 to 2**64 by default. Numbers nearer to 0,
            or farther, share the bins there.

        Raises
        ------
        ValueError
            If `n_bins` is none of these.

        Examples
        --------
        >>> from fastmetrics.streams import BinLayout
        >>> BinLayout.of_bits() == BinLayout.of_bits(n_bins=32768)
        True
        """
        n_bins = check_integer("n_bins", n_bins, low=1024, high=MOST_BINS)
        if n_bins & (n_bins - 1):
            raise InputError(f"`n_bins` must be a power of two: got {n_bins}")
        per_octave = n_bins // (2 * _OCTAVES)
        octave, step = np.divmod(np.arange(1, n_bins // 2), per_octave)
        positive = np.ldexp(1.0 + step / per_octave, octave - _OCTAVES // 2)
        return cls(np.concatenate([-positive[::-1], [0.0], positive]))

    @property
    def edges(self) -> NDArray[np.float64]:
        """The rising edges, (n_bins - 1,); read-only."""
        return self._edges

    @property
    def n_bins(self) -> int:
        """The number of bins."""
        return len(self._edges) + 1

    @cached_property
    def name(self) -> str:
        """Sixteen digits that are the same for equal layouts: what messages call it."""
        return hashlib.sha256(self._edges.astype("<f8").tobytes()).hexdigest()[:16]

    def bins(self, scores: ArrayLike) -> NDArray[np.int64]:
        """Return the number of the bin of each score.

        Parameters
        ----------
        scores : array-like of shape (n,)

        Returns
        -------
        ndarray of int64, shape (n,)

        Examples
        --------
        >>> from fastmetrics.streams import BinLayout
        >>> BinLayout([0.0]).bins([-0.5, -0.0, 0.5])
        array([0, 1, 1])
        """
        return np.searchsorted(self._edges, check_doubles(scores, "scores"), side="right")

    @cached_property
    def _search(self) -> Search:
        return build_search(self._edges)

    @cached_property
    def _holds_one(self) -> NDArray[np.bool_]:
        """Return a mask of bins so narrow that they hold one double, their lower edge."""
        narrow = np.zeros(self.n_bins, np.bool_)
        narrow[1:-1] = above(self._edges[:-1]) == self._edges[1:]
        return narrow

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BinLayout):
            return NotImplemented
        return self is other or np.array_equal(self._edges, other._edges)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"BinLayout({self.n_bins:,} bins, {self.name})"

    def _display(self) -> Display:
        ends = self._edges[[0, -1]].tolist() if len(self._edges) else [float("nan")] * 2
        values = {"bins": self.n_bins, "first_edge": ends[0], "last_edge": ends[1]}
        return Display([Table.record(values)], f"BinLayout {self.name}")

    def _members(self) -> Members:
        return {"edges": self._edges}

    @classmethod
    def _from_members(cls, members: Members) -> Self:
        return cls(members["edges"])


def read_layout(members: Members) -> BinLayout | None:
    """Return the layout in saved members, checked; None where there is none yet."""
    return BinLayout(members["edges"]) if "edges" in members else None


def layout_members(layout: BinLayout | None) -> Members:
    """Return the saved members of a layout, as `read_layout` reads them."""
    return {} if layout is None else {"edges": layout.edges}


def check_doubles(values: Any, name: str) -> NDArray[Any]:
    """Return numbers that may be infinite as floats, verified; see `as_doubles`."""
    return as_doubles(check_scores_array(values, name, allow_inf=True), name)


def as_doubles(scores: NDArray[Any], name: str) -> NDArray[Any]:
    """Return canonical scores as floats, which hold each of them exactly, or raise."""
    scores = canonical_scores(scores, name)
    if scores.dtype.kind == "f":
        return scores
    if scores.max() > _EXACT or scores.min() < -_EXACT:
        raise InputError(
            f"`{name}` holds integers beyond 2**53, which bins of floats cannot tell apart: pass "
            "ranks, or floats"
        )
    return scores.astype(np.float64)


#: Cells, starts and edges: arguments of the kernels of bins in ``_kernels/buckets.py``.
Search = tuple[NDArray[np.float64], NDArray[np.uint16], NDArray[np.float64]]


def build_search(edges: NDArray[np.float64]) -> Search:
    """Return the fastest search for these edges, if all bins have equally many rows."""
    finite = edges[np.isfinite(edges)]
    if len(finite) < 2:
        finite = np.array([-1.0, 1.0])
    choices = [
        (cells, _edge_cells(edges, cells)) for cells in _candidates(*finite[[0, -1]].tolist())
    ]
    cells, edge_cells = min(choices, key=lambda choice: _steps(choice[1]))
    # How many edges are before each cell, and of all.
    starts = np.searchsorted(edge_cells, np.arange(N_CELLS + 1)).astype(np.uint16)
    return cells, starts, np.concatenate([edges, np.full(3, np.nan)])


def _edge_cells(edges: NDArray[np.float64], cells: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the cell of each edge, ascending."""
    cell = np.empty(len(edges), np.int32)
    with np.errstate(over="ignore"):  # as plain Python: a distance may be infinite
        kernels.octave_cells(edges, cells, N_CELLS - 1, np.empty(len(edges)), cell)
    return cell


def _steps(edge_cells: NDArray[np.int32]) -> float:
    """Return the total steps of searches from a cell down to two edges, one for each edge."""
    in_cell = np.diff(np.flatnonzero(np.diff(edge_cells, prepend=-1, append=-1)))
    return float((in_cell * np.log2(np.maximum(in_cell / 2, 1.0))).sum())


def _candidates(low: float, high: float) -> list[NDArray[np.float64]]:
    """Return cells about both ends of a range, and about 0."""
    middle = low / 2 + high / 2
    cells = []
    ends = (middle, low, high, 1.0), max(high - middle, middle - low)
    about_zero = (0.0, 0.0, 0.0, -1.0), max(abs(low), abs(high))
    for leading in _LEADING:
        shift = 52 - leading
        for numbers, reach in (ends, about_zero):
            top = int(np.float64(min(reach, np.finfo(np.float64).max)).view(np.int64)) >> shift
            cells.append(np.array([*numbers, shift, top - (N_CELLS // 2 - 1)]))
    return cells
