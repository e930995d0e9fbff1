"""
Cost curves of two models
=========================

Which model is the cheaper one depends on prices and prevalence: the lower curve is, where it is.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
two = {name: scores[name] for name in ("logistic", "naive_bayes")}
ax = None
for name, p in two.items():
    ax = fm.costs.cost_curve(y, p).plot(ax, name=name)
