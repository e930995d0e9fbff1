"""Guards of a release: whether a candidate is worse than a baseline by more than margins.

Rules stand on `compare`. May import every floor below.
"""

from __future__ import annotations
