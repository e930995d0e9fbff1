"""Which rows train and which test: folds, groups, hold-out, bootstrap, 5×2.

Every splitter works in scikit-learn too. May import floor 1.
"""
