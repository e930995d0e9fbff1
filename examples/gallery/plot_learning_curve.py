"""
A learning curve
================

The error on rows that a model saw, and on others, by how many it was fitted on.
"""

from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB

import fastmetrics as fm

X, digit = load_digits(return_X_y=True)
fm.selection.estimator_learning_curve(
    GaussianNB(), X, digit, metrics="accuracy", fractions=[0.1, 0.3, 1.0], cv=5, rng=0
).plot()
