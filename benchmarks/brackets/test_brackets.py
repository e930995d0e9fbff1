"""The script that publishes widths of brackets: its figures, its tables, its place in the guide."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.brackets import __main__ as brackets
from fastmetrics.streams import BinnedScoreTable


def test_figures_of_few_rows() -> None:
    for kind in brackets.KINDS:
        row = brackets.measure(kind, 100_000)
        assert row["learnt"]["roc_auc"] <= 1e-4
        assert row["learnt"]["roc_auc"] <= row["bits"]["roc_auc"] < 0.2
        assert abs(row["without_bounds"]) < 0.05


def test_a_bracket_that_misses_ends_the_run(monkeypatch) -> None:
    monkeypatch.setattr(brackets, "roc_auc_score", lambda labels, scores: 0.123)
    with pytest.raises(AssertionError, match="roc_auc"):
        brackets.measure("normal", 1_000)


def test_thresholds_without_bounds() -> None:
    labels = np.array([0, 1, 0, 1], np.int8)
    assert brackets.binned_without_bounds(labels, np.array([0.1, 0.4, 0.35, 0.8])) == 1.0
    assert brackets.binned_without_bounds(labels, np.array([0.1, 0.4, 0.4, 0.8])) == 0.875
    assert brackets.binned_without_bounds(labels, np.array([20.0, 21.0, 21.0, 22.0])) == 0.5


@pytest.mark.parametrize(
    ("value", "shown"), [(3.7e-5, "3.7·10⁻⁵"), (0, "0"), (-0.011, "−1.1·10⁻²"), (12.0, "1.2·10¹")]
)
def test_widths_are_shown_with_two_digits(value: float, shown: str) -> None:
    assert brackets.power(value) == shown


def test_the_guide_shows_the_stored_figures() -> None:
    stored = json.loads(brackets.STORED.read_text("utf-8"))
    rows = stored["kinds"]
    guide = brackets.GUIDE.read_text("utf-8")
    assert [row["kind"] for row in rows] == list(brackets.KINDS)
    assert brackets.with_block(guide, brackets.block(stored)) == guide
    assert brackets.with_block(guide, "") != guide
    metrics = ("roc_auc", "average_precision", "ks_statistic")
    assert all(row["learnt"][metric] <= 1e-4 for row in rows for metric in metrics)
    assert BinnedScoreTable.__name__ in guide


def test_fewer_rows_are_printed_and_not_written(monkeypatch, capsys) -> None:
    side = dict.fromkeys(("roc_auc", "average_precision", "ks_statistic"), 1e-5)
    row = {"n_rows": 10, "learnt": side, "bits": side, "without_bounds": -1e-3}
    monkeypatch.setattr(brackets, "measure", lambda kind, n_rows: row | {"kind": kind})
    before = brackets.STORED.read_bytes(), brackets.GUIDE.read_bytes()
    assert brackets.main(["--rows", "10"]) == 0
    assert "| normal | learnt | 1.0·10⁻⁵ |" in capsys.readouterr().out
    assert (brackets.STORED.read_bytes(), brackets.GUIDE.read_bytes()) == before
