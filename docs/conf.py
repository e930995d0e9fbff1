"""The site: the guides, and a page for each public name that the build writes."""

from __future__ import annotations

import importlib
import inspect
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sphinx.ext.autodoc.mock import mock

import fastmetrics
from fastmetrics import __version__ as version, metrics_table
from fastmetrics._docs import _split_sections
from fastmetrics._lazy import NAMESPACES, public_names
from fastmetrics.metrics.registry import METRICS

HERE = Path(__file__).parent
REFERENCE = HERE / "reference"

project = "fastmetrics"
author = "The fastmetrics developers"
release = version
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
html_theme = "pydata_sphinx_theme"
html_title = f"fastmetrics {version}"
html_theme_options = {
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
}
html_show_sourcelink = False
html_sidebars = {"index": [], "start": []}  # they have no pages below
html_static_path = ["_static"]
html_css_files = ["site.css"]
exclude_patterns = ["_build"]
default_role = "py:obj"  # a public name becomes a link, anything else is code
nitpicky = False
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
#: Figures of the gallery by task: scores, labels and numbers, costs, calibration, tests.
GALLERY = """
    roc roc_band folds precision_recall thresholds gain_and_lift confusion_matrix residuals
    prices cost_curves decision_curve reliability replicates rejection_regions critical_difference
""".split()
suppress_warnings = ["myst.xref_missing", "config.cache"]
numpydoc_show_class_members = False


def _order(file: str) -> tuple[int, str]:
    """Return the sort key of a file of the gallery or the stories."""
    name = file.removesuffix(".py").removeprefix("plot_")
    return (GALLERY.index(name) if name in GALLERY else len(GALLERY), name)


sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery", "../examples/stories"],
    "gallery_dirs": ["gallery", "stories"],
    "filename_pattern": r"\.py$",  # all are run, and the build fails if one fails
    "within_subsection_order": _order,
    "abort_on_example_error": True,
    "capture_repr": (),  # only printed output is shown
    "only_warn_on_example_error": False,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 3600,
}
numpydoc_xref_param_type = False
autodoc_typehints = "none"
autodoc_class_signature = "separated"


def setup(app: Any) -> None:
    """Keep the bars of docstrings: |d| is an absolute value there, no substitution."""
    app.connect("autodoc-process-docstring", _keep_bars, priority=100)


def _keep_bars(*arguments: Any) -> None:
    lines = arguments[-1]
    lines[:] = _without_bars(lines)


def _without_bars(lines: list[str]) -> list[str]:
    found = []
    for line in lines:
        if not line.lstrip().startswith((">>>", "...")):
            for part in line.split("``")[::2]:  # literals keep theirs
                line = line.replace(part, part.replace("|", "\\|"))
        found.append(line)
    return found


def _page(name: str, module: str) -> str:
    """Return the page of one public name."""
    full = f"{module}.{name}"
    found = getattr(importlib.import_module(module), name)
    if inspect.isclass(found):
        kind = "exception" if issubclass(found, BaseException) else "class"
        members = "\n   :members:\n   :exclude-members: __init__, __new__"
    else:
        kind, members = "function", ""
    head = f"{full}\n{'=' * len(full)}\n"
    return f"{head}\n.. auto{kind}:: {full}{members}\n"


def _write_metrics() -> None:
    """Write the table of the metrics that have names, from the registry."""
    columns = ("name", "in words", "better", "from", "to", "takes", "parameters", "other names")
    rows = [
        (
            f"``{one.name}``",
            one.title,
            one.direction or "–",
            f"{one.low:g}",
            f"{one.high:g}",
            one.needs,
            ", ".join(f"``{each}``" for each in one.parameters) or "–",
            ", ".join(f"``{each}``" for each in one.aliases) or "–",
        )
        for one in sorted(metrics_table(), key=lambda one: (one.family, one.name))
    ]
    lines = ["Metrics by name", "=" * 16, "", _ABOUT_METRICS, "", ".. list-table::"]
    lines += ["   :header-rows: 1", ""]
    for row in (columns, *rows):
        cells = [f"{'   * - ' if not k else '     - '}{text}" for k, text in enumerate(row)]
        lines += cells
    pages = [f"   metrics/{one.name}" for one in metrics_table()]
    lines += ["", ".. toctree::", "   :hidden:", "", *sorted(pages)]
    (REFERENCE / "metrics.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (REFERENCE / "metrics").mkdir()
    for one in metrics_table():
        path = REFERENCE / "metrics" / f"{one.name}.rst"
        path.write_text(_page_of_metric(one), encoding="utf-8")


def _page_of_metric(one: Any) -> str:
    """Return the page of a metric: what the registry says of it, and what its function does."""
    metric = METRICS[one.name]
    by_rows = "by the influences of rows (`fastmetrics.estimate`)"
    ways = [by_rows] if metric.influences else []
    ways += [f"bootstrap ({', '.join(one.intervals)})"] if one.intervals else []
    said = {
        "better": {"none": "neither", "by criterion": "by its criterion"}.get(
            one.direction, one.direction
        ),
        "range": f"{one.low:g} to {one.high:g}",
        "takes": one.needs,
        "parameters": ", ".join(f"``{each}``" for each in one.parameters) or "none",
        "other names": ", ".join(f"``{each}``" for each in one.aliases) or "none",
        "intervals": "; ".join(ways) or "none",
        "prevalence": "does not matter" if metric.is_free_of_prevalence else "matters",
    }
    lines = [one.name, "=" * len(one.name), "", f"{one.title}.", ""]
    lines += [f":{name}: {text}" for name, text in said.items()]
    function = metric.function.rpartition(":")[2]
    module = public_names().get(function)
    if module is not None:
        full = f"{module}.{function}"
        lines += ["", f"Its function is `{full}`."]
        documented = getattr(importlib.import_module(module), function)
        _, sections = _split_sections(documented.__doc__ or "")
        for name in ("Returns", "Warns", "Notes", "References"):
            if name in sections:
                body = _without_bars(sections[name].splitlines())
                lines += ["", name, "-" * len(name), "", *body]
    return "\n".join(lines) + "\n"


_ABOUT_METRICS = """Every ``metrics=`` accepts these names. ``metrics_table()`` returns the table,
``fastmetrics metrics`` prints it. The pages of functions have formulas, ties, undefined cases."""


#: Headings of the reference, by the folder in which a name of `fastmetrics` itself is defined.
TASKS = {
    "_report": "Evaluate, compare, gate and report",
    "inference": "Intervals, and tests of models on the same rows",
    "metrics/curves": "Scores: ROC, precision and recall, thresholds",
    "metrics/decisions": "Predicted labels",
    "metrics/probabilities": "Probabilities and class scores",
    "metrics/regression": "Predicted numbers",
    "metrics/ranking": "Rankings, with the names of scikit-learn",
    "metrics": "Metrics by name",
    "tables": "Tables of counts",
    "errors.py": "Errors and warnings",
    "": "Other",
}
#: Headings of the namespaces.
TOPICS = {
    "calibration": "Calibration",
    "costs": "Costs of errors",
    "comparison": "Tests of algorithms and folds",
    "ranking": "Rankings, query by query",
    "concordance": "Rank correlation and censored times",
    "selection": "Cross-validation and tuning",
    "plots": "Figures",
    "streams": "Streams and data larger than memory",
    "io": "Files and databases",
    "results": "Classes of results",
}
#: Classes of modules for other tools, which are imported by their whole names.
FOR_TOOLS = ("fastmetrics.mlflow.Evaluator", "fastmetrics.torch.BinaryScores")
MISSING = [name for name in ("torch", "torchmetrics") if find_spec(name) is None]


def _task(name: str) -> str:
    """Return the heading of a name of `fastmetrics` itself, by the file that defines it."""
    value = inspect.unwrap(getattr(fastmetrics, name))
    path = Path(inspect.getfile(value)).relative_to(Path(fastmetrics.__file__).parent)
    return next(heading for start, heading in TASKS.items() if path.as_posix().startswith(start))


def _summary(full: str) -> str:
    """Return the first paragraph of the docstring of a public name, in one line."""
    module, _, name = full.rpartition(".")
    text = inspect.getdoc(getattr(importlib.import_module(module), name)) or ""
    return " ".join(_without_bars(text.split("\n\n")[0].split("\n")))


def _section(heading: str, names: list[str]) -> str:
    """Return a section of the reference: a row for each name, and the hidden list of pages."""
    names = sorted(names, key=str.lower)
    rows = "".join(f"   * - `{name}`\n     - {_summary(name)}\n" for name in names)
    table = f".. list-table::\n   :widths: 40 60\n\n{rows}"
    pages = "".join(f"   {name}\n" for name in names)
    return f"{heading}\n{'-' * len(heading)}\n\n{table}\n.. toctree::\n   :hidden:\n\n{pages}"


def _write_reference() -> None:
    """Write a page for each public name, and a list of them by task."""
    shutil.rmtree(REFERENCE, ignore_errors=True)
    REFERENCE.mkdir()
    sections: dict[str, list[str]] = {
        heading: [] for heading in (*TASKS.values(), *TOPICS.values())
    }
    for name, module in public_names().items():
        if name not in NAMESPACES:
            topic = TOPICS.get(module.rpartition(".")[2])
            sections[topic or _task(name)].append(f"{module}.{name}")
            path = REFERENCE / f"{module}.{name}.rst"
            path.write_text(_page(name, module), encoding="utf-8")
    for full in FOR_TOOLS:
        module, _, name = full.rpartition(".")
        (REFERENCE / f"{full}.rst").write_text(_page(name, module), encoding="utf-8")
    _write_metrics()
    parts = ["Reference\n=========\n\nEvery public name, by task.\n"]
    parts.append(".. toctree::\n   :maxdepth: 1\n\n   metrics\n")
    sections["MLflow and torchmetrics"] = [*FOR_TOOLS]
    parts += [_section(heading, names) for heading, names in sections.items() if names]
    (REFERENCE / "index.rst").write_text("\n".join(parts), encoding="utf-8")


autodoc_mock_imports = MISSING
with mock(MISSING):
    _write_reference()
