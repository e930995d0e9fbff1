"""One engine of inference: influences of rows, effective sizes, estimates and comparisons.

The lowest layer is `units` (weights, groups, strata), `reference` (scales, quantiles) and results.
Modules of single methods (bootstrap, DeLong, proportions, ...) use it, and are independent of one
another but for `bands` and costs; `estimate` and `compare` are the entry points above them.
"""
