"""The gate's GitHub Action: its steps, run as shell scripts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / "examples" / "gate" / "action.yml"
pytestmark = [
    pytest.mark.source_tree,
    pytest.mark.skipif(sys.platform == "win32", reason="needs bash"),
]


def steps():
    return [s for s in yaml.safe_load(ACTION.read_text())["runs"]["steps"] if "run" in s]


def run_step(step, folder, **environment):
    (folder / "summary").touch()
    (folder / "output").touch()
    files = {"GITHUB_STEP_SUMMARY": folder / "summary", "GITHUB_OUTPUT": folder / "output"}
    path = f"{folder}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    given = {"PATH": path, "GITHUB_ACTION_PATH": str(ACTION.parent)} | environment
    command = ["bash", "-eo", "pipefail", "-c", step["run"]]  # as the runner starts them
    files = {key: str(value) for key, value in files.items()}
    return subprocess.run(
        command, cwd=folder, env=os.environ | files | given, capture_output=True, text=True
    )


def scores(folder, shift):
    rows = [f"{i % 2},{i % 2 + i % 7 / 3},{i % 2 * (1 - shift) + i % 11 / 5}" for i in range(400)]
    (folder / "some scores.csv").write_text("y,old,new\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize(
    ("shift", "margin", "allow", "status", "verdict"),
    [
        (0.0, 0.2, "false", 0, "PASS"),
        (1.0, 0.2, "false", 1, "FAIL"),
        (0.0, 0.01, "false", 3, "INCONCLUSIVE"),
        (0.0, 0.01, "true", 0, "INCONCLUSIVE"),
    ],
)
def test_the_status_of_the_step_is_that_of_the_gate(
    tmp_path, shift, margin, allow, status, verdict
):
    scores(tmp_path, shift)
    words = f"""'some scores.csv' --label y --baseline old
        --score "new" --margin roc_auc={margin}"""
    ended = run_step(steps()[1], tmp_path, ARGUMENTS=words, ALLOW=allow)
    assert ended.returncode == status, ended.stderr
    assert (tmp_path / "output").read_text() == f"verdict={verdict}\n"
    assert verdict in (tmp_path / "summary").read_text()
    assert (tmp_path / "gate.xml").is_file()


def test_nothing_in_the_arguments_is_run(tmp_path):
    ended = run_step(steps()[1], tmp_path, ARGUMENTS="x.csv; touch made $(touch made)", ALLOW="")
    assert ended.returncode == 2
    assert "verdict=\n" in (tmp_path / "output").read_text()
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("package", "expected"), [("", f"{ACTION.parent}/../..[cli,io]"), ("there==1", "there==1")]
)
def test_what_is_installed_is_the_action_s_own_version(tmp_path, package, expected):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >installed\n')
    python.chmod(0o755)
    assert run_step(steps()[0], tmp_path, PACKAGE=package).returncode == 0
    words = (tmp_path / "installed").read_text().splitlines()
    assert words == ["-m", "pip", "install", "--quiet", expected]
    assert (ACTION.parent / ".." / ".." / "pyproject.toml").is_file()
