"""Bad: intervals of calibration that know those of proportions."""

import fastmetrics.inference.proportions
