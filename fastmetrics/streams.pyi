"""The names of `fastmetrics.streams`, read by `_lazy`."""

from .tables.binned.bin_layout import BinLayout as BinLayout
from .tables.binned.binned_score_table import BinnedScoreTable as BinnedScoreTable
from .tables.binned.score_ranges import ScoreRanges as ScoreRanges
from .tables.confusion.confusion_stack import ConfusionMatrixStack as ConfusionMatrixStack
from .tables.runs.score_runs import ScoreRuns as ScoreRuns

__all__: list[str]
