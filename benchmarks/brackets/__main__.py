"""Measure how wide brackets are, and publish the table of ``docs/scale.md``.

``python -m benchmarks.brackets`` writes ``docs/brackets.json`` and the block of the guide;
``--text`` writes the block anew from stored figures; ``--rows N`` tries the script on fewer rows,
and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics import average_precision_score, ks_statistic, roc_auc_score
from fastmetrics.streams import BinLayout, BinnedScoreTable

ROOT = Path(__file__).resolve().parents[2]
STORED, GUIDE = ROOT / "docs" / "brackets.json", ROOT / "docs" / "scale.md"
START, END = "<!-- brackets:start -->", "<!-- brackets:end -->"

SEED = 20260912
ROWS = 4_000_000
SHARE = 0.3
#: Bins without bounds, as torchmetrics makes them where it is told how many thresholds.
THRESHOLDS = 200

Rows = tuple[NDArray[np.int8], NDArray[Any]]


def _two_betas(rng: np.random.Generator, labels: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return beta(0.1, 0.1) scores, those of a third of the positives redrawn until above half."""
    scores = rng.beta(0.1, 0.1, len(labels))
    lifted = (labels == 1) & (rng.random(len(labels)) < 1 / 3)
    return np.where(lifted, np.maximum(scores, 1 - scores), scores)


def _normal(rng: np.random.Generator, labels: NDArray[np.int8]) -> NDArray[np.float64]:
    return rng.normal(size=len(labels)) + labels


def _sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-values))


#: What scores look like, all of them in 32 bits (or 16).
KINDS: dict[str, Callable[[np.random.Generator, NDArray[np.int8]], NDArray[Any]]] = {
    "normal": lambda rng, y: _normal(rng, y).astype(np.float32),
    "uniform": lambda rng, y: (rng.random(len(y)) ** np.where(y, 0.5, 1.0)).astype(np.float32),
    "beta(0.1, 0.1)": lambda rng, y: _two_betas(rng, y).astype(np.float32),
    "saturated sigmoid": lambda rng, y: (1 / (1 + np.exp(-12 * _normal(rng, y)))).astype(
        np.float32
    ),
    "normal in float16": lambda rng, y: _normal(rng, y).astype(np.float16),
    "sigmoid in float16": lambda rng, y: _sigmoid(_normal(rng, y)).astype(np.float16),
}


def made(kind: str, n_rows: int) -> Rows:
    """Return labels and scores, a function of the kind alone."""
    rng = np.random.default_rng([SEED, list(KINDS).index(kind)])
    labels = (rng.random(n_rows) < SHARE).astype(np.int8)
    return labels, KINDS[kind](rng, labels)


def binned_without_bounds(labels: NDArray[np.int8], scores: NDArray[Any]) -> float:
    """Return the trapezoid through the ROC points of thresholds spaced evenly over [0, 1].

    So torchmetrics does with ``thresholds=200``; scores beyond [0, 1] pass a sigmoid first.
    """
    values = scores.astype(np.float64)
    if values.min() < 0 or values.max() > 1:
        values = _sigmoid(values)
    at = np.searchsorted(np.linspace(0, 1, THRESHOLDS), values, side="right")
    counts = [np.bincount(at[labels == c], minlength=THRESHOLDS + 1) for c in (0, 1)]
    fpr, tpr = (np.append(0, np.cumsum(each[:0:-1])) / each.sum() for each in counts)
    return float(np.trapezoid(tpr, fpr))


def measure(kind: str, n_rows: int) -> dict[str, Any]:
    """Return the figures of one kind of scores, each bracket checked to hold the exact value."""
    labels, scores = made(kind, n_rows)
    exact = {
        "roc_auc": roc_auc_score(labels, scores),
        "average_precision": average_precision_score(labels, scores),
        "ks_statistic": float(ks_statistic(labels, scores)),
    }
    row: dict[str, Any] = {"kind": kind, "n_rows": n_rows, "exact": exact}
    for name, layout in (("learnt", None), ("bits", BinLayout.of_bits())):
        table = BinnedScoreTable(layout)
        table.update(labels, scores)
        row[name] = {}
        for measure_, value in exact.items():
            bracket = getattr(table, measure_)()
            assert value in bracket, (kind, name, measure_, value, bracket)
            row[name][measure_] = bracket.width
    row["without_bounds"] = binned_without_bounds(labels, scores) - exact["roc_auc"]
    return row


def power(value: float) -> str:
    """Return a width with two digits: 3.7e-05 as 3.7·10⁻⁵."""
    if value == 0:
        return "0"
    digits, exponent = f"{abs(value):.1e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{'−' if value < 0 else ''}{digits}·10{raised}"


def block(stored: dict[str, Any]) -> str:
    """Return the table of the guide."""
    rows = stored["kinds"]
    n_rows = rows[0]["n_rows"]
    lines = [
        f"Widths after {n_rows:,} rows, {SHARE:.0%} positive, in 32,768 bins; each bracket was",
        "checked to hold the exact value. Last column: how far off the AUC is that follows from",
        f"{THRESHOLDS} thresholds spaced evenly over [0, 1], as torchmetrics takes them (after a",
        "sigmoid where scores are beyond); nothing there bounds it.",
        "",
        "| scores | bins | AUC | average precision | KS | 200 thresholds: AUC is off by |",
        "|---|---|---|---|---|---|",
    ]
    metrics = ("roc_auc", "average_precision", "ks_statistic")
    for row in rows:
        for name in ("learnt", "bits"):
            widths = " | ".join(power(row[name][each]) for each in metrics)
            off = power(row["without_bounds"]) if name == "learnt" else ""
            shown = row["kind"] if name == "learnt" else ""
            lines.append(f"| {shown} | {name} | {widths} | {off} |")
    return "\n".join(lines)


def with_block(guide: str, text: str) -> str:
    """Return the guide with this table between the markers."""
    head, _, rest = guide.partition(START)
    _, _, tail = rest.partition(END)
    return f"{head}{START}\n{text}\n{END}{tail}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and publish."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.brackets", description=__doc__)
    parser.add_argument("--text", action="store_true", help="write the block of the guide anew")
    parser.add_argument("--rows", type=int, default=ROWS, help="fewer rows: nothing is written")
    options = parser.parse_args(arguments)
    if options.text:
        stored = json.loads(STORED.read_text("utf-8"))
    else:
        stored = {"kinds": [measure(kind, options.rows) for kind in KINDS]}
    text = block(stored)
    if options.rows != ROWS:
        print(text)
        return 0
    STORED.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    GUIDE.write_text(with_block(GUIDE.read_text("utf-8"), text), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
