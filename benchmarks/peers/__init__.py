"""scikit-learn's own tests, run on our functions: ``python -m benchmarks.peer_suite``.

The plugin notes what they do, the judge knows which of them are expected to fail.
"""
