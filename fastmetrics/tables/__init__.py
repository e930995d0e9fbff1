"""Sufficient statistics: frozen, mergeable, and enough for every measure of their kind."""

from fastmetrics.tables.score_table import ScoreTable

__all__ = ["ScoreTable"]
