"""A confusion matrix as a line of text, and as a table of HTML."""

from __future__ import annotations

import html
from typing import Any, Final

from fastmetrics.tables.confusion._cells import Labels

#: A matrix of more classes is summed up in HTML, not shown.
_SHOWN: Final = 20


def as_text(labels: Labels, counts: Any, exponent: int) -> str:
    """Return the line that ``repr`` shows."""
    scaled = f", weight_exponent={exponent}" if exponent else ""
    k = len(labels)
    if k == 2:
        (tn, fp), (fn, tp) = counts[[0, 1]].tolist() if not _is_sparse(counts) else _four(counts)
        return f"ConfusionMatrix({tp=}, {fp=}, {fn=}, {tn=}, labels={labels!r}{scaled})"
    shown = ", ".join(map(repr, labels if k <= 5 else [*labels[:4], ...]))
    shown = shown.replace("Ellipsis", "...")
    n, correct = counts.sum().item(), counts.diagonal().sum().item()
    classes = "class" if k == 1 else "classes"
    return (
        f"ConfusionMatrix({k:,} {classes}{' ' if k else ''}{shown}; n={n:.10g}, "
        f"{correct:.10g} correct{scaled})"
    )


def as_html(labels: Labels, counts: Any, exponent: int) -> str:
    """Return a table of true classes by predicted classes, or the line where it would be large."""
    if len(labels) > _SHOWN:
        return f"<p>{html.escape(as_text(labels, counts, exponent))}</p>"
    if _is_sparse(counts):
        counts = counts.toarray()
    names = [html.escape(str(label)) for label in labels]
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join(
        f"<tr><th>{name}</th>{''.join(f'<td>{cell:.10g}</td>' for cell in row)}</tr>"
        for name, row in zip(names, counts.tolist(), strict=True)
    )
    caption = "ConfusionMatrix: true class by row, predicted by column"
    return f"<table><caption>{caption}</caption><tr><th></th>{head}</tr>{body}</table>"


def _is_sparse(counts: Any) -> bool:
    return hasattr(counts, "toarray")


def _four(counts: Any) -> list[list[int | float]]:
    cells: list[list[int | float]] = counts.toarray().tolist()
    return cells
