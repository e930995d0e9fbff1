"""Reliability diagrams by isotonic regression and by bins; scikit-learn's calibration curve."""

import numpy as np
import pytest
from sklearn import calibration as sk

import fastmetrics as fm
from measure_names import STRATEGIES


def sample(rng, n=500, decimals=2):
    p = np.round(rng.beta(1, 2, n), decimals)
    return (rng.random(n) < p).astype(int), p


@pytest.mark.parametrize("weighted", [False, True])
def test_isotonic_is_the_isotonic_fit(rng, weighted):
    y, p = sample(rng)
    w = rng.random(500) if weighted else None
    found, fit = (
        fm.calibration.reliability_diagram(y, p, sample_weight=w),
        fm.calibration.isotonic_fit(y, p, sample_weight=w),
    )
    np.testing.assert_array_equal(found.low, fit.low)
    np.testing.assert_array_equal(found.high, fit.high)
    np.testing.assert_allclose(found.observed, fit.values, rtol=1e-12)
    np.testing.assert_allclose(found.weights, fit.weights, rtol=1e-12)
    w = np.ones(500) if w is None else w
    for low, high, mean in zip(found.low, found.high, found.predicted, strict=True):
        inside = (low <= p) & (p <= high)
        assert mean == pytest.approx(np.average(p[inside], weights=w[inside]))


@pytest.mark.parametrize("n_bins", [1, 7, 10, 1_000])
def test_uniform_bins_are_those_of_the_calibration_curve(rng, n_bins):
    y, p = sample(rng)
    found = fm.calibration.reliability_diagram(y, p, strategy="uniform", n_bins=n_bins)
    observed, predicted = fm.calibration_curve(y, p, n_bins=n_bins)
    np.testing.assert_allclose(found.observed, observed, rtol=1e-14)
    np.testing.assert_allclose(found.predicted, predicted, rtol=1e-14)
    assert found.weights.sum() == 500
    assert (np.ceil(found.high * n_bins) - np.ceil(found.low * n_bins) <= 1).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quantile_bins_are_those_of_scikit_learn(rng, dtype):
    """Rows on an edge too, where the place of a percentile is rounded below a whole number."""
    for _ in range(300):
        n, n_bins = int(rng.integers(2, 80)), int(rng.integers(1, 20))
        y, p = sample(rng, n, decimals=int(rng.integers(1, 17)))
        p = p.astype(dtype)
        observed, predicted = sk.calibration_curve(y, p, strategy="quantile", n_bins=n_bins)
        found = fm.calibration.reliability_diagram(
            y, p, strategy="quantile", n_bins=n_bins, pos_label=1
        )
        np.testing.assert_allclose(found.observed, observed, rtol=1e-12)
        np.testing.assert_allclose(
            found.predicted, predicted, rtol=1e-5 if dtype is np.float32 else 1e-12
        )
        error = fm.calibration.expected_calibration_error(
            y, p, strategy="quantile", n_bins=n_bins, pos_label=1
        )
        shares = found.weights / n
        assert error == pytest.approx(shares @ np.abs(observed - found.predicted), abs=1e-12)


def test_quantile_and_equal_count_are_two_things():
    y, p = [0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0], np.arange(1, 14) / 14
    shares = {"quantile": [1 / 4, 1 / 2, 4 / 5], "equal-count": [2 / 5, 1 / 2, 3 / 4]}
    for bins, right in shares.items():
        found = fm.calibration.reliability_diagram(y, p, strategy=bins, n_bins=3)
        assert found.observed.tolist() == pytest.approx(right)
        assert found.strategy == bins


@pytest.mark.parametrize("bins", STRATEGIES)
@pytest.mark.parametrize("n_bins", [1, 3, 8, 30])
def test_the_curve_and_the_diagram_have_the_same_bins(rng, bins, n_bins):
    for decimals in (1, 3, 16):
        y, p = sample(rng, 90, decimals)
        found = fm.calibration.reliability_diagram(y, p, strategy=bins, n_bins=n_bins)
        observed, predicted = fm.calibration_curve(y, p, strategy=bins, n_bins=n_bins)
        np.testing.assert_allclose(found.observed, observed, rtol=1e-12)
        np.testing.assert_allclose(found.predicted, predicted, rtol=1e-12)


def test_bins_closed_on_the_left():
    p = [0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 0.875, 1.0]
    found = fm.calibration.reliability_diagram(
        [0, 1] * 4, p, strategy="uniform-left-closed", n_bins=4
    )
    assert found.low.tolist() == [0.0, 0.25, 0.5, 0.75]
    assert found.high.tolist() == [0.125, 0.375, 0.5, 1.0]


def test_equal_counts_part_no_probability(rng):
    y, p = sample(rng, decimals=1)
    found = fm.calibration.reliability_diagram(y, p, strategy="equal-count", n_bins=4)
    assert (found.low[1:] > found.high[:-1]).all()
    bins = np.array([np.mean(p < each) * 4 // 1 for each in p])
    right = [(y[bins == k].mean(), p[bins == k].mean()) for k in np.unique(bins)]
    np.testing.assert_allclose(np.column_stack((found.observed, found.predicted)), right)


@pytest.mark.parametrize("bins", ["isotonic", *STRATEGIES])
def test_weights_tables_and_histogram(rng, bins):
    y, p = sample(rng)
    w = rng.integers(0, 4, 500)
    found = fm.calibration.reliability_diagram(y, p, strategy=bins, sample_weight=w)
    assert found == fm.calibration.reliability_diagram(
        np.repeat(y, w), np.repeat(p, w), strategy=bins
    )
    assert found == fm.calibration.reliability_diagram(
        fm.ScoreTable.from_scores(y, p, sample_weight=w), strategy=bins
    )
    right = np.histogram(p, bins=np.linspace(0, 1, 21), weights=w)[0] / w.sum()
    np.testing.assert_allclose(found.histogram, right, atol=1e-15)
    if bins == "quantile":
        with pytest.raises(ValueError, match="not whole numbers do not say how many there are"):
            fm.calibration.reliability_diagram(y, p, strategy=bins, sample_weight=w / 3)
    elif bins != "equal-count":  # where rounding may move a row that lies on a cut
        scaled = fm.calibration.reliability_diagram(y, p, strategy=bins, sample_weight=w * 1e300)
        np.testing.assert_allclose(scaled.weights, found.weights * 1e300)
    assert not found.observed.flags.writeable


def test_labels_as_probabilities_and_one_class():
    found = fm.calibration.reliability_diagram([0, 1, 1], [0, 1, 1])
    assert (found.predicted.tolist(), found.observed.tolist()) == ([0, 1], [0, 1])
    found = fm.calibration.reliability_diagram([1, 1], [0.5, 0.7], pos_label=1)
    assert (found.low.tolist(), found.observed.tolist()) == ([0.5], [1])


# --- calibration_curve ---------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_bins", [1, 2, 5, 50])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits_as_scikit_learn(rng, strategy, n_bins, dtype):
    y, p = sample(rng, 3_000)
    for labels in (y, 2 * y - 1, y == 1, y.astype(float)):
        ours = fm.calibration_curve(labels, p.astype(dtype), strategy=strategy, n_bins=n_bins)
        theirs = sk.calibration_curve(labels, p.astype(dtype), strategy=strategy, n_bins=n_bins)
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)


def test_text_needs_a_positive_label_and_one_class_does_not():
    words = np.array(["no", "yes", "yes"])
    found = fm.calibration_curve(words, [0.1, 0.6, 0.9], pos_label="yes", n_bins=2)
    np.testing.assert_array_equal(
        found, sk.calibration_curve(words, [0.1, 0.6, 0.9], pos_label="yes", n_bins=2)
    )
    with pytest.raises(ValueError, match="pos_label"):
        fm.calibration_curve(words, [0.1, 0.6, 0.9])
    np.testing.assert_array_equal(
        fm.calibration_curve([1, 1], [0.1, 0.6], n_bins=2), [[1, 1], [0.1, 0.6]]
    )


def test_faults_of_the_curve():
    with pytest.raises(ValueError, match=r"`y_prob` must lie in \[0, 1\]: from -0.1 to 1.0"):
        fm.calibration_curve([0, 1], [-0.1, 1.0])
    with pytest.raises(ValueError, match="`y_true`"):
        fm.calibration_curve([0, 1, 2], [0.1, 0.5, 1.0])
