"""
Reliability with two kinds of bands
===================================

Left: a confidence band for the true proportions. Right: a consistency band, which shows how far
the curve of a calibrated model deviates by chance.
"""

import matplotlib.pyplot as plt

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores

y, scores = load_breast_cancer_scores()
p = scores["logistic"]
diagram = fm.calibration.reliability_diagram(y, p)
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.8), layout="constrained")
diagram.plot(left, band=fm.calibration.reliability_band(y, p))
diagram.plot(right, band=fm.calibration.reliability_band(y, p, kind="consistency", rng=1))
