"""A call that does not fit its function is told what to do, not only that it does not fit."""

import importlib
import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import fastmetrics as fm
import fastmetrics.dask as on_dask
from public import NAMES, public

Y = np.array([0, 1, 1, 0, 1, 0, 0, 1])
P = np.array([0.2, 0.7, 0.6, 0.6, 0.9, 0.65, 0.1, 0.3])

FUNCTIONS = {name: public(name) for name in NAMES if inspect.isfunction(public(name))}
CLASSES = {
    name: public(name)
    for name in ("BootstrapOutOfBag", "FiveByTwo", "Folds", "GroupedFolds", "HoldOut")
}
ON_DASK = {f"dask.{name}": getattr(on_dask, name) for name in on_dask.__all__}
ALL = {**FUNCTIONS, **CLASSES, **ON_DASK}
PARAMETERS = {name: inspect.signature(each).parameters for name, each in ALL.items()}
#: What takes any further name hands it on: to matplotlib, to a measure.
OPEN = {
    name
    for name, parameters in PARAMETERS.items()
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values())
}


def taking(word: str) -> list[str]:
    return [name for name, parameters in PARAMETERS.items() if word in parameters]


@pytest.mark.parametrize("name", taking("rng"))
def test_random_state_is_called_rng(name: str) -> None:
    own = name.removeprefix("dask.")
    for word in ("random_state", "seed"):
        with pytest.raises(
            TypeError, match=rf"^`{word}` is no parameter of `{own}`: it is called `rng` here$"
        ):
            ALL[name](**{word: 0})


def test_what_has_no_rng_draws_nothing() -> None:
    with pytest.raises(TypeError, match="of `delong_test`: nothing in it is random"):
        fm.delong_test(Y, {"a": P, "b": 1 - P}, random_state=0)


@pytest.mark.parametrize("name", sorted({*taking("metrics")} - OPEN))
def test_measures_have_one_word(name: str) -> None:
    for word in ("metric", "scoring"):
        with pytest.raises(TypeError, match=f"`{word}` is .*: it is called `metrics` here"):
            ALL[name](**{word: "accuracy"})


@pytest.mark.parametrize("name", taking("scores"))
def test_models_come_by_name(name: str) -> None:
    kinds = [p.kind for p in PARAMETERS[name].values()]
    places = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
    with pytest.raises(TypeError, match=r"^`scores` .* by name: pass \{'a': \.\.\., 'b': \.\.\.\}"):
        ALL[name](*([P] * (places + 1)))


def test_several_models_as_arguments() -> None:
    for function in (fm.evaluate, fm.delong_test, fm.paired_bootstrap, fm.paired_permutation_test):
        with pytest.raises(TypeError, match=r"pass \{'a': ..., 'b': ...\}; got 3 arguments by pos"):
            function(Y, P, 1 - P)
    for scores in ([P, P**2], np.c_[P, P**2]):
        with pytest.raises(ValueError, match=r"pass \{'a': ..., 'b': ...\}"):
            fm.delong_test(Y, scores)
    with pytest.raises(TypeError, match=r"pass \(y_true, y_score_a, y_score_b\)"):
        fm.dominance(Y, {"a": P, "b": P**2})


@pytest.mark.parametrize(
    ("name", "option", "advice"),
    [
        ("delong_test", "conf_level", "it is called `confidence_level` here"),
        ("bootstrap", "n_boot", "it is called `n_resamples` here"),
        ("roc_auc_score", "n_jobs", "it is called `n_threads` here"),
        ("roc_auc_score", "weights", "it is called `sample_weight` here"),
        ("evaluate", "treshold", "did you mean `thresholds?`"),
        ("threshold_costs", "cost_f", "did you mean `cost_f[np]` or `cost_f[np]`"),
        ("roc_auc_score", "groups", "groups of rows are for intervals, as of `bootstrap`"),
        ("plot_roc", "title", r"set it on the axes .*, with `.set_title\(\.\.\.\)`"),
        ("auc", "reorder", "it has `x`, `y`$"),
    ],
)
def test_other_words(name: str, option: str, advice: str) -> None:
    with pytest.raises(fm.InputTypeError, match=rf"^`{option}` is no .* `{name}`: .*{advice}"):
        ALL[name](**{option: 1})


@pytest.mark.parametrize(
    "plot",
    [
        lambda ax, **options: fm.plots.plot_roc(Y, P, ax=ax, **options),
        lambda ax, **options: fm.plots.plot_thresholds(Y, P, ax=ax, **options),
        lambda ax, **options: fm.costs.roc_convex_hull(Y, P).plot(ax, **options),
        lambda ax, **options: fm.ConfusionMatrix.from_labels(Y, Y).plot(ax, **options),
        lambda ax, **options: fm.bootstrap(Y, P, rng=1)["roc_auc"].plot(ax, **options),
    ],
)
@pytest.mark.filterwarnings("ignore::fastmetrics.SmallSampleWarning")
def test_options_of_plots(plot: Any) -> None:
    ax = Figure().subplots()
    assert isinstance(plot(ax), Axes)
    with pytest.raises(fm.InputTypeError, match=r"`title` is .*: set it on the axes that are ret"):
        plot(ax, title="two models")
    with pytest.raises(fm.InputTypeError, match=r"`groups` is .*: groups of rows are for interv"):
        plot(ax, groups=Y)
    with pytest.raises(fm.InputTypeError, match=r"`alhpa` is .*: did you mean `alpha`\?"):
        plot(ax, alhpa=0.5)


def test_errors_inside_a_function_are_its_own() -> None:
    def broken(labels: Any, scores: Any) -> float:
        return len(labels, scores)  # type: ignore[call-arg]

    with pytest.raises(TypeError, match=r"len\(\) takes exactly one argument"):
        fm.bootstrap(Y, P, metrics=broken, rng=1)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        fm.auc([0, 1])  # type: ignore[call-arg]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_what_they_were(name: str) -> None:
    function = FUNCTIONS[name]
    assert pickle.loads(pickle.dumps(function)) is function is public(name)
    inner = inspect.unwrap(function)
    assert getattr(importlib.import_module(inner.__module__), name) is inner
    assert function.__name__ == name
    assert function.__doc__ == inner.__doc__
    assert str(inspect.signature(function)) == str(inspect.signature(inner))
