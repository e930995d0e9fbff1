"""Tests between models, from precomputed numbers."""
