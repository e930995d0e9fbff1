"""The coverage study: run, and a row kept for each interval, test and estimate of each scene."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, fields, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from benchmarks.coverage import (
    calibration,
    concordance,
    estimates,
    every,
    levels,
    multilabel,
    recalibration,
)
from benchmarks.coverage.measured import (
    ALPHA,
    Cost,
    EstimateRow,
    IntervalRow,
    Measured,
    RejectionRow,
    Study,
)
from benchmarks.coverage.methods import measure
from benchmarks.coverage.populations import population
from benchmarks.coverage.scenes import Scene

CHUNK = 20
#: A miss counts so many times its distance in the interval score: 2 / alpha.
PENALTY = 2 / ALPHA
#: The default method of parts that have several, whose interval scores are compared with it.
SCORED = {estimates.PART: estimates.METHOD}


def measure_chunk(scene: Scene, numbers: Sequence[int], cost: Cost) -> list[Measured]:
    """Measure some data sets of a scene, one after the other."""
    return [measure(scene, number, cost) for number in numbers]


def simulate(
    scenes: Sequence[Scene],
    n_data: int,
    cost: Cost,
    *,
    processes: int = 1,
    progress: bool = False,
) -> Study:
    """Run the study; its figures depend neither on the processes nor on which scenes there are."""
    numbers = {scene: range(scene.data_sets(n_data)) for scene in scenes}
    jobs = [
        (scene, of_scene[start : start + CHUNK])
        for scene, of_scene in numbers.items()
        for start in range(0, len(of_scene), CHUNK)
    ]
    study = Study(n_data, *cost, [], [], [])
    pool: AbstractContextManager[Any] = nullcontext()
    if processes > 1:
        spawn = get_context("spawn")  # a fork would take a lock of Numba's along
        pool = ProcessPoolExecutor(processes, spawn)
    total = sum(map(len, numbers.values()))
    bar = tqdm(total=total, unit=" data sets", disable=not progress)
    with bar, pool as workers:
        each = workers.map if workers is not None else map
        chunks = each(partial(measure_chunk, cost=cost), *zip(*jobs, strict=True))
        measured: list[Measured] = []
        for (scene, own), chunk in zip(jobs, chunks, strict=True):
            bar.update(len(chunk))
            measured += chunk
            if own.stop == numbers[scene].stop:
                rows = summarise(scene, measured)
                for kept, found in zip(
                    (study.intervals, study.tests, study.estimates), rows, strict=True
                ):
                    kept.extend(found)  # type: ignore[arg-type]
                measured = []
    return study


#: Values in the population, of scenes of parts that draw data of their own.
_POPULATIONS: dict[type[Scene], Callable[[Any], dict[str, float]]] = {
    calibration.CalibrationScene: calibration.population,
    estimates.EstimateScene: estimates.population,
    every.EveryScene: every.population,
    levels.LevelScene: levels.population,
    multilabel.LabelScene: multilabel.population,
    recalibration.RecalibrationScene: recalibration.population,
}
Rows = tuple[list[IntervalRow], list[RejectionRow], list[EstimateRow]]


def summarise(scene: Scene, measured: Sequence[Measured]) -> Rows:
    """Return the rows of one scene."""
    if isinstance(scene, concordance.ConcordanceScene):
        truth = concordance.population(scene.censoring)
    else:
        truth = _POPULATIONS.get(type(scene), population)(scene)
    n = len(measured)
    intervals = []
    for metric, method in measured[0].intervals:
        of_method = [one for one in measured if (metric, method) in one.intervals]
        limits = np.array([one.intervals[metric, method] for one in of_method])
        row = _interval_row(scene, metric, method, truth[metric], limits)
        if scene.part in SCORED:
            default = np.array([one.intervals[metric, SCORED[scene.part]] for one in of_method])
            row = _with_score(row, limits, default, truth[metric])
        intervals.append(row)
    tests = []
    for hypothesis, test in measured[0].pvalues:
        pvalues = np.array([one.pvalues[hypothesis, test] for one in measured])
        counts = int(np.count_nonzero(pvalues <= ALPHA)), int(np.count_nonzero(np.isnan(pvalues)))
        tests.append(RejectionRow(scene.part, scene.name, hypothesis, test, n, *counts))
    own = []
    for metric in measured[0].estimates:
        values = np.array([one.estimates[metric] for one in measured])
        values = values[~np.isnan(values)]
        if len(values) < 2:
            continue  # nothing to say a mean and a spread of
        both = (_digits(values.mean()), _digits(values.std(ddof=1)))
        row = EstimateRow(
            scene.part, scene.name, metric, _digits(truth[metric]), len(values), *both
        )
        own.append(row)
    return intervals, tests, own


def _interval_row(
    scene: Scene, metric: str, method: str, target: float, limits: Any
) -> IntervalRow:
    low, high = limits.T
    undefined = np.isnan(low) | np.isnan(high)
    width = (high - low)[~undefined]
    return IntervalRow(
        scene.part,
        scene.name,
        metric,
        method,
        _digits(target),
        len(limits),
        covered=int(np.count_nonzero((low <= target) & (target <= high))),
        below=int(np.count_nonzero(high < target)),
        above=int(np.count_nonzero(low > target)),
        undefined=int(np.count_nonzero(undefined)),
        no_width=int(np.count_nonzero(width == 0)),
        mean_width=_digits(width.mean()) if len(width) else None,
        median_width=_digits(np.median(width)) if len(width) else None,
    )


def _with_score(row: IntervalRow, limits: Any, default: Any, target: float) -> IntervalRow:
    """Return a row with its interval score, and the default's score over it.

    Limits that are nan or beyond the scale of the metric are its ends. The standard error of the
    ratio of two means is that of the mean of their residuals (delta method).
    """
    ends = estimates.scale_of(row.metric)
    inside, others = (_inside(each, ends) for each in (limits, default))
    score, of_default = (interval_score(each, target) for each in (inside, others))
    ratio = of_default.mean() / score.mean()
    residuals = of_default - ratio * score
    n = max(2, len(score))
    error = math.sqrt((residuals @ residuals) / (n - 1) / n) / score.mean()
    width = inside[:, 1] - inside[:, 0]
    below, above = inside[:, 1] < target, inside[:, 0] > target
    return replace(
        row,
        covered=int(np.count_nonzero(~(below | above))),
        mean_width=_digits(width.mean()),
        median_width=_digits(np.median(width)),
        score=_digits(score.mean()),
        ratio=_digits(ratio),
        ratio_error=_digits(error),
    )


def _inside(limits: Any, ends: tuple[float, float]) -> Any:
    """Return limits within the ends of a scale, which stand for those that are nan."""
    return np.clip(np.where(np.isnan(limits), ends, limits), *ends)


def interval_score(limits: Any, target: float) -> Any:
    """Return the interval score of each pair of limits (Gneiting & Raftery 2007, section 6.2)."""
    low, high = np.asarray(limits).T
    misses = np.maximum(low - target, 0.0) + np.maximum(target - high, 0.0)
    return high - low + PENALTY * misses


def with_parts(study: Study, parts: Sequence[str], new: Study) -> Study:
    """Return a study in which the rows of some parts, wherever they stood, are those of another."""
    rows = {
        each.name: [row for row in getattr(study, each.name) if row.part not in parts]
        + getattr(new, each.name)
        for each in fields(study)
        if isinstance(getattr(study, each.name), list)
    }
    earlier = tuple(each for each in study.earlier if each.partition(":")[0] not in parts)
    return replace(study, earlier=earlier, **rows)


def _digits(value: float) -> float:
    """Return what is stored of a number: platforms may differ in the last bits of a mean."""
    return float(f"{value:.6g}")


def stored(study: Study) -> str:
    """Return ``docs/coverage.json``: one line for each row."""
    parts = []
    for each in fields(study):
        value = getattr(study, each.name)
        if isinstance(value, list):
            lines = ",\n  ".join(json.dumps(_kept(row)) for row in value)
            parts.append(f' "{each.name}": [\n  {lines}\n ]')
        else:
            parts.append(f' "{each.name}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _kept(row: Any) -> dict[str, Any]:
    """Return the fields of a row that say something."""
    given = {each.name: each.default for each in fields(row)}
    return {name: value for name, value in asdict(row).items() if value != given[name]}


def load(path: Path) -> Study:
    """Return a stored study."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Study(
        content["n_data"],
        content["n_resamples"],
        content["n_exchanges"],
        [IntervalRow(**row) for row in content["intervals"]],
        [RejectionRow(**row) for row in content["tests"]],
        [EstimateRow(**row) for row in content["estimates"]],
        tuple(content["earlier"]),
    )
