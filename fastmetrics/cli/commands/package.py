"""Commands about the package itself: its demonstration, its metrics, its kernels."""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from fastmetrics.cli._options import Command
from fastmetrics.cli._terminal import in_format


def run_metrics(options: argparse.Namespace) -> str:
    """Return the table of metrics, or the metrics that take one kind of prediction."""
    from fastmetrics.metrics.asking import MetricsTable, metrics_table

    entries = (each for each in metrics_table() if options.needs in (None, each.needs))
    table = MetricsTable(tuple(entries))
    return in_format(options, {"metrics": table.to_dict()["entries"]}, table._display())


METRICS: Final = Command(
    name="metrics",
    about="list the metrics: what each needs, its direction, its least and greatest value",
    run=run_metrics,
    formats=("table", "json"),
    options="""
[--needs {scores,labels,probabilities,values,rankings,times}]  those that take one kind of
    prediction (default all)
""",
)


def run_warmup(_: argparse.Namespace) -> str:
    """Compile kernels; return how many groups there are and how long it took."""
    from fastmetrics.cli._warmup import compile_all

    show = sys.stderr.isatty()
    start = time.perf_counter()
    count = 0
    try:
        for what, seconds in compile_all():
            count += 1
            if show:
                sys.stderr.write(f"\r\x1b[K{count:3d}  {what}  {seconds:.1f} s")
                sys.stderr.flush()
    finally:
        if show:
            sys.stderr.write("\r\x1b[K")
    return f"{count} groups of kernels ready in {time.perf_counter() - start:.1f} s\n"


WARMUP: Final = Command(
    name="warmup",
    about="compile kernels ahead of their first use, and say how long it took",
    run=run_warmup,
)


_TITLE = "Breast cancer (Wisconsin, diagnostic): 569 tumours, positive = malignant"
_CAPTION = "Scores: out-of-fold probabilities of three scikit-learn models, ten folds."
_FILE = "scores.csv"


def run_demo(options: argparse.Namespace) -> str:
    """Return the evaluation of the shipped data, or write the data to a file."""
    if options.write is not None:
        return _write(Path(options.write))
    from fastmetrics._report import evaluate
    from fastmetrics.data import load_breast_cancer_scores

    labels, scores = load_breast_cancer_scores()
    evaluation = evaluate(labels, scores, task="binary")
    display = evaluation._display()
    display = replace(display, title=_TITLE, notes=[*display.notes, _CAPTION])
    text = in_format(options, evaluation.to_dict(), display)
    if options.format != "table":
        return text
    return (
        f"{text}\nNext, the same from a file; then put your own in its place:\n\n"
        f"  fastmetrics demo --write {_FILE}\n"
        f"  {_evaluate_line(_FILE)}\n"
    )


def _evaluate_line(path: str) -> str:
    import shlex

    return f"fastmetrics evaluate {shlex.quote(path)} --label label --score logistic"


def _write(path: Path) -> str:
    from fastmetrics._files import writing
    from fastmetrics.data import read_bytes

    content = read_bytes()
    if not os.path.lexists(path):
        with writing(path) as file:
            file.write(content)
    # MetricRequest twice, the second time has nothing to do; anything else is not ours to replace.
    elif not path.is_file() or path.read_bytes() != content:
        raise FileExistsError(f"{path}: exists already, with other content")
    rows = content.count(b"\n") - 1
    return f"{path}: {rows} rows. Next:\n\n  {_evaluate_line(str(path))}\n"


DEMO: Final = Command(
    name="demo",
    about="evaluate three models on real data that come with the package",
    run=run_demo,
    formats=("table", "json", "csv", "markdown"),
    options="[--write FILE]  write the data to FILE (CSV) instead of evaluating them",
)
