"""Files larger than memory: the time of `evaluate --memory` in reads of the file by DuckDB."""
