"""``RegressionTable``: the sums that errors, scores and deviances follow from.

May import floor 1 and the kernels, no other room.
"""
