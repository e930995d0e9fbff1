"""Adjusted p-values: statsmodels, published laws, and one implementation of Holm."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from peers import adjusted_by_statsmodels

PEERS = {
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "benjamini-hochberg": "fdr_bh",
    "bonferroni": "bonferroni",
}
PVALUES = st.lists(
    st.sampled_from([0.0, 1e-300, 0.001, 0.01, 0.03, 0.05, 0.2, 0.7, 1.0]), min_size=1
)


@pytest.mark.parametrize("method", PEERS)
@given(pvalues=PVALUES)
def test_statsmodels(method, pvalues):
    expected = adjusted_by_statsmodels(pvalues, PEERS[method])
    np.testing.assert_allclose(
        fm.comparison.adjust_pvalues(pvalues, method=method), expected, rtol=1e-14
    )


@given(pvalues=PVALUES)
def test_order_of_the_methods(pvalues):
    found = {method: fm.comparison.adjust_pvalues(pvalues, method=method) for method in PEERS}
    assert (found["benjamini-hochberg"] <= found["hochberg"] + 1e-15).all()
    assert (found["hochberg"] <= found["holm"]).all()
    assert (found["holm"] <= found["bonferroni"]).all()
    assert all((values >= pvalues).all() and (values <= 1).all() for values in found.values())


@pytest.mark.parametrize("method", PEERS)
def test_undefined_ones_are_not_counted(method):
    whole = fm.comparison.adjust_pvalues([0.01, np.nan, 0.04, 0.03], method=method)
    assert np.isnan(whole[1])
    assert (
        whole[[0, 2, 3]] == fm.comparison.adjust_pvalues([0.01, 0.04, 0.03], method=method)
    ).all()
    assert np.isnan(fm.comparison.adjust_pvalues([np.nan, np.nan], method=method)).all()
