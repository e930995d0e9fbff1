"""``fastmetrics report``: the page of the library, of files."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastmetrics as fm
from commands import captured, error_of

pytest.importorskip("jinja2")
pytestmark = pytest.mark.usefixtures("blank")

RNG = np.random.default_rng(3)
Y = np.tile([0, 1, 1, 0], 50)
COLUMNS = {
    "y": Y,
    "a": np.round(Y + RNG.normal(size=200), 3),
    "b": np.round(Y + 3 * RNG.normal(size=200), 3),
    "other": np.repeat(["south", "north", "south"], [10, 80, 110]),
    "site": np.repeat(["north", "south"], 100),
}


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(COLUMNS), "x.parquet")


def page_of(capsys, arguments):
    """Write a page; return it."""
    captured(capsys, "report", *f"x.parquet {arguments} -o p.html".split())
    return Path("p.html").read_text(encoding="utf-8")


def test_the_page_is_that_of_the_library(capsys, tmp_path):
    given = "x.parquet --label y --score a --score b --slice site --cost-fn 3 --cost-fp 1 -o p.html"
    text = captured(capsys, "report", *given.split(), "--title", "A & B").out
    page = fm.report(
        Y,
        {name: COLUMNS[name] for name in "ab"},
        slices={"site": COLUMNS["site"]},
        cost_fn=3,
        cost_fp=1,
        title="A & B",
        command=f"fastmetrics report {given} --title 'A & B'",
    )
    assert (tmp_path / "p.html").read_text(encoding="utf-8") == page.html
    assert text == f"{page.verdict}\np.html: A & B, 200 rows\n"


def test_options_and_kinds_of_data(capsys):
    html = page_of(capsys, "--label y --score a --band none --threshold 0.5")
    assert "Bands" not in html
    assert "confusion matrix at score ≥ 0.5, the given threshold" in html
    assert "(seed 5)" in page_of(capsys, "--label y --score a --seed 5")
    assert "residuals" in page_of(capsys, "--label b --score a")
    assert "accuracy" in page_of(capsys, "--task labels --label site --score other")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("x.parquet --label y -o p.html", "--score missing"),
        ("x.parquet --label y --score nothing -o p.html", "no column 'nothing'"),
        ("x.parquet --label y --score a -o no/p.html", "no/p.html"),
    ],
)
def test_what_is_refused(arguments, message, capsys, tmp_path):
    assert message in error_of(capsys, "report", *arguments.split())
    assert not (tmp_path / "p.html").exists()
