"""roc_auc_score of more than two classes."""

import numpy as np
import pytest
import sklearn.metrics as sk

from fastmetrics import roc_auc_score
from fastmetrics.errors import UndefinedMetricWarning

NAMES = np.array(["apple", "fig", "pear", "plum"])


def problem(rng, n=60, k=4):
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    raw = rng.integers(1, 6, (n, k)).astype(float)
    raw[np.arange(n), y] += 2
    return y, raw / raw.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("text", [False, True])
def test_labels_name_a_class_that_is_absent(rng, text):
    y, s = problem(rng)
    keep = y != 2
    y, s = y[keep], s[keep]
    labels = np.arange(4)
    if text:
        y, labels = NAMES[y], NAMES
    for average in ("macro", "weighted"):
        options = {"multi_class": "ovo", "average": average, "labels": labels}
        assert roc_auc_score(y, s, **options) == pytest.approx(sk.roc_auc_score(y, s, **options))
    options = {"multi_class": "ovr", "average": "weighted", "labels": list(labels)}
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        ours = roc_auc_score(y, s, **options)
    with pytest.warns(sk._ranking.UndefinedMetricWarning, match="Only one class"):
        assert ours == pytest.approx(sk.roc_auc_score(y, s, **options))


def test_one_class_left():
    s = np.full((3, 3), 1 / 3)
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert np.isnan(roc_auc_score([1, 1, 1], s, multi_class="ovo", labels=[0, 1, 2]))
    options = {"multi_class": "ovo", "sample_weight": [1.0, 0.0, 0.0]}
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert np.isnan(roc_auc_score([0, 1, 2], s, **options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "multi_class must be in"),
        ({"multi_class": "ovr", "average": "samples"}, "average"),
        ({"multi_class": "ovo", "average": "micro"}, "average"),
        ({"multi_class": "ovr", "max_fpr": 0.5}, "max_fpr"),
        ({"multi_class": "ovr", "labels": [0, 1, 2]}, "columns"),
        ({"multi_class": "ovr", "labels": [0, 1, 2, 2]}, "'labels' must be unique"),
        ({"multi_class": "ovr", "labels": [0, 1, 3, 2]}, "'labels' must be ordered"),
        ({"multi_class": "ovr", "labels": [0, 1, 2, 7]}, "labels not in parameter 'labels'"),
    ],
)
def test_refuses_what_scikit_learn_refuses(rng, options, message):
    y, s = problem(rng)
    with pytest.raises(ValueError, match=message):
        roc_auc_score(y, s, **options)
    with pytest.raises(ValueError, match=message):
        sk.roc_auc_score(y, s, **options)
