"""The coverings of large grids leave no pair of values out, and leave much out."""

import itertools
from pathlib import Path

import pytest

import grids
from grids import pairwise
from processes import environment, python

GRIDS = [
    list(itertools.product("ab", range(3), [None, 0.5, 1, 2])),
    list(itertools.product(range(12), range(3), range(3), range(3))),
    [row for row in itertools.product(range(4), repeat=3) if sum(row) % 5],  # with holes
]


def pairs(rows: list[tuple]) -> set:
    return {pair for row in rows for pair in itertools.combinations(enumerate(row), 2)}


def covering(rows: list[tuple]) -> list[tuple]:
    return list(itertools.compress(rows, pairwise(rows)))


@pytest.mark.parametrize("rows", GRIDS, ids=len)
def test_every_pair_of_values_is_kept(rows: list[tuple]) -> None:
    assert pairs(covering(rows)) == pairs(rows)


def test_few_rows_do() -> None:
    """As many as the two largest axes have pairs, or little more."""
    assert [len(covering(rows)) for rows in GRIDS[:2]] == [12, 36]
    assert len(covering(GRIDS[2])) < len(GRIDS[2]) / 2


def test_two_axes_and_one_have_no_row_to_spare() -> None:
    for axes in ([range(3), "xy"], [range(3)]):
        rows = list(itertools.product(*axes))
        assert covering(rows) == rows


SUITE = """
import pytest

@pytest.fixture(params="xyz")
def form(request):
    return request.param

@pytest.mark.pairwise
@pytest.mark.parametrize("b", [0, 1])
@pytest.mark.parametrize(("c", "d"), [(0, 1), (2, 3), (4, 5)])
def test_marked(form, b, c, d): ...

@pytest.mark.parametrize("b", [0, 1])
@pytest.mark.parametrize("c", [0, 1])
def test_as_it_is(form, b, c): ...
"""
CONFTEST = """
from grids import leave_to_exhaustive

def pytest_collection_modifyitems(items):
    leave_to_exhaustive(items)
"""


def test_the_rest_of_a_grid_is_exhaustive(tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    options = ("-q", "-m", "exhaustive", "-p", "no:cacheprovider")
    own = environment(PYTHONPATH=str(Path(grids.__file__).parent))
    done = python("-m", "pytest", *options, cwd=tmp_path, env=own)
    assert "9 passed, 21 deselected" in done.stdout, done.stdout
