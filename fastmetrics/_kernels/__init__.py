"""Loops over rows, compiled by numba: arrays in, numbers and arrays out.

A kernel trusts what it gets; it raises nothing and warns of nothing.
May import `errors`, nothing else of the package; nothing outside this subpackage imports numba.
"""
