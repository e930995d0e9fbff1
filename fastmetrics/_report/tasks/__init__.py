"""Evaluations of what is no score of two classes: several classes, labels, numbers, rankings.

They stand on `estimate` and `compare`. May import slices, and every floor below.
"""

from __future__ import annotations
