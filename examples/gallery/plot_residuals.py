"""
Residuals
=========

True minus predicted values over the predictions: the median, and the middle 80 % of the rows.
"""

from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import cross_val_predict

import fastmetrics as fm

X, progression = load_diabetes(return_X_y=True)
predicted = cross_val_predict(RidgeCV(), X, progression, cv=10)
fm.plots.plot_residuals(progression, predicted)
