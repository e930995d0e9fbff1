"""scikit-learn's measures of rankings, beside ours of the same names."""

from typing import Any

import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import given, strategies as st
from scipy.sparse import csr_matrix

import fastmetrics as fm

BINARY = ("label_ranking_average_precision_score", "label_ranking_loss", "coverage_error")


@st.composite
def problems(draw: Any) -> tuple[Any, Any, Any]:
    rows, labels = draw(st.integers(1, 6)), draw(st.integers(2, 7))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, draw(st.sampled_from([2, 5])), (rows, labels))
    scores = rng.integers(0, draw(st.sampled_from([2, 4, 1000])), (rows, labels)) / 4
    return grades, scores, rng.random(rows) + 0.1


@given(problems(), st.sampled_from([None, 1, 3]), st.booleans(), st.booleans())
def test_gains_equal_scikit_learns(
    problem: Any, k: Any, ignore_ties: bool, is_weighted: bool
) -> None:
    grades, scores, weights = problem
    given_weights = weights if is_weighted else None
    options = {"k": k, "ignore_ties": ignore_ties, "sample_weight": given_weights}
    for name in ("dcg_score", "ndcg_score"):
        ours, theirs = (getattr(module, name)(grades, scores, **options) for module in (fm, peer))
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-14)
    ours, theirs = (module.dcg_score(grades, scores, log_base=10) for module in (fm, peer))
    assert ours == pytest.approx(theirs, rel=1e-12)


@given(problems(), st.booleans())
@pytest.mark.parametrize("name", BINARY)
def test_label_rankings_equal_scikit_learns(name: str, problem: Any, is_weighted: bool) -> None:
    grades, scores, weights = problem
    indicator = (grades > 0).astype(int)
    indicator[0, :2] = 0, 1  # else scikit-learn may take a row for labels of one class
    options = {"sample_weight": weights} if is_weighted else {}
    ours, theirs = (getattr(module, name)(indicator, scores, **options) for module in (fm, peer))
    assert ours == pytest.approx(theirs, rel=1e-13, abs=1e-15)
    assert getattr(fm, name)(csr_matrix(indicator), scores, **options) == ours


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ValueError, match="more than 1 document"):
        fm.ndcg_score([[1]], [[1]])
    with pytest.raises(ValueError, match="negative y_true"):
        fm.ndcg_score([[1, -1]], [[1, 2]])
    with pytest.raises(ValueError, match="must be matrices of one shape"):
        fm.dcg_score([[1, 0]], [[1, 2, 3]])
    with pytest.raises(ValueError, match="indicator matrix"):
        fm.label_ranking_loss([[1, 2]], [[1, 2]])
    assert fm.dcg_score([[1, -1]], [[2, 1]]) == pytest.approx(peer.dcg_score([[1, -1]], [[2, 1]]))
