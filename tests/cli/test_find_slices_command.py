"""`fastmetrics find-slices`: what `find_slices` says of losses of files."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import fastmetrics as fm
from fastmetrics.cli import main

N = 1_200


@pytest.fixture
def frame(tmp_path, monkeypatch) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    y, user = rng.integers(0, 2, N), rng.integers(0, 150, N)
    city = rng.choice(["Oslo", "Turku", "Vejle"], N)
    p = np.clip(0.5 + 0.3 * (2 * y - 1) + 0.1 * rng.normal(size=N), 0, 1)
    p[city == "Turku"] = rng.random(np.count_nonzero(city == "Turku"))
    found = pd.DataFrame({"y": y, "p": p, "city": city, "age": rng.normal(40, 9, N), "user": user})
    found["word"] = np.where(y, "sick", "well")
    found["value"] = y + p
    found.to_csv(tmp_path / "x.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return found


BASE = ("find-slices", "x.csv", "--column", "city", "--column", "age", "--seed", "3")


def printed(capsys, *options: str):
    assert main([*BASE, *options, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "loss", "given"),
    [
        (("--label", "y", "--score", "p"), lambda f: (f.y - f.p) ** 2, {}),
        (
            ("--label", "word", "--pos-label", "sick", "--score", "p", "--threshold", "0.6"),
            lambda f: ((f.p >= 0.6) != f.y).astype(float),
            {},
        ),
        (("--label", "value", "--score", "p"), lambda f: (f.value - f.p) ** 2, {}),
        (
            (
                *("--label", "y", "--score", "p", "--groups", "user", "--confirm", "0.4"),
                *("--max-conditions", "1", "--min-n", "40", "--confidence-level", "0.9"),
            ),
            lambda f: (f.y - f.p) ** 2,
            {"confirm": 0.4, "max_conditions": 1, "min_n": 40, "confidence_level": 0.9},
        ),
    ],
)
def test_it_is_find_slices_of_the_loss(frame, capsys, options, loss, given) -> None:
    if "--groups" in options:
        given = given | {"groups": frame.user}
    found = printed(capsys, *options)
    expected = fm.find_slices(frame[["city", "age"]], loss(frame), rng=3, **given)
    assert found["verdict"] == expected.verdict
    assert [row["slice"] for row in found["rows"]] == [row.slice for row in expected]
    assert found["rows"][0]["pvalue"] == pytest.approx(expected.rows[0].pvalue)
    assert found["n_groups"] == expected.n_groups
    assert found["schema_version"] == 1


def test_forms_and_faults(frame, capsys) -> None:
    known = ("--label", "y", "--score", "p")
    assert main([*BASE, *known]) == 0
    assert "Slices found" in capsys.readouterr().out
    assert main([*BASE, *known, "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("| slice | excess loss")
    for options, said in [
        (("--label", "y", "--score", "value"), "--threshold makes decisions of scores"),
        (("--label", "word", "--score", "p"), "name the positive one with --pos-label"),
        ((*known, "--min-n", "900"), "--min-n 900"),
        ((*known, "--confirm", "2"), "--confirm"),
        (("--label", "value", "--score", "p", "--threshold", "0.5"), "column 'value'"),
    ]:
        status = main([*BASE, *options])
        out, err = capsys.readouterr()
        assert (status, out) == (2, "")
        assert said in err
