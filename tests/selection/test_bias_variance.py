"""Bias, variance and noise against their definitions, and their sum against the loss."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import engine_sizes
from fastmetrics.selection import bias_variance
from reference import bias_variance_oracle as oracle

FIGURES = json.loads(
    (Path(oracle.__file__).parent / "reference_values.json").read_text(encoding="utf-8")
)["bias_variance_01"]
Y = FIGURES["y"]
P = FIGURES["preds_model_x_point"]


def parts(result):
    return result.bias, result.variance, result.noise


@st.composite
def matrices(draw, values, models=6, replicates=4, n=6):
    n = draw(st.integers(1, n))
    rows = st.lists(values, min_size=n, max_size=n)
    true = draw(st.lists(rows, min_size=1, max_size=replicates))
    return true, draw(st.lists(rows, min_size=1, max_size=models))


def test_published_figures():
    decomposition = bias_variance(Y, P, decomposition="domingos")
    assert decomposition.loss == FIGURES["loss"]
    assert decomposition.bias == FIGURES["domingos"]["bias"]
    assert decomposition.variance == FIGURES["domingos"]["net_var"]
    assert decomposition.details["unbiased_variance"] == FIGURES["domingos"]["var_unbiased"]
    assert decomposition.details["biased_variance"] == FIGURES["domingos"]["var_biased"]
    decomposition = bias_variance(Y, P, decomposition="kohavi-wolpert")
    assert decomposition.loss == FIGURES["loss"]
    assert decomposition.bias == FIGURES["kohavi_wolpert"]["bias2"]
    assert decomposition.variance == FIGURES["kohavi_wolpert"]["var"]


# What mlxtend 0.25.0 (bias_variance_decomp) returns for these predictions: loss, bias, variance.
MLXTEND = [
    ("domingos", Y, P, (0.45, 0.5, 0.25)),
    ("domingos", [0], [[1], [1], [2], [0]], (0.75, 1.0, 0.5)),
    ("domingos", [1, 0, 0], [[1, 0, 0], [1, 0, 1], [1, 1, 0]], (2 / 9, 0.0, 2 / 9)),
    (
        "squared",
        [0.5, -1.0, 0.25],
        [[0.0, 0.3, -0.27], [-0.89, -0.45, -0.99], [0.06, 1.34, -0.49], [-0.62, 0.49, 0.36]],
        (1.3071666666666668, 1.0391041666666667, 0.26806250000000004),
    ),
]


@pytest.mark.parametrize(("decomposition", "true", "predicted", "theirs"), MLXTEND)
def test_mlxtend(decomposition, true, predicted, theirs):
    actual = bias_variance(true, predicted, decomposition=decomposition)
    assert (actual.loss, actual.bias) == pytest.approx(theirs[:2])
    if actual.bias == 0.0 or decomposition == "squared":
        assert actual.variance == pytest.approx(theirs[2])
        return
    # Wrong there: the variance of biased examples has a plus sign, so that the parts of the 0-1
    # loss do not add up to the loss that stands beside them.
    plus = actual.details["unbiased_variance"] + actual.details["biased_variance"]
    assert plus == pytest.approx(theirs[2])
    assert theirs[1] + theirs[2] > theirs[0] + 0.1
    assert actual.bias + actual.variance == pytest.approx(actual.loss)


def test_ties_of_the_main_prediction_go_to_the_smallest_label():
    low = bias_variance([3], [[5], [3]], decomposition="domingos")
    assert (low.bias, low.variance, low.loss) == (0.0, 0.5, 0.5)
    high = bias_variance([5], [[5], [3]], decomposition="domingos")
    assert (high.bias, high.variance, high.loss) == (1.0, -0.5, 0.5)
    # and so do ties of the optimal prediction
    noisy = bias_variance([[5], [3]], [[3]], decomposition="domingos")
    assert (noisy.bias, noisy.noise, noisy.details["noise_rate"]) == (0.0, 0.5, 0.5)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_against_the_definitions(n_classes):
    @given(matrices(st.integers(0, n_classes - 1)))
    def check(sample):
        true, predicted = sample
        cells = 2 * (len(true) * len(predicted)) ** 2 * len(true[0])
        loss = oracle.expected_loss(true, predicted, oracle.zero_one)
        for name, definition in (
            ("domingos", oracle.domingos),
            ("kohavi-wolpert", oracle.kohavi_wolpert),
        ):
            expected = definition(true, predicted)
            decomposition = bias_variance(true, predicted, decomposition=name)
            assert parts(decomposition) == tuple(map(float, expected[:3]))
            assert decomposition.loss == float(loss)
            if name == "domingos":
                details = ("unbiased_variance", "biased_variance", "noise_rate")
                assert [decomposition.details[key] for key in details] == list(
                    map(float, expected[3:])
                )
            # exactly, not only in floats: each is a rational with a known denominator
            exact = [Fraction(part).limit_denominator(cells) for part in parts(decomposition)]
            assert sum(exact) == Fraction(decomposition.loss).limit_denominator(cells) == loss

    check()


@pytest.mark.parametrize("largest", [1, 100, 2**15, 2**20, 2**40])
def test_squared_loss_of_integers_is_exact(largest):
    @given(matrices(st.integers(-largest, largest)))
    def check(sample):
        true, predicted = sample
        decomposition = bias_variance(true, predicted)
        expected = tuple(map(float, oracle.squared(true, predicted)))
        loss = float(oracle.expected_loss(true, predicted, oracle.square))
        if largest < 2**20:  # these are added in integers
            assert (*parts(decomposition), decomposition.loss) == (*expected, loss)
        assert (*parts(decomposition), decomposition.loss) == pytest.approx(
            (*expected, loss), rel=1e-12, abs=1e-14 * loss
        )

    check()


def test_squared_loss_far_from_zero():
    true = [[1e9, 1e9 + 1]]
    predicted = [[1e9 + 2**-10, 1e9], [1e9 + 2**-9, 1e9]]
    expected = tuple(map(float, oracle.squared(true, predicted)))
    assert parts(bias_variance(true, predicted)) == expected


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_squares_out_of_range(scale):
    decomposition = bias_variance([0.0, 0.0], [[scale, scale], [3 * scale, -scale]])
    # bias^2 5/2, variance 1, in units that no square of doubles can hold
    assert (
        decomposition.loss
        == decomposition.bias + decomposition.variance
        == (0.0 if scale < 1 else np.inf)
    )
    near = bias_variance([0.0, 0.0], np.array([[1, 1], [3, -1]]) * 2.0**-530)
    assert (near.bias, near.variance) == (2 * 2.0**-1060, 1 * 2.0**-1060)


def test_equal_predictions_have_no_variance(rng):
    row = rng.normal(size=50) / 3
    decomposition = bias_variance(row + 0.1, np.tile(row, (7, 1)))
    assert decomposition.variance == 0.0 == decomposition.noise
    assert decomposition.bias == pytest.approx(0.01)


@pytest.mark.parametrize("decomposition", ["squared", "domingos", "kohavi-wolpert"])
def test_blocks_threads_and_containers_change_nothing(decomposition, rng, monkeypatch):
    engine_sizes.put(monkeypatch, label_block=1 << 17, loss_block=1 << 15)  # 1,310 examples, 327
    true = rng.integers(0, 2, 1_500)
    predicted = rng.integers(-1, 3, (100, 1_500))
    whole = bias_variance(true, predicted, decomposition=decomposition, n_threads=1)
    assert whole.n_models == 100
    n = 0
    total = np.zeros(4)
    for start in range(0, 1_500, 625):
        piece = slice(start, start + 625)
        actual = bias_variance(true[piece], predicted[:, piece], decomposition=decomposition)
        total += np.array([actual.loss, *parts(actual)]) * actual.n_samples
        n += actual.n_samples
    assert [whole.loss, *parts(whole)] == pytest.approx(total / n, rel=1e-12)
    for same in (
        predicted.astype(np.int8),
        predicted.astype(np.float32),
        np.asfortranarray(predicted),
        predicted.astype(">i4"),
        pd.DataFrame(predicted),
    ):
        actual = bias_variance(true, same, decomposition=decomposition, n_threads=2)
        is_float = decomposition == "squared" and np.asarray(same).dtype.kind == "f"
        tolerance = 1e-13 if is_float else 0.0  # the squares of floats are added in floats
        expected = [whole.loss, *parts(whole)]
        assert [actual.loss, *parts(actual)] == pytest.approx(expected, rel=tolerance, abs=0.0)


@pytest.mark.parametrize("n_classes", [3, 60])
def test_texts_and_many_classes(n_classes, rng):
    true, predicted = (rng.integers(0, n_classes, shape) for shape in ((2, 200), (5, 200)))
    names = np.array([f"class {i:02}" for i in range(n_classes)])
    expected = oracle.domingos(true.tolist(), predicted.tolist())
    for labels in (names, names.astype(object), np.arange(n_classes), np.arange(n_classes) * 2.0):
        decomposition = bias_variance(labels[true], labels[predicted], decomposition="domingos")
        assert parts(decomposition) == tuple(map(float, expected[:3]))


def test_labels_that_the_predictions_lack():
    true = [["b", "d"]]
    predicted = [["a", "d"], ["a", "c"]]
    decomposition = bias_variance(true, predicted, decomposition="kohavi-wolpert")
    assert parts(decomposition) == tuple(map(float, oracle.kohavi_wolpert(true, predicted)))
    big = np.array([2**24 + 1, 300])
    small = np.array([[2**24, 44]], np.float32)
    assert bias_variance(big, small, decomposition="domingos").loss == 1.0
    assert bias_variance([300], np.array([[44]], np.int8), decomposition="domingos").loss == 1.0
    assert bias_variance([True], [[1.0]], decomposition="domingos").loss == 0.0


@pytest.mark.large
def test_a_thousand_models_on_a_million_examples(rng):
    true = rng.integers(0, 2, 10**6, dtype=np.int8)
    predicted = rng.integers(0, 2, (1000, 10**6), dtype=np.int8)
    wrong = sum(int(np.count_nonzero(row != true)) for row in predicted)
    for decomposition in ("squared", "domingos", "kohavi-wolpert"):
        actual = bias_variance(true, predicted, decomposition=decomposition)
        assert actual.loss == pytest.approx(wrong / 10**9, rel=1e-14)
        assert actual.bias + actual.variance + actual.noise == pytest.approx(actual.loss, rel=1e-14)
