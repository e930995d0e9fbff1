"""How wide the brackets of binned tables are, beside the error of bins without bounds.

``python -m benchmarks.brackets`` publishes a table in ``docs/scale.md``. Imports nothing of others.
"""
