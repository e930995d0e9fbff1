"""Measures of the slices of rows that columns make, with limits that hold for all of them at once.

They stand on `estimate`. May import every floor below.
"""

from __future__ import annotations
