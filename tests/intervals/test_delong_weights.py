"""DeLong's variance of weighted rows: importances by their influence, frequencies as copies."""

import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastmetrics as fm
from reference import delong_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

N = 9
ROWS = st.tuples(
    st.lists(st.sampled_from([0, 1]), min_size=N, max_size=N),
    st.lists(st.integers(0, 5), min_size=N, max_size=N),
    st.lists(st.integers(0, 5), min_size=N, max_size=N),
    st.lists(st.integers(1, 40), min_size=N, max_size=N),
    st.lists(st.integers(0, 4), min_size=N, max_size=N),
)


def quiet(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


@settings(max_examples=40)
@given(ROWS)
def test_importances_by_the_definition(rows) -> None:
    labels, one, other, quarters, groups = rows
    labels = [0, 0, 1, 1, *labels[4:]]
    groups = [0, 1, 0, 1, *groups[4:]]
    weights = [quarter / 4 for quarter in quarters]
    for given_groups in (None, groups):
        options = {"sample_weight": weights, "groups": given_groups}
        covariance = oracle.weighted_covariance
        if given_groups is not None:
            covariance = partial(oracle.clustered_covariance, groups=given_groups)
        result = quiet(fm.delong_test, labels, {"a": one, "b": other}, **options)
        for k, scores in enumerate((one, other)):
            auc, _ = oracle.weighted_components(labels, scores, weights)
            assert result.estimate[k] == pytest.approx(float(auc), abs=1e-14)
            expected = covariance(labels, scores, scores, weights)
            assert result.covariance[k, k] == pytest.approx(float(expected), rel=1e-9, abs=1e-16)
            alone = quiet(fm.delong, labels, scores, **options)
            assert (alone.estimate, alone.details["variance"]) == (
                result.estimate[k],
                result.covariance[k, k],
            )
        expected = covariance(labels, one, other, weights)
        assert result.covariance[0, 1] == pytest.approx(float(expected), rel=1e-8, abs=1e-15)
        error = result.pairs[0].standard_error
        c = result.covariance
        assert error**2 == pytest.approx(c[0, 0] + c[1, 1] - 2 * c[0, 1], abs=1e-13)


def test_rows_of_no_importance_are_absent(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 60)
    s = rng.normal(size=60)
    w = rng.exponential(size=60)
    w[10:30] = 0.0
    kept = w > 0
    assert fm.delong(y, s, sample_weight=w) == fm.delong(y[kept], s[kept], sample_weight=w[kept])


def test_perfect_scores_and_models_that_agree(rng: np.random.Generator) -> None:
    y = np.arange(50) % 2
    w = rng.exponential(size=50)
    s = rng.normal(size=50)
    with pytest.warns(fm.DegenerateDataWarning, match="standard error is 0 at an AUC of 1"):
        result = fm.delong(y, y + s / 100, sample_weight=w)
    assert (result.estimate, result.details["variance"]) == (1.0, 0.0)
    with pytest.warns(fm.DegenerateDataWarning, match="nothing tells the models apart"):
        test = fm.delong_test(y, {"a": s, "b": 2 * s, "c": s + y}, sample_weight=w)
    assert (test["a", "b"].standard_error, test.details["df"]) == (0.0, 1)
    pair = test["a", "c"]
    assert test.details["statistic"] == pytest.approx(pair.statistic**2, rel=1e-12)
    assert test.details["pvalue"] == pytest.approx(pair.pvalue, rel=1e-9)


def test_one_row_that_outweighs_its_class_is_warned_about() -> None:
    y = np.arange(20) % 2
    s = np.random.default_rng(0).normal(size=20)
    w = np.where(np.arange(20) == 1, 1e6, 1.0)
    for function, scores in ((fm.delong, s), (fm.delong_test, {"a": s, "b": -s})):
        with pytest.warns(fm.DegenerateDataWarning, match="the positives are worth 1 rows") as seen:
            function(y, scores, sample_weight=w)
        assert (len(seen), seen[0].filename) == (2, __file__)
        assert seen[1].category is fm.SmallSampleWarning
        assert "leave 20 rows worth 1 of equal weight" in str(seen[1].message)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"sample_weight": [2.0**60] * 4, "weights_are": "frequencies"}, r"above 2\*\*53"),
        ({"sample_weight": [2**53] * 4, "weights_are": "frequencies"}, r"above 2\*\*53"),
    ],
)
def test_refused(options, match) -> None:
    for call in (
        lambda: fm.delong([0, 1, 1, 0], [1, 2, 3, 4], **options),
        lambda: fm.delong_test([0, 1, 1, 0], {"a": [1, 2, 3, 4], "b": [2, 1, 4, 3]}, **options),
        lambda: fm.bootstrap([0, 1, 1, 0], [1, 2, 3, 4], **options),
        lambda: fm.evaluate([0, 1, 1, 0], [1, 2, 3, 4], **options),
        lambda: fm.roc_band([0, 1, 1, 0], [1, 2, 3, 4], **options),
    ):
        with pytest.raises(ValueError, match=match):
            call()


@pytest.mark.parametrize("seed", range(5))
def test_rounding_is_no_difference_between_perfect_models(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(12) % 2
    w = rng.exponential(size=12)
    scores = {name: 5 * y + rng.random(12) for name in "ab"}
    for groups in (None, np.arange(12) // 3):
        pair = quiet(fm.delong_test, y, scores, sample_weight=w, groups=groups).pairs[0]
        assert (pair.difference, pair.standard_error, pair.pvalue) == (0.0, 0.0, 1.0)
