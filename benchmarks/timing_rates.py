"""How often `compare_timings` calls equal code slower, and what slowdown it finds.

``python -m benchmarks.timing_rates`` simulates runs of benchmarks that shift from run to run, and
writes ``docs/timing-rates.md`` with its figures in ``docs/timing-rates.json``; ``--text`` writes
the page anew from the figures.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.stats import t as student
from tqdm import tqdm

from fastmetrics.comparison import compare_timings

ROOT: Final = Path(__file__).resolve().parents[1]
#: Standard deviations of what a whole run shifts by, and of a round: the usual few per cent.
SHIFTS: Final = (0.0, 0.01, 0.02, 0.03, 0.05)
NOISE: Final = 0.03
N_WORKS, N_ROUNDS, MARGIN = 20, 30, 0.05
RUNS: Final = (3, 5, 10)
TRIES: Final = 400
GROWTHS: Final = tuple(np.arange(0.05, 0.505, 0.01))


def side(rng: np.random.Generator, n_runs: int, shift: float, n_works: int) -> list[dict[str, Any]]:
    """Return runs whose benchmarks shift, each as a whole."""
    shifts = rng.normal(0.0, shift, (n_runs, n_works, 1))
    logs = shifts + rng.normal(0.0, NOISE, (n_runs, n_works, N_ROUNDS))
    return [{str(k): row for k, row in enumerate(run)} for run in np.exp(logs)]


def alarms(n_runs: int, shift: float) -> float:
    """Return the share of tries in which any of equal benchmarks is called worse."""
    rng = np.random.default_rng([n_runs, round(1000 * shift), 0])
    found = 0
    for _ in range(TRIES):
        both = (side(rng, n_runs, shift, N_WORKS) for _ in range(2))
        found += compare_timings(*both, margin=MARGIN).decision == "worse"
    return found / TRIES


def found_growth(n_runs: int, shift: float) -> float:
    """Return the least growth of one of the benchmarks that is called worse in four of five tries.

    Runs are reduced to their means, which are normal: their t statistics are drawn at once.
    """
    rng = np.random.default_rng([n_runs, round(1000 * shift), 7])
    sigma = math.sqrt(shift**2 + NOISE**2 / N_ROUNDS)
    runs = rng.normal(0.0, sigma, (2, 20 * TRIES, n_runs))
    variances = runs.var(axis=2, ddof=1) / n_runs
    error = np.sqrt(variances.sum(axis=0))
    df = error**4 / (variances**2 / (n_runs - 1)).sum(axis=0)
    difference = runs[1].mean(axis=1) - runs[0].mean(axis=1) - math.log1p(MARGIN)
    critical = student.isf(0.05 / N_WORKS, df)
    for growth in GROWTHS:
        if np.mean((difference + math.log1p(growth)) / error >= critical) >= 0.8:
            return float(growth)
    return math.nan


def simulated() -> dict[str, Any]:
    """Return all figures."""
    rates: dict[str, list[float]] = {}
    with tqdm(total=len(SHIFTS) * len(RUNS), unit=" rows", disable=None) as bar:
        for n_runs in RUNS:
            rates[str(n_runs)] = []
            for shift in SHIFTS:
                rates[str(n_runs)].append(alarms(n_runs, shift))
                bar.update()
    growths = {str(n): [found_growth(n, shift) for shift in SHIFTS] for n in RUNS}
    return {"tries": TRIES, "alarms": rates, "growths": growths}


def page(found: dict[str, Any]) -> str:
    """Return the text of the page."""
    heads = [f"{100 * shift:g} %" for shift in SHIFTS]
    first = "| runs a side | " + " | ".join(heads) + " |"
    rule = "| --- " * (len(heads) + 1) + "|"

    def percent(share: float) -> str:
        return "–" if math.isnan(share) else f"{100 * share:.3g}"

    alarm = [f"| {n} | {' | '.join(map(percent, found['alarms'][n]))} |" for n in map(str, RUNS)]
    power = [f"| {n} | {' | '.join(map(percent, found['growths'][n]))} |" for n in map(str, RUNS)]
    return "\n".join(
        [
            _HEAD.format(tries=found["tries"], works=N_WORKS, rounds=N_ROUNDS),
            "## Equal code called worse, % of tries (asked: at most 5)\n",
            *(first, rule, *alarm),
            "\n## The growth of one benchmark that four of five tries find, %\n",
            *(first, rule, *power),
            _TAIL,
        ]
    )


_HEAD = """# How often timings alarm, and what they find

Written by `python -m benchmarks.timing_rates`. {tries} tries of {works} benchmarks with {rounds}
rounds a run, a coefficient of variation of 3 % a round and a margin of 5 %. All rounds of a
benchmark in one run shift by the same normal number with the standard deviation above the column,
as the state of a machine and the memory layout of a process do.
"""
_TAIL = """
A dash: not even 50 % is found. `paired=True` takes away what the two sides of a turn have in
common: take runs in turns where the machine shifts.
"""


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing_rates", description=__doc__)
    parser.add_argument("--text", action="store_true", help="write the page from stored figures")
    options = parser.parse_args(None if arguments is None else list(arguments))
    figures = ROOT / "docs" / "timing-rates.json"
    if not options.text:
        figures.write_text(json.dumps(simulated(), indent=1) + "\n", encoding="utf-8")
    found = json.loads(figures.read_text(encoding="utf-8"))
    (ROOT / "docs" / "timing-rates.md").write_text(page(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
