"""
A confusion matrix
==================

Correct predictions are blue and errors are orange. Each has its own colour scale, so a few errors
among many rows are visible.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import fastmetrics as fm

X, digit = load_digits(return_X_y=True)
predicted = cross_val_predict(LogisticRegression(max_iter=2000, C=0.01), X, digit, cv=5)
figure, ax = plt.subplots(figsize=(6.4, 5.6), layout="constrained")
fm.ConfusionMatrix.from_labels(digit, predicted).plot(ax)
