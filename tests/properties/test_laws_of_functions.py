"""Laws of every public function that takes rows: what must not change its result.

The registry's laws (`test_laws.py`) draw rows for each metric; these call every function of
`benchmarks.speed.public_calls`, with results of any kind.
"""

import inspect
import re
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from test_refusals import FUNCTIONS, UNTIMED, good_arguments, public, public_calls

import engine_sizes
import fastmetrics as fm
from public import NAMES
from registry import ENTRIES
from registry.entry import example

pytestmark = pytest.mark.filterwarnings("ignore")

OF_ROWS = [name for name in FUNCTIONS if name not in UNTIMED]
#: Functions whose result counts rows beside their weights.
COUNT_ROWS = {"classification_report", "effective_sample_size", "regression_metrics"}
COUNT_ROWS |= {"RegressionTable.from_arrays"}
#: Functions whose rows have an order: points of a line, or an answer for each row.
ROWS_IN_ORDER = {"auc", "effective_sample_size", "predict_at_threshold"}
#: Equality is of bits, and sums of numbers are within one of theirs.
NOT_EXACT = {"RegressionTable.from_arrays"}


def takes(function: Callable[..., Any] | str, parameter: str) -> bool:
    function = public(function) if isinstance(function, str) else function
    return parameter in inspect.signature(function).parameters


def flat(value: Any, at: str = "") -> dict[str, Any]:
    """Return the numbers and texts of a result by their places in it."""
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, Mapping):
        items = [(str(key), each) for key, each in value.items()]
    elif hasattr(value, "_fields"):
        items = [*zip(value._fields, value, strict=True)]
    elif isinstance(value, (list, tuple)) and not all(isinstance(v, (int, float)) for v in value):
        items = [(str(k), each) for k, each in enumerate(value)]
    else:
        return {at: np.asarray(value)}
    return {key: each for name, inner in items for key, each in flat(inner, f"{at}.{name}").items()}


def differences(one: Any, other: Any, rtol: float = 0.0) -> list[str]:
    """Return the places where two results differ."""
    actual = flat(one)
    wanted = flat(other)
    if actual.keys() != wanted.keys():
        return sorted(actual.keys() ^ wanted.keys())
    complaints = []
    for place, value in actual.items():
        if place.endswith("weights_are"):  # what was said, not a result
            continue
        right = wanted[place]
        is_number = value.dtype.kind in "fiu" and right.dtype.kind in "fiu"
        if value.shape != right.shape or not (
            np.allclose(value, right, rtol=rtol, atol=rtol, equal_nan=True)
            if is_number
            else (value == right).all()
        ):
            complaints.append(f"{place}: {value} and {right}")
    return complaints


def by_rows(change: Callable[[Any], Any], value: Any, n: int) -> Any:
    """Change what has an element for each row, in mappings and lists of columns too."""
    if isinstance(value, dict):
        return {key: by_rows(change, each, n) for key, each in value.items()}
    if isinstance(value, list):
        return [by_rows(change, each, n) for each in value]
    return change(value) if isinstance(value, np.ndarray) and len(value) == n else value


def arguments_of(name: str) -> dict[str, Any]:
    """Return good arguments without weights and groups."""
    arguments = good_arguments(name)
    return {key: arguments[key] for key in arguments if key not in ("sample_weight", "groups")}


def weighs_otherwise(function: Callable[..., Any], arguments: dict[str, Any]) -> list[str]:
    """Say where whole weights give another result than rows that stand as often."""
    n = len(next(iter(arguments.values())))
    weights = np.random.default_rng(8).integers(0, 3, n)
    are = {"weights_are": "frequencies"} if takes(function, "weights_are") else {}
    repeated = by_rows(lambda column: np.repeat(column, weights, axis=0), arguments, n)
    return differences(
        function(**arguments, **are, sample_weight=weights), function(**repeated), 1e-10
    )


WEIGHTED = [name for name in OF_ROWS if takes(name, "sample_weight") and name not in COUNT_ROWS]


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_weight_says_how_often_a_row_stands(name: str) -> None:
    assert weighs_otherwise(public(name), arguments_of(name)) == []


#: Functions of frequencies alone, and tables, which show their unit.
NO_UNITS = {"root_mean_square_calibration_error"}
NO_UNITS |= {"ScoreTable.from_scores", "ConfusionMatrix.from_labels", "classification_metrics"}


def weighs_by_unit(function: Callable[..., Any], arguments: dict[str, Any]) -> list[str]:
    """Say where weights in another unit change more than the unit of what sums them."""
    n = len(next(iter(arguments.values())))
    weights = np.random.default_rng(8).integers(1, 4, n) / 4
    right = flat(function(**arguments, sample_weight=weights))
    complaints = []
    for unit in (2.0**900, 2.0**-900):
        actual = flat(function(**arguments, sample_weight=weights * unit))
        in_unit = {
            key: each * unit if each.dtype.kind == "f" else each for key, each in right.items()
        }
        as_sum = {each.partition(":")[0] for each in differences(actual, in_unit, 1e-9)}
        complaints += [
            each for each in differences(actual, right, 1e-9) if each.partition(":")[0] in as_sum
        ]
    return complaints


@pytest.mark.parametrize("name", [name for name in WEIGHTED if name not in NO_UNITS])
def test_weights_have_no_unit(name: str) -> None:
    assert weighs_by_unit(public(name), arguments_of(name)) == []


def ordered_otherwise(function: Callable[..., Any], arguments: dict[str, Any]) -> list[str]:
    """Say where rows in another order give another result."""
    n = len(next(iter(arguments.values())))
    order = np.random.default_rng(9).permutation(n)
    moved = by_rows(lambda column: column[order], arguments, n)
    return differences(function(**arguments), function(**moved), 1e-12)


@pytest.mark.parametrize(
    "name", [name for name in OF_ROWS if name not in ROWS_IN_ORDER | NOT_EXACT]
)
def test_the_order_of_rows_does_not_matter(name: str) -> None:
    assert ordered_otherwise(public(name), arguments_of(name)) == []


#: Metrics that have a standard error, and data of each.
ESTIMATED = {
    entry.name: entry
    for entry in ENTRIES
    if entry.metric and entry.metric.influences and "labels" not in entry.arguments
}


@pytest.mark.parametrize("name", ESTIMATED)
def test_estimates_are_of_rows_in_any_order_and_of_frequencies(name: str) -> None:
    entry = ESTIMATED[name]
    estimated = partial(fm.estimate, metrics={"it": (entry.canonical, entry.arguments)})
    arguments = dict(zip(("y_true", "y_score"), example(entry.data, 60), strict=True))
    assert weighs_otherwise(estimated, arguments) == []
    assert ordered_otherwise(estimated, arguments) == []


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "list": lambda column: column.tolist(),
    "tuple": lambda column: tuple(column.tolist()),
    "pandas": lambda column: (pd.Series if column.ndim == 1 else pd.DataFrame)(column),
    "polars": lambda column: (pl.Series if column.ndim == 1 else pl.DataFrame)(column),
    "pyarrow": lambda column: pa.array(column) if column.ndim == 1 else column,
    "strided": lambda column: np.repeat(column, 2, axis=0)[::2],
    "big-endian": lambda column: column.astype(column.dtype.newbyteorder(">")),
    "Fortran": np.asfortranarray,
}


def read_otherwise(function: Callable[..., Any], name: str) -> list[str]:
    """Say which containers of the same rows give another result."""
    arguments = good_arguments(name)
    arguments.pop("groups", None)
    if takes(name, "weights_are"):
        arguments["weights_are"] = "frequencies"
    n = len(next(iter(arguments.values())))
    right = function(**arguments)
    complaints = []
    for container, change in CONTAINERS.items():
        given = by_rows(change, arguments, n)
        complaints += [f"{container}{each}" for each in differences(function(**given), right)]
    return complaints


@pytest.mark.parametrize("name", OF_ROWS)
def test_containers_do_not_matter(name: str) -> None:
    assert read_otherwise(public(name), name) == []


# --- arguments -----------------------------------------------------------------------------------


def frozen(value: Any) -> Any:
    """Return a copy of an argument in arrays that cannot be written to."""
    if isinstance(value, dict):
        return {key: frozen(each) for key, each in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    copy = value.copy()
    copy.flags.writeable = False
    return copy


def written_to(function: Callable[..., Any], name: str) -> list[str]:
    """Say which arguments a function cannot take read-only, or changes."""
    arguments = good_arguments(name)
    arguments.pop("groups", None)  # which exclude other options
    if takes(name, "weights_are"):
        arguments["weights_are"] = "frequencies"
    before = frozen(arguments)
    try:
        function(**before)
    except ValueError as error:
        return [str(error)]
    function(**arguments)
    return differences(arguments, before)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_may_be_frozen_and_stay(name: str) -> None:
    assert written_to(public(name), name) == []


# --- threads -------------------------------------------------------------------------------------

MANY = public_calls.Rows(12 * engine_sizes.size("plain_rows"))  # enough for several jobs
#: Of queries and of counters, whose jobs are larger.
MOST = public_calls.Rows(3 * MANY.n)
LONGER = np.tile(MANY.y, 5), np.tile(MANY.score, 5)
FEW = {"n_resamples": 4, "rng": 1}
THREE = np.random.default_rng(1).dirichlet([1, 1, 1], MANY.n)
GROUPS = np.random.default_rng(0).integers(0, 500, MANY.n)
THREADED = [name for name in public_calls.TIMED if takes(name.partition(",")[0], "n_threads")]


def lines_of(name: str, *, n_threads: int) -> list[Any]:
    """Return the points of the lines that a function of `fastmetrics.plots` draws."""
    ax = Figure().subplots()
    public(name)(MANY.y, MANY.chance, ax=ax, n_threads=n_threads)
    return [line.get_xydata() for line in ax.lines]


class Updated:
    """A stream that got the same rows several times; its counts are read when it is compared."""

    def __init__(self, empty: Callable[[], Any], times: int, *, n_threads: int) -> None:
        self.stream = empty()
        for _ in range(times):
            self.stream.update(*LONGER, n_threads=n_threads)

    def to_dict(self) -> dict[str, Any]:
        if isinstance(self.stream, fm.streams.BinnedScoreTable):
            return {"state": np.frombuffer(self.stream.to_bytes(), np.uint8)}
        table = self.stream.to_score_table()
        return {"positives": table.positives, "negatives": table.negatives}


#: Calls that another way through a function takes, and of what has no rows or takes more of them.
OTHER_WAYS: dict[str, Callable[[], Callable[..., Any]]] = {
    "RankingTable.from_scores": lambda: partial(
        fm.RankingTable.from_scores, MOST.y, MOST.score, query=MOST.query
    ),
    "bootstrap, weights": lambda: partial(
        fm.bootstrap, MANY.y, MANY.score, sample_weight=MANY.weight, **FEW
    ),
    "bootstrap, groups": lambda: partial(fm.bootstrap, MANY.y, MANY.score, groups=GROUPS, **FEW),
    "bootstrap, strata": lambda: partial(fm.bootstrap, MANY.y, MANY.score, stratified=True, **FEW),
    "bootstrap, weighted groups": lambda: partial(
        fm.bootstrap, MANY.y, MANY.score, sample_weight=MANY.weight, groups=GROUPS, **FEW
    ),
    "bootstrap, BCa": lambda: partial(fm.bootstrap, MANY.y, MANY.score, method="bca", **FEW),
    "bootstrap, labels": lambda: partial(
        fm.bootstrap, MANY.y, MANY.called, metrics="f1", groups=GROUPS, **FEW
    ),
    "bootstrap, threshold": lambda: partial(
        fm.bootstrap, MANY.y, MANY.score, metrics="f1", threshold=0.5, **FEW
    ),
    "bootstrap, losses": lambda: partial(
        fm.bootstrap, MANY.y, MANY.chance, metrics="log_loss", **FEW
    ),
    "paired_bootstrap, labels": lambda: partial(
        fm.paired_bootstrap, MANY.y, {"a": MANY.called, "b": MANY.y}, metrics="f1", **FEW
    ),
    "paired_bootstrap, numbers": lambda: partial(
        fm.paired_bootstrap, MANY.chance, MANY.models, metrics="mean_squared_error", **FEW
    ),
    "estimate, groups": lambda: partial(
        fm.estimate, MANY.y, MANY.score, metrics="average_precision", groups=GROUPS
    ),
    "estimate, classes": lambda: partial(
        fm.estimate, MANY.classes[0] % 3, THREE, metrics="roc_auc_ovo"
    ),
    "gate": lambda: partial(
        fm.gate,
        MANY.y,
        dict(zip(("baseline", "candidate"), MANY.models.values(), strict=True)),
        margins={"roc_auc": 0.5},
    ),
    "roc_auc_score, weights": lambda: partial(
        fm.roc_auc_score, MANY.y, MANY.score, sample_weight=MANY.weight
    ),
    "roc_auc_score, max_fpr": lambda: partial(fm.roc_auc_score, MANY.y, MANY.score, max_fpr=0.1),
    "ScoreTable.from_scores, weights": lambda: partial(
        fm.ScoreTable.from_scores, MANY.y, MANY.score, sample_weight=MANY.weight
    ),
    "log_loss, classes": lambda: partial(fm.log_loss, MANY.classes[0] % 3, THREE),
    "estimate, r2": lambda: partial(fm.estimate, MANY.chance, MANY.score, metrics="r2"),
    **{
        name: partial(partial, lines_of, name)
        for name in ("plot_pr", "plot_roc", "plot_thresholds")
    },
    "BinnedScoreTable.update": lambda: partial(
        Updated, lambda: fm.streams.BinnedScoreTable(fm.streams.BinLayout.of_bits()), 1
    ),
    # What waits is counted when more comes.
    "ScoreRuns.update": lambda: partial(Updated, lambda: fm.streams.ScoreRuns(memory=1 << 26), 3),
}
#: Calls whose rows are too few for a second thread.
ONE_JOB = {"RankingTable.from_scores", "evaluate, labels of a row"}


def threads_matter(call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Say where one thread starts others, more start none, or give another result."""
    started = []
    submit = ThreadPoolExecutor.submit

    def noted(pool: ThreadPoolExecutor, *given: Any, **options: Any) -> Any:
        started.append(given)
        return submit(pool, *given, **options)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", noted)
    right = call(n_threads=1)
    complaints = ["one thread starts another"] if started else []
    actual = call(n_threads=7)
    complaints += [] if started else ["else one thread says nothing"]
    return complaints + differences(actual, right)


@pytest.mark.parametrize("name", [name for name in THREADED if name not in ONE_JOB])
def test_threads_change_no_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert threads_matter(public_calls.call_of(name, MANY), monkeypatch) == []


@pytest.mark.parametrize("name", OTHER_WAYS)
def test_threads_change_no_bit_on_other_ways(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert threads_matter(OTHER_WAYS[name](), monkeypatch) == []


@pytest.mark.parametrize("name", [name for name in OTHER_WAYS if ", " in name])
def test_the_order_of_rows_does_not_matter_on_other_ways(name: str) -> None:
    call = OTHER_WAYS[name]()
    bound = inspect.signature(call.func).bind(*call.args, **call.keywords)
    assert ordered_otherwise(call.func, bound.arguments) == []


def test_every_function_with_threads_is_called() -> None:
    known = {name.partition(",")[0] for name in (*THREADED, *OTHER_WAYS)}
    functions = {name: public(name) for name in NAMES}
    for name, each in [*functions.items()]:
        if inspect.isclass(each) and not issubclass(each, Exception):
            inner = (one for one in dir(each) if one[0] != "_" and one != "from_rows")  # internal
            functions |= {f"{name}.{one}": getattr(each, one) for one in inner}
    have = {
        name
        for name, each in functions.items()
        if inspect.isroutine(each) and callable(each) and takes(name, "n_threads")
    }
    assert known == have - {"read_trec"}  # whose threads are DuckDB's, and a table's


# --- one class -----------------------------------------------------------------------------------

#: What a function gives where all labels are 0, and where all are 1: nan and a warning, a value by
#: convention and a warning, a value, or a refusal.
NAN = "nan"
CONVENTION = "convention"
VALUE = "value"
REFUSED = "refused"
ONE_CLASS = {
    **dict.fromkeys(
        """best_threshold break_even_point class_likelihood_ratios cost_curve
        expected_total_cost gini_coefficient goodman_kruskal_gamma h_measure kendall_tau
        ks_statistic net_benefit partial_auc pr_auc rank_loss
        roc_auc_score roc_hull_auc somers_d spearman_rho threshold_costs youden_j
        bootstrap calibration_summary compare decision_curve delong delong_test estimate evaluate
        guaranteed_threshold logistic_calibration paired_bootstrap paired_permutation_test pr_band
        roc_band roc_curve threshold_cost_interval""".split(),
        (NAN, NAN),
    ),
    **dict.fromkeys(
        "average_precision_score precision_recall_curve recall_score".split(), (CONVENTION, VALUE)
    ),
    **dict.fromkeys(
        "cumulative_gain false_negative_rate gains_curve lift_score".split(), (NAN, VALUE)
    ),
    **dict.fromkeys("false_positive_rate specificity_score".split(), (VALUE, NAN)),
    **dict.fromkeys("d2_log_loss_score det_curve log_loss".split(), (REFUSED, REFUSED)),
    "d2_brier_score": (CONVENTION, CONVENTION),
    "dominance": (CONVENTION, CONVENTION),
}


def outcome(function: Callable[..., Any], name: str, label: int) -> str:
    """Call a function with labels of one class; return its kind of result, or warning's file."""
    arguments = arguments_of(name)
    arguments["y_true"] = np.full_like(arguments["y_true"], label)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            values = flat(function(**arguments)).values()
        except fm.InputError:
            return REFUSED
    elsewhere = {warning.filename for warning in said} - {__file__}
    if elsewhere:
        return f"warns at {elsewhere}"
    is_said = any(
        issubclass(warning.category, fm.UndefinedMetricWarning)
        and re.search("class|positive|negative|pair|sample|defined", str(warning.message))
        for warning in said
    )
    if any(np.isnan(value).any() for value in values if value.dtype.kind == "f"):
        return NAN if is_said else "nan without a warning"
    return CONVENTION if is_said else VALUE


def is_of_two_classes(name: str) -> bool:
    labels = arguments_of(name).get("y_true")
    return isinstance(labels, np.ndarray) and labels.ndim == 1 and {*labels.tolist()} == {0, 1}


OF_TWO_CLASSES = [name for name in OF_ROWS if is_of_two_classes(name)]


@pytest.mark.parametrize("name", OF_TWO_CLASSES)
def test_one_class_is_undefined_and_said_at_the_line_of_the_caller(name: str) -> None:
    actual = tuple(outcome(public(name), name, label) for label in (0, 1))
    assert actual == ONE_CLASS.get(name, (VALUE, VALUE))


def test_what_one_class_gives_is_said_of_functions_of_two_classes() -> None:
    assert ONE_CLASS.keys() <= {*OF_TWO_CLASSES}


# --- functions that break a law ------------------------------------------------------------------


def first_score(y_true: Any, y_score: Any, sample_weight: Any = None, **options: Any) -> float:
    """Return a number that depends on the order of rows, not on weights or on whole columns."""
    return float(y_score[1]) if isinstance(y_score, np.ndarray) else 0.0


def test_functions_that_break_a_law_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "roc_auc_score"
    assert weighs_otherwise(first_score, arguments_of(name))
    assert weighs_by_unit(lambda sample_weight, **rows: sample_weight[0] ** 2, arguments_of(name))
    assert ordered_otherwise(first_score, arguments_of(name))
    assert {each.partition(":")[0] for each in read_otherwise(first_score, name)} >= {
        *("list", "tuple", "pandas", "polars", "pyarrow")
    }

    def overwrites(y_true: Any, y_score: Any, **options: Any) -> None:
        y_score[0] = 7

    assert "read-only" in written_to(overwrites, name)[0]

    def started(n_threads: int) -> int:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(int, n_threads).result()

    assert threads_matter(started, monkeypatch) == [*("one thread starts another", ": 7 and 1")]
    assert threads_matter(lambda n_threads: 1, monkeypatch) == ["else one thread says nothing"]
    assert outcome(lambda **data: np.nan, name, 1) == "nan without a warning"
    assert outcome(lambda **data: fm.roc_auc_score([1, 1], [1, 2]), name, 1) == NAN
    warned = warnings.warn_explicit
    assert outcome(lambda **data: warned("", UserWarning, __file__, 1), name, 1) == VALUE
    assert "at {'b.py'}" in outcome(lambda **data: warned("", UserWarning, "b.py", 1), name, 1)


def test_results_that_differ_are_told_apart() -> None:
    assert differences({"a": [1.0, np.nan]}, {"a": [1.0, np.nan]}) == []
    assert differences({"a": [1.0]}, {"a": [2.0]}) == [".a: [1.] and [2.]"]
    assert differences({"a": 1}, {"b": 1}) == [".a", ".b"]
    assert differences({"a": "x"}, {"a": "y"}) == [".a: x and y"]
