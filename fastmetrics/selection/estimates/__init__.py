"""Estimates of the error of estimators: folds, .632 and .632+, with their spread.

``_fit_and_score`` fits and judges one split, for the rooms above too. May import `splitters`.
"""
