"""Every public function refuses each fault of each kind of argument, and names the argument.

A function is called with good arguments, of which one is replaced by a faulty one. What only one
function refuses has a case of its own elsewhere.
"""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm

public_calls = pytest.importorskip("benchmarks.speed.public_calls", reason="not in the wheel")

pytestmark = pytest.mark.filterwarnings("ignore")

public = public_calls.public
ROWS = public_calls.Rows(60)
NAN = float("nan")


def replaced(value: Any, dtype: Any = np.float64) -> Callable[[Any], Any]:
    """Return a function that replaces the second element of a column by a value."""

    def change(column: Any) -> Any:
        changed = np.array(column, dtype)
        changed[1] = value
        return changed

    return change


COLUMN: dict[str, Callable[[Any], Any]] = {
    "a row less": lambda column: column[:-1],
    "empty": lambda column: column[:0],
    "generator": lambda column: (value for value in column),
    "set": lambda column: set(np.ravel(column).tolist()),
    "scalar": lambda column: 0.5,
    "dates": lambda column: np.zeros(len(column), "M8[D]"),
    "complex": lambda column: np.asarray(column) + 0j,
    "null": lambda column: [None, *list(column)[1:]],
    "records": lambda column: np.zeros(len(column), [("value", "f8")]),
}
NUMBERS = COLUMN | {
    "nan": replaced(NAN),
    "infinite": replaced(np.inf),
    "text": lambda column: np.asarray(column).astype(str),
    "objects": replaced("x", object),
}
WEIGHTS = NUMBERS | {
    "negative": replaced(-1.0),
    "all zero": lambda column: np.zeros(len(column)),
    "a column": lambda column: np.ones((len(column), 1)),
}
#: Faults of columns by the name of the parameter: made of the good column.
OF_COLUMNS: dict[str, dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(
        ("y_true", "y_pred", "y_pred_a", "y_pred_b", "relevance", "query", "groups", "event"),
        COLUMN,
    ),
    **dict.fromkeys(("y_score", "y_proba", "y_score_a", "y_score_b", "score"), NUMBERS),
    **dict.fromkeys(("pred_decision", "time", "error_rates", "scores_a", "scores_b"), NUMBERS),
    "sample_weight": WEIGHTS,
}
#: Texts that are no key of a result: 16 hexadecimal digits.
NO_KEYS = ("", "g" * 16, "0" * 17, "0x00000000000000", "0000_0000000_000", "000000000000000\n")
#: Faulty values of other parameters by their name.
OF_OPTIONS: dict[str, Sequence[Any]] = {
    "n_threads": [0, -1, 1.5, "2", NAN],
    "confidence_level": [0, 1, 95, NAN, "x", None],
    "n_resamples": [0, -1, 1.5, "9"],
    "rng": [np.random.RandomState(0), np.random, "x", 1.5, -1, True, b"0" * 16, [1.5], *NO_KEYS],
    "alternative": ["bigger", 3, None],
    "progress": [3, "yes"],
    "weights_are": ["counts", 3],
    "n_bins": [0, -1, 1.5, "x"],
    **dict.fromkeys(
        """alpha at_least at_most delta false_positive_rate fraction max_fpr persistence precision
        prevalence recall""".split(),
        (-0.5, 1.5, NAN, "x"),
    ),
    **dict.fromkeys(("cost_fn", "cost_fp"), (-1.0, NAN, np.inf, "x")),
    **dict.fromkeys(("false_positive_rate_range", "true_positive_rate_range"), ((0.5, 0.1), 3)),
    **dict.fromkeys(("k", "min_n", "n_cells", "n_folds", "n_repeats"), (0, -1, 1.5, "x", NAN)),
    **dict.fromkeys(("pass_at", "pass_hat"), ([0], [-1], "x")),
    **dict.fromkeys(("grid", "thresholds"), ("x", [], [NAN])),
    **dict.fromkeys(("control", "loss"), ("nonsense", 3)),
    "average": ["nonsense"],
    "beta": [-1.0, NAN, "x"],
    "cost_matrix": [np.ones((2, 3)), -np.ones((2, 2)), np.full((2, 2), NAN), "x"],
    "cost_weight": ["nonsense", (0, 1)],
    "digits": [-1, 1.5, "x"],
    "margin": [-1, NAN, "x"],
    "metrics": ["nonsense", [], [None]],
    "multioutput": ["nonsense", [1.0], -1],
    "n_groups": [1, 0, -1, "x"],
    "names": [("a",), ("a", "a")],
    "points": [0, -1, 10**9, [0.5, 0.2], [0.5, 1.5], [], True, "x"],
    "strata": [[1, 2]],
    "tau": [0, -1, NAN, "x"],
    "zero_division": ["nonsense", 3, -1],
}
#: Faulty values of the other options by the annotation of the parameter.
OF_TYPES: dict[Any, list[Any]] = {
    bool: ["yes", 3],
    int: ["x", NAN, [1], 1.5, True],
    float: ["x", NAN, [1]],
    Literal: ["nonsense", 3.5],
}
#: Options of which nan is a good value.
MAY_BE_NAN = {"max_relevance", "no_relevant", "replace_undefined_by", "zero_division"}
#: What a function takes although others refuse it, and why.
ALLOWED = {
    "doctor": {"y_true", "groups"},  # it says what is wrong with data
    "auc": {"x", "y"},  # as scikit-learn's
    "evaluate": {"intersections", "min_n", "cost_fn", "cost_fp"},  # not looked at alone
    "best_threshold": {"cost_fn", "cost_fp"},
    "gate": {"metrics", "require_slices"},
    "plot_roc": {"confidence_level"},  # None: no band
    "tune_estimator": {"refit"},
}
_ONE_COLUMN = "its only column: no other has as many rows"
TAKEN = {
    ("effective_sample_size", "sample_weight", "a row less"): _ONE_COLUMN,
    ("predict_at_threshold", "y_score", "a row less"): _ONE_COLUMN,
    ("predict_at_threshold", "y_score", "infinite"): "it is compared with the threshold, no more",
}
#: Faults whose refusal names another argument.
NAMES_ANOTHER = {("bootstrap632", "y_true", "a row less"): "which of the two is short is not known"}
#: Options without which a function does not look at an argument.
WITH = {"root_mean_square_calibration_error": {"weights_are": "frequencies"}}
#: Good calls of functions that take no rows.
TABLE = ROWS.chance[:30].reshape(10, 3)
RATES = {"scores": TABLE, "higher_is_better": True}
UNTIMED: dict[str, dict[str, Any]] = {
    "binomial_test": {"n_errors": 3, "n": 10, "error_rate": 0.3},
    "compare_table": RATES | {"pvalue_method": "permutation"},
    "compare_timings": {"before": {"a": [1.0, 2.0]}, "after": {"a": [2.0, 3.0]}},
    "five_by_two_cv_test": {"scores_a": TABLE[:5, :2], "higher_is_better": True},
    "friedman_test": RATES | {"pvalue_method": "permutation"},
    "nemenyi_test": RATES,
    "newcombe_interval": {"auc": 0.7, "n_positive": 20, "n_negative": 30},
    "proportion_interval": {"successes": 3, "n": 10},
}
FUNCTIONS = [name for name in public_calls.TIMED if "," not in name] + [*UNTIMED]
#: Good calls of what fits estimators, splits, draws and decides, whose other laws have own tests.
X = ROWS.chance[:48].reshape(24, 2)
Y = np.arange(24) % 2
_TREE = DecisionTreeClassifier(max_depth=1)
_FIT = {"estimator": _TREE, "X": X, "y": Y}
_SIDES = {"estimator": _TREE, "X_train": X, "y_train": Y, "X_test": X, "y_test": Y}
_DEPTHS = {"parameter": "max_depth", "values": [1, 2]}
_GRID = {"grid": {"max_depth": [1, 2]}}
_CURVES = {"y_true": Y, "scores": X[:, 0]}
FURTHER: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("BootstrapOutOfBag", "Folds", "GroupedFolds", "HoldOut")},
    **dict.fromkeys(("plot_pr", "plot_roc"), _CURVES),
    "bias_variance_curve": _SIDES | _DEPTHS,
    "err632": {"err": 0.1, "err1": 0.2},
    "err632_plus": {"err": 0.1, "err1": 0.2, "gamma": 0.5},
    "estimator_bias_variance": _SIDES,
    "evaluate_estimator": _FIT,
    "gate": {
        "y_true": Y,
        "scores": {"baseline": X[:, 0], "candidate": X[:, 1]},
        "margins": {"roc_auc": 0.5},
    },
    "nested_cross_validation": _FIT | _GRID,
    "parameter_range": {"start": 0, "stop": 1, "step": 0.5},
    "plot_thresholds": {"y_true": Y, "y_score": X[:, 0]},
    "register_metric": {"name": "mine", "statistic": len},
    "tune_estimator": _FIT | _GRID,
}


def good_arguments(name: str) -> dict[str, Any]:
    """Return the arguments of a call that succeeds, with weights and groups where it takes them."""
    if name in UNTIMED or name in FURTHER:
        return dict((UNTIMED | FURTHER)[name])
    make, options = public_calls.TIMED[name]
    given = {key: value(ROWS) if callable(value) else value for key, value in options.items()}
    signature = inspect.signature(public(name))
    arguments = signature.bind(*make(ROWS), **given).arguments
    n = len(next(iter(arguments.values())))
    whole = {"sample_weight": np.ones(n, np.int64), "groups": np.arange(n) // 2}
    return {**{key: whole[key] for key in whole if key in signature.parameters}, **arguments}


def faulty_values(parameter: inspect.Parameter) -> Sequence[Any]:
    """Return the faulty values of an option, by its name or else by its annotation."""
    if parameter.name in OF_COLUMNS:
        return []
    if parameter.name in OF_OPTIONS:
        return OF_OPTIONS[parameter.name]
    annotation = parameter.annotation
    is_union = get_origin(annotation) in (Union, UnionType)
    kinds = {*(get_args(annotation) if is_union else [annotation])} - {type(None)}
    if {*map(get_origin, kinds)} == {Literal}:
        return OF_TYPES[Literal]
    values = OF_TYPES.get(*kinds, []) if len(kinds) == 1 else []
    return [value for value in values if value is not NAN or parameter.name not in MAY_BE_NAN]


def faults(name: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield the parameters of a function with each fault, in words, and the faulty value."""
    function = inspect.unwrap(public(name))
    for parameter, declared in inspect.signature(function, eval_str=True).parameters.items():
        if parameter in ALLOWED.get(name, ()):
            continue
        if parameter in OF_COLUMNS and not isinstance(arguments.get(parameter, {}), Mapping):
            for fault, make in OF_COLUMNS[parameter].items():
                if (name, parameter, fault) not in TAKEN:
                    yield parameter, fault, make(arguments[parameter])
        for value in faulty_values(declared):
            yield parameter, repr(value), value


def not_refused(function: Callable[..., Any], name: str, arguments: dict[str, Any]) -> list[str]:
    """Return the faults that a function takes, or refuses without naming the argument."""
    complaints = []
    for parameter, fault, value in faults(name, arguments):
        extra = {"sample_weight", "groups"} - {parameter}
        more = WITH.get(name, {}) if parameter == "sample_weight" else {}
        base = {key: each for key, each in arguments.items() if key not in extra}
        try:
            function(**{**base, **more, parameter: value})
        except (fm.InputError, fm.InputTypeError) as error:
            is_named = f"`{parameter}" in str(error)
            if not is_named and (name, parameter, fault) not in NAMES_ANOTHER:
                complaints.append(f"{parameter}, {fault}: is not named: {error}")
        except Exception as error:
            complaints.append(f"{parameter}, {fault}: {error!r}")
        else:
            complaints.append(f"{parameter}, {fault}: taken")
    return complaints


@pytest.mark.parametrize("name", [*FUNCTIONS, *FURTHER])
def test_faults_are_refused_by_name(name: str) -> None:
    assert not_refused(public(name), name, good_arguments(name)) == []


def test_a_function_that_checks_nothing_is_caught() -> None:
    arguments = good_arguments("roc_auc_score")
    complaints = not_refused(lambda y_true, y_score, **options: 0.5, "roc_auc_score", arguments)
    assert len(complaints) == len([*faults("roc_auc_score", arguments)]) > 40

    def unnamed(**arguments: Any) -> float:
        raise fm.InputError("`other` is wrong")

    assert "is not named" in not_refused(unnamed, "roc_auc_score", arguments)[0]


def test_what_is_taken_is_taken() -> None:
    for name, parameter, fault in TAKEN:
        arguments = good_arguments(name)
        value = OF_COLUMNS[parameter][fault](arguments[parameter])
        with warnings.catch_warnings():
            public(name)(**{**arguments, parameter: value})
