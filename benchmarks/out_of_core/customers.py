"""Evaluate rows with customers, exposures and amounts that exceed memory, and check them by SQL.

``python -m benchmarks.out_of_core --customers 1e6 --rows 1e8 --memory 4GB --folder DIR`` writes
rows of doubles, of which a customer has many, and runs ``fastmetrics evaluate --memory`` with
``--groups``, ``--weight``, ``--cost-fn`` and ``--cost-fp``. A row takes 33 bytes of the folder, and
28 more while the command runs.
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

SEED = 20261128
SHARE = 0.1
CHUNK = 4_000_000
#: Rows that a statement of the check sorts at once.
SLICE = 10_000_000
#: Cost of a false alarm; a positive that is missed costs its amount.
ALARM = 5.0
OPTIONS = "--groups customer --weight exposure --cost-fn amount --cost-fp 5".split()


def write(path: Path, rows: int, customers: int) -> None:
    """Write labels, scores in [0, 1], customers, exposures and amounts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(SEED)
    effects = rng.standard_normal(customers)
    names = ("s", "exposure", "amount")
    schema = pa.schema(
        [("y", pa.int8()), ("customer", pa.int64()), *((name, pa.float64()) for name in names)]
    )
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=["y"]) as writer:
        for start in range(0, rows, CHUNK):
            n = min(CHUNK, rows - start)
            customer = rng.integers(0, customers, n)
            y = (rng.random(n) < SHARE).astype(np.int8)
            logit = rng.standard_normal(n) + 0.5 * effects[customer] + 1.5 * y - 2.0
            columns = {
                "y": y,
                "customer": customer * 7919,
                "s": 1.0 / (1.0 + np.exp(-logit)),
                "exposure": 0.1 + rng.random(n),
                "amount": rng.exponential(50.0, n).round(2),
            }
            writer.write_table(pa.table(columns, schema), row_group_size=122_880)


def figures_by_sql(path: Path, rows: int, folder: Path) -> dict[str, float]:
    """Return the AUC, its error by customers, the cheapest threshold and its cost, by DuckDB."""
    import duckdb

    with duckdb.connect() as connection:

        def ask(query: str) -> list[Any]:
            return connection.execute(query).fetchall()

        ask("SET memory_limit = '2GB'")
        ask(f"SET temp_directory = '{folder}'")
        m, n, missed, positives, negatives = ask(
            f"""SELECT sum(exposure) FILTER (y = 1), sum(exposure) FILTER (y = 0),
            sum(exposure * amount) FILTER (y = 1), sum(exposure ** 2) FILTER (y = 1),
            sum(exposure ** 2) FILTER (y = 0) FROM '{path}'"""
        )[0]
        n_slices = -(-rows // SLICE)
        shares = [k / n_slices for k in range(1, n_slices)]
        sample = f"SELECT s FROM '{path}' USING SAMPLE 100000"
        cuts = ask(f"SELECT quantile_cont(s, {shares}) FROM ({sample})")[0][0] if shares else []
        ends = [-np.inf, *map(float, cuts), np.inf]
        ask("CREATE TABLE sums (customer BIGINT, y TINYINT, placed DOUBLE, w DOUBLE, q DOUBLE)")
        below = (0.0, 0.0, 0.0)  # positives, negatives, missed amounts of lower scores
        best: tuple[float, float] = (missed, math.inf)
        for low, high in pairwise(ends):
            ask(
                f"""CREATE OR REPLACE TEMP TABLE part AS SELECT *,
                {below[0]!r} + sum(exposure * y) OVER rows_below AS p,
                {below[1]!r} + sum(exposure * (1 - y)) OVER rows_below AS n,
                {below[2]!r} + sum(exposure * amount * y) OVER rows_below AS missed,
                s = lag(s) OVER (ORDER BY s) AS is_tied
                FROM (SELECT * FROM '{path}' WHERE s >= '{low}'::DOUBLE AND s < '{high}'::DOUBLE)
                WINDOW rows_below AS (ORDER BY s ROWS UNBOUNDED PRECEDING)"""
            )
            if ask("SELECT count(*) FROM part WHERE is_tied")[0][0]:
                raise SystemExit("scores are tied: the statements take them to be distinct")
            ask(
                f"""INSERT INTO sums SELECT customer, y, sum(exposure * CASE WHEN y = 1 THEN n
                ELSE {m!r} - p END), sum(exposure), sum(exposure ** 2) FROM part
                GROUP BY customer, y"""
            )
            cost, at = ask(
                f"""SELECT min(cost), max(s) FILTER (is_least) FROM (SELECT *,
                cost <= min(cost) OVER () * (1 + 1e-14) AS is_least FROM (SELECT s,
                missed - exposure * amount * y
                + {ALARM} * ({n!r} - n + exposure * (1 - y)) AS cost FROM part))"""
            )[0]
            best = min(best, (cost, at))
            below = ask("SELECT max(p), max(n), max(missed) FROM part")[0]
        auc = ask("SELECT sum(placed) FROM sums WHERE y = 1")[0][0] / (m * n)
        variance = ask(
            f"""WITH groups AS (
              SELECT customer, y, sum(placed) AS placed, sum(w) AS w, sum(q) AS q
              FROM sums GROUP BY customer, y
            ), classes AS (
              SELECT *, CASE WHEN y = 1 THEN (placed / {n!r} - {auc!r} * w) / {m!r}
                ELSE (placed / {m!r} - {auc!r} * w) / {n!r} END AS c,
                w / CASE WHEN y = 1 THEN {m!r} ELSE {n!r} END AS share,
                CASE WHEN y = 1 THEN {positives!r} ELSE {negatives!r} END / q AS ratio FROM groups
            ) SELECT sum(c * c) FROM (SELECT sum(c / sqrt(1 - 2 * share + share * share * ratio))
              AS c FROM classes GROUP BY customer)"""
        )[0][0]
    return {
        "roc_auc": auc,
        "standard_error": math.sqrt(variance),
        "cost": best[0] / (m + n),
        "threshold": best[1],
        "cost_all_positive": ALARM * n / (m + n),
        "cost_all_negative": missed / (m + n),
    }


def agrees(model: dict[str, Any], expected: dict[str, float]) -> bool:
    """Print the figures of the command beside those of SQL; return whether they agree."""
    given = {name: model[name] for name in ("roc_auc", "standard_error")}
    given |= {name: model["costs"][name] for name in expected if name not in given}
    for name, value in expected.items():
        off = abs(given[name] - value) / value
        print(f"{name}: {given[name]!r}, {value!r} by SQL: off by {off:.1e}")
    return all(math.isclose(given[name], value, rel_tol=1e-9) for name, value in expected.items())
