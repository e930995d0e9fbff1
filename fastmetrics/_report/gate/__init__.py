"""Guards of a release: whether a candidate is worse than a baseline by more than margins.

Rules stand on `compare`; ledgers and packed baselines are files. May import every floor below.
"""

from __future__ import annotations
