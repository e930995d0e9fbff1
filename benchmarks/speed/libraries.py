"""The AUC of a million rows by what people would use instead: SQL, data frames, other libraries.

Each has the rows in the form that it likes best before the clock starts, and all cores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.speed import naive
from benchmarks.speed.data import Data, Spec
from benchmarks.speed.timing import Target

Call = Callable[[], Any]
Prepare = Callable[[Data], Call]

#: Mann and Whitney's statistic: the sum of the ranks of the positive rows, tied ones at their mean.
_SQL = """
WITH ranked AS (
    SELECT y, 2 * rank() OVER (ORDER BY a) + count(*) OVER (PARTITION BY a) - 1 AS twice FROM rows
), counted AS (
    SELECT sum(twice) FILTER (y) AS ranks, count(*) FILTER (y) AS p, count(*) AS n FROM ranked
)
SELECT (ranks - p * (p + 1)) / (2 * p * (n - p)) FROM counted
"""


def _duckdb(data: Data) -> Call:
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    connection.register("columns", pa.table({"y": data.labels, "a": data.scores}))
    connection.execute("CREATE TABLE rows AS SELECT y::BOOLEAN AS y, a FROM columns")
    return lambda: connection.execute(_SQL).fetchall()[0][0]


def _polars_ds(data: Data) -> Call:
    import polars as pl
    import polars_ds

    frame = pl.DataFrame({"y": data.labels.astype(np.uint32), "a": data.scores})
    return lambda: frame.select(polars_ds.query_roc_auc("y", "a")).item()


def _lightgbm(data: Data) -> Call:
    """Return LightGBM's metric of a model without trees, whose scores are those given."""
    import lightgbm

    options = {"objective": "binary", "metric": "auc", "verbosity": -1}
    column = np.arange(len(data.labels), dtype=np.float32)[:, np.newaxis]
    rows = lightgbm.Dataset(column, data.labels, init_score=data.scores, params=options)
    model = lightgbm.Booster(options, rows)
    return lambda: model.eval_train()[0][2]


def _torchmetrics(data: Data) -> Call:
    import torch
    from torchmetrics.functional.classification import binary_auroc

    scores, labels = torch.from_numpy(data.scores), torch.from_numpy(data.labels)

    def auc() -> float:
        return float(binary_auroc(scores, labels, validate_args=False))

    # It sums in single precision, so that it is no peer to 10⁻⁹.
    np.testing.assert_allclose(auc(), naive.exact_auc(data.spec), rtol=1e-6)
    return auc


WORKS: dict[str, Prepare] = {}  # the AUC is a work of `scores`
CHECKS: dict[str, Callable[[Data, Any], None]] = {}
YARDSTICKS: dict[str, Prepare] = {"torchmetrics auc": _torchmetrics}
PEERS: dict[str, Prepare] = {
    "duckdb auc": _duckdb,
    "polars-ds auc": _polars_ds,
    "lightgbm auc": _lightgbm,
}
NAMES = {
    "torchmetrics auc": "torchmetrics, CPU",
    "duckdb auc": "DuckDB, SQL by ranks",
    "polars-ds auc": "polars-ds",
    "lightgbm auc": "LightGBM's metric",
}

TARGETS: tuple[Target, ...] = ()
CONTEXT: tuple[Target, ...] = tuple(
    Target(
        f"auc_vs_{library}",
        "`roc_auc_score`, 10⁶ rows",
        "auc",
        yardstick,
        at_least=True,
        spec=Spec(rows=1_000_000),
        library=library,
    )
    for library, yardstick in (
        ("torchmetrics", "torchmetrics auc"),
        ("polars_ds", "polars-ds auc"),
        ("duckdb", "duckdb auc"),
        ("lightgbm", "lightgbm auc"),
    )
)
