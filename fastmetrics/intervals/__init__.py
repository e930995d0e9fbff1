"""How far a number can be trusted: intervals, bands, and tests of paired scores.

``_pvalues`` and ``_sample_sizes`` are what the rooms share; `bands` may use `bootstrap`
and `proportions`; no other room imports another.
"""
