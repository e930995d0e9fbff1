"""`bootstrap`: replicates from scratch, intervals by their formulas, statistics by theory."""

import math
from fractions import Fraction

import numba
import numpy as np
import pytest
import sklearn.metrics as sk
from bootstrap_samples import (
    CRITERIA,
    FIELDS,
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
from scipy import stats

import engine_sizes
import fastmetrics as fm
from fastmetrics.inference.bootstrap.bootstrap import Engine
from fastmetrics.metrics.decisions.count_metrics import value
from metric_names import COUNT_METRICS, PRICED
from reference import bootstrap_oracle as oracle, count_oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


WAYS = [pytest.param({}, id="plain"), pytest.param({"stratified": True}, id="stratified")]
COUNTED = [name for name, metric in COUNT_METRICS.items() if metric.name not in PRICED]
COST = np.array([[0.0, 2.0], [5.0, -1.0]])


def counts_of(results, labels, scores, way):
    """Return the rows in the engine's order, and how often each was drawn."""
    order = in_order(labels, scores)
    labels = labels[order]
    scores = scores[order]
    positive = labels == 1 if way.get("stratified") else None
    counts = drawn(results, len(labels), positive=positive)
    assert (counts.sum(axis=1) == len(labels)).all()
    if positive is not None:
        assert (counts[:, positive].sum(axis=1) == positive.sum()).all()
    return labels, scores, counts


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("n", "step", "n_resamples"),
    [(2, 0, 12), (7, 1.0, 12), (33, 0.25, 12), (60, 0, 8), (1_200, 0.1, 3), (1_100, 0, 3)],
)
def test_threshold_metrics(n, step, n_resamples, way):
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
            got = got[far]
            wanted = np.array(wanted)[far]
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
def test_count_metrics_at_a_threshold(way, threshold):
    labels, scores = binary(40, step=0.1)
    """In the company of a metric of scores rows are drawn, which all share."""
    cost = ("cost", {"cost_matrix": COST})
    metrics = {name: name for name in COUNTED} | {"cost": cost, "auc": "roc_auc"}
    results = quiet_bootstrap(
        labels, scores, metrics=metrics, threshold=threshold, n_resamples=6, **way
    )
    labels, scores, counts = counts_of(results, labels, scores, way)
    called = (scores >= threshold).astype(int)
    for r, row in enumerate(counts):
        rows = count_oracle.rows_of(labels.tolist(), called.tolist(), row.tolist())
        for name in COUNTED:
            wanted = count_oracle.value(COUNT_METRICS[name].name, rows, [0, 1])
            got = results[name].details.distribution[r]
            np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-13, err_msg=name)
        if row.sum():
            costs = np.average(COST[labels, called], weights=row)
            assert results["cost"].details.distribution[r] == pytest.approx(costs, abs=1e-12)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("threshold", [-math.inf, 0.4, math.inf])
def test_count_metrics_alone_draw_the_four_cells(way, threshold):
    """Scores with a threshold, their table, rows that stand for several: all as their matrix."""
    labels, scores = binary(60, step=0.1)
    times = np.random.default_rng(3).integers(0, 4, 60)
    given = {"metrics": COUNTED, "n_resamples": 40, **way}
    for weights in (np.ones(60, np.int64), times):
        many = np.repeat(labels, weights)
        at = np.repeat(scores, weights)
        matrix = fm.ConfusionMatrix.from_labels(many, (at >= threshold).astype(int), labels=[0, 1])
        from_matrix = quiet_bootstrap(matrix, **given)
        frequencies = {"sample_weight": weights, "weights_are": "frequencies"}
        for actual in (
            quiet_bootstrap(many, at, threshold=threshold, **given),
            quiet_bootstrap(labels, scores, threshold=threshold, **frequencies, **given),
            quiet_bootstrap(fm.ScoreTable.from_scores(many, at), threshold=threshold, **given),
        ):
            for name in COUNTED:
                np.testing.assert_equal(
                    actual[name].details.distribution, from_matrix[name].details.distribution
                )
                assert actual[name].details.effective_sample_size == weights.sum()
                assert str(actual[name].confidence_interval) == str(
                    from_matrix[name].confidence_interval
                )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_count_metrics_of_predicted_labels(k, way):
    """Cells are drawn, true class by true class if stratified; a matrix gives the same."""
    rng = np.random.default_rng(k)
    names = np.array(["ash", "box", "cedar", "dogwood", "elm"][:k])
    true, predicted = rng.integers(0, k, (2, 60))
    predicted = np.where(rng.random(60) < 0.5, true, predicted)
    metrics = [name for name in COUNTED if k == 2 or COUNT_METRICS[name].classes != 2]
    given = {"metrics": metrics, "n_resamples": 15, **way}
    results = quiet_bootstrap(names[true], names[predicted], **given)
    matrix = fm.ConfusionMatrix.from_labels(names[true], names[predicted])
    from_matrix = quiet_bootstrap(matrix, **given)
    key = results[metrics[0]].details.key
    if way.get("stratified"):
        cells = np.concatenate(
            [cells_drawn(key, row, 15, stratum=i) for i, row in enumerate(matrix.counts)], axis=1
        )
    else:
        cells = cells_drawn(key, matrix.counts.ravel(), 15)
    for r, drawn_cells in enumerate(cells.reshape(-1, k, k)):
        rows = count_oracle.rows_of_cells(drawn_cells.tolist())
        for name in metrics:
            wanted = count_oracle.value(COUNT_METRICS[name].name, rows, range(k))
            got = results[name].details.distribution[r]
            np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-13, err_msg=name)
            np.testing.assert_equal(from_matrix[name].details.distribution[r], got)


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
def test_sum_metrics_of_probabilities(way):
    labels, scores = binary(70)
    p = np.round(1 / (1 + np.exp(-scores)), 2)
    p[:4] = 0, 1, 0, 1  # clipped in the log loss
    results = quiet_bootstrap(labels, p, metrics=list(SUMS), **way)
    labels, p, counts = counts_of(results, labels, p, way)
    for name, metric in SUMS.items():
        wanted = [metric(labels, p, row) for row in counts]
        assert_replicates(results[name].details.distribution, wanted, rtol=1e-11)


@pytest.mark.parametrize("way", WAYS[:1])
@pytest.mark.parametrize("n", [3, 80, 5_000])
def test_sum_metrics_of_numbers(n, way):
    y, p = 100 + np.random.default_rng(n).normal(size=(2, n))
    names = [name for name in SUMS if name not in ("log_loss", "brier_score")]
    results = quiet_bootstrap(y, p, metrics=names, n_resamples=20, **way)
    order = np.lexsort((p, y))
    y = y[order]
    p = p[order]
    counts = drawn(results, n)
    for name in names:
        wanted = []
        for row in counts:
            undefined = row.sum() == 0 or (name == "r2" and np.count_nonzero(row) == 1)
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
    from_two_rows = quiet_bootstrap(
        values, values**2, metrics={"r": lambda x, y: np.corrcoef(x, y)[0, 1]}, n_resamples=20
    )
    wanted = [
        np.corrcoef(*(np.repeat(v, row) for v in (ordered, ordered**2)))[0, 1] for row in counts
    ]
    assert_replicates(from_two_rows["r"].details.distribution, wanted)


ALTERNATIVES = ["two-sided", "less", "greater"]
N = 30
LABELS, SCORES = binary(N, seed=2, step=0.1)
P = np.round(1 / (1 + np.exp(-SCORES)), 2)
SUMS_INTERVALS = [
    "log_loss",
    "brier_score",
    "mean_squared_error",
    "r2",
    "mean_absolute_error",
    "mean_error",
]
COUNTED_INTERVALS = ["accuracy", "f1", "matthews_corrcoef", "cohen_kappa", "precision", "f1_macro"]


def median_gap(labels, scores):
    return float(np.median(scores[labels == 1]) - np.median(scores[labels == 0]))


EVERYTHING = (
    THRESHOLD_METRICS
    | {name: name for name in (*SUMS_INTERVALS, *COUNTED_INTERVALS)}
    | {"own": median_gap}
)


@pytest.fixture
def accelerations(monkeypatch):
    """Record the acceleration of BCa for each metric."""
    actual = {}

    def accelerations_of(engine, wanted, stratified):
        by_place = true(engine, wanted, stratified)
        actual.update({engine.specs[metric].label: a for (_, metric), a in by_place.items()})
        return by_place

    true = Engine.accelerations
    monkeypatch.setattr(Engine, "accelerations", accelerations_of)
    return actual


def refit(label, labels, p, weights):
    """Return a metric of weighted rows from scratch."""
    if label in THRESHOLD_METRICS:
        return value_of(label, fm.ScoreTable.from_scores(labels, p, sample_weight=weights))
    if label in COUNTED_INTERVALS:
        matrix = fm.ConfusionMatrix.from_labels(
            labels, (p >= 0.5).astype(int), labels=[0, 1], sample_weight=weights
        )
        return float(value(label, matrix.counts))
    clipped = np.clip(p, 2.0**-52, 1 - 2.0**-52)
    error = np.average((labels - p) ** 2, weights=weights)
    share = np.average(labels, weights=weights)
    return {
        "log_loss": -np.average(
            np.log(np.where(labels == 1, clipped, 1 - clipped)), weights=weights
        ),
        "brier_score": error,
        "mean_squared_error": error,
        "r2": 1 - error / (share * (1 - share)),
        "mean_absolute_error": np.average(np.abs(labels - p), weights=weights),
        "mean_error": np.average(p - labels, weights=weights),
    }[label]


def influences(label, weights=None, units=None):
    """Return how a metric changes with the weight of each unit, by differences."""
    weights = np.ones(N) if weights is None else weights
    units = np.arange(N) if units is None else units
    actual = []
    for unit in range(units.max() + 1):
        step = 1e-5 * weights * (units == unit)
        up, down = (refit(label, LABELS, P, weights + sign * step) for sign in (1, -1))
        actual.append((up - down) / 2e-5)
    return np.array(actual)


def acceleration(moved, positive=None):
    """Return the acceleration from influences; of each class by itself where it is named."""
    strata = [moved] if positive is None else [moved[positive], moved[~positive]]
    return oracle.acceleration(
        [[Fraction(-u) * len(s) / (len(s) - 1) for u in s.tolist()] for s in strata]
    )


def without_influences(metrics):
    """Return the labels of metrics that refuse BCa."""
    refused = []
    for label, metric in metrics.items():
        try:
            quiet_bootstrap(LABELS, P, metrics={label: metric}, method="bca", threshold=0.5)
        except fm.errors.InputError:
            refused.append(label)
    return refused


JUMPS = {f"{i}_{of}" for i in range(4) for of in FIELDS[1:]} | {"break_even"}
JUMPS |= {f"{i}_{of}" for i in range(4, len(CRITERIA)) for of in FIELDS}
JUMPS |= {"recall_at_false_positive_rate", "precision_at_recall", "recall_at_precision", "own"}
SMOOTH = {label: metric for label, metric in EVERYTHING.items() if label not in JUMPS}


def test_what_jumps_from_score_to_score_has_no_bca():
    assert set(without_influences(EVERYTHING)) == JUMPS


@pytest.mark.parametrize("stratified", [False, True])
def test_acceleration_by_differences(stratified, accelerations):
    """By each row's weight."""
    options = {"method": "bca", "threshold": 0.5, "stratified": stratified}
    quiet_bootstrap(LABELS, P, metrics=SMOOTH, **options)
    positive = LABELS == 1 if stratified else None
    for label, got in accelerations.items():
        moved = influences(label)
        np.testing.assert_allclose(got, acceleration(moved, positive), atol=1e-6, err_msg=label)
    assert len(accelerations) == len(SMOOTH) > 25


@pytest.mark.parametrize("weights", [None, np.random.default_rng(1).integers(1, 4, N)])
def test_acceleration_of_groups_by_differences(weights, accelerations):
    groups = np.random.default_rng(0).integers(0, 8, N)
    quiet_bootstrap(
        LABELS,
        P,
        metrics=SMOOTH,
        method="bca",
        threshold=0.5,
        groups=groups,
        sample_weight=weights,
        weights_are="frequencies",
    )
    for label, got in accelerations.items():
        wanted = acceleration(influences(label, weights, groups))
        assert got == pytest.approx(wanted, abs=1e-6), label


def test_acceleration_of_weighted_means_by_differences(accelerations):
    weights = np.random.default_rng(3).random(N) + 0.1
    quiet_bootstrap(LABELS, P, metrics=SUMS_INTERVALS, method="bca", sample_weight=weights)
    for name in SUMS_INTERVALS:
        assert accelerations[name] == pytest.approx(
            acceleration(influences(name, weights)), abs=1e-6
        )


def test_acceleration_by_cells_is_that_of_rows(accelerations, monkeypatch):
    """A table of few scores, and a matrix, have a value a cell; they are those of the rows."""
    cells = [(0.1, 300, 700), (0.3, 500, 200), (0.7, 400, 900), (0.9, 350, 50)]
    scores, positives, negatives = (np.array(column) for column in zip(*cells, strict=True))
    table = fm.ScoreTable.from_counts(scores, positives, negatives)
    labels = np.repeat(np.tile([1, 0], 4), np.column_stack((positives, negatives)).ravel())
    rows = np.repeat(scores, positives + negatives)
    options = {"method": "bca", "threshold": 0.5, "n_resamples": 20}
    for stratified in (False, True):
        quiet_bootstrap(table, metrics=SMOOTH, stratified=stratified, **options)
        by_cells = dict(accelerations)
        accelerations.clear()
        with monkeypatch.context() as patch:
            engine_sizes.put(patch, cell_rows=10_000)
            quiet_bootstrap(labels, rows, metrics=SMOOTH, stratified=stratified, **options)
        for label, got in by_cells.items():
            np.testing.assert_allclose(got, accelerations[label], atol=1e-9, err_msg=label)


@pytest.mark.parametrize("confidence_level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_percentile_basic_and_bca(alternative, confidence_level, accelerations):
    metrics = {key: EVERYTHING[key] for key in ("auc", "average_precision", "f1", "r2")}
    options = {"metrics": metrics, "threshold": 0.5, "n_resamples": 301}
    options |= {"alternative": alternative, "confidence_level": confidence_level}
    for method in ("percentile", "basic", "bca"):
        for label, result in quiet_bootstrap(LABELS, P, method=method, **options).items():
            values = [v for v in result.details.distribution.tolist() if not math.isnan(v)]
            given = (confidence_level, alternative)
            if method == "percentile":
                wanted = oracle.percentile(values, *given)
            elif method == "basic":
                wanted = oracle.basic(values, result.estimate, *given)
            else:
                wanted = oracle.bca(values, result.estimate, accelerations[label], *given)
            got = result.confidence_interval
            np.testing.assert_allclose((got.low, got.high), wanted, rtol=1e-9, err_msg=label)
            assert (result.method, result.alternative) == (method, alternative)
            assert result.confidence_level == confidence_level


def test_the_method_where_none_is_named():
    """BCa where it is defined; else percentile, and the result says so."""
    groups = np.arange(N) // 2
    weights = np.random.default_rng(0).random(N)
    metrics = ["roc_auc", "f1", "log_loss"]
    for extra, wanted in (
        ({}, ["bca", "bca", "bca"]),
        ({"stratified": True}, ["bca", "bca", "bca"]),
        ({"groups": groups}, ["percentile", "bca", "bca"]),
        ({"sample_weight": weights}, ["percentile", "percentile", "bca"]),
    ):
        options = {"metrics": metrics, "threshold": 0.5, "n_resamples": 300, **extra}
        results = quiet_bootstrap(LABELS, P, **options)
        assert [result.method for result in results.values()] == wanted
        for name, result in results.items():
            company = {name: name, "log_loss": "log_loss"}  # f1 alone would draw cells, not rows
            named = {**options, "metrics": company, "method": result.method}
            interval = quiet_bootstrap(LABELS, P, **named)[name].confidence_interval
            assert result.confidence_interval == interval
    own = quiet_bootstrap(LABELS, P, metrics={"own": median_gap, "auc": "roc_auc"})
    assert [result.method for result in own.values()] == ["percentile", "bca"]
    perfect = quiet_bootstrap([0, 1] * 9, [0.1, 0.7] * 9)["roc_auc"]
    assert (perfect.method, perfect.confidence_interval.low) == ("percentile", 1.0)


B = 5_000
LEAST_P = 1e-4


@pytest.mark.parametrize("way", [{}, {"stratified": True}])
def test_cells_and_rows_have_one_distribution(way, monkeypatch):
    """A table of a few scores is drawn by cells; by rows its replicates differ by luck only."""
    labels, scores = binary(4_000, seed=3, step=1.0)
    p = (np.clip(scores, -1, 2) + 1) / 3
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
        by_cells = cells[name]
        by_rows = rows[name]
        assert by_cells.estimate == pytest.approx(by_rows.estimate, rel=1e-12)
        error = by_rows.standard_error
        assert abs(by_cells.details.bias - by_rows.details.bias) < 4.5 * error * math.sqrt(2 / B)
        assert by_cells.standard_error == pytest.approx(error, rel=4.5 * math.sqrt(1 / B))
        test = stats.ks_2samp(by_cells.details.distribution, by_rows.details.distribution)
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
def test_count_metrics_have_the_delta_variance(name):
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


@pytest.fixture(scope="module")
def results():
    labels, scores = binary(40)
    metrics = {"roc_auc": "roc_auc", "<b>F1</b>": "f1"}
    return quiet_bootstrap(labels, scores, metrics=metrics, threshold=0.4)


def test_a_mapping_in_the_order_asked_for(results):
    assert list(results) == ["roc_auc", "<b>F1</b>"]
    assert len(results) == 2
    assert "roc_auc" in results
    assert "f1" not in results
    assert {name: result.metric for name, result in results.items()} == {n: n for n in results}
    with pytest.raises(KeyError, match="'auc': the metrics are 'roc_auc', '<b>F1</b>'"):
        results["auc"]


def test_labels_of_metrics():
    labels, scores = binary(40)

    class Statistic:
        def __call__(self, labels, scores):
            return 0.5

    metrics = [
        "roc_auc",
        ("recall_at_false_positive_rate", {"false_positive_rate": 0.2}),
        Statistic(),
    ]
    results = quiet_bootstrap(labels, scores, metrics=metrics)
    assert list(results) == ["roc_auc", "recall_at_false_positive_rate", "Statistic"]
    numbered = quiet_bootstrap(labels, scores, metrics={1: "roc_auc", 2: "rank_loss"})
    assert list(numbered) == ["1", "2"]
    pair = quiet_bootstrap(labels, scores, metrics=("roc_auc", "rank_loss"))
    assert list(pair) == ["roc_auc", "rank_loss"]
