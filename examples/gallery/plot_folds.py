"""
ROC curves of the folds of cross-validation
===========================================

The thin lines are the folds of scikit-learn's ``cross_validate``. The band is that of their pooled
test rows.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

import fastmetrics as fm

X, y = load_breast_cancer(return_X_y=True)
X = X[:, :4]
results = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
fm.plots.from_cv_results(results, X, y, rng=1)
