"""Power and sample sizes, before the data are there.

May import `intervals` and what lies below; no other room of comparison.
"""
