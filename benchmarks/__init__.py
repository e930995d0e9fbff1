"""What the project measures of itself: speed, coverage, sizes, and the peer's own tests.

``python -m benchmarks.publish`` (or ``.coverage``, ``.sizes``, ``.peer_suite``) publishes in
``docs/``, ``python -m pytest benchmarks -m bench`` runs the series. One room a study.
"""
