"""``fastmetrics gate``: exit statuses, two files, rules, JUnit."""

import json
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from fastmetrics.cli import main

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


def gate(*arguments: str) -> int:
    return main(["gate", *arguments])


ONE = ("all.csv", "--label", "y", "--baseline", "old", "--margin", "roc_auc=0.01")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ((*ONE, "--score", "new"), 0),
        ((*ONE, "--score", "bad"), 1),
        ((*ONE[:-1], "roc_auc=0.001", "--score", "new"), 3),
        ((*ONE, "--score", "nowhere"), 2),
        ((*ONE[:3], "--score", "new", "--margin", "roc_auc=0.1"), 2),
        ((*ONE[:5], "--score", "new"), 2),
        ((*ONE[:-1], "roc_auc=-0.01", "--score", "new"), 2),
        ((*ONE[:-1], "roc_auc", "--score", "new"), 2),
        ((*ONE, "--score", "new", "--margin", "roc_auc=0.1"), 2),
    ],
)
def test_exit_status(folder, capsys, arguments, status: int) -> None:
    assert gate(*arguments) == status
    out, err = capsys.readouterr()
    assert bool(out) == (status != 2)
    assert "Traceback" not in err


def test_two_files_are_one_by_their_ids(folder, capsys) -> None:
    assert gate(*ONE, "--score", "new", "--format", "json") == 0
    one = json.loads(capsys.readouterr().out)
    two = ("new.csv", "--label", "y", "--score", "p", "--id", "id", "--margin", "roc_auc=0.01")
    assert gate(*two, "--baseline-file", "old.csv", "--format", "json") == 0
    other = json.loads(capsys.readouterr().out)
    assert other["rules"][0]["estimate"] == one["rules"][0]["estimate"]
    assert other["verdict"] == "PASS"


def test_the_hash_says_which_data_were_judged(folder, capsys) -> None:
    found = []
    for more in ("new", "new --slice country", "bad", "new --where patient>1"):
        gate(*ONE, "--score", *more.split(), "--format", "json")
        found.append(json.loads(capsys.readouterr().out)["data_hash"])
    assert found[0] == found[1]
    assert len({*found}) == 3


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
    two = ("new.csv", "--label", "y", "--score", "p", "--id", "id", "--margin", "roc_auc=0.01")
    assert gate(*two, "--baseline-file", "other.csv") == 2
    assert match in capsys.readouterr().err
    assert gate(*two[:5], "--baseline-file", "old.csv", "--margin", "roc_auc=0.01") == 2
    assert "--id" in capsys.readouterr().err


def test_rules_of_a_file(folder, capsys) -> None:
    (folder / "rules.toml").write_text(
        'groups = "patient"\nslice = ["country"]\nthreshold = 0.5\nmin_n = 40\n'
        '[margin]\nroc_auc = 0.02\n"fbeta:beta=2" = 0.05\n'
    )
    base = ("all.csv", "--label", "y", "--score", "new", "--baseline", "old", "--format", "json")
    assert gate(*base, "--rules", "rules.toml") == 0
    found = json.loads(capsys.readouterr().out)
    assert [rule["metric"] for rule in found["rules"][:2]] == ["roc_auc", "fbeta:beta=2"]
    assert {rule["slice"] for rule in found["rules"]} == {"", "country=NO", "country=SE"}
    assert found["n_groups"] == pd.read_csv("all.csv").patient.nunique()
    assert gate(*base, "--rules", "rules.toml", "--margin", "roc_auc=0.5") == 0
    assert json.loads(capsys.readouterr().out)["rules"][0]["margin"] == 0.5
    for text in ("margin = 3", "[margin", 'mragin = "x"', "confidence_level = 2"):
        (folder / "wrong.toml").write_text(text)
        assert gate(*base, "--rules", "wrong.toml") == 2
        assert "wrong.toml" in capsys.readouterr().err


def test_junit(folder, capsys) -> None:
    status = gate(
        *("all.csv", "--label", "y", "--score", "bad", "--baseline", "old"),
        *("--margin", "roc_auc=0.01", "--margin", "log_loss=0.5", "--slice", "country"),
        *("--junit", "gate.xml"),
    )
    assert status == 1
    suite = ET.parse("gate.xml").getroot()
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases)) == "6"
    assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
    assert cases[0].get("name") == "roc_auc"
    assert "more than the margin of 0.01" in cases[0].find("failure").get("message")


def test_markdown(folder, capsys) -> None:
    assert gate(*ONE, "--score", "new", "--format", "markdown") == 0
    out = capsys.readouterr().out
    assert "| measure |" in out.replace("| measure  |", "| measure |")
    assert out.startswith("**Gate: PASS**\n")
    assert "PASS: new is not worse than old" in out
    assert gate(*ONE, "--score", "nowhere", "--format", "markdown") == 2
    out, err = capsys.readouterr()
    assert out.startswith("**Gate: no verdict**\n")
    assert "nowhere" in out
    assert "nowhere" in err


def test_slices_that_are_required(folder, capsys) -> None:
    few = pd.read_csv("all.csv").assign(country=np.where(np.arange(N) % 50 == 0, "NO", "SE"))
    few.to_csv("all.csv", index=False)
    one = (*ONE, "--score", "new", "--slice", "country")
    (folder / "rules.toml").write_text("require_slices = true\n")
    runs = (), ("--require-slices",), ("--rules", "rules.toml")
    assert [gate(*one, *more) for more in runs] == [0, 3, 3]
    assert "1 could not tell: roc_auc [country=NO]." in " ".join(capsys.readouterr().out.split())


def test_values_outside_the_domain(folder, capsys) -> None:
    (folder / "g.csv").write_text("y,old,new\n1,1,-1\n2,2,1\n3,3,2\n0,1,1\n")
    models = ("--label=y", "--baseline=old", "--score=new", "--margin=mean_poisson_deviance=9")
    assert gate("g.csv", *models) == 2
    said = "must be greater than 0 for the Tweedie deviance of power 1: -1"
    assert said in capsys.readouterr().err


def test_junit_of_names_that_xml_cannot_hold(folder, capsys) -> None:
    frame = pd.read_csv("all.csv")
    frame.assign(country=frame.country + "\x1b[31m").to_csv("all.csv", index=False)
    assert gate(*ONE, "--score", "new", "--slice", "country", "--junit", "gate.xml") in (0, 1)
    names = [case.get("name") for case in ET.parse("gate.xml").getroot().findall("testcase")]
    assert any(r"country=NO\x1b[31m" in name for name in names)
