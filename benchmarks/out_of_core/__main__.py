"""Evaluate a file larger than memory, and say how many reads of the file that takes.

``python -m benchmarks.out_of_core --rows 1e9 --memory 1GB --folder DIR`` writes a Parquet file in
chunks, lets DuckDB read its two columns, runs ``fastmetrics evaluate --memory`` in turns with that
(in each memory, if several are named), and compares the AUC with integers that DuckDB counts. A row
takes 4 bytes of the folder and little more while the command runs; 8 and 8 more with
``--dtype float64``. Up to 2·10⁸ rows the command runs without ``--memory`` as well.

With ``--customers N`` rows have customers, exposures and amounts (`customers.py`), and the command
is given them as groups, weights and costs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.out_of_core import customers as of_customers

SEED = 20260914
SHARE = 0.3
CHUNK = 4_000_000
#: Rows that are evaluated in memory too.
FEW = 200_000_000
#: Rows whose distinct scores a statement of the check sorts at once: a gigabyte or so.
SLICE = 50_000_000


class Run(NamedTuple):
    """What one run of the command took, and what it said."""

    seconds: float
    processor: float
    peak_bytes: int
    model: dict[str, Any]


def write(path: Path, rows: int, dtype: str = "float32") -> None:
    """Write labels (int8) and normal scores, shifted by 1 for positives."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(SEED)
    schema = pa.schema({"y": pa.int8(), "s": pa.from_numpy_dtype(dtype)})
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=["y"]) as writer:
        for start in range(0, rows, CHUNK):
            n = min(CHUNK, rows - start)
            y = (rng.random(n, dtype=np.float32) < SHARE).astype(np.int8)
            scores = rng.standard_normal(n, dtype=dtype) + y
            writer.write_table(pa.table({"y": y, "s": scores}, schema), row_group_size=122_880)


def read(path: Path) -> tuple[float, float]:
    """Return the seconds in which DuckDB reads both columns, and those of its processors."""
    import duckdb

    with duckdb.connect() as connection:
        start, used = time.perf_counter(), time.process_time()
        connection.execute(f"SELECT sum(y), sum(s) FROM '{path}'").fetchall()
        return time.perf_counter() - start, time.process_time() - used


def evaluate(path: Path, memory: str | None, folder: Path, more: Sequence[str] = ()) -> Run:
    """Run the command."""
    command = [sys.executable, "-m", "fastmetrics", "evaluate", str(path), "--label", "y"]
    command += ["--score", "s", "--format", "json", *more]
    if memory is not None:
        command += ["--memory", memory, "--spill-dir", str(folder)]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        output = process.stdout.read() if process.stdout else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"the command failed: {process.returncode}")
    model = json.loads(output)["models"][0]
    return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, model)


def counted_by_sql(path: Path, rows: int, folder: Path) -> tuple[int, int, int]:
    """Return positives, negatives and doubled concordant pairs, in integers of DuckDB."""
    import duckdb

    twice = positives = negatives = 0
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '2GB'")
        connection.execute(f"SET temp_directory = '{folder}'")
        n_slices = -(-rows // SLICE)
        shares = [k / n_slices for k in range(1, n_slices)]
        sample = f"SELECT s FROM '{path}' USING SAMPLE 100000"
        found = connection.execute(f"SELECT quantile_cont(s, {shares}) FROM ({sample})").fetchall()
        ends = [-np.inf, *(float(end) for end in found[0][0] or []), np.inf]
        for k, low in enumerate(ends[:-1]):
            where = f"s >= '{low}'::DOUBLE AND s < '{ends[k + 1]}'::DOUBLE"
            p, n, pairs = connection.execute(
                f"""
                WITH counts AS (
                  SELECT s, sum(y)::BIGINT AS p, count(*) - sum(y)::BIGINT AS n
                  FROM '{path}' WHERE {where} GROUP BY s
                ), placed AS (
                  SELECT p, n, coalesce(sum(n) OVER (
                    ORDER BY s ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS below
                  FROM counts
                )
                SELECT sum(p), sum(n), sum(p::HUGEINT * (2 * below + n)) FROM placed
                """
            ).fetchall()[0]
            twice += int(pairs or 0) + 2 * int(p or 0) * negatives
            positives, negatives = positives + int(p or 0), negatives + int(n or 0)
    return positives, negatives, twice


def check_customers(rows: int, customers: int, memories: Sequence[str], parent: Path) -> int:
    """Measure with groups, weights and costs, and return 0 where SQL has the same figures."""
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        path = Path(folder) / "customers.parquet"
        of_customers.write(path, rows, customers)
        size = path.stat().st_size / 1e9
        print(f"{rows:,} rows of {customers:,} customers, {size:.3g} GB of Parquet", flush=True)
        for memory in memories:
            run = evaluate(path, memory, Path(folder), of_customers.OPTIONS)
            print(
                f"--memory {memory}: {run.seconds:.2f} s, {run.processor:.2f} s of processors; "
                f"{run.peak_bytes / 1e6:,.0f} MB; {1e9 * run.processor / rows:.0f} ns a row",
                flush=True,
            )
        expected = of_customers.figures_by_sql(path, rows, Path(folder))
        return 0 if of_customers.agrees(run.model, expected) else 1


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and return 0 where the integers agree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.out_of_core", description=__doc__)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--memory", nargs="+", default=["1GB"])
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--customers", type=float)
    options = parser.parse_args(argv)
    rows = int(options.rows)
    if options.customers:
        return check_customers(rows, int(options.customers), options.memory, options.folder)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "scores.parquet"
        write(path, rows, options.dtype)
        size = path.stat().st_size
        print(
            f"{rows:,} rows, {size / 1e9:.3g} GB of Parquet; --memory {', '.join(options.memory)}"
        )
        reads, runs, unbounded = [], {memory: [] for memory in options.memory}, []
        for _ in range(options.rounds):
            reads.append(read(path))
            for memory, found in runs.items():
                found.append(evaluate(path, memory, Path(folder)))
            if rows <= FEW:
                unbounded.append(evaluate(path, None, Path(folder)))
        wall, used = (min(each[k] for each in reads) for k in (0, 1))
        print(f"one read by DuckDB: {wall:.2f} s, {used:.2f} s of processors")
        for memory, found in runs.items():
            seconds, processor = (min(each[k] for each in found) for k in (0, 1))
            peak = max(run.peak_bytes for run in found)
            print(
                f"--memory {memory}: {seconds:.2f} s, {processor:.2f} s of processors, "
                f"{seconds / wall:.2f} and {processor / used:.2f} times the read; "
                f"{peak / 1e6:,.0f} MB at most; {1e9 * processor / rows:.1f} ns a row"
            )
        if unbounded:
            print(
                f"without --memory:      {min(run.seconds for run in unbounded):8.2f} s, "
                f"{max(run.peak_bytes for run in unbounded) / 1e6:,.0f} MB"
            )
        positives, negatives, twice = counted_by_sql(path, rows, Path(folder))
    counts = {"n_positive": positives, "n_negative": negatives}
    expected = counts | {"roc_auc": twice / (2 * positives * negatives)}
    models = [run.model for found in runs.values() for run in found]
    agrees = all(model[name] == value for model in models for name, value in expected.items())
    said = "that" if agrees else "NOT that"
    print(f"AUC {models[0]['roc_auc']!r}: {said} of integers by SQL")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
