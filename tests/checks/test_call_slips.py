"""Calls: options, the commonest slips, errors, warnings and docstrings."""

import ast
import copy
import dataclasses
import functools
import importlib
import inspect
import pickle
import re
import subprocess
import sys
import threading
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn import exceptions, metrics as peer

import fastmetrics as fm
import fastmetrics.dask as on_dask
from fastmetrics.errors import warn_user, with_names
from public import NAMES, public

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
REGRESSION = "is this regression .its metrics have names such as 'mean_squared_error'."

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
    assert fm.brier_score_loss(Y, SCORES, labels=[1, 0, 2]) == fm.brier_score_loss(Y, SCORES)


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


def test_a_list_of_vectors_with_names_is_several_models() -> None:
    y = np.tile([0, 1, 1], 10)
    a = y + np.arange(30) % 7
    b = y + np.arange(30) % 5
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

    y = np.tile([0, 1, 1], 10)
    s = np.arange(30) % 7
    scores = s if name == "bootstrap" else {"a": s, "b": -s}
    for scorer in (get_scorer("roc_auc"), fm.scorer("roc_auc")):
        with pytest.raises(TypeError, match=r"is a scorer, .* pass the name of the m") as said:
            public(name)(y, scores, metrics=scorer, n_resamples=20)
        assert isinstance(said.value, fm.InputError)


@pytest.mark.parametrize("function", [fm.roc_curve, fm.ks_statistic, fm.bootstrap, fm.delong])
def test_one_hot_labels_of_two_classes(function: Any) -> None:
    y = np.tile([0, 1, 1], 10)
    s = np.arange(30) % 7
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


Y_FIT = np.array([0, 1, 1, 0, 1, 0, 0, 1])
P = np.array([0.2, 0.7, 0.6, 0.6, 0.9, 0.65, 0.1, 0.3])

FUNCTIONS = {name: public(name) for name in NAMES if inspect.isfunction(public(name))}
CLASSES = {
    name: public(name)
    for name in ("BootstrapOutOfBag", "FiveByTwo", "Folds", "GroupedFolds", "HoldOut")
}
ON_DASK = {f"dask.{name}": getattr(on_dask, name) for name in on_dask.__all__}
ALL = {**FUNCTIONS, **CLASSES, **ON_DASK}
PARAMETERS = {name: inspect.signature(each).parameters for name, each in ALL.items()}
#: What takes any further name hands it on: to matplotlib, to a metric.
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
        fm.delong_test(Y_FIT, {"a": P, "b": 1 - P}, random_state=0)


@pytest.mark.parametrize("name", sorted({*taking("metrics")} - OPEN))
def test_metrics_have_one_word(name: str) -> None:
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
            function(Y_FIT, P, 1 - P)
    for scores in ([P, P**2], np.c_[P, P**2]):
        with pytest.raises(ValueError, match=r"pass \{'a': ..., 'b': ...\}"):
            fm.delong_test(Y_FIT, scores)
    with pytest.raises(TypeError, match=r"pass \(y_true, y_score_a, y_score_b\)"):
        fm.dominance(Y_FIT, {"a": P, "b": P**2})


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
        lambda ax, **options: fm.plots.plot_roc(Y_FIT, P, ax=ax, **options),
        lambda ax, **options: fm.plots.plot_thresholds(Y_FIT, P, ax=ax, **options),
        lambda ax, **options: fm.costs.cost_curve(Y_FIT, P).plot(ax, **options),
        lambda ax, **options: fm.ConfusionMatrix.from_labels(Y_FIT, Y_FIT).plot(ax, **options),
        lambda ax, **options: fm.bootstrap(Y_FIT, P, rng=1)["roc_auc"].plot(ax, **options),
    ],
)
@pytest.mark.filterwarnings("ignore::fastmetrics.SmallSampleWarning")
def test_options_of_plots(plot: Any) -> None:
    ax = Figure().subplots()
    assert isinstance(plot(ax), Axes)
    with pytest.raises(fm.InputTypeError, match=r"`title` is .*: set it on the axes that are ret"):
        plot(ax, title="two models")
    with pytest.raises(fm.InputTypeError, match=r"`groups` is .*: groups of rows are for interv"):
        plot(ax, groups=Y_FIT)
    with pytest.raises(fm.InputTypeError, match=r"`alhpa` is .*: did you mean `alpha`\?"):
        plot(ax, alhpa=0.5)


def test_errors_inside_a_function_are_its_own() -> None:
    def broken(labels: Any, scores: Any) -> float:
        return len(labels, scores)  # type: ignore[call-arg]

    with pytest.raises(TypeError, match=r"len\(\) takes exactly one argument"):
        fm.bootstrap(Y_FIT, P, metrics=broken, rng=1)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        fm.auc([0, 1])  # type: ignore[call-arg]


def test_functions_are_what_they_were() -> None:
    for name, function in FUNCTIONS.items():
        assert pickle.loads(pickle.dumps(function)) is function is public(name)
        inner = inspect.unwrap(function)
        assert getattr(importlib.import_module(inner.__module__), name) is inner
        assert function.__name__ == name
        assert function.__doc__ == inner.__doc__, name
        assert str(inspect.signature(function)) == str(inspect.signature(inner)), name


MESSAGE = "`y_score` must be finite: nan at index 1, 1 in all"


def raised(*arguments, **options):
    with pytest.raises(fm.InputError) as caught:
        fm.roc_auc_score(*arguments, **options)
    return caught.value


def test_names_the_first_parameter() -> None:
    assert raised([0, 1], [0.5, float("nan")]).parameter == "y_score"
    assert raised([0, 1, 1], [0.5, 0.2]).parameter == "y_true"  # lengths differ: both are named
    assert fm.InputError("nothing between backticks").parameter is None
    assert fm.InputError("take `method='bca'`").parameter == "method"


def test_kinds() -> None:
    error = raised(None, [0.5])
    assert type(error) is fm.InputTypeError
    assert isinstance(error, TypeError)
    assert isinstance(error, ValueError)
    assert not isinstance(raised([], []), TypeError)


def test_renamed() -> None:
    error = raised([0, 1], [0.5, float("nan")])
    assert str(error) == MESSAGE
    other = error.renamed({"y_score": "scores['a']", "y_true": "never named"})
    assert type(other) is fm.InputError
    assert str(other) == MESSAGE.replace("y_score", "scores['a']")
    assert other.parameter == "scores['a']"
    assert type(raised(None, [0.5]).renamed({})) is fm.InputTypeError


def test_what_was_passed_is_no_parameter() -> None:
    error = fm.InputError("`pos_label` must be a label: got 'y_score'")
    assert str(error.renamed({"y_score": "x"})) == str(error)


def test_a_setting_has_a_name_of_its_own() -> None:
    text = "take `method='bca'` or `stratified=True`: `method` is one of several"
    names = {"method=": "--method ", "method": "--method"}
    said = "take --method bca or `stratified=True`: --method is one of several"
    assert with_names(text, names) == said
    said = said.replace("`stratified=True`", "--stratified")
    assert with_names(text, names | {"stratified=True": "--stratified"}) == said


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.int64(-7), "-7"),
        (np.uint8(7), "7"),
        (np.float32(0.5), "0.5"),
        (np.float64("nan"), "nan"),
        (np.longdouble(1.5), "1.5"),
        (np.True_, "True"),
        (np.str_("it's"), '"it\'s"'),
        ([np.int64(1), {"a": np.float64(2.5)}], "[1, {'a': 2.5}]"),
    ],
)
def test_numbers_of_numpy_are_shown_as_plain_ones(value, shown) -> None:
    message = "`x` must be smaller: got "
    assert str(fm.InputError(f"{message}{value!r}")) == message + shown
    with pytest.warns(fm.DegenerateDataWarning) as caught:
        warn_user(f"{message}{value!r}", fm.DegenerateDataWarning)
    assert str(caught[0].message) == message + shown


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_travels(copied) -> None:
    error = raised([0, 1], [0.5, float("nan")])
    assert (type(copied(error)), str(copied(error))) == (fm.InputError, MESSAGE)


NAMES_WARNINGS = ("UndefinedMetricWarning", "DataConversionWarning")


def said(function, *args, **kwargs) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*args, **kwargs)
    return caught


def warn_both() -> list[warnings.WarningMessage]:
    return said(fm.roc_auc_score, [[1], [1]], [0.2, 0.3])


def test_a_filter_for_either_class_is_heard() -> None:
    actual = {each.category.__name__: each.category for each in warn_both()}
    assert set(actual) == set(NAMES_WARNINGS)
    for name, category in actual.items():
        assert issubclass(category, getattr(fm, name))
        assert issubclass(category, getattr(exceptions, name))
    for module in (fm, exceptions):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name in NAMES_WARNINGS:
                warnings.simplefilter("ignore", getattr(module, name))
            fm.roc_auc_score([[1], [1]], [0.2, 0.3])


def test_the_classes_are_made_once_and_travel() -> None:
    first = warn_both()
    second = warn_both()
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
    subprocess.run([sys.executable, "-c", WITHOUT, pickle.dumps(message).hex()], check=True)


THREE_WARNINGS = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]
CASES_WARNINGS = [
    ("accuracy_score", ([[1], [0]], [1, 0]), {}),
    ("average_precision_score", ([0, 0], [0.2, 0.7]), {}),
    ("balanced_accuracy_score", ([0, 0, 0], [0, 0, 1]), {}),
    ("brier_score_loss", (["b", "a", "c"], THREE_WARNINGS), {"labels": ["c", "b", "a"]}),
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
    ("log_loss", ([0, 1, 2], THREE_WARNINGS), {"labels": [2, 1, 0]}),
    ("log_loss", ([0, 1, 2], [[0.5, 0.3, 0.3], *THREE_WARNINGS[1:]]), {}),
    ("log_loss", ([0, 1],), {"y_pred": [0.2, 0.7]}),
    ("precision_recall_curve", ([0, 0], [0.2, 0.7]), {}),
    ("precision_score", ([0, 1, 2], [0, 1, 1]), {"average": "macro"}),
    ("r2_score", ([1.0], [0.5]), {}),
    ("recall_score", ([[1, 0], [0, 0]], [[1, 0], [1, 0]]), {"average": "samples"}),
    ("roc_auc_score", ([1, 1], [0.2, 0.7]), {}),
    ("roc_curve", ([0, 0], [0.2, 0.7]), {}),
    ("roc_curve", ([1, 1], [0.2, 0.7]), {}),
    ("top_k_accuracy_score", ([0, 1, 2], THREE_WARNINGS), {"k": 3}),
]


@pytest.mark.parametrize(
    ("name", "args", "kwargs"), CASES_WARNINGS, ids=lambda part: str(part)[:40]
)
def test_words_begin_with_those_of_scikit_learn(name: str, args: tuple, kwargs: dict) -> None:
    caught = said(getattr(peer, name), *args, **kwargs)
    theirs = {str(each.message) for each in caught if each.category is not RuntimeWarning}
    ours = {str(each.message) for each in said(getattr(fm, name), *args, **kwargs)}
    # Up to where its words join without a space, or say "the the"; the advice on filters is left.
    firsts = {text.partition("`cohen")[0].strip().partition(" To ")[0] for text in theirs}
    missing = {text for text in firsts if not any(each.startswith(text) for each in ours)}
    assert not missing, ours


MATRIX = fm.ConfusionMatrix.binary(tp=40, fp=9, fn=11, tn=50)


def keys_of(*sources: Any) -> list[str]:
    options: dict[str, Any] = {"metrics": "accuracy", "n_resamples": 20}
    actual = [fm.bootstrap(MATRIX, rng=source, **options)["accuracy"] for source in sources]
    return [each.details.key for each in actual]


def halves_of(source: Any) -> list[int]:
    (text,) = keys_of(source)
    return [int(text[:8], 16), int(text[8:], 16)]


def test_a_seed_is_numpys() -> None:
    """One number is drawn from ``default_rng``: it moves on by what two of 32 bits take."""
    for source in (0, 7, 2**100, [1, 2], (3, 4), np.int64(5), np.uint8(6)):
        expected = np.random.default_rng(source).integers(0, 2**32, size=2, dtype=np.uint64)
        assert halves_of(source) == expected.tolist()
    assert keys_of(np.random.PCG64(3)) == keys_of(3)
    assert keys_of(np.random.SeedSequence(3)) == keys_of(3)
    assert keys_of(np.random.Generator(np.random.MT19937(3))) != keys_of(3)


def test_a_generator_moves_on_and_a_seed_does_not() -> None:
    generator = np.random.default_rng(1)
    first, second = keys_of(generator, generator)
    assert first != second
    assert keys_of(1, 1) == [first, first]


def test_no_seed_is_new_each_time() -> None:
    assert len(set(keys_of(*[None] * 20))) == 20


def test_neighbouring_seeds_share_no_half() -> None:
    halves = [half for seed in range(200) for half in halves_of(seed)]
    # 400 numbers of 32 bits: two are equal with probability 0.00002.
    assert len(set(halves)) == len(halves)


def test_text_is_a_key() -> None:
    for seed in range(20):
        (text,) = keys_of(seed)
        assert re.fullmatch("[0-9a-f]{16}", text)
        assert keys_of(text, text.upper()) == [text, text]
    assert keys_of("00000000ffffffff") == ["00000000ffffffff"]


def test_one_generator_of_many_threads() -> None:
    generator = np.random.default_rng(5)
    actual: list[str] = []

    def work() -> None:
        actual.extend(keys_of(*[generator] * 20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = np.random.default_rng(5)
    assert sorted(actual) == sorted(keys_of(*[again] * 80))


DATACLASSES = {name: public(name) for name in NAMES if dataclasses.is_dataclass(public(name))}


@functools.cache
def own_docstrings(module: str) -> dict[str, str]:
    """Return the docstrings in the source of a module, by function and class."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    documented = (ast.FunctionDef, ast.ClassDef)
    nodes = [node for node in tree.body if isinstance(node, documented)]
    return {node.name: ast.get_docstring(node) or "" for node in nodes}


def test_docstrings_have_all_parameters_in_order_and_the_own_words() -> None:
    for name in (*FUNCTIONS, *DATACLASSES):
        documented = inspect.unwrap(public(name))
        text = inspect.getdoc(documented) or ""
        _, *parts = re.split(r"^(.+)\n-{3,}\n", text, flags=re.M)
        sections = dict(zip(parts[::2], parts[1::2], strict=True))
        section = sections.get("Parameters" if name in FUNCTIONS else "Attributes", "")
        heads = re.findall(r"^(\*{0,2}\w[\w, *]*?)(?: ?:.*)?$", section, re.M)
        entries = [[each.strip(" *") for each in head.split(",")] for head in heads]
        said = [each for entry in entries for each in entry]
        if name in FUNCTIONS:
            names = [*inspect.signature(documented).parameters]
            firsts = [min(map(names.index, entry)) for entry in entries]
            assert firsts == sorted(firsts), name
        else:
            names = [each.name for each in dataclasses.fields(documented) if each.name[0] != "_"]
            names += [each for each in said if isinstance(vars(documented).get(each), property)]
        assert sorted(said) == sorted(names), name
        own = own_docstrings(documented.__module__)[documented.__name__]
        assert {*own.splitlines()} <= {*text.splitlines()}, name


def test_without_docstrings() -> None:
    program = "import fastmetrics as fm; print(fm.roc_auc_score.__doc__)"
    command = [sys.executable, "-OO", "-c", program]  # which strips assertions too
    assert subprocess.run(command, capture_output=True, text=True).stdout.strip() == "None"
