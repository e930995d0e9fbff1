"""How time grows with the rows, and what memory a call takes beside its input.

Each work is timed at 10⁴, 10⁵, 10⁶ and 10⁷ rows; the exponent is that of the rows from the first to
the last size. Memory is the growth of the peak during a call in a forked process.
"""

from __future__ import annotations

import ctypes
import math
import os
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed import around, scores
from benchmarks.speed.contests import PEERS, WORKS, YARDSTICKS
from benchmarks.speed.data import Spec, make
from benchmarks.speed.memory_probe import resident
from fastmetrics.tables import ordering

SIZES = 10_000, 100_000, 1_000_000, 10_000_000
MEMORY_ROWS = 1_000_000
#: Seconds spent on a size; what takes longer than this at one size is not tried at the next.
BUDGET, MOST_SECONDS = 0.1, 0.5
FEWEST_CALLS = 3
#: What has a score for each of ten classes a row: ten million rows are gigabytes.
WIDE = {"one against the rest", "one against one"}
#: An exponent that far above that of a sort, which has caches and pages to leave too, is marked.
ALLOWANCE = 0.15
#: What is measured, by the names of `contests`; the others are held against the first.
GROWN: tuple[str, ...] = ("sort", *scores.WORKS, "replicates", *around.WORKS)
#: The picture: what it calls a pair of ours and scikit-learn's.
PICTURE = {
    "AUC": ("auc", "sklearn auc"),
    "ROC curve": ("roc_curve", "sklearn roc_curve"),
    "average precision": ("average precision", "sklearn average precision"),
    "10 × 10 matrix": ("confusion matrix, 10", "sklearn confusion matrix, 10"),
}
PICTURE_SIZES = 1_000, 10_000, 100_000, 1_000_000, 10_000_000
FIGURE = "docs/figures/benchmarks.png"

Call = Callable[[], Any]


@dataclass(frozen=True)
class Growth:
    """Seconds by rows, and bytes a row beside the input."""

    work: str
    rows: tuple[int, ...]
    seconds: tuple[float, ...]
    bytes_a_row: float

    @property
    def exponent(self) -> float:
        """Of the rows, from the first to the last size; nan of one size."""
        return self.exponent_to(self.rows[-1])

    def exponent_to(self, rows: int) -> float:
        """Return the exponent from the first size to another."""
        if rows == self.rows[0]:
            return math.nan
        growth = self.seconds[self.rows.index(rows)] / self.seconds[0]
        return math.log(growth) / math.log(rows / self.rows[0])

    def is_steeper_than(self, other: Growth) -> bool:
        """Whether it grows faster than another work over the same sizes."""
        return self.exponent > other.exponent_to(self.rows[-1]) + ALLOWANCE


def least_seconds(call: Call) -> float:
    """Return the least seconds of several calls; the first one is not counted."""
    call()
    start, taken = time.perf_counter(), list[float]()
    while (
        time.perf_counter() - start < BUDGET
        or not taken
        or (len(taken) < FEWEST_CALLS and taken[0] < MOST_SECONDS)
    ):
        before = time.perf_counter()
        call()
        taken.append(time.perf_counter() - before)
    return min(taken)


def extra_memory(call: Call) -> int:
    """Return by how many bytes the peak grows during a call that was made before."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            ordering._spare.clear()  # what the last call left for the next
            ctypes.CDLL(None).malloc_trim(0)
            Path("/proc/self/clear_refs").write_text("5")  # the peak starts from here
            before = resident("VmRSS")
            call()
            os.write(writer, str(resident("VmHWM") - before).encode())
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    if not found:
        raise RuntimeError("the forked process that counts memory failed")
    return int(found)


def measure_growth(name: str, most_rows: int) -> Growth:
    """Measure one work."""
    sizes: list[int] = []
    taken: list[float] = []
    memory = math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows in SIZES:
            is_too_many = rows > most_rows or (name in WIDE and rows > MEMORY_ROWS)
            if is_too_many or (taken and taken[-1] > MOST_SECONDS):
                break
            call = (WORKS | YARDSTICKS)[name](make(Spec(rows=rows)))
            sizes.append(rows)
            taken.append(float(f"{least_seconds(call):.3g}"))
            if rows <= MEMORY_ROWS:
                memory = round(extra_memory(call) / rows, 1)
    return Growth(name, tuple(sizes), tuple(taken), memory)


def table(found: Sequence[Growth]) -> str:
    """Write a table in Markdown."""
    heads = [f"10{'⁴⁵⁶⁷'[k]}" for k in range(len(SIZES))]
    lines = [
        f"| seconds for so many rows | {' | '.join(heads)} | grows by n to the | bytes a row |",
        "|---|" + "---|" * (len(SIZES) + 2),
    ]
    for each in found:
        cells = [f"{value:.2g}" for value in each.seconds]
        cells += ["–"] * (len(SIZES) - len(cells))
        exponent = (
            f"**{each.exponent:.2f}**" if each.is_steeper_than(found[0]) else f"{each.exponent:.2f}"
        )
        lines.append(
            f"| {each.work} | {' | '.join(cells)} | {exponent} | {each.bytes_a_row:,.0f} |"
        )
    return "\n".join(lines) + "\n"


# --- the picture ---------------------------------------------------------------------------------


def picture_points(most_rows: int) -> dict[str, list[tuple[int, float, float]]]:
    """Return rows, our seconds and scikit-learn's, by what the picture calls them."""
    found: dict[str, list[tuple[int, float, float]]] = {name: [] for name in PICTURE}
    for rows in PICTURE_SIZES:
        if rows > most_rows:
            break
        data = make(Spec(rows=rows))
        for name, (ours, theirs) in PICTURE.items():
            found[name].append((rows, least_seconds(WORKS[ours](data)), _once(PEERS[theirs](data))))
    return found


def _once(call: Call) -> float:
    """Return the seconds of a peer: of one call where it takes long."""
    start = time.perf_counter()
    call()
    taken = time.perf_counter() - start
    return taken if taken > MOST_SECONDS else least_seconds(call)


def draw(points: dict[str, list[tuple[int, float, float]]], path: Path) -> None:
    """Draw time against rows: ours as lines, scikit-learn's dashed, names at their ends.

    Eight centimetres wide, as a column of text is.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from PIL import Image

    style = {
        "font.size": 7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "savefig.dpi": 220,
    }
    with mpl.rc_context(style):
        figure, ax = plt.subplots(figsize=(3.15, 3.0), layout="constrained")
        ends = []
        for k, (name, of_rows) in enumerate(points.items()):
            rows, ours, theirs = zip(*of_rows, strict=True)
            (line,) = ax.plot(rows, ours, color=f"C{k}", linewidth=1.4)
            ax.plot(rows, theirs, color=line.get_color(), linewidth=1.1, dashes=(3, 1.5))
            ends.append((ours[-1], name, f"C{k}"))
        ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
        ax.set_xticks([each[0] for each in next(iter(points.values()))])
        ax.minorticks_off()
        ax.grid(alpha=0.25, linewidth=0.5)
        handles = [
            *(mpl.lines.Line2D([], [], color=colour, label=name) for _, name, colour in ends),
            mpl.lines.Line2D([], [], color="0.3", linewidth=1.4, label="fastmetrics"),
            mpl.lines.Line2D([], [], color="0.3", dashes=(3, 1.5), label="scikit-learn"),
        ]
        ax.legend(handles=handles, frameon=False, loc="upper left", handlelength=2.2)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)
        plt.close(figure)
    with Image.open(path) as drawn:  # few colours: a quarter of the bytes
        drawn.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)
