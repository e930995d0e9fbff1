"""Bands around ROC and P-R curves, pointwise and simultaneous.

May import `intervals.bootstrap` and `intervals.proportions`.
"""
