"""Bad: bands know DeLong."""

import fastmetrics.intervals.delong
