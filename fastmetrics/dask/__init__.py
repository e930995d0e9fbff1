"""The functions of `fastmetrics` on Dask: of dataframes, arrays, lists of delayed partitions.

A partition becomes a state, states are added up in a tree, and the client gets the sum: no row.
May import every layer below, and Dask.
"""

try:
    import dask.delayed  # noqa: F401
except ImportError as error:
    raise ImportError(
        "fastmetrics.dask needs Dask: pip install 'fastmetrics-eval[dask]'"
    ) from error

from fastmetrics._input.calls import as_called
from fastmetrics.dask.estimates import compare, estimate
from fastmetrics.dask.tables import average_precision_score, evaluate, roc_auc_score, score_table

__all__ = [
    "average_precision_score",
    "compare",
    "estimate",
    "evaluate",
    "roc_auc_score",
    "score_table",
]
for _name in __all__:
    globals()[_name] = as_called(globals()[_name], __name__, has_rows=False)
