"""Keys that read alike (1 and "1", None and "None") name two things: refused at every door."""

import itertools

import numpy as np
import pandas as pd
import pytest

import fastmetrics as fm
from fastmetrics.errors import InputError

rng = np.random.default_rng(0)
N = 60
Y = np.arange(N) % 2
S, T = np.clip((Y + rng.normal(0, 1, (2, N)) + 3) / 7, 0.01, 0.99)
TABLE = rng.random((6, 2))
C = fm.comparison


def compare_equal_timings(keys):
    before = {key: [1.0, 1.1, 1.2] for key in keys}
    return C.compare_timings(before, before, margin=0.1)


def slices(keys):
    return {key: np.arange(N) // (20 + i) for i, key in enumerate(keys)}


def tables(keys):
    return {key: fm.ScoreTable.from_scores(Y, S + i) for i, key in enumerate(keys)}


def columns(keys):
    return dict(zip(keys, TABLE.T, strict=True))


def models(keys):
    return dict(zip(keys, (S, T), strict=True))


def metrics(keys):
    return dict(zip(keys, ("roc_auc", "brier_score"), strict=True))


def gated(**names):
    two = {"margins": dict.fromkeys(names.get("margins", ["roc_auc"]), 0.9)}
    if "metrics" in names:
        two = {
            "margins": dict.fromkeys(names["metrics"], 0.9),
            "metrics": metrics(names["metrics"]),
        }
    if "slices" in names:
        two["slices"] = slices(names["slices"])
    return fm.gate(Y, {"candidate": S, "baseline": T}, **two)


#: Something named by keys, which each door takes.
DOORS = {
    "compare, models": lambda keys: fm.compare(Y, models(keys), metrics="roc_auc"),
    "compare, metrics": lambda keys: fm.compare(Y, {"a": S, "b": T}, metrics=metrics(keys)),
    "estimate, metrics": lambda keys: fm.estimate(Y, S, metrics=metrics(keys)),
    "bootstrap, metrics": lambda keys: fm.bootstrap(Y, S, metrics=metrics(keys), n_resamples=9),
    "evaluate, models": lambda keys: fm.evaluate(Y, models(keys)),
    "evaluate, metrics": lambda keys: fm.evaluate(Y, {"a": S}, metrics=metrics(keys)),
    "evaluate, slices": lambda keys: fm.evaluate(Y, {"a": S}, slices=slices(keys), min_n=2),
    "evaluate, tables": lambda keys: fm.evaluate(tables(keys)),
    "report, models": lambda keys: fm.report(Y, models(keys), band=None),
    "doctor, models": lambda keys: fm.doctor(Y, models(keys)),
    "gate, slices": lambda keys: gated(slices=keys),
    "gate, metrics": lambda keys: gated(metrics=keys),
    "paired_bootstrap": lambda keys: fm.paired_bootstrap(
        Y, models(keys), metrics="roc_auc", n_resamples=9
    ),
    "delong_test": lambda keys: fm.delong_test(Y, models(keys)),
    "plot_roc": lambda keys: fm.plots.plot_roc(Y, models(keys)),
    "friedman_test": lambda keys: C.friedman_test(columns(keys), higher_is_better=True),
    "friedman_test, names": lambda keys: C.friedman_test(TABLE, names=keys, higher_is_better=True),
    "friedman_test, pandas": lambda keys: C.friedman_test(
        pd.DataFrame(TABLE, columns=pd.Index(keys, dtype=object)), higher_is_better=True
    ),
    "nemenyi_test": lambda keys: C.nemenyi_test(columns(keys), higher_is_better=True),
    "compare_table": lambda keys: C.compare_table(columns(keys), higher_is_better=True),
    "compare_timings": compare_equal_timings,
}


@pytest.fixture(autouse=True)
def without_windows():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


#: Each function gets one pair, and each pair several functions.
ALIKE = [[1, "1"], ["None", None], [np.int64(7), "7"], [1.5, "1.5"]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "keys"), [*zip(DOORS, itertools.cycle(ALIKE), strict=False)])
def test_keys_that_read_alike_are_refused(name, keys):
    with pytest.raises(InputError, match=rf"names 2 \w+ '{keys[1]}'|names '{keys[0]}' 2 times"):
        DOORS[name](keys)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DOORS)
def test_keys_of_any_kind_are_names(name):
    DOORS[name]([1, "b"] if "metrics" in name else [1, 2])


def test_the_message_names_both():
    with pytest.raises(InputError, match=r"`scores` names 2 models '1': .*, and 1 and '1' read"):
        fm.compare(Y, {1: S, "1": T}, metrics="roc_auc")


def test_models_of_partitions_that_read_alike_are_refused():
    da = pytest.importorskip("dask.array")
    import fastmetrics.dask as fmd

    y, s = (da.from_array(each, chunks=20) for each in (Y, S))
    with pytest.raises(InputError, match="`scores` names 2 models '1'"):
        fmd.evaluate(y, {1: s, "1": s})
