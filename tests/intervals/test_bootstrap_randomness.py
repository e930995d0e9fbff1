"""Where the replicates of `bootstrap` come from: seed, rows as a set, nothing else."""

import threading

import numpy as np
import pytest
from bootstrap_samples import binary, quiet_bootstrap

import engine_sizes
import fastmetrics as fm

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

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
COUNTED = {"sample_weight": COLUMNS["frequencies"], "weights_are": "frequencies"}
WAYS = {
    "plain": {},
    "stratified": {"stratified": True},
    "groups": {"groups": COLUMNS["groups"]},
    "frequencies": COUNTED,
    "importances": {"sample_weight": COLUMNS["importances"]},
    "both": {"sample_weight": COLUMNS["importances"], "groups": COLUMNS["groups"]},
    "counted groups": {**COUNTED, "groups": COLUMNS["groups"]},
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
def of_way():
    """Return the replicates of each way, computed once, with one thread."""
    labels, p = sample(N)
    options = {"metrics": METRICS, "threshold": 0.5, "n_resamples": 150, "n_threads": 1}
    return {name: quiet_bootstrap(labels, p, **options, **way) for name, way in WAYS.items()}


@pytest.mark.parametrize("name", WAYS)
def test_first_replicates_and_company_leave_no_trace(name, of_way):
    """The first 2 or 37 of 150 are those of a run of so many; a measure alone is as in company.

    Measures of counts draw cells where they are among themselves.
    """
    labels, p = sample(N)
    options = {"threshold": 0.5, **WAYS[name]}
    for few in (2, 37):
        fewer = quiet_bootstrap(labels, p, metrics=METRICS, n_resamples=few, **options)
        assert_same(of_way[name], fewer, few)
    for metric in ("auc", "threshold", "log_loss", "r2"):
        alone = quiet_bootstrap(
            labels, p, metrics={metric: METRICS[metric]}, n_resamples=150, **options
        )
        assert_same(alone, of_way[name])
    counts = quiet_bootstrap(labels, p, metrics=["f1", "accuracy"], n_resamples=150, **options)
    alone = quiet_bootstrap(labels, p, metrics="accuracy", n_resamples=37, **options)
    assert_same(alone, counts, 37)


@pytest.mark.parametrize("name", ["plain", "stratified", "importances"])
def test_batches_and_parts_leave_no_trace(name, monkeypatch):
    n = 9_001
    labels, p = binary(n, seed=3)
    options = {"n_resamples": 40, "metrics": ["roc_auc", "mean_error"], "rng": 1, **WAYS[name]}
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
    for n_threads in (2, 3, 7):
        threaded = quiet_bootstrap(
            labels, p, metrics=METRICS, n_resamples=9_000, n_threads=n_threads, **options
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
        of_arrays = quiet_bootstrap(labels, p, **options)
        assert_same(of_arrays, quiet_bootstrap(table, **options))
        halves = [fm.ScoreTable.from_scores(labels[i::2], p[i::2]) for i in (0, 1)]
        assert_same(of_arrays, quiet_bootstrap(sum(halves), **options))


def test_a_key_draws_the_same_again():
    labels, p = sample(N)
    for rng in (None, 7, np.random.default_rng(5), np.random.SeedSequence(8), [1, 2, 3]):
        first = quiet_bootstrap(labels, p, metrics=METRICS, threshold=0.5, rng=rng)
        key = first["auc"].details.key
        again = quiet_bootstrap(labels, p, metrics=METRICS, threshold=0.5, rng=key)
        assert again["auc"].details.key == key == first["f1"].details.key
        assert_same(first, again)
    assert quiet_bootstrap(labels, p, rng=key.upper())["roc_auc"].details.key == key


def test_a_generator_advances_and_no_seed_is_new():
    labels, p = sample(N)
    generator = np.random.default_rng(3)
    keys = [quiet_bootstrap(labels, p, rng=generator)["roc_auc"].details.key for _ in range(3)]
    keys += [quiet_bootstrap(labels, p, rng=None)["roc_auc"].details.key for _ in range(3)]
    assert len(set(keys)) == 6
    assert keys[0] == quiet_bootstrap(labels, p, rng=3)["roc_auc"].details.key


def test_the_global_state_is_neither_read_nor_changed():
    labels, p = sample(N)
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    one = quiet_bootstrap(labels, p, rng=1)
    np.random.seed(2)  # noqa: NPY002
    assert_same(one, quiet_bootstrap(labels, p, rng=1))
    np.random.seed(1)  # noqa: NPY002
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_seeds_share_no_replicates():
    values = np.random.default_rng(0).normal(size=200)
    seen: set[float] = set()
    count = 0
    for seed in range(12):
        found = quiet_bootstrap(values, metrics="mean", rng=seed, n_resamples=300)
        seen.update(found["mean"].details.distribution.tolist())
        count += 300
    assert len(seen) == count


def test_replicates_of_seeds_are_not_correlated():
    values = np.random.default_rng(0).normal(size=50)
    runs = [
        quiet_bootstrap(values, metrics="mean", rng=seed, n_resamples=2_000)["mean"]
        for seed in range(6)
    ]
    correlations = np.corrcoef([run.details.distribution for run in runs])
    assert np.abs(correlations[np.triu_indices(6, 1)]).max() < 4.5 / 2_000**0.5
    lagged = np.corrcoef(runs[0].details.distribution[:-1], runs[0].details.distribution[1:])
    assert abs(lagged[0, 1]) < 4.5 / 2_000**0.5


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
