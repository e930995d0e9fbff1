"""The names of `fastmetrics.io`, read by `_lazy`."""

from .counts import counts_query as counts_query
from .trec import read_trec as read_trec

__all__: list[str]
