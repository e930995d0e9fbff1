"""What `delong_test` takes as models, and what it says about input that it refuses."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fastmetrics as fm
from fastmetrics import delong_test

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

Y = [0, 1, 1, 0, 1, 0]
A = [1.0, 2.0, 3.0, 2.0, 0.0, 1.0]
B = [1.0, 3.0, 2.0, 2.0, 4.0, 0.0]
MODELS = {"a": A, "b": B}
MATRIX = np.column_stack([A, B])


def test_zeros_of_both_signs_tie() -> None:
    signed = delong_test([1, 0, 1, 0], {"a": [0.0, -0.0, 1, 2], "b": [1, 2, 3, 4]})
    assert signed.estimate[0] == 0.375


@pytest.mark.parametrize(
    ("scores", "error", "match"),
    [
        ({"a": A}, ValueError, "`scores` must name at least two models: got 1"),
        ({}, ValueError, "`scores` must name at least two models: got 0"),
        (MATRIX, ValueError, r"`scores` of shape \(6, 2\) does not say which models"),
        ([A, B], TypeError, r"`scores` is a list, which names no models: pass .'a'"),
        ((np.array(A), pd.Series(B)), TypeError, "`scores` is a tuple, which names no models"),
        ({1: A, "1": B}, ValueError, "`scores` names 2 models '1'"),
        (
            pd.DataFrame(MATRIX, columns=["a", "a"]),
            ValueError,
            "`scores` names 2 models 'a': their names must differ",
        ),
        ({"a": A, "b": MATRIX}, ValueError, r"`scores\['b'\]` must have shape \(n,\)"),
        (None, TypeError, "`scores` must be an array: got None"),
    ],
)
def test_scores_that_are_refused(scores: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        delong_test(Y, scores)


@pytest.mark.parametrize(
    ("scores", "names", "error", "match"),
    [
        (MATRIX[:, :1], ["a"], ValueError, "at least two models: got 1"),
        (MATRIX, ["a"], ValueError, "`names` must name the 2 columns of `scores`: got "),
        (MATRIX, ["a", "a"], ValueError, "`scores` names 2 models 'a'"),
        (MATRIX, ["a", 2], TypeError, "`names` must hold texts: got 2 at index 1"),
        (MATRIX, "ab", TypeError, "`names` must be a sequence of texts: got 'ab'"),
    ],
)
def test_names_that_are_refused(
    scores: Any, names: Any, error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        delong_test(Y, scores, names=names)


P = np.array([0.2, 0.7, 0.6, 0.1, 0.9, 0.65])
PROBA = np.column_stack([1 - P, P])


@pytest.mark.parametrize(
    "function",
    [
        delong_test,
        fm.evaluate,
        partial(fm.paired_bootstrap, n_resamples=20, rng=1),
        partial(fm.paired_permutation_test, n_resamples=20, rng=1),
    ],
    ids=["delong_test", "evaluate", "paired_bootstrap", "paired_permutation_test"],
)
class TestOneRule:
    """What functions of several models take for models is the same for all of them."""

    @pytest.mark.parametrize(
        "proba",
        [
            PROBA,
            PROBA.astype(np.float16),
            PROBA.astype(np.float32),
            PROBA.round(1),
            pd.DataFrame(PROBA),
            pl.DataFrame(PROBA),
            pa.table({"no": PROBA[:, 0], "yes": PROBA[:, 1]}),
        ],
    )
    def test_what_predict_proba_returns_is_no_two_models(self, function: Any, proba: Any) -> None:
        with pytest.raises(
            ValueError, match=r"sum to 1.*predict_proba pass \[:, 1\], the positive"
        ):
            function(Y, proba)
        if isinstance(proba, np.ndarray):
            with pytest.raises(ValueError, match=r"predict_proba pass \[:, 1\]"):
                function(Y, proba, names=["no", "yes"])

    def test_one_row_that_does_not_sum_to_one_makes_two_models(self, function: Any) -> None:
        other = np.tile(PROBA, (300, 1))
        other[-1] += 0.1
        function(Y * 300, other, names=["a", "b"])
        function(Y, {"a": 1 - P, "b": P})  # which says that they are two
        function(Y, PROBA - 0.5, names=["a", "b"])

    def test_an_array_has_no_names(self, function: Any) -> None:
        with pytest.raises(ValueError, match=r"`scores` of shape \(6, 2\) does not say.*`names`"):
            function(Y, MATRIX)
        with pytest.raises(TypeError, match="`names` is for an array"):
            function(Y, MODELS, names=["a", "b"])
        with pytest.raises(TypeError, match="`scores` is a list, which names no models"):
            function(Y, [np.array(A), np.array(B)])


@pytest.mark.parametrize(
    ("function", "other"), [("bootstrap", "paired_bootstrap"), ("delong", "delong_test")]
)
def test_functions_of_one_model_name_those_of_several(function: str, other: str) -> None:
    for models in (MODELS, pd.DataFrame(MODELS), pa.table(MODELS)):
        with pytest.raises(
            TypeError, match=f"`y_score` must be the scores of one model.*`{other}`"
        ):
            getattr(fm, function)(Y, models)
    with pytest.raises(TypeError, match=r"predict_proba pass \[:, 1\]"):
        getattr(fm, function)(Y, pd.DataFrame(PROBA))
