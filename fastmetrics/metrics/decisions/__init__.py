"""Metrics of predicted labels: everything that follows from counts of a confusion matrix.

Drop-ins keep scikit-learn's label rules, ours the strict ones. No other room of metrics.
"""
