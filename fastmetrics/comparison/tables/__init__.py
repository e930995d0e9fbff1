"""Algorithms by data sets: Friedman, its post-hoc tests, the critical difference diagram.

May import `comparison.samples` and what lies below.
"""
