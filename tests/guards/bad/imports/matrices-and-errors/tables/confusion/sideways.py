"""Bad: confusion matrices that know regression."""

import fastmetrics.tables.regression
