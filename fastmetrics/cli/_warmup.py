"""Compile the kernels ahead of their first use, by using them as a user does."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np

import fastmetrics
from fastmetrics._kernels._compile import notice
from fastmetrics.cli._bounded import estimate_rows
from fastmetrics.inference.ordered_rows import RowCosts, RowTotals, ScoredRows
from fastmetrics.inference.table_estimates import summarize_runs
from fastmetrics.tables.ordering import ONE_BUCKET_ROWS, row_order, sort_in_buckets
from fastmetrics.tables.pairs import PLAIN_ROWS
from fastmetrics.tables.row_runs import GroupCodes, RowRuns

#: The doors, whose types are for those who use what they return.
fm: Any = fastmetrics

#: Rows for every path: each pair, plain, partitioned.
_ROWS: Final = (200, 4_000, PLAIN_ROWS + 1)
_KINDS: Final = (np.float64, np.float32, np.int64, np.uint64)
_FEW: Final = {"n_resamples": 4}


def compile_all() -> Iterator[tuple[str, float]]:
    """Call all kernels with scores of each dtype; yield what was compiled and its seconds."""
    notice.is_wanted = False
    for name, work in _steps():
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of data that say nothing
            work()
        yield name, time.perf_counter() - start


def _steps() -> Iterator[tuple[str, Callable[[], object]]]:
    for kind in map(np.dtype, _KINDS):
        of = f"of {kind.name} scores"
        yield f"evaluation {of}", partial(_evaluation, kind)
        yield f"tables and curves {of}", partial(_tables, kind)
        yield f"bootstrap {of}", partial(_replicates, kind)
        if kind.kind == "f":
            yield f"probabilities {of}", partial(_probabilities, kind)
    yield "scores of 16 bits", _narrow_scores
    yield "class labels", _labels
    yield "numbers and their errors", _numbers
    yield "rankings", _rankings
    yield "concordance and times", _concordance
    yield "tests of differences", _differences
    yield "streams", _streams
    yield "rows of files", _ordered_rows


def _rows(n: int, kind: Any) -> tuple[Any, Any, Any]:
    """Return labels, and the scores of two models."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, n).astype(np.int8)
    labels[:2] = 0, 1
    return labels, *(1000 * rng.random((2, n))).astype(kind)


def _evaluation(kind: Any) -> None:
    for n in _ROWS:
        y, one, other = _rows(n, kind)
        weights = np.random.default_rng(1).random(n) + 0.5
        counts = {"sample_weight": np.arange(n) % 3 + 1, "weights_are": "frequencies"}
        cut = {"slices": {"part": np.arange(n) % 2}, "min_n": 9}
        for given in ({}, {"sample_weight": weights}, counts, {"groups": np.arange(n) // 3}):
            fm.evaluate(y, one, **given)
            fm.evaluate(y, {"a": one, "b": other}, **given)
        fm.evaluate(y, one, cost_fn=5.0, cost_fp=1.0)
        fm.evaluate(y, one, metrics=["roc_auc", "average_precision"], **cut)
        for weight in (None, weights):
            fm.roc_auc_score(y, one, sample_weight=weight)
            fm.estimate(y, one, metrics=["partial_auc", "pr_auc"], sample_weight=weight)
        fm.delong_test(y, {"a": one, "b": other})
        fm.compare(y, {"a": one, "b": other}, metrics="average_precision")


def _narrow_scores() -> None:
    y, one, _ = _rows(_ROWS[-1], np.float16)
    for counts in (None, y + 1):
        fm.roc_auc_score(y, one, sample_weight=counts)


def _tables(kind: Any) -> None:
    for n in _ROWS:
        y, one, other = _rows(n, kind)
        for weight in (None, np.random.default_rng(1).random(n) + 0.5):
            table = fm.ScoreTable.from_scores(y, one, sample_weight=weight)
            _ = table + fm.ScoreTable.from_scores(y, other, sample_weight=weight)
            for curve in (fm.roc_curve, fm.det_curve, fm.precision_recall_curve):
                curve(table)
            fm.best_threshold(table)
            fm.pr_auc(table, interpolation="continuous")
            fm.costs.roc_hull_auc(table)
        fm.evaluate(fm.ScoreTable.from_scores(y, one))
    shape = (1_000, 3)
    for average in ("macro", "micro", "samples"):
        fm.roc_auc_score(y[:3_000].reshape(shape), one[:3_000].reshape(shape), average=average)


def _replicates(kind: Any) -> None:
    y, one, other = _rows(4_000, kind)
    groups = np.arange(len(y)) // 4
    weights = np.random.default_rng(1).random(len(y)) + 0.5
    names = ["roc_auc", "average_precision", "break_even_point", "ks_statistic", "partial_auc"]
    names += ["pr_auc", "best_threshold", "f1"]
    fm.bootstrap(y, one, metrics=names, threshold=500, **_FEW)
    for more in ({"stratified": True}, {"groups": groups}, {"sample_weight": weights}):
        options: dict[str, Any] = {**_FEW, **more}
        fm.bootstrap(y, one, metrics=names, threshold=500, **options)
    models = {"a": one, "b": other}
    fm.paired_bootstrap(y, models, metrics=names, threshold=500, **_FEW)
    fm.paired_permutation_test(y, models, **_FEW)
    fm.roc_band(y, one, n_resamples=20)
    fm.pr_band(y, one, n_resamples=20)


def _probabilities(kind: Any) -> None:
    rng = np.random.default_rng(2)
    for n in _ROWS[:2]:
        y = np.arange(n) % 2
        weights = rng.random(n) + 0.5
        p = rng.random(n).astype(kind)
        matrix = rng.random((n, 5))
        matrix = (matrix / matrix.sum(axis=1, keepdims=True)).astype(kind)
        classes = np.arange(n) % 5
        for weight in (None, weights):
            for loss in (fm.log_loss, fm.brier_score_loss, fm.hinge_loss):
                loss(y.astype(np.int8), p, sample_weight=weight)
                loss(classes, matrix, sample_weight=weight)
            fm.top_k_accuracy_score(classes, matrix, sample_weight=weight)
            fm.calibration.calibration_summary(y, p, sample_weight=weight)
        fm.calibration.calibration_test(y, p, n_resamples=9)
        fm.evaluate(y, {"a": p, "b": p[::-1].copy()})
        fm.evaluate(classes, {"a": matrix}, task="multiclass")


def _labels() -> None:
    rng = np.random.default_rng(3)
    for integer in (np.int8, np.int32, np.int64):
        for classes in (2, 5, 100):
            y, p = rng.integers(0, classes, (2, 30_000)).astype(integer)
            matrix = fm.ConfusionMatrix.from_labels(y, p, labels=range(classes))
            matrix.update(y[:1_000], p[:1_000])
            fm.confusion_matrix(y, p)
    far = rng.integers(0, 1_500, 300_000)
    fm.ConfusionMatrix.from_labels(far, far[::-1])
    fm.evaluate(y, p, task="labels")
    words = np.array(["no", "yes"])
    fm.ConfusionMatrix.from_labels(words[y % 2], words[p % 2])
    fm.bootstrap(y % 2, p % 2, metrics="accuracy", **_FEW)


def _numbers() -> None:
    rng = np.random.default_rng(4)
    for n in _ROWS:
        y, p = 1.0 + rng.random((2, n))
        for weight in (None, rng.random(n) + 0.5):
            for kind in (np.float64, np.float32):
                fm.regression_metrics(y.astype(kind), p.astype(kind), sample_weight=weight)
            more = {"sample_weight": weight, "log_errors": True, "powers": (1, 3)}
            table = fm.RegressionTable.from_arrays(y, p, **more)
            _ = table + table
        fm.evaluate(y, {"a": p, "b": p[::-1].copy()}, task="values")
    fm.bootstrap(y[:4_000], p[:4_000], metrics=["mean_squared_error", "r2"], **_FEW)


def _rankings() -> None:
    rng = np.random.default_rng(5)
    for n in _ROWS[:2]:
        query = np.arange(n) // 40
        ids = rng.permutation(n)
        scores = rng.integers(0, 9, n) / 9.0
        for grades in (rng.integers(-1, 3, n), rng.choice([np.nan, 0.0, 0.5, 2.0], n)):
            table = fm.RankingTable.from_scores(grades, scores, query=query, ids=ids)
            for ties in ("expected", "trec_eval"):
                settled = table.settle_ties(ties)
                for one in (fm.ranking.f1_at_k, fm.ranking.hit_rate_at_k):
                    one(settled, k=3, relevant_from=0.5)
                fm.ranking.mean_average_precision(settled, relevant_from=0.5)
                fm.ranking.ndcg(settled)
                fm.ranking.expected_reciprocal_rank(settled)
                fm.ranking.bpref(settled, relevant_from=0.5)
                fm.ranking.rank_biased_precision(settled, persistence=0.9, relevant_from=0.5)
            fm.ranking.group_auc(table, relevant_from=0.5)


def _concordance() -> None:
    rng = np.random.default_rng(6)
    for n in _ROWS[1:]:
        x, y, times = rng.random((3, n))
        fm.concordance.kendall_tau(x, y)
        weights = rng.random(n)
        event = rng.random(n) < 0.5
        for weight in (None, weights):
            fm.estimate(np.round(9 * x), y, metrics="kendall_tau", sample_weight=weight)
        way = {"higher_score_means": "shorter-time"}
        for weighting in ("harrell", "uno"):
            options = way | {"weighting": weighting}
            fm.concordance.concordance_index(np.ceil(times * 9), event, x, **options)
            metric = ("concordance_index", options | {"tau": 0.5})
            fm.estimate(times, x, event=event, metrics=metric)


def _differences() -> None:
    rng = np.random.default_rng(7)
    for n in (40, 3_000):
        a, b = rng.random((2, n))
        fm.comparison.wilcoxon_signed_rank_test(a, b, higher_is_better=True)
        fm.comparison.sign_flip_test(
            a, b, higher_is_better=True, method="monte-carlo", n_resamples=99
        )


def _streams() -> None:
    streams = fm.streams
    for kind in _KINDS:
        y, one, _ = _rows(_ROWS[-1], kind)
        for bins in (streams.BinLayout.learn(one), streams.BinLayout.of_bits()):
            table = streams.BinnedScoreTable(bins, first_rows=0)
            for weight in (None, np.arange(len(y)) % 3 / 2.0):
                table.update(y, one, weight)
                table.average_precision()
        runs = streams.ScoreRuns(memory="8MB")
        runs.update(y, one)
        fm.evaluate({"runs": runs})
        summarize_runs(runs, n_cells=64)
        many = np.linspace(1.0, 0.0, ONE_BUCKET_ROWS).astype(kind)
        row_order(many)
        sort_in_buckets(many)


def _ordered_rows() -> None:
    y, one, _ = _rows(_ROWS[0], np.float64)
    for read in (None, "importances"):
        runs = RowRuns(10**6, tempfile.gettempdir())
        totals = RowTotals(read, n_groups=40, are_whole=read is None)
        weights = np.full(len(y), 2.0)
        codes = GroupCodes().encode(np.arange(len(y)) % 40)
        runs.add(one / 1000.0, signed=np.where(y == 1, weights, -weights), groups=codes)
        totals.add(y == 1, weights)
        rows = ScoredRows(runs, totals)
        estimate_rows({"one": rows}, {"one": rows.summarize()}, 0.95)
        RowCosts(rows, (5.0, 1.0), 5.0).cheapest(0.95)
