"""The names of `fastmetrics.ranking`, read by `_lazy`."""

from .measures.ranking.graded import (
    dcg as dcg,
    expected_reciprocal_rank as expected_reciprocal_rank,
    ndcg as ndcg,
)
from .measures.ranking.group_auc import group_auc as group_auc
from .measures.ranking.positions import (
    bpref as bpref,
    f1_at_k as f1_at_k,
    hit_rate_at_k as hit_rate_at_k,
    mean_average_precision as mean_average_precision,
    mean_reciprocal_rank as mean_reciprocal_rank,
    precision_at_k as precision_at_k,
    r_precision as r_precision,
    rank_biased_precision as rank_biased_precision,
    recall_at_k as recall_at_k,
)

__all__: list[str]
