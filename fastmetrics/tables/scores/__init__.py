"""``ScoreTable``: distinct scores with the counts of both classes; pairs without a table.

Sorts and merges live here. May import `ordering`, floor 1 and the kernels, no other room.
"""
