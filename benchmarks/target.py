"""One row of the table of targets."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.data import Spec

FULL_ROWS = 10_000_000
#: Units of a measured value. Only ratios and bytes are compared with the stored ones.
RATIO, BYTES, SECONDS = "×", "bytes a row", "s"
NANOSECONDS, MICROSECONDS = "ns a row", "µs a call"


@dataclass(frozen=True)
class Target:
    """One row: `work` and `yardstick` are names in ``contests.py`` or ``processes.py``.

    `scale` multiplies the measured value (a replicate against a thousand, nanoseconds a row).
    `note` says, where the bound is missed, what was tried and what stands in the way.
    """

    key: str
    what: str
    work: str
    yardstick: str = ""
    bound: float | None = None
    at_least: bool = False
    unit: str = RATIO
    spec: Spec = Spec()  # noqa: RUF009 (frozen)
    scale: float = 1.0
    note: str = ""

    def is_met(self, value: float) -> bool | None:
        """Whether a value is within the bound; None without one."""
        if self.bound is None:
            return None
        return value >= self.bound if self.at_least else value <= self.bound
