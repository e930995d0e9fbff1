"""Bad: a table of scores that knows confusion matrices."""

import fastmetrics.tables.confusion
