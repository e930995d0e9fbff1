"""Do two orders agree? Rank correlation, and scores of times that are censored.

- `kendall_tau`, `spearman_rho`, `somers_d`, `goodman_kruskal_gamma`
- survival: `concordance_index` (Harrell's, Uno's)
"""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
