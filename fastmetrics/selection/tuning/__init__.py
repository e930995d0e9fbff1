"""Settings chosen on validation data, refitted on all of it; nested cross-validation.

May import `selection.estimates` and `selection.splitters`.
"""
