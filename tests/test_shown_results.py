"""Every public result is printed as a table, shown as HTML, and made a data frame."""

import math
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fastmetrics as fm
from fastmetrics._display import Display, Shown, Table, as_html, as_text, cell_width, fold, grid
from fastmetrics._number_text import as_p, common_decimals, number, pvalue, value_text
from public import Result, public
from result_examples import EXAMPLES

#: What no reader wants to see.
RAW = ("array(", "mappingproxy", "<float64", "<int64", "ConfidenceInterval(", "object at")

#: What is read within a line.
IN_A_LINE = {"ConfidenceInterval": "[0.25, –]", "Bracket": "[0.25, 0.50]"}


def kinds(of: type) -> set[type]:
    """Return all classes derived from one that are of the library."""
    below = {kind for each in of.__subclasses__() for kind in {each, *kinds(each)}}
    return {each for each in below if each.__module__.startswith("fastmetrics.")}


class Page(HTMLParser):
    """Parser of the texts of a page; a tag that is not closed where it should be is an error."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        tables = {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
        assert tag in tables | {"div", "style", "code", "small"}
        known = {"td": [("class", "r")], "th": [("class", "r")], "div": [("class", "fastmetrics")]}
        assert not attrs or attrs == known[tag]
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert self.open, data
        self.texts.append(data)
        if {"th", "td"} & {*self.open}:
            self.rows[-1][-1] += data


def test_none_is_forgotten() -> None:
    assert {name for name in EXAMPLES if issubclass(public(name), Shown)} == set(EXAMPLES)
    public_classes = {each for each in kinds(Shown) if not each.__name__.startswith("_")}
    bases = {"Result", "OneNumber", "Between", "WithReplicates", "ByMetric"}
    bases |= {"Bracketed", "Frozen", "Evaluated", "Several"}
    assert {each.__name__ for each in public_classes} - bases == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_is_printed_as_a_table(name: str) -> None:
    result = EXAMPLES[name]()
    lines = str(result).splitlines()
    if name in IN_A_LINE:
        assert lines == [IN_A_LINE[name]]
        return
    assert len(lines) > 2
    assert any(set(line) == {"─"} for line in lines)
    assert max(map(cell_width, lines)) <= 100
    assert all(line == line.rstrip() for line in lines)
    assert len(lines) < (300 if name == "MetricsTable" else 100)  # a directory, whole
    assert not [raw for raw in RAW if raw in str(result)]
    assert "nan" not in str(result).replace("=nan", "").split()
    assert "\n" not in repr(result)
    assert repr(result).startswith(f"{name}(")


@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - {"Report"}))  # that is a page itself
def test_its_html_is_well_formed_and_says_the_same(name: str) -> None:
    result = EXAMPLES[name]()
    page = result._repr_html_()
    parser = Page(page)
    assert all(len(row) > 1 for row in parser.rows)
    assert not [raw for raw in RAW if raw in page]
    if name not in IN_A_LINE:
        printed = "".join(str(result).split())
        for cell in (cell for row in parser.rows for cell in row):
            first, *_ = cell.split() or [""]
            assert first in printed


def plain(frame: Any) -> dict[str, list[Any]]:
    """Return the columns of either library, nan and null alike None."""
    columns = (
        frame.to_dict("list") if isinstance(frame, pd.DataFrame) else frame.to_dict(as_series=False)
    )
    return {
        name: [None if value is None or value != value else value for value in column]
        for name, column in columns.items()
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_its_frames_are_alike_and_hold_the_numbers(name: str) -> None:
    result = EXAMPLES[name]()
    pandas, polars = result.to_frame("pandas"), result.to_frame("polars")
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    frame = plain(pandas)
    assert frame == plain(polars)
    assert pandas.shape == polars.shape
    assert len(pandas) > 0
    assert isinstance(result.to_frame(), pd.DataFrame)  # both are loaded
    fields = result.to_dict() if isinstance(result, Result) else {}
    for field_name, value in fields.items():
        if isinstance(value, float | int) and field_name in frame and len(pandas) == 1:
            (cell,) = frame[field_name]
            assert cell == value or (cell is None and math.isnan(value))
    interval = getattr(result, "confidence_interval", None)
    if interval is not None:
        limits = [None if math.isnan(each) else each for each in interval]
        if name == "ModelEvaluation":
            assert frame["low"] == limits[:1]
        assert [frame["low"][0], frame["high"][0]] == limits


def test_frames_of_several_rows() -> None:
    pair = EXAMPLES["Comparisons"]()
    frame = pair.to_frame("polars")
    first = pair["roc_auc"].pairs[0]
    row = frame.row(0, named=True)
    assert (row["metric"], row["model"], row["minus_model"]) == ("roc_auc", "a", "b")
    assert row["estimate"] == first.difference
    assert (row["low"], row["high"]) == tuple(first.confidence_interval)
    assert (row["standard_error"], row["pvalue"]) == (first.standard_error, first.pvalue)
    assert frame["minus_model"].to_list() == ["b"]
    evaluation = EXAMPLES["Evaluation"]()
    frame = evaluation.to_frame("pandas")
    rows = {(row["metric"], row["model"]): row for row in frame.to_dict("records")}
    ks = evaluation["b"].bootstrap["ks_statistic"]
    assert rows["ks_statistic", "b"]["high"] == ks.confidence_interval.high
    assert rows["n_positive", "a"]["estimate"] == 40
    band = EXAMPLES["RocBand"]()
    assert band.to_frame("polars")["low"].to_list() == band.low.tolist()


@pytest.mark.parametrize(("loaded", "expected"), [("pandas", pd), ("polars", pl)])
def test_the_library_that_is_loaded_is_taken(loaded: str, expected: Any, monkeypatch: Any) -> None:
    other = {"pandas": "polars", "polars": "pandas"}[loaded]
    monkeypatch.delitem(sys.modules, other)
    assert isinstance(fm.delong([0, 1, 0, 1], [1, 2, 3, 4]).to_frame(), expected.DataFrame)


def test_without_a_library(monkeypatch: Any) -> None:
    result = fm.delong([0, 1, 0, 1], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="`library` must be one of 'pandas', 'polars': got 'dask'"):
        result.to_frame("dask")  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "polars", None)
    assert isinstance(result.to_frame(), pd.DataFrame)
    with pytest.raises(ImportError, match="`library='polars'` is not installed: pip install polar"):
        result.to_frame("polars")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="a data frame needs pandas or polars: pip install panda"):
        result.to_frame()


# --- what a class need not say ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class _Points(Result):
    name: str
    cost: np.ndarray
    rate: tuple[float, ...]
    limits: tuple[fm.results.ConfidenceInterval, ...]
    estimate: float
    confidence_interval: fm.results.ConfidenceInterval
    confidence_level: float
    replicates: np.ndarray
    inside: fm.ConfusionMatrix | fm.results.SampleSize | None = None
    more: dict[str, float] = field(default_factory=dict)
    hidden: np.ndarray | None = field(default=None, repr=False)


def points(**others: Any) -> _Points:
    limits = (
        fm.results.ConfidenceInterval(0.1, 0.2),
        fm.results.ConfidenceInterval(0.25, math.inf),
    )
    given = {"estimate": 0.123456, "confidence_interval": fm.results.ConfidenceInterval(0.1, 0.15)}
    replicates = np.linspace(0, 1, 999)
    of = {"name": "x", "cost": np.array([1.5, 20.25]), "rate": (0.1, 0.2), "limits": limits}
    return _Points(**(of | given | {"confidence_level": 0.9, "replicates": replicates} | others))


def test_a_class_that_says_nothing_has_a_table() -> None:
    matrix = fm.ConfusionMatrix.binary(tp=1, fp=2, fn=3, tn=4)
    lines = str(points(inside=matrix, more={"a": 1.0, "b": 0.25})).splitlines()
    assert lines[:6] == [
        "_Points",
        "",
        " cost  rate  limits",
        "───────────────────────",
        " 1.50   0.1  [0.1, 0.2]",
        "20.25   0.2  [0.25, ∞]",
    ]
    printed = "\n".join(lines)
    assert "estimate [90 % interval]  0.1235 [0.1000, 0.1500]" in printed
    assert "replicates                999 values from 0 to 1" in printed
    assert "0  4  2" in printed
    assert "[0.25, ∞]" in printed
    assert "inside" in lines
    assert "more" in lines
    assert "hidden" not in printed
    frame = points().to_frame("polars")
    assert frame.columns == ["cost", "rate", "limits_low", "limits_high"]
    assert frame["limits_high"].to_list() == [0.2, math.inf]


# --- digits and layout --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        *((1.0, "1.000"), (0.302, ".302"), (0.0121, ".012"), (0.001, ".001"), (0.00099, "< .001")),
        *((0.05, ".050"), (0.0496, ".0496"), (0.05004, ".05004"), (0.0, "< .001")),
        *((0.10001, ".10001"), (math.nan, "–"), (None, "–")),
    ],
)
def test_p_is_never_rounded_to_a_level(p: Any, expected: str) -> None:
    assert pvalue(p) == expected


def test_p_in_a_sentence() -> None:
    assert (as_p(0.0121), as_p(1e-9)) == ("p = .012", "p < .001")


@pytest.mark.parametrize(
    ("values", "limits", "expected"),
    [
        *(([0.5, 0.25], [], "0.50 0.25"), ([1 / 3], [], "0.3333"), ([1e6 / 7], [], "142,857")),
        *(([12.3456789], [], "12.346"), ([1e-5 / 3], [], "0.000003333"), ([1e300], [], "1e+300")),
        *(
            ([-1e-9], [(-0.1, 0.1)], "0.0000"),
            ([1.0, 2.0], [], "1 2"),
            ([-0.5], [], "−0.5"),
            ([1 / 3], [(0.333, 0.334)], "0.33333"),
        ),
        ([1 / 3], [(0.2, 0.5)], "0.3333"),
        *(([1234.5678], [(1000.0, 1500.0)], "1,234.6"), ([math.inf, math.nan], [], "∞ –")),
    ],
)
def test_digits(values: list[float], limits: list[tuple[float, float]], expected: str) -> None:
    decimals = common_decimals(values, [fm.results.ConfidenceInterval(*each) for each in limits])
    assert " ".join(number(value, decimals) for value in values) == expected


def test_values_are_short() -> None:
    assert value_text(np.arange(12.0).reshape(3, 4)) == "3 × 4 values from 0 to 11"
    assert value_text(np.array(["a"])) == "a"
    assert value_text(tuple(range(20))) == "0, 1, 2, 3, 4, 5, 6, … (20 in all)"
    assert value_text({"a": True, "b": None}) == "a: yes, b: –"
    assert value_text("a\nb\x1b") == "a b "


def test_long_tables_are_cut_and_counted() -> None:
    table = fm.ScoreTable.from_scores([0, 1] * 100, np.arange(200))
    assert str(table).splitlines()[-1] == "… 170 rows more: `to_frame()` has all."
    assert len(table.to_frame("polars")) == 200
    assert any("… 170 rows more" in text for text in Page(table._repr_html_()).texts)


def test_wide_tables_are_folded_then_parted() -> None:
    columns = {"key": ["a", "b"], **{f"column_{k}": [k / 7, "words " * 9] for k in range(12)}}
    for width in (40, 100):
        lines = as_text(Display([Table(columns)]), width=width).splitlines()
        assert max(map(len, lines)) <= width
        assert sum(line.startswith("key") for line in lines) == {40: 3, 100: 1}[width]
        assert " ".join(" ".join(lines).split()).count("words") == 12 * 9
    one = fm.evaluate([0, 1, 0, 1] * 30, {"m" * 300: np.arange(120), "日本" * 30: np.arange(120)})
    assert max(map(cell_width, str(one).splitlines())) <= 100
    assert "".join(str(one).split()).count("m" * 40) >= 1


def test_folding() -> None:
    assert fold("a bb ccc", 4) == ["a bb", "ccc"]
    assert fold("日本語", 4) == ["日本", "語"]
    assert fold("0.5 [0.1,\N{NO-BREAK SPACE}0.9]", 10) == ["0.5", "[0.1, 0.9]"]
    assert fold("", 4) == [""]


def test_everything_is_escaped() -> None:
    bad = "<b>&\"'"
    table = Table({"name": [bad, bad], bad: [bad, 1.5]}, caption=bad)
    page = as_html(Display([table], bad, [bad]))
    assert "<b>" not in page
    assert Page(page).texts.count(bad) >= 1
    noted = Page(as_html(Display([table], notes=["say `a < b` of [0.1, 0.2]"])))
    assert "a < b" in noted.texts
    cells = Page(as_html(Display([Table({"x": ["0.5 [0.1, 0.9]"]})])))
    assert "[0.1, 0.9]" in cells.texts
    assert grid(table).heads == ["name", bad]


def test_names_that_are_numbers_are_no_numbers() -> None:
    assert "1000  2000" in str(fm.ConfusionMatrix.from_labels([1000, 2000], [1000, 1000]))
    many = fm.ConfusionMatrix.from_labels(range(1000, 1030), range(1000, 1030))
    assert "\n1000  1000           1\n" in str(many)
    assert len(many.to_frame("polars")) == 30
