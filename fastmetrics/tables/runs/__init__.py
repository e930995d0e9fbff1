"""``ScoreRuns``: rows of any number, exactly: sorted or counted in memory, on disk beyond it.

Columns, counts, the file and ranges of scores live here. May import `tables.scores`.
"""
