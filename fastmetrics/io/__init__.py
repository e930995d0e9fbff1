"""Read label, score and weight columns from CSV, Parquet and JSON-lines files.

DuckDB does the reading, in a session that can touch the named files and nothing else. What
comes out is one contiguous numpy array per column, and no more memory than that is kept.
"""

from __future__ import annotations

from fastmetrics.io._columns import Columns, TextColumn
from fastmetrics.io._formats import column_names, is_readable_name
from fastmetrics.io._paths import expand_paths
from fastmetrics.io._reader import Sink, read_columns

__all__ = [
    "Columns",
    "Sink",
    "TextColumn",
    "column_names",
    "expand_paths",
    "is_readable_name",
    "read_columns",
]
