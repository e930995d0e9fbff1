"""Bad: a test of two models knows those over tables."""

import fastmetrics.comparison.post_hoc
