"""`bootstrap` under way: interrupts, failures, memory, progress, functions that misbehave."""

import _thread
import gc
import signal
import threading
import time
import tracemalloc

import numba
import numpy as np
import pytest
from bootstrap_samples import binary, quiet_bootstrap
from numba.core import event

import engine_sizes
import fastmetrics as fm

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


def slow(labels, scores):
    time.sleep(0.02)
    return 0.5


@numba.njit
def sorts_in_place(labels, scores, weights):
    scores.sort()
    return scores[0]


@numba.njit
def weighted_mean(labels, scores, weights):
    return (scores * weights).sum() / weights.sum()


@pytest.mark.parametrize(
    ("metrics", "n_resamples", "options"),
    [
        ({"slow": slow}, 1_000, {"n_threads": 2}),
        pytest.param({"slow": slow}, 1_000, {"n_threads": 1}, marks=pytest.mark.exhaustive),
        ("roc_auc", 5_000_000, {"n_threads": 2}),
        pytest.param("average_precision", 5_000_000, {}, marks=pytest.mark.exhaustive),
        ("accuracy", 5_000_000, {"threshold": 0.5}),
    ],
)
def test_an_interrupt_stops_it_within_a_second(metrics, n_resamples, options, monkeypatch):
    labels, scores = binary(400)
    before = quiet_bootstrap(labels, scores, rng=1)["roc_auc"].details.distribution
    if metrics != {"slow": slow}:
        quiet_bootstrap(labels, scores, metrics=metrics, **options)  # compiled before the clock
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        _thread.interrupt_main()

    timer = threading.Timer(0.3, press)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.collect()
    gc.disable()  # an interrupt inside a collector's callback would be lost
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            fm.bootstrap(labels, scores, metrics=metrics, n_resamples=n_resamples, rng=1, **options)
        assert time.perf_counter() - pressed[0] < 1.0
    finally:
        gc.enable()
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, handler)
    after = quiet_bootstrap(labels, scores, rng=1)["roc_auc"].details.distribution
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_what_a_function_raises_is_raised(n_threads):
    labels, scores = binary(30)
    calls = []

    def breaks(labels, scores):
        calls.append(len(scores))
        if len(calls) > 20:
            raise ZeroDivisionError("one of mine")
        return 0.0

    with pytest.raises(ZeroDivisionError, match="one of mine"):
        fm.bootstrap(labels, scores, metrics=breaks, n_threads=n_threads, rng=1)
    assert len(calls) < 40
    with pytest.raises(TypeError):
        fm.bootstrap(labels, scores, metrics={"none": lambda y, s: None}, rng=1)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_memory_that_runs_out(n_threads, monkeypatch):
    labels, scores = binary(30)

    with monkeypatch.context() as patch:
        engine_sizes.failing(patch, "counts of draws", MemoryError("Unable to allocate"))
        with pytest.raises(MemoryError, match="Unable to allocate"):
            fm.bootstrap(labels, scores, n_threads=n_threads, rng=1)
    assert quiet_bootstrap(labels, scores)["roc_auc"].details.n_failed < 5


@pytest.mark.parametrize(
    ("metrics", "method", "most"),
    [
        ("roc_auc", "percentile", 24),
        (["roc_auc", "ks_statistic"], "percentile", 24),
        ("brier_score", "percentile", 48),
        (["roc_auc", "average_precision"], "bca", 160),
    ],
)
def test_memory_is_that_of_a_part(metrics, method, most, monkeypatch):
    """In bytes a row, beside the table; 300 replicates of a byte a row would take 300."""
    labels, scores = binary(200_000)
    table = fm.ScoreTable.from_scores(labels, 1 / (1 + np.exp(-scores)))
    options = {"metrics": metrics, "method": method, "n_resamples": 300, "rng": 1, "n_threads": 1}
    fm.bootstrap(table, **options | {"n_resamples": 30})  # loads and compiles
    tracemalloc.start()
    try:
        fm.bootstrap(table, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < most * 200_000


def test_functions_that_modify_what_they_get():
    labels, scores = binary(50)
    kept = scores.copy(), labels.copy()

    def modifies(labels, scores):
        labels[:] = 0
        scores.sort()
        return scores[0]

    for data in ((labels, scores), (scores, scores)):
        for weights in (None, np.arange(50) % 3):
            metrics = {"modifies": modifies, "first": lambda y, s: s.min()}
            if data[0] is labels:
                metrics["auc"] = "roc_auc"
            options = {"sample_weight": weights, "weights_are": "frequencies"}
            results = quiet_bootstrap(*data, metrics=metrics, **options)
            np.testing.assert_array_equal(
                results["modifies"].details.distribution, results["first"].details.distribution
            )
    np.testing.assert_array_equal(scores, kept[0])
    np.testing.assert_array_equal(labels, kept[1])
    with pytest.raises(numba.TypingError, match=r"readonly|read-only|immutable"):
        quiet_bootstrap(labels, scores, metrics=sorts_in_place)


def test_a_compiled_function_is_compiled_once():
    """Each bootstrap asks for it several times; numba would take a second each time."""
    labels, scores = binary(50)
    quiet_bootstrap(labels, scores, metrics=weighted_mean)
    with event.install_recorder("numba:compile") as recorder:
        quiet_bootstrap(labels, scores, metrics=weighted_mean, rng=2)
    assert not recorder.buffer
