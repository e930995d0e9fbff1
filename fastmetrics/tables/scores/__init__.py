"""``ScoreTable``: distinct scores with the counts of both classes; pairs without a table.

Sorting, partition and merge live here. May import floor 1 and the kernels, no other room.
"""
