"""``doctor``: what is wrong or doubtful with labels and scores."""

from __future__ import annotations

import os
import platform
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.columns import take_columns
from fastmetrics._input.containers import as_array
from fastmetrics._input.rows import MODELS, NamedScores
from fastmetrics._report.evaluation_result import AUC
from fastmetrics._report.score_evaluation import SURE, Severity, as_models, find_fault
from fastmetrics._results import Result, Several
from fastmetrics.errors import InputError
from fastmetrics.inference.estimate import estimate
from fastmetrics.inference.units import FEW_GROUPS, effective_groups

#: Findings are sorted in this order.
ORDER: Final[tuple[Severity, ...]] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True, repr=False)
class Finding(Result):
    """One thing that is wrong or doubtful.

    Attributes
    ----------
    kind : str
        Which check found it, such as "backwards" or "few positives".
    severity : {"error", "warning", "note"}
        "error": figures of these data mean nothing; "warning": they may not mean what they seem
        to; "note": good to know.
    model : str
        Whose scores; empty of all.
    text : str
        What was found, and what to do.
    """

    kind: str
    severity: Severity
    model: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis(Several[Finding]):
    """Findings of `doctor`.

    Attributes
    ----------
    findings : tuple of Finding
        Errors first, then warnings, then notes; empty where nothing is wrong.
    n_samples : int
        Rows.
    n_positive, n_negative : int
        Rows of each class; 0 where the labels are not of two classes.
    """

    _rows = "findings"
    findings: tuple[Finding, ...]
    n_samples: int
    n_positive: int
    n_negative: int

    @property
    def is_healthy(self) -> bool:
        """True if there is neither an error nor a warning."""
        return all(each.severity == "note" for each in self.findings)

    @property
    def exit_status(self) -> int:
        """Exit status of a process: 0, or 1 with an error or a warning."""
        return 0 if self.is_healthy else 1

    def __repr__(self) -> str:
        kinds = ", ".join(each.kind for each in self.findings) or "nothing found"
        return f"Diagnosis({kinds})"

    def _display(self) -> Display:
        counts = f"{self.n_positive:,} positive, {self.n_negative:,} negative"
        size = f"{self.n_samples:,} rows, {counts}."
        if not self.findings:
            return Display([Table.record({"found": "nothing"})], "Diagnosis", [size])
        columns = {
            "severity": [each.severity for each in self.findings],
            "about": [each.model or "data" for each in self.findings],
            "found": [each.kind for each in self.findings],
            "text": [each.text for each in self.findings],
        }
        return Display([Table(columns, most=len(self))], "Diagnosis", [size])


#: Distributions by their usual names.
_NEEDED: Final = {
    "fastmetrics": "fastmetrics-eval",
    "NumPy": "numpy",
    "Numba": "numba",
    "SciPy": "scipy",
}
_OPTIONAL: Final = (
    *("dask", "distributed", "duckdb", "jinja2", "matplotlib", "pandas", "polars", "pyarrow"),
    *("scikit-learn", "sqlglot", "tqdm"),
)


def get_version(name: str) -> str:
    """Return the version of a distribution that is installed; else that it is not."""
    try:
        return metadata.version(_NEEDED.get(name, name))
    except metadata.PackageNotFoundError:
        return "(not installed)"


def show_versions() -> None:
    """Print the versions of what fastmetrics runs on, for a report of a fault.

    Returns
    -------
    None

    Notes
    -----
    Nothing of the user's is printed: no path, no name of a machine.

    Examples
    --------
    >>> show_versions()
    fastmetrics...
    """
    versions = {name: get_version(name) for name in _NEEDED}
    versions |= {
        "Python": f"{platform.python_version()} ({sys.implementation.name})",
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "byte order": sys.byteorder,
    }
    versions |= {name: get_version(name) for name in _OPTIONAL}
    for variable in ("NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT", "OMP_NUM_THREADS"):
        if variable in os.environ:
            versions[variable] = os.environ[variable]
    width = max(map(len, versions))
    print("\n".join(f"{name:<{width}}  {version}" for name, version in versions.items()))  # noqa: T201


#: Rows of a class below which no interval is sure, and below which none says much.
_FEW: Final = 30
_FEWEST: Final = 5
#: Proportion of tied pairs of both classes from which on there is a note on ties.
_TIED: Final = 0.05
#: Pairs of rows that are the same, over the rows, and over what chance gives, to look like copies.
_COPIES: Final = 0.02
_UNLIKELY: Final = 50.0


@documented(MODELS)
def doctor(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    data: Any = None,
    names: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    ids: ArrayLike | None = None,
    pos_label: Any = None,
) -> Diagnosis:
    """Look for what is wrong or doubtful with labels and scores of two classes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels.
    scores : mapping of str to array-like of shape (n_samples,), data frame, or array-like
        The scores of each model by name; a single column is one model called ``"score"``.
    groups : array-like of shape (n_samples,), optional
        Group of each row (user, patient).
    ids : array-like of shape (n_samples,), optional
        Of rows, each its own.

    Returns
    -------
    Diagnosis
        Frozen; `findings`, errors first. Nothing is mended, and nothing about the data raises.

    Notes
    -----
    Looked for are: labels or scores that are missing or not finite; other than two classes; lengths
    that differ; labels given as scores, decisions given as scores, scores that run backwards (the
    interval of the AUC lies below 1/2), that are constant; ties; models that say the same; ids
    twice, rows twice, few rows of a class, few groups. O(n log n) time.

    Examples
    --------
    >>> result = doctor([0, 1, 0, 1] * 30, {"late": [0.9, 0.2, 0.7, 0.3] * 30})
    >>> [each.kind for each in result]
    ['backwards']
    >>> result.is_healthy
    False
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": [0, 1, 0, 1] * 30, "late": [0.9, 0.2, 0.7, 0.3] * 30})
    >>> doctor("y", "late", data=frame) == result
    True
    """
    if data is not None:
        return doctor(**take_columns(locals()))
    named = as_models(scores, names)
    findings: list[Finding] = []

    def say(kind: str, severity: Severity, text: str, model: str = "") -> None:
        findings.append(Finding(kind, severity, model, text))

    labels = _labels(y_true, pos_label, say)
    columns = {model.name: _numbers(model, say) for model in named}
    n = len(np.asarray(y_true, dtype=object)) if labels is None else len(labels)
    for name, column in columns.items():
        if column is not None and len(column) != n:
            say("lengths", "error", f"has {len(column):,} scores, and there are {n:,} labels", name)
    _about_rows(n, labels, columns, groups, ids, say)
    n_positive, n_negative = (
        0 if labels is None else int(np.count_nonzero(labels == label)) for label in (1, 0)
    )
    if labels is not None and n_positive and n_negative:
        known = {k: c for k, c in columns.items() if c is not None and len(c) == n}
        for name, column in known.items():
            _about_scores(name, labels, column, say)
        for one, other in combinations(known, 2):
            if np.array_equal(known[one], known[other]):
                say("the same scores", "warning", f"the scores are those of {one!r}", other)
        _about_sizes(n_positive, n_negative, say)
    findings.sort(key=lambda each: ORDER.index(each.severity))
    return Diagnosis(tuple(findings), n, n_positive, n_negative)


def _labels(y_true: Any, pos_label: Any, say: Any) -> NDArray[np.int8] | None:
    """Return labels as 1, 0 and -1 where they are missing; None if they are not of two classes."""
    values = np.asarray(y_true, dtype=object).ravel()
    unknown = [each is None or str(each) in ("nan", "<NA>", "NaT") for each in values]
    missing = np.array(unknown, np.bool_)
    classes = sorted(set(values[~missing].tolist()), key=str)
    if missing.any():
        text = f"{int(missing.sum()):,} of {len(values):,} labels are missing: leave their rows out"
        say("missing labels", "error", text)
    if len(classes) > 2:
        listed = ", ".join(map(repr, classes[:5]))
        text = (
            f"the labels have {len(classes):,} values ({listed}, …): `evaluate` takes several "
            "classes, or numbers"
        )
        say("several classes", "error", text)
        return None
    if len(classes) < 2:
        say("one class", "error", f"all labels are {classes[0]!r}" if classes else "no labels")
    if pos_label is None and not ({*classes} <= {0, 1} or {*classes} <= {-1, 1}):
        listed = ", ".join(map(repr, classes))
        text = f"the labels are {listed}: name the positive one by `pos_label`"
        say("positive class", "error", text)
        return None
    positive = 1 if pos_label is None else pos_label
    codes = np.full(len(values), -1, np.int8)
    codes[~missing] = [each == positive for each in values[~missing]]
    return codes


def _numbers(model: NamedScores, say: Any) -> NDArray[np.float64] | None:
    """Return scores as numbers, nan where they are missing; None if they are none."""
    try:
        raw = as_array(model.values, model.argument)
        column = np.asarray(raw, dtype=np.float64).ravel()
    except (InputError, TypeError, ValueError):
        try:
            column = np.asarray(model.values, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            say("no numbers", "error", "its scores are no numbers", model.name)
            return None
    bad = int(np.count_nonzero(~np.isfinite(column)))
    if bad:
        what = f"{bad:,} of {len(column):,} scores are missing, nan or infinite"
        say("missing scores", "error", f"{what}: find out why before leaving them out", model.name)
    return column


def _about_rows(
    n: int,
    labels: NDArray[np.int8] | None,
    columns: Mapping[str, NDArray[np.float64] | None],
    groups: Any,
    ids: Any,
    say: Any,
) -> None:
    """Look for ids and rows that are there twice, and for few groups."""
    if ids is not None:
        known_ids = np.asarray(ids, dtype=object).ravel().tolist()
        twice = len(known_ids) - len(set(known_ids))
        if twice:
            say("ids twice", "error", f"{twice:,} rows have an id that is there before")
        if len(known_ids) != n:
            say("lengths", "error", f"there are {len(known_ids):,} ids and {n:,} labels")
    if groups is not None:
        try:
            codes = check_class_labels(groups, "groups").codes
        except InputError as error:
            say("groups", "error", str(error))
            return
        if len(codes) != n:
            say("lengths", "error", f"there are {len(codes):,} groups and {n:,} labels")
            return
        worth = effective_groups(codes)
        if worth < FEW_GROUPS:
            many = int(codes.max()) + 1
            text = (
                f"{many:,} groups, worth {worth:.3g} of equal size: below about {FEW_GROUPS} "
                "intervals cover less than they say"
            )
            say("few groups", "warning", text)
        return
    known = [c for c in columns.values() if c is not None and len(c) == n]
    if labels is None or not known or n < 2 * _FEW:
        return
    copies, by_chance = _copies(labels, known)
    if copies >= _COPIES * n and copies >= _UNLIKELY * (by_chance + 1.0):
        text = (
            f"{copies:,.0f} pairs of the {n:,} rows have the same label and scores, to the last "
            "digit: if they are of one thing measured again, pass `groups`"
        )
        say("repeated rows", "warning", text)


def _copies(
    labels: NDArray[np.int8], columns: Sequence[NDArray[np.float64]]
) -> tuple[float, float]:
    """Return the pairs of rows that are the same, and how many there would be by chance.

    By chance a pair has the same label and the same score of each model as often as pairs have
    either; of one model, scores are spread evenly from the least to the greatest by their last
    digit. Rows with the least or greatest score of a model are left out: it may be a limit.
    """
    inside = np.ones(len(labels), np.bool_)
    for column in columns:
        inside &= np.isfinite(column) & (column > np.nanmin(column)) & (column < np.nanmax(column))
    n = int(inside.sum())
    pairs = n * (n - 1) / 2.0
    if n < 2 * _FEW:
        return 0.0, 0.0
    kept: list[NDArray[Any]] = [labels[inside], *(column[inside] for column in columns)]
    proportions = [_alike(np.unique(column, return_counts=True)[1]) / pairs for column in kept]
    joint = np.unique(np.column_stack(kept), axis=0, return_counts=True)[1]
    if len(columns) == 1:
        (scores,) = kept[1:]
        steps = np.diff(np.unique(scores))
        cells = float((scores.max() - scores.min()) / steps.min()) if len(steps) else 1.0
        proportions[1] = 1.0 / max(1.0, cells)
    return _alike(joint), pairs * float(np.prod(proportions))


def _alike(counts: NDArray[np.int64]) -> float:
    """Return the pairs that are alike, by how many rows are."""
    return float((counts * (counts - 1.0)).sum()) / 2.0


def _about_scores(
    name: str, labels: NDArray[np.int8], column: NDArray[np.float64], say: Any
) -> None:
    """Look at the scores of one model."""
    use = np.isfinite(column) & (labels >= 0)
    y = labels[use]
    s = column[use]
    if not (0 < int(y.sum()) < len(y)):
        return
    values = np.unique(s)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (auc,) = estimate(y, s, metrics=AUC, confidence_level=SURE).values()
    doubt = find_fault(values.tolist(), auc.estimate, auc.confidence_interval, len(y))
    if doubt is not None:
        say(*doubt, name)
    if len(values) <= 2:
        return
    at = np.unique(s, return_inverse=True)[1]
    positives, negatives = (np.bincount(at, y == label) for label in (1, 0))
    tied = float(positives @ negatives / (positives.sum() * negatives.sum()))
    if tied > _TIED:
        text = (
            f"{100 * tied:.1f} % of pairs of a positive and a negative have the same score: each "
            "counts as one half; are scores rounded?"
        )
        say("ties", "note", text, name)


def _about_sizes(n_positive: int, n_negative: int, say: Any) -> None:
    """Report classes of too few rows."""
    for what, size in (("positives", n_positive), ("negatives", n_negative)):
        if size < _FEW:
            severity: Severity = "warning" if size < _FEWEST else "note"
            text = (
                f"{size:,} {what if size != 1 else what[:-1]}: below about {_FEW} no interval is "
                f"sure, below {_FEWEST} none says much"
            )
            say(f"few {what}", severity, text)
