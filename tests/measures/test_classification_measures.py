"""Ten measures from one reading of the data: values, the majority beside accuracy, defaults."""

import math

import numpy as np
import pytest
import sklearn.metrics as sk
from peer_samples import labels_of, outcome, weights_of

import engine_sizes
from fastmetrics import (
    ConfusionMatrix,
    UndefinedMetricWarning,
    classification_measures,
    count_measure,
)
from measure_names import COUNT_MEASURES, PRICED

OF_ANY = sorted(name for name, m in COUNT_MEASURES.items() if m.classes != 2 and name not in PRICED)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("weighting", ["none", "counts", "importances"])
def test_every_measure_is_the_one_of_its_name(rng, k, weighting) -> None:
    y, p = labels_of(rng, 150, k)
    w = weights_of(rng, 150, weighting)
    asked = OF_ANY if k > 2 else sorted(set(COUNT_MEASURES) - PRICED)
    found = classification_measures(y, p, metrics=asked, sample_weight=w)
    matrix = ConfusionMatrix.from_labels(y, p, sample_weight=w)
    assert list(found.values) == asked
    for name in asked:
        assert found[name] == count_measure(matrix, name)
    commonest = np.bincount(y, weights=w).argmax()
    majority = sk.accuracy_score(y, np.full(150, commonest), sample_weight=w)
    assert found.majority_accuracy == pytest.approx(majority, rel=1e-14)
    assert found.matrix == ConfusionMatrix.from_labels(y, p, sample_weight=w)
    assert classification_measures(matrix, metrics=asked).values == found.values


def test_the_data_are_read_once(rng, monkeypatch) -> None:
    y, p = labels_of(rng, 50, 2)
    calls = engine_sizes.noted(monkeypatch, "label cells")
    assert len(classification_measures(y.tolist(), p).values) == 10
    assert len(calls) == 1


def test_which_class_is_positive(rng) -> None:
    y, p = labels_of(rng, 80, 2)
    wanted = classification_measures(y, p)
    assert "specificity" in wanted.values
    text = np.array(["ill", "well"])
    swapped = classification_measures(text[1 - y], text[1 - p], pos_label="ill")
    assert swapped.values == pytest.approx(wanted.values)
    assert swapped.matrix.labels == ("well", "ill")
    given = classification_measures(text[1 - y], text[1 - p], labels=["well", "ill"])
    assert given.values == swapped.values
    assert classification_measures(y, p, pos_label=0)["recall"] == wanted["specificity"]
    matrix = ConfusionMatrix.from_labels(text[1 - y], text[1 - p], labels=["well", "ill"])
    assert classification_measures(matrix).values == given.values
    assert classification_measures(matrix, pos_label="well")["recall"] == wanted["specificity"]
    unknown = classification_measures(text[y], text[p])
    assert "specificity" not in unknown.values
    assert unknown["accuracy"] == wanted["accuracy"]


def test_parameters_go_to_the_measures_that_have_them(rng) -> None:
    y, p = labels_of(rng, 60, 3)
    matrix = ConfusionMatrix.from_labels(y, p)
    costs = [[0, 1, 2], [1, 0, 1], [5, 2, 0]]
    found = classification_measures(
        *(y, p),
        metrics=["fbeta_macro", "cost", "cohen_kappa", "accuracy"],
        beta=2,
        cost_matrix=costs,
        weights="linear",
    )
    assert found["fbeta_macro"] == count_measure(matrix, "fbeta_macro", beta=2)
    assert found["cost"] == count_measure(matrix, "cost", cost_matrix=costs)
    assert found["cohen_kappa"] == count_measure(matrix, "cohen_kappa", weights="linear")
    with pytest.raises(TypeError, match=r"none of .* 'accuracy', 'f1_macro' has .*'beta"):
        classification_measures(y, p, metrics=["accuracy", "f1_macro"], beta=2)


def test_what_is_undefined_is_named_once() -> None:
    with pytest.warns(UndefinedMetricWarning) as caught:
        found = classification_measures([0, 0, 1], [0, 0, 0])
    assert len(caught) == 1
    assert str(caught[0].message) == "not defined on these data: precision, matthews_corrcoef"
    assert math.isnan(found["precision"])
    assert found.majority_accuracy == 2 / 3
    calm, said = outcome(
        classification_measures, [0, 0, 1], [0, 0, 0], metrics=["precision"], zero_division=0
    )
    assert (calm["precision"], said) == (0.0, [])
    with pytest.warns(UndefinedMetricWarning, match="accuracy, .*majority_accuracy"):
        empty = classification_measures(ConfusionMatrix())
    assert all(map(math.isnan, [*empty.values.values(), empty.majority_accuracy]))


def test_accuracy_misleads_where_one_class_is_common() -> None:
    found = classification_measures([0] * 95 + [1] * 5, [0] * 100, metrics="accuracy")
    assert found["accuracy"] == found.majority_accuracy == 0.95
    assert repr(found) == "ClassificationMeasures(accuracy=0.95 (majority class 0.95))"
    assert "Always the most frequent class: accuracy 0.95." in str(found)
