"""What the state of each stream of scores takes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics.streams import (
    BinLayout,
    BinnedScoreTable,
    DecayedBinnedScoreTable,
    GroupedBinnedScoreTable,
    WindowedBinnedScoreTable,
)

#: Rows of a window, and after which a row weighs half; groups.
LATE, GROUPS = 1_000_000, 1_000
#: Rows of a batch.
MEDIUM: Final = 100_000

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


def measure(name: str, labels: NDArray[np.int8], scores: NDArray[Any]) -> dict[str, Any]:
    """Return the bytes of one stream, of scores in single precision."""
    layout = BinLayout.learn(scores[:65_536])
    BinnedScoreTable(layout, first_rows=0).update(labels[:1], scores[:1])  # the search is shared
    groups = np.random.default_rng(0).integers(0, GROUPS, len(labels))
    columns = (labels, scores, groups) if "Grouped" in name else (labels, scores)
    parts = [
        [each[start : start + MEDIUM] for each in columns]
        for start in range(0, len(labels), MEDIUM)
    ]

    def whole() -> Any:
        stream = STREAMS[name](layout)
        for part in parts:
            stream.update(*part, n_threads=1)
        if isinstance(stream, GroupedBinnedScoreTable):
            stream.group_auc()  # which puts all rows in order
        return stream

    stream = whole()  # all that is loaded on first use is there now
    assert (stream if isinstance(stream, BinnedScoreTable) else stream.table).n_positive > 0
    tracemalloc.start()
    kept = whole()
    size_of = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept is not None
    return {"stream": name, "bytes": size_of}


def block(rows: Sequence[dict[str, Any]]) -> str:
    """Return the table of the guide."""
    lines = [
        "Memory of a stream, beside the layout, which tables share.",
        "",
        "| stream | memory |",
        "|---|---|",
    ]
    lines += [f"| {row['stream']} | {row['bytes'] / 1e6:.1f} MB |" for row in rows]
    return "\n".join(lines)
