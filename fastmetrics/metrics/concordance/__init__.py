"""Metrics of concordance: whether a score orders rows as their outcomes do.

No other room of metrics.
"""
