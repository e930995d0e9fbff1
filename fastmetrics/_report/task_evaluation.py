"""``TaskEvaluation``: what `evaluate` says of a task, and what evaluations of all tasks share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Final, Generic, Literal, TypeVar

from fastmetrics._display import Display, Table
from fastmetrics._report.model_evaluation import ModelEvaluation, figures_of
from fastmetrics._report.slices.slices_result import ARROWS, Slices
from fastmetrics._results import Result, plain_fields
from fastmetrics.errors import by_name
from fastmetrics.inference.comparison_result import Comparison, Comparisons, pairs_table, verdict_of
from fastmetrics.inference.estimate_result import METHODS, Estimate, Estimates

#: What `evaluate` knows.
Task = Literal["binary", "multiclass", "labels", "multilabel", "values", "rankings"]
#: What was evaluated: by `evaluate`, or by `evaluate_log` the items of a log.
Judged = Task | Literal["items"]
Each = TypeVar("Each", bound=ModelEvaluation | Estimates)

#: What the tasks are called in a title.
_TITLES: Final[dict[Judged, str]] = {
    "binary": "Two classes",
    "multiclass": "Several classes, by their probabilities",
    "labels": "Predicted labels",
    "multilabel": "Several labels a row",
    "values": "Numbers",
    "rankings": "Rankings",
    "items": "Items of a log",
}
#: What varies, where it is not a row.
_VARIES: Final[dict[Judged, tuple[str, str]]] = {
    "rankings": ("query", "queries"),
    "items": ("item", "items"),
}
#: What readers call measures of scores of two classes.
NAMES_OF_SCORES: Final = {
    "n_positive": "n+",
    "n_negative": "n−",
    "roc_auc": "AUC",
    "average_precision": "average precision",
    "break_even_point": "break-even point",
    "ks_statistic": "KS",
    "threshold": "best threshold",
    "tpr_at_best_threshold": "TPR at the best threshold",
    "fpr_at_best_threshold": "FPR at the best threshold",
    "brier_score": "Brier score",
    "log_loss": "log loss",
}
#: What readers call measures of any task.
NAMES: Final = NAMES_OF_SCORES | {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "flip_rate": "flip rate: two tries disagree",
    "f1_macro": "macro F1",
    "f1_micro": "micro F1",
    "f1": "F1",
    "subset_accuracy": "all labels of a row right",
    "hamming_loss": "Hamming loss",
    "roc_auc_macro": "macro AUC",
    "average_precision_macro": "macro average precision",
    "matthews_corrcoef": "Matthews correlation",
    "mean_absolute_error": "MAE",
    "median_absolute_error": "median absolute error",
    "r2": "R²",
    "roc_auc_ovr": "AUC, each class against the rest",
    "root_mean_squared_error": "RMSE",
    "absolute_error_quantile_90": "nine of ten errors are below",
}
_HEADS: Final = ("metric", "model", "estimate", "confidence_interval", "standard_error")
#: What tables of differences leave to data frames.
_UNSEEN: Final = ("standard_error", "df", "n_failed")


class Evaluated(Generic[Each], Result):
    """Base of evaluations of every task: models by name, how they differ, one table of all."""

    __slots__ = ()
    _names: ClassVar[Mapping[str, str]] = NAMES
    #: Fields that dictionaries have where there is something in them, and what differences are.
    _optional: ClassVar[tuple[str, ...]] = ("slices", "n_left_out")
    _pairs_are: ClassVar[str] = "comparisons"
    confidence_level: float
    comparisons: Comparisons | None
    slices: Slices | None

    @abstractmethod
    def _by_name(self) -> Mapping[str, Each]:
        """Return what was found of each model, in the order given."""

    def _estimates(self) -> Mapping[str, Mapping[str, Estimate]]:
        """Return the estimates of each model, by measure."""
        return {name: figures_of(own) for name, own in self._by_name().items()}

    def _plain_pairs(self, comparisons: Comparisons) -> dict[str, Any]:
        return comparisons.to_dict()

    @property
    def verdict(self) -> str:
        """What is shown of the models' differences, in words; empty of one model."""
        return "" if self.comparisons is None else verdict_of(self.comparisons, self._names)

    def _name(self, metric: str) -> str:
        """Return what readers call a measure."""
        return self._names.get(metric, metric)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Of several models the differences by measure, without replicates, and the `verdict`;
            nothing of what was not asked for.
        """
        names = (each.name for each in fields(self) if each.name != "comparisons")  # type: ignore[arg-type]
        plain = plain_fields(self, names)
        plain = {name: each for name, each in plain.items() if each or name not in self._optional}
        if self.comparisons is not None:
            plain |= {self._pairs_are: self._plain_pairs(self.comparisons), "verdict": self.verdict}
        return plain

    def __getitem__(self, model: str | int) -> Each:
        """Return what was found of a model, by name or by position."""
        found = self._by_name()
        if isinstance(model, int):
            return [*found.values()][model]
        return by_name(found, model, "models")

    def __iter__(self) -> Iterator[Each]:
        return iter(self._by_name().values())

    def __len__(self) -> int:
        return len(self._by_name())

    def _measures(self, rows: Iterable[tuple[Any, ...]], words: Mapping[str, str]) -> Table:
        """Return a table of rows of a measure, a model, an estimate, its limits, and its error."""
        columns = dict(zip(_HEADS, map(list, zip(*rows, strict=True)), strict=False))
        words = {"metric": "", **words}
        return Table(columns, words=words, level=self.confidence_level, across="model")

    def _described(self, tables: list[Table], notes: Iterable[str], title: str = "") -> Display:
        """Return tables, with that of differences and those of slices, and what they show."""
        said: list[str] = []
        if self.comparisons is not None:
            words, level = {"metric": "measure", **self._names}, self.confidence_level
            table = pairs_table(self.comparisons, words=words, level=level, unseen=_UNSEEN)
            tables = [*tables, table]
            said += self.verdict.split("\n")
        if self.slices is not None:
            tables = [*tables, *(replace(each, framed=False) for each in self.slices.tables())]
            said += self.slices.notes()
        return Display(tables, title, [*said, *notes])


@dataclass(frozen=True, slots=True, repr=False)
class TaskEvaluation(Evaluated[Estimates]):
    """The measures of one or several models, of a task that is not scores of two classes.

    Attributes
    ----------
    task : {"multiclass", "labels", "multilabel", "values", "rankings", "items"}
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
        Rows, or queries, those of `n_left_out` included.
    directions : mapping of str to (bool or None)
        By measure, whether higher is better.
    notes : tuple of str
        What a reader must know beside the figures, as the majority class and the worst one.
    slices : Slices or None
        Measures of slices of the rows, where columns were given.
    n_left_out : mapping of str to int
        Of rankings, by metric, the queries without a value, as those without relevant items; the
        others are what varies.
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
    n_left_out: Mapping[str, int] = field(default_factory=dict, hash=False)

    @classmethod
    def of(
        cls,
        task: Judged,
        found: Mapping[str, Mapping[str, Estimate]],
        pairs: Mapping[str, Comparison],
        confidence_level: float,
        directions: Mapping[str, bool | None],
        notes: Iterable[str],
    ) -> TaskEvaluation:
        """Return what was found of each model, and of pairs where there are several."""
        models = {name: Estimates(own) for name, own in found.items()}
        return cls(
            task=task,
            names=tuple(models),
            models=models,
            comparisons=Comparisons(pairs) if pairs else None,
            confidence_level=confidence_level,
            n_samples=next(iter(next(iter(models.values())).values())).n_samples,
            directions=directions,
            notes=tuple(notes),
        )

    def _by_name(self) -> Mapping[str, Estimates]:
        return self.models

    def __repr__(self) -> str:
        first = next(iter(self[0]))
        values = (f"{name}: {first}={own[first].estimate:.6g}" for name, own in self.models.items())
        return f"TaskEvaluation({self.task}; {', '.join(values)})"

    def _shown(self) -> Display:
        rows = (
            (metric, name, one.estimate, one.confidence_interval, one.standard_error)
            for metric in self[0]
            for name, own in self.models.items()
            for one in (own[metric],)
        )
        words = {each: self._name(each) + ARROWS[up] for each, up in self.directions.items()}
        notes = [*self.notes, self._intervals()]
        return self._described([self._measures(rows, words)], notes, _TITLES[self.task])

    def _intervals(self) -> str:
        row, rows = _VARIES.get(self.task, ("row", "rows"))
        of_method = of_methods((one.method, self._name(metric)) for metric, one in self[0].items())
        said = "; ".join(f"{method} ({', '.join(of)})" for method, of in of_method.items())
        said = said.replace("each row", f"each {row}")
        many = f"{self.n_samples:,.0f} {rows}"
        return f"{many}. [{percent(self)} interval]: {said}. ↑: higher is better."


def percent(found: Any) -> str:
    """Return the level of the intervals of a result."""
    return f"{100 * found.confidence_level:.6g} %"


def of_methods(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return methods in words, each with what it is of."""
    of_method: dict[str, dict[str, None]] = {}
    for method, of in found:
        if method:
            of_method.setdefault(METHODS.get(method, method), {})[of] = None
    return {method: [*names] for method, names in of_method.items()}


_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def raised(number: int) -> str:
    """Return a number as the mark of a footnote."""
    return str(number).translate(_RAISED)
