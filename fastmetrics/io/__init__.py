"""Files: TREC's judgments and runs by `read_trec`, and SQL that counts, by `counts_query`.

In here: label, score and weight columns of CSV, Parquet and JSON-lines files. DuckDB does the
reading, in a session that can touch the named files and nothing else. What comes out is one
contiguous numpy array per column, and no more memory than that is kept.
"""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
