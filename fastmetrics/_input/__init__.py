"""Checks of user data: raw input becomes a checked, frozen value here, once.

A file is one kind of input (scores, labels, weights, options); messages have their home here.
May import `errors`, and for texts and labels `_kernels`; nothing above looks at raw data again.
"""
