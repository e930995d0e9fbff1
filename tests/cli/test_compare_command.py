"""``fastmetrics compare``: logs and tables in, the library's evaluation out."""

import json
import shlex

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastmetrics as fm
from commands import captured, error_of

N = 60
A = np.arange(N) % 4 > 0
B = np.arange(N) % 3 > 0


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, score in (("a", A), ("b", B)):
        lines = [
            {"doc_id": k, "doc": {"part": k // 6}, "acc": float(value)}
            for k, value in enumerate(score)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    columns = {
        "question": np.tile(np.repeat([f"q{k}" for k in range(N // 2)], 2), 2),
        "try": np.tile([1, 2], N),
        "model": np.repeat(["a", "b"], N),
        "right": np.concatenate([A, B]).astype(int),
    }
    pq.write_table(pa.table(columns), "t.parquet")
    (tmp_path / "cut.eval").write_bytes(b"PK\3\4")


def run(capsys, arguments):
    return captured(capsys, "compare", *shlex.split(arguments)).out


def test_logs(capsys):
    output = json.loads(run(capsys, "old=a.jsonl b.jsonl --groups part --format json"))
    rows = fm.read_evaluation_log({"old": "a.jsonl", "b": "b.jsonl"}, group="part")
    expected = fm.evaluate_log(**rows)
    assert output["verdict"] == expected.verdict
    assert output["models"]["old"]["acc"]["estimate"] == expected["old"]["acc"].estimate
    assert expected["b"]["acc"].n_groups == 10
    assert "old − b" in run(capsys, "old=a.jsonl b.jsonl")
    assert "| acc ↑ |" in run(capsys, "a.jsonl b.jsonl --format markdown")


def test_tables(capsys):
    given = "t.parquet --id question --score right --model model --repeat try"
    out = run(capsys, f"{given} --pass-at 1 2 --pass-hat 2")
    expected = fm.evaluate_log(
        np.tile(np.repeat([f"q{k}" for k in range(N // 2)], 2), 2),
        np.concatenate([A, B]),
        model=np.repeat(["a", "b"], N),
        repeat=np.tile([1, 2], N),
        name="right",
        pass_at=[1, 2],
        pass_hat=2,
    )
    assert out.strip() == str(expected).strip()
    for name in "ab":
        rows = pq.read_table("t.parquet", filters=[("model", "=", name)])
        pq.write_table(rows, f"{name}.parquet")
    one_each = f"a.parquet b.parquet {given[10:].replace('--model model', '')}"
    assert run(capsys, one_each) == run(capsys, given)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("a.jsonl --score acc", "--score is of tables: name the column of their items with --id"),
        ("t.parquet --id question", "--score missing"),
        ("t.parquet --id question --score right --model model", "name each --repeat"),
        ("a.jsonl --pass-at 2", "--pass-at is at most the fewest repeats of an item, 1: got 2"),
        ("a.jsonl --metric f1", "no score 'f1'; it has acc"),
        ("no.jsonl", "no.jsonl"),
        ("cut.eval", "cut.eval: a damaged zip file"),
        ("t.parquet --id question --score right --metric acc", "--metric is of logs"),
    ],
)
def test_what_is_refused(arguments, message, capsys):
    assert message in error_of(capsys, "compare", *shlex.split(arguments))
