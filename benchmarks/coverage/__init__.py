"""How often intervals cover and tests of two models reject: ``python -m benchmarks.coverage``.

Scenes draw data, methods compute on them, the study counts, findings and report say it.
"""
