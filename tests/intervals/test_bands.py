"""Bands against their definitions: the curve, the limits of each method, every replicate."""

import math
from fractions import Fraction

import numpy as np
import pytest
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
from sklearn import metrics as sk

import engine_sizes
import fastmetrics as fm
from fastmetrics.inference._band_run import effective_sizes
from fastmetrics.inference.bootstrap._parse import Given, parse
from fastmetrics.inference.bootstrap._specs import metric_specs
from reference import band_oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

STEPS = pytest.mark.parametrize("step", [0.0, 0.4], ids=["distinct", "tied"])
GRID = np.array([0.0, 0.05, 1 / 6, 0.29, 0.5, 2 / 3, 0.9, 0.999, 1.0])
RECALLS = GRID[1:]


def exact(x):
    """The rational number that a place of the grid stands for."""
    return Fraction(float(x)).limit_denominator(20_000)


def close(found, expected, atol=1e-12):
    np.testing.assert_allclose(np.asarray(found, float), np.array(expected, float), 0, atol)


# --- the curve ----------------------------------------------------------------------------------


@STEPS
def test_the_curve_is_the_roc_curve(step):
    labels, scores = binary(step=step)
    band = quiet(fm.roc_band, labels, scores, points=GRID)
    points = band_oracle.roc(cells(labels, scores))
    close(band.true_positive_rate, [band_oracle.highest(points, exact(x)) for x in GRID])
    fpr, tpr, _ = sk.roc_curve(labels, scores)
    inside = GRID[1:-1]
    close(band.true_positive_rate[1:-1], np.interp(inside, fpr, tpr), 1e-9)
    assert band.false_positive_rate.tolist() == GRID.tolist()


@STEPS
def test_the_curve_is_the_continuous_precision_recall_curve(step):
    labels, scores = binary(step=step)
    of_data = cells(labels, scores)
    fine = quiet(fm.pr_band, labels, scores, kind="pointwise", points=20_000)
    some = fine.recall[::997]
    expected = [band_oracle.precision(of_data, exact(r)) for r in some]
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
        of_rate = band_oracle.recovered_limits(mirrored, recall, rate, (m, n), width)
    else:
        of_rate = band_oracle.equal_precision_band(mirrored, recall, (m, n), width)
    odds = n / m
    of_odds = (odds, odds) if set_share else band_oracle.odds_limits(m / (m + n), m + n, z)
    return band_oracle.precision_limits(recall, rate, of_rate, odds, of_odds)


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
    places = np.arange(cells + 1) / cells
    table = [band_oracle.arcsine(place, size) for place in places]
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
    replicates = [list(zip(*both, strict=True)) for both in zip(*drawn, strict=True)]
    curves = [band_oracle.roc(_of_integers(replicate)) for replicate in replicates]
    sizes = table.n_negative, table.n_positive
    points = band_oracle.roc(cells(labels, scores))
    scales = [_scale(size, by_table=False) for size in sizes]
    gaps = [band_oracle.gap(points, curve, scales, 101) for curve in curves]
    assert band.critical_value == pytest.approx(band_oracle.width(gaps, 0.95), rel=1e-9)


def _of_integers(replicate):
    return [(int(p), int(n)) for p, n in replicate]


# --- sizes --------------------------------------------------------------------------------------


def sizes_of(labels, scores, weights=None, groups=None):
    form = parse(Given(labels, scores, weights, groups=groups), metric_specs("roc_auc"))
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
    alone = sizes_of(labels, scores, groups=np.arange(N)[::-1])
    close(alone, (N - m, m, N), 1e-9)
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
    found = sizes_of(labels, scores, IMPORTANCES, GROUPS)
    for label, size in zip((0, 1), found, strict=False):
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
