"""
ROC curves with their AUC
=========================

Three models on the same rows, each with the interval of its AUC and the threshold with the
largest TPR − FPR.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
ax = fm.plots.plot_roc(y, scores, confidence_level=0.95, threshold="youden")
ax.set_xlim(-0.005, 0.3)
ax.set_ylim(0.7, 1.005)
