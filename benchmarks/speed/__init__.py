"""How fast fastmetrics is, as ratios to a yardstick taken in the same run.

Data and naive answers below; subjects (works, checks, yardsticks, targets); then what runs them.
"""
