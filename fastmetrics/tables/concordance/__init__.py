"""Pairs of rows that a prediction and an outcome order alike, otherwise, or not at all.

Imports the floors below; no other room of tables.
"""
