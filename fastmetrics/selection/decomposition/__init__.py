"""Bias, variance and noise of squared and 0-1 loss; learning and validation curves.

May import `selection.estimates` and `selection.splitters`.
"""
