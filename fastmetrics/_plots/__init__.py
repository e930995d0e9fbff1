"""Figures of plain arrays, numbers and texts: they know no result, a result's `plot` calls them.

May import ``errors`` and ``_files`` of the package; matplotlib is imported when one is drawn.
"""
