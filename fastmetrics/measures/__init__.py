"""Measures: pure functions of a table of scores."""
