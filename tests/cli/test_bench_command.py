"""`fastmetrics bench`: two versions of a small project in turns, controls, A/A, and faults."""

from __future__ import annotations

import json
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from fastmetrics.cli import main
from fastmetrics.comparison import compare_timings

#: A project whose times are what its files say, and what writes them as hyperfine does.
PACKAGE = "TIMES = {'sort': 1.0, 'load': 2.0, 'other': 3.0}\n"
SLOWER = PACKAGE.replace("1.0", "1.5")
TIME_IT = """\
import json, sys
from shop import TIMES
output, seed = sys.argv[1], sys.argv[1].rpartition("-")[2]
number = int(seed.partition(".")[0])
wobble = 1 + 0.001 * (number % 3)
found = [{"command": name, "times": [value * wobble]} for name, value in TIMES.items()]
json.dump({"results": found}, open(output, "w"))
"""
WORK = ("--", "python", "bench/time_it.py", "{output}")


def git(folder, *arguments):
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A checkout with the revision "quick"; the working tree may be changed."""
    folder = tmp_path / "project"
    for name, text in (("shop/__init__.py", PACKAGE), ("bench/time_it.py", TIME_IT)):
        path = folder / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    git(tmp_path, "init", "-q", "project")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "quick")
    git(folder, "tag", "quick")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return folder


def bench(capsys, *arguments, code, work=WORK):
    assert main(["bench", *arguments, *work]) == code, capsys.readouterr().err
    return capsys.readouterr()


def worktrees(folder):
    found = subprocess.run(
        ["git", "-C", folder, "worktree", "list"], capture_output=True, text=True
    )
    return found.stdout.splitlines()


def test_a_slower_working_tree(project, capsys, tmp_path):
    (project / "shop/__init__.py").write_text(SLOWER)
    (project / "notes.txt").write_text("new")
    kept = tmp_path / "kept"
    out, err = bench(capsys, "--against", "quick", "--keep", str(kept), code=1)
    assert "All together: worse" in out
    assert "4 rounds of two runs, in turns. The plan looks after 4, 8, 16" in out
    assert "before: quick (" in err
    assert "after: the working tree, 2 files not committed" in err
    assert "both run the working tree's bench/time_it.py" in err
    assert len(worktrees(project)) == 1
    assert (project / "shop/__init__.py").read_text() == SLOWER
    again = ["compare-benchmarks", "--paired", "--confidence-level", str(1 - 0.05 / 3)]
    again += ["--before", str(kept / "before-*.json"), "--after", str(kept / "after-*.json")]
    assert main(again) == 1
    assert capsys.readouterr().out.splitlines()[:8] == out.splitlines()[:8]
    assert sorted(path.name for path in kept.iterdir())[0] == "after-01.json"
    err = bench(capsys, "--against", "quick", "--keep", str(kept), code=2).err
    assert "is of other runs: name an empty folder" in err


def test_what_is_committed_and_quicker(project, capsys):
    (project / "shop/__init__.py").write_text(SLOWER)
    git(project, "commit", "-qam", "slow")
    git(project, "tag", "slow")
    out, err = bench(capsys, "--against", "quick", "--rounds", "2", code=1)
    assert "after: HEAD, as committed" in err
    assert "2 rounds of two runs, in turns.\n" in out
    (project / "shop/__init__.py").write_text(PACKAGE)
    assert "3 not worse" in bench(capsys, "--against", "slow", code=0).out


def test_formats(project, capsys, tmp_path):
    (project / "shop/__init__.py").write_text(SLOWER)
    junit = tmp_path / "found.xml"
    options = ("--against", "quick", "--format", "json", "--junit", str(junit))
    found = json.loads(bench(capsys, *options, "--control", "o*", code=1).out)
    assert next(iter(found)) == "schema_version"
    assert (found["decision"], found["rounds"], found["looks"]) == ("worse", 4, [4, 8, 16])
    assert [row["name"] for row in found["rows"]] == ["sort", "load"]
    assert found["controls_moved"] == []
    assert found["rows"][0]["estimate"] == pytest.approx(1.5)
    assert ET.parse(junit).getroot().get("failures") == "1"


def test_a_control_that_moves_decides_nothing(project, capsys, tmp_path):
    (project / "shop/__init__.py").write_text(SLOWER)
    junit = tmp_path / "found.xml"
    options = ("--against", "quick", "--control", "sort", "--junit", str(junit))
    out = bench(capsys, *options, code=3).out
    assert "Nothing is decided: sort, which nobody changed, moved by more than the margin" in out
    (project / "shop/__init__.py").write_text(PACKAGE.replace("1.0", "0.5"))  # faster is no better
    bench(capsys, *options, code=3)
    assert (
        "The controls stayed within"
        in bench(capsys, "--against", "quick", "--control", "load", code=0).out
    )


def test_a_revision_against_itself(project, capsys):
    (project / "shop/__init__.py").write_text(SLOWER)
    out, err = bench(capsys, "--against", "quick", "--aa", "--rounds", "3", code=0)
    assert "equal code is called worse in 0.0% of tries" in out
    assert err.count("quick (") == 2


def test_an_install_of_each_side(project, capsys):
    """A project whose package lies where no folder is looked into, until it is installed."""
    install = project / "install.py"
    install.write_text(
        "import shutil, sysconfig\n"
        "shutil.copytree('shop', sysconfig.get_path('purelib') + '/shop')\n"
    )
    git(project, "add", "-A")
    git(project, "commit", "-qm", "install")
    (project / "shop/__init__.py").write_text(SLOWER)
    options = ("--against", "HEAD", "--rounds", "2", "--install", "python install.py")
    assert "1 worse" in bench(capsys, *options, code=1).out
    options = (*options[:-1], "python nowhere.py")
    assert "python nowhere.py ended with 2" in bench(capsys, *options, code=2).err


def test_two_interpreters_must_differ_in_what_is_compared(project, capsys, monkeypatch):
    both = ("--before-python", sys.executable, "--after-python", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(project))
    err = bench(capsys, *both, code=2).err
    assert "both sides would import shop from" in err
    assert "--install" in err
    assert "nowhere: no such interpreter" in bench(capsys, *both[:3], "nowhere", code=2).err


@pytest.mark.parametrize(
    ("options", "work", "said"),
    [
        (("--against", "nowhere"), WORK, "git rev-parse: fatal:"),
        ((), WORK, "--against REV is missing"),
        (("--aa",), WORK, "--against REV is missing"),
        (("--against", "quick"), ("--", "python", "x.py"), "say with {output} where it writes"),
        (("--against", "quick", "--control", "none"), WORK, "no benchmark is like 'none'"),
        (("--against", "quick", "--control", "*"), WORK, "none is left to be judged"),
        (("--against", "quick", "--most-rounds", "auto"), WORK, "--most-rounds must be an integer"),
        (("--against", "quick", "--rounds", "1"), WORK, "must be auto or an integer of at least 2"),
        (("--against", "quick"), ("--", "pytest", "none"), "wrote no times. Its last lines: "),
    ],
)
def test_faults(project, capsys, options, work, said):
    assert said in bench(capsys, *options, code=2, work=work).err
    assert len(worktrees(project)) == 1


def test_benchmarks_of_pytest(project, capsys, monkeypatch):
    """Those that one side cannot run are said, and not compared."""
    (project / "bench/test_shop.py").write_text(
        "import shop\n"
        "def test_times(benchmark):\n    benchmark(sorted, shop.TIMES)\n"
        "def test_new(benchmark):\n    benchmark(shop.new)\n"
    )
    (project / "shop/__init__.py").write_text(PACKAGE + "def new():\n    pass\n")
    quick = ("--benchmark-max-time=0.001", "--benchmark-min-rounds=2", "-p", "no:cacheprovider")
    work = ("--", "pytest", "bench/test_shop.py", *quick)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # pytest-benchmark times nothing there
    out, err = bench(
        capsys, "--against", "quick", "--rounds", "2", "--margin", "50000%", code=0, work=work
    )
    assert "test_times" in out
    assert "before: ended with 1" in err
    assert "not every run has 'bench/test_shop.py::test_new': not compared" in err


@pytest.mark.parametrize(
    ("options", "looks"),
    [
        (("--rounds", "7"), [7]),
        (("--rounds", "auto"), [4, 8, 16]),
        (("--most-rounds", "3"), [2, 3]),
    ],
)
def test_plans(project, capsys, options, looks):
    out = bench(capsys, "--against", "quick", *options, "--format", "json", code=0).out
    found = json.loads(out)
    assert (found["looks"], found["rounds"]) == (looks, looks[0])
    assert found["confidence_level"] == pytest.approx(1 - 0.05 / len(looks))


def runs(rng, n, growth):
    logs = rng.normal(0, 0.02, (n, 5)) + np.asarray(growth)
    return [{str(k): [value] for k, value in enumerate(row)} for row in np.exp(logs)]


def test_looks_together_err_as_rarely_as_asked():
    """Works exactly at the margin, judged at each look: 5 % of tries may call one worse."""
    rng, alarms = np.random.default_rng(5), 0
    for _ in range(300):
        before, after = runs(rng, 16, 0.0), runs(rng, 16, np.log(1.05))
        alarms += any(
            compare_timings(
                before[:n], after[:n], margin=0.05, paired=True, confidence_level=1 - 0.05 / 3
            ).decision
            == "worse"
            for n in (4, 8, 16)
        )
    assert alarms / 300 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
