"""Measures of the slices of rows that columns make, with limits that hold for all of them at once.

They stand on `estimate`. May import what its floor may.
"""

from __future__ import annotations
