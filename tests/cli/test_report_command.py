"""``fastmetrics report``: the page of the library, of files."""

import shlex

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure

import fastmetrics as fm
from fastmetrics.cli import main

pytest.importorskip("jinja2")

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


@pytest.fixture
def blank(monkeypatch):
    """Leave figures blank: rendering them takes most of the time."""
    monkeypatch.setattr(Figure, "draw", lambda figure, renderer: None)


def run(capsys, arguments, code=0):
    assert main(["report", *shlex.split(arguments)]) == code
    return capsys.readouterr()


def test_the_page_is_that_of_the_library(capsys, tmp_path):
    given = "x.parquet --label y --score a --score b --slice site --cost-fn 3 --cost-fp 1 -o p.html"
    said = run(capsys, f"{given} --title 'A & B'")
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
    assert said.out == f"p.html: A & B, 200 rows\n{page.verdict.splitlines()[0]}\n"


@pytest.mark.usefixtures("blank")
def test_options_of_the_page(capsys, tmp_path):
    run(capsys, "x.parquet --label y --score a --band none --threshold 0.5 -o p.html")
    html = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "Bands" not in html
    assert "decisions at score ≥ 0.5, the threshold given" in html
    run(capsys, "x.parquet --label y --score a --seed 5 -o q.html")
    assert "(seed 5)" in (tmp_path / "q.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("blank")
def test_of_numbers_and_labels(capsys, tmp_path):
    run(capsys, "x.parquet --label b --score a -o p.html")
    assert "residuals" in (tmp_path / "p.html").read_text(encoding="utf-8")
    run(capsys, "x.parquet --task labels --label site --score other -o p.html")
    assert "accuracy" in (tmp_path / "p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("x.parquet --label y -o p.html", "--score missing"),
        ("x.parquet --label y --score nothing -o p.html", "no column 'nothing'"),
        ("x.parquet --label y --score a -o no/p.html", "no/p.html"),
    ],
)
def test_what_is_refused(arguments, message, capsys, tmp_path):
    assert message in run(capsys, arguments, code=2).err
    assert not (tmp_path / "p.html").exists()
