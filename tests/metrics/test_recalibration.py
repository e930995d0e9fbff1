"""Calibration lines, isotonic fits, diagrams and decompositions."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit
from sklearn import calibration as sk
from sklearn.isotonic import IsotonicRegression

import fastmetrics as fm
from fastmetrics.calibration import (
    expected_calibration_error,
    isotonic_fit,
    logistic_calibration,
    reliability_diagram,
    score_decomposition,
)
from fastmetrics.errors import UndefinedMetricWarning
from metric_names import STRATEGIES
from reference import corp_oracle

VALUES = ("slope", "intercept", "in_the_large")


def right(y, p):
    """Return estimates from the likelihood of each row, by nested searches."""
    x = np.log(p) - np.log1p(-p)
    rows = np.concatenate((x[y == 1], x[y == 0]))
    sign = np.repeat([1.0, -1.0], [np.sum(y == 1), np.sum(y == 0)])

    def gradient(a, b, of):
        return math.fsum(sign * expit(-sign * (a + b * rows)) * of)

    def falls_to_zero(function):
        low, high = -1.0, 1.0
        while function(low) < 0.0:
            low *= 2.0
        while function(high) > 0.0:
            high *= 2.0
        return brentq(function, low, high, xtol=1e-14, rtol=1e-14, maxiter=5_000)

    def intercept(slope):
        return falls_to_zero(lambda a: gradient(a, slope, 1.0))

    best = falls_to_zero(lambda b: gradient(intercept(b), b, rows))
    return {"slope": best, "intercept": intercept(best), "in_the_large": intercept(1.0)}


def assert_right(y, p):
    fit = logistic_calibration(y, p)
    wanted = right(y, p)
    for name in VALUES:
        ours = getattr(fit, name)
        low, high = getattr(fit, f"{name}_interval")
        assert ours == pytest.approx(wanted[name], rel=1e-7, abs=1e-9 * (high - low)), name
        assert low < ours < high


def labelled(n, positives):
    return np.isin(np.arange(n), positives).astype(int)


def overlap(y, p):
    ones = p[y == 1]
    zeros = p[y == 0]
    return ones.min() < zeros.max() and zeros.min() < ones.max()


@pytest.mark.parametrize("n_positive", [1, 2, 3])
def test_few_positives(rng, n_positive):
    for _ in range(3):
        p = rng.beta(0.5, 24.5, 200)
        y = labelled(200, rng.choice(200, n_positive, replace=False))
        if overlap(y, p):
            assert_right(y, p)
            assert_right(1 - y, 1 - np.maximum(p, 1e-9))


@pytest.mark.parametrize("deviation", [0.1, 2.0, 8.0])
def test_few_rows(rng, deviation):
    seen = 0
    for _ in range(25):
        n = int(rng.integers(3, 9))
        p = expit(rng.normal(-1, deviation, n))
        y = labelled(n, rng.choice(n, int(rng.integers(1, n)), replace=False))
        if overlap(y, p):
            assert_right(y, p)
            seen += 1
    assert seen > 5


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-7])
@pytest.mark.parametrize("centre", [0.5, 0.03])
def test_classes_that_hardly_overlap(rng, gap, centre):
    low, high = centre * rng.random(9), centre + (1 - centre) * rng.random(9)
    p = np.concatenate((low, [centre * (1 + gap), centre], high))
    y = np.repeat([0, 1], 10)
    assert_right(y, p)
    assert_right(1 - y, p)


def test_no_data_end_in_an_exception(rng):
    """Probabilities as far out and as near to one another as doubles are."""
    kinds = (
        lambda n: 10.0 ** -(300 * rng.random(n)),
        lambda n: np.where(rng.random(n) < 0.5, 10.0 ** -(300 * rng.random(n)), 1 - 1e-15),
        lambda n: 0.3 + np.spacing(0.3) * rng.integers(0, 9, n),
        lambda n: 0.5 + 1e-12 * rng.normal(size=n),
        lambda n: rng.choice([5e-324, 1e-308, 0.1, 0.5, 1 - 2.0**-53], n),
    )
    for kind in kinds * 3:
        n = int(rng.integers(3, 12))
        p = kind(n).clip(5e-324, 1 - 2.0**-53)
        y = rng.integers(0, 2, n)
        y[:2] = 0, 1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit = logistic_calibration(y, p)
        assert all(issubclass(each.category, UndefinedMetricWarning) for each in caught)
        for name in VALUES[2:] if caught else VALUES:
            low, high = getattr(fit, f"{name}_interval")
            assert -math.inf < low < getattr(fit, name) < high < math.inf


def test_separated_classes_have_no_slope():
    """As for distinct probabilities whose logits round to the same double."""
    p = np.array([0.004, 0.01, np.nextafter(0.01, 1), 0.2])
    assert np.ptp(np.log(p[1:3]) - np.log1p(-p[1:3])) == 0
    for chances in (p, np.array([0.1, 0.2, 0.2, 0.3]), np.array([0.1, 0.2, 0.3, 0.4])):
        for y in ([0, 1, 0, 1], [1, 0, 1, 0]):
            y = np.array(y) if chances[1] == chances[2] or chances is p else np.sort(y)
            with pytest.warns(UndefinedMetricWarning, match="separate the classes, so that the sl"):
                fit = logistic_calibration(y, chances)
            assert math.isnan(fit.slope)
            assert np.isnan(fit.slope_interval).all()
            assert np.isnan(fit.intercept_interval).all()
            low, high = fit.in_the_large_interval
            assert low < fit.in_the_large < high


def test_many_rows_with_one_positive(rng):
    """Runs of rows stand for the rows, steep lines included."""
    p = rng.beta(0.5, 24.5, 5_000)
    assert_right(labelled(5_000, [int(np.argsort(p)[3_000])]), p)


def test_the_oracle_finds_the_top(rng):
    y = labelled(9, [1, 5])
    p = expit(rng.normal(size=9))
    x = np.log(p) - np.log1p(-p)

    def lost(a):
        return np.logaddexp(0.0, np.where(y == 1, -1, 1) * (a + x)).sum()

    assert right(y, p)["in_the_large"] == pytest.approx(minimize_scalar(lost).x, abs=1e-6)


ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=25
).filter(lambda rows: any(weight for _, _, weight in rows))


@given(ROWS, st.sampled_from(["none", "counts", "quarters"]))
def test_labels_by_the_definition(rows, weighting):
    labels, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    given_weights = {"none": None, "counts": weights, "quarters": weights / 4}[weighting]
    points = corp_oracle.points(labels, scores, given_weights)
    fit = isotonic_fit(labels, scores, sample_weight=given_weights, pos_label=1)
    right = list(map(float, corp_oracle.isotonic(points)))
    blocks = [np.flatnonzero((fit.low <= s) & (s <= fit.high)) for s, _, _ in points]
    assert [fit.values[block].item() for block in blocks] == right
    assert fit.values.tolist() == sorted(set(right))
    assert Fraction(float(fit.weights.sum())) == sum(weight for _, _, weight in points)


@pytest.mark.parametrize("decimals", [1, 3, 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_scikit_learn(rng, decimals, weighted):
    scores = np.round(rng.random(3_000), decimals)
    y = (rng.random(3_000) < scores).astype(float)
    weights = rng.random(3_000) if weighted else None
    fit = isotonic_fit(y, scores, sample_weight=weights)
    peer = IsotonicRegression(out_of_bounds="clip").fit(scores, y, sample_weight=weights)
    new = np.linspace(-0.1, 1.1, 1_000)
    np.testing.assert_allclose(fit.predict(new), peer.predict(new), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(fit.predict(scores), peer.predict(scores), rtol=1e-9, atol=1e-11)


def test_a_table_serves_as_well_as_rows(rng):
    labels = rng.integers(0, 2, 500)
    scores = np.round(rng.random(500), 2)
    assert isotonic_fit(fm.ScoreTable.from_scores(labels, scores)) == isotonic_fit(labels, scores)
    assert isotonic_fit(labels, scores, n_threads=1) == isotonic_fit(labels, scores)


def test_large_integers_are_told_apart():
    big = 2**62
    assert isotonic_fit([0, 1], [big, big + 1]).low.tolist() == [big, big + 1]


def sample(rng, n=500, decimals=2):
    p = np.round(rng.beta(1, 2, n), decimals)
    return (rng.random(n) < p).astype(int), p


@pytest.mark.parametrize("weighted", [False, True])
def test_isotonic_is_the_isotonic_fit(rng, weighted):
    y, p = sample(rng)
    w = rng.random(500) if weighted else None
    diagram = reliability_diagram(y, p, sample_weight=w)
    fit = isotonic_fit(y, p, sample_weight=w)
    np.testing.assert_array_equal(diagram.low, fit.low)
    np.testing.assert_array_equal(diagram.high, fit.high)
    np.testing.assert_allclose(diagram.observed, fit.values, rtol=1e-12)
    np.testing.assert_allclose(diagram.weights, fit.weights, rtol=1e-12)
    w = np.ones(500) if w is None else w
    for low, high, mean in zip(diagram.low, diagram.high, diagram.predicted, strict=True):
        inside = (low <= p) & (p <= high)
        assert mean == pytest.approx(np.average(p[inside], weights=w[inside]))


@pytest.mark.parametrize("n_bins", [1, 7, 10, 1_000])
def test_uniform_bins_are_those_of_the_calibration_curve(rng, n_bins):
    y, p = sample(rng)
    diagram = reliability_diagram(y, p, strategy="uniform", n_bins=n_bins)
    observed, predicted = fm.calibration_curve(y, p, n_bins=n_bins)
    np.testing.assert_allclose(diagram.observed, observed, rtol=1e-14)
    np.testing.assert_allclose(diagram.predicted, predicted, rtol=1e-14)
    assert diagram.weights.sum() == 500
    assert (np.ceil(diagram.high * n_bins) - np.ceil(diagram.low * n_bins) <= 1).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quantile_bins_are_those_of_scikit_learn(rng, dtype):
    """Rows on an edge too, where the place of a percentile is rounded below a whole number."""
    for _ in range(300):
        n = int(rng.integers(2, 80))
        n_bins = int(rng.integers(1, 20))
        y, p = sample(rng, n, decimals=int(rng.integers(1, 17)))
        p = p.astype(dtype)
        observed, predicted = sk.calibration_curve(y, p, strategy="quantile", n_bins=n_bins)
        diagram = reliability_diagram(y, p, strategy="quantile", n_bins=n_bins, pos_label=1)
        np.testing.assert_allclose(diagram.observed, observed, rtol=1e-12)
        np.testing.assert_allclose(
            diagram.predicted, predicted, rtol=1e-5 if dtype is np.float32 else 1e-12
        )
        error = expected_calibration_error(y, p, strategy="quantile", n_bins=n_bins, pos_label=1)
        fractions = diagram.weights / n
        assert error == pytest.approx(fractions @ np.abs(observed - diagram.predicted), abs=1e-12)


def test_quantile_and_equal_count_are_two_things():
    y = [0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0]
    p = np.arange(1, 14) / 14
    fractions = {"quantile": [1 / 4, 1 / 2, 4 / 5], "equal-count": [2 / 5, 1 / 2, 3 / 4]}
    for bins, right in fractions.items():
        diagram = reliability_diagram(y, p, strategy=bins, n_bins=3)
        assert diagram.observed.tolist() == pytest.approx(right)
        assert diagram.strategy == bins


@pytest.mark.parametrize("bins", STRATEGIES)
@pytest.mark.parametrize("n_bins", [1, 3, 8, 30])
def test_the_curve_and_the_diagram_have_the_same_bins(rng, bins, n_bins):
    for decimals in (1, 3, 16):
        y, p = sample(rng, 90, decimals)
        diagram = reliability_diagram(y, p, strategy=bins, n_bins=n_bins)
        observed, predicted = fm.calibration_curve(y, p, strategy=bins, n_bins=n_bins)
        np.testing.assert_allclose(diagram.observed, observed, rtol=1e-12)
        np.testing.assert_allclose(diagram.predicted, predicted, rtol=1e-12)


def test_bins_closed_on_the_left():
    p = [0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 0.875, 1.0]
    diagram = reliability_diagram([0, 1] * 4, p, strategy="uniform-left-closed", n_bins=4)
    assert diagram.low.tolist() == [0.0, 0.25, 0.5, 0.75]
    assert diagram.high.tolist() == [0.125, 0.375, 0.5, 1.0]


def test_equal_counts_part_no_probability(rng):
    y, p = sample(rng, decimals=1)
    diagram = reliability_diagram(y, p, strategy="equal-count", n_bins=4)
    assert (diagram.low[1:] > diagram.high[:-1]).all()
    bins = np.array([np.mean(p < each) * 4 // 1 for each in p])
    right = [(y[bins == k].mean(), p[bins == k].mean()) for k in np.unique(bins)]
    np.testing.assert_allclose(np.column_stack((diagram.observed, diagram.predicted)), right)


@pytest.mark.parametrize("bins", ["isotonic", *STRATEGIES])
def test_weights_tables_and_histogram(rng, bins):
    y, p = sample(rng)
    w = rng.integers(0, 4, 500)
    diagram = reliability_diagram(y, p, strategy=bins, sample_weight=w)
    assert diagram == reliability_diagram(np.repeat(y, w), np.repeat(p, w), strategy=bins)
    assert diagram == reliability_diagram(
        fm.ScoreTable.from_scores(y, p, sample_weight=w), strategy=bins
    )
    right = np.histogram(p, bins=np.linspace(0, 1, 21), weights=w)[0] / w.sum()
    np.testing.assert_allclose(diagram.histogram, right, atol=1e-15)
    if bins == "quantile":
        with pytest.raises(ValueError, match="not whole numbers do not say how many there are"):
            reliability_diagram(y, p, strategy=bins, sample_weight=w / 3)
    elif bins != "equal-count":  # where rounding may move a row that lies on a cut
        scaled = reliability_diagram(y, p, strategy=bins, sample_weight=w * 1e300)
        np.testing.assert_allclose(scaled.weights, diagram.weights * 1e300)
    assert not diagram.observed.flags.writeable


def test_labels_as_probabilities_and_one_class():
    diagram = reliability_diagram([0, 1, 1], [0, 1, 1])
    assert (diagram.predicted.tolist(), diagram.observed.tolist()) == ([0, 1], [0, 1])
    diagram = reliability_diagram([1, 1], [0.5, 0.7], pos_label=1)
    assert (diagram.low.tolist(), diagram.observed.tolist()) == ([0.5], [1])


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
    texts = np.array(["no", "yes", "yes"])
    value = fm.calibration_curve(texts, [0.1, 0.6, 0.9], pos_label="yes", n_bins=2)
    np.testing.assert_array_equal(
        value, sk.calibration_curve(texts, [0.1, 0.6, 0.9], pos_label="yes", n_bins=2)
    )
    np.testing.assert_array_equal(
        fm.calibration_curve([1, 1], [0.1, 0.6], n_bins=2), [[1, 1], [0.1, 0.6]]
    )


Y = [0, 0, 0, 1, 1, 1]
P = [0.4, 0.3, 0.2, 0.1, 0.5, 0.9]
PARTS = ("loss", "miscalibration", "discrimination", "uncertainty")
ROWS_DECOMPOSITION = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 8), st.integers(0, 3)), min_size=1, max_size=20
).filter(lambda rows: any(weight for _, _, weight in rows))


def values_of_components(components):
    return [getattr(components, name) for name in PARTS]


def adds_up(components):
    return (
        components.miscalibration - components.discrimination + components.uncertainty
        == components.loss
    )


@pytest.mark.parametrize(
    ("score", "published"),
    [  # R's reliabilitydiag, as the tests of model-diagnostics print it
        ("brier_score", [0.2266667, 0.1016667, 0.125, 0.25]),
        ("log_loss", [0.6986228, 0.3237327, 0.3182571, 0.6931472]),
    ],
)
def test_published_figures(score, published):
    components = score_decomposition(Y, P, loss=score)
    np.testing.assert_allclose(values_of_components(components), published, atol=5e-8, rtol=0)
    assert adds_up(components)
    assert float(components) == components.loss
    assert components.metric == score


@given(
    ROWS_DECOMPOSITION,
    st.sampled_from(["none", "counts", "quarters"]),
    st.sampled_from(["brier", "log_loss"]),
)
def test_by_the_definition(rows, weighting, name):
    labels, eighths, weights = (np.array(column) for column in zip(*rows, strict=True))
    p = eighths / 8
    given_weights = {"none": None, "counts": weights, "quarters": weights / 4}[weighting]
    points = corp_oracle.points(labels, p, given_weights)
    right = corp_oracle.decomposition(getattr(corp_oracle, name), points)
    score = "brier_score" if name == "brier" else name
    components = score_decomposition(
        labels, p, loss=score, sample_weight=given_weights, pos_label=1
    )
    np.testing.assert_allclose(
        values_of_components(components), [float(x) for x in right], rtol=1e-13, atol=1e-14
    )
    assert adds_up(components)
    assert components.miscalibration >= 0 <= components.discrimination


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-8, 1e-3, 1.0, 4.0]))
def test_parts_add_up_to_the_last_bit(seed, power):
    rng = np.random.default_rng(seed)
    p = rng.random(50) ** power
    y = (rng.random(50) < p).astype(int)
    for score in ("brier_score", "log_loss"):
        components = score_decomposition(y, p, loss=score, pos_label=1)
        assert adds_up(components)
        m, d, u = map(Fraction, values_of_components(components)[1:])
        assert m - d + u == Fraction(components.loss)


def test_the_score_is_that_of_the_drop_ins(rng):
    p = rng.random(20_000).astype(np.float32)
    p[:3] = 0, 1, 0.5
    y = (rng.random(20_000) < p).astype(int)
    y[0] = 1  # a probability of 0: clipped to the epsilon of float32
    for weights in (None, rng.random(20_000)):
        components = score_decomposition(y, p, sample_weight=weights)
        assert components.loss == pytest.approx(
            fm.brier_score_loss(y, p, sample_weight=weights), rel=1e-14
        )
        components = score_decomposition(y, p, loss="log_loss", sample_weight=weights)
        assert components.loss == pytest.approx(fm.log_loss(y, p, sample_weight=weights), rel=1e-14)


def test_one_class_and_calibrated_probabilities():
    components = score_decomposition([1, 1], [0.5, 1.0], pos_label=1)
    assert values_of_components(components) == [0.125, 0.125, 0, 0]
    components = score_decomposition([0, 1, 0, 1], [0, 1, 0.5, 0.5])
    assert values_of_components(components) == [0.125, 0, 0.125, 0.25]
