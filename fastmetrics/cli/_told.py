"""What is to be known beside the figures of an evaluation, on the standard error stream."""

from __future__ import annotations

from typing import Any

from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.tasks.task_evaluation import TaskEvaluation
from fastmetrics.cli._messages import print_note, print_texts


def tell(found: Evaluation | TaskEvaluation, warned: list[tuple[Any, str]], what: str) -> None:
    """Print the warnings of an evaluation, and what else is to be known of its models."""
    texts = [text for _, text in warned]
    if isinstance(found, Evaluation):
        _tell_of_models(found, texts)
    else:
        print_texts(texts, what)


def _tell_of_models(evaluation: Evaluation, texts: list[str]) -> None:
    """Print the warnings, under the model that they are about, and what else is to be known."""
    several = len(evaluation) > 1
    others = list(texts)
    for model in evaluation:
        if model.note and any(model.note in text for text in texts):
            print_texts([text for text in texts if model.note in text], f"model {model.name!r}")
            others = [text for text in others if model.note not in text]
    of_all = "bootstrap" if evaluation.bootstrap is not None else "all models"
    print_texts(others, of_all if several else f"model {evaluation[0].name!r}")
    names: dict[str, list[str]] = {}
    for model in evaluation:
        told = any(model.note in text for text in texts)
        if model.note and not told:
            names.setdefault(model.note, []).append(repr(model.name))
    for note, of in names.items():
        if len(of) == len(evaluation) > 1:
            print_note(f"all models: {note}")
        else:
            print_note(f"{'model' if len(of) == 1 else 'models'} {', '.join(of)}: {note}")
