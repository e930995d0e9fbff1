"""Losses of probabilities and of class scores; errors of predicted numbers."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from reference import probability_oracle as chances, regression_oracle as numbers
from registry.entry import (
    AMOUNTS,
    CHANCES,
    DECISIONS,
    MARGINS,
    MERGE,
    NUMBERS,
    OF_NUMBERS,
    RENAMED,
    ROW_ORDER,
    ROWS,
    SCALE,
    SHARES,
    SHIFT,
    Entry,
    Sample,
    Values,
    number,
    sk,
)

# --- probabilities and class scores --------------------------------------------------------------


def _loss(name: str, oracle: Callable[..., Any], part: Fraction | int = 1) -> tuple[Entry, Entry]:
    """Return the entries of probabilities of two classes and of more."""

    def by_definition(sample: Sample) -> Values:
        columns = chances.two_columns(sample.given)
        return (oracle(sample.true, columns, sample.weights) * part,)

    laws = ROWS | {RENAMED}
    more = Entry(f"{name}[classes]", SHARES, lambda s: (oracle(*s.columns),), laws=laws)
    return Entry(name, CHANCES, by_definition, laws=laws), more


def _top(k: int, label: str = "") -> Entry:
    def oracle(sample: Sample) -> Values:
        true, given, weights = sample.columns
        return (chances.top_k(true, given, k, "last", weights),)

    return Entry(f"top_k_accuracy{label}", SHARES, oracle, {"k": k})


HINGE = ROWS | {RENAMED}
LOSSES = (
    *_loss("log_loss", chances.log_loss),
    *_loss("brier_score", chances.brier, Fraction(1, 2)),  # of two classes scikit-learn's has one
    *_loss("d2_log_loss_score", chances.d2_log_loss),
    *_loss("d2_brier_score", chances.d2_brier),
    Entry("hinge_loss", DECISIONS, lambda s: (chances.hinge_two(*s.columns),), laws=HINGE),
    Entry("hinge_loss[classes]", MARGINS, lambda s: (chances.hinge_many(*s.columns),), laws=HINGE),
    _top(2),
    _top(1, "[first]"),
)

# --- predicted numbers ---------------------------------------------------------------------------


def _error(
    name: str, laws: frozenset[str], power: float = 0, data: str = NUMBERS, **more: Any
) -> Entry:
    """Return the entry of what `regression_oracle` says; undefined is nan."""
    arguments = more.pop("arguments", {})
    function = more.pop("oracle", name.partition("[")[0])

    def oracle(sample: Sample) -> Values:
        return (number(getattr(numbers, function)(numbers.rows(*sample.columns), **arguments)),)

    return Entry(name, data, oracle, arguments, laws, power=power, **more)


def _score(name: str, oracle: str, loss: str, laws: frozenset[str], **arguments: Any) -> Entry:
    """Return that of a share of a loss saved: without a loss to save, 1 if nothing is lost or 0."""

    def by_definition(sample: Sample) -> Values:
        rows = numbers.rows(*sample.columns)
        actual = getattr(numbers, oracle)(rows, **arguments)
        if actual is None:
            return (float(getattr(numbers, loss)(rows, **arguments) == 0),)
        return (actual,)

    return Entry(name, NUMBERS, by_definition, arguments, laws)


def _d2_tweedie(true: Any, given: Any, **more: Any) -> float:
    """Return scikit-learn's value, but nan where the targets are constant, which it divides by."""
    if np.ptp(true[more.get("sample_weight", 1) > np.zeros(len(true))]) == 0:
        return math.nan
    return float(sk("d2_tweedie_score")(true, given, **more))


def _mean(true: Any, given: Any, sample_weight: Any = None) -> float:
    return float(np.average(true, weights=sample_weight))


def _mean_error(true: Any, given: Any, sample_weight: Any = None) -> float:
    return float(np.average(given - true, weights=sample_weight))


LOGS = ROWS | {MERGE}
SCALED = LOGS | {SCALE}  # for which a shift is a change
QUANTILES = OF_NUMBERS - {MERGE}  # which need the rows
ERRORS = (
    _error("mean", ROWS | {SCALE}, 1, peer=_mean),
    _error("mean_error", QUANTILES, 1, peer=_mean_error),
    _error("mean_squared_error", OF_NUMBERS, 2),
    _error("root_mean_squared_error", OF_NUMBERS, 1),
    _error("mean_absolute_error", OF_NUMBERS, 1),
    _error("mean_absolute_percentage_error", LOGS),
    _error("mean_absolute_percentage_error[positive]", SCALED, 0, AMOUNTS),
    _error("mean_squared_log_error", LOGS, 0, AMOUNTS),
    _error("root_mean_squared_log_error", LOGS, 0, AMOUNTS),
    _error("median_absolute_error", QUANTILES, 1),
    _error("max_error", frozenset({ROW_ORDER, MERGE, SHIFT, SCALE}), 1, weights=()),
    _error("mean_pinball_loss", OF_NUMBERS, 1),
    _error("mean_pinball_loss[0.25]", OF_NUMBERS, 1, arguments={"alpha": 0.25}),
    *(
        _error(f"mean_tweedie_deviance[{p:g}]", SCALED, 2 - p, AMOUNTS, arguments={"power": p})
        for p in (-1.0, 0.0, 1.5, 3.0)
    ),
    _error("mean_poisson_deviance", SCALED, 1, AMOUNTS),
    _error("mean_gamma_deviance", SCALED, 0, AMOUNTS),
    *(
        _error(
            f"d2_tweedie_score[{p:g}]",
            SCALED,
            0,
            AMOUNTS,
            arguments={"power": p},
            peer=partial(_d2_tweedie, power=p),
        )
        for p in (0.0, 1.5, 2.0)
    ),
    _score("r2", "r2_score", "mean_squared_error", OF_NUMBERS),
    _score("explained_variance", "explained_variance_score", "error_variance", OF_NUMBERS),
    _score("d2_pinball_score", "d2_pinball_score", "mean_pinball_loss", QUANTILES),
    _score(
        "d2_pinball_score[0.25]", "d2_pinball_score", "mean_pinball_loss", QUANTILES, alpha=0.25
    ),
    _score("d2_absolute_error_score", "d2_absolute_error_score", "mean_absolute_error", QUANTILES),
)
