"""How far a number can be trusted: intervals, bands, and tests of paired scores.

``_models`` and ``_holm`` are what `bootstrap` and `delong` share; `bands` may use `bootstrap`
and `proportions`; no other room imports another.
"""
