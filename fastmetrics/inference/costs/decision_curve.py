"""Decision curves of one or several models with bands, and the difference of two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.costs import check_prevalence
from fastmetrics._input.models import MODELS, NamedScores, check_models, named_scores
from fastmetrics._input.rows import column_count, has_names
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_confidence_level,
    check_weights_are,
    key_text,
    seed_key,
)
from fastmetrics._input.scores import check_probabilities, check_scores_array
from fastmetrics.errors import DegenerateDataWarning, InputError, renamed, warn_user
from fastmetrics.inference._normal import normal_quantile
from fastmetrics.inference.costs._called_moments import (
    NetBenefit,
    Rows,
    covariance,
    net_benefit_of,
)
from fastmetrics.inference.costs.decision_results import DecisionCurve, DecisionCurveDifference
from fastmetrics.tables.scores.both_classes import BOTH_CLASSES, lacks_one, lacks_spread

Floats = NDArray[np.float64]
Kind = Literal["pointwise", "simultaneous"]

#: Draws of the normal process whose largest deviation makes a simultaneous band.
_N_DRAWS: Final = 20_000
#: Variances below this share of the largest are rounding.
_NO_VARIANCE: Final = 2.0**-40

_CURVES: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,)
    Binary labels.
thresholds : array-like of shape (n_thresholds,), optional
    Threshold probabilities, rising, in (0, 1); by default 0.01, 0.02, ... 0.99.
standardized : bool, default=False
    Whether to divide by the prevalence, the net benefit of a perfect model.
prevalence : float, optional
    Share of positives, in (0, 1), as for a case-control study; None: that of the data.
kind : {"pointwise", "simultaneous"}, default="pointwise"
    Whether the limits hold at any one threshold, or at all of them at once.

Raises
------
TypeError
    If an argument is of the wrong kind.
ValueError
    If the data are not binary labels, a probability is outside [0, 1], or a threshold or the
    prevalence is not in (0, 1).

Warns
-----
UndefinedMetricWarning
    If a class has one row and there is a `prevalence`: errors and limits are nan.
"""


@documented(_CURVES, MODELS, BOTH_CLASSES)
def decision_curve(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    standardized: bool = False,
    prevalence: float | None = None,
    kind: Kind = "pointwise",
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    rng: Any = None,
) -> DecisionCurve:
    """Compute the decision curves of models: net benefit by threshold probability, with bands.

    Parameters
    ----------
    scores : mapping of str to array-like of shape (n_samples,), data frame, or array-like
        The probabilities of each model by its name; a single column is one model called
        ``"model"``. An array of shape (n_samples, n_models) needs `names`.

    Returns
    -------
    DecisionCurve
        Net benefit of each model with its limits, and that of treating all.

    Warns
    -----
    DegenerateDataWarning
        If a threshold makes no mistake on these rows and its limits are the value itself, as where
        net benefit is standardized or there is a `prevalence`.

    Notes
    -----
    Net benefit, ``TP/n - FP/n * t / (1 - t)``, is a mean over rows; its limits are normal ones,
    with the standard error of that mean (standardized: of the ratio; with a `prevalence`, of two
    samples). A simultaneous band is as many standard errors wide as the largest deviation of a
    normal process with the same correlations between thresholds. Where nobody is called the net
    benefit is 0 without error. ``docs/coverage.md`` has the simulated coverage: limits fall short
    where only a few rows are called.

    O(n log T) for T thresholds, and O(T²) of memory; simultaneous, O(T³).

    References
    ----------
    Vickers, A. J. & Elkin, E. B. (2006). Decision curve analysis: a novel method for evaluating
    prediction models. Medical Decision Making 26(6), 565-574.
    Sande, S. Z. et al. (2020). Statistical inference for decision curve analysis, with applications
    to cataract diagnosis. Statistics in Medicine 39(22), 2980-3002.

    Examples
    --------
    >>> y_true = [0, 0, 1, 1, 0, 1, 0, 0]
    >>> y_prob = [0.1, 0.3, 0.25, 0.8, 0.4, 0.6, 0.05, 0.2]
    >>> found = decision_curve(y_true, y_prob, thresholds=[0.2, 0.5])
    >>> found.net_benefit, found.treat_all
    (array([[0.28125, 0.25   ]]), array([ 0.21875, -0.25   ]))
    >>> found.interventions_avoided
    array([[0.25, 0.5 ]])
    """
    asked = _asked(
        thresholds, standardized, prevalence, kind, confidence_level, sample_weight, weights_are
    )
    several = names is not None or has_names(scores) or column_count(scores) > 1
    single = [NamedScores("model", "scores", scores)]
    models = named_scores(scores, names) if several else single
    rows, found = _models(y_true, models, asked, sample_weight=sample_weight, pos_label=pos_label)
    drawn = asked.generator(rng)
    bands = []
    for model in found:
        square = covariance(rows, model, model, asked.odds, by_class=prevalence is not None)
        bands.append(asked.limits(model.value, square, drawn))
    n_positive, n_negative = rows.totals
    share = asked.prevalence
    if share is None:
        share = n_positive / (n_positive + n_negative)
    treat_all = share - (1.0 - share) * asked.odds
    value, low, high, error = (np.array([band[i] for band in bands]) for i in range(4))
    perfect = (error == 0) & np.isclose(value, 1.0 if standardized else share, rtol=1e-12)
    if perfect.any():
        warn_user(
            f"the limits equal the net benefit at {np.count_nonzero(perfect)} of {perfect.size} "
            "thresholds: no mistake is made there on these data, which do not show how rare they "
            "are",
            DegenerateDataWarning,
        )
    return DecisionCurve(
        thresholds=_frozen(asked.thresholds),
        names=tuple(model.name for model in models),
        net_benefit=_frozen(value),
        low=_frozen(low),
        high=_frozen(high),
        standard_error=_frozen(error),
        treat_all=_frozen(treat_all / (share or math.nan) if standardized else treat_all),
        prevalence=share,
        standardized=standardized,
        kind=kind,
        confidence_level=asked.level,
        critical_value=tuple(band[4] for band in bands),
        key=None if drawn is None else drawn.key,
        weights_are=asked.weights_are,
    )


@documented(_CURVES, MODELS, BOTH_CLASSES)
def decision_curve_difference(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    standardized: bool = False,
    prevalence: float | None = None,
    kind: Kind = "pointwise",
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    rng: Any = None,
) -> DecisionCurveDifference:
    """Compute how much more net benefit one model has than another on the same rows.

    Parameters
    ----------
    scores : mapping of str to array-like of shape (n_samples,), or data frame
        The probabilities of two models by their names: the first less the second. An array of shape
        (n_samples, 2) needs `names`.

    Returns
    -------
    DecisionCurveDifference
        The difference at each threshold, with limits that know how alike the models are.

    Notes
    -----
    As in `decision_curve`: a mean over rows, of differences. Where both models call the same rows
    it is 0 without error. One threshold is a comparison of two models at one price; over many, take
    ``kind="simultaneous"``.
    Limits fall short where the models decide differently of a few rows alone: with 100 to 300 rows,
    10 % of them positive, at a threshold of 0.02 they covered 75 to 77 % instead of 95.

    Examples
    --------
    >>> y_true = [0, 0, 1, 1, 0, 1, 0, 0]
    >>> models = {
    ...     "a": [0.1, 0.3, 0.25, 0.8, 0.4, 0.6, 0.05, 0.2],
    ...     "b": [0.3, 0.1, 0.2, 0.7, 0.6, 0.4, 0.1, 0.1],
    ... }
    >>> decision_curve_difference(y_true, models, thresholds=[0.2, 0.5]).difference
    array([-0.03125,  0.25   ])
    """
    asked = _asked(
        thresholds, standardized, prevalence, kind, confidence_level, sample_weight, weights_are
    )
    models = named_scores(scores, names, at_least=2)
    if len(models) > 2:
        raise InputError(f"`scores` must name two models: got {len(models)}")
    rows, found = _models(y_true, models, asked, sample_weight=sample_weight, pos_label=pos_label)
    a, b = found
    of_a, of_b, of_both = (
        covariance(rows, *pair, asked.odds, by_class=prevalence is not None)
        for pair in ((a, a), (b, b), (a, b))
    )
    square = of_a + of_b - of_both - of_both.T
    drawn = asked.generator(rng)
    value, low, high, error, critical = asked.limits(a.value - b.value, square, drawn)
    return DecisionCurveDifference(
        thresholds=_frozen(asked.thresholds),
        names=(models[0].name, models[1].name),
        difference=_frozen(value),
        low=_frozen(low),
        high=_frozen(high),
        standard_error=_frozen(error),
        standardized=standardized,
        kind=kind,
        confidence_level=asked.level,
        critical_value=critical,
        key=None if drawn is None else drawn.key,
        weights_are=asked.weights_are,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    generator: np.random.Generator
    key: str


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """Checked options."""

    thresholds: Floats
    standardized: bool
    prevalence: float | None
    kind: str
    level: float
    weights_are: WeightsAre | None

    @property
    def odds(self) -> Floats:
        found: Floats = self.thresholds / (1.0 - self.thresholds)
        return found

    def generator(self, rng: Any) -> _Drawn | None:
        """Return the random numbers of a simultaneous band."""
        if self.kind == "pointwise":
            return None
        key = seed_key(rng)
        return _Drawn(np.random.Generator(np.random.Philox(key.tolist())), key_text(key))

    def limits(
        self, value: Floats, square: Floats, drawn: _Drawn | None
    ) -> tuple[Floats, Floats, Floats, Floats, float]:
        """Return values, limits, errors and how many errors wide the band is."""
        variance = np.diagonal(square).copy()
        variance[variance <= _NO_VARIANCE * np.max(variance, initial=0.0)] = 0.0
        error = np.sqrt(variance)
        critical = normal_quantile(0.5 + self.level / 2.0)
        varies = error > 0
        if drawn is not None and varies.any():
            scale = np.outer(error[varies], error[varies])
            critical = _largest_of(square[np.ix_(varies, varies)] / scale, self.level, drawn)
        return value, value - critical * error, value + critical * error, error, critical


def _asked(
    thresholds: Any,
    standardized: Any,
    prevalence: Any,
    kind: Any,
    confidence_level: Any,
    sample_weight: Any,
    weights_are: Any,
) -> _Asked:
    check_choice("kind", kind, ("pointwise", "simultaneous"))
    check_choice("standardized", standardized, (False, True))
    grid = np.arange(1, 100) / 100.0
    if thresholds is not None:
        grid = check_scores_array(thresholds, "thresholds").astype(np.float64)
        for what, bad in (
            ("lie in (0, 1)", (grid <= 0) | (grid >= 1)),
            ("rise", np.diff(grid, prepend=-1.0) <= 0),
        ):
            if bad.any():
                at = int(np.argmax(bad))
                raise InputError(f"`thresholds` must {what}: got {grid[at].item()!r} at index {at}")
    return _Asked(
        grid,
        standardized,
        check_prevalence(prevalence),
        kind,
        check_confidence_level(confidence_level),
        check_weights_are(sample_weight, weights_are),
    )


def _models(
    y_true: Any, models: list[NamedScores], asked: _Asked, *, sample_weight: Any, pos_label: Any
) -> tuple[Rows, list[NetBenefit]]:
    """Return the rows, and the net benefit of each model."""
    checked = check_models(
        y_true,
        models,
        sample_weight=sample_weight,
        weights_are="frequencies" if asked.weights_are == "frequencies" else None,
        pos_label=pos_label,
    )
    for model, column in zip(models, checked.scores, strict=True):
        with renamed(y_prob=model.argument):
            check_probabilities(column)
    weights = checked.rows.weights
    rows = Rows(checked.rows.labels == 1, weights, asked.weights_are == "frequencies")
    found = []
    n_positive, n_negative = rows.totals
    undefined = lacks_one(n_positive > 0, n_negative > 0, "net benefit")
    if not undefined and asked.prevalence is not None:
        lacks_spread(*rows.sizes(), "the error of net benefit")
    nothing = np.full(len(asked.odds), math.nan)
    for column in checked.scores:
        # Compared as doubles, which hold every float32.
        times = np.searchsorted(asked.thresholds, column.astype(np.float64), side="right")
        if undefined:
            pair = nothing, nothing
            found.append(NetBenefit(times, pair, nothing, (math.nan, math.nan), pair))
            continue
        found.append(
            net_benefit_of(
                rows,
                times,
                asked.odds,
                prevalence=asked.prevalence,
                standardized=asked.standardized,
            )
        )
    return rows, found


def _largest_of(correlation: Floats, level: float, drawn: _Drawn) -> float:
    """Return what the largest deviation of a normal process stays below with this probability."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    largest = np.abs(drawn.generator.standard_normal((_N_DRAWS, len(root))) @ root.T).max(axis=1)
    return float(np.quantile(largest, level))


def _frozen(array: Floats) -> Floats:
    array.flags.writeable = False
    return array
