"""``ConfusionMatrix``, the one table that changes, and what counts labels for it.

May import its sister tables, and what lies below them.
"""
