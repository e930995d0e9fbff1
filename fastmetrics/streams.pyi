"""The names of `fastmetrics.streams`, read by `_lazy`."""

from .tables.bin_bounds import ScoreRanges as ScoreRanges
from .tables.bin_layout import BinLayout as BinLayout
from .tables.binned_score_table import BinnedScoreTable as BinnedScoreTable
from .tables.score_runs import ScoreRuns as ScoreRuns

__all__: list[str]
