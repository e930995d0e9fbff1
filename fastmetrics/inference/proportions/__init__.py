"""Intervals of proportions, their differences, and of measures that are proportions.

May import `measures` and what lies below; no other room.
"""
