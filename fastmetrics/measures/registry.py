"""The one list of measures: names, what each needs, its direction, its range, how it is resampled.

Entries are plain data. They name their functions, which are loaded when they are asked for: reading
the list imports no measure. Whoever takes a measure by name reads it here.
"""

from __future__ import annotations

from typing import Final

from fastmetrics.measures._entries import (
    calibration,
    concordance,
    costs,
    curves,
    decisions,
    probabilities,
    ranking,
    regression,
)
from fastmetrics.measures._measure import Measure

#: Every measure by its canonical name: scikit-learn's scorer name, where it has one, without
#: ``neg_``.
MEASURES: Final[dict[str, Measure]] = {
    measure.name: measure
    for entries in (
        curves,
        decisions,
        probabilities,
        regression,
        costs,
        calibration,
        concordance,
        ranking,
    )
    for measure in entries.MEASURES
}
