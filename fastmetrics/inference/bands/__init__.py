"""Bands around ROC and P-R curves, pointwise and simultaneous.

May import `inference.bootstrap` and `inference.proportions`.
"""
