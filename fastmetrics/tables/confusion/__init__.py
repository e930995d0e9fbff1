"""``ConfusionMatrix`` (the one table that changes), its windowed and decayed kin, and stacks.

Counting labels into cells lives here. May import `tables.score_table`, floor 1 and the kernels.
"""
