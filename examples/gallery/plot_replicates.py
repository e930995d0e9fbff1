"""
Replicates of a bootstrap
=========================

The AUC of 9,999 resamples of the rows, and the limits of the interval.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
fm.bootstrap(y, scores["naive_bayes"], metrics="roc_auc", rng=1)["roc_auc"].plot()
