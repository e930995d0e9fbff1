"""The names of `fastmetrics.plots`, read by `_lazy`."""

from ._report.fold_curves import from_cv_results as from_cv_results
from ._report.plots import (
    plot_pr as plot_pr,
    plot_residuals as plot_residuals,
    plot_roc as plot_roc,
    plot_thresholds as plot_thresholds,
)

__all__: list[str]
