"""Do two orders agree? Rank correlation, and scores of times that are censored.

- `kendall_tau`, `spearman_rho`, `somers_d`, `goodman_kruskal_gamma`
- survival: `concordance_index`, `cumulative_dynamic_auc`, `survival_brier_score`, `royston_d`
- pairs within a subgroup, and with rows outside it: `subgroup_auc`
"""

from fastmetrics import _faces

__getattr__, __dir__, __all__ = _faces.face(__name__, __file__)
