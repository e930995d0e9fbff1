"""Estimates of what is no rows: ranges of scores that add up, runs, bins, groups in bins.

May import the rule of intervals, and what stands below it; no room beside.
"""
