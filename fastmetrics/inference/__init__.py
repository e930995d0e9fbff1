"""One engine of inference: influences of rows, what they are worth, an estimate, a comparison.

Lives here: units (weights, groups, strata), scales and references, `estimate` and `compare`.
Imports the floors below alone.
"""
