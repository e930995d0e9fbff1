"""`fastmetrics metrics`: the table of measures, whole or of one kind of prediction."""

import json

import pytest

from fastmetrics import metrics_table
from fastmetrics.cli import main

KINDS = ("scores", "labels", "probabilities", "values", "rankings", "times")


def output_of(capsys, *arguments):
    assert main(["metrics", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_whole_table_is_what_python_shows(capsys):
    assert output_of(capsys) == f"{metrics_table()}\n"


@pytest.mark.parametrize("needs", KINDS)
def test_those_of_one_kind_of_prediction(capsys, needs):
    _, _, *rows = output_of(capsys, "--needs", needs).splitlines()
    expected = [entry.name for entry in metrics_table() if entry.needs == needs]
    names = [row.split()[0] for row in rows if not row.startswith(" ")]  # else a title goes on
    assert names == expected != []


def test_json_has_every_field_and_null_for_what_has_no_end(capsys):
    found = json.loads(output_of(capsys, "--format", "json"))["metrics"]
    assert len(found) == len(metrics_table())
    r2 = next(entry for entry in found if entry["name"] == "r2")
    expected = metrics_table()["r2"].to_dict()
    assert r2 == expected | {"low": None}
    assert expected["low"] == -float("inf")


def test_an_unknown_kind_is_refused(capsys):
    assert main(["metrics", "--needs", "rows"]) == 2
    assert "--needs" in capsys.readouterr().err
