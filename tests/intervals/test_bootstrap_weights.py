"""`bootstrap` of weights and groups, and where replicates come from."""

import threading

import numba
import numpy as np
import pytest
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

import engine_sizes
import fastmetrics as fm
from metric_names import COUNT_METRICS
from reference import count_oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


COUNTED = ("accuracy", "f1", "recall", "matthews_corrcoef", "cohen_kappa", "f1_macro")
SUMMED = ("brier_score", "log_loss", "mean_squared_error", "r2", "mean", "mean_absolute_error")
CLASSES = ["accuracy", "f1_macro", "recall_weighted", "cohen_kappa"]


@numba.njit
def weighted_mean(labels, scores, weights):
    return (scores * weights).sum() / weights.sum()


EVERYTHING = (
    THRESHOLD_METRICS | {name: name for name in (*COUNTED, *SUMMED)} | {"numba": weighted_mean}
)


def assert_weighted(results, labels, p, threshold, weights, rtol=1e-10):
    """Compare all metrics of ``EVERYTHING`` with those of rows with weights, a row a replicate."""
    tables = []
    for row in weights:
        kept = row > 0
        table = fm.ScoreTable.from_counts(p, row * labels, row * (1 - labels))
        tables.append(table if kept.any() else fm.ScoreTable.from_counts([0.0], [0], [0]))
    for label in THRESHOLD:
        got = results[label].details.distribution
        wanted = np.array([value_of(label, table) for table in tables])
        if label.endswith("True"):
            far = [not abs(value - 0.5) < 1e-9 for value in got]
            got = got[far]
            wanted = wanted[far]
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol, err_msg=label)
    called = p >= threshold
    for name in COUNTED:
        values = []
        for row in weights:
            rows = count_oracle.rows_of(labels.tolist(), called.astype(int).tolist(), row.tolist())
            values.append(count_oracle.value(COUNT_METRICS[name].name, rows, [0, 1]))
        got = results[name].details.distribution
        np.testing.assert_allclose(got, values, rtol=1e-9, atol=1e-9, err_msg=name)
    clipped = np.clip(p, 2.0**-52, 1 - 2.0**-52)
    columns = {
        "brier_score": (labels - p) ** 2,
        "mean_squared_error": (labels - p) ** 2,
        "mean_absolute_error": np.abs(labels - p),
        "mean": labels,
        "log_loss": -np.log(np.where(labels == 1, clipped, 1 - clipped)),
        "numba": p,
    }
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, column in columns.items():
            wanted = weights @ column / weights.sum(axis=1)
            got = results[name].details.distribution
            np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12, err_msg=name)
        squares = weights @ (labels - p) ** 2 / weights.sum(axis=1)
        share = weights @ labels / weights.sum(axis=1)
        both = (share > 0) & (share < 1)
        got = results["r2"].details.distribution
        wanted = 1 - squares / (share * (1 - share))
    np.testing.assert_allclose(got[both], wanted[both], rtol=1e-10)
    assert np.isnan(got[~both]).all()


def fractions(rng, n):
    """Return weights of which some are 0; no two sums of others are equal but for rounding."""
    return np.where(rng.random(n) < 0.2, 0.0, rng.exponential(size=n))


READ = {"integer": "frequencies"}


def problem(n, *, step=0.02):
    labels, scores = binary(n, seed=7)
    return labels, np.round(1 / (1 + np.exp(-scores)) / step) * step


WAYS = [pytest.param({}, id="plain"), pytest.param({"stratified": True}, id="stratified")]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [9, 70, 700])
def test_fractional_weights(n, way):
    labels, p = problem(n)
    weights = fractions(np.random.default_rng(n), n)
    weights[:2] = 0.3
    options = {"metrics": EVERYTHING, "threshold": 0.5, "n_resamples": 8 if n < 100 else 3}
    results = quiet_bootstrap(labels, p, sample_weight=weights, **options, **way)
    order = in_order(labels, p, weights)
    counts = drawn(results, n, positive=labels[order] == 1 if way.get("stratified") else None)
    assert_weighted(results, labels[order], p[order], 0.5, counts * weights[order])
    whole = fm.ScoreTable.from_scores(labels, p, sample_weight=weights)
    for label in THRESHOLD:
        np.testing.assert_equal(results[label].estimate, value_of(label, whole))
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert results["auc"].details.effective_sample_size == pytest.approx(effective, rel=1e-12)


@pytest.mark.parametrize("weighted", ["none", "integer", "fractional"])
def test_groups(weighted):
    """Whole groups are drawn, as often as their unit; a group of no frequency is no group."""
    n = 90
    labels, p = problem(n)
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 17, n)
    weights = {
        "none": None,
        "integer": np.where(groups == 3, 0, rng.integers(0, 4, n)),
        "fractional": fractions(rng, n),
    }[weighted]
    names = np.array([f"patient {group}" for group in range(17)])[groups]
    options = {"threshold": 0.5, "groups": names, "n_resamples": 12}
    options["weights_are"] = READ.get(weighted, "importances")
    results = quiet_bootstrap(labels, p, metrics=EVERYTHING, sample_weight=weights, **options)
    kept = np.ones(n, bool) if weighted != "integer" else weights > 0
    units = np.unique(names[kept], return_inverse=True)[1]
    counts = drawn(results, units.max() + 1)
    order = np.arange(n)[kept]
    row_weights = counts[:, units] * (1 if weights is None else weights[order])
    assert_weighted(results, labels[order], p[order], 0.5, row_weights.astype(float))
    size = {"none": n, "integer": None if weights is None else weights.sum()}.get(weighted)
    if size is not None:
        assert results["auc"].details.effective_sample_size == size


@pytest.mark.parametrize("weighted", ["none", "integer", "fractional", "fractional, no groups"])
def test_predicted_classes_of_groups_and_weights(weighted):
    n = 80
    rng = np.random.default_rng(2)
    names = np.array(["x", "y", "z", "rare"])
    true, predicted = rng.integers(0, 3, (2, n))
    groups = rng.integers(0, 11, n)
    weights = {"none": None, "integer": rng.integers(0, 4, n)}.get(weighted)
    if weighted.startswith("fractional"):
        weights = rng.choice([0.0, 0.5, 1.75], n)
    if weights is not None:
        true[np.flatnonzero(weights == 0)[0]] = 3  # a class that no row of a weight has
    grouped = weighted != "fractional, no groups"
    options = {"metrics": CLASSES, "sample_weight": weights}
    options["weights_are"] = READ.get(weighted, "importances")
    results = quiet_bootstrap(
        names[true], names[predicted], groups=groups if grouped else None, **options
    )
    if grouped:
        kept = weights > 0 if weighted == "integer" else np.ones(n, bool)
        units = np.unique(groups[kept], return_inverse=True)[1]
        order = np.flatnonzero(kept)
    else:
        cells = np.where(true == 3, 0, true) * 3 + predicted  # weightless: wherever it is put
        order = np.lexsort((weights, cells))
        units = np.arange(n)
    counts = drawn(results, units.max() + 1)
    row_weights = counts[:, units] * (1 if weights is None else weights[order])
    for r, row in enumerate(row_weights):
        rows = count_oracle.rows_of(
            names[true[order]].tolist(), names[predicted[order]].tolist(), row.tolist()
        )
        for name in CLASSES:
            wanted = count_oracle.value(name, rows, ["x", "y", "z"])
            got = results[name].details.distribution[r]
            np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("weighted", ["none", "integer", "fractional"])
def test_numbers_of_groups_and_weights(weighted):
    n = 60
    rng = np.random.default_rng(6)
    y, p = rng.normal(size=(2, n))
    groups = rng.integers(0, 9, n)
    weights = {"none": np.ones(n), "integer": rng.integers(0, 4, n)}.get(weighted, rng.random(n))
    results = quiet_bootstrap(
        y,
        p,
        metrics=["mean_squared_error", "mean", "r2"],
        sample_weight=None if weighted == "none" else weights,
        weights_are=READ.get(weighted, "importances"),
        groups=groups,
    )
    row_weights = drawn(results, 9)[:, groups] * weights
    total = row_weights.sum(axis=1)
    error = row_weights @ (y - p) ** 2 / total
    mean = row_weights @ y / total
    spread = row_weights @ y**2 / total - mean**2
    assert_replicates(results["mean"].details.distribution, mean)
    assert_replicates(results["mean_squared_error"].details.distribution, error)
    assert_replicates(results["r2"].details.distribution, 1 - error / spread, rtol=1e-9)


def test_python_functions_get_weights_where_these_may_be_fractions():
    """All rows come in the order given, those that are not drawn with a weight of 0."""
    labels, p = problem(40)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.5], 40)
    seen = []

    def with_weights(labels, scores, weights):
        seen.append(weights)
        return float(scores @ weights / weights.sum())

    metrics = [with_weights, "roc_auc"]
    results = quiet_bootstrap(labels, p, metrics=metrics, sample_weight=weights, n_threads=1)
    order = in_order(labels, p, weights)
    for row, given in zip(drawn(results, 40) * weights[order], seen[1:], strict=True):
        assert given[order].tolist() == row.tolist()
    assert seen[0].tolist() == weights.tolist()


METRICS = {
    "auc": "roc_auc",
    "average_precision": "average_precision",
    "ks": "ks_statistic",
    "break_even": "break_even_point",
    "threshold": ("best_threshold", {"of": "threshold"}),
    "partial": ("partial_auc", {"false_positive_rate_range": (0.1, 0.4)}),
    **{
        name: name
        for name in ("accuracy", "f1", "log_loss", "brier_score", "r2", "mean", "mean_error")
    },
}


def sample(n, step=0.01):
    labels, scores = binary(n, seed=1)
    return labels, np.round(1 / (1 + np.exp(-scores)) / step) * step


N = 260
RNG = np.random.default_rng(99)
COLUMNS = {
    "groups": RNG.integers(0, 50, N),
    "frequencies": RNG.integers(0, 4, N),
    "importances": RNG.choice([0.1, 0.7, 1.9], N),
}
COUNTED_RANDOM = {"sample_weight": COLUMNS["frequencies"], "weights_are": "frequencies"}
WAYS_RANDOM = {
    "plain": {},
    "stratified": {"stratified": True},
    "groups": {"groups": COLUMNS["groups"]},
    "frequencies": COUNTED_RANDOM,
    "importances": {"sample_weight": COLUMNS["importances"]},
    "both": {"sample_weight": COLUMNS["importances"], "groups": COLUMNS["groups"]},
    "counted groups": {**COUNTED_RANDOM, "groups": COLUMNS["groups"]},
    "stratified importances": {"sample_weight": COLUMNS["importances"], "stratified": True},
}


def assert_same(one, other, first=None, *, rtol=0.0):
    """Compare replicates bit for bit, or the first of them."""
    for name, result in one.items():
        np.testing.assert_allclose(
            result.details.distribution[:first],
            other[name].details.distribution[:first],
            rtol=rtol,
            err_msg=name,
        )


@pytest.fixture(scope="module")
def full_run():
    """Return the replicates of each way, computed once, with one thread."""
    labels, p = sample(N)
    options = {"metrics": METRICS, "threshold": 0.5, "n_resamples": 150, "n_threads": 1}
    return {name: quiet_bootstrap(labels, p, **options, **way) for name, way in WAYS_RANDOM.items()}


@pytest.mark.parametrize("name", WAYS_RANDOM)
def test_first_replicates_and_company_leave_no_trace(name, full_run):
    """The first 2 or 37 of 150 are those of a run of so many; a metric alone is as in company."""
    labels, p = sample(N)
    options = {"threshold": 0.5, **WAYS_RANDOM[name]}
    for few in (2, 37):
        fewer = quiet_bootstrap(labels, p, metrics=METRICS, n_resamples=few, **options)
        assert_same(full_run[name], fewer, few)
    for metric in ("auc", "threshold", "log_loss", "r2"):
        alone = quiet_bootstrap(
            labels, p, metrics={metric: METRICS[metric]}, n_resamples=150, **options
        )
        assert_same(alone, full_run[name])
    counts = quiet_bootstrap(labels, p, metrics=["f1", "accuracy"], n_resamples=150, **options)
    alone = quiet_bootstrap(labels, p, metrics="accuracy", n_resamples=37, **options)
    assert_same(alone, counts, 37)


@pytest.mark.parametrize("name", ["plain", "stratified", "importances"])
def test_batches_and_parts_leave_no_trace(name, monkeypatch):
    n = 9_001
    labels, p = binary(n, seed=3)
    options = {
        "n_resamples": 40,
        "metrics": ["roc_auc", "mean_error"],
        "rng": 1,
        **WAYS_RANDOM[name],
    }
    if name == "importances":
        options["sample_weight"] = np.resize(COLUMNS["importances"], n)
    one_by_one = quiet_bootstrap(labels, p, **options)
    engine_sizes.put(monkeypatch, batches_of_a_part=1)
    assert_same(quiet_bootstrap(labels, p, **options), one_by_one)
    engine_sizes.put(monkeypatch, part_bytes=1, part_rows=7 * n, batch_bytes=n)  # of one replicate
    assert_same(quiet_bootstrap(labels, p, **options), one_by_one)


@pytest.mark.parametrize("way", [{}, {"stratified": True}])
def test_cells_leave_no_trace_either(way, monkeypatch):
    """Heavily tied scores are drawn by cells: threads, batches, numbers of replicates, company."""
    labels, p = sample(3_000, step=0.25)
    options = {"threshold": 0.5, **way}
    many = quiet_bootstrap(labels, p, metrics=METRICS, n_resamples=9_000, n_threads=1, **options)
    threaded = quiet_bootstrap(
        labels, p, metrics=METRICS, n_resamples=9_000, n_threads=3, **options
    )
    assert_same(many, threaded)
    for few in (2, 37, 100):
        fewer = quiet_bootstrap(labels, p, metrics=METRICS, n_resamples=few, **options)
        assert_same(many, fewer, few)
    for metric in ("auc", "log_loss", "r2"):
        alone = {metric: METRICS[metric]}
        assert_same(quiet_bootstrap(labels, p, metrics=alone, **options), many, 40)
    engine_sizes.put(monkeypatch, cell_batch=150)  # several replicates a batch, many batches
    assert_same(quiet_bootstrap(labels, p, metrics=METRICS, **options), many, 40)


def test_matrix_cells_leave_no_trace(monkeypatch):
    matrix = fm.ConfusionMatrix.from_counts([[50, 7, 0], [3, 60, 5], [1, 2, 70]])
    metrics = ["accuracy", "f1_macro", "cohen_kappa"]
    for way in ({}, {"stratified": True}):
        many = quiet_bootstrap(matrix, metrics=metrics, n_resamples=9_000, n_threads=1, **way)
        for few in (2, 100, 9_000):
            fewer = quiet_bootstrap(matrix, metrics=metrics, n_resamples=few, n_threads=3, **way)
            assert_same(many, fewer, few)
        with monkeypatch.context() as patch:
            engine_sizes.put(patch, cell_batch=40)
            batches = quiet_bootstrap(matrix, metrics=metrics, n_resamples=100, **way)
        assert_same(many, batches, 100)


def test_tables_and_arrays_are_one():
    for step in (0.01, 0.25):  # by rows, by cells
        labels, p = sample(3_000, step=step)
        table = fm.ScoreTable.from_scores(labels, p)
        options = {"metrics": METRICS, "threshold": 0.5, "n_resamples": 30}
        from_arrays = quiet_bootstrap(labels, p, **options)
        assert_same(from_arrays, quiet_bootstrap(table, **options))
        halves = [fm.ScoreTable.from_scores(labels[i::2], p[i::2]) for i in (0, 1)]
        assert_same(from_arrays, quiet_bootstrap(sum(halves), **options))


def test_a_key_draws_the_same_again():
    labels, p = sample(N)
    for rng in (None, 7, np.random.default_rng(5), np.random.SeedSequence(8), [1, 2, 3]):
        first = quiet_bootstrap(labels, p, metrics=METRICS, threshold=0.5, rng=rng)
        key = first["auc"].details.key
        again = quiet_bootstrap(labels, p, metrics=METRICS, threshold=0.5, rng=key)
        assert again["auc"].details.key == key == first["f1"].details.key
        assert_same(first, again)
    assert quiet_bootstrap(labels, p, rng=key.upper())["roc_auc"].details.key == key


def test_calls_from_many_threads():
    """The same seeds give the same bits; one generator serves all, a key each."""
    labels, p = sample(N)
    wanted = {seed: quiet_bootstrap(labels, p, rng=seed)["roc_auc"] for seed in range(4)}
    generator = np.random.default_rng(1)
    keys: list[str] = []
    wrong: list[int] = []

    def work(seed):
        for _ in range(5):
            got = fm.bootstrap(labels, p, rng=seed, n_resamples=40)["roc_auc"]
            if not np.array_equal(got.details.distribution, wanted[seed].details.distribution):
                wrong.append(seed)
            keys.append(
                fm.bootstrap(labels, p, rng=generator, n_resamples=2)["roc_auc"].details.key
            )

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(keys) == len(set(keys)) == 20
