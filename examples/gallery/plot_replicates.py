"""
Replicates of a bootstrap
=========================

9,999 draws of the rows, the AUC of each, and the limits that come of them.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
fm.bootstrap(y, scores["naive_bayes"], metrics="roc_auc", rng=1)["roc_auc"].plot()
