"""Costs of errors when costs or the prevalence vary: hulls, cost curves, H-measure.

Everything follows from the upper hull of a ``ScoreTable``, or from its rows with their costs.
No other room of metrics is imported.
"""
