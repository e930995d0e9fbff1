"""The tables for those who come from other libraries: every name is there, every pair agrees."""

import functools
import re

import documents
import numpy as np
import pytest
from sklearn import metrics

import fastmetrics as fm

pytestmark = pytest.mark.source_tree
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
    y, k = rng.integers(0, 2, 60), rng.integers(0, 3, 60)
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
    found = rows(text)
    assert len(found) >= 4
    assert all("`fm." in ours for _, ours, _ in found)
    for name in re.findall(r"`fm\.([\w.]+)", text):
        functools.reduce(getattr, name.split("."), fm)


@pytest.mark.parametrize(("theirs", "ours"), SAME)
def test_what_is_said_to_be_the_same_is(theirs, ours):
    expected = eval(theirs, vars(metrics) | data())
    found = eval(ours, {"fm": fm} | data())
    if isinstance(expected, str):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_there_are_pairs():
    assert len(SAME) > 15
