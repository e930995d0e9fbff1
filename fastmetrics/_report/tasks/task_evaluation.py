"""``TaskEvaluation``: what `evaluate` says of several classes, labels, numbers, or rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from fastmetrics._display.table import Display, Table
from fastmetrics._report.slices.slices_result import Slices
from fastmetrics._report.tasks.task_rule import Task
from fastmetrics._results import Result
from fastmetrics.errors import no_such
from fastmetrics.inference.comparison_result import Comparisons, pairs_table, verdict_of
from fastmetrics.inference.estimate_result import Estimate, Estimates
from fastmetrics.inference.replicates import METHODS

#: What was evaluated: by `evaluate`, or by `evaluate_log` the items of a log.
Judged = Task | Literal["items"]
#: What the tasks are called in a title.
_TITLES: Final[dict[Judged, str]] = {
    "binary": "Two classes",
    "classes": "Several classes, by their probabilities",
    "labels": "Predicted labels",
    "values": "Numbers",
    "rankings": "Rankings",
    "items": "Items of a log",
}
#: What varies, where it is not a row.
_VARIES: Final[dict[Judged, tuple[str, str]]] = {
    "rankings": ("query", "queries"),
    "items": ("item", "items"),
}
NAMES: Final = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "flip_rate": "flip rate: two tries disagree",
    "f1_macro": "macro F1",
    "f1": "F1",
    "log_loss": "log loss",
    "matthews_corrcoef": "Matthews correlation",
    "mean_absolute_error": "MAE",
    "median_absolute_error": "median absolute error",
    "r2": "R²",
    "roc_auc_ovr": "AUC, each class against the rest",
    "root_mean_squared_error": "RMSE",
    "absolute_error_quantile_90": "nine of ten errors are below",
}


@dataclass(frozen=True, slots=True, repr=False)
class TaskEvaluation(Result):
    """The measures of one or several models, of a task that is not scores of two classes.

    Attributes
    ----------
    task : {"classes", "labels", "values", "rankings", "items"}
        What was evaluated.
    names : tuple of str
        Of the models, in the order given.
    models : mapping of str to Estimates
        By model: each measure with its error and interval.
    comparisons : Comparisons or None
        By measure, every pair of models; None with one model.
    confidence_level : float
        Of the intervals.
    n_samples : float
        Rows, or queries.
    directions : mapping of str to (bool or None)
        By measure, whether higher is better.
    notes : tuple of str
        What a reader must know beside the figures, as the majority class and the worst one.
    slices : Slices or None
        Measures of slices of the rows, where columns were given.
    """

    task: Judged
    names: tuple[str, ...]
    models: Mapping[str, Estimates] = field(hash=False)
    comparisons: Comparisons | None = field(hash=False)
    confidence_level: float
    n_samples: float
    directions: Mapping[str, bool | None] = field(hash=False)
    notes: tuple[str, ...] = ()
    slices: Slices | None = None

    @property
    def verdict(self) -> str:
        """What is shown of the models' differences, in words; empty of one model."""
        return "" if self.comparisons is None else verdict_of(self.comparisons, NAMES)

    def __getitem__(self, model: str | int) -> Estimates:
        """Return the measures of a model, by name or by position."""
        name = self.names[model] if isinstance(model, int) else model
        if name not in self.models:
            raise no_such(model, "models", self.names)
        return self.models[name]

    def __iter__(self) -> Iterator[Estimates]:
        return (self.models[name] for name in self.names)

    def __len__(self) -> int:
        return len(self.names)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Of several models `comparisons` by measure and the `verdict`.
        """
        plain = Result.to_dict(self)
        plain["models"] = {name: self.models[name].to_dict() for name in self.names}
        if self.comparisons is None:
            plain.pop("comparisons")
        else:
            plain["comparisons"] = self.comparisons.to_dict()
            plain["verdict"] = self.verdict
        if self.slices is None:
            plain.pop("slices")
        return plain

    def __repr__(self) -> str:
        first = next(iter(self.models[self.names[0]]))
        values = (f"{name}: {first}={self.models[name][first].estimate:.6g}" for name in self.names)
        return f"TaskEvaluation({self.task}; {', '.join(values)})"

    def _shown(self) -> Display:
        found = [
            (metric, name, one.estimate, one.confidence_interval, one.standard_error)
            for metric in self.models[self.names[0]]
            for name in self.names
            for one in (self.models[name][metric],)
        ]
        heads = ("metric", "model", "estimate", "confidence_interval", "standard_error")
        columns = dict(zip(heads, map(list, zip(*found, strict=True)), strict=True))
        words = {"metric": ""} | {each: self._name(each) for each in self.directions}
        level = self.confidence_level
        tables = [Table(columns, words=words, level=level, across="model")]
        notes = []
        if self.comparisons is not None:
            words = {"metric": "measure", **NAMES}
            unseen = ("standard_error", "df", "n_failed")
            tables.append(pairs_table(self.comparisons, words=words, level=level, unseen=unseen))
            notes += self.verdict.split("\n")
        if self.slices is not None:
            tables += [replace(table, framed=False) for table in self.slices.tables()]
            notes += self.slices.notes()
        notes += [*self.notes, self._intervals()]
        return Display(tables, _TITLES[self.task], notes)

    def _name(self, metric: str) -> str:
        arrow = {True: " ↑", False: " ↓", None: ""}[self.directions[metric]]
        return NAMES.get(metric, metric) + arrow

    def _intervals(self) -> str:
        of_method: dict[str, list[str]] = {}
        row, rows = _VARIES.get(self.task, ("row", "rows"))
        for metric, one in self._first():
            said = METHODS.get(one.method, one.method).replace("each row", f"each {row}")
            of_method.setdefault(said, []).append(NAMES.get(metric, metric))
        said = "; ".join(f"{method} ({', '.join(of)})" for method, of in of_method.items())
        many = f"{self.n_samples:,.0f} {rows}"
        return (
            f"{many}. [{100 * self.confidence_level:.6g} % interval]: {said}. ↑: higher is better."
        )

    def _first(self) -> list[tuple[str, Estimate]]:
        return list(self.models[self.names[0]].items())
