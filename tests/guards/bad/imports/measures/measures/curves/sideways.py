"""Bad: a measure of curves that knows those of decisions."""

import fastmetrics.measures.decisions
