"""Metrics of scores against thresholds: ROC and P-R curves, areas, best thresholds, dominance.

Everything follows from a ``ScoreTable``. No other room of metrics is imported.
"""
