"""Input of the kernels that count scores by their bits, for the count of signatures."""

from __future__ import annotations

import numpy as np


def counted_keys() -> None:
    """Count scores by their bits, of both kinds, with labels and without."""
    from fastmetrics.tables.runs._counted_keys import bits_of, flip_of, keys_of
    from fastmetrics.tables.runs._key_counter import KeyCounter

    rng = np.random.default_rng(9)
    labels = rng.integers(0, 2, 9_000).astype(np.int8)
    for scores in (rng.choice(3, 9_000).astype(np.float32), rng.choice(3, 9_000)):
        bits = bits_of(scores)
        rows = np.bincount(keys_of(bits, flip_of(scores.dtype)) >> 16, minlength=1 << 16)
        counter = KeyCounter(scores.dtype, 9 * rows, 1 << 20, 1 << 20)
        for some in (labels, labels[:0]):
            counter.take(bits, some, 1, lambda: None)
        counter.count()
        view = counter.view(scores.dtype)
        view.rows(0, view.size)
        view.table(0, view.size)
