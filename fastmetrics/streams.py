"""Tables of data that come in batches, or do not fit into memory.

Each takes rows by `update`, merges with others of its kind, and can be read at any time.

- scores, in bins: `BinnedScoreTable` (`BinLayout`)
- scores, exactly: `ScoreRuns` (on disk), `ScoreRanges`; `fastmetrics.ScoreTable` in memory
- predicted labels: `fastmetrics.ConfusionMatrix`
"""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
