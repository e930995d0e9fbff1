"""Results that hold several measures or models are asked by name."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm

Y = np.tile([0, 1, 1], 20)
RNG = np.random.default_rng(0)
MODELS = {name: Y + RNG.normal(size=60) for name in ("tree", "forest", "boosted")}
TWO = {name: MODELS[name] for name in ("tree", "forest")}
FEW: dict[str, Any] = {"n_resamples": 50, "rng": 1, "metrics": ["roc_auc", "average_precision"]}


@pytest.mark.parametrize("function", [fm.paired_bootstrap, fm.paired_permutation_test])
def test_differences_are_asked_by_measure_and_models(function: Callable[..., Any]) -> None:
    one, three = function(Y, TWO, **FEW), function(Y, MODELS, **FEW)
    assert one["roc_auc"]["tree", "forest"] is one["roc_auc"].pairs[0]
    assert one["average_precision"]["tree", "forest"].metric == "average_precision"
    for pair in three["roc_auc"]:
        assert three["roc_auc"][pair.a, pair.b] is pair
    with pytest.raises(KeyError, match=r"did you mean \('tree', 'forest'\)\?"):
        three["roc_auc"]["tree", "forests"]
    with pytest.raises(KeyError, match=r"the measures are .*; did you mean 'roc_auc'"):
        one["rocauc"]
    others = function(Y, MODELS, reference="forest", **FEW)["roc_auc"]
    assert [(pair.a, pair.b) for pair in others] == [("tree", "forest"), ("boosted", "forest")]
    with pytest.raises(KeyError, match="'bush': the models are 'tree', 'forest', 'boosted'"):
        function(Y, MODELS, reference="bush", **FEW)


#: A result, a name that is nearly in it, and what was meant.
NEARLY: dict[str, tuple[Callable[[], Any], Any, str]] = {
    "bootstrap": (lambda: fm.bootstrap(Y, TWO["tree"], **FEW), "roc-auc", "'roc_auc'"),
    "paired_bootstrap": (lambda: fm.paired_bootstrap(Y, TWO, **FEW), "roc-auc", "'roc_auc'"),
    "delong_test": (lambda: fm.delong_test(Y, TWO), ("tree", "Forest"), r"\('tree', 'forest'\)"),
    "evaluate": (lambda: fm.evaluate(Y, TWO), "Forest", "'forest'"),
    "classification_measures": (
        lambda: fm.classification_measures(Y, Y[::-1]),
        "balanced_acuracy",
        "'balanced_accuracy'",
    ),
    "regression_measures": (
        lambda: fm.regression_measures(Y, Y[::-1]),
        "mean_square_error",
        "'mean_squared_error'",
    ),
    "metrics_table": (fm.metrics_table, "log_los", "'log_loss'"),
}


@pytest.mark.parametrize("name", NEARLY)
def test_a_name_that_is_not_there(name: str) -> None:
    made, asked, meant = NEARLY[name]
    result = made()
    with pytest.raises(
        fm.InputKeyError, match=rf": the .* are .*; did you mean {meant}\?$"
    ) as said:
        result[asked]
    assert isinstance(said.value, fm.InputError)
    assert isinstance(said.value, KeyError)
    assert str(said.value).startswith(repr(asked))
    with pytest.raises(KeyError, match=r"[^?]$"):
        result["xyz"]
