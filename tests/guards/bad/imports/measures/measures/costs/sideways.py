"""Bad: a measure of costs that knows those of curves."""

import fastmetrics.measures.curves
