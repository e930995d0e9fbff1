"""What is timed of calibration: isotonic fits, parts of scores, slopes, the summary of it all."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import sklearn.calibration
import sklearn.isotonic
import sklearn.metrics
from numpy.typing import NDArray

import fastmetrics
from benchmarks.speed.data import Data, Spec
from benchmarks.speed.public_calls import public
from benchmarks.speed.timing import Target

Call = Callable[[], Any]
Prepare = Callable[[Data], Call]


def _chances(data: Data) -> NDArray[np.float64]:
    """Return probabilities that rank the rows as the scores do, none of them 0 or 1."""
    scores = data.scores.astype(np.float64)
    half = 0.5 * np.tanh((scores - scores.mean()) / scores.std())
    return 0.5 + 0.999 * half


def _ours(name: str, read: Callable[[Any], Any] = lambda found: found, **more: Any) -> Prepare:
    """Return the work of one function, of whose result some numbers are read."""

    def prepare(data: Data) -> Call:
        p, function = _chances(data), public(name)
        return lambda: read(function(data.labels, p, **more))

    return prepare


def _parts(found: Any) -> tuple[float, ...]:
    return found.loss, found.miscalibration, found.discrimination, found.uncertainty


def _line(found: Any) -> tuple[float, ...]:
    return found.slope, found.intercept


def _isotonic(data: Data, **more: Any) -> Call:
    p = _chances(data)
    return lambda: fastmetrics.calibration.isotonic_fit(data.labels, p, **more).values


WORKS: dict[str, Prepare] = {
    "isotonic": _isotonic,
    "weighted isotonic": lambda data: _isotonic(data, sample_weight=data.weights),
    "decomposition": _ours("score_decomposition", _parts, loss="log_loss"),
    "logistic": _ours("logistic_calibration", _line),
    "calibration summary": _ours(
        "calibration_summary",
        lambda found: (*_parts(found.log_loss), *_line(found.logistic)),
    ),
    "calibration_curve": _ours("calibration_curve", n_bins=15),
}


@lru_cache(maxsize=4)
def _fit_by_sklearn(spec: Spec, weighted: bool) -> NDArray[np.float64]:
    from benchmarks.speed.data import make

    return np.unique(_sklearn_isotonic(make(spec), weighted)())


def _sklearn_isotonic(data: Data, weighted: bool) -> Call:
    p, y = _chances(data), (data.labels == 1).astype(np.float64)
    weights = data.weights if weighted else None
    return lambda: (
        sklearn.isotonic.IsotonicRegression().fit(p, y, sample_weight=weights).y_thresholds_
    )


def _check_isotonic(weighted: bool) -> Callable[[Data, Any], None]:
    def check(data: Data, answer: NDArray[np.float64]) -> None:
        right = _fit_by_sklearn(data.spec, weighted)
        np.testing.assert_allclose(answer[[0, -1]], right[[0, -1]], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(answer.mean(), right.mean(), rtol=1e-6)

    return check


def _check_decomposition(data: Data, answer: tuple[float, ...]) -> None:
    score, miscalibration, discrimination, uncertainty = answer
    right = sklearn.metrics.log_loss(data.labels, _chances(data))
    np.testing.assert_allclose(score, right, rtol=1e-10)
    assert miscalibration - discrimination + uncertainty == score
    share = np.mean(data.labels == 1)
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    np.testing.assert_allclose(uncertainty, entropy, rtol=1e-10)


def _check_logistic(data: Data, answer: tuple[float, ...]) -> None:
    slope, intercept = answer
    p = _chances(data)
    x = np.log(p) - np.log1p(-p)
    left = (data.labels == 1) - 1.0 / (1.0 + np.exp(-(intercept + slope * x)))
    np.testing.assert_allclose([left.sum(), (left * x).sum()], 0.0, atol=1e-9 * len(p))


def _check_summary(data: Data, answer: tuple[float, ...]) -> None:
    _check_decomposition(data, answer[:4])
    _check_logistic(data, answer[4:])


def _check_curve(data: Data, answer: Any) -> None:
    right = sklearn.calibration.calibration_curve(data.labels == 1, _chances(data), n_bins=15)
    for ours, theirs in zip(answer, right, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def _curve_by_sklearn(data: Data) -> Call:
    p = _chances(data)
    return lambda: sklearn.calibration.calibration_curve(data.labels, p, n_bins=15)


CHECKS: dict[str, Callable[[Data, Any], None]] = {
    "isotonic": _check_isotonic(weighted=False),
    "weighted isotonic": _check_isotonic(weighted=True),
    "decomposition": _check_decomposition,
    "logistic": _check_logistic,
    "calibration summary": _check_summary,
    "calibration_curve": _check_curve,
}
YARDSTICKS: dict[str, Prepare] = {
    "sklearn isotonic": lambda data: _sklearn_isotonic(data, weighted=False),
    "sklearn weighted isotonic": lambda data: _sklearn_isotonic(data, weighted=True),
}
PEERS: dict[str, Prepare] = {
    "sklearn calibration_curve": _curve_by_sklearn,
}
NAMES = {
    "sklearn isotonic": "scikit-learn's `IsotonicRegression`",
    "sklearn weighted isotonic": "scikit-learn's `IsotonicRegression`",
}

_MILLION = Spec(rows=1_000_000)


def _row(
    key: str, what: str, work: str, yardstick: str, bound: float | None = None, **more: Any
) -> Target:
    return Target(key, f"{what}, 10⁶ rows", work, yardstick, bound, spec=_MILLION, **more)


TARGETS: tuple[Target, ...] = (
    _row("isotonic", "`isotonic_fit`", "isotonic", "sklearn isotonic", 10, at_least=True),
    _row("calibration_summary", "`calibration_summary`", "calibration summary", "sort", 3),
)
CONTEXT: tuple[Target, ...] = (
    _row(
        "isotonic_weighted",
        "`isotonic_fit`, weights",
        "weighted isotonic",
        "sklearn weighted isotonic",
        at_least=True,
    ),
    _row("decomposition", "`score_decomposition`, log loss", "decomposition", "sort"),
    _row("logistic_calibration", "`logistic_calibration`", "logistic", "sort"),
    _row(
        "calibration_curve",
        "`calibration_curve`",
        "calibration_curve",
        "sklearn calibration_curve",
        at_least=True,
    ),
)
