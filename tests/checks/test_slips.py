"""The commonest slips: what a user holds is passed as it is, and the message says what to do."""

import sys
from typing import Any

import numpy as np
import polars as pl
import pytest

import fastmetrics as fm
from public import public

Y = np.array([0, 1, 1, 0, 1])
SCORES = np.array([0.1, 0.9, 0.8, 0.3, 0.4])
THREE = np.array([2, 1, 0, 2, 1])
COLUMNS = np.full((5, 3), 0.25) + 0.25 * np.eye(3)[THREE]
ONE_HOT = np.eye(3, dtype=int)[THREE]
TARGETS = 10.0 * SCORES + 0.25
LAZY = pl.DataFrame({"a": SCORES, "b": SCORES}).lazy()
SCALAR = np.array(0.5)

THRESHOLD = (
    "`y_pred` holds probabilities .0.1 at index 0. .* `predict_at_threshold`, or are the arg"
)
SWAPPED = (
    "`y_true` holds probabilities .0.1 at index 0. where labels are needed: are the arguments swa"
)
ARGMAX = r"where each column is a class take the argmax, `classes\[columns.argmax\(axis=1\)\]`"
REGRESSION = "is this regression .its measures have names such as 'mean_squared_error'."

CASES = {
    "probabilities for labels": (fm.f1_score, (Y, SCORES), {}, THRESHOLD),
    "probabilities counted": (fm.ConfusionMatrix.from_labels, (Y, SCORES), {}, THRESHOLD),
    "swapped, labels": (fm.accuracy_score, (SCORES, Y), {}, SWAPPED),
    "swapped, scores": (fm.roc_auc_score, (SCORES, Y), {}, SWAPPED),
    "swapped, evaluate": (fm.evaluate, (SCORES, Y), {}, "are the arguments swapped. If not, pass"),
    "columns for labels": (fm.accuracy_score, (THREE, COLUMNS), {}, f"`y_pred` is a .*{ARGMAX}"),
    "columns, strict": (fm.matthews_corrcoef, (THREE, COLUMNS), {}, f"`y_pred` must.*{ARGMAX}"),
    "columns counted": (fm.ConfusionMatrix.from_labels, (THREE, COLUMNS), {}, ARGMAX),
    "one-hot and columns": (fm.f1_score, (ONE_HOT, COLUMNS), {}, f"`y_pred` .*{ARGMAX}"),
    "one-hot targets": (fm.f1_score, (ONE_HOT, THREE), {}, f"`y_true` is a matrix.*{ARGMAX}"),
    "regression": (fm.bootstrap, (TARGETS, SCORES), {}, REGRESSION),
    "regression, evaluate": (fm.evaluate, (TARGETS, SCORES), {"task": "binary"}, REGRESSION),
    "regression, whole": (fm.bootstrap, (np.arange(30), np.arange(30.0)), {}, REGRESSION),
    "classes": (
        *(fm.bootstrap, (THREE, SCORES), {}),
        "pass `y_true == .` for one class against the rest, or see `multi_class` of roc_auc_score$",
    ),
    "continuous `labels`": (
        *(fm.f1_score, (Y, Y), {"labels": [0.5], "average": "macro"}),
        "`labels` must hold whole numbers or text: got continuous values",
    ),
    "junk beside binary F1": (fm.f1_score, (Y, Y), {"labels": "junk"}, "`labels` must be an array"),
    "other `labels`, F1": (
        fm.f1_score,
        (Y, Y),
        {"labels": [8, 9]},
        "not name the positive cl.* 1,",
    ),
    "text `labels`, F1": (fm.jaccard_score, (Y, Y), {"labels": ["a"]}, "`labels` holds text"),
    "junk beside Brier": (fm.brier_score_loss, (Y, SCORES), {"labels": 3}, "`labels` must be an a"),
    "other `labels`, Brier": (
        *(fm.d2_brier_score, (Y, SCORES), {"labels": [5, 6]}),
        "`y_true` contains 0, which is not in `labels`: {5, 6}",
    ),
    "lengths of `y1`": (fm.cohen_kappa_score, (Y, Y[:3]), {}, "`y1` has 5 rows, `y2` has 3"),
    "nan in `y2`": (fm.cohen_kappa_score, (Y, [0, np.nan, 1, 1, 1]), {}, "`y2` contains 1 null"),
    "text in `y2`": (fm.cohen_kappa_score, (Y, list("abcde")), {}, "`y1` holds numbers and `y2`"),
    "scalar decisions": (fm.hinge_loss, (Y, SCALAR), {}, "`pred_decision` must be an array: got a"),
    "scalar costs": (
        *(fm.costs.cost_sensitive_error, (Y, Y), {"cost_matrix": SCALAR}),
        r"`cost_matrix` must have shape \(n_classes, n_classes\): got \(\)",
    ),
    "lazy labels": (fm.f1_score, (LAZY, LAZY), {}, r"`y_true` .* lazy frame: pass `\.collect\(\)`"),
    "lazy weights": (
        *(fm.roc_auc_score, (Y, SCORES), {"sample_weight": LAZY}),
        "`sample_weight` is a lazy frame",
    ),
    "lazy models": (fm.paired_bootstrap, (Y, LAZY), {}, "`scores` is a lazy frame: pass"),
    "lazy models, evaluate": (fm.evaluate, (Y, LAZY), {}, "`scores` is a lazy frame: pass"),
    "lazy costs": (
        fm.costs.cost_sensitive_error,
        (Y, Y),
        {"cost_matrix": LAZY},
        "`cost_matrix` is a lazy frame",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_message_says_what_to_do(case: str) -> None:
    function, args, kwargs, message = CASES[case]
    with pytest.raises(fm.InputError, match=message):
        function(*args, **kwargs)


def test_what_labels_choose_nothing_of_may_still_be_named() -> None:
    assert fm.f1_score(Y, Y, labels=[1]) == fm.f1_score(Y, Y, labels=[0, 1, 2]) == 1.0
    plain = fm.brier_score_loss(Y, SCORES)
    assert fm.brier_score_loss(Y, SCORES, labels=[1, 0, 2]) == plain


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [
        ("sklearn", "estimators", lambda: fm.selection.evaluate_estimator(None, np.eye(5), Y)),
        ("matplotlib", "plot", lambda: fm.comparison.binomial_test(3, 10, error_rate=0.5).plot()),
    ],
)
def test_a_missing_package_is_told_with_its_extra(monkeypatch, package, extra, call) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"pip install 'fastmetrics-eval\[{extra}\]'"):
        call()


# --- several models, scorers, one-hot labels ---------------------------------------------------


def test_a_list_of_vectors_with_names_is_several_models() -> None:
    y = np.tile([0, 1, 1], 10)
    a, b = y + np.arange(30) % 7, y + np.arange(30) % 5
    named = fm.delong_test(y, {"a": a, "b": b})
    assert fm.delong_test(y, [a, b], names=["a", "b"]) == named
    assert fm.delong_test(y, (a.tolist(), b), names=("a", "b")) == named
    assert fm.delong_test(y, np.c_[a, b].tolist(), names=["a", "b"]) == named
    assert fm.evaluate(y, [a, b], names=["a", "b"]) == fm.evaluate(y, {"a": a, "b": b})
    with pytest.raises(TypeError, match=r"pass \{'a': ..., 'b': ...\}, each model's"):
        fm.delong_test(y, [a, b])
    with pytest.raises(ValueError, match="`names` must name the 30 columns"):
        fm.delong_test(y, [a, b], names=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"`scores\[1\]`"):
        fm.delong_test(y, [a, b[:-1]], names=["a", "b"])
    with pytest.raises(TypeError, match="`names` must hold texts: got 1 at index 1"):
        fm.delong_test(y, [a, b], names=["a", 1])


@pytest.mark.parametrize("name", ["bootstrap", "paired_bootstrap", "paired_permutation_test"])
def test_scorers_need_an_estimator(name: str) -> None:
    from sklearn.metrics import get_scorer

    y, s = np.tile([0, 1, 1], 10), np.arange(30) % 7
    scores = s if name == "bootstrap" else {"a": s, "b": -s}
    for scorer in (get_scorer("roc_auc"), fm.scorer("roc_auc")):
        with pytest.raises(TypeError, match=r"is a scorer, .* pass the name of the m") as said:
            public(name)(y, scores, metrics=scorer, n_resamples=20)
        assert isinstance(said.value, fm.InputError)


@pytest.mark.parametrize("function", [fm.roc_curve, fm.ks_statistic, fm.bootstrap, fm.delong])
def test_one_hot_labels_of_two_classes(function: Any) -> None:
    y, s = np.tile([0, 1, 1], 10), np.arange(30) % 7
    for given in (np.eye(2, dtype=int)[y], np.eye(2, dtype=int)[y].tolist()):
        with pytest.raises(ValueError, match=r"of one-hot rows, pass .* `y_true\[:, 1\]`"):
            function(given, s)
    with pytest.raises(ValueError, match=r"shape \(n,\): got \(30, 1, 1\)$"):
        function(y.reshape(-1, 1, 1), s)


def test_warnings_name_the_parameters_of_the_call() -> None:
    y = np.array([0, 1, 1, 0])
    with pytest.warns(fm.DataConversionWarning, match="^`y1` is a column"):
        fm.cohen_kappa_score(y.reshape(-1, 1), y)
    with pytest.warns(fm.DataConversionWarning, match="^`y2` is a column"):
        fm.cohen_kappa_score(y, y.reshape(-1, 1))
    with pytest.warns(fm.DataConversionWarning, match="^`y_true_b` is a column"):
        fm.delong_unpaired_test(y, y - [0, 2, 0, 0], y.reshape(-1, 1), y - [0, 2, 0, 0])
    with pytest.warns(fm.DataConversionWarning, match="^`y_true` is a column"):
        fm.f1_score(y.reshape(-1, 1), y)
