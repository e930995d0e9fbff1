"""The bootstrap of the AUC of more than two classes: its binary problems share their draws."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError
from fastmetrics.intervals.bootstrap._draws import Draws
from fastmetrics.intervals.bootstrap._engine import Engine
from fastmetrics.intervals.bootstrap._metrics import Asked
from fastmetrics.intervals.bootstrap._problem import (
    Problem,
    _check_rows,
    _of_some_weight,
    group_codes,
)
from fastmetrics.intervals.bootstrap._rows import rows_of_arrays
from fastmetrics.intervals.bootstrap._sample import Sample
from fastmetrics.intervals.bootstrap._threshold_metrics import (
    THRESHOLD_METRICS,
    Raw,
    ThresholdMetric,
)
from fastmetrics.intervals.bootstrap.effective_size import effective_sample_size
from fastmetrics.measures.curves.roc_auc import roc_auc_score
from fastmetrics.measures.curves.roc_multiclass import class_codes, class_probabilities

Floats = NDArray[np.float64]

#: scikit-learn's scorer names, with what `roc_auc_score` calls them.
MULTICLASS = {
    "roc_auc_ovr": ("ovr", "macro"),
    "roc_auc_ovr_weighted": ("ovr", "weighted"),
    "roc_auc_ovo": ("ovo", "macro"),
    "roc_auc_ovo_weighted": ("ovo", "weighted"),
}


def _count(raw: Raw) -> Floats:
    return raw.n_positive


def _total(raw: Raw) -> Floats:
    return raw.n_positive + raw.n_negative


@dataclass(frozen=True, slots=True, eq=False)
class Multiclass:
    """Checked rows of several classes.

    Attributes
    ----------
    codes : ndarray of int64, shape (n,)
        Class of each row.
    scores : ndarray of shape (n, n_classes)
    weights : ndarray of float64 or None
        Weights; frequencies are written out, unless the rows are of groups.
    groups : ndarray of int64 or None
    size : float
        Rows; with fractional weights, the number of equal weights that tell as much.
    """

    codes: NDArray[np.int64]
    scores: NDArray[Any]
    weights: Floats | None
    groups: NDArray[np.int64] | None
    size: float

    @classmethod
    def checked(cls, y_true: Any, y_score: Any, sample_weight: Any, groups: Any) -> Multiclass:
        """Return the rows in canonical form, or raise as `roc_auc_score` does."""
        scores = class_probabilities(y_score)
        if scores.shape[1] < 3:
            raise InputError(
                "`y_score` must have a column for each of three classes or more: got shape "
                f"{scores.shape}; for two classes pass [:, 1] to `bootstrap`"
            )
        codes = class_codes(y_true, None, scores.shape[1])
        if len(codes) != len(scores):
            raise InputError(
                f"lengths differ: `y_true` has {len(codes):,} rows, `y_score` has {len(scores):,}"
            )
        of_groups = group_codes(groups, len(codes))
        if sample_weight is None:
            return cls(codes, scores, None, of_groups, float(len(codes)))
        weights = check_weights(sample_weight, len(codes))
        values = weights.values
        if not weights.is_integer:
            return cls(codes, scores, values, of_groups, effective_sample_size(values))
        size = float(values.sum())
        if of_groups is not None:
            kept, of_groups = _of_some_weight(values, of_groups)
            return cls(codes[kept], scores[kept], values[kept], of_groups, size)
        _check_rows(int(size))
        times = values.astype(np.int64)
        return cls(np.repeat(codes, times), np.repeat(scores, times, axis=0), None, None, size)

    def estimate(self, name: str) -> float:
        """Return the measure of the data themselves."""
        kind, average = MULTICLASS[name]
        return float(
            roc_auc_score(
                self.codes,
                self.scores,
                multi_class=kind,  # type: ignore[arg-type]
                average=average,  # type: ignore[arg-type]
                sample_weight=self.weights,
            )
        )

    @property
    def n_units(self) -> int:
        """Number of rows or groups."""
        return len(self.codes) if self.groups is None else int(self.groups.max()) + 1

    def pairs(self, name: str) -> list[tuple[int, int | None]]:
        """Return the binary problems of a measure: a class against another, or all (None)."""
        n_classes = self.scores.shape[1]
        if MULTICLASS[name][0] == "ovr":
            return [(k, None) for k in range(n_classes)]
        return [pair for a, b in combinations(range(n_classes), 2) for pair in ((a, b), (b, a))]

    def problem(self, positive: int, against: int | None, units: NDArray[np.int64]) -> Problem:
        """Return the binary problem of a class against another (None: against all others)."""
        kept = slice(None) if against is None else np.isin(self.codes, (positive, against))
        labels = (self.codes[kept] == positive).astype(np.int8)
        column = np.ascontiguousarray(self.scores[kept, positive])
        weights = None if self.weights is None else self.weights[kept]
        binary = BinaryRows(labels, 0, column, weights, False, False)
        rows, order = rows_of_arrays(binary, units[kept])  # ties in the order of the units
        rows = rows.with_units(units[kept][order])
        sample = Sample(rows.n, weights=rows.weights, units=rows.units, rows=rows)
        return Problem(rows.n, sample=sample, n_units=self.n_units)

    def units(self) -> NDArray[np.int64]:
        """Return the unit of each row, numbered by what the rows hold, not by where they stand."""
        if self.groups is not None:
            return self.groups
        keys = [*self.scores.T[::-1], self.codes]
        order = np.lexsort(keys if self.weights is None else [self.weights, *keys])
        units = np.empty(len(order), np.int64)
        units[order] = np.arange(len(order))
        return units


def multiclass_replicates(
    data: Multiclass, name: str, draws: Draws, n_resamples: int, *, n_threads: Any, progress: bool
) -> Floats:
    """Return the replicates of a multiclass AUC; nan where one lost a class."""
    kind, average = MULTICLASS[name]
    units = data.units()
    problems = [data.problem(a, b, units) for a, b in data.pairs(name)]
    parts = (
        THRESHOLD_METRICS["roc_auc"](),
        ThresholdMetric("positives", {}, lambda table: 0.0, _count),
        ThresholdMetric("rows", {}, lambda table: 0.0, _total),
    )
    asked = [Asked(part.name, part) for part in parts]
    engine = Engine(problems, asked, draws, with_errors=False)
    found = engine.run(n_resamples, n_threads=n_threads, progress=progress).values
    areas, positives, rows = found[:, 0], found[:, 1], found[:, 2]
    if average == "macro":
        return np.asarray(areas.mean(axis=0))
    sizes = positives if kind == "ovr" else rows
    return np.asarray((areas * sizes).sum(axis=0) / sizes.sum(axis=0))
