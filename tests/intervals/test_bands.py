"""Bands of curves: definitions, limits, inputs; of calibration curves too."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats
from band_samples import (
    FREQUENCIES,
    GROUPS,
    IMPORTANCES,
    WAYS,
    N,
    binary,
    cells,
    quiet,
    replicate_cells as resampled,
)
from draws import cells_drawn
from hypothesis import given, settings, strategies as st
from sklearn import metrics as sk

import engine_sizes
import fastmetrics as fm
from fastmetrics.inference.bands import effective_sizes
from fastmetrics.inference.bootstrap._parse import BootstrapData, parse
from fastmetrics.inference.bootstrap._specs import metric_specs
from reference import band_oracle, calibration_interval_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


STEPS = pytest.mark.parametrize("step", [0.0, 0.4], ids=["distinct", "tied"])
GRID = np.array([0.0, 0.05, 1 / 6, 0.29, 0.5, 2 / 3, 0.9, 0.999, 1.0])
RECALLS = GRID[1:]


def exact(x):
    """The rational number that a place of the grid stands for."""
    return Fraction(float(x)).limit_denominator(20_000)


def close(actual, expected, atol=1e-12):
    np.testing.assert_allclose(np.asarray(actual, float), np.array(expected, float), 0, atol)


# --- the curve ----------------------------------------------------------------------------------


@STEPS
def test_the_curve_is_the_roc_curve(step):
    labels, scores = binary(step=step)
    band = quiet(fm.roc_band, labels, scores, points=GRID)
    points = band_oracle.roc(cells(labels, scores))
    close(band.true_positive_rate, [band_oracle.highest(points, exact(x)) for x in GRID])
    fpr, tpr, _ = sk.roc_curve(labels, scores)
    close(band.true_positive_rate[1:-1], np.interp(GRID[1:-1], fpr, tpr), 1e-9)
    assert band.false_positive_rate.tolist() == GRID.tolist()


@STEPS
def test_the_curve_is_the_continuous_precision_recall_curve(step):
    labels, scores = binary(step=step)
    data_cells = cells(labels, scores)
    fine = quiet(fm.pr_band, labels, scores, kind="pointwise", points=20_000)
    expected = [band_oracle.precision(data_cells, exact(r)) for r in fine.recall[::997]]
    close(fine.precision[::997], expected)
    area = fm.pr_auc(labels, scores, interpolation="continuous")
    assert fine.precision.mean() == pytest.approx(area, abs=2e-4)


def test_a_number_stands_for_equidistant_places():
    labels, scores = binary()
    roc, pr = (quiet(f, labels, scores, kind="pointwise") for f in (fm.roc_band, fm.pr_band))
    assert roc.false_positive_rate.tolist() == [k / 100 for k in range(101)]
    assert pr.recall.tolist() == [k / 100 for k in range(1, 101)]
    assert quiet(fm.roc_band, labels, scores, points=3).false_positive_rate.tolist() == [0, 0.5, 1]
    assert quiet(fm.pr_band, labels, scores, points=np.int64(1)).recall.tolist() == [1.0]


def test_a_place_of_the_grid_is_met_though_its_product_is_rounded():
    """0.29 * 100 is less than 29: the step there belongs to the curve."""
    labels = np.repeat([0, 1, 0], [29, 3, 71])
    scores = -np.arange(103.0)
    assert quiet(fm.roc_band, labels, scores, points=[0.29]).true_positive_rate.tolist() == [1.0]
    assert quiet(fm.pr_band, 1 - labels, scores, points=[0.29]).precision.tolist() == [1.0]


# --- limits in closed form ----------------------------------------------------------------------


@STEPS
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_mover_combines_the_deviations_of_both_rates(step, level):
    labels, scores = binary(step=step)
    z = band_oracle.normal_quantile((1 - level) / 2)
    points = band_oracle.roc(cells(labels, scores))
    m, n = labels.sum(), (1 - labels).sum()
    options = {"kind": "pointwise", "confidence_level": level}
    band = fm.roc_band(labels, scores, points=GRID, **options)
    expected = [
        band_oracle.recovered_limits(points, x, band_oracle.highest(points, exact(x)), (n, m), z)
        for x in GRID
    ]
    close(np.stack((band.low, band.high), 1), expected)
    assert band.critical_value == pytest.approx(z)
    for set_share in (False, True):
        pr = fm.pr_band(labels, scores, points=RECALLS, stratified=set_share, **options)
        close(
            np.stack((pr.low, pr.high), 1),
            [_precision(points, m, n, r, z, z, set_share, "mover") for r in RECALLS],
        )


def _precision(points, m, n, recall, width, z, set_share, method):
    mirrored = band_oracle.transposed(points)
    rate = float(band_oracle.lowest(mirrored, exact(recall)))
    if method == "mover":
        rate_limits = band_oracle.recovered_limits(mirrored, recall, rate, (m, n), width)
    else:
        rate_limits = band_oracle.equal_precision_band(mirrored, recall, (m, n), width)
    odds = n / m
    odds_limits = (odds, odds) if set_share else band_oracle.odds_limits(m / (m + n), m + n, z)
    return band_oracle.precision_limits(recall, rate, rate_limits, odds, odds_limits)


# --- replicates ---------------------------------------------------------------------------------


@pytest.mark.pairwise
@STEPS
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("level", [0.7, 0.95])
def test_equal_precision_holds_the_share_of_the_replicates(monkeypatch, way, step, level):
    engine_sizes.put(monkeypatch, band_places=101)
    labels, scores = binary(step=step)
    options = {"confidence_level": level, "n_resamples": 19, **WAYS[way]}
    band = quiet(fm.roc_band, labels, scores, points=GRID, **options)
    sizes = band.effective_negatives, band.effective_positives
    by_table = "importances" not in way and way not in {"weighted groups", "counted groups"}
    scales = [_scale(size, by_table) for size in sizes]
    points = band_oracle.roc(cells(labels, scores, WAYS[way].get("sample_weight")))
    gaps = [
        band_oracle.gap(points, band_oracle.roc(replicate), scales, 101)
        for replicate in resampled(band.key, 19, labels, scores, **WAYS[way])
    ]
    width = band_oracle.width(gaps, level)
    assert band.critical_value == pytest.approx(width, rel=1e-9)
    expected = [band_oracle.equal_precision_band(points, x, sizes, width) for x in GRID]
    assert_band(band, expected, band.true_positive_rate)
    if way in {"stratified", "plain"}:
        pr = quiet(fm.pr_band, labels, scores, points=RECALLS, **options)
        assert pr.critical_value == band.critical_value
        z = band_oracle.normal_quantile((1 - level) / 4)
        share = way == "stratified", "equal-precision"
        m, n = band.effective_positives, band.effective_negatives
        expected = [_precision(points, m, n, r, width, z, *share) for r in RECALLS]
        assert_band(pr, expected, pr.precision)


def assert_band(band, expected, curve):
    low, high = np.array(expected, float).T
    close(band.low, np.minimum(low, curve), 1e-9)
    close(band.high, np.maximum(high, curve), 1e-9)


def _scale(size, by_table):
    """The arcsine scale; for counts of rows straight between the counts of the sample."""
    if not by_table:
        return lambda rate: band_oracle.arcsine(rate, size)
    cells = math.ceil(size)
    table = [band_oracle.arcsine(place, size) for place in np.arange(cells + 1) / cells]
    return lambda rate: np.interp(float(rate) * cells, range(cells + 1), table)


@pytest.mark.parametrize("stratified", [False, True])
def test_cells_are_drawn_where_scores_are_few(monkeypatch, stratified):
    engine_sizes.put(monkeypatch, cell_rows=0)
    engine_sizes.put(monkeypatch, band_places=101)
    labels, scores = binary(step=0.4)
    table = fm.ScoreTable.from_scores(labels, scores)
    options = {"points": GRID, "stratified": stratified, "n_resamples": 30}
    band = quiet(fm.roc_band, table, **options)
    if stratified:
        drawn = [
            cells_drawn(band.key, column, 30, stratum=stratum)
            for stratum, column in enumerate((table.positives, table.negatives))
        ]
    else:
        both = np.stack((table.positives, table.negatives), axis=1).ravel()
        drawn = [cells_drawn(band.key, both, 30)[:, stratum::2] for stratum in (0, 1)]
    replicates = [zip(*np.array(both).tolist(), strict=True) for both in zip(*drawn, strict=True)]
    curves = [band_oracle.roc(list(replicate)) for replicate in replicates]
    sizes = table.n_negative, table.n_positive
    points = band_oracle.roc(cells(labels, scores))
    scales = [_scale(size, by_table=False) for size in sizes]
    gaps = [band_oracle.gap(points, curve, scales, 101) for curve in curves]
    assert band.critical_value == pytest.approx(band_oracle.width(gaps, 0.95), rel=1e-9)


# --- sizes --------------------------------------------------------------------------------------


def sizes_of(labels, scores, weights=None, groups=None):
    form = parse(BootstrapData(labels, scores, weights, groups=groups), metric_specs("roc_auc"))
    return effective_sizes(form)


def test_sizes_of_rows_are_counts():
    labels, scores = binary()
    m = int(labels.sum())
    assert sizes_of(labels, scores) == (N - m, m, N)
    assert sizes_of(labels, scores, FREQUENCIES) == (
        int(FREQUENCIES[labels == 0].sum()),
        int(FREQUENCIES[labels == 1].sum()),
        int(FREQUENCIES.sum()),
    )
    close(sizes_of(labels, scores, groups=np.arange(N)[::-1]), (N - m, m, N), 1e-9)
    close(sizes_of(labels, scores, np.full(N, 0.3)), (N - m, m, N), 1e-9)


@pytest.mark.parametrize("weights", [None, FREQUENCIES[:N] + 1, IMPORTANCES], ids=str)
def test_copies_of_a_row_in_a_group_add_nothing(weights):
    labels, scores = binary()
    copies = [np.repeat(column, 5) for column in (labels, scores, np.arange(N))]
    times = None if weights is None else np.repeat(weights, 5)
    expected = sizes_of(labels, scores, weights, np.arange(N))
    close(sizes_of(*copies[:2], times, copies[2]), expected, 1e-9)


def test_sizes_give_the_variance_of_a_ratio():
    """With two scores there is one threshold: the size is that of its rate's variance."""
    labels, scores = binary()
    scores = (scores > 0.6).astype(float)
    for label, size in zip((0, 1), sizes_of(labels, scores, IMPORTANCES, GROUPS), strict=False):
        chosen = labels == label
        units = np.unique(GROUPS[chosen])
        tops, bottoms = (
            [float((IMPORTANCES * on)[chosen & (unit == GROUPS)].sum()) for unit in units]
            for on in (scores, np.ones(N))
        )
        rate = sum(tops) / sum(bottoms)
        variance = band_oracle.ratio_variance(tops, bottoms)
        most = np.count_nonzero(chosen)
        assert size == pytest.approx(min(1 + rate * (1 - rate) / variance, most))


BOTH = pytest.mark.parametrize("function", [fm.roc_band, fm.pr_band])
EACH = pytest.mark.parametrize("kind", ["simultaneous", "pointwise"])


def curve_of(band):
    return band.true_positive_rate if isinstance(band, fm.results.RocBand) else band.precision


# --- what bands depend on -----------------------------------------------------------------------


@BOTH
@EACH
@given(
    n=st.integers(4, 40),
    seed=st.integers(0, 1000),
    step=st.sampled_from([0.0, 0.5, 2.0]),
    level=st.sampled_from([0.2, 0.8, 0.99]),
)
def test_limits_enclose_the_curve(function, kind, n, seed, step, level):
    labels, scores = binary(n, step=step, seed=seed)
    options = {"kind": kind, "points": 13}
    band = quiet(function, labels, scores, confidence_level=level, **options)
    wider = quiet(function, labels, scores, confidence_level=0.995, **options)
    curve = curve_of(band)
    assert ((band.low >= 0) & (band.low <= curve)).all()
    assert ((band.high <= 1) & (band.high >= curve)).all()
    assert (wider.low <= band.low).all()
    assert (wider.high >= band.high).all()
    if function is fm.roc_band:
        for rising in (curve, band.low, band.high) if kind == "simultaneous" else (curve,):
            assert (np.diff(rising) >= -1e-12).all()
        assert band.low[0] == 0.0


# --- degenerate data ----------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
def test_a_band_of_equal_replicates_rests_on_the_sizes(sign):
    """An AUC of 1 or 0: the limits at the flat end are those of no event in so many rows."""
    labels = np.repeat([0, 1], [60, 40])
    with pytest.warns(fm.DegenerateDataWarning, match="all replicates are equal"):
        band = fm.roc_band(labels, sign * labels, n_resamples=50, rng=1)
    assert band.critical_value == pytest.approx(scipy.stats.norm.isf(0.05 / 4))
    assert (band.low[50], band.high[50])[sign > 0] == (sign + 1) / 2
    reach = 1 - band.low[50] if sign > 0 else band.high[50]
    assert 0.005 < scipy.stats.binom.cdf(0, 40, reach) < 0.05
    with pytest.warns(fm.DegenerateDataWarning, match="all replicates are equal"):
        precision_band = fm.pr_band(labels, sign * labels, stratified=True, n_resamples=50, rng=1)
    assert (precision_band.high > precision_band.low).all()


@BOTH
@EACH
def test_one_positive_tells_next_to_nothing(function, kind):
    labels, scores = [0, 0, 1, 0, 0, 0], [1, 2, 4, 3, 5, 0]
    with pytest.warns(fm.DegenerateDataWarning, match="positives are worth 1 independent rows"):
        band = function(labels, scores, kind=kind, stratified=True, rng=1)
    assert (band.high - band.low).mean() > 0.6


@BOTH
def test_rows_of_one_group_are_one(function):
    labels, scores = binary()
    options = {"groups": np.where(labels == 1, 99, np.arange(N)), "rng": 1, "n_resamples": 50}
    with pytest.warns((fm.DegenerateDataWarning, fm.UndefinedMetricWarning)) as caught:
        band = function(labels, scores, **options)
    said = " ".join(str(warning.message) for warning in caught)
    assert "positives are worth 1 independent rows" in said
    assert "lost a class" in said
    assert band.effective_positives == 1.0


@BOTH
def test_replicates_that_lose_a_class_are_left_out(function):
    labels, scores = binary(30, share=0.0)
    options = {"rng": 1, "n_resamples": 200}
    with pytest.warns() as caught:
        band = function(labels, scores, stratified=False, **options)
    said = [str(warning.message) for warning in caught]
    assert any("undefined in" in text and "stratified=True" in text for text in said)
    assert 0.05 * 200 < band.n_failed < 0.3 * 200  # two positives: (1 - 2/30)^30 = .126
    assert not np.isnan(band.low).any()
    assert quiet(function, labels, scores, **options, stratified=True).n_failed == 0


@BOTH
def test_without_two_replicates_there_are_no_limits(function):
    seed = next(  # two replicates of one row each
        seed
        for seed in range(50)
        if quiet(function, [0, 1], [0, 1], stratified=False, n_resamples=2, rng=seed).n_failed == 2
    )
    options = {"stratified": False, "n_resamples": 2}
    with pytest.warns(fm.UndefinedMetricWarning, match="undefined in 2 of 2 replicates"):
        band = function([0, 1], [0, 1], **options, rng=seed)
    assert not np.isnan(curve_of(band)).any()
    assert np.isnan(band.low).all()
    assert np.isnan(band.high).all()


# --- faults -------------------------------------------------------------------------------------

TABLE = fm.ScoreTable.from_scores([0, 1, 1], [1, 2, 3])
FAULTS = [
    ({"kind": "both"}, ValueError, "`kind` must be one of 'simultaneous', 'pointwise': got 'both'"),
    ({"n_resamples": 10**9}, ValueError, "would keep 8 GB of replicates, more than 4 GB"),
    ({"n_resamples": 2**29 + 1}, ValueError, "would keep 4 GB of replicates, more than 4 GB"),
    ({"stratified": True, "groups": [1, 2, 3]}, ValueError, "exclude each other"),
    ({"groups": [1, 1, 1]}, ValueError, "at least two groups"),
    ({"pos_label": 7}, ValueError, "pos_label"),
]


@BOTH
@pytest.mark.parametrize(
    ("options", "error", "message"), FAULTS, ids=[str(f[0]).split(" at 0x")[0] for f in FAULTS]
)
def test_faults(function, options, error, message):
    with pytest.raises(error, match=message):
        function([0, 1, 1], [1, 2, 3], **options)


@BOTH
def test_data_at_fault(function):
    with pytest.raises(TypeError, match="groups need rows"):
        function(TABLE, groups=[1, 2, 3])
    with pytest.raises(TypeError, match="comes alone"):
        function(TABLE, [1, 2, 3])
    with pytest.raises(TypeError, match="fractional weights"):
        function(fm.ScoreTable.from_counts([1, 2], [0.5, 1], [1, 0.5]))
    with pytest.raises(TypeError, match="ConfusionMatrix"):
        function(fm.ConfusionMatrix.from_labels([0, 1], [0, 1]))


RNG = np.random.default_rng(0)
P = RNG.random(3000)
Y = (RNG.random(3000) < P**2).astype(int)


def cells_of(y: Any, p: Any, n_cells: int, *, closed_left: bool) -> list[Any]:
    """Return (least, greatest, positives, rows) of each cell that has rows."""
    actual: dict[Any, list[tuple[int, Fraction]]] = {}
    exact = [Fraction(each) for each in p]
    for outcome, each in zip(y, exact, strict=True):
        if len(set(exact)) <= n_cells:
            place = each
        else:
            edges = [Fraction(k, n_cells) for k in range(n_cells + 1)]
            below = [k for k in edges if (k <= each if closed_left else k < each)]
            place = Fraction(len(below))
        actual.setdefault(place, []).append((outcome, each))
    return [
        (min(q for _, q in each), max(q for _, q in each), sum(y for y, _ in each), len(each))
        for each in [actual[place] for place in sorted(actual)]
    ]


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 16)), min_size=1, max_size=14),
    st.sampled_from([4, 8, 50]),
)
def test_limits_are_the_best_of_all_runs(rows, n_cells) -> None:
    rows += [(0, 3), (1, 3)]
    y = [row[0] for row in rows]
    p = [row[1] / 16 for row in rows]
    band = fm.calibration.reliability_band(y, p, n_cells=n_cells, confidence_level=0.5)
    upper = cells_of(y, p, n_cells, closed_left=True)
    lower = cells_of(y, p, n_cells, closed_left=False)
    for point, low, high in zip(band.probability, band.low, band.high, strict=True):
        at = Fraction(float(point))
        assert low == pytest.approx(oracle.band(lower, at, 0.5)[0], abs=1e-9)
        assert high == pytest.approx(oracle.band(upper, at, 0.5)[1], abs=1e-9)
    assert band.probability[0] == 0
    assert band.probability[-1] == 1
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert not band.low.flags.writeable


def test_the_fit_is_isotonic_regression() -> None:
    p = np.round(P, 1)
    band = fm.calibration.reliability_band(Y, p)
    values = [Fraction(int(Y[p == q].sum()), int((p == q).sum())) for q in np.unique(p)]
    right = oracle.isotonic(values, [int((p == q).sum()) for q in np.unique(p)])
    assert band.fit == pytest.approx([float(each) for each in right], abs=1e-12)
    assert ((band.low <= band.fit) & (band.fit <= band.high)).all()


def test_more_cells_than_probabilities_change_nothing() -> None:
    p = np.round(P, 1)
    left = fm.calibration.reliability_band(Y, p, n_cells=11)
    assert fm.calibration.reliability_band(Y, p, n_cells=1000) == left


def test_what_the_diagonal_says() -> None:
    assert not fm.calibration.reliability_band(Y, P).holds_diagonal
    assert fm.calibration.reliability_band(RNG.random(3000) < P, P).holds_diagonal
    consistency = fm.calibration.reliability_band(Y, P, kind="consistency", n_resamples=19, rng=1)
    assert consistency.holds_diagonal is None
    with pytest.warns(fm.UndefinedMetricWarning):
        nothing = fm.calibration.reliability_band(fm.ScoreTable([], [], []))
    assert nothing.holds_diagonal is None


def test_consistency_holds_the_fit_of_calibrated_data() -> None:
    rng = np.random.default_rng(6)
    inside = []
    for _ in range(300):
        p = np.round(rng.random(60), 1)
        band = fm.calibration.reliability_band(
            rng.random(60) < p, p, kind="consistency", n_resamples=39, confidence_level=0.8, rng=rng
        )
        inside.append(((band.low <= band.fit) & (band.fit <= band.high))[4:7])
    assert np.mean(inside, axis=0) == pytest.approx([0.8] * 3, abs=0.1)
    assert band.n_resamples == 39


def test_consistency_points_are_at_most_the_cells() -> None:
    few = {"n_resamples": 20, "rng": 3}
    band = fm.calibration.reliability_band(Y, P, kind="consistency", n_cells=7, **few)
    assert len(band.probability) == 7
    assert band.probability[[0, -1]].tolist() == [P.min(), P.max()]
    assert (
        fm.calibration.reliability_band(
            Y, np.round(P, 1), kind="consistency", **few
        ).probability.size
        == 11
    )


def test_no_rows() -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match="a reliability band is not defined"):
        band = fm.calibration.reliability_band(fm.ScoreTable.from_counts([], [], []))
    assert band.low.size == band.probability.size == 0
