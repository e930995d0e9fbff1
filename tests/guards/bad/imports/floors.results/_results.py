"""Bad: the ground that stands on a table."""

import fastmetrics.tables.score_table
