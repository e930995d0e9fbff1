"""
Metrics over the threshold
===========================

What F1, recall and the negative predictive value are at every threshold, and where F1 is the
largest.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
metrics = ["f1", "recall", "npv"]
fm.plots.plot_thresholds(y, scores["logistic"], metrics=metrics, threshold="fbeta")
