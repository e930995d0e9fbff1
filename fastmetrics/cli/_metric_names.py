"""Measures as they are written on the command line: ``f1``, ``tpr_at_fpr:fpr=0.05``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_WORDS = {"true": True, "false": False, "none": None}


def parse_metrics(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """Return the measures by what was written, as `evaluate` takes them.

    Parameters
    ----------
    texts : sequence of str or None
        ``NAME`` or ``NAME:PARAMETER=VALUE[:PARAMETER=VALUE…]``. A value is a number, several
        numbers with commas, true, false, none, or a word.

    Raises
    ------
    ValueError
        If a measure is written twice, or a parameter has no value.
    """
    if texts is None:
        return None
    found: dict[str, Any] = {}
    for text in texts:
        if text in found:
            raise ValueError(f"--metrics names {text!r} more than once")
        name, *parameters = text.split(":")
        given = dict(_parameter(part, text) for part in parameters)
        found[text] = (name, given) if given else name
    return found


def _parameter(part: str, text: str) -> tuple[str, Any]:
    name, equals, value = part.partition("=")
    if not (name and equals and value):
        raise ValueError(
            f"--metrics {text!r}: {part!r} is no parameter with its value, as in "
            "tpr_at_fpr:fpr=0.05"
        )
    if "," in value:
        return name, tuple(_value(item) for item in value.split(","))
    return name, _value(value)


def _value(text: str) -> Any:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return _WORDS.get(text.lower(), text)
