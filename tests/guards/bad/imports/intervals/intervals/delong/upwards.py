"""Bad: DeLong knows bands."""

import fastmetrics.intervals.bands
