"""`fastmetrics evaluate --query`: the options reach `evaluate`, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from commands import captured, error_of

RNG = np.random.default_rng(11)
VISIT = RNG.permutation(np.repeat(np.arange(72), 8))
COLUMNS: dict[str, Any] = {
    "visit": VISIT,
    "name": np.array([f"u{i:02}" for i in VISIT]),
    "user": VISIT % 36,
    "clicked": (RNG.random(len(VISIT)) < 0.2).astype(np.int8),
    "new": RNG.normal(size=len(VISIT)),
    "old": RNG.normal(size=len(VISIT)),
    "row": np.arange(len(VISIT)),
}
GIVEN = "evaluate x.csv --label clicked --score new --score old --metrics map P@3"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [COLUMNS, *zip(*COLUMNS.values(), strict=True)]
    Path("x.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))


def evaluated(**options: Any) -> fm.results.Evaluation:
    scores = {name: COLUMNS[name] for name in ("new", "old")}
    evaluation = fm.evaluate(COLUMNS["clicked"], scores, metrics=["map", "P@3"], **options)
    assert isinstance(evaluation, fm.results.Evaluation)
    return evaluation


@pytest.mark.parametrize("query", ["visit", "name"])
def test_options_reach_the_library(capsys: Any, query: str) -> None:
    command = f"{GIVEN} --query {query} --groups user --confidence-level 0.9 --format json"
    output = json.loads(captured(capsys, *command.split()).out)
    own = evaluated(query=COLUMNS[query], groups=COLUMNS["user"], confidence_level=0.9)
    expected = json.loads(json.dumps(own.to_dict()))
    assert output["n_rows"] == len(VISIT)
    for name in ("task", "models", "verdict", "n_samples", "notes"):
        assert output[name] == expected[name]
    empty = 72 - len(set(VISIT[COLUMNS["clicked"] == 1].tolist()))
    assert empty > 0
    assert output["n_left_out"] == {"map": empty, "P@3": 0}


def test_queries_without_a_value_are_told(capsys: Any) -> None:
    n = evaluated(query=VISIT).n_left_out["map"]
    printed = " ".join(captured(capsys, *GIVEN.split(), "--query", "visit").out.split())
    assert f"{n} queries have no value and are left out (map). 72 queries, 95 %" in printed


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("--groups row", "--groups must have one group for all items of a query"),
        ("--metrics ngdc@3", "--metrics names 'ngdc@3', which is no metric of rankings"),
        ("--task labels", "--query is of rankings: leave --task"),
        ("--weight row", "--weight is of rows: with --query the query is what varies"),
        ("--bootstrap 99", "--bootstrap is of scores of two classes"),
        ("--pos-label 1", "--pos-label is of scores of two classes"),
        ("--memory 1GB", "--memory is for scores of two classes"),
        ("--label name", "column 'name' must be numbers with --query: got 'u"),
        ("--query none", "no column 'none'"),
    ],
)
def test_what_is_refused(capsys: Any, more: str, message: str) -> None:
    assert message in error_of(capsys, *f"{GIVEN} --query visit {more}".split())
