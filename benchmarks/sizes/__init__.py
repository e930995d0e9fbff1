"""How often tests between models reject what is true: ``python -m benchmarks.sizes``.

Subjects add scenes to the registry of `scenes`; the words of tables are those of `coverage`.
"""
