"""
Costs of each threshold
=======================

A missed tumour costs as much as twenty false alarms. The steps are the cost at each threshold.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
fm.costs.threshold_costs(y, scores["logistic"], cost_fn=20, cost_fp=1).plot()
