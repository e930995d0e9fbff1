"""Bad: a splitter knows estimates."""

import fastmetrics.selection.estimates
