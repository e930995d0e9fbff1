"""Count the files of the package and the Python functions of a warm call: run to print them."""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

import fastmetrics as fm

PACKAGE = Path(fm.__file__).parent


class Passed(NamedTuple):
    """Calls of Python functions, all in all, and those of each file of the package."""

    calls: int
    files: Counter[str]


def passed(function: Callable[[], Any]) -> Passed:
    """Count calls by file on this thread, once all is compiled; a kernel is a call of its file."""
    files: Counter[str] = Counter()
    calls = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        if event == "call":
            calls += 1
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(PACKAGE):
                files[path.relative_to(PACKAGE).as_posix()] += 1

    function()  # compiles, and imports what is imported on first use
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return Passed(calls, files)


def examples() -> dict[str, Callable[[], Any]]:
    """Return the calls that users make most."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 500)
    scores = rng.random(500)
    true, predicted = rng.integers(0, 2, (2, 1_000))
    targets, predictions = rng.random((2, 1_000))
    models = {"a": scores, "b": rng.random(500)}
    few: Any = {"metrics": "roc_auc", "n_resamples": 20, "n_threads": 1, "rng": 1}
    return {
        "roc_auc_score": lambda: fm.roc_auc_score(labels, scores),
        "average_precision_score": lambda: fm.average_precision_score(labels, scores),
        "roc_curve": lambda: fm.roc_curve(labels, scores),
        "specificity_score": lambda: fm.specificity_score(true, predicted),
        "f1_score": lambda: fm.f1_score(true, predicted),
        "accuracy_score": lambda: fm.accuracy_score(true, predicted),
        "log_loss": lambda: fm.log_loss(labels, scores),
        "mean_squared_error": lambda: fm.mean_squared_error(targets, predictions),
        "bootstrap": lambda: fm.bootstrap(labels, scores, **few),
        "delong": lambda: fm.delong(labels, scores),
        "estimate": lambda: fm.estimate(labels, scores, metrics="roc_auc"),
        "compare": lambda: fm.compare(labels, models, metrics="roc_auc"),
        "evaluate": lambda: fm.evaluate(labels, scores),
    }


def main() -> None:
    for name, call in examples().items():
        passage = passed(call)
        sys.stdout.write(f"{name}: {len(passage.files)} files, {passage.calls} calls\n")
        sys.stdout.write("".join(f"{n:6}  {file}\n" for file, n in passage.files.items()))


if __name__ == "__main__":
    main()
