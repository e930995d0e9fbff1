"""The documents show the output that their code has."""

import functools
import re

import documents
import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from sklearn import metrics

import fastmetrics as fm
from metric_names import RESAMPLED

pytestmark = pytest.mark.source_tree


def text_of(name):
    return (documents.ROOT / name).read_text("utf-8")


@pytest.mark.usefixtures("blank")
@pytest.mark.parametrize("name", documents.DOCUMENTS)
def test_code_blocks_run_and_print_what_stands_below(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    mpl.use("Agg")
    documents.make_files(tmp_path)
    text = text_of(name)
    assert any(block.text is not None for block in documents.blocks(text))
    assert not documents.complaints(text)
    pyplot.close("all")
    names = documents.pictures(text)
    assert {*names} <= {path.name for path in tmp_path.iterdir()}
    assert all((documents.ROOT / "docs" / "figures" / picture).is_file() for picture in names)


def test_every_picture_is_shown_and_small():
    files = list((documents.ROOT / "docs" / "figures").iterdir())
    written = (*documents.DOCUMENTS, "docs/benchmarks.md")
    names = [picture for name in written for picture in documents.pictures(text_of(name))]
    assert sorted(names) == sorted(path.name for path in files)
    assert sum(path.stat().st_size for path in files) < 400_000


def test_the_readme_is_short_and_has_both_interfaces():
    text = text_of("README.md")
    assert text.count("\n") <= 150
    blocks = [block for block in documents.blocks(text) if block.text is not None]
    assert any("evaluate" in block.code and "[0.9" in block.text for block in blocks)
    assert any(block.language == "python" for block in blocks)


def test_what_belongs_to_ci_is_left_to_it():
    text = text_of("README.md")
    assert text.count("<!-- ci:") == 2
    assert not any("venv" in block.code for block in documents.blocks(text))


@pytest.mark.parametrize(("kind", "metrics"), RESAMPLED.items(), ids=list(RESAMPLED))
def test_the_guide_names_every_metric_and_no_other(kind, metrics):
    (table,) = re.findall(rf"<!-- metrics:{kind} -->\n((?:\|.*\n)+)", text_of("docs/bootstrap.md"))
    firsts = [line.split("|")[1] for line in table.splitlines()[2:]]
    named = [name for cell in firsts for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(metrics)


FENCE = "```"
GOOD = f"""
{FENCE}python
x = 2
{FENCE}

{FENCE}python
print(x + 1)
{FENCE}

{FENCE}text
3
{FENCE}

{FENCE}bash
fastmetrics demo \\
    --format csv
{FENCE}
"""


def test_a_wrong_output_is_caught_and_mended():
    assert not documents.complaints(GOOD)
    bad = GOOD.replace("\n3\n", "\n4\n")
    assert documents.complaints(bad) == ["line 6: it prints\n3\nand not\n4\n"]
    assert documents.rewritten(bad) == GOOD


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("x + 1", "y"), "name 'y' is not defined"),
        (("fastmetrics demo", "rm"), "run fastmetrics, not 'rm'"),
        (("--format csv", "--format xml"), "exit code 2: fastmetrics: error"),
    ],
)
def test_a_block_that_fails_is_caught(change, message):
    with pytest.raises((NameError, ValueError), match=message):
        documents.complaints(GOOD.replace(*change))


FOLDER = documents.ROOT / "docs" / "coming-from"
PAGES = sorted(FOLDER.glob("[!i]*.md"))


def rows(text):
    """Return the rows of a page's tables: their call, ours, what differs."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for row in cells if len(row) == 3 and row[1] != "here"]


SAME = [
    (row[0].strip("`"), row[1].strip("`"))
    for row in rows((FOLDER / "scikit-learn.md").read_text("utf-8"))
    if row[2].startswith("the same")
]


@functools.cache
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    k = rng.integers(0, 3, 60)
    score = (y + rng.normal(size=60)).round(1)  # with ties
    p_k = rng.dirichlet(np.ones(3), 60)
    t = rng.normal(size=60)
    return {
        "y": y,
        "score": score,
        "p": 1 / (1 + np.exp(-score)),
        "label": (score > 0.5).astype(int),
        "w": rng.random(60),
        "k": k,
        "p_k": p_k,
        "k_label": p_k.argmax(axis=1),
        "t": t,
        "u": t + rng.normal(size=60),
        "relevance": rng.integers(0, 4, (5, 9)),
        "ranked": rng.random((5, 9)).round(1),
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_name_of_ours_is_there(page):
    text = page.read_text("utf-8")
    entries = rows(text)
    assert len(entries) >= 4
    assert all("`fm." in ours for _, ours, _ in entries)
    for name in re.findall(r"`fm\.([\w.]+)", text):
        functools.reduce(getattr, name.split("."), fm)


def test_the_table_of_functions_names_existing_ones():
    table = text_of("docs/guides.md").partition("## Functions by question")[2]
    names = re.findall(r"`((?:[a-z]+\.)?\w+)(?:\([^`]*\))?`", table)
    assert len(names) > 100
    for name in names:
        functools.reduce(getattr, name.removeprefix("fastmetrics.").split("."), fm)


@pytest.mark.parametrize(("theirs", "ours"), SAME)
def test_what_is_said_to_be_the_same_is(theirs, ours):
    expected = eval(theirs, vars(metrics) | data())
    actual = eval(ours, {"fm": fm} | data())
    if isinstance(expected, str):
        assert actual == expected
    else:
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12)


def test_there_are_pairs():
    assert len(SAME) > 15
