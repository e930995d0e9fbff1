"""Ranking metrics: how well the items of each query are ordered.

- by the first items: `precision_at_k`, `recall_at_k`, `hit_rate_at_k`, `f1_at_k`, `r_precision`
- by positions: `mean_average_precision`, `mean_reciprocal_rank`, `rank_biased_precision`, `bpref`
- by grades: `ndcg`, `dcg`, `expected_reciprocal_rank`; `group_auc` within each query
- two and more systems: `evaluate`, `estimate` and `compare` with `query=`
"""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
