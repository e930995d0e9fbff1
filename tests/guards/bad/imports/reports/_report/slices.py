"""Slices that know of gates."""

from fastmetrics._report.gate import gate as gate
