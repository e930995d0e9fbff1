"""Every replicate of `bootstrap` against its rows, drawn again and measured from scratch."""

import math

import numba
import numpy as np
import pytest
import sklearn.metrics as sk
from bootstrap_samples import (
    THRESHOLD,
    THRESHOLD_METRICS,
    assert_replicates,
    binary,
    drawn,
    in_order,
    quiet_bootstrap,
    value_of,
)
from draws import cells_drawn

import fastmetrics as fm
from measure_names import COUNT_MEASURES, PRICED
from reference import count_oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

WAYS = [pytest.param({}, id="plain"), pytest.param({"stratified": True}, id="stratified")]
COUNTED = [name for name, measure in COUNT_MEASURES.items() if measure.name not in PRICED]
COST = np.array([[0.0, 2.0], [5.0, -1.0]])


def counts_of(results, labels, scores, way):
    """Return the rows in the engine's order, and how often each was drawn."""
    order = in_order(labels, scores)
    labels, scores = labels[order], scores[order]
    positive = labels == 1 if way.get("stratified") else None
    counts = drawn(results, len(labels), positive=positive)
    assert (counts.sum(axis=1) == len(labels)).all()
    if positive is not None:
        assert (counts[:, positive].sum(axis=1) == positive.sum()).all()
    return labels, scores, counts


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("n", "step", "n_resamples"),
    [(2, 0, 20), (7, 1.0, 20), (33, 0.25, 20), (60, 0, 15), (1_200, 0.1, 4), (1_100, 0, 4)],
)
def test_threshold_measures(n, step, n_resamples, way):
    labels, scores = binary(n, step=step)
    results = quiet_bootstrap(
        labels, scores, metrics=THRESHOLD_METRICS, n_resamples=n_resamples, **way
    )
    labels, scores, counts = counts_of(results, labels, scores, way)
    tables = [fm.ScoreTable.from_counts(scores, row * labels, row * (1 - labels)) for row in counts]
    whole = fm.ScoreTable.from_scores(labels, scores)
    for label in THRESHOLD:
        wanted = [value_of(label, table) for table in tables]
        result = results[label]
        np.testing.assert_equal(result.estimate, value_of(label, whole))
        got = result.details.distribution
        assert result.details.n_failed == np.isnan(got).sum()
        if label.endswith("True"):  # defined from 1/2 on, where rounding decides
            far = [not abs(value - 0.5) < 1e-9 for value in got]
            got, wanted = got[far], np.array(wanted)[far]
        assert_replicates(got, wanted)


def test_corrected_partial_auc_of_tied_scores():
    labels = [1, 0, 1, 0, 1, 0] * 5
    metrics = {
        "pauc": ("partial_auc", {"false_positive_rate_range": (0.1, 0.4), "standardized": True})
    }
    result = quiet_bootstrap(labels, [0.3] * 30, metrics=metrics, n_resamples=200)["pauc"]
    assert result.details.n_failed == 0
    assert result.details.distribution.tolist() == [0.5] * 200


def test_auc_of_replicates_is_the_nearest_double():
    labels, scores = binary(500, step=0.05)
    results = quiet_bootstrap(labels, scores, n_resamples=30)
    labels, scores, counts = counts_of(results, labels, scores, {})
    wanted = [
        fm.roc_auc_score(np.repeat(labels, row), np.repeat(scores, row).astype(np.float64))
        for row in counts
    ]
    assert results["roc_auc"].details.distribution.tolist() == wanted


def test_more_rows_than_a_window():
    """Windows, segments and parts of a replicate that streams through: all against one sort."""
    labels, scores = binary(300_000, step=0.001)
    metrics = {"auc": "roc_auc", "ks": "ks_statistic", "pr": "average_precision"}
    with_lines = quiet_bootstrap(labels, scores, metrics=metrics, n_resamples=3)
    streamed = quiet_bootstrap(labels, scores, n_resamples=3)
    both = {"stratified": True, "metrics": metrics, "n_resamples": 3}
    stratified = quiet_bootstrap(labels, scores, **both)
    for results, way in ((with_lines, {}), (stratified, {"stratified": True})):
        rows, at, counts = counts_of(results, labels, scores, way)
        for r, row in enumerate(counts):
            table = fm.ScoreTable.from_counts(at, row * rows, row * (1 - rows))
            values = (
                fm.roc_auc_score(table),
                fm.ks_statistic(table).statistic,
                fm.average_precision_score(table),
            )
            got = [result.details.distribution[r] for result in results.values()]
            assert_replicates(np.array(got), values)
    np.testing.assert_array_equal(
        streamed["roc_auc"].details.distribution, with_lines["auc"].details.distribution
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("threshold", [-math.inf, -1.2, 0.4, 0.5, 9.0, math.inf])
def test_count_measures_at_a_threshold(way, threshold):
    labels, scores = binary(40, step=0.1)
    """In the company of a measure of scores rows are drawn, which all share."""
    cost = ("cost", {"cost_matrix": COST})
    metrics = {name: name for name in COUNTED} | {"cost": cost, "auc": "roc_auc"}
    results = quiet_bootstrap(
        labels, scores, metrics=metrics, threshold=threshold, n_resamples=11, **way
    )
    labels, scores, counts = counts_of(results, labels, scores, way)
    called = (scores >= threshold).astype(int)
    for r, row in enumerate(counts):
        rows = count_oracle.rows_of(labels.tolist(), called.tolist(), row.tolist())
        for name in COUNTED:
            wanted = count_oracle.value(COUNT_MEASURES[name].name, rows, [0, 1])
            got = results[name].details.distribution[r]
            np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-13, err_msg=name)
        if row.sum():
            costs = np.average(COST[labels, called], weights=row)
            assert results["cost"].details.distribution[r] == pytest.approx(costs, abs=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("threshold", [-math.inf, 0.4, math.inf])
def test_count_measures_alone_draw_the_four_cells(way, threshold):
    """Scores with a threshold, their table, rows that stand for several: all as their matrix."""
    labels, scores = binary(60, step=0.1)
    times = np.random.default_rng(3).integers(0, 4, 60)
    given = {"metrics": COUNTED, "n_resamples": 40, **way}
    for weights in (np.ones(60, np.int64), times):
        many, at = np.repeat(labels, weights), np.repeat(scores, weights)
        matrix = fm.ConfusionMatrix.from_labels(many, (at >= threshold).astype(int), labels=[0, 1])
        of_matrix = quiet_bootstrap(matrix, **given)
        frequencies = {"sample_weight": weights, "weights_are": "frequencies"}
        for found in (
            quiet_bootstrap(many, at, threshold=threshold, **given),
            quiet_bootstrap(labels, scores, threshold=threshold, **frequencies, **given),
            quiet_bootstrap(fm.ScoreTable.from_scores(many, at), threshold=threshold, **given),
        ):
            for name in COUNTED:
                np.testing.assert_equal(
                    found[name].details.distribution, of_matrix[name].details.distribution
                )
                assert found[name].details.effective_sample_size == weights.sum()
                assert str(found[name].confidence_interval) == str(
                    of_matrix[name].confidence_interval
                )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_count_measures_of_predicted_labels(k, way):
    """Cells are drawn, true class by true class if stratified; a matrix gives the same."""
    rng = np.random.default_rng(k)
    names = np.array(["ash", "box", "cedar", "dogwood", "elm"][:k])
    true, predicted = rng.integers(0, k, 60), rng.integers(0, k, 60)
    predicted = np.where(rng.random(60) < 0.5, true, predicted)
    measures = [name for name in COUNTED if k == 2 or COUNT_MEASURES[name].classes != 2]
    results = quiet_bootstrap(names[true], names[predicted], metrics=measures, **way)
    matrix = fm.ConfusionMatrix.from_labels(names[true], names[predicted])
    of_matrix = quiet_bootstrap(matrix, metrics=measures, **way)
    key = results[measures[0]].details.key
    if way.get("stratified"):
        cells = np.concatenate(
            [cells_drawn(key, row, 40, stratum=i) for i, row in enumerate(matrix.counts)], axis=1
        )
    else:
        cells = cells_drawn(key, matrix.counts.ravel(), 40)
    for r, drawn_cells in enumerate(cells.reshape(-1, k, k)):
        rows = count_oracle.rows_of_cells(drawn_cells.tolist())
        for name in measures:
            wanted = count_oracle.value(COUNT_MEASURES[name].name, rows, range(k))
            got = results[name].details.distribution[r]
            np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-13, err_msg=name)
            np.testing.assert_equal(of_matrix[name].details.distribution[r], got)


SUMS = {
    "log_loss": lambda y, p, w: sk.log_loss(y, p, sample_weight=w, labels=[0, 1]),
    "brier_score": lambda y, p, w: sk.brier_score_loss(y, p, sample_weight=w),
    "mean_squared_error": lambda y, p, w: sk.mean_squared_error(y, p, sample_weight=w),
    "root_mean_squared_error": lambda y, p, w: sk.root_mean_squared_error(y, p, sample_weight=w),
    "mean_absolute_error": lambda y, p, w: sk.mean_absolute_error(y, p, sample_weight=w),
    "mean_error": lambda y, p, w: np.average(p - y, weights=w),
    "mean": lambda y, p, w: np.average(y, weights=w),
    "r2": lambda y, p, w: sk.r2_score(y, p, sample_weight=w),
}


@pytest.mark.parametrize("way", WAYS)
def test_sum_measures_of_probabilities(way):
    labels, scores = binary(70)
    p = np.round(1 / (1 + np.exp(-scores)), 2)
    p[:4] = 0, 1, 0, 1  # clipped in the log loss
    results = quiet_bootstrap(labels, p, metrics=list(SUMS), **way)
    labels, p, counts = counts_of(results, labels, p, way)
    for name, measure in SUMS.items():
        wanted = [measure(labels, p, row) for row in counts]
        assert_replicates(results[name].details.distribution, wanted, rtol=1e-11)


@pytest.mark.parametrize("way", WAYS[:1])
@pytest.mark.parametrize("n", [3, 80, 5_000])
def test_sum_measures_of_numbers(n, way):
    rng = np.random.default_rng(n)
    y, p = 100 + rng.normal(size=n), 100 + rng.normal(size=n)
    names = [name for name in SUMS if name not in ("log_loss", "brier_score")]
    results = quiet_bootstrap(y, p, metrics=names, n_resamples=20, **way)
    order = np.lexsort((p, y))
    y, p = y[order], p[order]
    counts = drawn(results, n)
    for name in names:
        wanted = []
        for row in counts:
            of_one_row = np.count_nonzero(row) == 1
            undefined = row.sum() == 0 or (name == "r2" and of_one_row)
            wanted.append(math.nan if undefined else SUMS[name](y, p, row))
        assert_replicates(results[name].details.distribution, wanted, rtol=1e-9)


def test_mean_alone_takes_one_column():
    values = np.random.default_rng(3).exponential(size=200)
    results = quiet_bootstrap(values, metrics="mean", n_resamples=50)
    counts = drawn(results, 200)
    assert_replicates(results["mean"].details.distribution, counts @ np.sort(values) / 200)
    assert results["mean"].estimate == pytest.approx(values.mean(), rel=1e-15)


def spread(labels, scores):
    return float(np.quantile(scores[labels == 1], 0.75) - np.median(scores))


@numba.njit
def weighted_gap(labels, scores, weights):
    total = 0.0
    for i in range(len(scores)):
        total += weights[i] * scores[i] * (2 * labels[i] - 1)
    return total / weights.sum()


@pytest.mark.parametrize("way", WAYS)
def test_statistics_of_the_user(way):
    labels, scores = binary(45, step=0.2)
    metrics = {"python": spread, "numba": weighted_gap, "auc": "roc_auc"}
    results = quiet_bootstrap(labels, scores, metrics=metrics, **way)
    alone = quiet_bootstrap(labels, scores, metrics={"auc": "roc_auc"}, **way)
    labels, scores, counts = counts_of(results, labels, scores, way)
    rows = [(np.repeat(labels, row), np.repeat(scores, row)) for row in counts]
    with_positives = [(y, s) for y, s in rows if y.any()]
    got = results["python"].details.distribution
    assert_replicates(got[[y.any() for y, _ in rows]], [spread(*pair) for pair in with_positives])
    wanted = [weighted_gap.py_func(y, s, np.ones(len(y))) for y, s in rows]
    assert_replicates(results["numba"].details.distribution, wanted)
    assert results["python"].estimate == pytest.approx(spread(labels, scores))
    np.testing.assert_array_equal(
        results["auc"].details.distribution, alone["auc"].details.distribution
    )


def test_statistics_of_one_column_and_of_numbers():
    values = np.random.default_rng(8).normal(size=31)
    ordered = np.sort(values)
    results = quiet_bootstrap(values, metrics=np.median, n_resamples=20)
    counts = drawn(results, 31)
    wanted = [np.median(np.repeat(ordered, row)) for row in counts]
    assert results["median"].details.distribution.tolist() == wanted
    of_two = quiet_bootstrap(
        values, values**2, metrics={"r": lambda x, y: np.corrcoef(x, y)[0, 1]}, n_resamples=20
    )
    wanted = [
        np.corrcoef(*(np.repeat(v, row) for v in (ordered, ordered**2)))[0, 1] for row in counts
    ]
    assert_replicates(of_two["r"].details.distribution, wanted)


def test_registered_name():
    fm.register_metric("upper_score", lambda labels, scores: scores.max())
    labels, scores = binary(30)
    results = quiet_bootstrap(labels, scores, metrics=["upper_score", "roc_auc"])
    assert results["upper_score"].estimate == scores.max()
