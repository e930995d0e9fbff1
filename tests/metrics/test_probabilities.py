"""Losses of probabilities and scores of classes."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from numpy.typing import NDArray
from peer_samples import assert_same_as_peer

import fastmetrics as fm
from reference import probability_oracle as oracle

#: Codes 0, 1, ... to labels of another kind, in the same order.
KINDS = {
    "int64": lambda codes: codes,
    "int8": lambda codes: codes.astype(np.int8),
    "uint8": lambda codes: codes.astype(np.uint8) * 50,
    "big-endian": lambda codes: codes.astype(">i4"),
    "uint64": lambda codes: codes.astype(np.uint64),
    "floats": lambda codes: codes.astype(np.float32),
    "from 1": lambda codes: codes + 1,
    "gaps": lambda codes: codes * 7 - 3,
    "signs": lambda codes: 2 * codes - 1,
    "text": lambda codes: np.array(list("abcdefgh"))[codes],
    "objects": lambda codes: np.array(list("abcdefgh"), dtype=object)[codes],
    "strided": lambda codes: np.repeat(codes, 3)[::3],
}
WEIGHTS = ("none", "counts", "fractions")


def weights_of(kind: str, n: int, rng: np.random.Generator) -> NDArray[Any] | None:
    if kind == "none":
        return None
    return rng.integers(0, 3, n) + (np.arange(n) == 0) if kind == "counts" else rng.random(n)


def probabilities(n: int, k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    p = rng.random((n, k)) ** 3
    return p / p.sum(axis=1, keepdims=True)


def same_as_sklearn(name: str, *args: Any, rtol: float = 1e-12, **more: Any) -> None:
    """Check that value, error and warnings are scikit-learn's."""
    both = getattr(fm, name), getattr(sklearn.metrics, name)
    assert_same_as_peer(*both, *args, rtol=rtol, atol=rtol, **more)


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_same_as_sklearn_beside_columns(rng, kind, weights, k):
    y = KINDS[kind](np.resize(rng.permutation(k), 40))
    w = weights_of(weights, 40, rng)
    y_proba = probabilities(40, k, rng)
    layouts = (y_proba, y_proba.astype(np.float32), np.asfortranarray(y_proba))
    options = ({"labels": np.unique(y)}, {}, {"normalize": False})
    for columns, more in zip(layouts, options, strict=True):
        rtol = 1e-5 if columns.dtype == np.float32 else 1e-12
        same_as_sklearn("log_loss", y, columns, sample_weight=w, rtol=rtol, **more)
        same_as_sklearn("d2_log_loss_score", y, columns, sample_weight=w, rtol=10 * rtol)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_indicator_matrices(rng, weights):
    y = rng.integers(0, 2, (30, 4))
    y_proba = probabilities(30, 4, rng)
    w = weights_of(weights, 30, rng)
    for more in ({}, {"normalize": False}):
        same_as_sklearn("log_loss", y, y_proba, sample_weight=w, **more)
    same_as_sklearn("d2_log_loss_score", y, y_proba, sample_weight=w)
    same_as_sklearn("log_loss", y, y_proba[:, :3])
    same_as_sklearn("log_loss", y, y_proba, labels=[0, 1, 2, 3])


@pytest.mark.parametrize("y", [[1, 1], [0, 0], [-1, -1], [5, 5], ["a", "a"], [True, True]])
@pytest.mark.parametrize("labels", [None, [0, 1], [-1, 1], ["a", "b"], [1], [0, 1, 5]])
def test_one_class_and_its_labels(y, labels):
    same_as_sklearn("log_loss", y, [0.25, 0.5], **({} if labels is None else {"labels": labels}))


def test_labels_name_a_class_that_is_missing():
    y_proba = [[0.25, 0.75, 0.0], [0.5, 0.25, 0.25]]
    named = {"labels": [0, 1, 2]}
    assert fm.log_loss([1, 0], y_proba, **named) == pytest.approx(-math.log(0.375) / 2)
    assert fm.brier_score_loss([1, 0], y_proba, **named) == float(oracle.brier([1, 0], y_proba))
    for y in ([0, 1], [0, 0]):
        same_as_sklearn("hinge_loss", y, [[2.0, 0.5, 0.0], [0.5, 1.0, 0.0]], **named)


def test_unsorted_labels_warn():
    with pytest.warns(
        UserWarning, match=r"Labels passed were .1, 0.. .* Pass the ordered labels=.0, 1. and"
    ):
        value = fm.log_loss([1, 0], [0.75, 0.25], labels=[1, 0])
    assert value == pytest.approx(-math.log(0.75))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("y", [[0, 1], [1, 0]])
def test_clips_at_the_epsilon_of_the_dtype(dtype, y):
    eps = float(np.finfo(dtype).eps)
    p = np.array([0.0, 1.0], dtype=dtype)
    want = oracle.log_loss(y, oracle.two_columns(p.tolist()), eps=eps)
    assert fm.log_loss(y, p) == pytest.approx(want, rel=1e-12)
    same_as_sklearn("log_loss", y, p, rtol=2e-3 if dtype == np.float16 else 1e-6)
    assert fm.log_loss(y, np.column_stack([1 - p, p])) == pytest.approx(want, rel=1e-12)


def test_eps():
    y, p = [0, 1, 1], [0.1, 0.9, 0.0]
    assert fm.log_loss(y, p, eps=0) == math.inf
    assert fm.log_loss([0, 1, 0], [0.1, 0.9, 1.0], eps=0) == math.inf
    assert fm.log_loss(y, p, eps=0, sample_weight=[1, 1, 0]) == pytest.approx(-math.log(0.9))
    assert fm.log_loss(y, p, eps=0, normalize=False) == math.inf
    assert fm.log_loss([0, 1], [[0.0, 1.0]] * 2, eps=0) == math.inf
    assert fm.log_loss([[1, 0], [1, 1]], [[0.0, 1.0]] * 2, eps=0) == math.inf
    assert fm.log_loss([0, 1], [0.0, 1.0], eps=0) == 0.0
    assert fm.log_loss(y, p, eps=0.25) == pytest.approx(-math.log(0.75 * 0.75 * 0.25) / 3)
    assert fm.log_loss(y, p, eps=1e-300) == pytest.approx((300 * math.log(10) - math.log(0.81)) / 3)
    for wrong in (-1e-9, 0.5, 1.0, math.nan):
        with pytest.raises(ValueError, match="`eps` must lie in"):
            fm.log_loss(y, p, eps=wrong)


@pytest.mark.pairwise
@pytest.mark.parametrize("n", [10, 5_000])
@pytest.mark.parametrize("scale", [1e-1, 1e-6, 1e-15, 1e-200])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_small_losses_keep_their_digits(rng, n, scale, weights):
    codes = np.arange(n) % 2
    w = weights_of(weights, n, rng)
    p = rng.random(n) * scale
    p[codes == 1] = 1 - p[codes == 1]
    terms = [oracle.minus_log(q, 0) for q in p[codes == 1]]
    want_weights = np.ones(n) if w is None else w
    logs = np.zeros(n)
    logs[codes == 1] = terms
    logs[codes == 0] = -np.log1p(-p[codes == 0])
    want = math.fsum(logs * want_weights) / math.fsum(want_weights)
    assert fm.log_loss(codes, p, sample_weight=w, eps=0) == pytest.approx(want, rel=2.0**-45, abs=0)


@pytest.mark.parametrize("shift", [1e-6, -1e-6, 0.1])
def test_rows_that_do_not_sum_to_one_warn(shift):
    y_proba = np.array([[0.5, 0.25, 0.25], [0.25 + shift, 0.5, 0.25], [0.2, 0.3, 0.5]])
    with pytest.warns(UserWarning, match=r"do not sum to one.*1 of 3 rows"):
        fm.log_loss([0, 1, 2], y_proba)
    same_as_sklearn("log_loss", [0, 1, 2], y_proba)
    same_as_sklearn("log_loss", [0, 1, 2], y_proba.astype(np.float32), rtol=1e-5)


def test_d2_of_one_row_is_undefined():
    with pytest.warns(fm.UndefinedMetricWarning, match="less than two samples"):
        assert math.isnan(fm.d2_log_loss_score([1], [0.5]))


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.bool_, np.int32])
def test_no_temporary_of_n_rows(rng, dtype):
    n = 3_000_000
    y = (rng.random(n) < 0.5).astype(dtype)
    p = rng.random(n)
    fm.log_loss(y, p, n_threads=1)
    tracemalloc.start()
    fm.log_loss(y, p, n_threads=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (2_500_000 if dtype == np.int32 else 200_000)  # one job's labels as int64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["d2_log_loss_score", "d2_brier_score"])
@pytest.mark.parametrize(("label", "chance"), [(1, 0.75), (0, 0.75), (1, 1.0), (0, 0.0)])
@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_d2_of_one_class_at_every_entry_point(name, label, chance, dtype):
    """The shares of one class have no loss: -inf, or nan of a model that has none either."""
    y = [label] * 4
    p = np.full(4, chance, dtype)
    value = math.nan if chance in (0.0, 1.0) else -math.inf
    with pytest.warns(fm.UndefinedMetricWarning, match="Only one class is present"):
        np.testing.assert_equal(getattr(fm, name)(y, p, labels=[0, 1]), value)
    with pytest.warns(fm.UndefinedMetricWarning, match=name):
        np.testing.assert_equal(fm.estimate(y, p, metrics=name)[name].estimate, value)
    with pytest.warns(fm.UndefinedMetricWarning, match=name):
        result = fm.compare(y, {"a": p, "b": np.full(4, 0.5)}, metrics=name)
    assert result[name].pairs[0].better is None
    assert "better by" not in result.verdict


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("half", [np.True_, False, "auto"])
def test_same_as_sklearn_beside_one_column(rng, kind, weights, dtype, half):
    y = KINDS[kind](rng.integers(0, 2, 40))
    p = rng.random(40).astype(dtype)
    w = weights_of(weights, 40, rng)
    rtol = 1e-5 if dtype == "f4" else 1e-12
    for more in ({}, *({"pos_label": label} for label in np.unique(y).tolist())):
        same_as_sklearn(
            "brier_score_loss", y, p, sample_weight=w, scale_by_half=half, rtol=rtol, **more
        )
        if half == "auto":
            same_as_sklearn("d2_brier_score", y, p, sample_weight=w, rtol=10 * rtol, **more)
    same_as_sklearn("brier_score_loss", y, p[:, np.newaxis], sample_weight=w, rtol=rtol)


def test_indicator_matrices_brier(rng):
    y = rng.integers(0, 2, (30, 4))
    y_proba = probabilities(30, 4, rng)
    for w in (None, rng.random(30)):
        same_as_sklearn("brier_score_loss", y, y_proba, sample_weight=w)
        same_as_sklearn("d2_brier_score", y, y_proba, sample_weight=w)


@pytest.mark.parametrize("y", [[0, 0], [1, 1], [-1, -1], [5, 5], [True, True], [0.0, 0.0]])
@pytest.mark.parametrize("pos_label", [None, 0, 1, 5, 2])
def test_one_class_beside_one_column(y, pos_label):
    same_as_sklearn("brier_score_loss", y, [0.25, 0.5], pos_label=pos_label)


def test_which_label_is_positive():
    p = [0.25, 0.5]
    assert fm.brier_score_loss([2, 7], p) == fm.brier_score_loss([0, 1], p)
    assert fm.brier_score_loss([2, 7], p, pos_label=2) == fm.brier_score_loss([1, 0], p)
    assert fm.brier_score_loss(["b", "a"], p, pos_label="b") == fm.brier_score_loss([1, 0], p)
    with pytest.raises(ValueError, match=r"`pos_label` must say which label is positive: .*text"):
        fm.brier_score_loss(["b", "a"], p)
    for y, wrong in (([0, 1], 2), (["b", "a"], "c"), (["b", "a"], 1), ([0, 1], 0.5)):
        with pytest.raises(ValueError, match=f"`pos_label`={wrong!r} is not a label of `y_true`"):
            fm.brier_score_loss(y, p, pos_label=wrong)
    with pytest.raises(ValueError, match=r"must hold two classes beside one column .* got 3"):
        fm.brier_score_loss([0, 1, 2], [0.1, 0.2, 0.3], pos_label=1)


def test_a_rare_label_is_seen_in_full(rng):
    """The guess from some of the rows is wrong here: the third row, and two others, say more."""
    y = np.zeros(5_000, dtype=np.int64)
    y[2] = 1
    p = rng.random(5_000)
    same_as_sklearn("brier_score_loss", y, p)
    y[2] = -1
    same_as_sklearn("brier_score_loss", y, p)
    y[2] = 7
    same_as_sklearn("brier_score_loss", y, p)
    same_as_sklearn("log_loss", y, p)
    y[3] = 8
    same_as_sklearn("brier_score_loss", y, p)
    same_as_sklearn("log_loss", y, p)


def test_undefined_shares():
    with pytest.warns(fm.UndefinedMetricWarning, match="less than two samples"):
        assert math.isnan(fm.d2_brier_score([1], [0.5]))
    with pytest.warns(fm.UndefinedMetricWarning, match="Only one class"):
        assert fm.d2_brier_score([1, 1], [0.5, 1.0]) == -math.inf
    with pytest.warns(fm.UndefinedMetricWarning, match="Only one class"):
        assert math.isnan(fm.d2_brier_score([1, 1], [1.0, 1.0]))


@pytest.mark.parametrize("n_classes", [2, 5, 17])
def test_the_shares_themselves_explain_nothing(n_classes, rng):
    """Exactly 0, whatever the rounding of the two sums: -2e-16 would be worse than the shares."""
    for n in (40, 999, 20_011):
        y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
        for weights in (None, rng.random(n)):
            fractions = np.average(np.eye(n_classes)[y], axis=0, weights=weights)
            constant = np.tile(fractions, (n, 1))
            assert fm.d2_brier_score(y, constant, sample_weight=weights) == 0.0
        assert fm.d2_brier_score(y, np.where(constant == constant.max(), 1.0, 0.0)) < -0.1


def test_one_class_in_y_true():
    """scikit-learn takes every such row for a negative, whatever its label."""
    for y, more in (
        ([1, 1], {}),
        ([1, 1], {"labels": [0, 1]}),
        ([True, True], {}),
        (["b", "b"], {"labels": ["a", "b"]}),
        ([7, 7], {"labels": [2, 7]}),
    ):
        assert fm.hinge_loss(y, [2.0, 0.5], **more) == 0.25
    for y, more in (([0, 0], {}), ([-1, -1], {}), ([2, 2], {"labels": [2, 7]})):
        assert fm.hinge_loss(y, [2.0, 0.5], **more) == 2.25
    for y in ([7, 7], ["b", "b"]):
        with pytest.raises(ValueError, match="one label only"):
            fm.hinge_loss(y, [2.0, 0.5])
    with pytest.raises(ValueError, match="which is not in `labels`"):
        fm.hinge_loss([7, 7], [2.0, 0.5], labels=[0, 1])


def test_huge_decisions():
    assert fm.hinge_loss([0, 1], [-1e308, 1e308]) == 0.0
    assert fm.hinge_loss([0, 1], [1e300, 1e300]) == pytest.approx(5e299)
    assert fm.hinge_loss([0, 0, 1], [1.5e308, 1.5e308, 1.0]) == math.inf


TIES = ("last", "first", "expected", "best", "worst")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_same_as_sklearn_with_two_classes(rng, kind, weights):
    y = KINDS[kind](rng.integers(0, 2, 40))
    w = weights_of(weights, 40, rng)
    for scores in (
        rng.random(40).round(1),
        rng.normal(size=40).round(),
        rng.integers(0, 2, 40),
        np.full(40, 0.5),
    ):
        for k, more in (
            (1, {}),
            (1, {"labels": np.unique(y)}),
            (1, {"normalize": False}),
            (2, {"normalize": False}),
            (3, {}),
        ):
            same_as_sklearn("top_k_accuracy_score", y, scores, k=k, sample_weight=w, **more)


def test_top_1_and_top_5_by_k():
    scores = np.eye(6)[[0, 1, 2, 3, 4, 4]] + np.arange(6, 0, -1) / 10
    y = [0, 1, 2, 3, 4, 5]
    assert fm.top_k_accuracy_score(y, scores, k=1) == 5 / 6
    assert fm.top_k_accuracy_score(y, scores, k=5) == 5 / 6
    assert fm.top_k_accuracy_score(y, scores, k=5, ties="worst") == 5 / 6
    with pytest.warns(fm.UndefinedMetricWarning, match="perfect score"):
        assert fm.top_k_accuracy_score(y, scores, k=6) == 1.0


def test_a_score_at_the_threshold_of_two_classes():
    y = [0, 1, 1]
    values = [fm.top_k_accuracy_score(y, [0.5] * 3, k=1, ties=ties) for ties in TIES]
    assert values == [1 / 3, 2 / 3, 0.5, 1.0, 0.0]
    values = [fm.top_k_accuracy_score(y, [0.0, 0.0, 2.0], k=1, ties=ties) for ties in TIES]
    assert values == [2 / 3, 2 / 3, 2 / 3, 1.0, 1 / 3]


def test_labels():
    scores = [[0.1, 0.2, 0.7], [0.5, 0.2, 0.3]]
    same_as_sklearn("top_k_accuracy_score", [0, 2], scores, k=1, labels=[0, 1, 2])
    same_as_sklearn("top_k_accuracy_score", ["a", "c"], scores, k=1, labels=["a", "b", "c"])
    for labels, rule in (
        ([0, 2, 1], "must be ordered"),
        ([0, 2, 2], "must be unique"),
        ([0, 2], "`labels` must name as many classes as `y_score` has columns, 3: got 2"),
        ([0, 1, 3], "`y_true` contains 2, which is not in `labels`"),
        (None, "scores of 2 classes, those of `y_true`: got scores of 3"),
    ):
        same_as_sklearn("top_k_accuracy_score", [0, 2], scores, labels=labels)
        with pytest.raises(ValueError, match=rule):
            fm.top_k_accuracy_score([0, 2], scores, labels=labels)


def test_integers_are_not_rounded():
    big = 2**53
    scores = np.array([[big, big + 1, 0], [big + 1, big, 0], [0, 0, big]])
    assert fm.top_k_accuracy_score([1, 0, 2], scores, k=1, ties="worst") == 1.0
    assert fm.top_k_accuracy_score([1, 0, 2], scores.astype(np.uint64) + 2**63, k=1) == 1.0
