"""Thresholds that keep a promise on new data: order statistics, and tests on a grid.

May import `inference.proportions`, and no other room.
"""
