"""Bad: a metric of curves that knows those of decisions."""

import fastmetrics.metrics.decisions
