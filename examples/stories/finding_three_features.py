"""
A published claim looked at again: three features are enough
============================================================

The breast-cancer measurements of Wolberg, Street and Mangasarian come with a claim: a plane over
three of the thirty features, worst area, worst smoothness and mean texture, has an accuracy of
97.5 % by repeated ten-fold cross-validation, and was right on 176 new patients in a row (as the
notes of the data set say, 1995). Is that so, and are three as good as thirty?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fastmetrics as fm

data = load_breast_cancer()
malignant = 1 - data.target
three = ("worst area", "worst smoothness", "mean texture")
chosen = [list(data.feature_names).index(name) for name in three]
sets = {"three features": data.data[:, chosen], "thirty features": data.data}
plane = make_pipeline(StandardScaler(), LogisticRegression())

# %%
# Each tumour is judged by models that did not see it, three times.

folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=3, random_state=0)
wrong = {name: np.zeros(len(malignant)) for name in sets}
for name, X in sets.items():
    for train, test in folds.split(X, malignant):
        said = plane.fit(X[train], malignant[train]).predict(X[test])
        wrong[name][test] += (said != malignant[test]) / 3

# %%
# The share of errors, with the interval of the tumours
# -----------------------------------------------------
# Repeats of a fold are not new tumours: each tumour counts once, with the mean of its three
# judgements. The mean absolute error from "no error" is the share of errors.

nothing = np.zeros(len(malignant))
figure, ax = plt.subplots(figsize=(6.4, 1.9), layout="constrained")
for name, each in wrong.items():
    found = fm.estimate(nothing, each, metrics="mean_absolute_error")["mean_absolute_error"]
    low, high = 1 - found.confidence_interval.high, 1 - found.confidence_interval.low
    print(f"{name}: accuracy {1 - found.estimate:.3f} [{low:.3f}, {high:.3f}]")
    ax.plot([low, 1 - found.estimate, high], [name] * 3, marker="|", linewidth=2)
    print("   an accuracy of 0.975", "agrees" if low <= 0.975 <= high else "does not agree")

ax.axvline(0.975, color="0.6", linestyle="--")
ax.set(xlabel="accuracy with its 95 % interval; dashed: as published", ylim=(-0.6, 1.6))

# %%
# Are three features as good as thirty? Say that a point of accuracy does not matter:

pair = fm.compare(nothing, wrong, metrics="mean_absolute_error", margin=0.01)
print(pair.verdict)

# %%
# 176 of 176
# ----------
# No error in 176 new patients is not an accuracy of 1. Exact limits say what it may be:

found = fm.comparison.proportion_interval(176, 176, method="clopper-pearson")
low = found.confidence_interval.low
print(f"the accuracy on new patients is at least {low:.3f}, 95 % sure")

# %%
# So the published accuracy agrees with these rows; that three features do as well as thirty is not
# what they show.
