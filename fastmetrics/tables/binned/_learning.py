"""Where bins end, learnt from a sample of scores.

What a bin leaves open falls with the square of its rows, so that bins of few rows are what all
measures want, but not everywhere alike. With ``u`` the share of rows above a bin and ``du`` its
own, the area under the ROC curve and the Kolmogorov-Smirnov statistic want the same ``du``
everywhere; average precision divides by the rows above, and is best served by ``du`` in proportion
to ``sqrt(u)``, edges at the squares of even steps. Half of the edges are spread either way: the
width of average precision is then within a factor of about 1.5 of the least that so many bins can
have, where even bins alone lose a factor that grows with the logarithm of their number.

A sample is rough: of two neighbours in it one knows little of the rows between. So edges are
interpolated between scores some way apart in it, ever nearer ones towards its ends, where scores
thin out.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: Pieces that are interpolated, about: of 65,536 scores one has 64, of which an eighth is chance.
_PIECES: Final = 1024
#: Nearer to an end than this, so much of the distance to it lies between.
_NEARER: Final = 8
#: How far edges reach above the sample, in steps; each has half the rows of the one before.
_ABOVE: Final = 8


def learnt_edges(scores: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Return rising edges of at most ``n_bins`` bins for scores such as these, which are finite."""
    values, counts = np.unique(scores + 0.0, return_counts=True)  # without -0.0
    room, recurs = n_bins - 1, counts > 1
    # A value has a bin to itself, which costs two edges, where it weighs as much as two bins; or
    # any value, of few that recur.
    is_alone = recurs & (counts * n_bins >= 2 * len(scores))
    most_alone = room // 4
    if 2 * len(values) <= room and 2 * counts[recurs].sum() >= len(scores):
        is_alone[:] = True
        most_alone = len(values)
    alone = _most_frequent(values, counts, is_alone, most_alone)
    is_alone = np.isin(values, alone)
    edges = [alone, above(alone)]
    room -= 2 * len(alone)
    if len(values) < n_bins:
        edges.append(_most_frequent(values, counts, recurs & ~is_alone, room))
        room -= len(edges[-1])
    rows = np.repeat(values[~is_alone], counts[~is_alone])
    # Where nearly all rows are values that recur, bins of half an even share do for the others.
    room = min(room, 2 * n_bins * len(rows) // max(len(scores), 1))
    if room:
        edges.append(_spread(rows, room))
    return np.unique(np.concatenate(edges))


def above(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the next double above each: infinity above the largest."""
    with np.errstate(over="ignore"):
        next_: NDArray[np.float64] = np.nextafter(values, np.inf)
    return next_


def _most_frequent(
    values: NDArray[np.float64], counts: NDArray[Any], which: NDArray[np.bool_], most: int
) -> NDArray[np.float64]:
    """Return at most so many of these values, those that recur most often."""
    values, counts = values[which], counts[which]
    return values[np.argsort(-counts, kind="stable")[:most]]


def _spread(rows: NDArray[np.float64], n_edges: int) -> NDArray[np.float64]:
    """Return edges between sorted rows: half even in their number, half ever finer to the top."""
    n = len(rows)
    ranks = _knots(n)
    knots, below = rows[ranks], (ranks + 0.5) / n
    with np.errstate(over="ignore"):
        step = (knots[-1] - rows[max(n - 1 - _ABOVE, 0)]) / 4
        beyond = np.minimum(knots[-1] + step * np.arange(1, _ABOVE + 1), np.finfo(np.float64).max)
    knots = np.concatenate([knots, beyond])
    below = np.concatenate([below, 1 - 0.5 / n * 0.5 ** np.arange(1, _ABOVE + 1)])
    edges_below = (below + 1 - np.sqrt(1 - below)) / 2
    wanted = np.arange(1, n_edges + 1) / (n_edges + 1)
    right = np.searchsorted(edges_below, wanted).clip(1, len(knots) - 1)
    left = right - 1
    share = ((wanted - edges_below[left]) / (edges_below[right] - edges_below[left])).clip(0, 1)
    between = knots[left] * (1 - share) + knots[right] * share  # their distance may be infinite
    edges: NDArray[np.float64] = between.clip(knots[left], knots[right])  # between equal ones too
    return edges


def _knots(n: int) -> NDArray[np.int64]:
    """Return the ranks of a sample of ``n`` that are interpolated between, both ends among them."""
    half = (n + 1) // 2
    ranks, rank = [], 0
    while rank < half:
        ranks.append(rank)
        rank += max(min(rank // _NEARER, n // _PIECES), 1)
    low = np.array(ranks, np.int64)
    return np.unique(np.concatenate([low, n - 1 - low]))
