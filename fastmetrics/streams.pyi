"""The names of `fastmetrics.streams`, read by `_faces`."""

from .tables.binned.bin_layout import BinLayout as BinLayout
from .tables.binned.binned_score_table import BinnedScoreTable as BinnedScoreTable
from .tables.binned.decayed_table import DecayedBinnedScoreTable as DecayedBinnedScoreTable
from .tables.binned.grouped_table import GroupedBinnedScoreTable as GroupedBinnedScoreTable
from .tables.binned.score_ranges import ScoreRanges as ScoreRanges
from .tables.binned.windowed_table import WindowedBinnedScoreTable as WindowedBinnedScoreTable
from .tables.confusion.confusion_stack import ConfusionMatrixStack as ConfusionMatrixStack
from .tables.confusion.decayed_matrix import DecayedConfusionMatrix as DecayedConfusionMatrix
from .tables.confusion.windowed_matrix import WindowedConfusionMatrix as WindowedConfusionMatrix
from .tables.runs.score_runs import ScoreRuns as ScoreRuns

__all__: list[str]
