"""Training sets are those that were asked for, and the parts those of their predictions."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import fastmetrics as fm

SEEN: list[np.ndarray] = []


class Recorder(RegressorMixin, BaseEstimator):
    """Remembers the rows, numbered in the first column, and predicts the mean label plus a."""

    def __init__(self, a=0.0):
        self.a = a

    def fit(self, X, y):
        SEEN.append(np.asarray(X)[:, 0].astype(int))
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_ + self.a)


class Majority(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full((len(X), 1), self.most_)


@pytest.fixture(autouse=True)
def _forget():
    SEEN.clear()


def numbered(n):
    return np.arange(n, dtype=float)[:, None]


def run(**options):
    y = np.arange(60.0) ** 2
    options = {"n_models": 7, "rng": 1, **options}
    return fm.selection.estimator_bias_variance(
        Recorder(), numbered(60), y, [[0.0]], [100.0], **options
    ), y


def test_bootstrap_samples_are_drawn_with_replacement():
    found, y = run()
    assert [len(rows) for rows in SEEN] == [60] * 7
    assert all(0.4 < len(set(rows.tolist())) / 60 < 0.85 for rows in SEEN)
    assert len({tuple(rows) for rows in SEEN}) == 7
    predictions = [[y[rows].mean()] for rows in SEEN]
    expected = fm.selection.bias_variance([100.0], predictions)
    assert found.to_dict() == expected.to_dict()


def test_train_size_and_seed():
    first, _ = run(train_size=10)
    assert [len(rows) for rows in SEEN] == [10] * 7
    again, _ = run(train_size=10)
    other, _ = run(train_size=10, rng=2)
    assert first.to_dict() == again.to_dict() != other.to_dict()


def test_processes_change_nothing():
    x = np.random.default_rng(0).normal(size=(80, 2))
    tree = DecisionTreeRegressor(random_state=0)
    one, two = (
        fm.selection.estimator_bias_variance(
            tree, x, x[:, 0], x, x[:, 1], n_models=6, rng=3, n_jobs=n
        )
        for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


def test_noise_of_replicate_labels():
    x = np.linspace(0, 1, 50)[:, None]
    replicates = np.array([x[:, 0] + 0.5, x[:, 0] - 0.5])
    found = fm.selection.estimator_bias_variance(
        LinearRegression(), x, x[:, 0], x, replicates, n_models=5, rng=0
    )
    assert (found.noise, found.n_replicates) == (0.25, 2)
    assert found.bias + found.variance < 1e-25


def test_classifier_with_texts():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    tree = DecisionTreeClassifier(random_state=0)
    for decomposition in ("domingos", "kohavi-wolpert"):
        found = fm.selection.estimator_bias_variance(
            tree,
            X[::2],
            names[::2],
            X[1::2],
            names[1::2],
            decomposition=decomposition,
            n_models=9,
            rng=1,
        )
        assert found.bias + found.variance == pytest.approx(found.loss)
        assert 0.0 < found.loss < 0.2
    column = fm.selection.estimator_bias_variance(
        Majority(), X, names, X, names, decomposition="domingos", n_models=3, rng=1
    )
    assert column.loss == pytest.approx(2 / 3)


def test_curve():
    found = fm.selection.bias_variance_curve(
        Recorder(), numbered(30), np.zeros(30), [[0.0], [0.0]], [1.0, 1.0],
        parameter="a", values=[0.0, 1.0, 3.0], n_models=4, rng=5,
    )  # fmt: skip
    assert found.bias.tolist() == found.loss.tolist() == [1.0, 0.0, 4.0]
    assert found.variance.tolist() == found.noise.tolist() == [0.0] * 3
    assert (found.parameter, found.best_value, found.values) == ("a", 1.0, (0.0, 1.0, 3.0))
    for i in range(4):  # the same training sets at every value
        assert SEEN[i].tolist() == SEEN[i + 4].tolist() == SEEN[i + 8].tolist()
    assert len(json.loads(json.dumps(found.to_dict()))["points"]) == 3
    assert Recorder().a == 0.0


def test_deeper_trees_trade_bias_for_variance(rng):
    x = rng.uniform(0, 6, (1500, 1))
    y = np.sin(x[:, 0]) + rng.normal(0, 0.3, 1500)
    grid = np.linspace(0, 6, 60)[:, None]
    curve = fm.selection.bias_variance_curve(
        DecisionTreeRegressor(random_state=0), x, y, grid, np.sin(grid[:, 0]),
        parameter="max_depth", values=np.array([1, 3, 10]), train_size=60, n_models=25,
        rng=1,
    )  # fmt: skip
    assert curve.bias[0] > 10 * curve.bias[1:].max()
    assert (np.diff(curve.variance) > 0).all()
    assert curve.best_value == 3
    assert type(curve.values[0]) is int


def test_curve_faults():
    data = (numbered(9), np.zeros(9), [[0.0]], [0.0])
    with pytest.raises(ValueError, match="`estimator` has no parameter 'b': Recorder has a"):
        fm.selection.bias_variance_curve(Recorder(), *data, parameter="b", values=[1])
    with pytest.raises(ValueError, match="`values` is empty"):
        fm.selection.bias_variance_curve(Recorder(), *data, parameter="a", values=[])
    with pytest.raises(TypeError, match="`values` must be a sequence: got str"):
        fm.selection.bias_variance_curve(Recorder(), *data, parameter="a", values="abc")
    with pytest.raises(TypeError, match="`estimator` must be an estimator"):
        fm.selection.estimator_bias_variance(object(), *data)


def test_examples_that_cannot_be_counted():
    X, y = np.arange(60.0)[:, None], np.arange(60.0)
    with pytest.raises(fm.InputError, match="`X_test` is empty"):
        fm.selection.estimator_bias_variance(Recorder(), X, y, X[:0], y[:0])
