"""Rows in the order of their scores: dealt into buckets on all cores, sorted there if asked for.

The lowest room of tables: every other may import it; it imports the floors below.
"""
