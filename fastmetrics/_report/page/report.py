"""``report``: an evaluation as a page that one can send, a ``Report``."""

from __future__ import annotations

import html
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from os import PathLike, fspath
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._files import File, writing
from fastmetrics._input.containers import as_array, named_columns
from fastmetrics._input.scalars import check_choice, check_text
from fastmetrics._plots._style import require_matplotlib
from fastmetrics._report.diagnosis import Diagnosis
from fastmetrics._report.doctor import doctor
from fastmetrics._report.evaluate_task import by_class
from fastmetrics._report.evaluation import evaluate, models_of
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.page._content import methods_of, sections_of, size_of
from fastmetrics._report.page._figures import Band, Drawn
from fastmetrics._report.task_evaluation import TaskEvaluation
from fastmetrics._report.versions import version_of
from fastmetrics._results import Result
from fastmetrics.errors import InputError, importing, no_parameter

#: Where the page says how large it is, in kilobytes.
_SIZE: Final = "=SIZE="


@dataclass(frozen=True, slots=True, repr=False)
class Report(Result):
    """A page about an evaluation, and what stands on it.

    Attributes
    ----------
    title : str
        Of the page.
    html : str
        All of it: one text that needs no other file, asks no server and runs no script.
    evaluation : Evaluation or TaskEvaluation
        The figures.
    diagnosis : Diagnosis or None
        What is wrong or doubtful with the data; None of other tasks than scores of two classes.
    methods : str
        The paragraph on methods.
    references : tuple of str
        What it cites.
    """

    title: str
    html: str = field(repr=False)
    evaluation: Evaluation | TaskEvaluation
    diagnosis: Diagnosis | None
    methods: str
    references: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """What is shown of the models' differences, in words; empty of one model."""
        return self.evaluation.verdict

    @property
    def n_bytes(self) -> int:
        """How large the file is."""
        return len(self.html.encode())

    def save(self, file: File) -> None:
        """Write the page.

        Parameters
        ----------
        file : path or binary file object
            Written whole or not at all; one that is there is replaced. A path must end in ``.html``
            or ``.htm``.
        """
        check_page(file)
        with writing(file) as opened:
            opened.write(self.html.encode())

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {self.n_bytes:,} bytes)"

    def _shown(self) -> Display:
        found = {"title": self.title, "bytes": self.n_bytes, "models": len(self.evaluation)}
        return Display([Table.record(found)], "Report", [self.verdict] * bool(self.verdict))

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, whose look is no notebook's."""
        return (
            f'<iframe sandbox srcdoc="{html.escape(self.html)}" title="{html.escape(self.title)}" '
            'style="width: 100%; height: 80vh; border: 0"></iframe>'
        )


def report(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    title: str = "Evaluation",
    command: str = "",
    threshold: float | None = None,
    band: Band | None = "simultaneous",
    rng: Any = 0,
    **of_evaluate: Any,
) -> Report:
    """Evaluate models, and lay the figures, the pictures and what they mean out as one page.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, numbers, or how relevant items are, as `evaluate` takes them.
    scores : mapping of str to array-like, data frame, or array-like
        Predictions of each model by its name, as `evaluate` takes them.
    title : str, default="Evaluation"
        Of the page.
    command : str, optional
        What makes the page again, to be printed on it.
    threshold : float, optional
        Of scores of two classes: the decisions that are drawn. By default the cheapest where
        mistakes have prices, else that of the largest TPR - FPR.
    band : {"simultaneous", "pointwise"} or None, default="simultaneous"
        Around the ROC and the precision-recall curves of up to three models: where the whole curve
        lies, by a bootstrap; where each point lies by itself; or none.
    rng : int or numpy Generator, default=0
        Seed of what is resampled: bands, and intervals where `n_resamples` is given. A number is
        printed, and the same page comes of it each time.
    **of_evaluate
        All else that `evaluate` takes: `metrics`, `slices`, `groups`, `cost_fn`, `confidence_level`
        and so on.

    Returns
    -------
    Report
        The page as `html`, to `save`; and the evaluation that it shows.

    Raises
    ------
    TypeError, ValueError
        As `evaluate`; of tables of scores too, which do not have what is drawn here.
    ImportError
        If jinja2 or matplotlib is not installed.

    Notes
    -----
    The page is one file: figures are inline SVG, there is no script, no font and no request, and no
    row of the data. Names of models, columns and slices are escaped. It follows the reader's choice
    of a dark or a light look, and fits a phone and a sheet of paper.

    On it are: the verdict; the data, and what `doctor` says of them; the measures with their
    intervals; the differences of models, as a table and a forest plot; ROC and precision-recall
    curves; calibration, where all scores may be probabilities; costs or rates by threshold, and the
    confusion matrix at one; slices; a paragraph on methods with what it cites, to be pasted;
    caveats, versions, the seed, the command. Other tasks have what of it there is of them.

    Time is that of `evaluate`, one sort a model and curve, and of "simultaneous" bands about
    2,000 replicates of the curve.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0] * 5
    >>> a = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15] * 5
    >>> page = report(y_true, {"a": a}, band=None)
    >>> page.evaluation["a"].roc_auc
    0.65625
    >>> "<h1>Evaluation</h1>" in page.html, "<script" in page.html
    (True, False)
    """
    require_matplotlib()
    template = _template()
    check_text("title", title)
    check_text("command", command)
    known = {*signature(report).parameters, *signature(evaluate).parameters} - {"of_evaluate"}
    for name in of_evaluate:
        if name not in known:
            raise no_parameter(name, "report", sorted(known))
    if band is not None:
        check_choice("band", band, ("simultaneous", "pointwise"))
    if threshold is not None and of_evaluate.get("metrics") is not None:
        of_evaluate = of_evaluate | {"threshold": threshold}
    if of_evaluate.get("n_resamples") is not None:
        of_evaluate = of_evaluate | {"rng": rng}
    found = evaluate(y_true, scores, **of_evaluate)
    task = getattr(found, "task", None)
    models = models_of(scores, of_evaluate.get("names"), task)
    models = by_class(y_true, models) if task == "multiclass" else models
    models = [each._replace(values=_array_of(each.values, each.argument)) for each in models]
    drawn = Drawn(_array_of(y_true, "y_true"), models, threshold, band, rng, of_evaluate)
    diagnosis = None
    if isinstance(found, Evaluation):
        given = {name: of_evaluate.get(name) for name in ("groups", "pos_label")}
        diagnosis = doctor(drawn.labels, {each.name: each.values for each in models}, **given)
    methods, size = methods_of(found, drawn), size_of(found, drawn)
    names = ("fastmetrics", "NumPy", "Numba")
    versions = [f"{name} {version_of(name)}" for name in names]
    content = template.render(
        title=title,
        about=f"{size[0].upper()}{size[1:]}.",
        size=_SIZE,
        verdict=found.verdict.split("\n") if found.verdict else [],
        sections=[each for each in sections_of(found, drawn, diagnosis) if any(each[2:])],
        methods=methods,
        versions=", ".join([*versions, f"Python {platform.python_version()}"]),
        command=command,
    )
    head, _, tail = content.rpartition(_SIZE)
    content = f"{head}{len(content.encode()) / 1000:,.0f}{tail}"
    return Report(title, content, found, diagnosis, methods.text, tuple(methods.references))


def check_page(file: File) -> None:
    """Raise if a path names another format than HTML."""
    if isinstance(file, str | PathLike) and not fspath(file).lower().endswith((".html", ".htm")):
        raise InputError(
            f"a report is HTML: its name must end in .html or .htm: got {fspath(file)!r}; a "
            "browser prints it as PDF"
        )


def _array_of(values: Any, name: str) -> NDArray[Any]:
    """Return an array; of several labels, of which nothing is drawn, a matrix of any dtype."""
    if not isinstance(values, Mapping):
        return as_array(values, name)
    return np.stack([*named_columns(values, name).values()], axis=1)


def _template() -> Any:
    with importing("reports need jinja2: pip install 'fastmetrics-eval[report]'"):
        import jinja2
    loader = jinja2.PackageLoader("fastmetrics._report.page", "")
    environment = jinja2.Environment(
        autoescape=True, loader=loader, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("page.html")
