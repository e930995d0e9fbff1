"""
Model selection: a search, the curves of its folds, a tested threshold
======================================================================

A model is chosen by scikit-learn's search, with a metric of fastmetrics as the score. The curves of
its folds show how much they vary. A threshold is then chosen by costs, and tested on other rows.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB

import fastmetrics as fm

X, benign = load_breast_cancer(return_X_y=True)
y = 1 - benign  # 1: malignant
X, X_test, y, y_test = train_test_split(X[:, :4], y, test_size=0.4, stratify=y, random_state=0)

# %%
# Which smoothing?
# ----------------
# The search takes several scorers. ``log_loss`` chooses, since the probabilities are used later.

scoring = {"log_loss": fm.scorer("log_loss"), "roc_auc": fm.scorer("roc_auc")}
grid = {"var_smoothing": np.logspace(-9, -1, 5)}
search = GridSearchCV(GaussianNB(), grid, scoring=scoring, refit="log_loss").fit(X, y)
print(search.best_params_, "log loss", round(-search.best_score_, 4))

# %%
# How much do the folds vary?
# ---------------------------
# Thin lines are the folds. The thick curve pools their test rows: the model gives probabilities,
# and each row is tested once. The band holds the whole curve with a confidence of 95 %.

model = search.best_estimator_
folds = cross_validate(model, X, y, return_estimator=True, return_indices=True)
fm.plots.from_cv_results(folds, X, y, rng=0)

# %%
# Which threshold, and what does it cost?
# ---------------------------------------
# A missed tumour costs ten times a false alarm. The threshold is chosen by cross-validation on the
# training rows. The test rows compare its cost with that of the usual threshold, 0.5.

costs = {"cost_fn": 10.0, "cost_fp": 1.0}
tuned = TunedThresholdClassifierCV(model, scoring=fm.scorer("cost", **costs)).fit(X, y)
print("threshold", round(tuned.best_threshold_, 3))
predicted = {"tuned": tuned.predict(X_test), "usual": model.predict(X_test)}
print(fm.compare(y_test, predicted, metrics=("cost", costs)))
