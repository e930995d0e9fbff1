"""Slices that know of gates."""

from fastmetrics._report.gate.gate import gate as gate
