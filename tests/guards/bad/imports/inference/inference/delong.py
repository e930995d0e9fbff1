"""Bad: DeLong knows bands."""

import fastmetrics.inference.bands
