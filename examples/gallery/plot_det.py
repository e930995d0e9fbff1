"""
Detection error tradeoff
========================

Both rates of error on normal deviates: of scores that are normal in both classes the curve is a
straight line.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
fm.plots.plot_det(y, scores, threshold=0.5)
