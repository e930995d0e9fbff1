"""Which faults the tests would notice: mutants of a fixed sample of lines, made by cosmic-ray.

``python -m benchmarks.mutants`` tries them and writes ``docs/mutants.md``.
"""
