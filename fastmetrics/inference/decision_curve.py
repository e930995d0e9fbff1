"""Decision curves of one or several models, or of what they have more than one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.containers import column_count, has_names
from fastmetrics._input.rows import (
    MODELS,
    BinaryRows,
    CheckedModels,
    NamedScores,
    check_models,
    named_scores,
)
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_confidence_level,
    check_rng,
    check_weights_are,
    key_text,
    seed_key,
)
from fastmetrics._input.scores import check_prevalence, check_probabilities, check_threshold_grid
from fastmetrics._plots._style import escape_name
from fastmetrics._plots.curves import PLOTTED, Band, Guide, PlotCurve, band_title, draw_curves
from fastmetrics._results import Result
from fastmetrics.errors import InputError, UndefinedMetricWarning, no_such, renamed, warn_user
from fastmetrics.inference.estimate_result import FIELDS
from fastmetrics.inference.reference import critical_value, quantile, tail
from fastmetrics.inference.samples import Design
from fastmetrics.inference.units import Floats, Units, Variance, warn_few_groups
from fastmetrics.metrics.costs.operating_point import net_benefit_influences
from fastmetrics.tables.score_table import BOTH_CLASSES, lacks_one, lacks_spread


@documented(FIELDS)
@dataclass(frozen=True, slots=True, repr=False)
class DecisionCurve(Result):
    """Net benefit of models at threshold probabilities, or its differences, with limits.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Threshold probabilities, rising.
    names : tuple of str
        Of the models.
    reference : str or None
        The model whose net benefit is taken away from that of all others.
    net_benefit : ndarray of shape (n_models, n_thresholds)
        Of treating whoever has at least the threshold probability; less that of `reference`.
    low, high : ndarray of shape (n_models, n_thresholds)
        Limits of it.
    standard_error : ndarray of shape (n_models, n_thresholds)
        Of it.
    treat_all : ndarray of shape (n_thresholds,)
        Net benefit of treating everybody, that of treating nobody being 0; less that of
        `reference`.
    prevalence : float
        Share of positives, of the data or as it was given.
    standardized : bool
        Whether net benefits were divided by it.
    kind : {"pointwise", "simultaneous"}
        Whether the limits hold at any one threshold, or at all of them at once.
    critical_value : tuple of float
        How many standard errors the limits of each model reach; of groups, where Student's t does
        as seldom as this of the normal distribution.
    """

    thresholds: Floats
    names: tuple[str, ...]
    reference: str | None
    net_benefit: Floats
    low: Floats
    high: Floats
    standard_error: Floats
    treat_all: Floats
    prevalence: float
    standardized: bool
    kind: str
    confidence_level: float
    critical_value: tuple[float, ...]
    key: str | None
    weights_are: WeightsAre | None

    def _display(self) -> Display:
        columns = {
            "threshold": np.tile(self.thresholds, len(self.names)),
            "model": np.repeat(self.names, len(self.thresholds)),
            "net_benefit": self.net_benefit.ravel(),
            "low": self.low.ravel(),
            "high": self.high.ravel(),
            "standard_error": self.standard_error.ravel(),
            "treat_all": np.tile(self.treat_all, len(self.names)),
        }
        names = ("reference", "standardized", "kind", "confidence_level", "key", "weights_are")
        options = Table.record({name: getattr(self, name) for name in names}, framed=False)
        return Display([Table(columns), options], type(self).__name__)

    @property
    def interventions_avoided(self) -> Floats:
        """Share of people whom a model spares a treatment, with no positive missed on balance.

        (net benefit - that of treating all) / (t / (1 - t)): of shape (n_models, n_thresholds).
        """
        odds = self.thresholds / (1.0 - self.thresholds)
        unit = self.prevalence if self.standardized else 1.0
        return np.asarray((self.net_benefit - self.treat_all) * unit / odds)

    @documented(PLOTTED)
    def plot(self, ax: Any = None, **line_options: Any) -> Any:
        """Draw net benefit against threshold probability, beside treating all and nobody.

        The limits are bands. What lies deep below 0 is no choice, and out of sight. Differences
        are drawn beside 0.
        """
        x = self.thresholds
        less = "" if self.reference is None else f" − {escape_name(self.reference)}"
        unit = "standardized net benefit" if self.standardized else "net benefit"
        guides = [
            Guide(x, self.treat_all, "treat all"),
            Guide(x, np.zeros(len(x)), "treat none", ":"),
        ]
        if self.reference is not None:
            unit = f"difference of {unit}"
            guides = [Guide(x, np.zeros(len(x)), "equal")]
        models = zip(self.names, self.net_benefit, self.low, self.high, strict=True)
        curves = [
            PlotCurve(x, benefit, escape_name(name) + less, Band(x, low, high))
            for name, benefit, low, high in models
        ]
        return draw_curves(
            curves,
            guides,
            ("threshold probability", unit),
            ax,
            depth=0.15 if self.reference is None else math.inf,
            title=band_title(self.confidence_level, self.kind),
            options=line_options,
        )


Kind = Literal["pointwise", "simultaneous"]

#: Variances below this fraction of the largest are rounding.
_NO_VARIANCE: Final = 2.0**-40
#: Rows added to each kind of row, so that what is rare and not seen has its error: of one model
#: those of either class, called or not, of two those that one alone calls (Bonett & Price 2012).
_ADDED: Final = {1: 1.0, 2: 0.5}
_N_DRAWS: Final = 20_000


@documented(MODELS, BOTH_CLASSES)
def decision_curve(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    reference: str | None = None,
    thresholds: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    standardized: bool = False,
    prevalence: float | None = None,
    kind: Kind = "pointwise",
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    rng: Any = None,
) -> DecisionCurve:
    """Compute the decision curves of models: net benefit by threshold probability, with bands.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    scores : mapping of str to array-like of shape (n_samples,), data frame, or array-like
        The probabilities of each model by its name; a single column is one model called
        ``"model"``. An array of shape (n_samples, n_models) needs `names`.
    reference : str, optional
        The model that all others are compared with on the same rows: the curves are then the net
        benefit that the others, and treating all, have more than it.
    thresholds : array-like of shape (n_thresholds,), optional
        Threshold probabilities, rising, in (0, 1); by default 0.01, 0.02, ... 0.99.
    standardized : bool, default=False
        Whether to divide by the prevalence, the net benefit of a perfect model.
    prevalence : float, optional
        Share of positives, in (0, 1), as for a case-control study; None: that of the data.
    kind : {"pointwise", "simultaneous"}, default="pointwise"
        Whether the limits hold at any one threshold, or at all of them at once.
    groups : array-like of shape (n_samples,), optional
        Which rows belong together (user, patient): groups then vary, not rows.

    Returns
    -------
    DecisionCurve
        Net benefit of each model with its limits, and that of treating all.

    Raises
    ------
    TypeError, ValueError
        If the data are not binary labels, or a probability, threshold or prevalence is none.

    Warns
    -----
    UndefinedMetricWarning
        If a class has one row and there is a `prevalence`: errors and limits are nan.
    SmallSampleWarning
        If groups are worth few.

    Notes
    -----
    Net benefit, ``TP/n - FP/n * t / (1 - t)``, is a mean over rows; its limits are normal ones,
    with the standard error of that mean (standardized: of the ratio; with a `prevalence`, of two
    samples). Of groups they are Student's, as in `estimate`. A simultaneous band is as many
    standard errors wide as the largest deviation of a normal process with the same correlations
    between thresholds.

    What is rare is not impossible: limits have the error of the rows with one more of each
    class that is called and that is not, of a difference with half a row more of each class
    that either model alone calls (Bonett and Price; in groups, by their variance over that of
    single rows). Where nothing varies `standard_error` is 0 and limits are not
    (``docs/coverage.md``). One threshold is a comparison at one price: `compare` has its p-value.

    For T thresholds O(n + T^2) memory and O(n log T + T^3) time, of groups and with a `reference`
    up to O(n T) more.

    References
    ----------
    Vickers, A. J. & Elkin, E. B. (2006). Decision curve analysis: a novel method for evaluating
    prediction models. Medical Decision Making 26(6), 565-574.
    Bonett, D. G. & Price, R. M. (2012). Adjusted Wald confidence interval for a difference of
    binomial proportions based on paired data. Journal of Educational and Behavioral Statistics
    37(4), 479-488.
    Sande, S. Z. et al. (2020). Statistical inference for decision curve analysis, with applications
    to cataract diagnosis. Statistics in Medicine 39(22), 2980-3002.

    Examples
    --------
    >>> y_true = [0, 0, 1, 1, 0, 1, 0, 0]
    >>> models = {
    ...     "a": [0.1, 0.3, 0.25, 0.8, 0.4, 0.6, 0.05, 0.2],
    ...     "b": [0.3, 0.1, 0.2, 0.7, 0.6, 0.4, 0.1, 0.1],
    ... }
    >>> result = decision_curve(y_true, models["a"], thresholds=[0.2, 0.5])
    >>> result.net_benefit, result.treat_all
    (array([[0.28125, 0.25   ]]), array([ 0.21875, -0.25   ]))
    >>> result.interventions_avoided
    array([[0.25, 0.5 ]])
    >>> decision_curve(y_true, models, reference="b", thresholds=[0.2, 0.5]).net_benefit
    array([[-0.03125,  0.25   ]])
    """
    check_choice("kind", kind, ("pointwise", "simultaneous"))
    check_choice("standardized", standardized, (False, True))
    grid = check_threshold_grid(thresholds)
    odds = grid / (1.0 - grid)
    prevalence = check_prevalence(prevalence)
    level = check_confidence_level(confidence_level)
    read = check_weights_are(sample_weight, weights_are)
    several = names is not None or has_names(scores) or column_count(scores) > 1
    models = named_scores(scores, names) if several else [NamedScores("model", "scores", scores)]
    model_names = tuple(model.name for model in models)
    if reference is not None and reference not in model_names:
        raise no_such(reference, "models", model_names)
    if reference is not None and len(model_names) < 2:
        raise InputError("`reference` is a model that others are compared with: got it alone")
    checked = check_models(
        y_true,
        models,
        sample_weight=sample_weight,
        weights_are=read if read == "frequencies" else None,
        pos_label=pos_label,
        groups=groups,
    )
    for model, column in zip(models, checked.scores, strict=True):
        with renamed(y_proba=model.argument):
            check_probabilities(column)
    options = odds, standardized, prevalence
    decisions = [
        _Decisions.from_scores(checked.rows, column, grid, *options) for column in checked.scores
    ]
    curves: list[tuple[int, ...]] = [(i,) for i in range(len(models))]
    if reference is not None:
        last = model_names.index(reference)
        curves = [(i, last) for i in range(len(models)) if i != last]
    check_rng(rng)
    key = None if kind == "pointwise" else seed_key(rng)
    generator = None if key is None else np.random.Generator(np.random.Philox(key.tolist()))
    positive_rate = _prevalence(decisions[0], prevalence, read)
    units = _units(checked, prevalence, read)
    bands = [_band([decisions[i] for i in curve], units, level, generator) for curve in curves]
    value, low, high, error = map(np.array, list(zip(*bands, strict=True))[:4])
    treat_all = positive_rate - (1.0 - positive_rate) * odds
    treat_all = treat_all / ((positive_rate or math.nan) if standardized else 1)
    if reference is not None:
        treat_all = treat_all - decisions[last].value
    for array in (grid, value, low, high, error, treat_all):
        array.flags.writeable = False
    return DecisionCurve(
        thresholds=grid,
        names=tuple(model_names[curve[0]] for curve in curves),
        reference=reference,
        net_benefit=value,
        low=low,
        high=high,
        standard_error=error,
        treat_all=treat_all,
        prevalence=positive_rate,
        standardized=standardized,
        kind=kind,
        confidence_level=level,
        critical_value=tuple(band[4] for band in bands),
        key=None if key is None else key_text(key),
        weights_are=read,
    )


class _Decisions(NamedTuple):
    """A model's decisions at T thresholds.

    ``codes`` combine each row's class with the number of thresholds that its score reaches;
    ``weights`` are sums by code, ``value`` net benefits (T,), ``influences`` by code (T, 2 T + 2).
    """

    codes: NDArray[np.int64]
    weights: Floats
    value: Floats
    influences: Floats

    @classmethod
    def from_scores(
        cls,
        rows: BinaryRows,
        scores: NDArray[Any],
        grid: Floats,
        odds: Floats,
        standardized: bool,
        prevalence: float | None,
    ) -> _Decisions:
        """Compute the decisions of scores at an ascending grid of thresholds."""
        # Compared as doubles, which hold every float32.
        n_reached = np.searchsorted(grid, scores.astype(np.float64), side="right")
        n = len(grid) + 1
        codes = (rows.labels == 1) * n + n_reached
        weights = np.bincount(codes, rows.weights, 2 * n).astype(np.float64)
        if not (weights[:n].any() and weights[n:].any()):
            nothing = np.full((n - 1, 2 * n), math.nan)
            return cls(codes, weights, nothing[:, 0], nothing)
        positive = np.repeat([False, True], n)
        called = np.tile(np.arange(n), 2) > np.arange(n - 1)[:, None]
        options = odds[:, None], standardized, prevalence
        return cls(codes, weights, *net_benefit_influences(positive, called, weights, *options))


def _largest(contributions: Floats, level: float, generator: np.random.Generator) -> float:
    """Simulate the quantile of a normal process's largest deviation; columns are units."""
    scaled = contributions / np.sqrt((contributions * contributions).sum(axis=1))[:, None]
    values, vectors = np.linalg.eigh(scaled @ scaled.T)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    largest = np.abs(generator.standard_normal((_N_DRAWS, len(root))) @ root.T).max(axis=1)
    return float(np.quantile(largest, level))


def _points(
    codes: list[NDArray[np.int64]], units: Units, n: int
) -> tuple[list[NDArray[np.int64]], Floats | None]:
    """Merge rows with equal codes into points; return their codes and roots of summed weights^2.

    Influences times the root are independent contributions. Rows of groups stay separate, with
    None for the root. ``n`` is the number of codes of a class.
    """
    if units.groups is not None:
        return codes, None
    power = units.counts if units.weights is None else np.square(units.weights)
    is_alone = len(codes) == 1
    n_joint = 2 * n if is_alone else 2 * n * n
    if n_joint <= max(len(codes[0]), 1 << 16):
        power = np.bincount(codes[0] if is_alone else codes[0] * n + codes[1] % n, power, n_joint)
        at = np.flatnonzero(power)
        power = power[at]
        codes = [at] if is_alone else [at // n, at // (n * n) * n + at % n]
    factor = units.factors[0 if units.strata is None else codes[0] // n]
    return codes, np.sqrt(factor * (np.ones(len(codes[0])) if power is None else power))


def _band(
    models: list[_Decisions], units: Units, level: float, generator: np.random.Generator | None
) -> tuple[Floats, Floats, Floats, Floats, float]:
    """Compute values, both limits, standard errors and the critical value of a band."""
    value = models[0].value - models[1].value if len(models) > 1 else models[0].value.copy()
    codes, root = _points([model.codes for model in models], units, len(value) + 1)
    weights = units.weights
    worth = 1.0 if weights is None else float(weights @ weights) / float(weights.sum())
    power = units.counts if weights is None else np.square(weights)
    kept = []
    variances = []
    added = []
    for j in range(len(value)):
        by_code = [model.influences[j] for model in models]
        influences = by_code[0][codes[0]]
        if len(models) > 1:
            influences = influences - by_code[1][codes[1]]
        ratio = 1.0  # of the variance over that of independent rows
        if root is not None:
            contributions = influences * root
            variance = Variance(float(np.sum(contributions * contributions)), math.inf)
        else:
            contributions = units.group_sums(influences[None])[0].sum(axis=0)
            variance = units.variance(influences)
            squared = np.square(influences)
            plain = float(squared.sum() if power is None else squared @ power)
            ratio = max(1.0, variance.value / plain) if plain > 0.0 else 1.0
        variances.append(variance)
        rare = [each.reshape(2, -1)[:, [0, -1]] for each in by_code]
        ends = rare[0].ravel()
        if len(models) > 1:
            ends = np.append(rare[0][:, 1] - rare[1][:, 0], rare[0][:, 0] - rare[1][:, 1])
        added.append(ends * (math.sqrt(_ADDED[len(models)]) * worth) * math.sqrt(ratio))
        if generator is not None:
            kept.append(np.append(contributions, added[-1]))
    squares = np.array([variance.value for variance in variances])
    squares[squares <= _NO_VARIANCE * np.max(squares, initial=0.0)] = 0.0
    wide = np.sqrt(squares + np.sum(np.square(added), axis=1))
    critical = critical_value(math.inf, 1.0 - level)
    varies = wide > 0
    if generator is not None and varies.any():
        critical = _largest(np.array(kept)[varies], level, generator)
    reach = np.full(len(value), critical)
    if root is None:  # groups: Student's t at the same tail
        outside = tail(critical, math.inf)
        for at in np.flatnonzero(squares > 0).tolist():
            reach[at] = quantile(outside, variances[at].df)
    reach = reach * wide
    return value, value - reach, value + reach, np.sqrt(squares), critical


def _prevalence(decisions: _Decisions, prevalence: float | None, read: WeightsAre | None) -> float:
    """Return the given or observed prevalence; warn if a class has too few rows."""
    negatives, positives = (float(half.sum()) for half in np.split(decisions.weights, 2))
    if not lacks_one(positives > 0, negatives > 0, "net benefit") and prevalence is not None:
        if read == "importances":
            positives = float(np.count_nonzero(decisions.codes > len(decisions.value)))
            negatives = len(decisions.codes) - positives
        lacks_spread(positives, negatives, "the error of net benefit")
    return positives / (positives + negatives) if prevalence is None else prevalence


def _units(checked: CheckedModels, prevalence: float | None, read: WeightsAre | None) -> Units:
    """Return the sampling units; warn where there are few groups."""
    design = Design(checked.rows.weights, read, checked.groups, None)
    classes = None if prevalence is None else (checked.rows.labels == 1).astype(np.int64)
    units = design.units(len(checked.rows.labels), classes)
    if units.groups is not None and units.n_units < 2:
        warn_user(
            "the error of net benefit is not defined: all rows are of one group",
            UndefinedMetricWarning,
        )
    elif units.groups is not None:
        warn_few_groups(units.effective_groups, units.n_units)
    return units
