"""The one list for tests and benchmarks: what is right, who else computes it, what must hold.

Every metric of the library's registry has an entry here, under its canonical name, and more of
them, in brackets, where a parameter makes another metric of it; so have the curves. A line adds
the property tests, the comparison with a peer, and the benchmark: nothing is timed that is not
checked. Metrics of rankings, whose data are queries, have a list and tests of their own.
"""

from registry.binned_calibration import BINNED
from registry.concordance import RANKS
from registry.costs import COSTS, RULES
from registry.curves import CURVES, MULTICLASS
from registry.decisions import DECISIONS
from registry.entry import Entry
from registry.rankings import RANKINGS as RANKINGS
from registry.recalibration import RECALIBRATION
from registry.values import ERRORS, LOSSES

ENTRIES: tuple[Entry, ...] = (
    CURVES
    + MULTICLASS
    + DECISIONS
    + LOSSES
    + ERRORS
    + COSTS
    + RULES
    + BINNED
    + RECALIBRATION
    + RANKS
)
