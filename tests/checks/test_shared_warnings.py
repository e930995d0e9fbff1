"""Warnings beside scikit-learn: one class that is both, in words that begin with its own."""

import copy
import pickle
import subprocess
import sys
import warnings

import pytest
from sklearn import exceptions, metrics as peer

import fastmetrics as fm

NAMES = ("UndefinedMetricWarning", "DataConversionWarning")


def said(function, *args, **kwargs) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*args, **kwargs)
    return caught


def warn_both() -> list[warnings.WarningMessage]:
    return said(fm.roc_auc_score, [[1], [1]], [0.2, 0.3])


def test_a_filter_for_either_class_is_heard() -> None:
    found = {each.category.__name__: each.category for each in warn_both()}
    assert set(found) == set(NAMES)
    for name, category in found.items():
        assert issubclass(category, getattr(fm, name))
        assert issubclass(category, getattr(exceptions, name))
    for module in (fm, exceptions):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name in NAMES:
                warnings.simplefilter("ignore", getattr(module, name))
            fm.roc_auc_score([[1], [1]], [0.2, 0.3])


def test_the_classes_are_made_once_and_travel() -> None:
    first, second = warn_both(), warn_both()
    for one, other in zip(first, second, strict=True):
        assert one.category is other.category
        assert pickle.loads(pickle.dumps(one.category)) is one.category
        assert copy.deepcopy(one.category) is one.category
        loaded = pickle.loads(pickle.dumps(one.message))
        assert type(loaded) is one.category
        assert str(loaded) == str(one.message)


WITHOUT = """
import pickle, sys, warnings
import fastmetrics as fm
loaded = pickle.loads(bytes.fromhex(sys.argv[1]))
assert type(loaded) is fm.UndefinedMetricWarning, type(loaded)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    fm.roc_auc_score([1, 1], [0.2, 0.3])
assert [each.category for each in caught] == [fm.UndefinedMetricWarning]
assert "sklearn" not in sys.modules
"""


def test_where_scikit_learn_is_not_loaded_the_classes_are_ours() -> None:
    message = next(each.message for each in warn_both() if "class" in str(each.message))
    command = [sys.executable, "-c", WITHOUT, pickle.dumps(message).hex()]
    subprocess.run(command, check=True)


THREE = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]
CASES = [
    ("accuracy_score", ([[1], [0]], [1, 0]), {}),
    ("average_precision_score", ([0, 0], [0.2, 0.7]), {}),
    ("balanced_accuracy_score", ([0, 0, 0], [0, 0, 1]), {}),
    ("brier_score_loss", (["b", "a", "c"], THREE), {"labels": ["c", "b", "a"]}),
    ("class_likelihood_ratios", ([1, 1, 0], [1, 0, 0]), {}),
    ("class_likelihood_ratios", ([1, 1, 0], [0, 0, 0]), {}),
    ("class_likelihood_ratios", ([0, 0, 0], [1, 0, 0]), {}),
    ("classification_report", ([0, 1], [0, 1]), {"labels": [1], "target_names": ["a", "b"]}),
    ("classification_report", ([0, 1], [0, 0]), {}),
    ("cohen_kappa_score", ([1, 1], [1, 1]), {}),
    ("cohen_kappa_score", ([1, 2], [3, 3]), {"labels": [1, 2], "replace_undefined_by": 0.0}),
    ("confusion_matrix", ([1, 1], [1, 1]), {}),
    ("d2_brier_score", ([1], [0.5]), {}),
    ("d2_log_loss_score", ([1], [0.5]), {}),
    ("d2_pinball_score", ([1], [0.5]), {}),
    ("d2_tweedie_score", ([1], [0.5]), {}),
    ("f1_score", ([0, 0], [0, 0]), {}),
    ("f1_score", ([0, 1], [0, 0]), {"average": "macro", "pos_label": 0}),
    ("log_loss", ([0, 1, 2], THREE), {"labels": [2, 1, 0]}),
    ("log_loss", ([0, 1, 2], [[0.5, 0.3, 0.3], *THREE[1:]]), {}),
    ("log_loss", ([0, 1],), {"y_pred": [0.2, 0.7]}),
    ("precision_recall_curve", ([0, 0], [0.2, 0.7]), {}),
    ("precision_score", ([0, 1, 2], [0, 1, 1]), {"average": "macro"}),
    ("r2_score", ([1.0], [0.5]), {}),
    ("recall_score", ([[1, 0], [0, 0]], [[1, 0], [1, 0]]), {"average": "samples"}),
    ("roc_auc_score", ([1, 1], [0.2, 0.7]), {}),
    ("roc_curve", ([0, 0], [0.2, 0.7]), {}),
    ("roc_curve", ([1, 1], [0.2, 0.7]), {}),
    ("top_k_accuracy_score", ([0, 1, 2], THREE), {"k": 3}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), CASES, ids=lambda part: str(part)[:40])
def test_words_begin_with_those_of_scikit_learn(name: str, args: tuple, kwargs: dict) -> None:
    caught = said(getattr(peer, name), *args, **kwargs)
    theirs = {str(each.message) for each in caught if each.category is not RuntimeWarning}
    ours = {str(each.message) for each in said(getattr(fm, name), *args, **kwargs)}
    # Up to where its words join without a space, or say "the the"; the advice on filters is left.
    firsts = {text.partition("`cohen")[0].strip().partition(" To ")[0] for text in theirs}
    missing = {text for text in firsts if not any(each.startswith(text) for each in ours)}
    assert not missing, ours
