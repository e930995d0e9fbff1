"""Run a workload over every kind of input, then say how often each kernel was compiled.

Run as a program, in a process of its own: ``python signature_count.py`` for fastmetrics itself,
``python signature_count.py FILE`` for the kernels and the ``workload()`` of one file. Writes JSON.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType

import numpy as np

import fastmetrics
import fastmetrics._kernels as kernels
from fastmetrics._kernels import _compile
from fastmetrics.cli._warmup import compile_all
from public import public
from signature_keys import counted_keys

SIZES = (1, 40, 3_000, 60_000, 300_000)  # a row, the plain path, buckets, several threads
LABELS = ("bool", "int8", "uint8", "int32", "int64", "float32", "float64")
FLOATS = ("float16", "float32", "float64", ">f4", ">f8")
INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
CANONICAL = ("float32", "float64", "int64", "uint64")
LAYOUTS = ("plain", "strided", "reversed", "frozen")


def kernel_modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(kernels.__path__, f"{kernels.__name__}."):
        yield importlib.import_module(info.name)


def laid_out(array: np.ndarray, layout: str) -> np.ndarray:
    if layout == "strided":
        return np.repeat(array, 2)[::2]
    if layout == "reversed":
        return array[::-1].copy()[::-1]
    array = array.copy()
    array.flags.writeable = layout != "frozen"
    return array


def inputs() -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
    """Yield labels, scores and weights: all kinds at small sizes, the canonical ones at large."""
    rng = np.random.default_rng(0)
    for size in SIZES:
        labels = rng.integers(0, 2, size)
        labels[:2] = (0, 1)[:size]
        scores = rng.integers(0, 100, size)
        smooth = rng.random(size)
        weights = rng.random(size) + 0.5
        counts = rng.integers(1, 4, size)
        small = size <= 3_000
        kinds = FLOATS + INTEGERS if small else CANONICAL
        layouts = LAYOUTS if small else ("plain", "frozen")
        for kind, layout in itertools.product(kinds, layouts):
            values = scores if np.dtype(kind).kind in "iub" else smooth * 100
            for weight in (None, weights, counts):
                yield (
                    laid_out(labels.astype(np.int8), layout),
                    laid_out(values.astype(kind), layout),
                    None if weight is None else laid_out(weight, layout),
                )
        if size == 40:
            for kind, layout in itertools.product(LABELS, LAYOUTS):
                yield laid_out(labels.astype(kind), layout), laid_out(smooth, layout), None


def workload() -> None:
    """Build tables of every kind of input, and run every measure on the canonical kinds."""
    from fastmetrics.inference.streams.range_summary import summary_of
    from registry import ENTRIES

    of_scores = [entry for entry in ENTRIES if entry.data == "scores"]
    for labels, scores, weights in inputs():
        table = fastmetrics.ScoreTable.from_scores(labels, scores, sample_weight=weights)
        _ = table + table
        if not table.is_weighted:
            summary_of(table)
        canonical = scores.flags.c_contiguous and scores.dtype.name in CANONICAL
        wanted = of_scores if canonical and len(labels) == 40 else of_scores[:1]
        for entry in wanted:
            fractional = weights is not None and weights.dtype.kind == "f"
            if not fractional or "quarters" in entry.weights:
                with contextlib.suppress(ValueError):  # one row: one class
                    entry.fast(labels, scores, weights)
    rng = np.random.default_rng(1)
    for size in (40, 3_000):
        labels = np.arange(size) % 3
        indicator = rng.integers(0, 2, (size, 3))
        indicator[:2] = [[0, 1, 0], [1, 0, 1]]
        for kind in FLOATS:
            scores = rng.random((size, 3)).astype(kind)
            for average in ("macro", "micro", "weighted", "samples"):
                fastmetrics.roc_auc_score(indicator, scores, average=average)
            fastmetrics.evaluate(indicator[:, 0], scores[:, 0], slices={"": labels}, min_n=9)
        shares = scores.astype(np.float64) / scores.sum(axis=1, keepdims=True, dtype=np.float64)
        for rule in ("ovr", "ovo"):
            fastmetrics.roc_auc_score(labels, shares, multi_class=rule)


def resampling() -> None:
    """Bootstrap every kind of canonical input, by every plan."""
    metrics = {
        "auc": "roc_auc",
        "ap": "average_precision",
        "area": "pr_auc",
        "bep": "break_even_point",
        "ks": "ks_statistic",
        "part": ("partial_auc", {"false_positive_rate_range": (0, 0.2)}),
        "best": "best_threshold",
        "ratio": ("best_threshold", {"criterion": "fbeta"}),
        "f1": "f1",
    }
    rng = np.random.default_rng(2)
    for size, kind in itertools.product((300, 6_000), CANONICAL):
        labels, scores = rng.integers(0, 2, size), (rng.random(size) * 1e6).astype(kind)
        groups = np.arange(size) // 5
        plans = (
            {},
            {"stratified": True},
            {"groups": groups},
            {"resampling": "poisson"},
            {"resampling": "bayesian"},
            {"sample_weight": rng.random(size)},
        )
        for plan in plans:
            fastmetrics.bootstrap(
                labels, scores, metrics=metrics, threshold=5e5, n_resamples=20, **plan
            )
        for plan in ("multinomial", "bayesian"):
            weights = rng.random(size)
            given = {"sample_weight": weights, "resampling": plan, "n_resamples": 20}
            fastmetrics.bootstrap(labels, scores, **given)
        tied = np.round(scores / 5e5)
        table = fastmetrics.ScoreTable.from_scores(labels, tied)
        fastmetrics.bootstrap(table, metrics=metrics, threshold=1, n_resamples=20)
        models = {"a": scores, "b": tied}
        fastmetrics.paired_bootstrap(labels, models, metrics=metrics, threshold=1, n_resamples=20)
        fastmetrics.paired_permutation_test(labels, models, n_resamples=20)
        for method in (None, "percentile"):
            kind = "simultaneous" if method is None else "pointwise"
            fastmetrics.roc_band(labels, scores, kind=kind, method=method, n_resamples=20)
            fastmetrics.pr_band(labels, scores, kind=kind, method=method, n_resamples=20)
        fastmetrics.bootstrap(scores, tied, metrics=["mean_squared_error", "r2"], n_resamples=20)
    fastmetrics.bootstrap([0, 1, 2, 1], [0, 1, 1, 1], metrics="accuracy", n_resamples=20)
    fastmetrics.bootstrap(np.array(["a"] * 5_000), np.array(["a", "b"] * 2_500), metrics="f1")


def regression() -> None:
    """Measure errors of every kind of input, of one output and of many."""
    rng = np.random.default_rng(3)
    for size, kind, layout in itertools.product((1, 40, 3_000), FLOATS + INTEGERS, LAYOUTS):
        y, p = (laid_out((1 + rng.random(size) * 9).astype(kind), layout) for _ in range(2))
        two = np.stack((y, p)).T
        for weight in (None, laid_out(rng.random(size) + 0.5, layout)):
            fastmetrics.regression_measures(y, p, sample_weight=weight)
            more = {"sample_weight": weight, "log_errors": True, "powers": (1, 3)}
            table = fastmetrics.RegressionTable.from_arrays(two, two[:, ::-1], **more)
            _ = table + table
    fastmetrics.mean_squared_error(rng.random(300_000), rng.random(300_000).astype("float32"))


def labels_of_classes() -> None:
    """Count labels of every kind, in one call and as a stream."""
    from fastmetrics.tables.confusion._label_counts import label_counts

    rng = np.random.default_rng(4)
    kinds = (*INTEGERS, "float64", ">i4")
    for size, kind, layout in itertools.product((1, 40, 3_000), kinds, LAYOUTS):
        for width in (2, 3, 40, 120):
            y, p = (laid_out(rng.integers(0, width, size).astype(kind), layout) for _ in range(2))
            matrix = fastmetrics.ConfusionMatrix.from_labels(y, p)
            matrix.update(y[:500], p[:500])
            fastmetrics.ConfusionMatrix(labels=range(200)).update(y, p)
            label_counts(y, p)
            label_counts(y, p, sample_weight=laid_out(rng.random(size) + 0.5, layout))
    far = rng.integers(0, 1_500, 300_000)
    fastmetrics.ConfusionMatrix.from_labels(far, far[::-1])
    for length in (1, 3):
        texts = laid_out(rng.choice(["a", "b" * length], 30_000), "frozen")
        fastmetrics.ConfusionMatrix.from_labels(texts, texts[::-1])


def class_scores() -> None:
    """Measure probabilities, decisions and top-k classes of every kind of input."""
    rng = np.random.default_rng(5)
    kinds = (*LABELS, ">i4", "uint64")
    for size, label, kind, layout in itertools.product((40, 3_000), kinds, FLOATS, LAYOUTS):
        y = laid_out((np.arange(size) % 2).astype(label), layout)
        p = laid_out(rng.random(size).astype(kind), layout)
        for weight in (None, laid_out(rng.random(size), layout)):
            for name in ("log_loss", "brier_score_loss", "hinge_loss", "top_k_accuracy_score"):
                public(name)(y, p, sample_weight=weight)
    for size, kind, layout in itertools.product((40, 3_000), FLOATS + INTEGERS, LAYOUTS):
        y = laid_out(np.arange(size) % 3, layout)
        scores = (np.eye(3)[y] * 9).astype(kind)
        scores.flags.writeable = layout != "frozen"
        for weight in (None, laid_out(rng.random(size), layout)):
            for columns in (scores, np.asfortranarray(scores)):
                fastmetrics.hinge_loss(y, columns, sample_weight=weight)
                fastmetrics.top_k_accuracy_score(y, columns, sample_weight=weight)
                for name in ("log_loss", "brier_score_loss"):
                    public(name)(y, columns > 0, sample_weight=weight)
                    if np.dtype(kind).kind == "f":
                        public(name)(y, columns / 9, sample_weight=weight)


def rankings() -> None:
    """Measure rankings of every kind of input, by every rule for ties."""
    rng = np.random.default_rng(6)
    for size, kind, layout in itertools.product((40, 3_000), FLOATS + INTEGERS, LAYOUTS):
        scores = laid_out(rng.integers(0, 9, size).astype(kind), layout)
        query, ids = rng.integers(0, 5, size), rng.permutation(size)
        for grades in (rng.integers(-1, 3, size), rng.choice([np.nan, 0.0, 0.5, 2.0], size)):
            table = fastmetrics.RankingTable.from_scores(
                laid_out(grades, layout), scores, query=query, ids=ids
            )
            for ties in ("expected", "optimistic", "pessimistic", "trec_eval"):
                settled = table.settled(ties)
                for name in ("f1_at_k", "hit_rate_at_k"):
                    public(name)(settled, k=3)
                for name in ("mean_average_precision", "ndcg", "expected_reciprocal_rank"):
                    public(name)(settled)
                fastmetrics.ranking.bpref(settled, relevant_from=0.5)
                fastmetrics.ranking.rank_biased_precision(settled, persistence=0.9)
            fastmetrics.ranking.group_auc(table, relevant_from=0.5)


def concordance() -> None:
    """Measure rank correlation and censored times of every kind of input."""
    rng = np.random.default_rng(7)
    for size, kind, layout in itertools.product((40, 3_000), FLOATS + INTEGERS, LAYOUTS):
        scores = laid_out(rng.integers(0, 900, size).astype(kind), layout)
        y = laid_out((np.arange(size) % 7).astype(kind), layout)
        weights = rng.random(size)
        fastmetrics.concordance.kendall_tau(scores, y)
        fastmetrics.estimate(y, scores, metrics="kendall_tau")
        own = laid_out(weights, layout)
        fastmetrics.estimate(y, scores, metrics="kendall_tau", sample_weight=own)
        event = laid_out(weights < 0.5, layout)
        fastmetrics.concordance.concordance_index(
            y, event, scores, higher_score_means="longer-time"
        )
        options = {"higher_score_means": "shorter-time", "weighting": "uno"}
        fastmetrics.concordance.concordance_index(np.ceil(weights * 9), event, scores, **options)
        index = ("concordance_index", options | {"tau": 0.5})
        fastmetrics.estimate(weights, scores, event=event, metrics=index)


def rows_in_order() -> None:
    """Order rows of every kind, spread what belongs to their scores, and compare two models."""
    from fastmetrics._input.rows import check_binary
    from fastmetrics.tables.ordering.partition import partition
    from fastmetrics.tables.ordering.row_order import row_order

    for size, dtype in itertools.product((3_000, 300_000), CANONICAL):
        order = row_order((np.random.default_rng(8).random(size) * 1e6).astype(dtype))
        entries = [np.arange(order.n_distinct, dtype=kind) for kind in ("i4", "i8", "f8")]
        _ = [order.spread(values) for values in entries]
        _ = [order.spread_by_class(np.ones(size, np.int8), v, v) for v in entries[1:]]
    rng = np.random.default_rng(9)
    labels, counts = rng.integers(0, 2, 3_000), rng.integers(1, 5, 3_000)
    for kind, weight in itertools.product(CANONICAL, (None, counts, counts / 3)):
        one, other = (rng.random((2, 3_000)) * 1e6).astype(kind)
        partition(check_binary(labels, one, sample_weight=weight)).columns(1)
        read = {"weights_are": "frequencies" if weight is counts else "importances"}
        fastmetrics.delong_test(labels, {"a": one, "b": other}, sample_weight=weight, **read)
        fastmetrics.dominance(labels, one, other, sample_weight=weight)
        asked = {"metrics": ["roc_auc", "average_precision"], "sample_weight": weight, **read}
        fastmetrics.compare(labels, {"a": one, "b": other}, **asked)
        fastmetrics.estimate(labels, one, **asked)
        fastmetrics.estimate(labels, one, groups=np.arange(3_000) // 3, **asked)


def pooled_rows() -> None:
    """Pool the rows of tables of small counts, of large ones, of weights; numbers."""
    from fastmetrics.tables.scores.hull import upper_hull

    counts = np.random.default_rng(6).integers(1, 5, (2, 3_000))
    for size, scale in itertools.product((1, 3_000), (1, 2**45, 0.1)):
        columns = (column[:size] * scale for column in counts)
        upper_hull(fastmetrics.ScoreTable.from_counts(np.arange(size), *columns))
    for kind, layout in itertools.product(FLOATS + INTEGERS, LAYOUTS):
        scores, values = (laid_out(column.astype(kind), layout) for column in counts)
        for weight in (None, laid_out(counts[0] / 4, layout), counts[1]):
            fastmetrics.calibration.isotonic_fit(
                values, scores, targets_are="numbers", sample_weight=weight
            )


def recalibration() -> None:
    """Summarise the calibration of probabilities of every kind, with and without weights."""
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 2, 300)
    for kind, layout in itertools.product((*FLOATS, "int64"), LAYOUTS):
        chances = laid_out((rng.random(300) * (kind != "int64")).astype(kind), layout)
        for weight in (None, laid_out(rng.random(300), layout)):
            fastmetrics.calibration.calibration_summary(labels, chances, sample_weight=weight)
        fastmetrics.calibration.calibration_test(labels, chances, n_resamples=9)


def paired_numbers() -> None:
    """Test differences of every kind of input, few and many."""
    rng = np.random.default_rng(8)
    for size, kind, layout in itertools.product((40, 3_000), FLOATS + INTEGERS, LAYOUTS):
        a, b = (laid_out((rng.random(size) * 99).astype(kind), layout) for _ in range(2))
        fastmetrics.comparison.wilcoxon_signed_rank_test(a, b, higher_is_better=True)
        fastmetrics.comparison.sign_flip_test(
            a, b, higher_is_better=True, method="monte-carlo", n_resamples=99
        )


def bins() -> None:
    """Count scores of every kind in bins of both kinds, with every kind of weight."""
    rng = np.random.default_rng(8)
    layouts = (
        fastmetrics.streams.BinLayout.learn(rng.random(300)),
        fastmetrics.streams.BinLayout.of_bits(),
    )
    for bins, kind, layout in itertools.product(layouts, FLOATS + INTEGERS, LAYOUTS):
        scores = laid_out((90 * rng.random(300)).astype(kind), layout)
        labels = laid_out(rng.integers(0, 2, 300).astype(np.int8), layout)
        for weight in (None, rng.integers(1, 4, 300), rng.random(300)):
            table = fastmetrics.streams.BinnedScoreTable(bins, first_rows=0)
            table.update(labels, scores, weight if weight is None else laid_out(weight, layout))
            table.average_precision()


def report(modules: list[ModuleType]) -> dict[str, dict[str, list[str]]]:
    """Return each kernel's compiled versions, and the kernels of its file that it names."""
    versions, calls = {}, {}
    for module in modules:
        short = module.__name__.rsplit(".", 1)[-1]
        own = {
            value.__name__: value
            for value in vars(module).values()
            if isinstance(value, _compile.Kernel) and value.py_func.__module__ == module.__name__
        }
        for name, kernel in own.items():
            found = getattr(kernel._dispatcher, "signatures", ())
            versions[f"{short}:{name}"] = [str(signature) for signature in found]
            named = own.keys() & set(kernel.py_func.__code__.co_names)
            calls[f"{short}:{name}"] = sorted(f"{short}:{other}" for other in named)
    return {"versions": versions, "calls": calls}


def main() -> None:
    warnings.simplefilter("ignore")
    modules = list(kernel_modules())
    if sys.argv[1:] == ["warmup"]:
        _ = list(compile_all())
    elif len(sys.argv) > 1:
        sys.path.insert(0, sys.argv[1].rpartition("/")[0])
        modules = [importlib.import_module(sys.argv[1].rpartition("/")[2].removesuffix(".py"))]
        modules[0].workload()
    else:
        for work in (
            *(workload, resampling, labels_of_classes, regression, class_scores, rankings),
            *(concordance, rows_in_order, pooled_rows, recalibration, paired_numbers),
            *(bins, counted_keys),
        ):
            work()
    json.dump(report(modules), sys.stdout)


if __name__ == "__main__":
    main()
