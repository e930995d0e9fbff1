"""Intervals of what decisions cost and are worth: the cheapest threshold, net benefit.

May import `intervals.bootstrap`, and no other room of intervals.
"""
