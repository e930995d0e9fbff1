"""What a row, a small batch and the state of each stream of scores cost."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics import (
    BinLayout,
    BinnedScoreTable,
    DecayedBinnedScoreTable,
    GroupedBinnedScoreTable,
    WindowedBinnedScoreTable,
)

#: Rows of a window, and after which a row weighs half; groups; small batches, and their rows.
LATE, GROUPS, SMALL, OFTEN = 1_000_000, 1_000, 1_000, 100
#: Rows of a batch of groups: more of them than of others cost less a row.
MEDIUM: Final = 100_000
Timer = Callable[..., list[float]]

STREAMS: dict[str, Callable[[BinLayout], Any]] = {
    "`BinnedScoreTable`": lambda layout: BinnedScoreTable(layout, first_rows=0),
    "`WindowedBinnedScoreTable`, a million rows": lambda layout: WindowedBinnedScoreTable(
        LATE, layout, first_rows=0
    ),
    "`DecayedBinnedScoreTable`, by row": lambda layout: DecayedBinnedScoreTable(
        LATE, layout, first_rows=0
    ),
    "`DecayedBinnedScoreTable`, by batch": lambda layout: DecayedBinnedScoreTable(
        LATE, layout, first_rows=0, per="batch"
    ),
    "`GroupedBinnedScoreTable`, 1,000 groups": lambda layout: GroupedBinnedScoreTable(
        layout, first_rows=0
    ),
}


def measure(
    name: str, labels: NDArray[np.int8], scores: NDArray[Any], seconds: Timer
) -> dict[str, Any]:
    """Return the figures of one stream: on one thread, from scores in single precision."""
    layout = BinLayout.learn(scores[:65_536])
    BinnedScoreTable(layout, first_rows=0).update(labels[:1], scores[:1])  # the search is shared
    is_grouped = "Grouped" in name
    groups = np.random.default_rng(0).integers(0, GROUPS, len(labels))
    columns = (labels, scores, groups) if is_grouped else (labels, scores)
    size = MEDIUM if is_grouped else len(labels)
    parts = [
        [each[start : start + size] for each in columns] for start in range(0, len(labels), size)
    ]

    def whole() -> Any:
        stream = STREAMS[name](layout)
        for part in parts:
            stream.update(*part, n_threads=1)
        if is_grouped:
            stream.group_auc()  # which puts all rows in order
        return stream

    stream, small = whole(), [each[:SMALL].copy() for each in columns]
    assert (stream if isinstance(stream, BinnedScoreTable) else stream.table).n_positive > 0

    def often() -> None:
        for _ in range(OFTEN):
            stream.update(*small, n_threads=1)

    often()
    row, batch = seconds(whole, often)
    tracemalloc.start()
    kept = whole()
    size_of = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept is not None
    return {"stream": name, "row": row / len(labels), "small": batch / OFTEN, "bytes": size_of}


def block(rows: Sequence[dict[str, Any]], n_rows: int) -> str:
    """Return the table of the guide."""
    lines = [
        f"What a stream costs: processor time of one thread for each of {n_rows:,} rows in single",
        f"precision, which come at once (with groups: {MEDIUM:,} at a time, to the limits of each",
        f"group); for a batch of {SMALL:,} rows; memory, beside the layout, which tables share.",
        "",
        "| | a row | 1,000 rows | memory |",
        "|---|---|---|---|",
    ]
    for row in rows:
        figures = f"{1e9 * row['row']:.1f} ns | {1e6 * row['small']:.0f} µs"
        lines.append(f"| {row['stream']} | {figures} | {row['bytes'] / 1e6:.1f} MB |")
    return "\n".join(lines)
