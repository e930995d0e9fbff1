"""Statistics of the user's own under a name."""

from typing import Any

import numba
import numpy as np
import pytest

import fastmetrics as fm
from measure_names import COUNT_MEASURES

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1])
A = np.array([9.0, 3.0, 8.0, 7.0, 4.0, 5.0, 6.0, 2.0, 1.0, 0.0, 6.0, 5.0])
B = np.array([2.0, 3.0, 8.0, 1.0, 4.0, 7.0, 6.0, 5.0, 9.0, 0.0, 1.0, 7.0])
FEW: dict[str, Any] = {"n_resamples": 40, "rng": 1}


def gap(labels: Any, scores: Any) -> float:
    return float(scores[labels == 1].mean() - scores.mean())


@numba.njit
def weighted_gap(labels: Any, scores: Any, weights: Any) -> float:
    of_positives = np.sum(weights * labels * scores) / np.sum(weights * labels)
    return of_positives - np.sum(weights * scores) / np.sum(weights)


@pytest.mark.parametrize("statistic", [gap, weighted_gap])
def test_a_registered_statistic_is_asked_for_by_name(statistic: Any) -> None:
    assert fm.register_metric("gap of means", statistic) is None
    paired = fm.paired_bootstrap(Y, {"a": A, "b": B}, metrics=["gap of means", "roc_auc"], **FEW)
    assert list(paired) == ["gap of means", "roc_auc"]
    found = paired["gap of means"].pairs[0]
    assert found.difference == pytest.approx(gap(Y, A) - gap(Y, B))
    given = fm.paired_bootstrap(Y, {"a": A, "b": B}, metrics={"g": gap, "r": "roc_auc"}, **FEW)
    expected = given["g"].pairs[0].details.distribution
    assert found.details.distribution == pytest.approx(expected, abs=1e-12)
    one = fm.bootstrap(Y, A, metrics="gap of means", **FEW)["gap of means"]
    assert one.metric == "gap of means"
    assert one.estimate == pytest.approx(gap(Y, A))


def test_a_name_may_be_given_anew() -> None:
    fm.register_metric("mine", gap)
    fm.register_metric("mine", lambda labels, scores: float(scores.max() + len(labels)))
    assert fm.bootstrap(Y, A, metrics="mine", **FEW)["mine"].estimate == 21.0


def test_a_registered_statistic_has_no_parameters() -> None:
    fm.register_metric("mine", gap)
    with pytest.raises(TypeError, match="`mine` has no parameter 'beta'"):
        fm.bootstrap(Y, A, metrics=("mine", {"beta": 2}), **FEW)


def test_a_registered_name_is_among_those_that_are_known() -> None:
    with pytest.raises(ValueError, match="which is no measure") as before:
        fm.bootstrap(Y, A, metrics="mine")
    fm.register_metric("mine2", gap)
    with pytest.raises(ValueError, match="did you mean 'mine2'"):
        fm.bootstrap(Y, A, metrics="mine")
    assert "mine2" not in str(before.value)


@pytest.mark.parametrize("name", [*COUNT_MEASURES, *(entry.name for entry in fm.metrics_table())])
def test_names_of_the_library_are_taken(name: str) -> None:
    with pytest.raises(ValueError, match=f"that of a measure of the library: got '{name}'"):
        fm.register_metric(name, gap)
    assert fm.metrics_table()[name].family != "own"


def test_a_permutation_test_does_not_take_it() -> None:
    fm.register_metric("mine", gap)
    with pytest.raises(ValueError, match="got 'mine'"):
        fm.paired_permutation_test(Y, {"a": A, "b": B}, metrics="mine")
