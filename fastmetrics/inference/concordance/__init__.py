"""Concordance beside `estimate`: measures at times of censored rows, Royston's D, Kendall's test.

May import the engine; no other room.
"""
