"""The class likelihood ratios: scikit-learn's values, warnings and replacements; matrices."""

import math

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from peer_samples import assert_same_as_peer, outcome

from fastmetrics import ConfusionMatrix, class_likelihood_ratios

PEER = sk.class_likelihood_ratios
REPLACEMENTS = (
    *(np.nan, 1.0, {"LR+": 1.0, "LR-": 1.0}, {"LR+": math.inf, "LR-": 0.0}),
    {"LR+": np.nan, "LR-": 0.25},
)
binary_rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 3)), min_size=2, max_size=7
).filter(lambda rows: any(w for _, _, w in rows))


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@given(binary_rows)
def test_small_cases_and_every_degenerate_one(replacement, rows) -> None:
    y, p, w = zip(*rows, strict=True)
    for sample_weight in (None, w):
        assert_same_as_peer(
            *(class_likelihood_ratios, PEER, y, p),
            sample_weight=sample_weight,
            replace_undefined_by=replacement,
        )
        for labels in ([0, 1], [1, 0], [0, 2]):
            options = {"labels": labels, "sample_weight": sample_weight}
            assert_same_as_peer(
                *(class_likelihood_ratios, PEER, y, p),
                **(options | {"replace_undefined_by": replacement}),
            )


@pytest.mark.parametrize(
    ("replacement", "error", "match"),
    [
        (0.0, ValueError, "must be 1.0, nan, or a dictionary"),
        ({"LR+": 1.0}, ValueError, "must have both 'LR\\+' and 'LR-'"),
        ({"LR+": 0.5, "LR-": 1.0}, ValueError, "\\['LR\\+'\\]` must lie in \\[1, inf\\]"),
        ({"LR+": 1.0, "LR-": 1.5}, ValueError, "\\['LR-'\\]` must lie in \\[0, 1\\]"),
    ],
)
def test_replacements_that_make_no_sense(replacement, error, match) -> None:
    with pytest.raises(error, match=match):
        class_likelihood_ratios([0, 1], [0, 1], replace_undefined_by=replacement)
    assert isinstance(outcome(PEER, [0, 1], [0, 1], replace_undefined_by=replacement)[0], type)


def test_other_refusals() -> None:
    with pytest.raises(ValueError, match="must hold two classes: got 3"):
        class_likelihood_ratios([0, 1, 2], [0, 1, 1])
    with pytest.raises(ValueError, match="two classes are needed, and there is 1"):
        class_likelihood_ratios([0, 0], [0, 0])
    with pytest.raises(ValueError, match="at least one of `labels`"):
        class_likelihood_ratios([0, 1], [0, 1], labels=[5, 6])
    with pytest.raises(TypeError, match="without `sample_weight`"):
        class_likelihood_ratios(ConfusionMatrix(), sample_weight=[1])
