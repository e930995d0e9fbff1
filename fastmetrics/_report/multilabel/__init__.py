"""Rows with several labels at once: means over labels of what `estimate` says of each.

`evaluate` stands on it. May import results of evaluations, slices, and every floor below.
"""

from __future__ import annotations
