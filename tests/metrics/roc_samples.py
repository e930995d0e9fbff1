"""Labels and scores with many ties, for the tests of the ROC family."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def samples(draw, *, weights=None, max_rows=25, both_classes=True):
    """Draw int labels, float scores (few distinct values, or many) and weights or None."""
    n = draw(st.integers(2, max_rows))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    if both_classes:
        labels[:2] = 0, 1
    few = st.sampled_from([-0.0, 0.0, 0.25, 0.5, 1.0, 1.0 + 2.0**-52])
    many = st.floats(-10, 10, allow_nan=False, width=32)
    scores = draw(st.lists(draw(st.sampled_from([few, many])), min_size=n, max_size=n))
    if weights is None:
        return np.array(labels), np.array(scores), None
    drawn = draw(st.lists(weights, min_size=n, max_size=n))
    if both_classes:
        drawn[:2] = 1, 1
    return np.array(labels), np.array(scores), np.array(drawn)


importances = st.sampled_from([0.0, 0.1, 0.3, 1.0, 2.5, 7.125])


def assert_same(ours, theirs):
    """Assert that curves have the same columns, to the bit."""
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype
        assert mine.shape == other.shape
        assert (mine == other).all()
