"""The .632 and .632+ rules of Efron and Tibshirani, and the losses of rows that they need."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels, text_or_numbers
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.scalars import check_real, check_same_length
from fastmetrics._results import Result
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.metrics.asking import MetricRequest, ask_one
from fastmetrics.metrics.registry import METRICS
from fastmetrics.metrics.regression.regression_metrics import DIVERGENCES, GAPS, TERMS

Column = NDArray[Any]
Floats = NDArray[np.float64]
LossLike = str | tuple[str, Mapping[str, Any]] | Callable[..., Any]

_BY_DEFAULT: Final = "error_rate"
_BLOCK: Final = 1 << 20  # pairs of a block, for losses without a closed form

#: What the .632 rules and their parts have in common.
RULES: Final = """
Parameters
----------
err : float
    Resubstitution error: of the model fitted on all rows, on these rows.
err1 : float
    Leave-one-out bootstrap error.
gamma : float
    No-information error, as `no_information_error` finds it.
loss : str, (str, mapping) or callable, default="error_rate"
    A metric that is a mean of losses of rows, by its name: "error_rate" or "cost" of predicted
    labels, "log_loss" or "brier_score" of probabilities, "hinge_loss" of decision values, of
    predicted numbers "mean_squared_error", "mean_absolute_error" and its like, or a mean deviance;
    a pair adds parameters. Or a callable ``loss(y_true, y_pred)`` that returns one number a row.

References
----------
Efron & Tibshirani (1997), Improvements on cross-validation: the .632+ bootstrap method,
JASA 92:548-560.
"""


def has_row_losses(request: MetricRequest) -> bool:
    """Return whether a metric is a mean of losses of rows; a function is taken for such a loss."""
    return request.metric is None or bool(request.metric.row_loss)


def row_losses(request: MetricRequest, true: Column, predicted: Column) -> Floats:
    """Return the loss of each row.

    True values are numbers or class codes; predictions are numbers, class codes, or each row's
    probabilities or decision values of the classes.
    """
    one: Any = request
    if one.metric is not None:
        return np.asarray(one.metric.losses(true, predicted, **one.parameters), np.float64)
    losses = np.asarray(one.function(true, predicted), np.float64)
    if losses.shape != (len(true),):
        raise InputError(
            f"`loss` must return one number for each of the {len(true):,} rows: got shape "
            f"{losses.shape}"
        )
    if not np.isfinite(losses).all():
        raise InputError(
            f"`loss` must return finite numbers: got {losses[~np.isfinite(losses)][0]}"
        )
    return losses


def loss_over_pairs(request: MetricRequest, true: Column, predicted: Column) -> float:
    """Return the mean loss over all pairs of a true value and a prediction."""
    needs = _needs(request)
    n = len(true)
    if needs in ("own", "values"):
        if request.name in DIVERGENCES:
            return _divergence_over_pairs(request, true, predicted)
        if request.name in GAPS:
            return _gaps_over_pairs(request, true, predicted)
        step = max(1, _BLOCK // n)
        total = 0.0
        for start in range(0, n, step):
            some = predicted[start : start + step]
            repeated = np.repeat(some, n)
            total += float(row_losses(request, np.tile(true, len(some)), repeated).sum())
        return total / n / n
    counts: Any = 1
    if needs == "labels":  # equal predictions lose alike, and whole losses add up exactly
        counts = np.bincount(predicted)
        predicted = np.flatnonzero(counts)
        counts = counts[predicted]
    by_class = np.bincount(true)
    classes = np.flatnonzero(by_class)
    sums = [
        (row_losses(request, np.full(len(predicted), c), predicted) * counts).sum() for c in classes
    ]
    return float(by_class[classes] @ np.array(sums) / (n * n))


def _needs(request: MetricRequest) -> str:
    """Return the kind of prediction that the loss takes; "own" for a user's function."""
    return "own" if request.metric is None else request.metric.needs


def no_row_losses(name: str) -> InputError:
    """Return the error of a metric that is no mean of losses of rows."""
    known = ", ".join(repr(metric.name) for metric in METRICS.values() if metric.row_loss)
    return InputError(
        f"{name!r} is no mean of losses of rows, which the .632 methods need: take {known} or a "
        "callable that returns one loss a row"
    )


def _check_loss(loss: Any) -> MetricRequest:
    """Return the requested loss, checked."""
    try:
        request = ask_one(loss)
    except InputError as error:
        raise error.renamed({"metrics": "loss"}) from error
    if not has_row_losses(request):
        raise no_row_losses(request.label)
    return request


def _columns(loss: MetricRequest, y_true: Any, **predicted: Any) -> tuple[Column, ...]:
    """Return true values and then predictions as the loss takes them, checked.

    The names of predictions are those of messages. Labels become numbers of all named classes.
    """
    needs = _needs(loss)
    if needs == "labels":
        columns = {"y_true": y_true, **predicted}
        return encode_alike({k: text_or_numbers(as_vector(v, k), k) for k, v in columns.items()})
    true = as_vector(y_true, "y_true")
    if needs in ("own", "values"):
        both = ((name, as_vector(one, name)) for name, one in predicted.items())
        return tuple(_finite(loss, name, one) for name, one in (("y_true", true), *both))
    labels = check_class_labels(true)
    chances = {name: as_array(one, name) for name, one in predicted.items()}
    for name, one in chances.items():
        n_columns = 2 if one.ndim == 1 else one.shape[1] if one.ndim == 2 else 0
        if n_columns != max(len(labels.classes), 2):
            raise InputError(
                f"`{name}` must have a column for each of {len(labels.classes):,} classes, or one "
                f"for the greater of two: got shape {one.shape}"
            )
        if needs == "probabilities" and one.ndim == 2 and n_columns == 2:
            chances[name] = one[:, 1]
    return (labels.codes, *chances.values())


def _check_defined(loss: MetricRequest, true: Column, predicted: Column, name: str) -> None:
    """Raise the metric's own errors for such rows, such as probabilities out of range."""
    if loss.metric is None or loss.metric.needs == "labels":
        return
    options: dict[str, Any] = {}
    if loss.metric.needs != "values":
        options["labels"] = np.arange(2 if predicted.ndim == 1 else predicted.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            loss.metric.value(true, predicted, **options, **loss.parameters)
        except InputError as error:
            names = ("y_pred", "y_proba", "pred_decision")
            raise error.renamed(dict.fromkeys(names, name)) from error


def _finite(loss: MetricRequest, name: str, column: Column) -> Column:
    column = text_or_numbers(column, name)
    if _needs(loss) == "values":
        if column.dtype.kind not in "biuf":
            raise InputTypeError(
                f"`{name}` must hold numbers for loss={loss.label!r}: got {column.dtype}"
            )
        column = column.astype(np.float64)
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise InputError(f"`{name}` must be finite: got {column[~np.isfinite(column)][0]}")
    return column


def hold_text(labels: Mapping[str, Column]) -> bool:
    """Return whether all arrays of labels hold text, or all numbers; raise if they differ."""
    kinds = {name: "text" if one.dtype.kind in "UO" else "numbers" for name, one in labels.items()}
    for name, kind in kinds.items():
        if kind != kinds["y_true"]:
            raise InputTypeError(f"`y_true` holds {kinds['y_true']} and `{name}` {kind}")
    return kinds["y_true"] == "text"


def encode_alike(labels: Mapping[str, Column]) -> tuple[Column, ...]:
    """Return arrays of labels as codes of the sorted classes of all of them."""
    encoded = [check_class_labels(one.ravel(), name) for name, one in labels.items()]
    hold_text(labels)
    classes = np.unique(np.concatenate([one.classes for one in encoded]))
    codes = (
        one.codes
        if len(one.classes) == len(classes)
        else np.searchsorted(classes, one.classes)[one.codes]
        for one in encoded
    )
    return tuple(each.reshape(one.shape) for each, one in zip(codes, labels.values(), strict=True))


@documented(RULES)
def no_information_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, loss: LossLike = _BY_DEFAULT
) -> float:
    """Compute gamma, the error if predictions had nothing to do with the examples.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels or numbers.
    y_pred : array-like of shape (n,) or (n, n_classes)
        The predictions of a model fitted on all of them: what the loss takes. Of one column of
        probabilities or decision values, the greater of two labels is meant.

    Returns
    -------
    float
        The mean loss over all n^2 pairs of an example and a prediction.

    Raises
    ------
    TypeError, ValueError
        If the columns are none of labels or numbers, differ in length, or the loss is unknown.

    Notes
    -----
    For 0-1 loss it is sum_c p_c (1 - q_c), p_c being the share of examples and q_c that of
    predictions of class c. Other losses of classes are the mean over classes of what all
    predictions lose against one, O(n k) for k classes. Squares and deviances are linear in
    `y_true` but for a term that no prediction is part of, so that means suffice, O(n); errors
    without squares need a sort, O(n log n). A callable, and the squared log error, are computed
    for all pairs, O(n^2) time.

    References
    ----------
    Equations 27 and 28.

    Examples
    --------
    >>> no_information_error([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    >>> no_information_error([1.0, 3.0], [2.0, 2.0], loss="mean_squared_error")
    1.0
    >>> round(no_information_error([0, 1, 1, 1], [0.2, 0.9, 0.8, 0.7], loss="log_loss"), 4)
    0.7639
    """
    chosen = _check_loss(loss)
    true, predicted = _columns(chosen, y_true, y_pred=y_pred)
    check_same_length(y_true=true, y_pred=predicted)
    _check_defined(chosen, true, predicted, "y_pred")
    return loss_over_pairs(chosen, true, predicted)


def _divergence_over_pairs(request: MetricRequest, y: Floats, p: Floats) -> float:
    """Return the mean over pairs of a Bregman divergence, which is linear in y but for one term.

    That term has no p in it: so the mean over all y of D(y, p) is that of D(y, m) + D(mean y, p) -
    D(mean y, m), whatever m is: the mean of p is in its range.
    """
    y, p = (np.asarray(column, np.float64) for column in (y, p))
    centre = y.mean()
    middle = p.mean()
    from_middle, from_centre, both = (
        float(np.mean(TERMS[request.name](true, predicted, **request.parameters)))
        for true, predicted in ((y, middle), (centre, p), (centre, middle))
    )
    return from_middle + from_centre - both


def _gaps_over_pairs(request: MetricRequest, y: Floats, p: Floats) -> float:
    """Return the mean over pairs of a loss that is linear in how far p lies above y, and below."""
    unit = max(1.0, float(np.abs(y).max()))
    y = np.sort(np.asarray(y, np.float64))
    above, below = (
        TERMS[request.name](y, y + step, **request.parameters) / unit for step in (unit, -unit)
    )
    centre = y.mean()  # sums cancel less
    y = y - centre
    p = p - centre
    at = np.searchsorted(y, p)
    total = 0.0
    for slopes, side in ((above, 1), (below, -1)):
        sums, totals = (np.concatenate([[0.0], np.cumsum(w)]) for w in (slopes * y, slopes))
        gaps = p * totals[at] - sums[at]
        if side < 0:
            gaps = sums[-1] - sums[at] - p * (totals[-1] - totals[at])
        total += float(gaps.mean() / len(y))
    return total


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap632(Result):
    """The bootstrap's estimates of a prediction error, and what they are made of.

    They have no interval: the standard error that Efron and Tibshirani give is of `err1` alone, and
    neither rule's lean on the training error is in it.

    Attributes
    ----------
    err632 : float
        .368 err + .632 err1.
    err632_plus : float
        The rule that leans on err1 the more, the more the model overfits.
    err : float
        Resubstitution error: of the model fitted on all rows, on these rows.
    err1 : float
        Leave-one-out bootstrap error: each row's mean over the samples it is not in, averaged over
        rows.
    gamma : float
        No-information error.
    relative_overfitting_rate : float
        R', from 0 (none) to 1 (no better than without information).
    weight : float
        The weight .632 / (1 - .368 R') of min(err1, gamma) in the .632+ rule's plain form.
    n_resamples : int
        Bootstrap samples.
    n_never_out : int
        Rows that are in all samples, and so not in err1.
    """

    err632: float
    err632_plus: float
    err: float
    err1: float
    gamma: float
    relative_overfitting_rate: float
    weight: float
    n_resamples: int
    n_never_out: int


@documented(RULES)
def err632(err: float, err1: float) -> float:
    """Compute the .632 estimate of a prediction error.

    Returns
    -------
    float
        .368 err + .632 err1.

    Raises
    ------
    TypeError, ValueError
        If a number is none, or is infinite.

    Notes
    -----
    Too low for models that overfit much: one of err 0 and err1 .5, which knows nothing, gets .316.

    References
    ----------
    Equation 24.

    Examples
    --------
    >>> round(err632(0.0, 0.4), 4)
    0.2528
    """
    return _err632(_error("err", err), _error("err1", err1))


@documented(RULES)
def err632_plus(err: float, err1: float, gamma: float) -> float:
    """Compute the .632+ estimate of a prediction error.

    Returns
    -------
    float
        The published rule; between err632 and beyond.

    Raises
    ------
    TypeError, ValueError
        If a number is none, or is infinite.

    Notes
    -----
    With err1' = min(err1, gamma) and R' = (err1' - err) / (gamma - err) where err1 and gamma both
    exceed err, else 0, it is .632 + (err1' - err) .368 .632 R' / (1 - .368 R'): `err1` is not
    clipped inside .632. Without clipping that is (1 - w) err + w err1, w = .632 / (1 - .368 R').

    References
    ----------
    Equations 29 to 32.

    Examples
    --------
    >>> round(err632_plus(0.0, 0.4, 0.5), 4), round(err632_plus(0.0, 0.6, 0.5), 4)
    (0.3583, 0.5632)
    """
    return _err632_plus(_error("err", err), _error("err1", err1), _error("gamma", gamma))


@documented(RULES)
def bootstrap632(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    resampled_predictions: ArrayLike,
    out_of_bag: ArrayLike,
    *,
    loss: LossLike = _BY_DEFAULT,
) -> Bootstrap632:
    """Compute the .632 and .632+ estimates from predictions, so that no estimator is needed.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels or numbers.
    y_pred : array-like of shape (n,) or (n, n_classes)
        Predictions of the model that was fitted on all n rows: what the loss takes. Of one column
        of probabilities or decision values, the greater of two labels is meant.
    resampled_predictions : array-like of shape (n_resamples, n) or (n_resamples, n, n_classes)
        Predictions of each model that was fitted on a bootstrap sample; only those out of the bag
        are read.
    out_of_bag : array-like of bool, shape (n_resamples, n)
        Whether a row is not in the sample.

    Returns
    -------
    Bootstrap632
        Both estimates and their parts.

    Raises
    ------
    TypeError, ValueError
        If the shapes or kinds do not fit, or the loss is unknown.

    Warns
    -----
    DegenerateDataWarning
        If a row is in all samples: the others decide. More samples help.
    UndefinedMetricWarning
        If every row is in all samples: the estimates are nan.

    Notes
    -----
    `err1` gives each row the same weight, however often it is out of the bag; an average over
    samples would not. O(n_resamples n); for gamma see `no_information_error`.

    Examples
    --------
    >>> y = [0, 0, 1, 1]
    >>> resampled = [[0, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 1]]
    >>> out = [[True, True, False, False], [False, False, True, False], [True, False, False, True]]
    >>> result = bootstrap632(y, [0, 0, 1, 1], resampled, out)
    >>> result.err1, round(result.err632, 3), round(result.err632_plus, 3)
    (0.625, 0.395, 0.579)
    """
    chosen = _check_loss(loss)
    out = as_array(out_of_bag, "out_of_bag")
    if out.dtype != np.bool_:
        raise InputTypeError(f"`out_of_bag` must hold booleans: got dtype {out.dtype}")
    resampled = as_array(resampled_predictions, "resampled_predictions")
    n = len(as_vector(y_true, "y_true"))
    for name, matrix in (("resampled_predictions", resampled), ("out_of_bag", out)):
        if out.ndim != 2 or matrix.shape[:2] != out.shape or out.shape[1] != n:
            raise InputError(
                f"`{name}` must have shape (n_resamples, {n:,}), as the other has: got "
                f"{matrix.shape}"
            )
    read = resampled[out]
    resamples = {"resampled_predictions": read} if len(read) else {}
    true, fitted, *bags = _columns(chosen, y_true, y_pred=y_pred, **resamples)
    check_same_length(y_true=true, y_pred=fitted)
    _check_defined(chosen, true, fitted, "y_pred")
    losses = np.empty(0)
    rows = np.nonzero(out)[1]
    for predicted in bags:
        _check_defined(chosen, true[rows], predicted, "resampled_predictions")
        losses = row_losses(chosen, true[rows], predicted)
    err = float(row_losses(chosen, true, fitted).mean())
    return by_632(err, rows, losses, n, loss_over_pairs(chosen, true, fitted), len(out))


def by_632(
    err: float, rows: NDArray[np.intp], losses: Floats, n: int, gamma: float, n_resamples: int
) -> Bootstrap632:
    """Return both estimates from the losses of all rows out of a bag, whose indices are `rows`."""
    sums = np.bincount(rows, losses, n)
    counts = np.bincount(rows, minlength=n)
    was_out = counts > 0
    err1 = math.nan
    never = n - int(np.count_nonzero(was_out))
    if never == n:
        warn_user("every row is in all samples: err1 is not defined", UndefinedMetricWarning)
    else:
        err1 = float(np.mean(sums[was_out] / counts[was_out]))
    if 0 < never < n:
        warn_user(
            f"{never:,} of {n:,} rows are in all samples and so not in err1: draw more samples",
            DegenerateDataWarning,
        )
    rate = _overfitting(err, err1, gamma)
    return Bootstrap632(
        _err632(err, err1),
        _err632_plus(err, err1, gamma),
        err,
        err1,
        gamma,
        rate,
        0.632 / (1.0 - 0.368 * rate),
        n_resamples,
        never,
    )


def _err632(err: float, err1: float) -> float:
    return 0.368 * err + 0.632 * err1


def _overfitting(err: float, err1: float, gamma: float) -> float:
    """Return R'; nan if a part is nan."""
    if math.isnan(err + err1 + gamma):
        return math.nan
    return (min(err1, gamma) - err) / (gamma - err) if err1 > err and gamma > err else 0.0


def _err632_plus(err: float, err1: float, gamma: float) -> float:
    rate = _overfitting(err, err1, gamma)
    clipped = min(err1, gamma)
    return _err632(err, err1) + (clipped - err) * (0.368 * 0.632 * rate) / (1.0 - 0.368 * rate)


def _error(name: str, value: Any) -> float:
    number = check_real(name, value)
    if not math.isfinite(number):
        raise InputError(f"`{name}` must be a finite number: got {value!r}")
    return number
