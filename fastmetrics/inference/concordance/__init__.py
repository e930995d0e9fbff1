"""Intervals and tests of concordance: rank correlation, and the index of censored times.

May import `measures`, and `_pvalues` and `_sample_sizes` of the floor; no other room.
"""
