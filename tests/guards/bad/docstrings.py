"""Bad: public names whose docstrings say too little, or something else."""

from __future__ import annotations

from dataclasses import dataclass

from fastmetrics.errors import UndefinedMetricWarning, warn_user


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

    def total(self):
        return self.rows


def untidy(rows):
    """Return the rows

    Returns
    -------
    int

    Parameters
    ----------
    rows : int

    Example
    -------
    Not under its name.
    """
    return rows


def warner():
    """Return nan.

    Returns
    -------
    float

    Examples
    --------
    >>> warner()
    nan
    """
    warn_user("not defined", UndefinedMetricWarning)
    return float("nan")


def calls_a_warner():
    """Return nan by way of another function.

    Returns
    -------
    float

    Examples
    --------
    >>> calls_a_warner()
    nan
    """
    return [warner() for _ in range(1)][0]
