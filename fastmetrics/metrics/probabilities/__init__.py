"""Losses of probabilities and class scores: log loss, Brier, hinge, top-k.

Rows are summed once in lanes. No other room of metrics is imported.
"""
