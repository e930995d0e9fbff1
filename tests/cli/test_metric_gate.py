"""The pytest plugin: `metric_gate` in runs of pytest, in processes of their own."""

import json
import sys
from pathlib import Path

import documents
import pytest

from fastmetrics.cli import main

pytest_plugins = "pytester"

#: Tests of three models: as good as the old one, much worse, and too noisy to tell.
SUITE = """
import numpy as np
import pytest

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 400)
old = y + rng.normal(size=400)
scores = {
    "good": old + 0.01 * rng.normal(size=400),
    "bad": old - 0.8 * y * rng.random(400),
    "noisy": old + 0.5 * rng.normal(size=400),
}

def check(metric_gate, name):
    return metric_gate(y, scores[name], baseline=old, margins={"roc_auc": 0.02})
"""
GOOD = "\ndef test_good(metric_gate):\n    assert check(metric_gate, 'good').verdict == 'PASS'\n"
BAD = "\ndef test_bad(metric_gate):\n    check(metric_gate, 'bad')\n"
NOISY = "\ndef test_noisy(metric_gate):\n    check(metric_gate, 'noisy')\n"

#: With warnings as errors: that of a test with too few rows is none beside INCONCLUSIVE.
OPTIONS = ("-W", "error", "-p", "no:cacheprovider")


@pytest.fixture
def run(pytester):
    """Return a function that writes a file of tests and runs it in a process of its own."""

    def run(text, *options):
        path = pytester.makepyfile(test_release=text)
        return pytester.runpytest_subprocess(*OPTIONS, *options, path)

    return run


def gates_shown(result):
    """Return the lines of the section on gates, in the order of the tests."""
    return [line for line in result.outlines if " - roc_auc: " in line]


def test_each_verdict_is_an_outcome(run, pytester):
    result = run(SUITE + GOOD + BAD + NOISY, "--gate-json", "gates.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes() == {"passed": 1, "failed": 1, "inconclusive": 1}
    bad, good, noisy = gates_shown(result)
    assert bad.startswith("FAIL test_release.py::test_bad - roc_auc: a loss of 0.0")
    assert bad.endswith("more than the margin of 0.02")
    assert good.startswith("PASS test_release.py::test_good - roc_auc: a ")
    assert noisy.startswith("INCONCLUSIVE test_release.py::test_noisy - roc_auc: a ")
    assert "; 80 % power needs about n = " in noisy
    written = json.loads(Path(pytester.path, "gates.json").read_text("utf-8"))
    assert written["schema_version"] == 1
    verdicts = {each["test"].partition("::")[2]: each["verdict"] for each in written["gates"]}
    assert verdicts == {"test_bad": "FAIL", "test_good": "PASS", "test_noisy": "INCONCLUSIVE"}
    assert written["gates"][0]["rules"][0]["margin"] == 0.02
    # the message is the answer and the table, without frames of ours
    lines = result.outlines
    first = lines.index(
        "E       AssertionError: FAIL: candidate is worse than baseline by more than the margin in "
        "roc_auc."
    )
    assert lines[first + 2].startswith("E       metric     margin  difference [90 % interval]")
    assert "roc_auc ↑" in lines[first + 4]
    assert "FAIL" in lines[first + 4]
    shown = "\n".join(lines)
    assert "fastmetrics/" not in shown
    assert shown.count("Error") == 3  # the message, the place, the line of the summary


def test_workers_send_their_gates_and_an_inconclusive_one_fails_if_strict(run):
    result = run(SUITE + GOOD + BAD + NOISY, "--gate-strict", "-n", "2", "-v")
    assert result.parseoutcomes() == {"passed": 1, "failed": 2}
    verdicts = [line.partition(" ")[0] for line in gates_shown(result)]
    assert verdicts == ["FAIL", "PASS", "INCONCLUSIVE"]
    for words in ("E *AssertionError: INCONCLUSIVE:", "INCONCLUSIVE:"):  # of -v, in the section
        result.stdout.fnmatch_lines([f"{words} 400 rows do not decide whether candidate is worse*"])


def test_files_and_frames_have_columns(run):
    text = """
common = {"baseline": "old", "margins": {"roc_auc": 0.02, "average_precision": 0.05}}
common |= {"groups": "user", "slices": ["country"], "sample_weight": "weight", "min_n": 20}
columns = {"y": y, "old": old, "new": scores["good"], "user": np.arange(400) // 2}
columns |= {"country": ["NO", "SE"] * 200, "weight": np.tile([1.0, 2.0, 0.5, 3.5], 100)}
columns |= {"older": old + 0.01}

@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns(metric_gate, tmp_path, library):
    frames = pytest.importorskip(library)
    frame = frames.table(columns) if library == "pyarrow" else frames.DataFrame(columns)
    in_frame = metric_gate("y", "new", data=frame, **common)
    by_label = metric_gate(label="y", candidate=columns["new"], data=frame, **common)
    assert (by_label.candidate, by_label.baselines) == ("candidate", ("old",))
    assert by_label["roc_auc"].estimate == in_frame["roc_auc"].estimate
    path = tmp_path / "scores.csv"
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]
    path.write_text("\\n".join(lines))
    assert in_frame == metric_gate(file=path, label="y", candidate="new", **common)
    assert in_frame.n_groups == 200
    assert {rule.slice for rule in in_frame} == {"", "country=NO", "country=SE"}
    assert (in_frame.candidate, in_frame.baselines) == ("new", ("old",))
    anchored = metric_gate(label="y", candidate="new", anchor="older", data=frame, **common)
    assert anchored.baselines == ("old", "older")
    margins = {"roc_auc": 0.02}
    three = metric_gate(y, columns["new"], baseline=old, anchor=old - 1, margins=margins)
    assert three.baselines == ("baseline", "anchor")
"""
    result = run(SUITE + text)
    assert result.ret == pytest.ExitCode.OK, str(result.stdout)


#: A call that is refused, and the error.
REFUSED = {
    "y, old[1:], baseline=old": "InputError: lengths differ: `y_true` has 400 rows, `candidate` *",
    "y, old": "`baseline` must be an array: got None",
    "y, old, baseline=old, label='y'": "`label` and `y_true` are both given: pass one of them",
    "'y', 'p', baseline='q', data=frame, file='f.csv'": "`data` and `file` are both given: *",
    "'y', 'p', baseline='old', data=frame": (
        "`candidate` names 'p': the columns of `data` are 'y', 'pq', 'old'; did you mean 'pq'*"
    ),
    "label='yy', candidate='pq', baseline='old', data=frame": "`label` names 'yy': the columns of*",
    "'y', baseline='old', data=frame": "`candidate` must be an array: got None",
    "'y', 'pq', baseline='pq', data=frame": "`scores` must name at least two models: got 1",
    "y, 'p', baseline='old', file='f.csv'": "`label` must be the name of a column: *",
    "'y', baseline='old', file='f.csv'": "`candidate` must be the name of a column: got None",
    "'y', 'p', baseline='old', data={'y': y}": "`data` must be a data frame *",
    "'y', 'p', baseline='old', file='none.csv'": "FileError: none.csv*",
    "y, old, baseline=old + 1, alpha=0.05": "*`alpha` is no parameter of `gate`*",
}


#: Tests whose outcome another report decides: three gates are inconclusive.
OTHERS = """
@pytest.mark.xfail(raises=AssertionError, strict=True)
def test_known_loss(metric_gate):
    check(metric_gate, "bad")

@pytest.mark.xfail
def test_not_told(metric_gate):
    check(metric_gate, "noisy")

@pytest.fixture
def gated(metric_gate):
    return check(metric_gate, "noisy")

def test_in_a_fixture(gated):
    assert gated.verdict == "INCONCLUSIVE"

def test_that_fails_later(metric_gate):
    check(metric_gate, "noisy")
    assert y is None
"""


def test_bad_input_is_an_error_in_one_line_and_other_reports_keep_their_outcome(run):
    calls = "\n".join(
        f"def test_refused_{k}(metric_gate):\n    metric_gate({call}, margins={{'roc_auc': 0.1}})\n"
        for k, call in enumerate(REFUSED)
    )
    frame = "import pandas as pd\nframe = pd.DataFrame({'y': y, 'pq': old, 'old': old})\n"
    result = run(SUITE + OTHERS + frame + calls, "--junitxml", "junit.xml")
    failed = {"failed": len(REFUSED) + 1}
    assert result.parseoutcomes() == {"xfailed": 1, "xpassed": 1, "inconclusive": 1} | failed
    for message in REFUSED.values():
        result.stdout.fnmatch_lines([f"E  *{message}"])
    assert "fastmetrics/" not in str(result.stdout)
    assert str(result.stdout).count("INCONCLUSIVE test_release.py::") == 3
    assert not [line for line in gates_shown(result) if "refused" in line]


def test_a_path_that_cannot_be_written_ends_the_run_first(run):
    result = run(SUITE + GOOD, "--gate-json", "nowhere/gates.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --gate-json: *nowhere/gates.json*"])
    assert "passed" not in str(result.stdout)


def test_who_does_not_use_it_sees_and_loads_nothing(run):
    text = """
import sys

def test_nothing_is_loaded():
    loaded = {"numba", "numpy", "fastmetrics._report", "fastmetrics.io", "narwhals"}
    assert not loaded & set(sys.modules)
    of_ours = {name for name in sys.modules if name.split(".")[0] == "fastmetrics"}
    assert of_ours - {"fastmetrics._lazy", "fastmetrics.errors"} == {
        "fastmetrics", "fastmetrics.testing"
    }
"""
    result = run(text, "-p", "no:benchmark", "-p", "no:hypothesispytest", "-p", "no:cov")
    assert result.parseoutcomes() == {"passed": 1}
    assert "gate" not in str(result.stdout)


def test_pytest_does_not_warn_of_a_package_that_is_imported_before(pytester):
    path = pytester.makepyfile("def test_nothing():\n    pass\n")
    options = ["-p", "no:cacheprovider", "-q", str(path)]
    code = f"import sys, fastmetrics, pytest; sys.exit(pytest.main({options}))"
    result = pytester.run(sys.executable, "-c", code)
    assert result.ret == pytest.ExitCode.OK
    assert "warning" not in str(result.stdout)


@pytest.mark.source_tree
def test_the_how_to_shows_what_pytest_prints(run):
    text = (documents.ROOT / "docs/how-to/test-suite.md").read_text("utf-8")
    suite, _, rest = text.partition("```python\n")[2].partition("```\n")
    shown = rest.partition("```text\n")[2].partition("```\n")[0].splitlines()
    assert main(["demo", "--write", "scores.csv"]) == 0
    result = run(suite, "-q")
    assert result.ret == pytest.ExitCode.OK
    assert [line for line in result.outlines if line][:-1] == shown[:-1]
    assert shown[-1].startswith("1 passed, 1 inconclusive in ")
