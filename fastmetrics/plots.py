"""Figures of labels and scores; results have a method `plot` of their own."""

from fastmetrics import _faces

__getattr__, __dir__, __all__ = _faces.face(__name__, __file__)
