"""Tables of scores with published answers."""

import numpy as np

#: Zhou, Machine Learning, table 2.5.
TEXTBOOK = [[1, 2, 3], [1, 2.5, 2.5], [1, 2, 3], [1, 2, 3]]

#: Demsar (2006), table 6: ranks of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 data sets.
DEMSAR = [
    [4, 3, 2, 1],
    [1, 2, 3, 4],
    [4, 1, 2, 3],
    [4, 1, 3, 2],
    [4, 2, 3, 1],
    [1, 2.5, 4, 2.5],
    [3, 2, 4, 1],
    [2.5, 2.5, 4, 1],
    [4, 3, 2, 1],
    [2.5, 2.5, 2.5, 2.5],
    [4, 2.5, 1, 2.5],
    [3, 2, 4, 1],
    [4, 1, 2, 3],
    [3, 1, 4, 2],
]
DEMSAR_NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")


def graded(n, k, slope, seed=0):
    """Return scores of k algorithms, the last one the best."""
    return np.random.default_rng(seed).random((n, k)) + slope * np.arange(k)
