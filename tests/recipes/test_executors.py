"""The guide's recipes on executors: a part counts once, however often it is tried."""

import importlib
import multiprocessing
import sys
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from types import ModuleType
from typing import Any

import guide
import numpy as np
import pytest

import fastmetrics as fm

pytestmark = pytest.mark.source_tree

#: A worker that has counted, and dies before it says so: once a flag.
DYING = """
import os
import pathlib

counted = table_of


def table_of(part):
    *rows, flag = part
    table = counted(rows)
    if flag is not None and not pathlib.Path(flag).exists():
        pathlib.Path(flag).touch()
        os._exit(1)
    return table


def never(part):
    os._exit(1)
"""


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: Any) -> Any:
    """Give the guide's functions as a module, which new processes can import."""
    folder = tmp_path_factory.mktemp("recipes")
    code = guide.definitions("table_of", "table_of_all") + DYING
    (folder / "recipes_of_the_guide.py").write_text(code, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("recipes_of_the_guide")
    del sys.modules["recipes_of_the_guide"]


@pytest.fixture
def parts(rng: Any) -> list[Any]:
    sizes = (300, 1, 80, 1_000, 7)
    return [(rng.integers(0, 2, n), rng.normal(size=n).round(1), None) for n in sizes]


def loky() -> Executor:
    return pytest.importorskip("joblib.externals.loky").get_reusable_executor(max_workers=2)


EXECUTORS: dict[str, Callable[[], Executor]] = {
    "threads": partial(ThreadPoolExecutor, 3),
    "processes": partial(ProcessPoolExecutor, 2, multiprocessing.get_context("spawn")),
    "loky": loky,
}


@pytest.mark.parametrize("name", EXECUTORS)
def test_any_executor_adds_up(name: str, recipes: ModuleType, parts: list[Any]) -> None:
    whole = fm.streams.BinnedScoreTable(recipes.layout)
    for y, s, _ in parts:
        whole.update(y, s)
    ys, scores, _ = zip(*parts, strict=True)
    with EXECUTORS[name]() as pool:
        assert sum(pool.map(recipes.table_of, parts)) == whole
        tables = pool.map(fm.ScoreTable.from_scores, ys, scores)
        assert sum(tables) == fm.ScoreTable.from_scores(*map(np.concatenate, (ys, scores)))
        matrices = pool.map(fm.ConfusionMatrix.from_labels, ys, ys)
        assert sum(matrices) == fm.ConfusionMatrix.from_labels(*[np.concatenate(ys)] * 2)


@pytest.mark.parametrize("name", ["processes", pytest.param("loky", marks=pytest.mark.exhaustive)])
def test_a_part_counts_once_though_its_worker_dies(
    name: str, recipes: ModuleType, parts: list[Any], tmp_path: Any
) -> None:
    flags = [tmp_path / "first", tmp_path / "second"]
    dying = [(y, s, str(flag)) for (y, s, _), flag in zip(parts[1:4:2], flags, strict=True)]
    tried = [parts[0], dying[0], parts[2], dying[1], parts[4]]
    table = recipes.table_of_all(tried, EXECUTORS[name])
    assert all(flag.exists() for flag in flags), "each has died once"
    assert table == sum(map(recipes.table_of, parts))


def test_what_is_always_lost_is_an_error(
    recipes: ModuleType, parts: list[Any], monkeypatch: Any
) -> None:
    monkeypatch.setattr(recipes, "table_of", recipes.never)
    with pytest.raises(RuntimeError, match="part 0 was lost 2 times"):
        recipes.table_of_all(parts, EXECUTORS["processes"], n_attempts=2)


def test_an_error_of_a_task_is_raised(recipes: ModuleType, parts: list[Any]) -> None:
    with pytest.raises(ValueError, match="`y_score` must be finite: nan at index 0"):
        recipes.table_of_all([*parts, ([1], [np.nan], None)], EXECUTORS["threads"])
