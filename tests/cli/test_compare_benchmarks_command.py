"""`fastmetrics compare-benchmarks`: files of pytest-benchmark, exit statuses, formats, faults."""

import csv
import io
import json
import os
import statistics
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.cli import main

RNG = np.random.default_rng(2)
ROUNDS = {
    name: (np.exp(RNG.normal(0, 0.05, 40)), np.exp(RNG.normal(growth, 0.05, 50)))
    for name, growth in (("t.py::same", 0.0), ("t.py::slow", 0.2), ("t.py::near", 0.045))
}


def save(path, rounds):
    benchmarks = []
    for name, times in rounds.items():
        stats = {"rounds": len(times), "mean": statistics.mean(times)}
        stats["stddev"] = statistics.stdev(times) if len(times) > 1 else 0
        stats["data"] = list(times)
        benchmarks.append({"fullname": name, "name": name, "stats": stats})
    content = {"benchmarks": benchmarks, "machine_info": {"node": "here"}, "version": "5.1.0"}
    path.write_text(json.dumps(content))


RUNS = [
    {name: times[k] for name, times in ROUNDS.items()}
    for k in range(2)  # before, after
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(*names, n_runs=4):
        for k, side in enumerate("ab"):
            for run in range(n_runs):
                rounds = {name: RUNS[k][name][run::n_runs] for name in names}
                save(tmp_path / f"{side}{run}.json", rounds)

    return write


BOTH = ("--before", "a*.json", "--after", "b*.json")


def run(capsys, *arguments, code):
    assert main(["compare-benchmarks", *arguments]) == code
    return capsys.readouterr()


def runs_of(side, names, n_runs=4):
    return [{name: RUNS[side][name][k::n_runs] for name in names} for k in range(n_runs)]


@pytest.mark.parametrize(
    ("names", "code", "said"),
    [
        (["t.py::same"], 0, "not worse"),
        (list(ROUNDS), 1, "All together: worse"),
        (["t.py::same", "t.py::near"], 3, "All together: undecided"),
    ],
)
def test_exit_status(files, capsys, names, code, said):
    files(*names)
    out, err = run(capsys, *BOTH, code=code)
    assert err == ""
    assert said in out


def test_one_run_a_side_decides_nothing(files, capsys):
    files(*ROUNDS, n_runs=1)
    one = ("--before", "a0.json", "--after", "b0.json")
    out, _ = run(capsys, *one, code=3)
    assert "nothing is decided" in " ".join(out.split())


def test_numbers_are_those_of_the_library(files, capsys):
    files(*ROUNDS)
    right = fm.comparison.compare_timings(
        *(runs_of(side, ROUNDS) for side in (0, 1)), margin={"*near": 0.2, "*": 0.1}
    )
    given = (*BOTH, "--margin", "10%", "--margin", "*near=0.2")
    out, _ = run(capsys, *given, "--format", "json", code=1)
    assert json.loads(out) == {"schema_version": 1, "decision": "worse", **right.to_dict()}
    out, _ = run(capsys, *given, "--format", "csv", code=1)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["name"] for row in rows] == list(ROUNDS)
    assert [float(row["estimate"]) for row in rows] == [row.estimate for row in right]
    assert [float(row["high"]) for row in rows] == [row.confidence_interval.high for row in right]
    assert [float(row["margin"]) for row in rows] == [0.1, 0.1, 0.2]
    out, _ = run(capsys, *given, "--format", "markdown", code=1)
    assert "| t.py::slow |" in out


def test_decisions_for_build_servers(files, capsys, tmp_path):
    files(*ROUNDS)
    run(capsys, *BOTH, "--junit", "found.xml", code=1)
    suite = ET.parse(tmp_path / "found.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["t.py::slow"]


def test_what_a_file_lacks_is_said(tmp_path, files, capsys):
    files("t.py::same")
    save(tmp_path / "b1.json", RUNS[1])
    out, err = run(capsys, *BOTH, code=0)
    assert "not every run has 't.py::slow', 't.py::near': not compared" in err
    assert "slow" not in out


def test_what_was_left_out_is_said(tmp_path, files, capsys):
    files("t.py::same")
    content = json.loads((tmp_path / "b1.json").read_text())
    content["benchmarks"].append({"fullname": "t.py::none", "stats": {"mean": None}})
    (tmp_path / "b1.json").write_text(json.dumps(content), encoding="utf-8-sig")
    _, err = run(capsys, *BOTH, code=0)
    assert err == "fastmetrics: warning: b1.json: 1 without a time left out: 't.py::none'\n"


def test_a_file_on_both_sides(files, capsys):
    files("t.py::same")
    _, err = run(capsys, "--before", "a*.json", "./a1.json", "--after", "./a0.json", code=2)
    assert "./a0.json is there twice, as a0.json too" in err


FAULTS = {
    "not JSON": ("{", "b0.json: no JSON: "),
    "a list": ("[]", "b0.json: not what pytest-benchmark or hyperfine save"),
    "no stats": ('{"benchmarks": [{"fullname": "t"}]}', "b0.json: not whole, or of a version"),
    "other names": (
        '{"benchmarks": [{"fullname": "u", "stats": {"mean": 1}}]}',
        "share no benchmark with all others",
    ),
    "another machine": (
        '{"machine_info": {"node": "elsewhere", "python_version": "3.11.1"}, "benchmarks": '
        '[{"fullname": "t.py::same", "stats": {"mean": 1}}]}',
        "machine: 'here' in a0.json, 'elsewhere' in b0.json",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(tmp_path, files, capsys, fault):
    files("t.py::same")
    content, message = FAULTS[fault]
    (tmp_path / "b0.json").write_text(content)
    out, err = run(capsys, *BOTH, code=2)
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_what_may_differ(tmp_path, files, capsys):
    files("t.py::same")
    content = json.loads((tmp_path / "b0.json").read_text())
    content["machine_info"] = {"node": "elsewhere"}
    (tmp_path / "b0.json").write_text(json.dumps(content))
    assert "--allow-different" in run(capsys, *BOTH, code=2).err
    run(capsys, *BOTH, "--allow-different", "machine", code=0)
    run(capsys, *BOTH, "--allow-different", "all", code=0)
    err = run(capsys, *BOTH, "--allow-different", "colour", code=2).err
    assert "the files tell machine" in err


def test_a_missing_file(files, capsys):
    files("t.py::same")
    out, err = run(capsys, "--before", "a0.json", "--after", "none.json", code=2)
    assert (out, err) == ("", "fastmetrics: error: none.json: No such file or directory\n")


@pytest.mark.parametrize("margin", ["0", "much", "inf", "=5%"])
def test_a_margin_that_is_none(files, capsys, margin):
    files("t.py::same")
    _, err = run(capsys, *BOTH, f"--margin={margin}", code=2)
    assert f"must be above 0, as 5% or 0.05: got {margin!r}" in err


def test_what_pytest_benchmark_saves(tmp_path):
    """A file of the plugin itself."""
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_sum(benchmark, n):\n    benchmark.pedantic(sum, args=([n],), rounds=5)\n"
    )
    # The plugin rests in the processes of pytest-xdist, of which this may be one.
    plain = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_XDIST")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    saved = tmp_path / "saved.json"
    subprocess.run(
        [*command, f"--benchmark-json={saved}", "test_it.py"], cwd=tmp_path, check=True, env=plain
    )
    later = tmp_path / "later.json"
    later.write_bytes(saved.read_bytes())
    both = ["--before", str(saved), "--after", str(later)]
    assert main(["compare-benchmarks", *both]) == 3
    found = fm.comparison.read_timings(saved)
    assert [len(rounds) for rounds in found.rounds.values()] == [5, 5]
    assert {"machine", "processor", "python version"} <= found.environment.keys()
