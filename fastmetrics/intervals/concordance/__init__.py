"""Intervals and tests of concordance: rank correlation, and the index of censored times.

May import `measures`, and ``_models``, ``_pvalues``, ``_sample_sizes``; no other room of intervals.
"""
