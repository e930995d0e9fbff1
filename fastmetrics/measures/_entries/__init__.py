"""Entries of the registry: plain data, a file for each room of measures.

They name their functions, which are loaded when they are asked for. Imports `_measure` alone.
"""
