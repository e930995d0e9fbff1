"""Scores on Dask: the integers of memory, for any partitions and any ranges."""

import warnings
from typing import Any

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from dask_columns import delayed_columns, frame_columns, problems
from hypothesis import given

import fastmetrics as fm
import fastmetrics.dask as fmd
from evaluations import agree
from fastmetrics.dask._partitions import partitions
from fastmetrics.dask.tables import Ranges, Runs, score_runs
from fastmetrics.errors import InputError, UndefinedMetricWarning

pytestmark = pytest.mark.usefixtures("synchronous")


def quietly(function: Any, *data: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return function(*data, **more)


def has_weight(w: Any) -> bool:
    return w is None or bool(w.any())


@given(problems())
def test_auc_and_table_are_those_in_memory(problem: Any) -> None:
    y, s, w, places, size = problem
    if not has_weight(w):
        return
    cols = dict(zip(("y", "s", "w"), delayed_columns([y, s, w], places), strict=True))
    auc = quietly(
        fmd.roc_auc_score, cols["y"], cols["s"], sample_weight=cols["w"], range_scores=size
    )
    np.testing.assert_equal(auc, quietly(fm.roc_auc_score, y, s, sample_weight=w))
    table = fmd.score_table(cols["y"], cols["s"], sample_weight=cols["w"])
    assert table == fm.ScoreTable.from_scores(y, s, sample_weight=w)


@given(problems())
def test_evaluation_is_that_in_memory(problem: Any) -> None:
    y, s, w, places, size = problem
    if not has_weight(w):
        return
    labels, scores, weights = delayed_columns([y, s, w], places)
    more: Any = {} if w is None else {"weights_are": "frequencies"}
    model = quietly(
        fmd.evaluate, labels, {"m": scores}, sample_weight=weights, range_scores=size, **more
    )["m"]
    expected = quietly(fm.evaluate, y, {"m": s}, sample_weight=w, **more)["m"]
    np.testing.assert_allclose(model.average_precision, expected.average_precision, rtol=1e-14)
    assert agree(model, expected)


def sample(n: int = 5_000) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, n)
    return y, (rng.normal(size=n) + y).astype(np.float32)


def runs(*columns: Any, chunk: int = 900) -> Runs:
    given = [None if column is None else da.from_array(column, chunk) for column in columns]
    names = dict(zip(("y_true", "y_score", "sample_weight"), [*given, None], strict=False))
    return score_runs(partitions(**names), None)


def sizes(ranges: Ranges) -> Any:
    return ranges.counts[0]


def test_ranges_hold_no_more_than_they_may() -> None:
    y, s = sample()
    ranges = runs(y, s).ranges(400)
    assert len(ranges.above) > 10
    assert max(sizes(ranges)) <= 400
    assert sizes(ranges).sum() == len(np.unique(s))  # no score recurs across partitions here
    above = (0, 0)
    for each, inside in zip(ranges.above, ranges.counts[1:].T.tolist(), strict=True):
        assert each == above
        above = (above[0] + inside[0], above[1] + inside[1])
    assert above == (y.sum(), (1 - y).sum())
    assert runs(y, s).table() == fm.ScoreTable.from_scores(y, s)


def test_large_samples_of_scores_make_ranges_of_about_that_size() -> None:
    y, s = sample(60_000)
    ranges = runs(y, s, chunk=20_000).ranges(5_000)
    assert 12 <= len(ranges.above) <= 13
    assert max(sizes(ranges)) <= 5_050
    assert ranges.pairs().auc == fm.roc_auc_score(y, s)


def test_scores_that_recur_are_kept_once() -> None:
    y, s = sample(40_000)
    s = np.round(s * 300) / np.float32(300)
    s[:5] = [-0.0, 0.0, -0.0, 0.0, -0.0]
    score_runs = runs(y, s, chunk=20_000)
    held = dask.compute(score_runs.runs)[0]
    assert all(len(each.scores) == len(np.unique(each.scores)) for each in held)
    assert score_runs.table() == fm.ScoreTable.from_scores(y, s)
    assert score_runs.ranges(1_000).pairs().auc == fm.roc_auc_score(y, s)
    w = np.random.default_rng(1).integers(0, 1000, len(y))
    assert runs(y, s, w, chunk=20_000).table() == fm.ScoreTable.from_scores(y, s, sample_weight=w)
    assert len(runs(y, np.round(s), chunk=20_000).ranges(100).above) == 1


DISTRIBUTIONS: dict[str, Any] = {
    "heavy tails": lambda rng, n: np.exp(100 * rng.normal(size=n)),
    "the whole range": lambda rng, n: rng.uniform(-1, 1, n) * 1.7e308,
    "subnormal": lambda rng, n: rng.integers(-99, 99, n) * 5e-324,
    "signed zeros": lambda rng, n: np.where(rng.random(n) < 0.5, -0.0, 0.0),
    "an ulp apart": lambda rng, n: 1 + rng.integers(0, 2_000, n) * 2.0**-52,
    "one score and others": lambda rng, n: np.where(rng.random(n) < 0.6, 0.25, rng.random(n)),
    "in order": lambda rng, n: np.sort(rng.normal(size=n)).astype(np.float32),
    "all int64": lambda rng, n: rng.integers(-(2**63), 2**63 - 1, n),
    "large int64": lambda rng, n: 2**62 + rng.integers(0, 2_000, n),
    "large uint64": lambda rng, n: rng.integers(2**63, 2**64 - 1, n, dtype=np.uint64),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_any_distribution_is_cut_into_ranges(name: str) -> None:
    rng = np.random.default_rng(2)
    n = 5_000
    y = rng.integers(0, 2, n)
    s = DISTRIBUTIONS[name](rng, n)
    for places, size in (([], 300), ([9, 9, 4_000], 1_700)):
        labels, scores = delayed_columns([y, s], places)
        assert fmd.roc_auc_score(labels, scores, range_scores=size) == fm.roc_auc_score(y, s)
        model = fmd.evaluate(labels, scores, range_scores=size)["score"]
        assert agree(model, fm.evaluate(y, s)["score"])


def test_float_weights_are_those_in_memory_up_to_rounding() -> None:
    y, s = sample()
    w = np.random.default_rng(1).random(len(y))
    labels, scores, weights = frame_columns([y, s, w], [1000, 1000, 3000])
    expected = fm.roc_auc_score(y, s, sample_weight=w)
    for size in (300, 10**6):
        auc = fmd.roc_auc_score(labels, scores, sample_weight=weights, range_scores=size)
        assert auc == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InputError, match="must hold whole numbers here"):
        fmd.average_precision_score(labels, scores, sample_weight=weights)
    with pytest.raises(InputError, match=r"fastmetrics\.evaluate"):
        fmd.evaluate(labels, scores, sample_weight=weights)


def test_weights_are_numbers_of_rows_where_that_is_said() -> None:
    y, s = sample(300)
    w = np.arange(300) % 3.0
    w[:100] = 0  # a partition that weighs nothing
    cuts = [slice(k, k + 100) for k in (0, 100, 200)]
    labels, scores, weights = ([dask.delayed(each[cut]) for cut in cuts] for each in (y, s, w))
    options: Any = {"weights_are": "frequencies"}
    model = fmd.evaluate(labels, scores, sample_weight=weights, **options)["score"]
    expected = fm.evaluate(y, s, sample_weight=w, **options)["score"]
    assert agree(model, expected)
    assert model.n_positive == expected.n_positive
    with pytest.raises(InputError, match="must be 'frequencies' here"):
        fmd.evaluate(labels, scores, sample_weight=weights)
    nothing = [[dask.delayed(each)] for each in (y, s, np.zeros(300))]
    for call in (fmd.roc_auc_score, fmd.score_table):
        with pytest.raises(InputError, match="must not be all zero: 300 rows"):
            call(*nothing[:2], sample_weight=nothing[2])
    halves = [dask.delayed(w + 0.5)]
    with pytest.raises(InputError, match=r"whole numbers.*in partition 0"):
        fmd.evaluate(*nothing[:2], sample_weight=halves, **options)


def test_several_models() -> None:
    y, s = sample(500)
    frame = pd.DataFrame({"a": s, "b": -s})
    parts = delayed_columns([y, s, -s], [100, 250])
    by_name = fmd.evaluate(parts[0], {"a": parts[1], "b": parts[2]})
    from dask.dataframe import from_pandas

    both = from_pandas(frame.assign(y=y), npartitions=3)
    assert by_name == fmd.evaluate(both["y"], both[["a", "b"]])
    assert by_name["b"].roc_auc == fm.evaluate(y, frame)["b"].roc_auc
    assert fmd.evaluate(both["y"], both["a"])["score"].roc_auc == by_name["a"].roc_auc


def test_large_counts_beside_none_stay_integers() -> None:
    labels, scores = np.array([1, 1, 0, 1]), np.array([0.4, 0.3, 0.2, 0.1])
    weights = np.array([2**40 + 1, 1, 2**40, 3])
    columns = delayed_columns([labels, scores, weights], [2])
    table = fmd.score_table(*columns[:2], sample_weight=columns[2])
    assert table == fm.ScoreTable.from_scores(labels, scores, sample_weight=weights)
    value = fmd.average_precision_score(*columns[:2], sample_weight=columns[2])
    expected = fm.average_precision_score(labels, scores, sample_weight=weights)
    np.testing.assert_allclose(value, expected, rtol=1e-14)


def test_sums_of_weights_over_ranges_are_compensated() -> None:
    rng = np.random.default_rng(21)
    for n in (200, 500):
        y = rng.integers(0, 2, n)
        w = rng.random(n)
        s = np.clip(0.4 * y + 0.6 * rng.random(n), 0, 1)
        columns = [da.from_array(each, chunks=60) for each in (y, s, w)]
        auc = fmd.roc_auc_score(*columns[:2], sample_weight=columns[2], range_scores=25)
        assert abs(auc - fm.roc_auc_score(y, s, sample_weight=w)) <= 2**-53
