"""Bad: a metric of calibration that knows those of curves."""

import fastmetrics.metrics.curves
