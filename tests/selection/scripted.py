"""An estimator that does what it is told, and remembers which rows it has seen."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

SEEN: list[tuple[float, tuple[int, ...], tuple[int, ...]]] = []


class Scripted(ClassifierMixin, BaseEstimator):
    """Is wrong on row i where i % 20 < a; remembers the rows of each fit and prediction."""

    def __init__(self, a=0, b=0):
        self.a = a
        self.b = b

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.rows_ = tuple(X[:, 0].tolist())
        return self

    def predict(self, X):
        SEEN.append((self.a, self.rows_, tuple(X[:, 0].tolist())))
        return ((X[:, 0] % 20 < self.a) != (X[:, 0] % 2)).astype(int)


def scripted(n=200):
    rows = np.arange(n)
    return rows[:, None], rows % 2
