"""
Cumulative gain and lift
========================

Gain: the proportion of all positives among the top rows. Lift: the gain divided by that of a
random order.
"""

import matplotlib.pyplot as plt

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
curve = fm.costs.gains_curve(y, scores["naive_bayes"])
curve.plot(left, name="naive Bayes")
curve.plot(right, kind="lift", name="naive Bayes")
