"""Bad: a measure of calibration that knows those of curves."""

import fastmetrics.measures.curves
