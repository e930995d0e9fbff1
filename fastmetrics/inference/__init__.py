"""One engine of inference: influences of rows, what they are worth, an estimate, a comparison.

On its ground: `units` (weights, groups, strata), `reference` (scales, quantiles), and results.
Rooms for what has a method of its own (the bootstrap, DeLong, proportions, ...) stand on that, and
are strangers but for `bands` and `costs`; `estimate` and `compare` are the doors above them.
"""
