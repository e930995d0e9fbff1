"""
Metrics over the threshold
==========================

F1, recall and the negative predictive value at every threshold. A point marks the largest F1.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
metrics = ["f1", "recall", "npv"]
fm.plots.plot_thresholds(y, scores["logistic"], metrics=metrics, threshold="fbeta")
