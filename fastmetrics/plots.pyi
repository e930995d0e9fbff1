"""The names of `fastmetrics.plots`, read by `_lazy`."""

from ._report.score_plots import (
    plot_det as plot_det,
    plot_pr as plot_pr,
    plot_roc as plot_roc,
    plot_thresholds as plot_thresholds,
)
from ._report.value_plots import plot_residuals as plot_residuals

__all__: list[str]
