"""
Cost curves of two models
=========================

Which model is cheaper depends on the costs and the prevalence. At each point of the axis, the
model with the lower curve is cheaper.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
two = {name: scores[name] for name in ("logistic", "naive_bayes")}
ax = None
for name, p in two.items():
    ax = fm.costs.cost_curve(y, p).plot(ax, name=name)
