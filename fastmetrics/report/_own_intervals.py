"""Each model's own intervals, by the method that `bootstrap` takes where none is asked for.

`paired_bootstrap` has one method for models and differences, but what covers best is not the same
for the two (docs/coverage.md): the replicates are its, the limits those of `bootstrap`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from fastmetrics.intervals.bootstrap._engine import Engine
from fastmetrics.intervals.bootstrap._limits import limits
from fastmetrics.intervals.bootstrap._problem import prepared
from fastmetrics.intervals.bootstrap._run import checked_options, draws_of
from fastmetrics.intervals.bootstrap.bca._acceleration import acceleration_of
from fastmetrics.intervals.bootstrap.bootstrap import default_method
from fastmetrics.intervals.bootstrap.bootstrap_result import BootstrapResults


def own_intervals(
    results: BootstrapResults,
    y_true: Any,
    y_score: Any,
    options: Mapping[str, Any],
    rows: Mapping[str, Any],
) -> BootstrapResults:
    """Return a model's percentile results, with BCa's limits where these are defined.

    Parameters
    ----------
    results : BootstrapResults
        Of the model, by "percentile".
    y_true, y_score : array-like of shape (n_samples,)
        Checked before.
    options, rows : mapping
        The keyword arguments that the results were made with; of the latter, those with a value
        for each row, and `pos_label`.
    """
    given = {name: value for name, value in options.items() if name != "threshold"}
    checked = checked_options(
        **given, groups=rows["groups"], alternative="two-sided", resampling="multinomial"
    )
    problem = prepared(
        y_true,
        y_score,
        checked.asked,
        **rows,
        threshold=options["threshold"],
        by_rows=checked.by_rows,
        n_threads=checked.n_threads,
    )
    engine = Engine([problem], checked.asked, draws_of(problem, checked), with_errors=False)
    found = dict(results)
    for one, columns in zip(checked.asked, engine.columns, strict=True):
        result = found[one.label]
        if math.isnan(result.estimate) or default_method(problem, one) != "bca":
            continue
        interval, reason = limits(
            result.bootstrap_distribution,
            result.estimate,
            method="bca",
            confidence_level=checked.confidence_level,
            acceleration=acceleration_of(problem, one, columns, stratified=checked.stratified),
        )
        if reason is None and interval.low < interval.high:
            found[one.label] = dataclasses.replace(
                result, confidence_interval=interval, method="bca"
            )
    return BootstrapResults(found)
