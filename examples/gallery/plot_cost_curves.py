"""
Cost curves of two models
=========================

Which model is the cheaper one depends on prices and prevalence; the bar below the axis says which
is, where.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
two = {name: scores[name] for name in ("logistic", "naive_bayes")}
fm.costs.compare_cost_curves(y, two).plot()
