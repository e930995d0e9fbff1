"""Figures as SVG inside a page: no file of their own, no names of their own twice."""

from __future__ import annotations

import html
import io
import re
from typing import Any, Final

#: Of a page's text, so many lines' heights are an inch of a figure.
_EMS: Final = 6.6
_AT_START: Final = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA: Final = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_ID: Final = re.compile(r'\bid="([^"]*)"')
_USED: Final = re.compile(r'(?:url\(#|href="#)([^)"]*)')


def svg_of(figure: Any, key: str, title: str) -> str:
    """Return a figure as an ``<svg>`` element: as wide as its place, its texts texts.

    ``key`` stands before the names of its parts, so that no other figure of the page has them.
    """
    import matplotlib

    file = io.StringIO()
    options: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": key, "figure.dpi": 72.0}
    with matplotlib.rc_context(options):
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(file, format="svg", transparent=True, metadata=metadata)
    text = _METADATA.sub("", _AT_START.sub("", file.getvalue()))
    used = set(_USED.findall(text))
    text = _ID.sub(lambda found: _kept(found, used, key), text)
    text = _USED.sub(lambda found: found[0].replace("#", f"#{key}-", 1), text)
    head, rest = text.split(">", 1)
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    width = f"max-width: {figure.get_figwidth() * _EMS:.1f}rem"
    return f'{head} style="{width}" role="img" aria-label="{html.escape(title)}">{rest}'


def _kept(found: re.Match[str], used: set[str], key: str) -> str:
    """Return an id that something points to; nothing of others."""
    return f'id="{key}-{found[1]}"' if found[1] in used else ""
