"""
Precision and recall
====================

The area below the steps is the average precision in the legend. Points mark equal precision and
recall.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
fm.plots.plot_pr(y, scores)
