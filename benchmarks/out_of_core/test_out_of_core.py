"""The script on few rows: its answer is that of integers by SQL, and a wrong one is told."""

from __future__ import annotations

import pytest

from benchmarks.out_of_core import __main__ as script


def test_few_rows(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(script, "SLICE", 30_000)
    options = ["--rows", "1e5", "--dtype", "float64", "--memory", "388MB", "1GB", "--rounds", "1"]
    options += ["--folder", str(tmp_path)]
    assert script.main(options) == 0
    out = capsys.readouterr().out
    assert "100,000 rows" in out
    assert ": that of integers by SQL" in out
    assert "without --memory" in out
    assert out.count(" MB at most") == 2
    assert list(tmp_path.iterdir()) == []
    run = script.Run(1.0, 1.0, 1, {"n_positive": 1, "n_negative": 1, "roc_auc": 0.5})
    monkeypatch.setattr(script, "evaluate", lambda *_: run)
    assert script.main(options) == 1
    assert "NOT that" in capsys.readouterr().out


def test_a_command_that_fails(tmp_path):
    with pytest.raises(SystemExit, match="failed: 2"):
        script.evaluate(tmp_path / "none.parquet", "1GB", tmp_path)


def test_few_rows_of_customers(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(script.of_customers, "SLICE", 30_000)
    options = ["--rows", "1e5", "--customers", "5e3", "--memory", "400MB"]
    options += ["--folder", str(tmp_path)]
    assert script.main(options) == 0
    out = capsys.readouterr().out
    assert "100,000 rows of 5,000 customers" in out
    assert out.count(" by SQL: off by ") == 6
    assert list(tmp_path.iterdir()) == []
    wrong = {"roc_auc": 0.5, "standard_error": 0.1}
    wrong["costs"] = {f"cost{kind}": 1.0 for kind in ("", "_all_positive", "_all_negative")}
    wrong["costs"]["threshold"] = 0.5
    monkeypatch.setattr(script, "evaluate", lambda *_: script.Run(1.0, 1.0, 1, wrong))
    assert script.main(options) == 1
