"""Which public functions are farthest from what sorting their rows costs: the next to look at.

``python -m benchmarks.farthest`` times each of them at 10⁵ and 10⁶ rows against `np.sort` of as
many doubles and lists the twenty farthest, with the exponent by which their time grows. What they
are called with is in `benchmarks.speed.public_calls`. `benchmarks.publish` writes the list into
``docs/benchmarks.md``.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.speed.public_calls import TIMED, Rows, call_of

SIZES = 100_000, 1_000_000
LISTED = 20
#: Seconds spent on a function at a size, and its calls at most.
BUDGET, MOST_CALLS = 0.15, 20


@dataclass(frozen=True)
class Distance:
    """A function's time over that of a sort at both sizes, and how fast it grows.

    `exponent` is that of the rows: 1 is linear, a sort has about 1.07.
    """

    name: str
    ratios: tuple[float, ...]
    exponent: float
    seconds: float


def least_seconds(call: Callable[[], Any], *, is_warm: bool) -> float:
    """Return the least seconds of several calls; the first one is not counted unless it is warm."""
    start, taken = time.perf_counter(), list[float]()
    while len(taken) < MOST_CALLS:
        before = time.perf_counter()
        call()
        now = time.perf_counter()
        taken.append(now - before)
        if now - start > BUDGET and len(taken) > (not is_warm):
            break
    return min(taken)


def distances(names: Sequence[str], sizes: Sequence[int] = SIZES) -> list[Distance]:
    """Return the distances of these functions, the farthest first."""
    taken: dict[str, list[float]] = {name: [] for name in names}
    sorts = []
    with warnings.catch_warnings():  # what is degenerate or small here is timed all the same
        warnings.simplefilter("ignore")
        for size in sizes:
            rows = Rows(size)
            column = rows.score
            sorts.append(least_seconds(lambda column=column: np.sort(column), is_warm=False))
            for name in names:
                call = call_of(name, rows)
                taken[name].append(least_seconds(call, is_warm=size > sizes[0]))
    growth = math.log(sizes[-1] / sizes[0])
    found = [
        Distance(
            name,
            tuple(float(f"{t / sort:.3g}") for t, sort in zip(both, sorts, strict=True)),
            round(math.log(both[-1] / both[0]) / growth, 2),
            float(f"{both[-1]:.3g}"),
        )
        for name, both in taken.items()
    ]
    return sorted(found, key=lambda each: -each.ratios[-1])


def table(found: Sequence[Distance]) -> str:
    """Write the farthest as a table in Markdown."""
    lines = [
        "| function | × `np.sort`, 10⁵ rows | 10⁶ rows | seconds | grows by n to the |",
        "|---|---|---|---|---|",
        *(
            f"| `{function}`{comma}{rest} | {each.ratios[0]:,.3g} | {each.ratios[-1]:,.3g} "
            f"| {each.seconds:.2g} | {each.exponent:.2f} |"
            for each in found
            for function, comma, rest in [each.name.partition(",")]
        ),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.farthest", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=sorted(TIMED), metavar="NAME")
    parser.add_argument("--all", action="store_true", help="list all, not the twenty farthest")
    options = parser.parse_args(None if arguments is None else list(arguments))
    start = time.perf_counter()
    found = distances(options.only or list(TIMED))
    print(table(found if options.all else found[:LISTED]), end="")
    print(f"{len(found)} functions in {time.perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
