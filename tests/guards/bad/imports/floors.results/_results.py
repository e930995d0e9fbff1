"""Bad: the ground that stands on a table."""

from fastmetrics.tables.scores.score_table import ScoreTable
