"""Compile every kernel ahead of its first use, by using it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from fastmetrics._kernels._compile import compile_small_calls
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from fastmetrics.tables.scores._distinct import PLAIN_ROWS

#: Rows for every path: plain and partitioned.
ROWS = (4_000, PLAIN_ROWS + 1)
DTYPES = (np.float64, np.float32, np.int64, np.uint64)


#: Measures of a table of scores.
_OF_TABLES = ("roc_auc", "average_precision", "break_even_point", "ks_statistic", "best_threshold")


def _measured(name: str, *data: object, **options: object) -> None:
    from fastmetrics.measures.registry import MEASURES

    MEASURES[name].load()(*data, **options)


def compile_all() -> Iterator[tuple[str, float]]:
    """Run each measure on each dtype of scores; yield what was compiled and its seconds.

    Machine code that is already in the cache is loaded, which takes milliseconds.
    """
    compile_small_calls()
    for dtype in DTYPES:
        for name, work in _steps(np.dtype(dtype)):
            start = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                warnings.simplefilter("ignore", DegenerateDataWarning)
                work()
            yield f"{name}, {np.dtype(dtype).name} scores", time.perf_counter() - start


def _steps(dtype: np.dtype[np.generic]) -> Iterator[tuple[str, Callable[[], object]]]:
    from fastmetrics.inference.bands.bands import roc_band
    from fastmetrics.inference.bootstrap.bootstrap import bootstrap
    from fastmetrics.inference.delong.delong import delong
    from fastmetrics.measures.curves.roc import det_curve, roc_curve
    from fastmetrics.tables.binned.bin_layout import BinLayout
    from fastmetrics.tables.binned.binned_score_table import BinnedScoreTable
    from fastmetrics.tables.binned.windowed_table import WindowedBinnedScoreTable
    from fastmetrics.tables.scores.score_table import ScoreTable

    rng = np.random.default_rng(0)
    labels = [rng.integers(0, 2, rows, dtype=np.int8) for rows in ROWS]
    scores = [(1000 * rng.random(rows)).astype(dtype) for rows in ROWS]
    weights = [rng.random(rows) for rows in ROWS]

    def auc(weighted: bool) -> None:
        for y, s, w in zip(labels, scores, weights, strict=True):
            _measured("roc_auc", y, s, sample_weight=w if weighted else None)

    def table_measures(weighted: bool) -> None:
        for y, s, w in zip(labels, scores, weights, strict=True):
            table = ScoreTable.from_scores(y, s, sample_weight=w if weighted else None)
            roc_curve(table)
            det_curve(table)
            for name in _OF_TABLES:
                _measured(name, table)
            _measured("pr_auc", table, interpolation="continuous")
            if not weighted:
                delong(table)

    def multilabel_auc() -> None:
        y = labels[0][: 3 * 1000].reshape(-1, 3)
        for average in ("macro", "samples"):
            _measured("roc_auc", y, scores[0][: y.size].reshape(y.shape), average=average)

    def resampling() -> None:
        names = ("roc_auc", "average_precision", "break_even_point", "ks_statistic", "partial_auc")
        y, s = labels[0], scores[0]
        for plan in ({}, {"stratified": True}, {"groups": np.arange(len(y)) // 4}):
            bootstrap(y, s, metrics=names, n_resamples=4, **plan)
        bootstrap(y, s, n_resamples=4, sample_weight=weights[0])
        bootstrap(y, s, metrics="mean_squared_error", n_resamples=4)
        roc_band(y, s, n_resamples=20)

    def bins() -> None:
        table = BinnedScoreTable(BinLayout.learn(scores[0]), first_rows=0)
        for weight in (None, weights[0]):
            table.update(labels[0], scores[0], weight)
            table.average_precision()
        WindowedBinnedScoreTable(9, table.layout, first_rows=0).update(labels[0], scores[0])

    yield "AUC", partial(auc, False)
    yield "weighted AUC", partial(auc, True)
    yield "tables and curves", partial(table_measures, False)
    yield "weighted tables and curves", partial(table_measures, True)
    yield "multilabel AUC", multilabel_auc
    yield "bootstrap", resampling
    if dtype.kind == "f":
        yield "bins", bins
        yield "class labels, losses and errors", partial(_labels_and_losses, dtype)


def _labels_and_losses(dtype: np.dtype[np.generic]) -> None:
    """Use the kernels of labels (in the three dtypes they know), probabilities and errors."""
    from fastmetrics.measures.decisions.matrix_functions import confusion_matrix
    from fastmetrics.measures.regression.regression_measures import regression_measures
    from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

    rng = np.random.default_rng(0)
    n, k = 30_000, 100
    for integer in (np.int8, np.int32, np.int64):
        for classes in (2, 5, k):
            y, p = rng.integers(0, classes, (2, n)).astype(integer)
            matrix = ConfusionMatrix.from_labels(y, p, labels=range(classes))
            matrix.update(y[:1000], p[:1000])
            confusion_matrix(y, p)
    words = np.array(["no", "yes"])
    ConfusionMatrix.from_labels(words[y % 2], words[p % 2])
    of_two, of_five = (y % 2).astype(np.int8), y % 5
    scores = rng.random((n, 5)).astype(dtype)
    probabilities = (scores / scores.sum(axis=1, keepdims=True)).astype(dtype)
    weights = rng.random(n)
    for sample_weight in (None, weights):
        for name in ("log_loss", "brier_score", "hinge_loss"):
            _measured(name, of_two, scores[:, 0], sample_weight=sample_weight)
        for name in ("log_loss", "brier_score"):
            _measured(name, of_five, probabilities, sample_weight=sample_weight)
        _measured("hinge_loss", of_five, scores, sample_weight=sample_weight)
        _measured("top_k_accuracy", of_five, scores, k=2, sample_weight=sample_weight)
        regression_measures(scores[:, 0] + 1, scores[:, 1] + 1, sample_weight=sample_weight)
