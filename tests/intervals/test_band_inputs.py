"""Bands: what they depend on, odd and wrong input, and (slow) how often they hold the truth."""

import numpy as np
import pytest
import scipy.stats
from band_samples import N, binary, quiet
from hypothesis import given, strategies as st

import fastmetrics as fm

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

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
        simultaneous = kind == "simultaneous"
        for rising in (curve, band.low, band.high) if simultaneous else (curve,):
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
        of_precision = fm.pr_band(labels, sign * labels, stratified=True, n_resamples=50, rng=1)
    assert (of_precision.high > of_precision.low).all()


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
    groups = np.where(labels == 1, 99, np.arange(N))
    options = {"groups": groups, "rng": 1, "n_resamples": 50}
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
