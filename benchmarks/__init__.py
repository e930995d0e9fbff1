"""How fast fastmetrics is, as ratios to a yardstick taken in the same run.

``python -m pytest benchmarks -m bench`` runs the series, ``python -m benchmarks.publish`` the table
of targets, ``python -m benchmarks.publish --check`` compares it with the one published last.
"""
