"""`benchmarks.against`: a revision that is slower on purpose, faults, and the rate of alarms."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from benchmarks import against
from benchmarks.speed.contests import ROWS
from benchmarks.speed.timing import BYTES
from fastmetrics.comparison import compare_timings

#: A row of a module that loads no scikit-learn.
ROW, MODULE = "roc_hull_auc", "fastmetrics/metrics/costs/convex_hull.py"
SLOW = """

_quick = roc_hull_auc


def roc_hull_auc(*arguments, **options):
    import time

    time.sleep(0.4)
    return _quick(*arguments, **options)
"""


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A checkout whose commit "slow" is slower than "quick", and whose "old" lacks a function."""
    folder = tmp_path_factory.mktemp("repository")
    shutil.copytree(
        against.ROOT / "fastmetrics",
        folder / "fastmetrics",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    git(folder, "init", "-q")
    quick = (folder / MODULE).read_text(encoding="utf-8")
    for name, text in (("quick", quick), ("slow", quick + SLOW), ("old", "")):
        (folder / MODULE).write_text(text, encoding="utf-8")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", name)
        git(folder, "tag", name)
    return folder


@pytest.fixture
def run(repository, monkeypatch, tmp_path):
    monkeypatch.setattr(against, "ROOT", repository)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # nobody waits for a compiler

    def compare(revision: str, tree: str, *options: str) -> tuple[int, dict]:
        git(repository, "checkout", "-q", tree)
        written = tmp_path / "found.json"
        status = against.main(
            [
                revision,
                "--only",
                ROW,
                "--rows",
                "1000",
                "--rounds",
                "4",
                "--json",
                str(written),
                *options,
            ]
        )
        return status, json.loads(written.read_text()) if written.exists() else {}

    return compare


@pytest.mark.parametrize(
    ("revision", "tree", "status", "decision"),
    [("quick", "slow", 1, "worse"), ("slow", "quick", 0, "not worse")],
)
def test_a_slow_revision(run, capsys, revision, tree, status, decision):
    found, content = run(revision, tree)
    assert found == status
    assert content["rows"][0]["decision"] == decision
    assert decision in capsys.readouterr().out
    assert [len(both) for both in content["seconds"][ROW]] == [2] * 4


def test_a_revision_against_itself(run, capsys):
    """With so wide a margin, noise is no alarm."""
    status, content = run("quick", "slow", "--aa", "--margin", "9", "--rounds", "2")
    assert (status, content["false_alarms"]) == (0, 0.0)
    assert "A/A of 1 rows: 0 called worse." in capsys.readouterr().out


def test_what_a_revision_cannot_run(run, capsys):
    status, _ = run("old", "quick")
    assert status == 2
    printed = capsys.readouterr()
    assert f"{ROW}: not compared, one of the two cannot run it: " in printed.out
    assert "nothing to compare" in printed.err


def test_a_revision_that_is_none(run, capsys):
    status, _ = run("nowhere", "quick")
    assert status == 2
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("options", [("--rounds", "1"), ("--margin", "0")])
def test_what_cannot_decide(capsys, options):
    with pytest.raises(SystemExit) as stop:
        against.main(["HEAD", *options])
    assert stop.value.code == 2
    assert "--rounds must be at least 2, and --margin above 0" in capsys.readouterr().err


def test_every_row_is_timed_once() -> None:
    """But for memory, which no clock measures."""
    asked = against.works([row.key for row in ROWS], 1_000)
    assert len({(each.work, each.spec) for each in asked}) == len(asked)
    assert {each.work for each in asked} == {row.work for row in ROWS if row.unit != BYTES}
    assert max(each.spec.rows for each in asked) == 1_000


def test_the_rate_of_alarms_is_that_of_the_decisions(monkeypatch) -> None:
    """Of every swap of sides: the same number as one by one, and near the level without margin."""
    growth = 0.1 * np.random.default_rng(5).standard_t(4, size=(7, 3))
    swaps = np.array(np.meshgrid(*[[-1.0, 1.0]] * 7)).reshape(7, -1).T
    monkeypatch.setattr(np.random, "default_rng", lambda _: Fixed(swaps))
    for margin in (0.0, 0.02):
        worse = 0
        for signs in swaps:
            after = {str(k): np.exp(signs * column) for k, column in enumerate(growth.T)}
            before = {name: np.ones(7) for name in after}
            least = max(margin, 1e-12)
            both = against.runs(before), against.runs(after)
            worse += compare_timings(*both, margin=least, paired=True).decision == "worse"
        assert against.alarm_rate(growth, margin, against.ALPHA) == worse / len(swaps)
    assert worse / len(swaps) < 0.15
    each, one = ([0.02] * 3, [0.02, 9.0, 9.0])
    assert against.alarm_rate(growth, each, against.ALPHA) == worse / len(swaps)
    assert against.alarm_rate(growth, one, against.ALPHA) <= worse / len(swaps)


class Fixed:
    """Every swap once, in place of random ones."""

    def __init__(self, swaps):
        self.swaps = swaps

    def choice(self, *_):
        return self.swaps
