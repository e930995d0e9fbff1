"""Docstrings that are completed from glossaries: whole in help(), the function left alone."""

import functools
import inspect
from dataclasses import dataclass

from fastmetrics._docs import COMMON, documented

GLOSSARY = """
Parameters
----------
y_true, y_pred : array-like of shape (n,)
    Labels of both.
y_true : array-like of shape (n,)
    Labels.

Raises
------
TypeError
    For what is no label.
"""


def measure(y_true, y_pred, *, beta=1.0, sample_weight=None, **params):
    """Compute it.

    Parameters
    ----------
    beta : float, default=1
        Weight of recall.
    **params
        More.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        For a negative `beta`.

    Examples
    --------
    >>> 1 + 1
    2
    """


def plain(y_true, threshold):
    """Compute it."""


WHOLE = """Compute it.

Parameters
----------
y_true, y_pred : array-like of shape (n,)
    Labels of both.
beta : float, default=1
    Weight of recall.
sample_weight : array-like of shape (n_samples,), optional
    Weights, not negative.
**params
    More.

Returns
-------
float

Raises
------
TypeError
    For what is no label.
ValueError
    For a negative `beta`.

Examples
--------
>>> 1 + 1
2"""


def test_what_is_left_out_is_filled_in_where_it_belongs() -> None:
    signature = inspect.signature(measure)
    assert documented(GLOSSARY)(measure) is measure
    assert inspect.getdoc(measure) == WHOLE
    assert inspect.signature(measure) == signature


def test_an_entry_of_two_needs_both_and_what_nobody_knows_stays_out() -> None:
    documented(GLOSSARY)(plain)
    assert "y_true : array-like of shape (n,)\n    Labels.\n" in plain.__doc__
    assert "threshold" not in plain.__doc__
    assert "y_pred" not in plain.__doc__


def test_the_own_words_come_first() -> None:
    def own(y_true, rng=None):
        """Compute it.

        Parameters
        ----------
        y_true : list
            Mine.
        """

    text = documented(GLOSSARY)(own).__doc__
    assert text.count("y_true") == 1
    assert "Mine." in text
    assert "rng : None, int" in text
    assert "rng : None, int" in COMMON


def test_without_docstrings() -> None:
    def bare(y_true):
        pass

    assert documented(GLOSSARY)(bare).__doc__ is None


def test_attributes_of_a_dataclass_are_completed() -> None:
    glossary = (
        "\nAttributes\n----------\nlow, high : float\n    Limits.\nother : int\n    Not its own.\n"
    )

    @documented(glossary)
    @dataclass(frozen=True, slots=True)
    class Limits:
        """Two limits.

        Attributes
        ----------
        name : str
            Its own.
        """

        low: float
        high: float
        name: str

    whole = "Two limits.\n\nAttributes\n----------\nlow, high : float\n    Limits.\nname : str\n"
    assert Limits.__doc__ == whole + "    Its own."
    assert Limits(0.0, 1.0, "a").high == 1.0


def test_a_function_that_another_one_wraps_keeps_its_parameters() -> None:
    @documented(GLOSSARY)
    @functools.wraps(plain)
    def call(*arguments, **options):
        return plain(*arguments, **options)

    assert "\ny_true : array-like of shape (n,)\n    Labels.\n" in call.__doc__
