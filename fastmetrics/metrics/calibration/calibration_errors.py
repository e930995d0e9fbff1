"""Calibration errors in bins, and the sums of outcomes and probabilities in each bin."""

from __future__ import annotations

import math
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import class_codes, in_class_order
from fastmetrics._input.containers import as_array, column_count
from fastmetrics._input.regression_targets import OF_CALIBRATION
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_integer,
    check_same_length,
    check_weights_are,
)
from fastmetrics._input.scores import check_score_matrix, check_weights
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.metrics.calibration._probability_table import (
    Floats,
    probabilities,
    probability_table,
)
from fastmetrics.tables.score_table import ScoreTable

Strategy = Literal["uniform", "quantile", "equal-count", "uniform-left-closed"]
STRATEGIES: Final = get_args(Strategy)
LEFT_CLOSED: Final = "uniform-left-closed"
#: Bound on memory: the edges take at most 8 MB.
MOST_BINS: Final = 10**6

#: Shared docstring of functions with bins.
BINNED: Final = """
Parameters
----------
n_bins : int, default=15
    Number of bins; those without a row are left out.
strategy : {"uniform", "quantile", "equal-count", "uniform-left-closed"}, default="uniform"
    "uniform": (k / n_bins, (k + 1) / n_bins], the first one closed. "quantile": these too are
    closed on the right, and cut at the percentiles of the rows' probabilities; weights must be
    whole numbers, of that many rows. Both are scikit-learn's. "equal-count": a row is in bin
    floor(n_bins * share of rows with a lower probability), equally many rows in each as far as rows
    of one probability, which are never parted, allow. "uniform-left-closed":
    [k / n_bins, (k + 1) / n_bins), the last one closed.
"""


class BinSums(NamedTuple):
    """Sums over the rows of each bin; bins without rows are left out.

    ``gaps`` are outcomes less probabilities, ``outcomes`` the positives; ``squares`` are the sums
    of the squared gaps of rows, empty unless requested.
    """

    weight: NDArray[Any]
    gaps: Floats
    outcomes: Floats
    squares: Floats

    @property
    def fractions(self) -> Floats:
        """The fraction of the weight in each bin."""
        return np.asarray(self.weight / self.weight.sum())

    @property
    def distances(self) -> Floats:
        """The distance between the mean outcome and the mean probability of each bin."""
        return np.asarray(np.abs(self.gaps) / self.weight)


def check_bins(n_bins: Any, strategy: Any) -> tuple[int, Strategy]:
    """Return the checked number of bins and strategy."""
    chosen: Strategy = check_choice("strategy", strategy, STRATEGIES)
    return check_integer("n_bins", n_bins, low=1, high=MOST_BINS), chosen


def ascending(table: ScoreTable) -> tuple[Floats, NDArray[Any], NDArray[Any]]:
    """Return ascending probabilities, the positives at each, and all rows at each."""
    positives = table.positives[::-1]
    return probabilities(table)[::-1], positives, positives + table.negatives[::-1]


def bin_sums(
    table: ScoreTable, n_bins: int, strategy: Strategy, *, squares: bool = False
) -> BinSums:
    """Return the sums in bins of a table of probabilities."""
    p, positives, weight = ascending(table)
    starts = bin_starts(p, weight, n_bins, strategy)
    gaps = weight * p
    np.subtract(positives, gaps, out=gaps)
    row_squares = np.empty(0)
    if squares:
        terms = positives * (1.0 - p) ** 2 + (weight - positives) * (p * p)
        row_squares = np.add.reduceat(terms, starts)
    return BinSums(
        np.add.reduceat(weight, starts),
        np.add.reduceat(gaps, starts),
        np.add.reduceat(positives, starts).astype(np.float64),
        row_squares,
    )


def uniform_edges(n_bins: int) -> Floats:
    """Return the edges between uniform bins, the doubles of `np.linspace` as in scikit-learn."""
    return np.linspace(0.0, 1.0, n_bins + 1)[1:-1]


def bins_between(edges: Floats, p: Floats, strategy: Strategy) -> NDArray[np.intp]:
    """Return the bin of each probability, given the edges between bins."""
    return np.searchsorted(edges, p, side="right" if strategy == LEFT_CLOSED else "left")


def bin_starts(
    p: Floats, weight: NDArray[Any], n_bins: int, strategy: Strategy
) -> NDArray[np.intp]:
    """Return the first index of each non-empty bin among ascending probabilities."""
    if strategy == "equal-count":
        # the bin follows from the fraction of the rows with a lower probability
        below = np.cumsum(weight) - weight
        if weight.dtype.kind == "f":
            bins = np.floor(below / weight.sum() * n_bins)
            return np.flatnonzero(np.diff(bins, prepend=-1))
        total = int(weight.sum())
        cuts = np.searchsorted(below, [-(-total * k // n_bins) for k in range(n_bins)])
        return np.unique(cuts[cuts < len(p)])
    edges = _percentiles(p, weight, n_bins) if strategy == "quantile" else uniform_edges(n_bins)
    cuts = np.searchsorted(p, edges, side="left" if strategy == LEFT_CLOSED else "right")
    starts = np.unique(np.concatenate([[0], cuts]))
    return starts[starts < len(p)]


def _percentiles(p: Floats, rows: NDArray[Any], n_bins: int) -> Floats:
    """Return the edges between bins: `np.percentile` of probabilities repeated ``rows`` times.

    The bits are NumPy's, so that rows on an edge fall into the same bin as in scikit-learn.
    """
    if rows.dtype.kind == "f":
        raise InputError(
            "`'quantile'` bins are cut at percentiles of rows, and weights that are not whole "
            "numbers do not say how many there are: take 'equal-count'"
        )
    if len(p) == 0:
        return p
    last = np.cumsum(rows)
    position = (last[-1] - 1) * (np.linspace(0.0, 1.0, n_bins + 1) * 100 / 100)[1:-1]
    before = np.floor(position)
    low, high = (p[np.searchsorted(last, each, side="right")] for each in (before, before + 1))
    t = position - before
    gap = high - low
    return np.asarray(np.where(t < 0.5, low + gap * t, high - gap * (1 - t)))


Form = Literal["top-label", "class-wise"]
#: Absolute tolerance of isclose in the array API, as for the log loss.
_ABSOLUTE: Final = 1e-8

#: Shared docstring of metrics in bins.
SEVERAL: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,) or ScoreTable
    Labels; or a table of probabilities, and then `y_proba` is left out.
y_proba : array-like of shape (n_samples,) or (n_samples, n_classes), optional
    Probabilities in [0, 1]: of the positive class, or a column for each class in the order of the
    sorted labels, the rows adding up to 1.
form : {"top-label", "class-wise"}, optional
    What is asked of columns. "top-label" (the default): the greatest probability of a row, the
    first of those that tie, is that of being right. "class-wise": each class's probability is that
    of its own. One column has no form.
labels : array-like of shape (n_classes,), optional
    The classes that columns stand for, sorted; needed where one has no row.

Raises
------
TypeError
    If an argument is of the wrong kind.
ValueError
    If labels and columns do not match, a probability lies outside [0, 1], or the probabilities of
    a row do not add up to 1.
"""


def binned(
    y_true: Any,
    y_proba: Any,
    n_bins: Any,
    strategy: Any,
    form: Any,
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
    labels: Any = None,
    squares: bool = False,
) -> list[BinSums]:
    """Return the sums in bins: one for each class if "class-wise", else a single one.

    Return an empty list, with a warning, where there are no rows.
    """
    n_bins, strategy = check_bins(n_bins, strategy)
    weights = sample_weight
    if sample_weight is not None and weights_are == "frequencies":
        n_rows = len(as_array(sample_weight, "sample_weight"))
        weights = check_weights(sample_weight, n_rows, weights_are=weights_are)[0].astype(np.int64)
    if isinstance(y_true, ScoreTable) or column_count(y_proba) == 1:
        for name, value in (("form", form), ("labels", labels)):
            if value is not None:
                raise InputTypeError(f"`{name}` is for a column of `y_proba` a class: got one")
        table = probability_table(y_true, y_proba, sample_weight=weights, pos_label=pos_label)
        return _with_rows([bin_sums(table, n_bins, strategy, squares=squares)])
    _check_no_pos_label(pos_label)
    chosen = "top-label" if form is None else check_choice("form", form, get_args(Form))
    codes, columns = class_rows(y_true, y_proba, labels)
    problems = [top_label(codes, columns)]
    if chosen == "class-wise":
        problems = [(codes == k, columns[:, k]) for k in range(columns.shape[1])]
    tables = (ScoreTable.from_scores(*each, sample_weight=weights) for each in problems)
    return _with_rows([bin_sums(table, n_bins, strategy, squares=squares) for table in tables])


def _with_rows(problems: list[BinSums]) -> list[BinSums]:
    if all(len(one.weight) for one in problems):
        return problems
    warn_user("a calibration error is not defined: there are no rows", UndefinedMetricWarning)
    return []


def _check_no_pos_label(pos_label: Any) -> None:
    if pos_label is not None:
        raise InputTypeError("`pos_label` is for one column of `y_proba`: `labels` names classes")


def one_table(y_true: Any, y_proba: Any, *, pos_label: Any, labels: Any) -> ScoreTable:
    """Return the table of the probabilities of the positive class, or of the top label."""
    if isinstance(y_true, ScoreTable) or column_count(y_proba) == 1:
        if labels is not None:
            raise InputTypeError("`labels` is for a column of `y_proba` a class: got one")
        return probability_table(y_true, y_proba, pos_label=pos_label)
    _check_no_pos_label(pos_label)
    hits, highest = top_label(*class_rows(y_true, y_proba, labels))
    return ScoreTable.from_scores(hits, highest)


def class_rows(y_true: Any, y_proba: Any, labels: Any) -> tuple[NDArray[np.int64], Floats]:
    """Return the column of each row's label, and the checked probabilities."""
    y_proba = in_class_order(y_proba, y_true, labels, name="y_proba")
    columns = check_score_matrix(y_proba, "y_proba")
    codes = class_codes(y_true, labels, columns.shape[1], "y_proba")
    check_same_length(y_true=codes, y_proba=columns)
    eps = float(np.finfo(columns.dtype).eps) if columns.dtype.kind == "f" else 0.0
    probabilities = columns.astype(np.float64, copy=False)
    OF_CALIBRATION.check_predicted(probabilities, "y_proba")
    off = np.abs(probabilities.sum(axis=1) - 1.0) > math.sqrt(eps) + _ABSOLUTE
    if off.any():
        first = int(np.argmax(off))
        raise InputError(
            "the rows of `y_proba` must add up to 1: "
            f"{float(probabilities[first].sum())!r} at index {first}, "
            f"{np.count_nonzero(off):,} in all"
        )
    return codes, probabilities


def top_label(codes: NDArray[np.int64], columns: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Return True where each row's most probable class is the true one, and its probability."""
    top = columns.argmax(axis=1)
    return codes == top, columns[np.arange(len(top)), top]


Estimator = Literal["kumar", "sun", "plug-in"]

#: Shared docstring of each error in bins.
_NO_SCORE: Final = """
Warns
-----
UndefinedMetricWarning
    If a table has no rows: the error is nan.

Notes
-----
Not a proper score: it depends on the bins, and a model that gives everyone the base rate has none.
To choose a model take `brier_score_loss` or `log_loss`. By chance alone it is above 0 for perfect
probabilities too, the more so the fewer rows a bin has, and the bootstrap adds that bias once
more: it has no interval. `calibration_test` says whether chance explains an error,
`calibration_error_interval` how large its square is. Rows are sorted once (those of each class for
"class-wise"): O(n log n), and the same bits in any order of rows without weights.
"""


@documented(BINNED, SEVERAL, _NO_SCORE)
def expected_calibration_error(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    form: Form | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the expected calibration error (ECE), the mean gap of outcomes and probabilities.

    Returns
    -------
    float
        The sum over bins of the share of their rows times the gap between the share of positives
        and the mean probability; in [0, 1], 0 is best. "class-wise": the mean of the classes'
        errors; with ``strategy="equal-count"`` the adaptive calibration error (ACE).

    References
    ----------
    Pakdaman Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated probabilities using
    Bayesian binning, AAAI. Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural
    networks, ICML (top-label). Kull et al. (2019), Beyond temperature scaling, NeurIPS
    (class-wise).

    Examples
    --------
    >>> import fastmetrics
    >>> y_true, y_proba = [0, 1, 0, 1, 1], [0.125, 0.25, 0.5, 0.75, 0.875]
    >>> fastmetrics.calibration.expected_calibration_error(y_true, y_proba, n_bins=2)
    0.1
    >>> y_proba = [[0.75, 0.25, 0.0], [0.25, 0.75, 0.0], [0.0, 0.5, 0.5]]
    >>> fastmetrics.calibration.expected_calibration_error(["a", "b", "c"], y_proba, n_bins=2)
    0.3333333333333333
    """
    more: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    problems = binned(y_true, y_proba, n_bins, strategy, form, **more, labels=labels)
    return _mean([float((one.fractions * one.distances).sum()) for one in problems])


@documented(BINNED, SEVERAL, _NO_SCORE)
def maximum_calibration_error(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    form: Form | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the maximum calibration error (MCE), the largest gap of a bin.

    Returns
    -------
    float
        The largest gap between the share of positives and the mean probability of a bin, however
        few its rows; in [0, 1], 0 is best. "class-wise": of all classes'.

    References
    ----------
    Pakdaman Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated probabilities using
    Bayesian binning, AAAI.

    Examples
    --------
    >>> import fastmetrics
    >>> y_true, y_proba = [0, 1, 0, 1, 1], [0.125, 0.25, 0.5, 0.75, 0.875]
    >>> fastmetrics.calibration.maximum_calibration_error(y_true, y_proba, n_bins=2)
    0.1875
    """
    more: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
    problems = binned(y_true, y_proba, n_bins, strategy, form, **more, labels=labels)
    return max((float(one.distances.max()) for one in problems), default=math.nan)


@documented(BINNED, SEVERAL, _NO_SCORE)
def root_mean_square_calibration_error(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    n_bins: int = 15,
    strategy: Strategy = "uniform",
    estimator: Estimator = "kumar",
    form: Form | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the root of the bias-corrected mean squared calibration error (l2-ECE).

    Parameters
    ----------
    estimator : {"kumar", "sun", "plug-in"}, default="kumar"
        What is taken from the squared gap of a bin for what chance adds to it: with n rows, a share
        of positives s and gaps u of its rows, s (1 - s) / (n - 1) ("kumar"); the variance of u over
        n ("sun"), which is right where probabilities differ within a bin too; nothing ("plug-in").

    Returns
    -------
    float
        The root of the mean over rows of the squared gap of their bins, or 0 where the estimate of
        the mean is negative; 0 is best. "class-wise": the mean is over the classes too.

    Raises
    ------
    ValueError
        If an estimator without bias meets weights that are not declared frequencies, or a table
        of fractional weights: how many rows a bin is worth is then not known.

    Warns
    -----
    UndefinedMetricWarning
        If no bin has two rows, and the bias cannot be taken off: the error is nan.

    Notes
    -----
    A bin of one row, whose bias cannot be told, adds nothing to the sum without bias.

    References
    ----------
    Kumar, Liang & Ma (2019), Verified uncertainty calibration, NeurIPS. Sun, Chaudhari, Barnett &
    Dobriban (2024), A confidence interval for the l2 expected calibration error, arXiv:2408.08998.

    Examples
    --------
    >>> import fastmetrics
    >>> y_true, y_proba = [0, 1, 0, 0, 1, 1], [0.75, 0.75, 0.75, 0.75, 0.25, 0.25]
    >>> [round(fastmetrics.calibration.root_mean_square_calibration_error(
    ...     y_true, y_proba, n_bins=2, estimator=each), 6) for each in ("kumar", "sun", "plug-in")]
    [0.559017, 0.559017, 0.595119]
    """
    check_choice("estimator", estimator, get_args(Estimator))
    what = check_weights_are(sample_weight, weights_are)
    if what == "importances" and estimator != "plug-in":
        _refuse_importances(estimator)
    more: dict[str, Any] = {"sample_weight": sample_weight, "weights_are": what}
    more |= {"pos_label": pos_label, "labels": labels, "squares": estimator == "sun"}
    problems = binned(y_true, y_proba, n_bins, strategy, form, **more)
    if problems and estimator != "plug-in":
        if isinstance(y_true, ScoreTable) and y_true.is_weighted:
            _refuse_importances(estimator)
        if not any((one.weight > 1).any() for one in problems):
            warn_user(
                "the bias of a calibration error is not defined: no bin has two rows; take fewer "
                "`n_bins`",
                UndefinedMetricWarning,
            )
            return math.nan
    return math.sqrt(max(_mean([mean_square(one, estimator) for one in problems]), 0.0))


def mean_square(one: BinSums, estimator: Estimator) -> float:
    """Return the estimate of the mean squared gap; below 0 at times, unless it is "plug-in"."""
    n = one.weight
    square = one.gaps**2
    if estimator == "plug-in":
        return float((one.fractions * (square / n**2)).sum())
    rows = np.maximum(n, 2)  # a bin of one row has no estimate
    if estimator == "sun":
        bias = one.squares
    else:
        bias = (one.outcomes * (n - one.outcomes) + square) / rows
    terms = (square - bias) / (rows - 1)
    return float(np.where(n > 1, terms, 0.0).sum() / n.sum())


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _refuse_importances(estimator: str) -> None:
    raise InputError(
        f"`estimator='{estimator}'` needs to know how many rows a bin has: pass "
        "`weights_are='frequencies'`, where weights are whole numbers of rows, or take "
        "`estimator='plug-in'`, which keeps its bias"
    )
