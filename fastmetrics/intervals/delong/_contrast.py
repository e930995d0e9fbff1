"""The statistic of Wald's test that all of several estimates are equal, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def quadratic_form(
    matrix: Sequence[Sequence[int]], vector: Sequence[int]
) -> tuple[Fraction | None, int]:
    """Return v' M^- v and the rank of M, for M positive semi-definite.

    Parameters
    ----------
    matrix : sequence of shape (k, k)
        Whole numbers; symmetric, positive semi-definite.
    vector : sequence of shape (k,)
        Whole numbers.

    Returns
    -------
    value : Fraction or None
        The same for every generalised inverse; None where the vector is not in the range of M:
        then it differs from 0 in a direction in which M is 0.
    rank : int
        Of M, exact.

    Notes
    -----
    Bareiss's elimination of [[M, v], [v', 0]] without fractions: O(k^3) products of long integers.
    In a positive semi-definite matrix a pivot of 0 has a row of 0: it is passed over.

    References
    ----------
    Bareiss (1968), Sylvester's identity and multistep integer-preserving Gaussian elimination,
    Mathematics of Computation 22:565-578.
    """
    size = len(vector)
    rows = [[*row, entry] for row, entry in zip(matrix, vector, strict=True)] + [[*vector, 0]]
    rank, last, is_inside = 0, 1, True
    for j in range(size):
        pivot_row, pivot = rows[j], rows[j][j]
        if pivot == 0:
            is_inside = is_inside and pivot_row[size] == 0
            continue
        for i in range(j + 1, size + 1):
            row, factor = rows[i], pivot_row[i]
            for k in range(i, size + 1):  # what is above the diagonal is enough
                row[k] = (row[k] * pivot - factor * pivot_row[k]) // last
        rank, last = rank + 1, pivot
    return (Fraction(-rows[size][size], last) if is_inside else None), rank
