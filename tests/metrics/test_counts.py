"""Counts: matrices, metrics of counts, their variances, several at once."""

import itertools
import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from peer_samples import labels_of, outcome, weights_of
from roc_samples import assert_same, importances, samples

import engine_sizes
import fastmetrics as fm
from fastmetrics.metrics.decisions.count_metrics import gradient, value
from metric_names import COUNT_METRICS, PRICED
from reference import count_oracle as oracle

PLAIN = sorted(name for name, metric in COUNT_METRICS.items() if metric.name not in PRICED)
FIRST_NAMES = {name: COUNT_METRICS[name].name for name in PLAIN}


def names_for(k: int) -> list[str]:
    return [name for name in PLAIN if k == 2 or COUNT_METRICS[name].classes != 2]


def expected(name: str, cells: Any) -> float:
    return oracle.value(FIRST_NAMES[name], oracle.rows_of_cells(cells), range(len(cells)))


def assert_close(got: Any, wanted: Any, rtol: float = 1e-13, atol: float = 1e-13) -> None:
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol)


@st.composite
def cells(draw: Any, least: int = 1, most: int = 5, weighted: bool = False) -> list[list[Any]]:
    """Draw a square matrix in which zeros are common."""
    k = draw(st.integers(least, most))
    count = st.one_of(st.just(0), st.integers(0, 6))
    if weighted:
        count = count.map(lambda c: c / 8)
    return draw(st.lists(st.lists(count, min_size=k, max_size=k), min_size=k, max_size=k))


def test_an_empty_table_has_no_thresholds():
    table = fm.ScoreTable.from_counts([], [], [])
    assert [len(column) for column in fm.confusion_matrix_at_thresholds(table)] == [0] * 5


@given(samples())
def test_metric_at_thresholds(sample):
    y, s, _ = sample
    assert_same(
        fm.metric_at_thresholds(y, s, sk.accuracy_score),
        sk.metric_at_thresholds(y, s, sk.accuracy_score),
    )


@given(samples(weights=importances))
def test_metric_at_thresholds_with_weights_and_params(sample):
    y, s, w = sample
    options = {"sample_weight": w, "metric_params": {"beta": 2.0, "zero_division": 0.0}}
    assert_same(
        fm.metric_at_thresholds(y, s, sk.fbeta_score, **options),
        sk.metric_at_thresholds(y, s, sk.fbeta_score, **options),
    )


def test_metric_gets_the_rows_that_scikit_learns_gets():
    y = np.array(["x", "y", "z", "x", "y"])
    s = [0.5, 0.1, 0.5, 0.9, 0.1]
    w = [1, 2, 0, 4, 5]
    ours = []
    theirs = []
    for module, seen in ((fm.metric_at_thresholds, ours), (sk.metric_at_thresholds, theirs)):

        def metric(labels, predictions, sample_weight, seen=seen):
            seen.append(
                (labels.tolist(), predictions.tolist(), predictions.dtype, sample_weight.tolist())
            )
            return 1.0, 2.0

        values, _ = module(y, s, metric, sample_weight=w)
        assert values.shape == (3, 2)
    assert ours == theirs


def test_each_call_has_its_own_predictions():
    kept = []
    fm.metric_at_thresholds([0, 1, 1], [1, 2, 3], lambda y, p: kept.append(p) or 0.0)
    assert [p.tolist() for p in kept] == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


# --- values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["accuracy", "error_rate", "precision", "recall", "f1", "jaccard"])
@given(st.lists(st.integers(0, 2**50), min_size=4, max_size=4))
def test_a_ratio_of_counts_is_the_nearest_double(name, four) -> None:
    matrix = [four[:2], four[2:]]
    assert value(name, np.array(matrix)).item() == pytest.approx(
        expected(name, matrix), rel=0, abs=0, nan_ok=True
    )


def test_fbeta_of_extreme_beta_is_recall_or_precision() -> None:
    matrix = [[5, 3], [1, 7]]
    for beta, name in ((1e200, "recall"), (1e-200, "precision")):
        assert value("fbeta", matrix, beta=beta) == value(name, matrix)


# --- peers -------------------------------------------------------------------------------------

AVERAGED = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "jaccard": sk.jaccard_score,
}


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
@given(cells(least=2, most=4))
def test_zero_division_is_scikit_learns(zero_division, matrix) -> None:
    k = len(matrix)
    y, p, w = zip(
        *[(i, j, matrix[i][j]) for i, j in itertools.product(range(k), repeat=2)], strict=True
    )
    if not any(w):
        return
    options = {"labels": range(k), "sample_weight": w, "zero_division": zero_division}
    for name, peer in AVERAGED.items():
        for average in ("macro", "weighted"):
            wanted = peer(y, p, average=average, **options)
            assert_close(value(f"{name}_{average}", matrix, zero_division=zero_division), wanted)
        if k == 2:
            assert_close(value(name, matrix, zero_division=zero_division), peer(y, p, **options))


# --- what every metric obeys ------------------------------------------------------------------


@given(cells(least=2), st.sampled_from([1, 3, 1000]), st.sampled_from([2.0**-40, 0.25, 2.0**60]))
def test_the_scale_of_the_counts_does_not_matter(matrix, times, power) -> None:
    counts = np.array(matrix)
    for name in names_for(len(counts)):
        whole = value(name, counts)
        np.testing.assert_array_equal(value(name, counts * power), whole)
        assert_close(value(name, counts * times), whole)
        assert_close(gradient(name, counts * times) * times, gradient(name, counts), atol=1e-12)


@pytest.mark.parametrize(
    ("k", "n"), [(2, 30), (3, 20), pytest.param(3, 100, marks=pytest.mark.exhaustive), (12, 7)]
)
def test_a_matrix_has_the_same_bits_alone_and_in_a_stack(rng, k, n) -> None:
    stack = rng.random((2, n, k, k)) * (rng.random((2, n, k, k)) < 0.8)
    for name in names_for(k):
        whole = value(name, stack)
        alone = [[value(name, matrix) for matrix in half] for half in stack]
        assert whole.shape == (2, n)
        assert whole.dtype == np.float64
        np.testing.assert_array_equal(whole, alone)


def test_nothing_warns_and_the_empty_matrix_is_undefined() -> None:
    few = np.array(list(itertools.product(range(2), repeat=4))).reshape(-1, 2, 2)
    more = np.array(list(itertools.product(range(2), repeat=9))).reshape(-1, 3, 3)
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        for stack in (few, more, np.zeros((1, 1, 1))):
            for name in names_for(stack.shape[-1]):
                values = value(name, stack)
                assert np.isnan(values[0]), name
                assert np.isfinite(values[~np.isnan(values)]).all()
                defined = ~np.isnan(values)
                slopes = gradient(name, stack)
                assert (np.isnan(slopes).all(axis=(-2, -1)) == ~defined).all()
                assert not np.isnan(slopes[defined]).any(), name


def test_what_zero_division_says_stands_still() -> None:
    counts = np.array([[3, 0], [2, 0]])
    assert value("precision", counts, zero_division=1.0) == 1.0
    assert not gradient("precision", counts, zero_division=1.0).any()
    assert (gradient("precision_macro", counts, zero_division=1.0)[:, 0] != 0).all()


def test_coefficients_stay_in_range() -> None:
    perfect = np.array([[[3, 0, 0], [0, 7, 0], [0, 0, 11]]]) * np.arange(1, 400)[:, None, None]
    assert (value("matthews_corrcoef", perfect) <= 1.0).all()
    assert_close(value("matthews_corrcoef", perfect), 1.0)
    assert value("matthews_corrcoef", [[0, 3], [7, 0]]) == -1.0


# --- names and parameters ----------------------------------------------------------------------


def test_metrics_of_two_classes_name_the_way_for_more() -> None:
    for name in PLAIN:
        if COUNT_METRICS[name].classes == 2:
            with pytest.raises(
                ValueError, match=f"`{name}` is for two classes, and the matrix has 3"
            ):
                value(name, np.ones((3, 3)))
            with pytest.raises(ValueError, match="has 1: pass `labels` of both"):
                value(name, np.ones((1, 1)))
    with pytest.raises(
        ValueError, match="see precision_macro, precision_micro, precision_weighted"
    ):
        value("precision", np.ones((3, 3)))
    with pytest.raises(ValueError, match="one class against the rest"):
        value("npv", np.ones((3, 3)))
    with pytest.raises(TypeError, match="`cost` of 3 classes needs `cost_matrix`"):
        value("cost", np.ones((3, 3)), cost_fn=1, cost_fp=1)
    with pytest.raises(ValueError, match="shape \\(\\.\\.\\., K, K\\): got \\(2, 3\\)"):
        value("accuracy", np.ones((2, 3)))


@pytest.mark.parametrize("k", [16, 17, 90])
def test_slopes_of_a_product_of_many_recalls(k) -> None:
    counts = np.zeros((k, k), int)
    np.fill_diagonal(counts, 1)
    counts[np.arange(k), np.arange(k) - 1] = 9999
    step = np.zeros((k, k))
    step[0, 0] = 1e-6
    rise = (value("g_mean", counts + step) - value("g_mean", counts - step)) / 2e-6
    assert gradient("g_mean", counts)[0, 0] == pytest.approx(rise, rel=1e-6)
    counts[0, 0] = 0
    slopes = gradient("g_mean", counts)
    assert np.flatnonzero(slopes).tolist() == [0]
    assert slopes[0, 0] == math.inf
    counts[1, 1] = 0
    assert not gradient("g_mean", counts).any()


def positive(rng: np.random.Generator, k: int) -> np.ndarray:
    return rng.integers(3, 60, (k, k)) + np.diag(rng.integers(50, 100, k))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_gradients_are_the_slopes_of_the_definition(rng, k) -> None:
    counts = positive(rng, k)
    for name in names_for(k):
        got = gradient(name, counts)
        assert_close((counts * got).sum(), 0.0, atol=1e-12)  # Euler: no change with the scale
        for i, j in itertools.product(range(k), repeat=2):
            ends = []
            for step in (-Fraction(1, 1000), Fraction(1, 1000)):
                exact = [[Fraction(int(cell)) for cell in line] for line in counts]
                exact[i][j] += step
                ends.append(expected(name, exact))
            assert_close(got[i, j], (ends[1] - ends[0]) * 500, rtol=1e-6, atol=1e-11)


def by_hand(four: Any) -> dict[str, list[list[float]]]:
    """Return derivatives in closed form, as [[by TN, by FP], [by FN, by TP]]."""
    (tn, fp), (fn, tp) = four
    n = tn + fp + fn + tp
    called = tp + fp
    f = 2 * tp + fp + fn
    p = tp + fp
    q = tn + fn
    a = tp + fn
    b = tn + fp
    covariance = tp * tn - fp * fn
    scale = math.sqrt(p * q * a * b)
    mcc = covariance / scale

    def half(*margins: float) -> float:
        return mcc * sum(1 / margin for margin in margins) / 2

    right, wrong = (n - tn - tp) / n**2, -(tn + tp) / n**2
    return {
        "accuracy": [[right, wrong], [wrong, right]],
        "precision": [[0, -tp / called**2], [0, fp / called**2]],
        "f1": [[0, -2 * tp / f**2], [-2 * tp / f**2, 2 * (fp + fn) / f**2]],
        "matthews_corrcoef": [
            [tp / scale - half(q, b), -fn / scale - half(p, b)],
            [-fp / scale - half(q, a), tn / scale - half(p, a)],
        ],
    }


def test_gradients_in_closed_form(rng) -> None:
    for _ in range(20):
        four = positive(rng, 2).astype(float)
        for name, slopes in by_hand(four).items():
            assert_close(gradient(name, four), slopes, rtol=1e-12, atol=1e-17)


def delta_variance(name: str, counts: np.ndarray, **parameters: Any) -> float:
    """Return the variance by the delta method, the counts being multinomial (Agresti 2013)."""
    return float((counts * gradient(name, counts, **parameters) ** 2).sum())


@pytest.mark.parametrize("k", [2, 3, 5])
def test_variance_of_kappa_is_that_of_statsmodels(rng, k) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = positive(rng, k)
    for weights in (None, "linear", "quadratic"):
        theirs = cohens_kappa(counts, wt=weights)
        assert_close(value("cohen_kappa", counts, weights=weights), theirs.kappa)
        got = delta_variance("cohen_kappa", counts, weights=weights)
        assert_close(got, theirs.var_kappa, rtol=1e-10, atol=0)


def test_variance_of_cost(rng) -> None:
    counts = positive(rng, 3)
    costs = rng.random((3, 3))
    per_row = np.repeat(costs.ravel(), counts.ravel())
    got = delta_variance("cost", counts, cost_matrix=costs)
    assert_close(got, per_row.var() / len(per_row), rtol=1e-12)


@pytest.mark.parametrize("k", [2, 4])
def test_variances_are_those_of_multinomial_draws(rng, k) -> None:
    counts = positive(rng, k) * 40
    drawn = rng.multinomial(counts.sum(), counts.ravel() / counts.sum(), 20_000).reshape(-1, k, k)
    for name in names_for(k):
        assert delta_variance(name, counts) == pytest.approx(value(name, drawn).var(), rel=0.06)


@pytest.fixture(params=[1 << 18, 10], ids=["one block", "many blocks"])
def block(request, monkeypatch):
    engine_sizes.put(monkeypatch, indicator_block=request.param)


OF_ANY = sorted(name for name, m in COUNT_METRICS.items() if m.classes != 2 and name not in PRICED)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("weighting", ["none", "counts", "importances"])
def test_every_metric_is_the_one_of_its_name(rng, k, weighting) -> None:
    y, p = labels_of(rng, 150, k)
    w = weights_of(rng, 150, weighting)
    names = OF_ANY if k > 2 else sorted(set(COUNT_METRICS) - PRICED)
    result = fm.classification_metrics(y, p, metrics=names, sample_weight=w)
    matrix = fm.ConfusionMatrix.from_labels(y, p, sample_weight=w)
    assert list(result.values) == names
    for name in names:
        assert result[name] == fm.count_metric(matrix, name)
    commonest = np.bincount(y, weights=w).argmax()
    majority = sk.accuracy_score(y, np.full(150, commonest), sample_weight=w)
    assert result.majority_accuracy == pytest.approx(majority, rel=1e-14)
    assert result.matrix == fm.ConfusionMatrix.from_labels(y, p, sample_weight=w)
    assert fm.classification_metrics(matrix, metrics=names).values == result.values


def test_the_data_are_read_once(rng, monkeypatch) -> None:
    y, p = labels_of(rng, 50, 2)
    calls = engine_sizes.noted(monkeypatch, "label cells")
    assert len(fm.classification_metrics(y.tolist(), p).values) == 10
    assert len(calls) == 1


def test_which_class_is_positive(rng) -> None:
    y, p = labels_of(rng, 80, 2)
    wanted = fm.classification_metrics(y, p)
    assert "specificity" in wanted.values
    text = np.array(["ill", "well"])
    swapped = fm.classification_metrics(text[1 - y], text[1 - p], pos_label="ill")
    assert swapped.values == pytest.approx(wanted.values)
    assert swapped.matrix.labels == ("well", "ill")
    given = fm.classification_metrics(text[1 - y], text[1 - p], labels=["well", "ill"])
    assert given.values == swapped.values
    assert fm.classification_metrics(y, p, pos_label=0)["recall"] == wanted["specificity"]
    matrix = fm.ConfusionMatrix.from_labels(text[1 - y], text[1 - p], labels=["well", "ill"])
    assert fm.classification_metrics(matrix).values == given.values
    assert fm.classification_metrics(matrix, pos_label="well")["recall"] == wanted["specificity"]
    unknown = fm.classification_metrics(text[y], text[p])
    assert "specificity" not in unknown.values
    assert unknown["accuracy"] == wanted["accuracy"]


def test_parameters_go_to_the_metrics_that_have_them(rng) -> None:
    y, p = labels_of(rng, 60, 3)
    matrix = fm.ConfusionMatrix.from_labels(y, p)
    costs = [[0, 1, 2], [1, 0, 1], [5, 2, 0]]
    result = fm.classification_metrics(
        y,
        p,
        metrics=["fbeta_macro", "cost", "cohen_kappa", "accuracy"],
        beta=2,
        cost_matrix=costs,
        weights="linear",
    )
    assert result["fbeta_macro"] == fm.count_metric(matrix, "fbeta_macro", beta=2)
    assert result["cost"] == fm.count_metric(matrix, "cost", cost_matrix=costs)
    assert result["cohen_kappa"] == fm.count_metric(matrix, "cohen_kappa", weights="linear")
    with pytest.raises(TypeError, match=r"none of .* 'accuracy', 'f1_macro' has .*'beta"):
        fm.classification_metrics(y, p, metrics=["accuracy", "f1_macro"], beta=2)


def test_what_is_undefined_is_named_once() -> None:
    with pytest.warns(fm.UndefinedMetricWarning) as caught:
        result = fm.classification_metrics([0, 0, 1], [0, 0, 0])
    assert len(caught) == 1
    assert str(caught[0].message) == "not defined on these data: precision, matthews_corrcoef"
    assert math.isnan(result["precision"])
    assert result.majority_accuracy == 2 / 3
    calm, messages = outcome(
        fm.classification_metrics, [0, 0, 1], [0, 0, 0], metrics=["precision"], zero_division=0
    )
    assert (calm["precision"], messages) == (0.0, [])
    with pytest.warns(fm.UndefinedMetricWarning, match="accuracy, .*majority_accuracy"):
        empty = fm.classification_metrics(fm.ConfusionMatrix())
    assert all(map(math.isnan, [*empty.values.values(), empty.majority_accuracy]))


def test_accuracy_misleads_where_one_class_is_common() -> None:
    result = fm.classification_metrics([0] * 95 + [1] * 5, [0] * 100, metrics="accuracy")
    assert result["accuracy"] == result.majority_accuracy == 0.95
    assert repr(result) == "ClassificationMetrics(accuracy=0.95 (majority class 0.95))"
    assert "Always the most frequent class: accuracy 0.95." in str(result)
