"""The commands that read no file of the user: ``demo``, ``metrics`` and ``warmup``."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

_TITLE = "Breast cancer (Wisconsin, diagnostic): 569 tumours, positive = malignant"
_CAPTION = "Scores: out-of-fold probabilities of three scikit-learn models, ten folds."
_FILE = "scores.csv"


def run_demo(write: str | None, output_format: str) -> str:
    """Return the evaluation of the shipped data, or write the data to a file."""
    if write is not None:
        return _write(Path(write))
    from fastmetrics._report import evaluate
    from fastmetrics.cli._render import render
    from fastmetrics.data import load_breast_cancer_scores

    labels, scores = load_breast_cancer_scores()
    text = render(
        evaluate(labels, scores, task="binary"), output_format, title=_TITLE, captions=[_CAPTION]
    )
    return text if output_format != "table" else text + _pointer()


def _pointer() -> str:
    return (
        "\nNext, the same from a file; then put your own in its place:\n\n"
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
    # Asked twice, the second time has nothing to do; anything else is not ours to replace.
    elif not path.is_file() or path.read_bytes() != content:
        raise FileExistsError(f"{path}: exists already, with other content")
    rows = content.count(b"\n") - 1
    return f"{path}: {rows} rows. Next:\n\n  {_evaluate_line(str(path))}\n"


def run_metrics(needs: str | None, output_format: str) -> str:
    """Return the table of measures, or the measures that take one kind of prediction."""
    from fastmetrics.cli._layout import json_text
    from fastmetrics.measures.metrics_table import MetricsTable, metrics_table

    table = MetricsTable(tuple(each for each in metrics_table() if needs in (None, each.needs)))
    if output_format == "json":
        return json_text({"metrics": table.to_dict()["entries"]})
    return f"{table}\n"


def run_warmup() -> str:
    """Compile every kernel; return how many there are and how long it took."""
    from fastmetrics._report.warmup import compile_all

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
