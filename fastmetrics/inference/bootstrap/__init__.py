"""The bootstrap of one model, of several on the same draws, of classes; permutation.

May import `metrics`, and the files of the floor; the rooms beside it use it.
"""
