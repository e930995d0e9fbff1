"""Loops over the replicates of a bootstrap: what is drawn, and measures of what was drawn.

Used by `inference.bootstrap` and its neighbours. May import numpy and kernels.
"""
