"""Loops over queries: the places of relevant items, and the measures of rankings.

Used by `tables.ranking` and `measures.ranking`. May import numpy and kernels.
"""
