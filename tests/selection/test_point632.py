"""The .632 rules, of predictions and of estimators."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import engine_sizes
import fastmetrics as fm
from reference import selection_oracle as oracle

FIGURES = json.loads(
    (Path(__file__).parents[1] / "reference" / "reference_values.json").read_text("utf-8")
)["point632plus_formula"]
LOSSES = {
    "error_rate": oracle.zero_one,
    "mean_squared_error": oracle.squared,
    "mean_absolute_error": oracle.absolute,
}

tenths = st.integers(0, 100).map(lambda i: i / 100)


@pytest.mark.parametrize("case", FIGURES)
def test_published_figures(case):
    numbers = case["err"], case["Err1"], case["gamma"]
    assert fm.selection.err632_plus(*numbers) == pytest.approx(case["632plus"], rel=1e-12)
    assert fm.selection.err632(*numbers[:2]) == pytest.approx(case["632"], rel=1e-12)


@given(tenths, tenths, tenths)
def test_the_rule_by_its_definition(err, err1, gamma):
    exact = [Fraction(repr(number)) for number in (err, err1, gamma)]
    assert fm.selection.err632(err, err1) == pytest.approx(
        float(oracle.err632(*exact[:2])), abs=1e-15
    )
    plus = float(oracle.err632_plus(*exact))
    assert fm.selection.err632_plus(err, err1, gamma) == pytest.approx(plus, abs=1e-14)


def test_clipping_inside_632_would_be_another_rule():
    """With err1 clipped everywhere, (0, .6, .5) would be .5, the no-information error itself."""
    assert fm.selection.err632_plus(0.0, 0.6, 0.5) == pytest.approx(0.3792 + 0.5 * 0.368)


@st.composite
def predictions(draw, values):
    n = draw(st.integers(1, 12))
    n_resamples = draw(st.integers(1, 6))
    column = st.lists(values, min_size=n, max_size=n)
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    table = st.lists(column, min_size=n_resamples, max_size=n_resamples)
    out = draw(st.lists(flags, min_size=n_resamples, max_size=n_resamples))
    out[0][0] = True
    return draw(column), draw(column), draw(table), out


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("loss", LOSSES)
@given(data=st.data())
def test_predictions_by_the_definition(loss, data):
    values = (
        st.integers(0, 3) if loss == "error_rate" else st.integers(-40, 40).map(lambda i: i / 8)
    )
    y, fitted, resampled, out = data.draw(predictions(values))
    rule = LOSSES[loss]
    err = oracle.mean_loss(rule, y, fitted)
    gamma = oracle.no_information(rule, y, fitted)
    err1 = oracle.leave_one_out_bootstrap(rule, y, resampled, out)
    estimate = fm.selection.bootstrap632(y, fitted, resampled, out, loss=loss)
    assert estimate.err == pytest.approx(float(err), rel=1e-12)
    assert estimate.err1 == pytest.approx(float(err1), rel=1e-12)
    assert estimate.gamma == pytest.approx(float(gamma), rel=1e-12, abs=1e-13)
    assert estimate.err632 == pytest.approx(float(oracle.err632(err, err1)), rel=1e-12)
    plus = float(oracle.err632_plus(err, err1, gamma))
    assert estimate.err632_plus == pytest.approx(plus, rel=1e-9, abs=1e-12)
    if estimate.err1 <= estimate.gamma:  # the plain form of the rule
        plain = (1 - estimate.weight) * estimate.err + estimate.weight * estimate.err1
        assert estimate.err632_plus == pytest.approx(plain, rel=1e-9, abs=1e-12)
    assert estimate.n_resamples == len(out)
    assert estimate.n_never_out == sum(not any(column) for column in zip(*out, strict=True))
    own = fm.selection.bootstrap632(y, fitted, resampled, out, loss=_by_rows(loss))
    assert own.err632_plus == pytest.approx(estimate.err632_plus, rel=1e-9, abs=1e-12)


def _by_rows(loss):
    rules = {
        "error_rate": lambda y, r: y != r,
        "mean_squared_error": lambda y, r: (y - r) ** 2,
        "mean_absolute_error": lambda y, r: np.abs(y - r),
    }
    return rules[loss]


def test_a_callable_is_called_for_pairs_in_blocks(rng, monkeypatch):
    y, r = rng.normal(size=(2, 60))
    whole = fm.selection.no_information_error(y, r, loss=_by_rows("mean_absolute_error"))
    for pairs in (200, 50):  # several predictions at a time, or one
        engine_sizes.put(monkeypatch, pairs_block=pairs)
        assert fm.selection.no_information_error(
            y, r, loss=_by_rows("mean_absolute_error")
        ) == pytest.approx(whole)
    assert fm.selection.no_information_error(y, r, loss="mean_absolute_error") == pytest.approx(
        whole
    )


def _log(y, chances):
    return -math.log(min(max(chances[y], 2.0**-52), 1 - 2.0**-52))


def _brier(y, chances):
    return sum((p - (c == y)) ** 2 for c, p in enumerate(chances))


def _hinge(y, margins):
    others = max(m for c, m in enumerate(margins) if c != y)
    return max(0.0, 1 - margins[y] + others)


def _deviance(power):
    def actual(y, r):
        if power == 1:
            return 2 * ((y * math.log(y / r) if y else 0.0) - y + r)
        if power == 2:
            return 2 * (math.log(r / y) + y / r - 1)
        top = max(y, 0.0) ** (2 - power) / ((1 - power) * (2 - power))
        return 2 * (top - y * r ** (1 - power) / (1 - power) + r ** (2 - power) / (2 - power))

    return actual


CELLS = [[0, 1, 5], [2, 0, 1], [7, 3, 0]]
#: Losses by what they take, and their definition for one example and one prediction.
BY_DEFINITION = [
    (("cost", {"cost_matrix": CELLS}), "labels", lambda y, r: Fraction(CELLS[y][r])),
    ("hamming_loss", "labels", oracle.zero_one),
    ("log_loss", "chances", _log),
    ("brier_score", "chances", _brier),
    ("hinge_loss", "margins", _hinge),
    ("mean_absolute_percentage_error", "numbers", lambda y, r: abs(y - r) / abs(y)),
    ("mean_squared_log_error", "numbers", lambda y, r: (math.log1p(y) - math.log1p(r)) ** 2),
    ("mean_pinball_loss", "numbers", lambda y, r: abs(y - r) / 2),
    (
        ("mean_pinball_loss", {"alpha": 0.9}),
        "numbers",
        lambda y, r: 0.9 * (y - r) if y >= r else 0.1 * (r - y),
    ),
    ("mean_tweedie_deviance", "numbers", lambda y, r: (y - r) ** 2),
    ("mean_poisson_deviance", "numbers", _deviance(1)),
    ("mean_gamma_deviance", "numbers", _deviance(2)),
    *(
        (("mean_tweedie_deviance", {"power": power}), "numbers", _deviance(power))
        for power in (-0.5, 1.5, 3.0)
    ),
]


@pytest.mark.parametrize(
    ("loss", "kind", "rule"), BY_DEFINITION, ids=[str(case[0]) for case in BY_DEFINITION]
)
def test_every_mean_of_losses_by_its_definition(loss, kind, rule, rng):
    """Err, err1 and gamma from each row, and from each pair; the estimator's way agrees."""
    n = 12
    y = np.arange(12) % 3
    said = rng.dirichlet(np.ones(3), size=(5, 12))
    if kind == "labels":
        said = rng.integers(0, 3, size=(5, n))
    elif kind == "margins":
        said = rng.normal(size=(5, n, 3))
    elif kind == "numbers":
        y = rng.gamma(2.0, size=n)
        said = rng.gamma(3.0, size=(5, n))
    out = rng.random((4, n)) < 0.4
    out[0] = True
    estimate = fm.selection.bootstrap632(y, said[0], said[1:], out, loss=loss)
    true, fitted, *resampled = y.tolist(), *said.tolist()
    assert estimate.err == pytest.approx(
        float(np.mean([rule(one, other) for one, other in zip(true, fitted, strict=True)]))
    )
    gamma = float(np.mean([rule(one, other) for one in true for other in fitted]))
    assert estimate.gamma == pytest.approx(gamma, rel=1e-12)
    assert fm.selection.no_information_error(y, said[0], loss=loss) == estimate.gamma
    bags = [[bag[i] for bag in np.array(resampled)[out[:, i]]] for i in range(n)]
    rows = [
        np.mean([rule(one, other) for other in own]) for one, own in zip(true, bags, strict=True)
    ]
    assert estimate.err1 == pytest.approx(float(np.mean(rows)), rel=1e-12)


@pytest.mark.parametrize("loss", ["log_loss", "brier_score", "hinge_loss"])
def test_of_two_classes_one_column_is_that_of_the_greater_label(loss, rng):
    y = np.array(["no", "yes"])[rng.integers(0, 2, 20)]
    p = rng.random(20)
    both = np.column_stack([1 - p, p])
    error = fm.selection.no_information_error(y, p, loss=loss)
    proportions = [np.mean(y == label) for label in ("no", "yes")]
    rules = {
        "log_loss": lambda c: -np.log(both[:, c]),
        "brier_score": lambda c: (1 - both[:, c]) ** 2,
        "hinge_loss": lambda c: np.maximum(0.0, 1 - (p if c else -p)),
    }
    expected = sum(share * rules[loss](c).mean() for c, share in enumerate(proportions))
    assert error == pytest.approx(expected, rel=1e-12)


def test_deviances_of_counts_that_are_all_none():
    """Without any event the deviance from a rate is twice the rate."""
    error = fm.selection.no_information_error([0, 0], [0.5, 2.0], loss="mean_poisson_deviance")
    assert error == pytest.approx(2.5)


def test_a_large_sample_needs_no_pairs(rng):
    """300,000 rows are 9e10 pairs: gamma of named losses follows from sorted rows or classes."""
    n = 300_000
    y = rng.integers(0, 3, n)
    p = rng.dirichlet(np.ones(3), size=n)
    assert fm.selection.no_information_error(y, p, loss="log_loss") > 1.0
    gap = fm.selection.no_information_error(*rng.normal(size=(2, n)), loss="mean_absolute_error")
    assert gap == pytest.approx(2 / math.sqrt(math.pi), rel=0.01)


def test_closed_forms_do_not_cancel():
    y = 1e9 + np.array([0.0, 1.0, 3.0])
    r = 1e9 + np.array([0.5, 0.5, 1.5])
    for loss in ("mean_squared_error", "mean_absolute_error"):
        exact = float(oracle.no_information(LOSSES[loss], y.tolist(), r.tolist()))
        assert fm.selection.no_information_error(y, r, loss=loss) == pytest.approx(exact, rel=1e-12)


def test_err1_is_averaged_by_row_not_by_sample():
    """Row 0 is out of two bags and wrong in both, row 1 of one and right: 1/2, not 2/3."""
    estimate = fm.selection.bootstrap632(
        [0, 1], [0, 1], [[1, 1], [1, 1]], [[True, True], [True, False]]
    )
    assert estimate.err1 == 0.5


def test_labels_of_text():
    y = ["a", "b", "b"]
    fitted = ["a", "b", "c"]
    assert fm.selection.no_information_error(y, fitted) == pytest.approx(1 - 1 / 9 - 2 / 9)
    out = [[True, False, True]]
    estimate = fm.selection.bootstrap632(
        y, fitted, [["b", "b", "b"]], out_of_bag=[[True, True, True]]
    )
    assert estimate.err1 == pytest.approx(1 / 3)
    with pytest.warns(fm.DegenerateDataWarning, match="1 of 3 rows are in all samples"):
        estimate = fm.selection.bootstrap632(y, fitted, [["b", "b", "b"]], out)
    assert (estimate.err1, estimate.n_never_out) == (0.5, 1)


def test_no_row_out_of_a_bag():
    with pytest.warns(fm.UndefinedMetricWarning, match="err1 is not defined"):
        estimate = fm.selection.bootstrap632([0, 1], [0, 1], [[0, 1]], [[False, False]])
    assert math.isnan(estimate.err1)
    assert math.isnan(estimate.err632_plus)
    assert math.isnan(estimate.relative_overfitting_rate)


GAMMA = fm.selection.no_information_error
RULES = fm.selection.bootstrap632
MSE: Any = {"loss": "mean_squared_error"}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: GAMMA([0, 1], ["a", "b"]), TypeError, "`y_true` holds numbers"),
        (lambda: GAMMA([0], [0], loss="f1"), ValueError, "'f1' is no mean of losses of rows, whi"),
        (lambda: GAMMA(["a"], ["b"], **MSE), TypeError, "`y_true` must hold numbers for loss="),
        (lambda: GAMMA([1.0], [math.nan], **MSE), ValueError, "`y_pred` must be finite"),
        (lambda: GAMMA([1.0, 2.0], [1.0, 1.0], loss=lambda y, r: 1.0), ValueError,
         r"one number for each of the 4 rows: got shape \(\)"),
        (lambda: GAMMA([1.0], [1.0], loss=lambda y, r: y * np.nan), ValueError,
         "must return finite numbers: got nan"),
        (lambda: GAMMA([1.0], [-2.0], loss="mean_squared_log_error"), ValueError,
         "`y_pred` must be greater than -1"),
        (lambda: GAMMA([0, 1], [0.5, 1.5], loss="brier_score"), ValueError,
         r"`y_pred` must lie in \[0, 1\]"),
        (lambda: GAMMA([0, 1, 2], [0.5, 0.5, 0.2], loss="log_loss"), ValueError,
         r"`y_pred` must have a column for each of 3 classes, .*: got shape \(3,\)"),
        (lambda: RULES([0, 1], [0, 1], [[0, 1]], [[1, 0]]), TypeError,
         "`out_of_bag` must hold booleans"),
    ],
)  # fmt: skip
def test_faults(call, error, message):
    with pytest.raises(error, match=message):
        call()


X, y = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)


def of_classes(k):
    """Return rows of so many classes, a model, and losses of probabilities and of labels."""
    few = np.flatnonzero(y < k)[::2]
    cost = ("cost", {"cost_matrix": np.arange(k**2.0).reshape(k, -1)})
    return X[few], y[few], KNeighborsClassifier(3), ["log_loss", "brier_score", cost]


FITTED = {
    "labels": (X[::3], y[::3], KNeighborsClassifier(1), ["error_rate"]),
    "numbers": (
        *(column[:40] for column in DIABETES),
        *(DecisionTreeRegressor(random_state=0), ["mean_squared_error"]),
    ),
    "two": of_classes(2),
    "three": of_classes(3),
}


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("kind", FITTED)
@pytest.mark.parametrize("rule", [".632", ".632+"])
def test_632_is_that_of_the_predictions(kind, rule):
    """Models fitted here, sample by sample, and handed to `bootstrap632` give the same terms."""
    data, target, model, metrics = FITTED[kind]
    evaluation = fm.selection.evaluate_estimator(
        model, data, target, cv=rule, metrics=metrics, n_resamples=15, rng=3
    )
    assert evaluation.n_splits == 15
    splits = [*fm.selection.BootstrapOutOfBag(15, rng=3).split(data, target)]
    out = [np.isin(np.arange(len(target)), test) for _, test in splits]
    sets = [np.arange(len(target)), *(train for train, _ in splits)]
    fits = [clone(model).fit(data[rows], target[rows]) for rows in sets]
    for metric, (name, one) in zip(metrics, evaluation.metrics.items(), strict=True):
        method = "predict_proba" if name in ("log_loss", "brier_score") else "predict"
        said = [getattr(fit, method)(data) for fit in fits]
        own = fm.selection.bootstrap632(target, said[0], said[1:], out, loss=metric)
        for part in ("err", "err1", "gamma", "err632", "err632_plus"):
            right = pytest.approx(getattr(own, part), rel=1e-12)
            assert getattr(one.bootstrap, part) == right, part
        assert one.estimate == (own.err632_plus if rule == ".632+" else own.err632)
        assert one.train_estimate == one.bootstrap.err
        assert one.confidence_interval is None
        for spread, side in (("standard_deviation", "test"), ("train_standard_deviation", "train")):
            values = evaluation.folds[f"{side}_{name}"]
            assert getattr(one, spread) == pytest.approx(np.std(values, ddof=1), rel=1e-12)


def test_632_of_a_margin_that_a_sample_cannot_have():
    """A model that was not shown a class has no decision value for it: the error is not known."""
    data = X[::10]
    target = np.where(np.arange(15) == 14, 2, y[::10] % 2)  # one row of the last class
    evaluation = fm.selection.evaluate_estimator(
        LinearSVC(), data, target, cv=".632", metrics="hinge_loss", n_resamples=9, rng=1
    )
    assert math.isnan(evaluation["hinge_loss"].estimate)
    assert evaluation["hinge_loss"].bootstrap.gamma > 0


def test_632_of_a_loss_of_one_s_own():
    options = {"cv": ".632+", "n_resamples": 40, "rng": 1}
    own = {"own": lambda y_true, y_pred: y_true != y_pred}
    evaluation = fm.selection.evaluate_estimator(TREE, X, y, metrics=own, **options)
    named = fm.selection.evaluate_estimator(TREE, X, y, **options)
    assert evaluation["own"].estimate == pytest.approx(named["error_rate"].estimate, rel=1e-12)


def test_632_plus_knows_a_model_without_information():
    """1-nearest-neighbour on labels of pure chance: .632 is too low, .632+ near one half."""
    data = np.random.default_rng(1).normal(size=(100, 5))
    target = np.arange(100) % 2
    model = KNeighborsClassifier(1)
    both = {
        rule: fm.selection.evaluate_estimator(model, data, target, cv=rule, n_resamples=60, rng=0)
        for rule in (".632", ".632+")
    }
    assert both[".632"]["error_rate"].estimate < 0.36
    assert abs(both[".632+"]["error_rate"].estimate - 0.5) < 0.1
