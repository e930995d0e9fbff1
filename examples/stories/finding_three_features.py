"""
A published claim examined again: three features are enough
===========================================================

The breast-cancer data of Wolberg, Street and Mangasarian come with a claim in their notes (1995). A
plane over three of the thirty features, worst area, worst smoothness and mean texture, has an
accuracy of 97.5 % in repeated ten-fold cross-validation. It was also correct for 176 new patients
in a row. Do the data agree, and are three features as good as thirty?
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
# Models that were not fitted on a tumour predict it, three times.

folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=3, random_state=0)
wrong = {name: np.zeros(len(malignant)) for name in sets}
for name, X in sets.items():
    for train, test in folds.split(X, malignant):
        predicted = plane.fit(X[train], malignant[train]).predict(X[test])
        wrong[name][test] += (predicted != malignant[test]) / 3

# %%
# The error rate with its interval
# --------------------------------
# Repeated folds are not new tumours. So each tumour counts once, with the mean of its three
# predictions. The mean absolute error from "no error" is the error rate.

nothing = np.zeros(len(malignant))
figure, ax = plt.subplots(figsize=(6.4, 1.9), layout="constrained")
for name, each in wrong.items():
    error = fm.estimate(nothing, each, metrics="mean_absolute_error")["mean_absolute_error"]
    low, high = 1 - error.confidence_interval.high, 1 - error.confidence_interval.low
    print(f"{name}: accuracy {1 - error.estimate:.3f} [{low:.3f}, {high:.3f}]")
    ax.plot([low, 1 - error.estimate, high], [name] * 3, marker="|", linewidth=2)
    print("   an accuracy of 0.975", "agrees" if low <= 0.975 <= high else "does not agree")

ax.axvline(0.975, color="0.6", linestyle="--")
ax.set(xlabel="accuracy with its 95 % interval; dashed: as published", ylim=(-0.6, 1.6))

# %%
# Are three features as good as thirty? We accept a loss of one percentage point of accuracy:

pair = fm.compare(nothing, wrong, metrics="mean_absolute_error", margin=0.01)
print(pair.verdict)

# %%
# 176 of 176
# ----------
# No error in 176 new patients does not mean an accuracy of 1. The exact interval shows the range:

accuracy = fm.comparison.proportion_interval(176, 176, method="clopper-pearson")
low = accuracy.confidence_interval.low
print(f"95 % confidence interval of the accuracy on new patients: {low:.3f} to 1")

# %%
# So these rows agree with the published accuracy. They do not show that three features are as good
# as thirty.
