"""Times of benchmarks before and after a change: runs are what varies, not rounds.

May import samples, and every floor below.
"""
