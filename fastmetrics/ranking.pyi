"""The names of `fastmetrics.ranking`, read by `_lazy`."""

from .metrics.ranking.positions import (
    bpref as bpref,
    dcg as dcg,
    expected_reciprocal_rank as expected_reciprocal_rank,
    f1_at_k as f1_at_k,
    group_auc as group_auc,
    hit_rate_at_k as hit_rate_at_k,
    mean_average_precision as mean_average_precision,
    mean_reciprocal_rank as mean_reciprocal_rank,
    ndcg as ndcg,
    precision_at_k as precision_at_k,
    r_precision as r_precision,
    rank_biased_precision as rank_biased_precision,
    recall_at_k as recall_at_k,
)

__all__: list[str]
