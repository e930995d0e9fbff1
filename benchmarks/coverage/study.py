"""The coverage study: run, and a row kept for each interval, test and estimate of each scene."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
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
from benchmarks.coverage.measured import LEVEL, Cost, Measured
from benchmarks.coverage.methods import measure
from benchmarks.coverage.populations import population
from benchmarks.coverage.scenes import Scene

ALPHA = 0.05
CHUNK = 20
#: What is simulated again has so many times the data sets, numbered from there on.
TIMES, FRESH = 20, 1_000_000


def binomial_error(share: float, n: int) -> float:
    """Return the standard error of a share of ``n`` data sets."""
    return math.sqrt(share * (1 - share) / n)


#: Part, scene, measure and method of a figure.
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class IntervalRow:
    """How one interval of one measure did in one scene; counts of data sets."""

    part: str
    scene: str
    metric: str
    method: str
    target: float
    n_data: int
    covered: int
    below: int  # the interval lies below the target
    above: int
    undefined: int
    no_width: int
    mean_width: float | None  # of those that are defined

    @property
    def key(self) -> Key:
        """What the figure is of."""
        return self.part, self.scene, self.metric, self.method

    @property
    def coverage(self) -> float:
        """Share of all data sets, those without an interval counting as missed."""
        return self.covered / self.n_data

    @property
    def error(self) -> float:
        """Binomial standard error of the coverage."""
        return binomial_error(self.coverage, self.n_data)

    @property
    def is_short(self) -> bool:
        """Whether coverage is below the level by more than two binomial errors."""
        return self.coverage + 2 * self.error < LEVEL


@dataclass(frozen=True)
class RejectionRow:
    """How often a test rejected at 5 % in one scene."""

    part: str
    scene: str
    hypothesis: str
    test: str
    n_data: int
    rejected: int
    undefined: int

    @property
    def share(self) -> float:
        """Share of all data sets; an undefined p-value does not reject."""
        return self.rejected / self.n_data

    @property
    def error(self) -> float:
        """Binomial standard error of the share."""
        return binomial_error(self.share, self.n_data)

    @property
    def is_large(self) -> bool:
        """Whether the share is above 5 % by more than two binomial errors."""
        return self.share - 2 * self.error > ALPHA

    @property
    def is_small(self) -> bool:
        """Whether the share is below half of 5 % by more than two binomial errors of 5 %."""
        return self.share + 2 * binomial_error(ALPHA, self.n_data) < ALPHA / 2


@dataclass(frozen=True)
class EstimateRow:
    """The estimates themselves: how far their mean is from the target."""

    part: str
    scene: str
    metric: str
    target: float
    n_defined: int
    mean: float
    standard_deviation: float


@dataclass(frozen=True)
class Study:
    """The whole study, as it is stored; `again` has second figures of intervals in doubt."""

    n_data: int
    n_resamples: int
    n_exchanges: int
    intervals: list[IntervalRow]
    tests: list[RejectionRow]
    estimates: list[EstimateRow]
    again: list[IntervalRow] = field(default_factory=list)

    def find(self, part: str, metric: str) -> list[IntervalRow]:
        """Return the rows of one measure in one part."""
        return [row for row in self.intervals if (row.part, row.metric) == (part, metric)]


def measure_chunk(scene: Scene, numbers: Sequence[int], cost: Cost) -> list[Measured]:
    """Measure some data sets of a scene, one after the other."""
    return [measure(scene, number, cost) for number in numbers]


def simulate(
    scenes: Sequence[Scene],
    n_data: int,
    cost: Cost,
    *,
    first: int = 0,
    processes: int = 1,
    progress: bool = False,
) -> Study:
    """Run the study; its figures depend neither on the processes nor on which scenes there are.

    ``first`` is the number of the first data set of each scene.
    """
    numbers = {scene: range(first, first + scene.data_sets(n_data)) for scene in scenes}
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


def simulate_again(
    study: Study, doubted: Sequence[IntervalRow], scenes: Sequence[Scene], **how: Any
) -> Study:
    """Return a study that has a second figure of each interval in doubt, of fresh data sets."""
    asked: dict[tuple[str, str], list[str]] = {}
    for row in doubted:
        asked.setdefault((row.part, row.scene), []).append(row.metric)
    chosen = [
        replace(scene, only=tuple(asked[scene.part, scene.name]))
        for scene in scenes
        if (scene.part, scene.name) in asked
    ]
    cost = Cost(study.n_resamples, study.n_exchanges)
    new = simulate(chosen, TIMES * study.n_data, cost, first=FRESH, **how)
    keys = {row.key for row in doubted}
    return replace(study, again=[*study.again, *(row for row in new.intervals if row.key in keys)])


Rows = tuple[list[IntervalRow], list[RejectionRow], list[EstimateRow]]


def summarise(scene: Scene, measured: Sequence[Measured]) -> Rows:
    """Return the rows of one scene."""
    if isinstance(scene, concordance.ConcordanceScene):
        truth = concordance.population(scene.censoring)
    elif isinstance(scene, estimates.EstimateScene):
        truth = estimates.population(scene)
    elif isinstance(scene, every.EveryScene):
        truth = every.population(scene)
    elif isinstance(scene, levels.LevelScene):
        truth = levels.population(scene)
    elif isinstance(scene, multilabel.LabelScene):
        truth = multilabel.population(scene)
    elif isinstance(scene, recalibration.RecalibrationScene):
        truth = recalibration.population(scene)
    elif isinstance(scene, calibration.CalibrationScene):
        truth = calibration.population(scene)
    else:
        truth = population(scene)
    n = len(measured)
    intervals = []
    for metric, method in measured[0].intervals:
        limits = np.array([one.intervals[metric, method] for one in measured])
        intervals.append(_interval_row(scene, metric, method, truth[metric], limits))
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
    )


def with_part(study: Study, part: str, new: Study) -> Study:
    """Return a study in which the rows of one part, wherever they stood, are those of another.

    Second figures of the part go with the first ones, which they were asked about.
    """
    parts = {
        each.name: [row for row in getattr(study, each.name) if row.part != part]
        + getattr(new, each.name)
        for each in fields(study)
        if isinstance(getattr(study, each.name), list)
    }
    return replace(study, **parts)


def _digits(value: float) -> float:
    """Return what is stored of a number: platforms may differ in the last bits of a mean."""
    return float(f"{value:.6g}")


def stored(study: Study) -> str:
    """Return ``docs/coverage.json``: one line for each row."""
    parts = []
    for each in fields(study):
        value = getattr(study, each.name)
        if isinstance(value, list):
            lines = ",\n  ".join(json.dumps(asdict(row)) for row in value)
            parts.append(f' "{each.name}": [\n  {lines}\n ]')
        else:
            parts.append(f' "{each.name}": {value}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


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
        [IntervalRow(**row) for row in content["again"]],
    )
