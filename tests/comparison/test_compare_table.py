"""One call for a table: the parts agree, names come from where they are, plots are data."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rank_samples import DEMSAR, DEMSAR_NAMES, graded

import fastmetrics as fm

NAMES = ("a", "b", "c", "d")
SETS = tuple(f"set {i}" for i in range(8))


@pytest.fixture(scope="module")
def table():
    return graded(8, 4, 0.3, seed=1)


def test_the_parts_are_those_of_the_single_calls(table):
    whole = fm.comparison.compare_table(table, higher_is_better=True, names=NAMES, datasets=SETS)
    friedman = fm.comparison.friedman_test(table, higher_is_better=True, names=NAMES)
    nemenyi = fm.comparison.nemenyi_test(table, higher_is_better=True, names=NAMES)
    assert repr(whole.friedman) == repr(friedman)
    assert whole.post_hoc.to_dict() == nemenyi.to_dict()
    assert whole.datasets == SETS
    assert whole.mean_ranks == dict(
        sorted(zip(NAMES, friedman.mean_ranks, strict=True), key=lambda item: item[1])
    )
    assert not whole.ranks.flags.writeable
    assert (whole.scores == table).all()
    dunn = fm.comparison.compare_table(
        table, higher_is_better=True, names=NAMES, post_hoc="bonferroni-dunn", control="b"
    )
    expected = fm.comparison.bonferroni_dunn_test(
        table, higher_is_better=True, names=NAMES, control="b"
    )
    assert dunn.post_hoc.to_dict() == expected.to_dict()


def test_the_best_come_first():
    ranks = -np.array(DEMSAR)
    whole = fm.comparison.compare_table(
        ranks, higher_is_better=True, names=DEMSAR_NAMES, confidence_level=0.9
    )
    assert list(whole.mean_ranks) == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert list(whole.mean_ranks.values()) == [27.5 / 14, 28 / 14, 40.5 / 14, 44 / 14]
    assert whole.post_hoc.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


@pytest.mark.parametrize("kind", ["pandas index", "pandas", "polars", "arrow", "mapping"])
def test_names_come_from_the_table(kind, table):
    frame = pd.DataFrame(table, columns=NAMES)
    given = {
        "pandas index": frame.set_index(pd.Index(SETS)),
        "pandas": frame,
        "polars": pl.DataFrame(frame.to_dict("list")),
        "arrow": pa.table(frame.to_dict("list")),
        "mapping": frame.to_dict("list"),
    }[kind]
    named = None if kind == "pandas index" else SETS
    whole = fm.comparison.compare_table(given, higher_is_better=True, datasets=named)
    assert whole.names == NAMES
    assert whole.datasets == SETS
    assert (whole.scores == table).all()


def test_where_friedman_takes_permutations():
    table = graded(20, 9, 0.01)
    first = fm.comparison.compare_table(table, higher_is_better=False, rng=3, n_resamples=199)
    again = fm.comparison.compare_table(
        table, higher_is_better=False, rng=first.friedman.key, n_resamples=199
    )
    assert first.friedman.pvalue_method == "permutation"
    assert again.friedman.pvalue == first.friedman.pvalue


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"post_hoc": "bonferroni-dunn"}, ValueError, "`control` must name an algorithm"),
        ({"datasets": "name"}, ValueError, "`datasets` must name the 8 rows: got 'name'"),
        ({"datasets": ["x"]}, ValueError, r"`datasets` must name the 8 rows: got \['x'\]"),
    ],
)
def test_faults(options, error, message, table):
    with pytest.raises(error, match=message):
        fm.comparison.compare_table(table, **{"higher_is_better": True, **options})


def test_faults_of_frames(table):
    frame = pd.DataFrame(table, columns=NAMES)
    frame.iloc[2, 1] = math.nan
    with pytest.raises(ValueError, match=r"`scores` must be finite: nan at index .2, 1."):
        fm.comparison.compare_table(frame, higher_is_better=True)
    frame.columns = ["a", "b", "a", "d"]
    with pytest.raises(ValueError, match="`scores`"):
        fm.comparison.compare_table(frame, higher_is_better=True)


def test_displays(table):
    whole = fm.comparison.compare_table(table, higher_is_better=True, names=["<a>", *NAMES[1:]])
    assert repr(whole).startswith("TableComparison(8 data sets, 4 algorithms; Friedman, exact")
    assert "Nemenyi at 0.05: critical difference" in repr(whole)
    assert "<a>" not in whole._repr_html_()
    content = json.loads(json.dumps(whole.to_dict()))
    assert content["post_hoc"]["mean_ranks"] == list(whole.post_hoc.mean_ranks)
    assert content["friedman"]["pvalue_method"] == "exact"
