"""
Cumulative gain and lift
========================

How many of the positives are found among the first share of the rows, and how many times more than
by chance.
"""

import matplotlib.pyplot as plt

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
curve = fm.costs.gains_curve(y, scores["naive_bayes"])
curve.plot(left, name="naive Bayes")
curve.plot(right, kind="lift", name="naive Bayes")
