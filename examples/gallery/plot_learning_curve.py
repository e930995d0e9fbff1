"""
A learning curve
================

The accuracy on training rows and on test rows over the number of training rows.
"""

from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB

import fastmetrics as fm

X, digit = load_digits(return_X_y=True)
fm.selection.estimator_learning_curve(
    GaussianNB(), X, digit, metrics="accuracy", fractions=[0.1, 0.3, 1.0], cv=5, rng=0
).plot()
