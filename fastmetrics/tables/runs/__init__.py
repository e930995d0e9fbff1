"""``ScoreRuns``: rows of any number, exactly: sorted runs in memory, and on disk beyond it.

Columns, the file they go to and ranges of their scores live here. May import `tables.scores`.
"""
