"""classification_report."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from label_samples import KINDS, ZERO_DIVISIONS, assert_as_scikit_learn
from sklearn import metrics as peer

import engine_sizes
import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning

NAME = "classification_report"
Y, P = [0, 1, 1, 0, 2, 2], [0, 1, 0, 0, 2, 1]


@pytest.mark.parametrize("output_dict", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sample_weight": [1, 2, 3, 4, 5, 6]},
        {"sample_weight": [0.5, 0.25, 0.125, 1e6, 0.75, 5]},
        {"labels": [2, 0]},
        {"labels": [2, 1, 0]},
        {"labels": [2, 0, 7]},
        {"labels": [2, 0, 1, 7]},
        {"labels": [8, 9]},
        {"labels": [0], "zero_division": 1},
        {"target_names": ["a", "b" * 20, "c"]},
        {"target_names": ["a", "b"]},
        {"target_names": np.array(["x", "y", "z"])},
        {"target_names": pd.Series(["x", "y", "z"], index=[2, 1, 0])},
        {"target_names": ["a", "b"], "labels": [1, 2, 0]},
        {"target_names": list("abcd"), "labels": [1, 2, 0]},
        {"digits": 0},
        {"digits": 4},
        {"digits": 12},
        {"digits": 20},
        {"digits": -1},
    ],
)
def test_text_and_dictionary_as_scikit_learn(options, output_dict):
    assert_as_scikit_learn(NAME, Y, P, output_dict=output_dict, **options)


@pytest.mark.parametrize("output_dict", [False, True])
@pytest.mark.parametrize("zero_division", ZERO_DIVISIONS)
def test_undefined_values_and_warnings_as_scikit_learn(zero_division, output_dict):
    options = {"zero_division": zero_division, "output_dict": output_dict}
    for y, p in (
        (["a", "b", "c"], ["a", "b", "b"]),
        (["a", "b", "b"], ["a", "b", "c"]),
        ([1, 1], [1, 1]),
        ([True, False], [True, True]),
        ([1.0, 2.0], [1.0, 1.0]),
    ):
        assert_as_scikit_learn(NAME, y, p, **options)


@pytest.mark.parametrize("output_dict", [False, True])
@pytest.mark.parametrize("zero_division", ZERO_DIVISIONS)
def test_indicators_as_scikit_learn(zero_division, output_dict):
    y = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 0]])
    p = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0]])
    forms = [
        (y, p, {}),
        (y, p, {"labels": [0, 2]}),
        (y, p, {"sample_weight": [0.5, 1, 2, 3]}),
        (y, p, {"labels": [0, 1], "target_names": list("abcd")}),
        (scipy.sparse.csr_matrix(y), p, {"target_names": list("abcd")}),
    ]
    for true, predicted, more in forms:
        options = {"zero_division": zero_division, "output_dict": output_dict, **more}
        assert_as_scikit_learn(NAME, true, predicted, **options)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("weights", [None, "counts", "eighths"])
def test_every_kind_of_labels_as_scikit_learn(rng, kind, weights):
    y, p = rng.integers(0, 2 if kind == "bool" else 5, (2, 40))
    p[0] = y[0]
    w = {"counts": rng.integers(0, 4, 40), "eighths": rng.integers(0, 9, 40) / 8}.get(weights)
    for output_dict in (False, True):
        options = {"sample_weight": w, "output_dict": output_dict}
        assert_as_scikit_learn(NAME, KINDS[kind](y), KINDS[kind](p), **options)


WHOLE = np.array([0, 1, 1, 0])
SPELLED = {
    "bool": WHOLE.astype(bool),
    "int": WHOLE,
    "uint8": WHOLE.astype(np.uint8),
    "float": WHOLE.astype(float),
    "float32": WHOLE.astype(np.float32),
    "list": WHOLE.tolist(),
    "list of floats": [0, 1.0, 1, 0],
    "Int64": pd.Series(WHOLE, dtype="Int64"),
    "boolean": pd.Series(WHOLE, dtype="boolean"),
    "categories": pd.Series(WHOLE, dtype="category"),
    "other": np.array([0, 2, 1, 0]),
    "other floats": np.array([0.0, 2.0, 1.0, 0.0]),
}


@pytest.mark.parametrize("true", SPELLED)
@pytest.mark.parametrize("predicted", SPELLED)
def test_numbers_are_spelled_as_scikit_learn_spells_them(true, predicted):
    for output_dict in (False, True):
        options = {"output_dict": output_dict, "zero_division": 0}
        expected = peer.classification_report(SPELLED[true], SPELLED[predicted], **options)
        assert fm.classification_report(SPELLED[true], SPELLED[predicted], **options) == expected


def test_labels_are_counted_once(monkeypatch):
    counted = engine_sizes.noted(monkeypatch, "label counts")
    fm.classification_report(Y, P)
    assert len(counted) == 1


def test_each_warning_is_given_once():
    with pytest.warns(UndefinedMetricWarning) as caught:
        fm.classification_report([0, 1, 1], [0, 0, 0])
    assert [str(warning.message).split()[0] for warning in caught] == ["Precision"]


def test_supports_are_whole_where_nothing_is_right():
    report = fm.classification_report([0, 0], [1, 1], zero_division=0)
    assert report.splitlines()[2].split() == ["0", "0.00", "0.00", "0.00", "2"]


def test_accuracy_counts_a_repeated_label_once():
    report = fm.classification_report(Y, P, labels=[2, 2, 1, 0], output_dict=True)
    assert report["accuracy"] == 4 / 6
    assert report["macro avg"]["support"] == 8.0


def test_names_need_not_be_text():
    lines = fm.classification_report(Y, P, target_names=[1, (2, 3), None]).splitlines()
    assert [line[:12].strip() for line in lines[2:5]] == ["1", "(2, 3)", "None"]
    report = fm.classification_report(Y, P, target_names=[1, (2, 3), None], output_dict=True)
    assert list(report)[:3] == [1, (2, 3), None]


def test_a_matrix_in_place_of_rows():
    matrix = fm.ConfusionMatrix.from_labels(Y, P)
    assert fm.classification_report(matrix) == fm.classification_report(Y, P)
    matrix = fm.ConfusionMatrix.from_labels(["a", "b", "b"], ["a", "a", "b"])
    expected = fm.classification_report(["a", "b", "b"], ["a", "a", "b"])
    assert fm.classification_report(matrix) == expected


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"target_names": "abc"}, TypeError, "`target_names` must be a list of names"),
        ({"target_names": 5}, TypeError, "`target_names` must be a list of names"),
        ({"target_names": ["a"]}, ValueError, "must name 3 classes: got 1"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        fm.classification_report(Y, P, **options)
