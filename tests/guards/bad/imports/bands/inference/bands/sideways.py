"""Bad: bands know DeLong."""

import fastmetrics.inference.delong
