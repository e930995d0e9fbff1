"""docs/architecture.md tells of the house as it stands: paths, floors, walk, table of engines."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import rules
from calls import examples, passed
from metric_names import METRICS

pytestmark = pytest.mark.source_tree

PAGE = (rules.ROOT / "docs" / "architecture.md").read_text("utf-8")
#: Places where a path may start; a name alone is looked for in every room.
STARTS = (rules.ROOT, rules.PACKAGE, rules.PACKAGE / "inference" / "bootstrap")
_PATH = re.compile(r"`([\w./]+(?:/|\.pyi?|\.toml))`")


def missing_paths(page: str) -> list[str]:
    """Return the paths that a page names and nobody finds."""
    return sorted(
        name
        for name in set(_PATH.findall(page))
        if not any((start / name).exists() for start in STARTS)
        and ("/" in name or not any(rules.PACKAGE.rglob(name)))
    )


def floors_drawn(page: str) -> list[set[str]]:
    """Return the rooms of each floor in the picture: what ends in a slash or in .py."""
    picture = page.split("```")[1]
    floors = [set(re.findall(r"(\w+)(?:/|\.py)(?!\w)", part)) for part in picture.split("───\n")]
    return [floor for floor in floors if floor]


def floors_agreed() -> list[set[str]]:
    """Return those of the contract; floors in brackets may be empty."""
    settings = tomllib.loads((rules.ROOT / "pyproject.toml").read_text("utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    floors = [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]
    there = {path.stem for path in rules.PACKAGE.iterdir()}
    return [floor & there for floor in floors]


def test_every_path_exists() -> None:
    assert len(_PATH.findall(PAGE)) > 50
    assert missing_paths(PAGE) == []
    page = "`_input/nowhere.py`, `nowhere.py`, `nowhere/`, `_input/rows.py`, `_matrix_state.py`"
    assert missing_paths(page) == ["_input/nowhere.py", "nowhere.py", "nowhere/"]


def test_the_picture_is_the_contract() -> None:
    assert floors_drawn(PAGE) == floors_agreed()
    assert floors_drawn(PAGE.replace("  _plots/", "")) != floors_agreed()


def test_the_walk_names_every_file_of_the_call() -> None:
    walk = PAGE.partition("<!-- walk:roc_auc_score -->")[2].partition("<!-- /walk -->")[0]
    files = passed(examples()["roc_auc_score"]).files
    assert len(files) > 5
    assert set(files) <= set(_PATH.findall(walk))


def test_the_page_has_the_table_of_metrics_and_engines_as_asking_finds_it() -> None:
    pytest.importorskip("dask.array")
    import engine_table

    assert f"\n{engine_table.table()}\n" in PAGE
    for metric in METRICS.values():
        assert engine_table.has("influences", metric) == bool(metric.influences), metric.name
        if metric.resampled != "rows":
            assert engine_table.has("BCa", metric) == ("bca" in metric.intervals), metric.name


def test_the_diff_of_an_added_metric_still_applies(tmp_path: Path) -> None:
    page = (rules.ROOT / "docs/adding-a-metric.md").read_text(encoding="utf-8")
    change = tmp_path / "change.diff"
    change.write_text(page.partition("```diff\n")[2].partition("```\n")[0], encoding="utf-8")
    files = re.findall(r"^\+\+\+ b/(\S+)", change.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(files) > 5
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(rules.ROOT / name, tmp_path / name)
    command = ["git", "apply", "--check", str(change)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
