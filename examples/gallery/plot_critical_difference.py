"""
Algorithms on many data sets
============================

Demšar's critical-difference diagram. A bar joins algorithms without a significant difference
(Nemenyi).
"""

import numpy as np

import fastmetrics as fm

rng = np.random.default_rng(0)
difficulty = rng.normal(0.8, 0.08, size=(14, 1))
gain = np.array([0.0, 0.012, 0.03, 0.034])
accuracy = difficulty + gain + rng.normal(0, 0.012, size=(14, 4))
names = ["stump", "tree", "forest", "boosting"]
fm.comparison.compare_table(accuracy, names=names, higher_is_better=True).plot()
