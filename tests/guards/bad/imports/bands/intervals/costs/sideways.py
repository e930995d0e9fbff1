"""Bad: intervals of costs know DeLong."""

import fastmetrics.intervals.delong
