"""The other commands: the numbers of the library, files, formats and faults."""

import csv
import io
import json
import os
import statistics
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastmetrics as fm
from commands import captured, error_of, output_of

TEXTBOOK = "name,A,B,C\nD1,0.9,0.8,0.7\nD2,0.9,0.7,0.7\nD3,0.9,0.8,0.7\nD4,0.9,0.8,0.7\n"
HIGHER = ("compare-table", "x.csv", "--datasets", "name", "--higher-is-better")


@pytest.fixture
def textbook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text(TEXTBOOK)
    return tmp_path


def table_of(path, n=130, k=4):
    """Write a table of more data sets than there may be classes."""
    scores = np.round(np.random.default_rng(3).random((n, k)) + 0.08 * np.arange(k), 3)
    columns = {"set": [f"data set {i}" for i in range(n)]}
    columns |= {f"alg {j}": scores[:, j] for j in range(k)}
    pq.write_table(pa.table(columns), path / "t.parquet")
    return scores, list(columns["set"])


def test_table(textbook, capsys):
    out = output_of(capsys, *HIGHER)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "3 algorithms on 4 data sets, higher is better"
    for line in (
        "chi-square 7.125 2 .028",
        "chi-square, tie-corrected 7.600 2 .022",
        "F (Iman–Davenport) 24.429 2, 6 .0013",
        "F, tie-corrected 57.000 2, 6 < .001",
        "exact – – .009",
        "A 1.000 a",
        "B 2.125 ab",
        "C 2.875 b",
        "A − C −1.875 −2.6517 .022 yes A",
        "B − C −0.750 −1.0607 .539 no –",
        "Friedman: at level 0.05 the algorithms differ, by the exact p-value: p = .009.",
        "Nemenyi: mean ranks differ from 1.657 on (critical difference).",
    ):
        assert line in lines
    assert max(map(len, out.splitlines())) <= 100


def test_json_is_what_python_returns(tmp_path, capsys):
    scores, sets = table_of(tmp_path)
    given = "--datasets set --lower-is-better --format json --seed 5".split()
    output = json.loads(output_of(capsys, "compare-table", tmp_path / "t.parquet", *given))
    expected = fm.comparison.compare_table(
        scores, higher_is_better=False, names=[f"alg {j}" for j in range(4)], datasets=sets, rng=5
    )
    plain = json.loads(json.dumps(expected.to_dict()), parse_constant=lambda _: None)
    assert {name: output[name] for name in plain} == plain


def test_csv(textbook, capsys):
    rows = list(csv.DictReader(io.StringIO(output_of(capsys, *HIGHER, "--format", "csv"))))
    test = fm.comparison.nemenyi_test(ranks=[[1, 2, 3], [1, 2.5, 2.5], [1, 2, 3], [1, 2, 3]])
    rows = [row for row in rows if row["minus_model"]]
    assert [row["model"] + row["minus_model"] for row in rows] == ["AB", "AC", "BC"]
    assert [float(row["pvalue"]) for row in rows] == [pair.pvalue for pair in test]
    assert [row["reject"] for row in rows] == ["False", "True", "False"]


def test_markdown(textbook, capsys):
    out = output_of(capsys, *HIGHER, "--format", "markdown")
    assert "| algorithm | mean rank | group |\n| --- | ---: | :--- |\n| A | 1.000 | a |" in out
    assert "by the exact p-value: p = .009." in out


@pytest.mark.parametrize(
    ("options", "head", "control"),
    [
        ("--control A", "Bonferroni-Dunn", "not told from A"),
        ("--control A --post-hoc wilcoxon-holm", "Wilcoxon with Holm", "not told from A"),
        ("--post-hoc wilcoxon-holm", "Wilcoxon with Holm", "group"),
    ],
)
def test_post_hoc_tests(options, head, control, textbook, capsys):
    out = output_of(capsys, *HIGHER, *options.split())
    assert head in out
    assert control in out
    assert ("critical difference" in out) == (head == "Bonferroni-Dunn")


def test_chosen_algorithms(textbook, capsys):
    out = captured(capsys, *HIGHER, "--algorithm", "C", "--algorithm", "A").out
    assert "2 algorithms on 4 data sets" in out
    assert "C − A" in out
    assert "at level 0.05 no difference is shown" in out
    assert "not called for" in out


def test_many_algorithms_leave_the_pairs_to_csv(tmp_path, capsys):
    table_of(tmp_path, n=12, k=12)
    given = "--datasets set --higher-is-better --seed 1".split()
    out = output_of(capsys, "compare-table", tmp_path / "t.parquet", *given)
    assert "… 36 rows more: --format csv has all." in out
    assert "9,999 permutations, key " in out
    assert "random permutations" in out


def test_plot(textbook, capsys):
    _, err = captured(capsys, *HIGHER, "--plot", "d.svg")
    assert err == "fastmetrics: note: d.svg: the critical-difference diagram\n"
    assert (textbook / "d.svg").stat().st_size > 1000


def test_degenerate_tables_are_warned_about(textbook, capsys):
    (textbook / "x.csv").write_text("name,A,B\nx,1,2\ny,1,2\n")
    _, err = captured(capsys, *HIGHER)
    assert err.startswith("fastmetrics: warning: the table: all 2 data sets rank the algorithms")
    (textbook / "x.csv").write_text("name,A,B\nx,1,1\ny,2,2\n")
    out, err = captured(capsys, *HIGHER, "--format", "json")
    assert "all algorithms tie on every data set" in err
    assert json.loads(out)["friedman"]["pvalue"] == 1


def test_numbered_data_sets_and_bad_rows(textbook, capsys):
    (textbook / "x.csv").write_text("name,A,B\n1,0.5,0.6\n2,,0.4\n3,0.1,0.9\n")
    out, err = captured(capsys, *HIGHER, "--on-bad-row", "skip", "--format", "json")
    assert json.loads(out)["datasets"] == ["1", "3"]
    assert json.loads(out)["n_skipped"] == 1
    assert "1 bad row skipped, 2 compared" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--algorithm A", "the table must have a column for"),
        ("--algorithm name", "named 2 times"),
        ("--control Z", "--control must be one of 'A', 'B', 'C': got 'Z'"),
        ("--control A --post-hoc nemenyi", "--control is not for the post-hoc test nemenyi"),
        ("--post-hoc bonferroni-dunn", "--control must name an"),
        ("--lower-is-better", "not allowed with argument"),
        ("--confidence-level 5", "must lie between 0 and 1"),
        ("--plot d.jpeg", "--plot: the name must end in one of .png"),
        ("--plot no/d.png", "there is no folder no"),
    ],
)
def test_faults(options, message, textbook, capsys):
    assert message in error_of(capsys, *HIGHER, *options.split())
    assert not list(textbook.glob("*.png"))


def test_tables_that_are_refused(textbook, capsys):
    assert "--higher-is-better --lower-is-better is requ" in error_of(capsys, *HIGHER[:-1])
    (textbook / "x.csv").write_text("name,A,B\nx,1,2\nx,1,3\n")
    assert "column 'name' names the data set 'x' more than once" in error_of(capsys, *HIGHER)


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


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(*names, n_runs=4):
        for k, side in enumerate("ab"):
            for run, rounds in enumerate(runs_of(k, names, n_runs)):
                save(tmp_path / f"{side}{run}.json", rounds)

    return write


BOTH = ("compare-benchmarks", "--before", "a*.json", "--after", "b*.json")


def runs_of(side, names, n_runs=4):
    return [{name: ROUNDS[name][side][k::n_runs] for name in names} for k in range(n_runs)]


@pytest.mark.parametrize(
    ("names", "code", "text"),
    [
        (["t.py::same"], 0, "not worse"),
        (list(ROUNDS), 1, "All together: worse"),
        (["t.py::same", "t.py::near"], 3, "All together: undecided"),
    ],
)
def test_exit_status(files, capsys, names, code, text):
    files(*names)
    out, err = captured(capsys, *BOTH, code=code)
    assert err == ""
    assert text in out


def test_one_run_a_side_decides_nothing(files, capsys):
    files(*ROUNDS, n_runs=1)
    assert "nothing is decided" in " ".join(captured(capsys, *BOTH, code=3).out.split())


def test_numbers_are_those_of_the_library(files, capsys):
    files(*ROUNDS)
    right = fm.comparison.compare_timings(
        *(runs_of(side, ROUNDS) for side in (0, 1)), margin={"*near": 0.2, "*": 0.1}
    )
    given = (*BOTH, "--margin", "10%", "--margin", "*near=0.2")
    out = captured(capsys, *given, "--format", "json", code=1).out
    assert json.loads(out) == {"schema_version": 1, "decision": "worse", **right.to_dict()}
    out = captured(capsys, *given, "--format", "csv", code=1).out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["name"] for row in rows] == list(ROUNDS)
    assert [float(row["estimate"]) for row in rows] == [row.estimate for row in right]
    assert [float(row["high"]) for row in rows] == [row.confidence_interval.high for row in right]
    assert [float(row["margin"]) for row in rows] == [0.1, 0.1, 0.2]
    out = captured(capsys, *given, "--format", "markdown", code=1).out
    assert "| t.py::slow |" in out


def test_decisions_for_build_servers(files, capsys, tmp_path):
    files(*ROUNDS)
    captured(capsys, *BOTH, "--junit", "found.xml", code=1)
    suite = ET.parse(tmp_path / "found.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["t.py::slow"]


def test_what_a_file_lacks_is_said(tmp_path, files, capsys):
    files("t.py::same")
    save(tmp_path / "b1.json", runs_of(1, ROUNDS, 1)[0])
    out, err = captured(capsys, *BOTH)
    assert "not every run has 't.py::slow', 't.py::near': not compared" in err
    assert "slow" not in out
    files("t.py::same")
    content = json.loads((tmp_path / "b1.json").read_text())
    content["benchmarks"].append({"fullname": "t.py::none", "stats": {"mean": None}})
    (tmp_path / "b1.json").write_text(json.dumps(content), encoding="utf-8-sig")
    _, err = captured(capsys, *BOTH)
    assert err == "fastmetrics: warning: b1.json: 1 without a time left out: 't.py::none'\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "b0.json: no JSON: "),
        ("[]", "b0.json: not what pytest-benchmark or hyperfine save"),
        ('{"benchmarks": [{"fullname": "t"}]}', "b0.json: not whole, or of a version"),
        (
            '{"benchmarks": [{"fullname": "u", "stats": {"mean": 1}}]}',
            "share no benchmark with all others",
        ),
        (
            '{"machine_info": {"node": "elsewhere", "python_version": "3.11.1"}, "benchmarks": '
            '[{"fullname": "t.py::same", "stats": {"mean": 1}}]}',
            "machine: 'here' in a0.json, 'elsewhere' in b0.json",
        ),
    ],
)
def test_files_of_timings_that_are_refused(tmp_path, files, capsys, content, message):
    files("t.py::same")
    (tmp_path / "b0.json").write_text(content)
    assert message in error_of(capsys, *BOTH)


def test_what_may_differ(tmp_path, files, capsys):
    files("t.py::same")
    content = json.loads((tmp_path / "b0.json").read_text())
    content["machine_info"] = {"node": "elsewhere"}
    (tmp_path / "b0.json").write_text(json.dumps(content))
    assert "--allow-different" in error_of(capsys, *BOTH)
    for which in ("machine", "all"):
        captured(capsys, *BOTH, "--allow-different", which)
    assert "the files tell machine" in error_of(capsys, *BOTH, "--allow-different", "colour")


def test_names_of_files_and_margins_that_are_refused(files, capsys):
    files("t.py::same")
    command = (*BOTH[:3], "./a1.json", "--after")
    assert "./a0.json is there twice, as a0.json too" in error_of(capsys, *command, "./a0.json")
    message = error_of(capsys, *command, "none.json")
    assert message == "none.json: No such file or directory"
    for margin in ("0", "much", "inf", "=5%"):
        message = error_of(capsys, *BOTH, f"--margin={margin}")
        assert f"must be above 0, as 5% or 0.05: got {margin!r}" in message


def test_what_pytest_benchmark_saves(tmp_path, capsys):
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
    captured(capsys, "compare-benchmarks", "--before", saved, "--after", later, code=3)
    timings = fm.comparison.read_timings(saved)
    assert [len(rounds) for rounds in timings.rounds.values()] == [5, 5]
    assert {"machine", "processor", "python version"} <= timings.environment.keys()


N = 1_500


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, N)
    odds = 2 * y - 1 + rng.normal(size=N)
    frame = pd.DataFrame(
        {
            "id": [f"r{k}" for k in range(N)],
            "y": y,
            "old": 1 / (1 + np.exp(-odds)),
            "new": 1 / (1 + np.exp(-(odds + 0.1 * rng.normal(size=N)))),
            "bad": rng.random(N),
            "country": rng.choice(["NO", "SE"], N),
            "patient": rng.integers(0, 300, N),
        }
    )
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame[["id", "y", "old"]].rename(columns={"old": "p"}).to_csv(tmp_path / "old.csv", index=False)
    shuffled = frame.sample(frac=1, random_state=0).rename(columns={"new": "p"})
    shuffled.to_csv(tmp_path / "new.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


ONE = ("gate", *"all.csv --label y --baseline old --margin roc_auc=0.01".split())
TWO = ("gate", *"new.csv --label y --score p --id id --margin roc_auc=0.01".split())


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ((*ONE, "--score", "new"), 0),
        ((*ONE, "--score", "bad"), 1),
        ((*ONE[:-1], "roc_auc=0.001", "--score", "new"), 3),
        ((*ONE, "--score", "nowhere"), 2),
        ((*ONE[:4], "--score", "new", "--margin", "roc_auc=0.1"), 2),
        ((*ONE[:6], "--score", "new"), 2),
        ((*ONE[:-1], "roc_auc=-0.01", "--score", "new"), 2),
        ((*ONE[:-1], "roc_auc", "--score", "new"), 2),
        ((*ONE, "--score", "new", "--margin", "roc_auc=0.1"), 2),
    ],
)
def test_exit_status_command(folder, capsys, arguments, status: int) -> None:
    out, err = captured(capsys, *arguments, code=status)
    assert bool(out) == (status != 2)
    assert "Traceback" not in err


def test_two_files_are_one_by_their_ids(folder, capsys) -> None:
    one = json.loads(captured(capsys, *ONE, "--score", "new", "--format", "json").out)
    given = ("--baseline-file", "old.csv", "--format", "json")
    other = json.loads(captured(capsys, *TWO, *given).out)
    assert other["rules"][0]["estimate"] == one["rules"][0]["estimate"]
    assert other["verdict"] == "PASS"


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda f: f[1:], "ids are in one file alone"),
        (lambda f: pd.concat([f, f[:1]]), "more than once"),
        (lambda f: f.assign(y=1 - f.y), "labels differ"),
        (lambda f: f.assign(id=range(N)), "texts in one file and numbers"),
    ],
)
def test_rows_that_are_not_the_same_fail_closed(folder, capsys, change, match: str) -> None:
    change(pd.read_csv("old.csv")).to_csv("other.csv", index=False)
    assert match in captured(capsys, *TWO, "--baseline-file", "other.csv", code=2).err
    without_id = (*TWO[:6], *TWO[8:], "--baseline-file", "old.csv")
    assert "--id" in captured(capsys, *without_id, code=2).err


def test_rules_of_a_file(folder, capsys) -> None:
    (folder / "rules.toml").write_text(
        'groups = "patient"\nslice = ["country"]\nthreshold = 0.5\nmin_n = 40\n'
        '[margin]\nroc_auc = 0.02\n"fbeta:beta=2" = 0.05\n'
    )
    base = (*ONE[:6], "--score", "new", "--format", "json", "--rules")
    output = json.loads(captured(capsys, *base, "rules.toml").out)
    assert [rule["metric"] for rule in output["rules"][:2]] == ["roc_auc", "fbeta:beta=2"]
    assert {rule["slice"] for rule in output["rules"]} == {"", "country=NO", "country=SE"}
    assert output["n_groups"] == pd.read_csv("all.csv").patient.nunique()
    out = captured(capsys, *base, "rules.toml", "--margin", "roc_auc=0.5").out
    assert json.loads(out)["rules"][0]["margin"] == 0.5
    for text in ("margin = 3", "[margin", 'mragin = "x"', "confidence_level = 2"):
        (folder / "wrong.toml").write_text(text)
        assert "wrong.toml" in captured(capsys, *base, "wrong.toml", code=2).err


def test_junit(folder, capsys) -> None:
    options = "--score bad --margin log_loss=0.5 --slice country --junit gate.xml".split()
    captured(capsys, *ONE, *options, code=1)
    suite = ET.parse("gate.xml").getroot()
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases)) == "6"
    assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
    assert cases[0].get("name") == "roc_auc"
    assert "more than the margin of 0.01" in cases[0].find("failure").get("message")


def test_markdown_command(folder, capsys) -> None:
    out = captured(capsys, *ONE, "--score", "new", "--format", "markdown").out
    assert "| metric |" in out.replace("| metric  |", "| metric |")
    assert out.startswith("PASS: ")
    assert "PASS: new is non-inferior to old" in out
    out, err = captured(capsys, *ONE, "--score", "nowhere", "--format", "markdown", code=2)
    assert out.startswith("**Gate: no verdict**\n")
    assert "nowhere" in out
    assert "nowhere" in err


def test_slices_that_are_required(folder, capsys) -> None:
    few = pd.read_csv("all.csv").assign(country=np.where(np.arange(N) % 50 == 0, "NO", "SE"))
    few.to_csv("all.csv", index=False)
    one = (*ONE, "--score", "new", "--slice", "country")
    (folder / "rules.toml").write_text("require_slices = true\n")
    runs = (((), 0), (("--require-slices",), 3), (("--rules", "rules.toml"), 3))
    printed = " ".join(captured(capsys, *one, *more, code=code).out for more, code in runs)
    assert "Inconclusive (1): roc_auc [country=NO]." in " ".join(printed.split())


def test_junit_of_names_that_xml_cannot_hold(folder, capsys) -> None:
    frame = pd.read_csv("all.csv")
    frame.assign(country=frame.country + "\x1b[31m").to_csv("all.csv", index=False)
    captured(capsys, *ONE, *"--score new --slice country --junit gate.xml".split())
    names = [case.get("name") for case in ET.parse("gate.xml").getroot().findall("testcase")]
    assert any(r"country=NO\x1b[31m" in name for name in names)
