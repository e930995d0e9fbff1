"""
Decision curves
===============

Left: the net benefit over the threshold probability, beside treating all and treating none.
Right: the difference of two models with its band.
"""

import matplotlib.pyplot as plt
import numpy as np

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
two = {name: scores[name] for name in ("logistic", "naive_bayes")}
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
thresholds = np.linspace(0.02, 0.6, 59)
fm.costs.decision_curve(y, two, thresholds=thresholds).plot(left)
fm.costs.decision_curve(y, two, thresholds=thresholds, reference="naive_bayes").plot(right)
