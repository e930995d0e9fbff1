"""Losses of probabilities, their skill scores, the hinge loss, and top-k accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels, in_class_order, show_labels
from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import (
    check_choice,
    check_flag,
    check_fraction,
    check_integer,
    check_same_length,
)
from fastmetrics._input.scores import Weights, check_finite
from fastmetrics._kernels import cells
from fastmetrics._threads.workers import by_blocks, run
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.metrics._metric import Floats, RowInfluences, mean_influences, ratio_influences
from fastmetrics.metrics.probabilities._loss_sums import (
    D2,
    HINGE,
    LABELS,
    LABELS_OR_INDICATOR,
    LOG,
    ClassColumns,
    LossSums,
    ProbabilityRows,
    TwoClasses,
    binary_sums,
    check_labels,
    check_members,
    class_sums,
    column_codes,
    distinct_labels,
    exact_sum,
    guess_two_classes,
    job_rows,
    one_against_other,
    readable,
    readable_scores,
    renamed,
    row_weights,
    sums_by_columns,
    undefined_skill,
)

_BRIER_PROBABILITIES: Final = """
Parameters
----------
pos_label : number, bool or str, optional
    The positive label beside one column: 1 for labels in {0, 1} or {-1, 1}, the greater of
    two other numbers, and needed for text. Not read beside several columns.
labels : array-like of shape (n_classes,), optional
    The classes beside several columns, sorted; needed when one has no row. Beside one column
    they choose nothing, and must name the labels that occur.

Raises
------
ValueError
    If a probability lies outside [0, 1], labels are text without `pos_label`, `pos_label` is
    none of two labels, or labels and columns do not match.
"""


#: Skills within this of 0 are 0: rounding of both sums gave the base rate up to 6 * 2**-53.
_ROUNDING: Final = 2.0**-50


@documented(LABELS_OR_INDICATOR, _BRIER_PROBABILITIES, LABELS)
def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: float | bool | str | None = None,
    labels: ArrayLike | None = None,
    scale_by_half: bool | Literal["auto"] = "auto",
    n_threads: int | None = None,
) -> float:
    """Compute the Brier score: the mean squared error of the probabilities of the classes.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the positive label,
        or one column for each class in the order of the sorted labels.
    scale_by_half : bool or "auto", default "auto"
        Whether to halve the sum over the classes, so that it lies in [0, 1] and not in [0, 2]:
        "auto" does for two classes.

    Returns
    -------
    float
        At least 0, the smaller the better.

    Notes
    -----
    One pass, O(n k) time, without a temporary of length n for integer labels. Summed in double
    precision; the sum is off by at most 2**-48 of itself, whatever its length.

    References
    ----------
    Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly
    Weather Review 78, 1-3.

    Examples
    --------
    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 6)
    0.0375
    >>> y_proba = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]
    >>> round(brier_score_loss(["a", "b", "c"], y_proba), 6)
    0.146667
    """
    choice: Any = scale_by_half
    choice = bool(choice) if isinstance(choice, np.bool_) else choice
    check_choice("scale_by_half", choice, (True, False, "auto"))
    rows = ProbabilityRows(y_true, y_proba, sample_weight, labels)
    sums = rows.squares(pos_label)
    n_columns = 1 if rows.scores.ndim == 1 else rows.scores.shape[1]
    halved = n_columns <= 2 if choice == "auto" else choice
    # One column holds the error of one of two classes; that of the other is the same.
    factor = (1.0 if n_columns == 1 else 0.5) if halved else (2.0 if n_columns == 1 else 1.0)
    return sums.mean * factor


@documented(LABELS_OR_INDICATOR, _BRIER_PROBABILITIES, LABELS, D2)
def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: float | bool | str | None = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the Brier skill score: 1 - Brier score / that of the class frequencies.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the positive label,
        or one column for each class in the order of the sorted labels.

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two rows (nan), or all rows belong to one class: the shares then
        make no error, and the result is -inf, or nan if the model makes none either.

    Notes
    -----
    One pass: the score of the shares p_c follows from the weights of the classes, it is the sum of
    p_c (1 - p_c).

    References
    ----------
    Murphy, A. H. (1973). A new vector partition of the probability score. Journal of Applied
    Meteorology 12, 595-600.

    Examples
    --------
    >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 6)
    0.85
    """
    rows = ProbabilityRows(y_true, y_proba, sample_weight, labels)
    if rows.are_too_few():
        return math.nan
    sums = rows.squares(pos_label)
    mean = sums.mean * (2.0 if rows.scores.ndim == 1 else 1.0)  # one column has half of the errors
    fractions = sums.class_fractions
    null_mean = math.fsum(fractions * (1.0 - fractions))
    if null_mean > 0.0:
        score = 1.0 - mean / null_mean
        return 0.0 if abs(score) <= _ROUNDING else score
    return undefined_skill("Brier score", has_loss=mean > 0.0)


def _log_losses(codes: NDArray[Any], p: NDArray[Any]) -> Floats:
    """Return -log of the probability of each row's class, clipped by the machine epsilon."""
    eps = _eps(p)
    given = _true_class_probabilities(codes, p.astype(np.float64, copy=False))
    return np.asarray(-np.log(np.clip(given, eps, 1.0 - eps)))


def _eps(p: NDArray[Any]) -> float:
    return float(np.finfo(p.dtype if p.dtype.kind == "f" else np.float64).eps)


def _true_class_probabilities(codes: NDArray[Any], p: Floats) -> Floats:
    """Return the probability of each row's class; one column is that of class 1."""
    if p.ndim == 1:
        return np.where(codes == 1, p, 1.0 - p)
    return np.asarray(p[np.arange(len(p)), codes])


def _brier_scores(codes: NDArray[Any], p: NDArray[Any]) -> Floats:
    p = p.astype(np.float64, copy=False)
    if p.ndim == 1:
        return np.asarray((p - (codes == 1)) ** 2)
    given = p[np.arange(len(p)), codes]
    return np.asarray((p * p).sum(axis=1) - given * given + (1.0 - given) ** 2)


def _hinge_losses(codes: NDArray[Any], scores: NDArray[Any]) -> Floats:
    scores = scores.astype(np.float64, copy=False)
    if scores.ndim == 1:
        margin = np.where(codes == 1, scores, -scores)
    else:
        rows = np.arange(len(scores))
        others = scores.copy()
        others[rows, codes] = -np.inf
        margin = scores[rows, codes] - others.max(axis=1)
    return np.maximum(1.0 - margin, 0.0)


_LOSSES: Final[dict[str, Callable[..., Floats]]] = {
    "log_loss": _log_losses,
    "brier_score": _brier_scores,
    "hinge_loss": _hinge_losses,
}
_SAVED: Final = {"d2_log_loss_score": "log_loss", "d2_brier_score": "brier_score"}


def row_losses(name: str, codes: NDArray[Any], p: NDArray[Any]) -> Floats:
    """Return the loss of each row, by the name of its mean; see `loss_influences`."""
    losses = np.empty(len(p))

    def fill(here: slice) -> None:
        losses[here] = _LOSSES[name](codes[here], p[here])

    by_blocks(len(p), fill)
    return losses


def loss_influences(
    name: str, codes: NDArray[Any], p: NDArray[Any], weights: Floats | None
) -> RowInfluences:
    """Return a loss by its name with the influence of each row.

    ``codes`` are class codes; for one column of probabilities, 1 is its class. A skill score
    compares with the base rate, whose change does not matter to first order: its loss is least.
    """
    if name in _LOSSES:
        return mean_influences(row_losses(name, codes, p), weights)
    loss = partial(row_losses, _SAVED[name])
    n_classes = 2 if p.ndim == 1 else p.shape[1]
    positive = (codes == 1).astype(np.int64) if p.ndim == 1 else codes
    fractions = np.bincount(positive, weights, n_classes)
    fractions = fractions / fractions.sum()
    if np.count_nonzero(fractions) < 2:  # the base rate has no loss: -inf, or nan if perfect
        clipped = 2.0 * _eps(p) if _SAVED[name] == "log_loss" else 0.0
        has_loss = mean_influences(loss(codes, p), weights).value > clipped
        return RowInfluences(-np.inf if has_loss else np.nan, np.full(len(p), np.nan))
    null = np.full(len(p), fractions[1]) if p.ndim == 1 else np.broadcast_to(fractions, p.shape)
    saved = ratio_influences(
        mean_influences(loss(codes, p), weights), mean_influences(loss(codes, null), weights)
    )
    return saved.scaled(-1.0, 1.0 - saved.value)


_DOUBLE: Final = float(np.finfo(np.float64).eps)

_PROBABILITIES: Final = """
Raises
------
ValueError
    If a probability lies outside [0, 1], `y_true` has one class only and `labels` is not
    given, or labels and columns do not match.

Warns
-----
FutureWarning
    If `y_pred` is given.
"""


@documented(LABELS_OR_INDICATOR, LABELS, _PROBABILITIES)
def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    eps: float | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the log loss: the mean of minus the logarithm of the true class's probability.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the greater of two
        labels, or one column for each class in the order of the sorted labels.
    normalize : bool, default True
        Whether to return the mean, and not the sum.
    y_pred : array-like, optional
        The former name of `y_proba`.
    eps : float, optional
        Probabilities are clipped to [eps, 1 - eps], 0 <= eps < 1/2. The machine epsilon of
        `y_proba` unless given, as in scikit-learn: 2.2e-16, 1.2e-7 for float32, 9.8e-4 for
        float16. With 0 the loss of an impossible event is inf.

    Returns
    -------
    float
        At least 0, the smaller the better.

    Notes
    -----
    One pass, O(n k) time. Integer labels and plain probabilities are read in place, without any
    temporary of length n; other labels are coded first. The loss is in natural units and summed
    in double precision, whatever the dtype; the sum is off by at most 2**-46 of itself, whatever
    its length. Near 1 a probability has few digits left: of two classes give the rarer one's.

    References
    ----------
    Good, I. J. (1952). Rational decisions. Journal of the Royal Statistical Society B 14, 107-114.

    Examples
    --------
    >>> round(log_loss([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.472288
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]
    >>> round(log_loss(["a", "b", "c"], y_proba), 6)
    0.498703
    >>> log_loss([0, 1], [1.0, 1.0], eps=0)
    inf
    """
    rows = ProbabilityRows(y_true, renamed(y_proba, y_pred), sample_weight, labels)
    clip = rows.eps if eps is None else check_fraction("eps", eps, high=0.5, include_low=True)
    sums = rows.sums_by_labels(LOG, clip)
    return sums.mean if check_flag("normalize", normalize) else sums.total


@documented(LABELS_OR_INDICATOR, LABELS, _PROBABILITIES, D2)
def d2_log_loss_score(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the D² of the log loss: 1 - log loss / that of the class frequencies.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the greater of two
        labels, or one column for each class in the order of the sorted labels.
    y_pred : array-like, optional
        The former name of `y_proba`.

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two rows (nan), or all rows belong to one class: the shares then
        have no loss, and the result is -inf, or nan if the model has none either.

    Notes
    -----
    One pass: the loss of the null model follows from the weights of the classes. As in
    scikit-learn its probabilities are clipped at the machine epsilon of float64.

    References
    ----------
    McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In Frontiers in
    Econometrics, 105-142.

    Examples
    --------
    >>> round(d2_log_loss_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.318633
    >>> d2_log_loss_score([0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5])
    0.0
    """
    rows = ProbabilityRows(y_true, renamed(y_proba, y_pred), sample_weight, labels)
    if rows.are_too_few():
        return math.nan
    sums = rows.sums_by_labels(LOG, rows.eps)
    fractions = sums.class_fractions
    if np.count_nonzero(fractions) < 2:
        return undefined_skill("log loss", has_loss=sums.mean > 2.0 * rows.eps)
    clipped = np.clip(fractions, _DOUBLE, 1.0 - _DOUBLE)
    return 1.0 - sums.mean / -math.fsum(fractions * np.log(clipped))


# --- class scores --------------------------------------------------------------------------------


@documented(LABELS)
def hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the mean hinge loss, max(0, 1 - margin).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class labels.
    pred_decision : array-like of shape (n_samples,) or (n_samples, n_classes)
        Finite decisions: the greater, the more likely the greater of two labels, and the margin
        is the decision or minus it; or one column for each of three classes or more, and the
        margin is the own class's decision less the best of the others (Crammer and Singer).
    labels : array-like of shape (n_classes,), optional
        The classes, needed when one has no row. Those of `y_true` unless given.

    Returns
    -------
    float
        At least 0, the smaller the better; inf if the sum exceeds the largest double.

    Raises
    ------
    ValueError
        If decisions are not finite, labels and columns do not match, or one label that is none of
        -1, 0 and 1 is all there is.

    Notes
    -----
    One pass, O(n k) time, without a temporary of length n for integer labels. The sum is off by
    at most 2**-48 of itself, whatever its length.

    References
    ----------
    Crammer, K., Singer, Y. (2001). On the algorithmic implementation of multiclass kernel-based
    vector machines. Journal of Machine Learning Research 2, 265-292.

    Examples
    --------
    >>> hinge_loss([-1, 1, 1], [-2.5, 2.0, 0.25])
    0.25
    >>> decisions = [[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 3.0, 1.0]]
    >>> hinge_loss([0, 1, 2], decisions)
    1.1666666666666667
    """
    y = as_vector(y_true, "y_true")
    pred_decision = in_class_order(pred_decision, y_true, labels, name="pred_decision")
    decisions = readable(pred_decision, "pred_decision")
    check_same_length(y_true=y, pred_decision=decisions)
    weights = row_weights(sample_weight, len(y))
    classes = None if labels is None else check_class_labels(labels, "labels").classes
    if decisions.ndim == 2 and decisions.shape[1] > 2:
        sums = _many_classes(y, decisions, classes, weights)
    else:
        sums = _two_classes(y, decisions, classes, weights)
    if sums.score_faults:
        check_finite(decisions, "pred_decision")
    return sums.mean


def _two_classes(
    y: NDArray[Any], decisions: NDArray[Any], classes: NDArray[Any] | None, weights: Weights
) -> LossSums:
    if classes is not None and len(classes) > 2:
        raise InputError(_shape_fault(len(classes), decisions))

    def compute_sums(two: TwoClasses) -> LossSums:
        return binary_sums(HINGE, two, as_vector(decisions, "pred_decision"), weights)

    guess = guess_two_classes(y)
    if guess is not None and decisions.ndim == 1:
        sums = compute_sums(guess)
        if sums.are_complete(every_class=True):
            return sums
    plain, seen = distinct_labels(y)
    if len(seen) > 2:
        raise InputError(_shape_fault(len(seen), decisions))
    return compute_sums(one_against_other(plain, _positive(seen, classes)))


def _positive(seen: NDArray[Any], classes: NDArray[Any] | None) -> Any:
    """Return the greater of two labels; of one, the positive label by `labels` or by its value."""
    if len(seen) == 2:
        return seen.tolist()[1]
    if classes is not None and len(classes) == 2:
        check_members(seen, classes)
        return classes.tolist()[1]
    only = seen.tolist()[0]
    if isinstance(only, str) or only not in (-1, 0, 1):
        raise InputError(f"`y_true` contains one label only, {only!r}: pass both as `labels`")
    return 1


def _many_classes(
    y: NDArray[Any], decisions: NDArray[Any], classes: NDArray[Any] | None, weights: Weights
) -> LossSums:
    n_columns = decisions.shape[1]
    if classes is not None and len(classes) != n_columns:
        raise InputError(_shape_fault(len(classes), decisions))

    def refuse(n_classes: int) -> None:
        seen = show_labels(np.unique(distinct_labels(y)[1]))
        raise InputError(
            f"`pred_decision` must have a column for each class: {n_classes} classes in `y_true`, "
            f"{seen}, {n_columns} columns; pass `labels` if a class has no row"
        )

    def compute_sums(columns: ClassColumns) -> LossSums:
        return class_sums(HINGE, columns, decisions, weights)

    return sums_by_columns(compute_sums, y, classes, n_columns, refuse)


def _shape_fault(n_classes: int, decisions: NDArray[Any]) -> str:
    return (
        f"`pred_decision` must have shape ({len(decisions)}, {n_classes}) with {n_classes} "
        f"classes: got {decisions.shape}"
    )


Ties = Literal["last", "first", "expected", "best", "worst"]
_RULES: Final = {
    "last": cells.LAST,
    "first": cells.FIRST,
    "expected": cells.EXPECTED,
    "best": cells.BEST,
    "worst": cells.WORST,
}
#: Credit of a binary score at the threshold, for a row of the lower and of the greater label.
_AT_THRESHOLD: Final = {
    "last": (1.0, 0.0),
    "first": (0.0, 1.0),
    "expected": (0.5, 0.5),
    "best": (1.0, 1.0),
    "worst": (0.0, 0.0),
}


@documented(LABELS)
def top_k_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    ties: Ties = "last",
    n_threads: int | None = None,
) -> float:
    """Compute the proportion of rows whose true class is among the k classes that score highest.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Finite scores: of the greater of two labels, or one column for each of three classes or
        more in the order of the sorted labels.
    k : int, default 2
        How many classes are looked at: 1 for top-1, 5 for top-5.
    normalize : bool, default True
        Whether to return the share, and not the number (with weights, the weight) of such rows.
    ties : {"last", "first", "expected", "best", "worst"}, default "last"
        Which of the classes that tie come first: those of later columns, as in scikit-learn, or
        of earlier ones; "expected" gives the share of a row's random orders of the tied classes
        in which its class is among the k; "best" and "worst" put the true class before or after
        all that tie with it. Beside one column of scores (k = 1) a score at the threshold counts
        as the lower label with "last", as the greater with "first".

    Returns
    -------
    float
        In [0, 1], or the number of such rows.

    Raises
    ------
    ValueError
        If scores are not finite, `labels` is not sorted, or labels and columns do not match.

    Warns
    -----
    UndefinedMetricWarning
        If k is at least the number of classes: every row is then a hit.

    Notes
    -----
    One pass of O(n k_classes) comparisons; nothing is sorted. Scores are compared as they are,
    64-bit integers too; without weights the number of hits is exact, but for "expected". Beside
    one column of scores the class is the greater label above 1/2 if all scores lie in [0, 1],
    else above 0, as in scikit-learn.

    References
    ----------
    Russakovsky, O., et al. (2015). ImageNet large scale visual recognition challenge.
    International Journal of Computer Vision 115, 211-252.

    Examples
    --------
    >>> y_score = [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
    >>> top_k_accuracy_score([0, 1, 2, 2], y_score, k=2)
    0.75
    >>> tied = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
    >>> [top_k_accuracy_score([0, 1, 2], tied, k=1, ties=rule)
    ...  for rule in ("last", "expected", "best", "worst")]
    [0.3333333333333333, 0.3333333333333333, 1.0, 0.0]
    """
    k = check_integer("k", k, low=1)
    check_choice("ties", ties, _RULES)
    y = as_vector(y_true, "y_true")
    scores = readable(in_class_order(y_score, y_true, labels), "y_score")
    check_same_length(y_true=y, y_score=scores)
    weights = row_weights(sample_weight, len(y))
    classes = None if labels is None else check_labels(labels)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = as_vector(scores, "y_score")
    if scores.ndim > 2:
        raise InputError(
            f"`y_score` must have shape (n_samples,) or (n_samples, n_classes): got {scores.shape}"
        )
    count_hits = _binary_hits if scores.ndim == 1 else _hits
    sums = count_hits(y, scores, classes, weights, k, ties)
    return sums.mean if check_flag("normalize", normalize) else sums.total


def _hits(
    y: NDArray[Any],
    scores: NDArray[Any],
    classes: NDArray[Any] | None,
    weights: Weights,
    k: int,
    ties: str,
) -> LossSums:
    """Return the hits for one column a class, as a sum of losses."""
    n_columns = scores.shape[1]
    if classes is not None and len(classes) != n_columns:
        raise InputError(
            f"`labels` must name as many classes as `y_score` has columns, {n_columns}: got "
            f"{len(classes)}"
        )
    if n_columns == 2:
        seen = distinct_labels(y)[1]
        raise InputError(
            "`y_score` has 2 columns: of two classes pass the scores of the greater label, [:, 1]"
            if len(seen) <= 2
            else _count_fault(len(seen), 2)
        )

    def compute_sums(columns: ClassColumns) -> LossSums:
        def job(rows: slice) -> tuple[NDArray[Any], ...]:
            codes = np.ascontiguousarray(columns[0][rows], np.int64)
            chunk = readable_scores(scores[rows], exact_integers=True)
            inputs = (codes, columns[1], chunk, weights.values[rows])
            sums = np.empty(2)
            counts = np.empty(2, np.int64)
            class_rows = np.empty(n_columns, np.int64)
            cells.top_k_hits(*inputs, min(k, n_columns), _RULES[ties], sums, counts, class_rows)
            return sums, counts, class_rows

        results = run([partial(job, rows) for rows in job_rows(len(y), n_columns)])
        hits = exact_sum(value for sums, _, _ in results for value in sums.tolist())
        known, not_finite = (int(sum(counts[i] for _, counts, _ in results)) for i in range(2))
        class_rows = np.sum([each for *_, each in results], axis=0)
        return _hit_sums(hits, len(y), weights, known, not_finite, class_rows)

    def refuse(n_classes: int) -> None:
        raise InputError(_count_fault(n_classes, n_columns))

    sums = sums_by_columns(compute_sums, y, classes, n_columns, refuse)
    if sums.score_faults:
        check_finite(scores, "y_score", in_table=False)
    _warn_if_perfect(k, n_columns)
    return sums


def _hit_sums(
    hits: float, n: int, weights: Weights, known: int, faults: int, class_rows: NDArray[np.int64]
) -> LossSums:
    total = float(weights.values.sum()) if weights.values.size else float(n)
    rows = class_rows.astype(np.float64)
    return LossSums(hits, n, known, faults, 0, class_rows, rows, total, weights.exponent)


def _binary_hits(
    y: NDArray[Any],
    scores: NDArray[Any],
    classes: NDArray[Any] | None,
    weights: Weights,
    k: int,
    ties: str,
) -> LossSums:
    """Return the hits for one column, whose threshold separates two classes."""
    if classes is not None and len(classes) != 2:
        raise InputError(
            f"`labels` must name two classes beside one column of `y_score`: got {len(classes)}"
        )
    (labels, _), n_classes = column_codes(y, classes, 2)
    if n_classes > 2:
        raise InputError(
            f"`y_score` must have a column for each of the {n_classes} classes of `y_true`, "
            f"{show_labels(distinct_labels(y)[1])}: got shape {scores.shape}"
        )
    if n_classes != 2:
        raise InputError(_count_fault(n_classes, 2))
    check_finite(scores, "y_score", in_table=False)
    _warn_if_perfect(k, 2)
    threshold = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0
    for_negative, for_positive = _AT_THRESHOLD[ties]
    totals = []
    for rows in job_rows(len(y)):
        chunk = scores[rows]
        is_positive = labels[rows] == 1
        hits = ((chunk > threshold) == is_positive) * 1.0
        hits[(chunk == threshold) & is_positive] = for_positive
        hits[(chunk == threshold) & ~is_positive] = for_negative
        weight = weights.values[rows]
        hits = np.ones_like(hits) if k > 1 else hits
        totals.append(float((hits * weight).sum() if weight.size else hits.sum()))
    return _hit_sums(exact_sum(totals), len(y), weights, len(y), 0, np.empty(0, np.int64))


def _warn_if_perfect(k: int, n_classes: int) -> None:
    if k >= n_classes:
        warn_user(
            f"'k' ({k}) greater than or equal to 'n_classes' ({n_classes}) will result in a "
            "perfect score and is therefore meaningless.",
            UndefinedMetricWarning,
        )


def _count_fault(n_classes: int, n_columns: int) -> str:
    return (
        f"`y_score` must have scores of {n_classes} classes, those of `y_true`: got scores of "
        f"{n_columns}; pass `labels` if a class has no row"
    )
