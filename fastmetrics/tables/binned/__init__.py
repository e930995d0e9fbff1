"""``BinnedScoreTable``: counts of both classes in bins of the score; fixed memory, sure bounds.

Bins, the stream and what is certain of it live here. May import `tables.scores`, floor 1, kernels.
"""
