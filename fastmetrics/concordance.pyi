"""The names of `fastmetrics.concordance`, read by `_lazy`."""

from .metrics.concordance.rank_correlation import (
    concordance_index as concordance_index,
    goodman_kruskal_gamma as goodman_kruskal_gamma,
    kendall_tau as kendall_tau,
    somers_d as somers_d,
    spearman_rho as spearman_rho,
)

__all__: list[str]
