"""Bad: a test between models that uses the estimators of an outer package."""

import fastmetrics.selection
