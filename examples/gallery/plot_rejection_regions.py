"""
Rejection regions of tests
==========================

Left: errors of one model against a given rate (binomial test). Right: two models on the same folds
(Student's t).
"""

import matplotlib.pyplot as plt

import fastmetrics as fm

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
fm.comparison.binomial_test(n_errors=6, n=10, error_rate=0.3).plot(left)
differences = [[0.02, 0.01], [0.03, -0.01], [0, 0.02], [0.01, 0.03], [0.02, 0]]
fm.comparison.five_by_two_cv_test(differences, higher_is_better=False).plot(right)
