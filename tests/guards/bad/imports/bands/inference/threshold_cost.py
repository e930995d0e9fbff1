"""Bad: intervals of costs know DeLong."""

import fastmetrics.inference.delong
