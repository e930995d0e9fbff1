"""The bootstrap of one model, of several on the same draws, of classes; permutation.

May import `measures`, and ``_models`` and ``_pvalues`` of the floor; the rooms beside it use it.
"""
