"""Bad: a metric of costs that knows those of curves."""

import fastmetrics.metrics.curves
