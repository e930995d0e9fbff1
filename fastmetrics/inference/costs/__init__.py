"""Intervals of what decisions cost and are worth: the cheapest threshold, net benefit.

May import `inference.bootstrap`, and no other room.
"""
