"""Entries of the registry: plain data, of measures of predictions, and of those by a purpose.

They name their functions, which are loaded when they are asked for. Imports `_measure` alone.
"""
