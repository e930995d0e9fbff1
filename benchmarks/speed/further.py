"""What is published beside the targets: growth and memory, the farthest functions, more cores."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks import farthest
from benchmarks.farthest import Distance
from benchmarks.speed import cores, growth
from benchmarks.speed.cores import Cores
from benchmarks.speed.growth import Growth
from benchmarks.speed.public_calls import REPLICATES, TIMED

#: Rows, our seconds and scikit-learn's, by what the picture calls them.
Points = dict[str, list[tuple[int, float, float]]]


@dataclass(frozen=True)
class Further:
    """All of it, measured."""

    points: Points
    growth: Sequence[Growth]
    distances: Sequence[Distance]
    cores: Sequence[Cores]

    def stored(self) -> dict[str, Any]:
        """Return what is stored."""
        return {
            "picture": self.points,
            "growth": [asdict(each) for each in self.growth],
            "farthest": [asdict(each) for each in self.distances[: farthest.LISTED]],
            "cores": [asdict(each) for each in self.cores],
        }

    @classmethod
    def from_stored(cls, content: dict[str, Any]) -> Further:
        """Return what was measured before."""
        return cls(
            content["picture"],
            [Growth(**each) for each in content["growth"]],
            [Distance(**each) for each in content["farthest"]],
            [Cores(**each) for each in content["cores"]],
        )

    def sections(self) -> str:
        """Return the sections of the document."""
        return f"""## Growth and memory

Nothing should grow faster than n log n, as `np.sort` of the scores does in the first line; **bold**
is an exponent more than {growth.ALLOWANCE} above its. Memory is the growth of the peak during a
call of 10⁶ rows, beside the input. No more rows are tried after a size that takes half a second.

{growth.table(self.growth)}
## The farthest from a sort

Of all public functions that take rows, the {farthest.LISTED} whose time is farthest from that of
`np.sort` of as many doubles (`python -m benchmarks.farthest`; {REPLICATES} replicates
where a function draws them): where to look next.

{farthest.table(self.distances[: farthest.LISTED])}
## More cores

One thread does everything between two sets of jobs: the serial share. Amdahl's law says what that
allows on more cores if jobs could be cut as finely as one likes; "as cut" lets each core take the
next of the jobs that there are, as long as they took. Neither knows of memory that cores share.
"Two threads" is measured. Sections of {cores.NAMED:.0%} and more are named, with their share.

{cores.table(self.cores)}
"""


def measure_further(most_rows: int) -> Further:
    """Measure all of it, saying so."""
    start = time.perf_counter()

    def say(what: str) -> None:
        print(f"{time.perf_counter() - start:5.0f} s {what}", flush=True)

    points = growth.picture_points(most_rows)
    say("the picture")
    grown = []
    for name in growth.GROWN:
        grown.append(growth.measure_growth(name, most_rows))
        say(f"growth: {name}, n to the {grown[-1].exponent:.2f}")
    sizes = [min(size, max(1_000, most_rows // 10**k)) for k, size in ((1, 10**5), (0, 10**6))]
    distances = farthest.distances(list(TIMED), sizes)
    say(f"the farthest: {', '.join(each.name for each in distances[:5])}")
    found = []
    for name in cores.WORKS:
        found.append(cores.measure_work(name, most_rows))
        say(f"cores: {name}, serial {found[-1].serial_share:.1%}")
    return Further(points, grown, distances, found)
