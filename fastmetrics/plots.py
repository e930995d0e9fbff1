"""Figures of labels and scores; results have a method `plot` of their own."""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
