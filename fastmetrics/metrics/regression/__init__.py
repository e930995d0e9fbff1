"""Metrics of predicted numbers: errors, scores and deviances, any number in one pass.

Everything but medians follows from a ``RegressionTable``. No other room of metrics.
"""
