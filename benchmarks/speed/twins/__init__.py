"""Each kernel beside the same result by NumPy: pairs of calls whose answers agree.

Uses `data` and `naive` of the room, and kernels; ``bench_kernels.py`` times them.
"""
