"""Every interval and every test of the coverage study, computed from one data set."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import fastmetrics
from benchmarks.coverage import (
    calibration,
    choice,
    concordance,
    costs,
    estimates,
    every,
    gates,
    guarantees,
    indirect,
    levels,
    logs,
    multilabel,
    rankings,
    recalibration,
    slices,
)
from benchmarks.coverage.measured import LEVEL, NOTHING, Cost, Limits, Measured
from benchmarks.coverage.scenes import (
    CHOSEN,
    COMPARED,
    METRICS,
    THRESHOLD,
    Data,
    Scene,
    draw,
)
from fastmetrics._input.scalars import seed_key
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from fastmetrics.inference.bootstrap._samples import Method
from fastmetrics.inference.bootstrap.bootstrap import limits, pvalue_from_limits
from fastmetrics.inference.bootstrap.paired import PAIRED_METHOD

GROUPED = ("roc_auc", "average_precision", "f1", "accuracy")
PROPORTIONS = {
    "Wilson": "wilson",
    "Clopper-Pearson": "clopper-pearson",
    "Jeffreys": "jeffreys",
}

#: Scenes of parts that draw data of their own.
_OWN_SCENES: dict[type[Scene], Callable[[Any, np.random.Generator, Measured], None]] = {
    calibration.CalibrationScene: calibration.measure_scene,
    concordance.ConcordanceScene: concordance.measure,
    every.EveryScene: every.measure,
    levels.LevelScene: levels.measure,
    multilabel.LabelScene: multilabel.measure,
    recalibration.RecalibrationScene: recalibration.measure,
}

PLAIN: tuple[Method, ...] = ("percentile", "basic", "bca")
STRATIFIED: tuple[Method, ...] = ("percentile", "bca")


def measure(scene: Scene, number: int, cost: Cost) -> Measured:
    """Draw one data set and compute all that its part of the study asks for."""
    rng = scene.generator(number)
    measured = Measured({}, {}, {})
    if isinstance(scene, estimates.EstimateScene):
        estimates.measure(scene, number, rng, cost, measured)
        return measured
    if type(scene) in _OWN_SCENES:
        _OWN_SCENES[type(scene)](scene, rng, measured)
        return measured
    data = draw(scene, rng)
    with warnings.catch_warnings():  # counted, not told 2,000 times
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.simplefilter("ignore", DegenerateDataWarning)
        PARTS[scene.part](data, rng, cost, measured)
    return measured


def _main(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    _bootstraps(data, rng, cost, METRICS, out)
    _bootstraps(data, rng, cost, METRICS, out, "stratified ", stratified=True)
    seed_key(rng)  # of an interval that is no more: what follows keeps its figures
    _analytic_auc(data, out)
    _analytic_counts(data, out)
    _differences(data, rng, cost, out)
    _permutations(data, rng, cost, out)


def _fixed(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    _bootstraps(data, rng, cost, METRICS, out)
    _bootstraps(data, rng, cost, METRICS, out, "stratified ", stratified=True)


def _users(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    grouped = {"groups": data.groups}
    given = {"n_resamples": cost.n_resamples, "rng": rng, "n_threads": 1, "threshold": THRESHOLD}
    for suffix, groups in (("", {}), (", groups", grouped)):
        found = fastmetrics.bootstrap(
            data.labels, data.scores, metrics=METRICS, method="percentile", **groups, **given
        )
        _keep(found, out, "", suffix, ("percentile", "basic"))
        of_counts = fastmetrics.bootstrap(
            data.labels, data.scores, metrics=("f1", "accuracy"), method="bca", **groups, **given
        )
        _keep(of_counts, out, "", suffix, ("bca",))
        models = {"model": data.scores, "equal": data.others["equal"]}
        given_pair = {key: value for key, value in given.items() if key != "threshold"}
        pair = fastmetrics.paired_bootstrap(data.labels, models, **groups, **given_pair)
        out.pvalues["equal", "paired_bootstrap" + suffix] = pair["roc_auc"].pairs[0].pvalue


def _groups(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep percentile limits by Student's t, and the same without."""
    found = fastmetrics.bootstrap(
        data.labels,
        data.scores,
        groups=data.groups,
        metrics=GROUPED,
        method="percentile",
        threshold=THRESHOLD,
        n_resamples=cost.n_resamples,
        rng=rng,
        n_threads=1,
    )
    for metric, result in found.items():
        replicates, estimate = result.details.distribution, result.estimate
        narrow = limits(replicates, estimate, method="percentile", confidence_level=LEVEL)
        out.intervals[metric, "percentile, normal"] = _pair(narrow[0])
        out.intervals[metric, "percentile, t"] = _pair(result.confidence_interval)


def _weights(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    found = fastmetrics.bootstrap(
        data.labels,
        data.scores,
        sample_weight=data.weights,
        metrics=GROUPED,
        method="percentile",
        threshold=THRESHOLD,
        n_resamples=cost.n_resamples,
        rng=rng,
        n_threads=1,
    )
    _keep(found, out, "", "", ("percentile", "basic"))


def _choice(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    chosen = {rate: ("best_threshold", {"of": rate}) for rate in CHOSEN}
    _bootstraps(data, rng, cost, chosen, out, method="percentile")
    choice.measure_pairs(data, chosen, rng, cost, out)


PARTS: dict[str, Callable[[Data, np.random.Generator, Cost, Measured], None]] = {
    "main": _main,
    "fixed": _fixed,
    "users": _users,
    "groups": _groups,
    "weights": _weights,
    "choice": _choice,
    "costs": costs.measure,
    "rankings": rankings.measure,
    guarantees.PART: guarantees.measure,
    gates.PART: gates.measure,
    logs.PART: logs.measure,
    slices.PART: slices.measure,
    indirect.FOLDS: indirect.measure_folds,
    indirect.BINS: indirect.measure_bins,
}


def _pair(interval: Any) -> Limits:
    return float(interval.low), float(interval.high)


def _by_methods(
    result: Any, estimate: float, method: str, methods: Sequence[Method]
) -> dict[str, Limits]:
    """Return several intervals from the same replicates; `method` is that of the result."""
    found = {}
    for name in methods:
        interval = result.confidence_interval
        if name != method:
            replicates = result.details.distribution
            how = {"confidence_level": LEVEL, "n_groups": result.details.effective_n_groups}
            interval = limits(replicates, estimate, method=name, **how)[0]
        found[name] = _pair(interval)
    return found


def _keep(
    found: Mapping[str, Any], out: Measured, prefix: str, suffix: str, methods: Sequence[Method]
) -> None:
    """Keep the intervals and estimates of a bootstrap."""
    for metric, result in found.items():
        out.estimates[metric] = result.estimate
        for method, interval in _by_methods(
            result, result.estimate, result.method, methods
        ).items():
            out.intervals[metric, prefix + method + suffix] = interval


def _bootstraps(
    data: Data,
    rng: np.random.Generator,
    cost: Cost,
    metrics: Any,
    out: Measured,
    prefix: str = "",
    **options: Any,
) -> None:
    found = fastmetrics.bootstrap(
        data.labels,
        data.scores,
        metrics=metrics,
        threshold=THRESHOLD,
        n_resamples=cost.n_resamples,
        rng=rng,
        n_threads=1,
        **{"method": "bca", **options},
    )
    methods = STRATIFIED if prefix else PLAIN
    if options.get("method") == "percentile":  # there is no BCa interval
        methods = ("percentile", "basic")
    _keep(found, out, prefix, "", methods)


def _analytic_auc(data: Data, out: Measured) -> None:
    for method, scale in (("DeLong", "plain"), ("DeLong, logit", "logit")):
        found = fastmetrics.delong(data.labels, data.scores, scale=scale, n_threads=1)
        out.intervals["roc_auc", method] = _pair(found.confidence_interval)
    interval = NOTHING
    if not math.isnan(found.estimate):
        sizes = found.details["n_positive"], found.details["n_negative"]
        interval = _pair(fastmetrics.comparison.newcombe_interval(found.estimate, *sizes))
    out.intervals["roc_auc", "Newcombe"] = interval


def _analytic_counts(data: Data, out: Measured) -> None:
    called, positive = data.scores >= THRESHOLD, data.labels == 1
    tp, fp, fn = (
        int(np.count_nonzero(cell))
        for cell in (called & positive, called & ~positive, ~called & positive)
    )
    n = len(positive)
    for name, method in PROPORTIONS.items():
        found = fastmetrics.comparison.proportion_interval(n - fp - fn, n, method=method)
        out.intervals["accuracy", name] = _pair(found.confidence_interval)
    matrix = fastmetrics.ConfusionMatrix.binary(tp=tp, fp=fp, fn=fn, tn=n - tp - fp - fn)
    of_f1 = fastmetrics.estimate(matrix, metrics="f1", method="wilson")["f1"]
    out.intervals["f1", "Wilson"] = _pair(of_f1.confidence_interval)


def _differences(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Compare the model with each of the others; intervals of what the worse one lacks."""
    given = {"n_resamples": cost.n_resamples, "rng": rng, "n_threads": 1}
    for other, scores in data.others.items():
        models = {"model": data.scores, other: scores}
        test = fastmetrics.delong_test(data.labels, models, n_threads=1).pairs[0]
        out.pvalues[other, "delong_test"] = test.pvalue
        if other != "worse":
            pair = fastmetrics.paired_bootstrap(data.labels, models, **given)
            _keep_pvalues(pair["roc_auc"].pairs[0], other, out)
            continue
        out.intervals["roc_auc difference", "DeLong"] = _pair(test.confidence_interval)
        for prefix, methods in (("", ("percentile", "basic")), ("stratified ", ("percentile",))):
            pair = fastmetrics.paired_bootstrap(
                data.labels,
                models,
                metrics=COMPARED,
                method="percentile",
                threshold=THRESHOLD,
                stratified=bool(prefix),
                **given,
            )
            for metric in COMPARED:
                difference = pair[metric].pairs[0]
                of_methods = _by_methods(difference, difference.difference, "percentile", methods)
                for method, interval in of_methods.items():
                    out.intervals[f"{metric} difference", prefix + method] = interval
                out.estimates[f"{metric} difference"] = difference.difference
            if not prefix:
                _keep_pvalues(pair["roc_auc"].pairs[0], other, out)


def _keep_pvalues(difference: Any, other: str, out: Measured) -> None:
    """Keep the p-values that invert basic and percentile limits, of the same replicates."""
    for name, method in (("", PAIRED_METHOD), (", percentile", "percentile")):
        pvalue = pvalue_from_limits(
            difference.details.distribution, difference.difference, method=method
        )
        out.pvalues[other, "paired_bootstrap" + name] = pvalue


def _permutations(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    for other, scores in data.others.items():
        for exchange in ("ranks", "scores"):
            test = fastmetrics.paired_permutation_test(
                data.labels,
                {"model": data.scores, other: scores},
                n_resamples=cost.n_exchanges,
                exchange=exchange,
                rng=rng,
                n_threads=1,
            )
            pvalue = test["roc_auc"].pairs[0].pvalue
            out.pvalues[other, f"paired_permutation_test, {exchange}"] = pvalue
