"""Metrics of calibration: whether probabilities mean what they say.

No other room of metrics.
"""
