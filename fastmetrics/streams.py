"""Tables of data that come in pieces, or forget, or do not fit into memory.

Each is created, takes rows by `update`, merges with its like, and is read at any time.

- scores, in bins: `BinnedScoreTable` (`BinLayout`), of each group `GroupedBinnedScoreTable`, of the
  last rows `WindowedBinnedScoreTable`, fading `DecayedBinnedScoreTable`
- scores, exactly: `ScoreRuns` (on disk), `ScoreRanges`; `fastmetrics.ScoreTable` in memory
- predicted labels: `WindowedConfusionMatrix`, `DecayedConfusionMatrix`, `ConfusionMatrixStack`;
  `fastmetrics.ConfusionMatrix` of all
"""

from fastmetrics import _faces

__getattr__, __dir__, __all__ = _faces.face(__name__, __file__)
