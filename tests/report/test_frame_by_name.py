"""`data=`: arguments name columns of a frame, and results are those of the arrays."""

from __future__ import annotations

import sys
import tracemalloc

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fastmetrics as fm

N = 300
rng = np.random.default_rng(0)
Y = rng.integers(0, 2, N)
P = rng.dirichlet([1.0, 1.0, 1.0], N)
KIND = np.array([rng.choice(3, p=row) for row in P])
COLUMNS = {
    "y": Y,
    "a": Y + rng.normal(size=N),
    "b": Y + rng.normal(size=N),
    "user": rng.integers(0, 60, N),
    "w": rng.integers(1, 5, N),
    "country": np.array(["de", "fr", "it"])[rng.integers(0, 3, N)],
    "cost": rng.integers(1, 9, N),
    "id": np.arange(N),
    "number": rng.normal(size=N),
    "kind": KIND,
    "animal": np.array(["ant", "bee", "cow"])[KIND],
    "guess": np.array(["ant", "bee", "cow"])[rng.integers(0, 3, N)],
    "cow": P[:, 2],
    "ant": P[:, 0],
    "bee": P[:, 1],
    "p0": P[:, 0],
    "p1": P[:, 1],
    "p2": P[:, 2],
    "red": Y,
    "blue": rng.integers(0, 2, N),
}
C = COLUMNS
MODELS = {"a": C["a"], "b": C["b"]}
OPTIONS = {"groups": C["user"], "sample_weight": C["w"]}
BY_NAME = {"groups": "user", "sample_weight": "w"}
AUC = {"metrics": "roc_auc"}
MARGINS = {"margins": {"roc_auc": 0.2}, "candidate": "a", "baseline": "b"}
SLICES = {"country": C["country"]}


class Stream:
    """A frame that narwhals does not know: only what any library offers."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def relation(connection=None):
    connection = connection or duckdb.connect()
    connection.register("rows", pa.table(COLUMNS))
    return connection.sql("SELECT *, error('bad is read') AS bad FROM rows")


FRAMES = {
    "pandas": lambda: pd.DataFrame(COLUMNS, index=rng.permutation(N)),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "lazy polars": lambda: pl.LazyFrame(COLUMNS),
    "Arrow": lambda: pa.table(COLUMNS),
    "batches": lambda: pa.table(COLUMNS).to_reader(max_chunksize=70),
    "one batch": lambda: pa.record_batch(COLUMNS),
    "DuckDB": relation,
    "stream": lambda: Stream(pa.table(COLUMNS)),
}
#: A function, its arguments by name, and as arrays.
CALLS = {
    "evaluate": (
        (("y", ["a", "b"]), {"slices": ["country"], **BY_NAME}),
        ((Y, MODELS), {"slices": SLICES, **OPTIONS}),
    ),
    "estimate": ((("y", "a"), {**AUC, **BY_NAME}), ((Y, C["a"]), {**AUC, **OPTIONS})),
    "compare": ((("y", ["a", "b"]), {**AUC, **BY_NAME}), ((Y, MODELS), {**AUC, **OPTIONS})),
    "gate": (
        (("y", ["a", "b"]), {**MARGINS, **BY_NAME, "slices": "country"}),
        ((Y, MODELS), {**MARGINS, **OPTIONS, "slices": SLICES}),
    ),
    "assert_not_worse": (
        (("y", ["a", "b"]), {**MARGINS, **BY_NAME}),
        ((Y, MODELS), {**MARGINS, **OPTIONS}),
    ),
    "report": (
        (("y", ["a"]), {"band": None, **BY_NAME}),
        ((Y, {"a": C["a"]}), {"band": None, **OPTIONS}),
    ),
    "doctor": (
        (("y", ["a", "b"]), {"groups": "user", "ids": "id"}),
        ((Y, MODELS), {"groups": C["user"], "ids": C["id"]}),
    ),
}


def same(one, other):
    if isinstance(one, fm.results.Report):
        return one.html == other.html
    return str(one.to_dict()) == str(other.to_dict())


@pytest.mark.usefixtures("blank")
@pytest.mark.parametrize("name", CALLS)
def test_names_give_what_arrays_give(name):
    by_name, as_arrays = CALLS[name]
    function = getattr(fm, name)
    expected = function(*as_arrays[0], **as_arrays[1])
    for library in FRAMES if name == "estimate" else ("pandas", "stream"):
        frame = FRAMES[library]()
        assert same(function(*by_name[0], data=frame, **by_name[1]), expected), library


MATRIX = np.stack([C["a"], C["b"]], axis=1)
LABELS = {"red": Y, "blue": C["blue"]}
COSTS = {"cost_fn": C["cost"], "cost_fp": 1}
#: Arguments and options of `evaluate` by name, and as arrays.
TASKS = {
    "one model": ((("y", "a"), {}), ((Y, {"a": C["a"]}), {})),
    "models renamed": (
        (("y", {"new": "a", "old": C["b"]}), {"cost_fn": "cost", "cost_fp": 1}),
        ((Y, {"new": C["a"], "old": C["b"]}), COSTS),
    ),
    "slices renamed": (
        (("y", "a"), {"slices": {"land": "country", "red": C["red"]}}),
        ((Y, {"a": C["a"]}), {"slices": {"land": C["country"], "red": C["red"]}}),
    ),
    "arrays beside names": (
        ((Y, "a"), {"groups": C["user"].tolist(), "sample_weight": "w"}),
        ((Y, {"a": C["a"]}), OPTIONS),
    ),
    "rankings": ((("y", ["a"]), {"query": "user"}), ((Y, {"a": C["a"]}), {"query": C["user"]})),
    "numbers": ((("number", ["a"]), {}), ((C["number"], {"a": C["a"]}), {})),
    "labels": ((("animal", ["guess"]), {}), ((C["animal"], {"guess": C["guess"]}), {})),
    "classes": ((("kind", {"m": ["p0", "p1", "p2"]}), {}), ((KIND, {"m": P}), {})),
    "classes by name": (
        (("animal", {"m": ["cow", "bee", "ant"]}), {}),
        ((C["animal"], {"m": P}), {}),
    ),
    "several labels": (
        ((["red", "blue"], {"m": ["a", "b"]}), {}),
        ((LABELS, {"m": MATRIX}), {}),
    ),
    "several labels by name": (
        (({"red": "red", "blue": "blue"}, {"m": {"blue": "b", "red": "a"}}), {}),
        ((LABELS, {"m": MATRIX}), {}),
    ),
}


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_names(task):
    by_name, as_arrays = TASKS[task]
    expected = fm.evaluate(*as_arrays[0], **as_arrays[1])
    for library in ("pandas", "polars", "Arrow", "DuckDB"):
        found = fm.evaluate(*by_name[0], data=FRAMES[library](), **by_name[1])
        assert same(found, expected)


def test_estimate_takes_a_matrix_of_classes_by_names():
    names = ["cow", "bee", "ant"]
    found = fm.estimate("animal", names, data=pl.DataFrame(COLUMNS), metrics="log_loss")
    assert found == fm.estimate(C["animal"], P, metrics="log_loss")


FRAME = pd.DataFrame(COLUMNS)
LISTED = "the columns of `data` are 'y', 'a', 'b', 'user'"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("yy", "a"), {}, f"`y_true` names 'yy': {LISTED}.*; did you mean 'y'"),
        (("y", ["a", "aa"]), {}, f"`scores` names 'aa': {LISTED}.*; did you mean 'a'"),
        (("y", {"m": "q"}), {}, r"`scores\['m'\]` names 'q': the columns of `data` are"),
        (("y", {"m": ["a", "q"]}), {}, r"`scores\['m'\]` names 'q'"),
        (("y", "a"), {"groups": "usr"}, "`groups` names 'usr'.*; did you mean 'user'"),
        (("y", "a"), {"slices": ["land"]}, "`slices` names 'land'"),
        (("y", "a"), {"cost_fn": "price", "cost_fp": 1}, "`cost_fn` names 'price'"),
    ],
)
def test_a_name_that_is_not_there_is_refused_with_near_names(arguments, options, message):
    with pytest.raises(fm.InputKeyError, match=message):
        fm.evaluate(*arguments, data=FRAME, **options)


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        (("y", ["a", "a"]), FRAME, "`scores` names 2 columns 'a'"),
        (("y", {"m": ["a", "a"]}), FRAME, r"`scores\['m'\]` names 2 columns 'a'"),
        ((Y, MODELS), FRAME, "no argument names one of its columns"),
        (("y", "b"), pd.concat([FRAME, FRAME[["b"]]], axis=1), "`data` names 2 columns 'b'"),
        (("y", "1"), FRAME.rename(columns={"w": 1, "id": "1"}), "1 and '1' read alike"),
        (("y", "a"), pa.table([Y, Y, Y], names=["y", "a", "a"]), "`data` names 2 columns 'a'"),
        (("y", "a"), duckdb.sql("SELECT 1 y, 2 a, 3 a"), "`data` names 2 columns 'a'"),
        (("y", "a"), Stream(pa.table([Y, Y, Y], names=["y", "a", "a"])), "2 columns 'a'"),
        (("y", "a"), FRAME["y"], "`data` must be a data frame .*: got Series"),
        (("y", "a"), COLUMNS, "`data` must be a data frame .*: got dict"),
        (("y", "a"), 3, "`data` must be a data frame .*: got int"),
        (("y", C["a"][1:]), FRAME, "299"),
    ],
)
def test_what_is_unclear_is_refused(arguments, data, message):
    with pytest.raises(fm.InputError, match=message):
        fm.evaluate(*arguments, data=data)


def test_slices_are_names_only_with_data():
    for function, options in ((fm.evaluate, {}), (fm.gate, MARGINS)):
        with pytest.raises(fm.InputError, match="`slices` must be a mapping of names to columns"):
            function(Y, MODELS, slices=["country"], **options)


def test_rows_of_one_frame_belong_together_and_others_by_their_index():
    shuffled = FRAME.sample(frac=1.0, random_state=0)
    found = fm.estimate("y", "a", data=shuffled, groups=shuffled["user"], metrics="roc_auc")
    assert found == fm.estimate("y", "a", data=shuffled, groups="user", metrics="roc_auc")
    with pytest.raises(fm.InputError, match="`groups` and `data` have row labels"):
        fm.estimate("y", "a", data=shuffled, groups=FRAME["user"], metrics="roc_auc")


def test_columns_that_are_numbered_go_by_their_numbers():
    frame = pd.DataFrame({0: Y, 1: C["a"]})
    assert fm.estimate("0", "1", data=frame, **AUC) == fm.estimate(Y, C["a"], **AUC)


def test_odd_names_reach_a_database_unchanged():
    frame = duckdb.connect().from_arrow(pa.table({'a "b"': Y, "select": C["a"], "x.y; --": C["w"]}))
    found = fm.estimate('a "b"', "select", data=frame, sample_weight="x.y; --", **AUC)
    assert found == fm.estimate(Y, C["a"], sample_weight=C["w"], **AUC)


def twice(columns, last):
    return columns.append_column(last, columns["b"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: pd.concat([FRAME, FRAME[["b"]]], axis=1),
        lambda: FRAME.rename(columns={"w": 1, "id": "1"}),
        lambda: twice(pa.table(COLUMNS), "b"),
        lambda: duckdb.from_arrow(pa.table(COLUMNS)).project("*, 3 AS b"),
        lambda: Stream(twice(pa.table(COLUMNS), "b")),
    ],
)
def test_only_the_columns_that_are_named_must_be_unique(make):
    result = fm.evaluate("y", "a", data=make(), groups="user", slices=["country"])
    expected = fm.evaluate(Y, {"a": C["a"]}, groups=C["user"], slices=SLICES)
    assert same(result, expected)
    with pytest.raises(fm.InputKeyError, match=r"`groups` names 'bb': .*; did you mean 'b'"):
        fm.estimate("y", "a", data=make(), groups="bb", **AUC)


def test_a_connection_of_duckdb_stays_as_it_is():
    connection = duckdb.connect()
    frame = relation(connection)

    def state():
        tables = "(SELECT name, value FROM duckdb_settings())", "duckdb_views()", "duckdb_tables()"
        return [connection.sql(f"SELECT * FROM {table}").fetchall() for table in tables]

    before = state()
    fm.evaluate("y", "a", data=frame, **BY_NAME)
    assert state() == before
    assert len(frame.project("y").fetchall()) == N


def test_nulls_of_a_frame_are_refused_by_the_name_of_the_argument():
    frame = duckdb.sql("SELECT i % 2 AS y, if(i = 3, NULL, i / 9) AS a FROM range(9) t(i)")
    with pytest.raises(fm.InputError, match="`y_score` contains 1 null, first at index 3"):
        fm.estimate("y", "a", data=frame, **AUC)


def test_other_columns_are_not_copied():
    n = 20_000
    frame = pd.DataFrame({f"x{i}": np.zeros(n) for i in range(100)})
    frame["y"] = np.arange(n) % 2
    frame["a"] = np.arange(n) % 7
    fm.estimate("y", "a", data=frame, **AUC)
    tracemalloc.start()
    fm.estimate("y", "a", data=frame, **AUC)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.5 * frame.memory_usage().sum()


def test_a_stream_without_pyarrow_says_what_to_install(monkeypatch):
    stream = Stream(pa.table(COLUMNS))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"`data` needs pyarrow: pip install .*\[io\]"):
        fm.estimate("y", "a", data=stream, **AUC)


def test_a_frame_without_rows_is_refused_as_an_array_is():
    for frame in (FRAME[:0], pl.DataFrame(FRAME[:0]), pa.table(COLUMNS)[:0].to_reader()):
        with pytest.raises(fm.InputError, match="`y_score` is empty"):
            fm.estimate("y", "a", data=frame, **AUC)
