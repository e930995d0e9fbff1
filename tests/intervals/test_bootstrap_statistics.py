"""`bootstrap` against theory and against scipy: moments, standard errors, limits.

Seeds are fixed, so a test passes or fails for good; bounds are those of some 4 standard errors.
"""

import math

import numpy as np
import pytest
from bootstrap_samples import THRESHOLD_METRICS, binary, quiet_bootstrap
from scipy import stats

import engine_sizes
import fastmetrics as fm

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

B = 5_000
LEAST_P = 1e-4


def heavily_tied(n: int = 4_000) -> tuple:
    labels, scores = binary(n, seed=3, step=1.0)
    return labels, np.clip(scores, -1, 2)


def test_mean_has_the_plug_in_variance():
    values = np.random.default_rng(1).exponential(size=400)
    result = fm.bootstrap(values, metrics="mean", n_resamples=B, rng=2)["mean"]
    variance = values.var() / 400
    assert result.standard_error**2 == pytest.approx(variance, rel=4 * math.sqrt(2 / B))
    assert abs(result.details.bias) < 4 * math.sqrt(variance / B)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_auc_standard_error_is_delongs(share):
    labels, scores = binary(2_000, share=share)
    result = fm.bootstrap(labels, scores, n_resamples=9_999, rng=4)["roc_auc"]
    assert result.standard_error == pytest.approx(
        fm.delong(labels, scores).standard_error, rel=0.03
    )
    other = fm.bootstrap(labels, scores, n_resamples=2_000, rng=4, stratified=True)["roc_auc"]
    assert other.standard_error == pytest.approx(result.standard_error, rel=0.08)


@pytest.mark.parametrize("way", [{}, {"stratified": True}])
def test_cells_and_rows_have_one_distribution(way, monkeypatch):
    """A table of a few scores is drawn by cells; by rows its replicates differ by luck only."""
    labels, scores = heavily_tied()
    p = (scores + 1) / 3
    names = ["auc", "average_precision", "ks", "break_even", "0_value", "pr_continuous", "2_value"]
    metrics = {name: THRESHOLD_METRICS[name] for name in names}
    metrics |= {name: name for name in ("accuracy", "matthews_corrcoef", "log_loss", "brier_score")}
    options = {"metrics": metrics, "threshold": 0.5, "n_resamples": B, **way}
    cells = fm.bootstrap(labels, p, rng=1, **options)
    engine_sizes.put(monkeypatch, cell_rows=10**9)
    rows = fm.bootstrap(labels, p, rng=2, **options)
    assert not np.array_equal(
        cells["auc"].details.distribution[:50], rows["auc"].details.distribution[:50]
    )
    for name in metrics:
        of_cells, of_rows = cells[name], rows[name]
        assert of_cells.estimate == pytest.approx(of_rows.estimate, rel=1e-12)
        error = of_rows.standard_error
        assert abs(of_cells.details.bias - of_rows.details.bias) < 4.5 * error * math.sqrt(2 / B)
        assert of_cells.standard_error == pytest.approx(error, rel=4.5 * math.sqrt(1 / B))
        test = stats.ks_2samp(of_cells.details.distribution, of_rows.details.distribution)
        assert test.pvalue > LEAST_P, name
    delong = fm.delong(labels, p).standard_error
    assert cells["auc"].standard_error == pytest.approx(delong, rel=0.05)


def test_cells_cost_nothing_of_their_number():
    """10**12 rows, which could not be written out."""
    table = fm.ScoreTable.from_counts(
        [0.3, 0.6, 0.9], [10**11, 10**11, 3 * 10**11], [4 * 10**11, 10**11, 10**10]
    )
    result = fm.bootstrap(table, n_resamples=500, rng=1)["roc_auc"]
    assert 0 < result.standard_error < 1e-5
    assert result.confidence_interval.low < result.estimate < result.confidence_interval.high
    assert result.details.effective_sample_size == 10**12 + 10**10


@pytest.mark.parametrize("name", ["accuracy", "recall", "f1", "matthews_corrcoef", "cohen_kappa"])
def test_count_measures_have_the_delta_variance(name):
    matrix = fm.ConfusionMatrix.binary(tp=900, fp=150, fn=200, tn=2_500)
    result = fm.bootstrap(matrix, metrics=name, n_resamples=B, rng=1)[name]
    error = fm.estimate(matrix, metrics=name)[name].standard_error
    assert result.standard_error == pytest.approx(error, rel=0.05)


def test_stratified_cells_fix_the_classes():
    matrix = fm.ConfusionMatrix.from_counts([[40, 10, 0], [5, 60, 5], [1, 2, 7]])
    result = fm.bootstrap(
        matrix, metrics="balanced_accuracy", stratified=True, n_resamples=B, rng=6
    )["balanced_accuracy"]
    rows = matrix.counts.sum(axis=1)
    hits = np.diag(matrix.counts) / rows
    wanted = math.sqrt((hits * (1 - hits) / rows).sum()) / 3
    assert result.standard_error == pytest.approx(wanted, rel=0.05)
    assert result.details.n_failed == 0


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_limits_of_scipys_replicates(method, alternative):
    """From our replicates scipy computes the same limits, BCa's by the jackknife nearly so."""
    labels, scores = binary(90, step=0.1)

    def auc(rows):
        return fm.roc_auc_score(labels[rows], scores[rows])

    options = {"method": method, "n_resamples": 999, "alternative": alternative}
    ours = quiet_bootstrap(labels, scores, **options)["roc_auc"]
    given = stats.bootstrap(
        (np.arange(90),),
        auc,
        **{**options, "n_resamples": 0},
        vectorized=False,
        bootstrap_result=_Replicates(ours.details.distribution),
    )
    got = ours.confidence_interval.low, ours.confidence_interval.high
    near = 1e-3 if method == "bca" else 1e-10
    np.testing.assert_allclose(got, tuple(given.confidence_interval), rtol=near)


class _Replicates:
    """What scipy asks of an earlier result whose replicates it is to use."""

    def __init__(self, distribution):
        self.bootstrap_distribution = distribution
