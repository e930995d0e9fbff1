"""
A ROC curve with a simultaneous band
====================================

The band contains the whole curve of the population in 95 of 100 samples.
"""

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
band = fm.roc_band(y, scores["naive_bayes"], rng=1)
fm.plots.plot_roc(y, {"naive Bayes": scores["naive_bayes"]}, bands={"naive Bayes": band})
