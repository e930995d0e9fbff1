"""Estimates and costs of rows in the order of their scores, read range by range from sorted runs.

It may import what summaries of ranges do; the command line uses it for files with groups,
importances and costs.
"""
