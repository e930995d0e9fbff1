"""The bootstrap of one model, of several on the same draws; permutation.

It may import `metrics` and the lowest layer of `inference`; `bands` uses it.
"""
