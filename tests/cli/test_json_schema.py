"""Every command that prints JSON says which version of its schema that is."""

import json
import re

import pytest

from fastmetrics.cli import main

SCORES = "y,a,b\n" + "".join(f"{k % 2},{k % 7 / 7},{k % 5 / 5}\n" for k in range(40))
COUNTS = "model,score,positives,negatives\nm,0.9,3,1\nm,0.4,1,4\n"
TABLE = "set,a,b,c\n" + "".join(f"s{k},{k % 3},{k % 4},{k % 5}\n" for k in range(12))
TIMES = {
    "version": "5.1.0",
    "benchmarks": [
        {
            "name": "it",
            "fullname": "f::it",
            "stats": {"rounds": 5, "mean": 1.0, "stddev": 0.08, "data": [1, 1.1, 0.9, 1.05, 0.95]},
        }
    ],
}
COMMANDS = {
    "evaluate": ("evaluate", "scores.csv", "--label", "y", "--score", "a", "--score", "b"),
    "bounded": ("evaluate", "scores.csv", "--label", "y", "--score", "a", "--memory", "1GB"),
    "counts": ("evaluate", "counts.csv", "--counts"),
    "compare": ("compare", "log.jsonl"),
    "doctor": ("doctor", "scores.csv", "--label", "y", "--score", "a"),
    "gate": (
        *("gate", "scores.csv", "--label", "y", "--score", "a", "--baseline", "b"),
        *("--margin", "roc_auc=0.5"),
    ),
    "rankings": ("evaluate", "table.csv", "--label", "a", "--score", "b", "--query", "set"),
    "table": ("compare-table", "table.csv", "--datasets", "set", "--higher-is-better"),
    "benchmarks": ("compare-benchmarks", "--before", "times.json", "--after", "later.json"),
    "metrics": ("metrics",),
    "demo": ("demo",),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_version_comes_first(name, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"scores.csv": SCORES, "counts.csv": COUNTS, "table.csv": TABLE}
    files |= dict.fromkeys(("times.json", "later.json"), json.dumps(TIMES))
    files["log.jsonl"] = '{"doc_id": 1, "acc": 1}\n{"doc_id": 2, "acc": 0}'
    for path, content in files.items():
        (tmp_path / path).write_text(content)
    assert main([*COMMANDS[name], "--format", "json"]) in (0, 1, 3)
    printed = json.loads(capsys.readouterr().out)
    assert next(iter(printed.items())) == ("schema_version", 1)


def helped(capsys, *command: str) -> str:
    assert main([*command, "--help"]) == 0
    return capsys.readouterr().out


def test_no_command_is_forgotten(capsys) -> None:
    commands = re.findall(r"^    ([a-z-]+)(?: |$)", helped(capsys), re.MULTILINE)
    assert {"evaluate", "plot", "warmup"} < set(commands)
    printing = {
        command
        for command in commands
        if re.search(r"--format \{[^}]*json", helped(capsys, command))
    }
    assert printing == {given[0] for given in COMMANDS.values()}
