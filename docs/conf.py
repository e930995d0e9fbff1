"""The site: the guides as they are, and a page for each public name, written when it is built."""

from __future__ import annotations

import importlib
import inspect
import shutil
from pathlib import Path
from typing import Any

from fastmetrics import __version__ as version, metrics_table
from fastmetrics._docs import _parts
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
exclude_patterns = ["_build"]
default_role = "py:obj"  # a public name becomes a link, anything else is code
nitpicky = False
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.xref_missing", "config.cache"]
numpydoc_show_class_members = False
sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery", "../examples/stories"],
    "gallery_dirs": ["gallery", "stories"],
    "filename_pattern": r"\.py$",  # all of them are run, and the build fails where one does
    "abort_on_example_error": True,
    "capture_repr": (),  # what is shown is printed
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
    """Let bars of docstrings be bars: |d| is an absolute value there."""
    app.connect("autodoc-process-docstring", _keep_bars, priority=100)


def _keep_bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
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
        _, sections = _parts(getattr(importlib.import_module(module), function).__doc__ or "")
        for name in ("Returns", "Warns", "Notes", "References"):
            if name in sections:
                body = _without_bars(sections[name].splitlines())
                lines += ["", name, "-" * len(name), "", *body]
    return "\n".join(lines) + "\n"


_ABOUT_METRICS = """``metrics=`` takes these names, wherever it stands; ``metrics_table()`` returns
the table, ``fastmetrics metrics`` prints it. Formulas, ties and what is undefined are on the page
of each function."""


def _write_reference() -> None:
    """Write a page for each public name, and a list of them by namespace."""
    shutil.rmtree(REFERENCE, ignore_errors=True)
    REFERENCE.mkdir()
    places: dict[str, list[str]] = {}
    for name, module in public_names().items():
        if name not in NAMESPACES:
            places.setdefault(module, []).append(name)
    _write_metrics()
    parts = ["Reference\n=========\n\nEvery public name, by its namespace.\n"]
    parts.append(".. toctree::\n   :maxdepth: 1\n\n   metrics\n")
    for module, names in sorted(places.items()):
        about = (importlib.import_module(module).__doc__ or "").strip().split("\n")[0]
        entries = "".join(f"   {module}.{name}\n" for name in sorted(names, key=str.lower))
        head = f"{module}\n{'-' * len(module)}\n\n{about}\n\n"
        parts.append(f"{head}.. toctree::\n   :maxdepth: 1\n\n{entries}")
        for name in names:
            path = REFERENCE / f"{module}.{name}.rst"
            path.write_text(_page(name, module), encoding="utf-8")
    (REFERENCE / "index.rst").write_text("\n".join(parts), encoding="utf-8")


_write_reference()
