"""Bad: intervals of costs that know those of bands."""

import fastmetrics.inference.bands
