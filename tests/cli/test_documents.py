"""What the documents show is what happens."""

import re

import documents
import matplotlib as mpl
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from measure_names import RESAMPLED

pytestmark = pytest.mark.source_tree


def text_of(name):
    return (documents.ROOT / name).read_text("utf-8")


@pytest.mark.parametrize("name", documents.DOCUMENTS)
def test_code_blocks_run_and_print_what_stands_below(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    mpl.use("Agg")
    # Rendering takes most of the time, and is tested with each kind of figure.
    monkeypatch.setattr(Figure, "draw", lambda figure, renderer: None)
    documents.make_files(tmp_path)
    text = text_of(name)
    assert any(block.text is not None for block in documents.blocks(text))
    assert not documents.complaints(text)
    pyplot.close("all")
    shown = documents.pictures(text)
    assert {*shown} <= {path.name for path in tmp_path.iterdir()}
    assert all((documents.ROOT / "docs" / "figures" / picture).is_file() for picture in shown)


def test_every_picture_is_shown_and_small():
    files = list((documents.ROOT / "docs" / "figures").iterdir())
    written = (*documents.DOCUMENTS, "docs/benchmarks.md")
    shown = [picture for name in written for picture in documents.pictures(text_of(name))]
    assert sorted(shown) == sorted(path.name for path in files)
    assert sum(path.stat().st_size for path in files) < 400_000


def test_the_readme_shows_intervals_by_a_command():
    blocks = documents.blocks(text_of("README.md"))
    shown = [block for block in blocks if block.text is not None]
    assert any("--bootstrap" in block.code and "[0.9" in block.text for block in shown)


def test_what_belongs_to_ci_is_left_to_it():
    text = text_of("README.md")
    assert text.count("<!-- ci:") == 2
    assert not any("venv" in block.code for block in documents.blocks(text))


@pytest.mark.parametrize(("kind", "measures"), RESAMPLED.items(), ids=list(RESAMPLED))
def test_the_guide_names_every_measure_and_no_other(kind, measures):
    text = text_of("docs/bootstrap.md")
    (table,) = re.findall(rf"<!-- measures:{kind} -->\n((?:\|.*\n)+)", text)
    firsts = [line.split("|")[1] for line in table.splitlines()[2:]]
    named = [name for cell in firsts for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(measures)


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
