"""The column of the positive class that the evaluator of MLflow takes; needs no MLflow."""

import numpy as np
import pandas as pd
import pytest

from fastmetrics.mlflow import _positive_column

P = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
FIRST, SECOND = P.T


@pytest.mark.parametrize(
    ("scores", "labels", "pos_label", "expected"),
    [
        (P, [0, 1, 1], None, SECOND),
        (P, [0, 0, 0], None, SECOND),
        (P, [1, 1, 1], None, SECOND),
        (P, [-1, 1, 1], None, SECOND),
        (P, [0, 1, 1], 0, FIRST),
        (P, ["no", "yes", "yes"], "no", FIRST),
        (pd.DataFrame(P, columns=[1, 0]), [0, 1, 1], None, FIRST),
        (pd.DataFrame(P, columns=[False, True]), [0, 1, 1], None, SECOND),
        (pd.DataFrame(P, columns=["yes", "no"]), ["no", "yes", "yes"], "yes", FIRST),
    ],
)
def test_it_is_named_or_in_the_order_of_labels(scores, labels, pos_label, expected) -> None:
    actual = _positive_column(scores, np.array(labels), pos_label)
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize(
    ("scores", "labels", "pos_label"),
    [
        (pd.DataFrame(P, columns=["yes", "no"]), ["no", "yes", "yes"], None),
        (pd.DataFrame(P, columns=["a", "b"]), [0, 1, 1], None),
        (P, ["no", "yes", "yes"], "maybe"),
        (P, [0, 0, 0], 0),
    ],
)
def test_it_is_never_guessed(scores, labels, pos_label) -> None:
    with pytest.raises(ValueError, match="must name one of them as `pos_label`"):
        _positive_column(scores, np.array(labels), pos_label)
