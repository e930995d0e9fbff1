"""``fastmetrics demo``: the evaluation of data that come with the package."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Final

ABOUT: Final = "evaluate three models on real data that come with the package"
FORMATS: Final = ("table", "json", "csv", "markdown")
_TITLE = "Breast cancer (Wisconsin, diagnostic): 569 tumours, positive = malignant"
_CAPTION = "Scores: out-of-fold probabilities of three scikit-learn models, ten folds."
_FILE = "scores.csv"


OPTIONS = "[--write FILE]  write the data to FILE (CSV) instead of evaluating them"


def run(options: argparse.Namespace) -> str:
    """Return the evaluation of the shipped data, or write the data to a file."""
    if options.write is not None:
        return _write(Path(options.write))
    from fastmetrics._report import evaluate
    from fastmetrics.cli._render import render
    from fastmetrics.data import load_breast_cancer_scores

    labels, scores = load_breast_cancer_scores()
    found = evaluate(labels, scores, task="binary")
    text = render(found, options.format, title=_TITLE, captions=[_CAPTION])
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
    # Asked twice, the second time has nothing to do; anything else is not ours to replace.
    elif not path.is_file() or path.read_bytes() != content:
        raise FileExistsError(f"{path}: exists already, with other content")
    rows = content.count(b"\n") - 1
    return f"{path}: {rows} rows. Next:\n\n  {_evaluate_line(str(path))}\n"
