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
ROW, MODULE = "roc_hull_auc", "fastmetrics/metrics/costs/cost_curve.py"
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


def test_compiled_code_of_the_same_source_is_taken_along(repository, tmp_path, monkeypatch):
    monkeypatch.setattr(against, "ROOT", repository)
    git(repository, "checkout", "-q", "quick")
    tree = repository / "fastmetrics"
    same, other, new = tree / "errors.py", repository / MODULE, tree / "none_such.py"
    code = tree / "__pycache__" / "errors.f-1.nbi"
    code.parent.mkdir(exist_ok=True)
    code.write_bytes(b"machine code")
    new.write_text("", encoding="utf-8")
    try:
        against.install(None, tmp_path / "tree")
        against.install("slow", tmp_path / "slow")
    finally:
        code.unlink()
        new.unlink()
    for name in ("tree", "slow"):
        folder = tmp_path / name / "fastmetrics"
        assert (folder / "__pycache__" / code.name).read_bytes() == b"machine code"
        assert (folder / "errors.py").stat().st_mtime == same.stat().st_mtime  # what numba looks at
        assert not list(folder.rglob("*.pyc"))
    assert (tmp_path / "tree" / MODULE).stat().st_mtime == other.stat().st_mtime
    assert (tmp_path / "slow" / MODULE).stat().st_mtime != other.stat().st_mtime
    assert (tmp_path / "slow" / MODULE).read_text(encoding="utf-8").endswith(SLOW)
    assert (tmp_path / "tree" / "fastmetrics" / new.name).exists()
    assert not (tmp_path / "slow" / "fastmetrics" / new.name).exists()


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


def test_rows_for_which_there_is_no_time_are_named(run, capsys):
    status, content = run("quick", "slow", "--minutes", "1e-9")
    assert (status, content) == (2, {})
    assert f"not compared, {against.NO_TIME}: {ROW}" in capsys.readouterr().out


@pytest.mark.parametrize("options", [("--rounds", "1"), ("--margin", "0"), ("--minutes", "0")])
def test_what_cannot_decide(capsys, options):
    with pytest.raises(SystemExit) as stop:
        against.main(["HEAD", *options])
    assert stop.value.code == 2
    assert (
        "--rounds must be at least 2, and --margin and --minutes above 0" in capsys.readouterr().err
    )


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
            rounds = {key: np.transpose([before[key], after[key]]).tolist() for key in after}
            worse += against.decide(rounds, least).decision == "worse"
        assert against.alarm_rate(growth, margin, against.ALPHA) == worse / len(swaps)
    assert worse / len(swaps) < 0.15
    few = np.where(np.arange(7)[:, np.newaxis] < [7, 5, 3], growth, np.nan)
    one_by_one = 0
    for signs in swaps:
        changes = {str(k): column[np.isfinite(column)] for k, column in enumerate(few.T * signs)}
        rounds = {key: [[1.0, each] for each in np.exp(row)] for key, row in changes.items()}
        one_by_one += against.decide(rounds, 0.02).decision == "worse"
    assert against.alarm_rate(few, 0.02, against.ALPHA) == one_by_one / len(swaps)
    each, one = ([0.02] * 3, [0.02, 9.0, 9.0])
    assert against.alarm_rate(growth, each, against.ALPHA) == worse / len(swaps)
    assert against.alarm_rate(growth, one, against.ALPHA) <= worse / len(swaps)


def test_decisions_of_as_many_rounds_are_those_of_all_together() -> None:
    """And where one has fewer, Holm's correction still is for all."""
    rng = np.random.default_rng(3)
    mean = dict(zip("abcdef", [0.3, 0.3, 0.08, 0.05, 0.0, -0.2], strict=True))
    sides = {
        key: np.exp(rng.normal([0, center], [1e-9, 0.02], (6, 2))) for key, center in mean.items()
    }
    before, after = ([{k: [v[i][j]] for k, v in sides.items()} for i in range(6)] for j in (0, 1))
    found = against.decide({key: each.tolist() for key, each in sides.items()}, 0.05)
    together = compare_timings(before, after, margin=0.05, paired=True)
    assert [row.to_dict() for row in found] == [row.to_dict() for row in together]
    assert {row.decision for row in found} == {"worse", "not worse", "undecided"}

    two = {"few": [[1.0, 1.30], [1.0, 1.35]], "many": [[1.0, 1.0], [1.0, 1.001], [1.0, 0.999]]}
    assert against.decide({"few": two["few"]}, 0.05)["few"].decision == "worse"
    assert [row.decision for row in against.decide(two, 0.05)] == ["undecided", "not worse"]
    assert against.decide(two, 0.05)["few"].more_needed >= 1


def test_rounds_are_spread_over_rows() -> None:
    """Each gets its first ones, then those that cost little get more, within the time."""
    costs = {"slow": 20.0, "quick": 1.0, "other": 2.0}
    assert against.rounds_that_fit(costs, 1e9, 10) == dict.fromkeys(costs, 9)
    assert against.rounds_that_fit(costs, 0.5, 10) == dict.fromkeys(costs, 0)
    found = against.rounds_that_fit(costs, 64.0, 10)
    assert found == {"slow": 2, "quick": 9, "other": 7}
    assert sum(costs[key] * n for key, n in found.items()) <= 64
    assert against.rounds_that_fit(costs, 30.0, 10) == {"slow": 1, "quick": 6, "other": 2}


class Fixed:
    """Every swap once, in place of random ones."""

    def __init__(self, swaps):
        self.swaps = swaps

    def choice(self, *_):
        return self.swaps
