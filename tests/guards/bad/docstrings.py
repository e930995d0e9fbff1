"""Bad: public names whose docstrings say too little, or something else."""

from __future__ import annotations

from dataclasses import dataclass


def silent(y_true, y_score):
    return y_true, y_score


def partial(y_true, y_score, *, pos_label=None):
    """Return a number.

    Parameters
    ----------
    y_true : array_like
    score : array_like

    Examples
    --------
    >>> 1 + 1
    3
    """
    raise ValueError(y_true, y_score, pos_label)


@dataclass
class Table:
    """A table without an example."""

    rows: int
