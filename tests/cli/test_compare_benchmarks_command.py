"""`fastmetrics compare-benchmarks`: files of pytest-benchmark, exit statuses, formats, faults."""

from __future__ import annotations

import csv
import io
import json
import os
import statistics
import subprocess
import sys

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.cli import main

RNG = np.random.default_rng(2)
ROUNDS = {
    name: (np.exp(RNG.normal(0, 0.05, 40)), np.exp(RNG.normal(growth, 0.05, 50)))
    for name, growth in (("t.py::same", 0.0), ("t.py::slow", 0.2), ("t.py::near", 0.045))
}


def save(path, rounds, *, data=True):
    benchmarks = []
    for name, times in rounds.items():
        stats = {"rounds": len(times), "mean": statistics.mean(times)}
        stats["stddev"] = statistics.stdev(times) if len(times) > 1 else 0
        if data:
            stats["data"] = list(times)
        benchmarks.append({"fullname": name, "name": name, "stats": stats})
    path.write_text(json.dumps({"benchmarks": benchmarks, "version": "5.1.0"}))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(*names, data=True):
        for k, path in enumerate(("a.json", "b.json")):
            save(tmp_path / path, {name: ROUNDS[name][k] for name in names}, data=data)

    return write


def run(capsys, *arguments, code):
    assert main(["compare-benchmarks", *arguments]) == code
    return capsys.readouterr()


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
    out, err = run(capsys, "a.json", "b.json", code=code)
    assert err == ""
    assert said in out
    assert "To say it of the code, take both in turns" in " ".join(out.split())


def test_numbers_are_those_of_the_library(files, capsys):
    files(*ROUNDS)
    before, after = ({name: pair[k] for name, pair in ROUNDS.items()} for k in (0, 1))
    out, _ = run(capsys, "a.json", "b.json", "--margin", "10%", "--format", "json", code=1)
    right = fm.comparison.compare_timings(before, after, margin=0.1, paired=False)
    assert json.loads(out) == {"schema_version": 1, "decision": "worse", **right.to_dict()}
    out, _ = run(capsys, "a.json", "b.json", "--margin", "0.1", "--format", "csv", code=1)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["name"] for row in rows] == list(ROUNDS)
    assert [float(row["estimate"]) for row in rows] == [row.estimate for row in right]
    assert [float(row["high"]) for row in rows] == [row.confidence_interval.high for row in right]
    out, _ = run(capsys, "a.json", "b.json", "--margin", "0.1", "--format", "markdown", code=1)
    assert "| t.py::slow |" in out


def test_summaries_serve_without_rounds(files, capsys):
    """To first order the same: the coefficient of variation is the deviation of logarithms."""
    files(*ROUNDS)
    exact = json.loads(run(capsys, "a.json", "b.json", "--format", "json", code=1).out)
    files(*ROUNDS, data=False)
    near = json.loads(run(capsys, "a.json", "b.json", "--format", "json", code=1).out)
    for mine, right in zip(near["rows"], exact["rows"], strict=True):
        assert mine["decision"] == right["decision"]
        assert mine["estimate"] == pytest.approx(right["estimate"], rel=2e-3)
        for limit in ("low", "high"):
            theirs = right["confidence_interval"][limit]
            assert mine["confidence_interval"][limit] == pytest.approx(theirs, rel=4e-3)


def test_one_round_decides_nothing(tmp_path, capsys):
    for name, time in (("a.json", 1.0), ("b.json", 9.0)):
        save(tmp_path / name, {"t": [time]}, data=False)
    out, _ = run(capsys, str(tmp_path / "a.json"), str(tmp_path / "b.json"), code=3)
    assert "undecided" in out


def test_what_one_file_lacks_is_said(tmp_path, files, capsys):
    files("t.py::same")
    save(tmp_path / "b.json", {name: pair[1] for name, pair in ROUNDS.items()})
    out, err = run(capsys, "a.json", "b.json", code=0)
    assert "only b.json has 't.py::slow', 't.py::near': not compared" in err
    assert "slow" not in out


FAULTS = {
    "not JSON": ("{", "b.json: no JSON: "),
    "a list": ("[]", "b.json: not what pytest-benchmark saves"),
    "no benchmarks": ('{"benchmarks": []}', "b.json: holds no benchmarks"),
    "no stats": ('{"benchmarks": [{"fullname": "t"}]}', "not what pytest-benchmark saves"),
    "a text for a mean": (
        '{"benchmarks": [{"fullname": "t.py::same", "stats": '
        '{"mean": "1", "stddev": 0, "rounds": 3}}]}',
        "b.json: `mean of t.py::same` must be a number: got str '1'",
    ),
    "a time of 0": (
        '{"benchmarks": [{"fullname": "t.py::same", "stats": '
        '{"data": [1, 0], "mean": 1, "stddev": 0, "rounds": 3}}]}',
        "b.json: `t.py::same` must be above 0: got 0 at index 1",
    ),
    "other names": (
        '{"benchmarks": [{"fullname": "u", "stats": {"mean": 1, "stddev": 0, "rounds": 3}}]}',
        "a.json and b.json share no benchmark: the first of one is 't.py::same', of the other 'u'",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(tmp_path, files, capsys, fault):
    files("t.py::same")
    content, message = FAULTS[fault]
    (tmp_path / "b.json").write_text(content)
    out, err = run(capsys, "a.json", "b.json", code=2)
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_a_missing_file(files, capsys):
    files("t.py::same")
    out, err = run(capsys, "a.json", "none.json", code=2)
    assert (out, err) == ("", "fastmetrics: error: none.json: No such file or directory\n")


@pytest.mark.parametrize("margin", ["0", "-5%", "much", "inf", "nan"])
def test_a_margin_that_is_none(files, capsys, margin):
    files("t.py::same")
    _, err = run(capsys, "a.json", "b.json", f"--margin={margin}", code=2)
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
    assert main(["compare-benchmarks", str(saved), str(saved)]) in (0, 3)
