"""Bad: replicates of bands know DeLong."""

import fastmetrics.inference.delong
