"""Confidence intervals: pure functions of tables and of numbers."""
