"""Log loss: the definition, scikit-learn over kinds of labels, extreme and wrong probabilities."""

import math
import tracemalloc

import numpy as np
import pytest
import sklearn.metrics
from probability_samples import KINDS, WEIGHTS, probabilities, same_as_sklearn, weights_of

import fastmetrics
from fastmetrics import UndefinedMetricWarning, d2_log_loss_score, log_loss
from reference import probability_oracle as oracle


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_same_as_sklearn_beside_columns(rng, kind, weights, k):
    codes = np.resize(rng.permutation(k), 40)
    y, w = KINDS[kind](codes), weights_of(weights, 40, rng)
    y_proba = probabilities(40, k, rng)
    layouts = (y_proba, y_proba.astype(np.float32), np.asfortranarray(y_proba))
    options = ({"labels": np.unique(y)}, {}, {"normalize": False})
    for columns, more in zip(layouts, options, strict=True):
        rtol = 1e-5 if columns.dtype == np.float32 else 1e-12
        same_as_sklearn("log_loss", y, columns, sample_weight=w, rtol=rtol, **more)
        same_as_sklearn("d2_log_loss_score", y, columns, sample_weight=w, rtol=10 * rtol)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_indicator_matrices(rng, weights):
    y, y_proba = rng.integers(0, 2, (30, 4)), probabilities(30, 4, rng)
    w = weights_of(weights, 30, rng)
    for more in ({}, {"normalize": False}):
        same_as_sklearn("log_loss", y, y_proba, sample_weight=w, **more)
    same_as_sklearn("d2_log_loss_score", y, y_proba, sample_weight=w)
    same_as_sklearn("log_loss", y, y_proba[:, :3])
    same_as_sklearn("log_loss", y, y_proba, labels=[0, 1, 2, 3])


@pytest.mark.parametrize("y", [[1, 1], [0, 0], [-1, -1], [5, 5], ["a", "a"], [True, True]])
@pytest.mark.parametrize("labels", [None, [0, 1], [-1, 1], ["a", "b"], [1], [0, 1, 5]])
def test_one_class_and_its_labels(y, labels):
    given_ = {} if labels is None else {"labels": labels}
    ours = sklearn_error(fastmetrics.log_loss, y, [0.25, 0.5], **given_)
    theirs = sklearn_error(sklearn.metrics.log_loss, y, [0.25, 0.5], **given_)
    assert ours == pytest.approx(theirs) if isinstance(theirs, float) else ours == theirs


def sklearn_error(function, *args, **more):
    try:
        return function(*args, **more)
    except (TypeError, ValueError) as error:
        return "error" if isinstance(error, TypeError | ValueError) else error


def test_missing_class_needs_labels():
    y_proba = [[0.2, 0.7, 0.1], [0.6, 0.2, 0.2]]
    with pytest.raises(ValueError, match="2 classes in `y_true`, 3 columns"):
        log_loss([1, 0], y_proba)
    assert log_loss([1, 0], y_proba, labels=[0, 1, 2]) == pytest.approx(-math.log(0.42) / 2)
    with pytest.raises(ValueError, match="as many classes as `y_proba` has columns, 3: got 2"):
        log_loss([1, 0], y_proba, labels=[0, 1])
    with pytest.raises(ValueError, match="contains 4, which is not in `labels`"):
        log_loss([1, 4], y_proba, labels=[0, 1, 2])
    with pytest.raises(ValueError, match=r"only one label, 1: `labels` must name .* \(3\)"):
        log_loss([1, 1], y_proba)
    with pytest.raises(ValueError, match="must be unique"):
        log_loss([1, 0], y_proba, labels=[0, 1, 1])
    with pytest.raises(ValueError, match=r"`labels` must name two classes or more: got \[1\]"):
        log_loss([1, 1], [0.2, 0.2], labels=[1])


def test_unsorted_labels_warn():
    with pytest.warns(
        UserWarning, match=r"Labels passed were .1, 0.. .* Pass the ordered labels=.0, 1. and"
    ):
        found = log_loss([1, 0], [0.75, 0.25], labels=[1, 0])
    assert found == pytest.approx(-math.log(0.75))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("y", [[0, 1], [1, 0]])
def test_clips_at_the_epsilon_of_the_dtype(dtype, y):
    eps = float(np.finfo(dtype).eps)
    p = np.array([0.0, 1.0], dtype=dtype)
    want = oracle.log_loss(y, oracle.two_columns(p.tolist()), eps=eps)
    assert log_loss(y, p) == pytest.approx(want, rel=1e-12)
    same_as_sklearn("log_loss", y, p, rtol=2e-3 if dtype == np.float16 else 1e-6)
    rows = np.column_stack([1 - p, p])
    assert log_loss(y, rows) == pytest.approx(want, rel=1e-12)


def test_eps():
    y, p = [0, 1, 1], [0.1, 0.9, 0.0]
    assert log_loss(y, p, eps=0) == math.inf
    assert log_loss([0, 1, 0], [0.1, 0.9, 1.0], eps=0) == math.inf
    assert log_loss(y, p, eps=0, sample_weight=[1, 1, 0]) == pytest.approx(-math.log(0.9))
    assert log_loss(y, p, eps=0, normalize=False) == math.inf
    assert log_loss([0, 1], [[0.0, 1.0]] * 2, eps=0) == math.inf
    indicator = [[1, 0], [1, 1]]
    assert log_loss(indicator, [[0.0, 1.0]] * 2, eps=0) == math.inf
    assert log_loss([0, 1], [0.0, 1.0], eps=0) == 0.0
    assert log_loss(y, p, eps=0.25) == pytest.approx(-math.log(0.75 * 0.75 * 0.25) / 3)
    assert log_loss(y, p, eps=1e-300) == pytest.approx((300 * math.log(10) - math.log(0.81)) / 3)
    for wrong in (-1e-9, 0.5, 1.0, math.nan):
        with pytest.raises(ValueError, match="`eps` must lie in"):
            log_loss(y, p, eps=wrong)


@pytest.mark.pairwise
@pytest.mark.parametrize("n", [10, 5_000])
@pytest.mark.parametrize("scale", [1e-1, 1e-6, 1e-15, 1e-200])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_small_losses_keep_their_digits(rng, n, scale, weights):
    codes, w = np.arange(n) % 2, weights_of(weights, n, rng)
    p = rng.random(n) * scale
    p[codes == 1] = 1 - p[codes == 1]
    terms = [oracle.minus_log(q, 0) for q in p[codes == 1]]
    want_weights = np.ones(n) if w is None else w
    logs = np.zeros(n)
    logs[codes == 1] = terms
    logs[codes == 0] = -np.log1p(-p[codes == 0])
    want = math.fsum(logs * want_weights) / math.fsum(want_weights)
    assert log_loss(codes, p, sample_weight=w, eps=0) == pytest.approx(want, rel=2.0**-45, abs=0)


@pytest.mark.parametrize("shift", [1e-6, -1e-6, 0.1])
def test_rows_that_do_not_sum_to_one_warn(shift):
    y_proba = np.array([[0.5, 0.25, 0.25], [0.25 + shift, 0.5, 0.25], [0.2, 0.3, 0.5]])
    with pytest.warns(UserWarning, match=r"do not sum to one.*1 of 3 rows"):
        log_loss([0, 1, 2], y_proba)
    same_as_sklearn("log_loss", [0, 1, 2], y_proba)
    same_as_sklearn("log_loss", [0, 1, 2], y_proba.astype(np.float32), rtol=1e-5)


def test_former_name():
    with pytest.warns(FutureWarning, match="renamed to `y_proba`"):
        assert log_loss([0, 1], y_pred=[0.5, 0.5]) == pytest.approx(math.log(2))
    with pytest.raises(ValueError, match="former name of `y_proba`: got both"):
        d2_log_loss_score([0, 1], [0.5, 0.5], y_pred=[0.5, 0.5])


def test_shapes():
    with pytest.raises(ValueError, match="`y_proba` must have shape"):
        log_loss([0, 1], np.full((2, 2, 2), 0.5))
    with pytest.raises(ValueError, match="`y_true` holds probabilities"):
        log_loss([0.5, 1.0], [0.1, 0.2])
    with pytest.raises(ValueError, match="3 classes in `y_true`, 2 columns"):
        log_loss([0, 1, 2], [0.1, 0.2, 0.3])


def test_d2_of_one_row_is_undefined():
    with pytest.warns(UndefinedMetricWarning, match="less than two samples"):
        assert math.isnan(d2_log_loss_score([1], [0.5]))


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.bool_, np.int32])
def test_no_temporary_of_n_rows(rng, dtype):
    n = 3_000_000
    y, p = (rng.random(n) < 0.5).astype(dtype), rng.random(n)
    log_loss(y, p, n_threads=1)
    tracemalloc.start()
    log_loss(y, p, n_threads=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (2_500_000 if dtype == np.int32 else 200_000)  # one job's labels as int64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["d2_log_loss_score", "d2_brier_score"])
@pytest.mark.parametrize(("label", "chance"), [(1, 0.75), (0, 0.75), (1, 1.0), (0, 0.0)])
@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_d2_of_one_class_at_every_entry_point(name, label, chance, dtype):
    """The shares of one class have no loss: -inf, or nan of a model that has none either."""
    y, p = [label] * 4, np.full(4, chance, dtype)
    value = math.nan if chance in (0.0, 1.0) else -math.inf
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present"):
        np.testing.assert_equal(getattr(fastmetrics, name)(y, p, labels=[0, 1]), value)
    with pytest.warns(UndefinedMetricWarning, match=name):
        np.testing.assert_equal(fastmetrics.estimate(y, p, metrics=name)[name].estimate, value)
    with pytest.warns(UndefinedMetricWarning, match=name):
        found = fastmetrics.compare(y, {"a": p, "b": np.full(4, 0.5)}, metrics=name)
    assert found[name].pairs[0].better is None
    assert "better by" not in found.verdict
