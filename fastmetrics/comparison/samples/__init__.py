"""Tests on paired scores, differences and counts of two models on one data set or one set of folds.

May import `intervals` and what lies below, and ``result`` of the floor.
"""
