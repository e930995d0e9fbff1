"""Inputs of paired bootstraps, and statistics of the user's own."""

import math
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from metric_names import COUNT_METRICS

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1])
A = np.array([9.0, 3.0, 8.0, 7.0, 4.0, 5.0, 6.0, 2.0, 1.0, 0.0, 6.0, 5.0])
B = np.array([2.0, 3.0, 8.0, 1.0, 4.0, 7.0, 6.0, 5.0, 9.0, 0.0, 1.0, 7.0])
MODELS = {"a": A, "b": B}
FEW: dict[str, Any] = {"n_resamples": 60, "rng": 1}


def values(result: fm.results.Comparisons) -> list[NDArray[Any]]:
    return [p.details.distribution for pairs in result.values() for p in pairs]


def key_of(actual: fm.results.Comparisons) -> str:
    return str(actual["roc_auc"].pairs[0].details.key)


def same(one: fm.results.Comparisons, other: fm.results.Comparisons) -> bool:
    pairs = zip(values(one), values(other), strict=True)
    return all(np.array_equal(*both, equal_nan=True) for both in pairs)


@pytest.mark.parametrize("matrix", [np.stack((A, B), axis=1), np.stack((A, B)).T.tolist()])
def test_columns_of_a_matrix_are_named(matrix: Any) -> None:
    comparisons = fm.paired_bootstrap(Y, matrix, names=["x", "y"], **FEW)
    assert [(p.a, p.b) for p in comparisons["roc_auc"].pairs] == [("x", "y")]
    assert same(comparisons, fm.paired_bootstrap(Y, MODELS, **FEW))


def test_a_positive_label_may_be_named() -> None:
    words = np.where(Y == 1, "yes", "no")
    for asked in ("roc_auc", "f1", {"own": lambda labels, scores: labels @ scores / len(labels)}):
        options = {**FEW, "metrics": asked, "threshold": 5 if asked == "f1" else None}
        comparisons = fm.paired_bootstrap(words, MODELS, pos_label="yes", **options)
        assert same(comparisons, fm.paired_bootstrap(Y, MODELS, **options, pos_label=1))


def test_the_positive_label_of_predicted_labels_may_be_named() -> None:
    called = {name: np.where(scores > 4, "yes", "no") for name, scores in MODELS.items()}
    words = np.where(Y == 1, "yes", "no")
    expected = fm.paired_bootstrap(
        Y, {name: p == "yes" for name, p in called.items()}, metrics="precision", **FEW
    )
    comparisons = fm.paired_bootstrap(words, called, metrics="precision", pos_label="yes", **FEW)
    assert same(comparisons, expected)  # "yes" is the last label, as True is
    other = fm.paired_bootstrap(words, called, metrics="precision", pos_label="no", **FEW)
    recalled = [((words == "no") & (p == "no")).sum() / (p == "no").sum() for p in called.values()]
    assert list(other["precision"].estimate) == pytest.approx(recalled)
    with pytest.raises(ValueError, match="`pos_label`='maybe' is not a label"):
        fm.paired_bootstrap(words, called, metrics="f1", pos_label="maybe", **FEW)


def test_integer_scores_beyond_float64_stay_apart() -> None:
    big = 2**60
    small = {"a": A.astype(int), "b": B.astype(int)}
    result = fm.paired_bootstrap(Y, {name: big + scores for name, scores in small.items()}, **FEW)
    assert same(result, fm.paired_bootstrap(Y, small, **FEW))


def test_the_effective_size_is_that_of_the_weights() -> None:
    weights = np.linspace(0.5, 2.0, 12)
    called = {name: scores > 4 for name, scores in MODELS.items()}
    expected = weights.sum() ** 2 / (weights**2).sum()
    for models, asked in ((MODELS, "roc_auc"), (called, "accuracy"), (MODELS, "r2")):
        result = fm.paired_bootstrap(Y, models, sample_weight=weights, metrics=asked, **FEW)
        assert result[asked].models[0].details.effective_sample_size == pytest.approx(expected)
        plain = fm.paired_bootstrap(Y, models, metrics=asked, **FEW)
        assert plain[asked].models[1].details.effective_sample_size == 12.0


def test_an_undefined_pair_does_not_count_in_holms_adjustment() -> None:
    """No row is called positive by the third model: its precision is not defined."""
    models = {"a": A, "b": B, "c": np.zeros(12)}
    with pytest.warns(UndefinedMetricWarning) as caught:
        result = fm.paired_bootstrap(Y, models, metrics="precision", threshold=5, **FEW)
    assert all(issubclass(w.category, UndefinedMetricWarning) for w in caught)
    pairs = result["precision"].pairs
    assert pairs[0].pvalue_adjusted == pairs[0].pvalue
    assert all(math.isnan(pair.pvalue_adjusted) for pair in pairs[1:])


def test_infinite_thresholds_of_both_models_have_no_difference(rng: np.random.Generator) -> None:
    """Scores without worth: the best threshold of many replicates calls nobody positive."""
    models = {name: -Y + 0.3 * rng.normal(size=12) for name in "ab"}
    asked = ("best_threshold", {"of": "threshold"})
    with pytest.warns((UndefinedMetricWarning, DegenerateDataWarning)) as caught:
        result = fm.paired_bootstrap(Y, models, metrics=asked, **FEW)
    assert not [w for w in caught if w.category is RuntimeWarning]
    pair = result["best_threshold"].pairs[0]
    own = [one.details.distribution for one in result["best_threshold"].models]
    both = np.isinf(own[0]) & np.isinf(own[1])
    assert both.any()
    assert np.isnan(pair.details.distribution[both]).all()


def test_the_key_of_a_result_draws_its_replicates_again() -> None:
    result = fm.paired_bootstrap(Y, MODELS, n_resamples=60)
    again = fm.paired_bootstrap(Y, MODELS, n_resamples=60, rng=key_of(result))
    assert same(again, result)  # no seed: a replicate may lose a class, and its value is nan
    assert (
        fm.paired_bootstrap(Y, MODELS, n_resamples=60)["roc_auc"].pairs != result["roc_auc"].pairs
    )
    source = np.random.default_rng(4)
    first, second = (fm.paired_bootstrap(Y, MODELS, n_resamples=60, rng=source) for _ in range(2))
    assert key_of(first) != key_of(second)


def gap(labels: Any, scores: Any) -> float:
    return float(scores[labels == 1].mean() - scores.mean())


@numba.njit
def weighted_gap(labels: Any, scores: Any, weights: Any) -> float:
    positive_mean = np.sum(weights * labels * scores) / np.sum(weights * labels)
    return positive_mean - np.sum(weights * scores) / np.sum(weights)


@pytest.mark.parametrize("statistic", [gap, weighted_gap])
def test_a_registered_statistic_is_asked_for_by_name(statistic: Any) -> None:
    assert fm.register_metric("gap of means", statistic) is None
    paired = fm.paired_bootstrap(Y, MODELS, metrics=["gap of means", "roc_auc"], **FEW)
    assert list(paired) == ["gap of means", "roc_auc"]
    pairs = paired["gap of means"].pairs[0]
    assert pairs.difference == pytest.approx(gap(Y, A) - gap(Y, B))
    given = fm.paired_bootstrap(Y, MODELS, metrics={"g": gap, "r": "roc_auc"}, **FEW)
    expected = given["g"].pairs[0].details.distribution
    assert pairs.details.distribution == pytest.approx(expected, abs=1e-12)
    one = fm.bootstrap(Y, A, metrics="gap of means", **FEW)["gap of means"]
    assert one.metric == "gap of means"
    assert one.estimate == pytest.approx(gap(Y, A))


def test_a_name_may_be_given_anew() -> None:
    fm.register_metric("mine", gap)
    fm.register_metric("mine", lambda labels, scores: float(scores.max() + len(labels)))
    assert fm.bootstrap(Y, A, metrics="mine", **FEW)["mine"].estimate == 21.0


def test_a_registered_name_is_among_those_that_are_known() -> None:
    with pytest.raises(ValueError, match="which is no metric") as before:
        fm.bootstrap(Y, A, metrics="mine")
    fm.register_metric("mine2", gap)
    with pytest.raises(ValueError, match="did you mean 'mine2'"):
        fm.bootstrap(Y, A, metrics="mine")
    assert "mine2" not in str(before.value)


def test_names_of_the_library_are_taken() -> None:
    for name in (*COUNT_METRICS, *(entry.name for entry in fm.metrics_table())):
        with pytest.raises(ValueError, match=f"that of a metric of the library: got '{name}'"):
            fm.register_metric(name, gap)
        assert fm.metrics_table()[name].family != "own"
