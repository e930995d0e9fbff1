"""``plot_residuals``: where predicted numbers are off, and by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.regression_targets import check_regression
from fastmetrics._plots._style import shown_name
from fastmetrics._plots.curves import PLOTTED, Band, Curve, Guide, draw_curves
from fastmetrics._report.evaluation import models_of
from fastmetrics.errors import InputError

#: Stretches of predictions of equally many rows, at most; and rows of one, at least.
_MOST: Final = 40
_LEAST: Final = 20
_QUANTILES: Final = (0.1, 0.5, 0.9)


@documented(PLOTTED)
def plot_residuals(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike] | ArrayLike,
    *,
    names: Sequence[str] | None = None,
    ax: Any = None,
    **line_options: Any,
) -> Any:
    """Draw what is true less what was predicted, against what was predicted.

    Predictions are cut into stretches of equally many rows. The line is the median residual of
    each, the band holds the middle 80 % of its residuals: a line away from zero is a bias, a band
    that widens is an error that grows.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Numbers.
    predictions : mapping of str to array-like of shape (n_samples,), data frame, or array-like
        Numbers each model predicted, by its name; a single column is one model without a name.
    names : sequence of str, optional
        Of the columns of `predictions`, where it is an array.

    Raises
    ------
    TypeError, ValueError
        If rows are not finite numbers of the same length, or there are fewer than 20.

    Notes
    -----
    A stretch has 20 rows or more, and there are at most 40; equal predictions stay together. One
    sort a model. The band shows how residuals spread, not how well the median is known.

    Examples
    --------
    >>> y_true = [1.0, 2.0, 4.0, 3.0] * 10
    >>> ax = plot_residuals(y_true, {"low": [0.5, 1.5, 3.5, 2.5] * 10})
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('predicted', 'true − predicted')
    """
    curves = []
    for model in models_of(predictions, names):
        rows = check_regression(y_true, model.values)
        if rows.n_outputs > 1:
            raise InputError("`y_true` must have one number a row to draw residuals of")
        rows.recheck()
        true, predicted = (each.astype(np.float64) for each in (rows.y_true, rows.y_pred))
        if len(true) < _LEAST:
            raise InputError(f"residuals need {_LEAST} rows to draw: got {len(true)}")
        x, low, middle, high = _stretches(predicted.reshape(-1), (true - predicted).reshape(-1))
        name = shown_name(model.name)
        curves.append(Curve(x, middle, name, Band(x, low, high), has_markers=True))
    ends = [min(curve.x[0] for curve in curves), max(curve.x[-1] for curve in curves)]
    label = "median of the rows around; band: the middle 80 %"
    return draw_curves(
        curves,
        (Guide(ends, [0.0, 0.0], "_none"),),
        ("predicted", "true − predicted"),
        ax,
        title=label,
        options=line_options,
    )


def _stretches(predicted: NDArray[Any], residuals: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return the median prediction of each stretch, and the quantiles of its residuals."""
    order = np.argsort(predicted, kind="stable")
    predicted, residuals = predicted[order], residuals[order]
    n = len(predicted)
    starts = np.arange(1, max(1, min(_MOST, n // _LEAST))) * n // min(_MOST, n // _LEAST)
    starts = np.unique(np.searchsorted(predicted, predicted[starts]))  # equal ones stay together
    starts = starts[starts > 0]
    parts = zip(np.split(predicted, starts), np.split(residuals, starts), strict=True)
    found = [(np.median(each), *np.quantile(of, _QUANTILES)) for each, of in parts]
    return tuple(np.array(found).T)
