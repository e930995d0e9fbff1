"""Bad: intervals of costs know DeLong, and those of bands (the contract `inference`)."""

import fastmetrics.inference.bands
import fastmetrics.inference.delong
