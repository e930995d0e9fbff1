"""Accuracy, error rates, agreement beyond chance, and averages of recall, precision and F1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_real
from fastmetrics._input.scores import as_given
from fastmetrics.errors import (
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    renamed,
    warn_user,
)
from fastmetrics.metrics.asking import find_among
from fastmetrics.metrics.decisions._class_counts import (
    TARGETS,
    by_row,
    checked_flag,
    class_counts,
    exact_sum,
    proportion,
)
from fastmetrics.metrics.decisions._count_formulas import (
    RATIO_TERMS,
    Tally,
    check_zero_division,
    ratio,
)
from fastmetrics.metrics.decisions.count_metrics import (
    CLASSES,
    NAN,
    ClassSums,
    drop_in_counts,
    drop_in_sums,
    evaluate_sums,
    select_cells,
    strict_sums,
    value,
    warn_if_nan,
    warn_single_label,
)
from fastmetrics.tables.confusion._label_counts import Cells, cells_of_plain
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_NONE_IN_COMMON: Final = "`y2` contains no labels that are present in both `y1` and `labels`."
_ONE_IN_COMMON: Final = "`y1`, `y2` and `labels` have only one label in common."


@documented(CLASSES)
def matthews_corrcoef(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute Matthews' correlation coefficient of true and predicted labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any number of classes; or a ConfusionMatrix alone.

    Returns
    -------
    float
        1 for perfect prediction, 0 for no relation, at least -1; 0 where one of the columns has a
        single label, though it is 0/0 there.

    Warns
    -----
    UserWarning
        If only one label occurs.
    UndefinedMetricWarning
        If a matrix has no example: nan.

    Notes
    -----
    `count_metric` with "matthews_corrcoef" is strict instead:
    nan where it is 0/0.

    References
    ----------
    Gorodkin, J. (2004). Comparing two K-category assignments by a K-category correlation
    coefficient. Computational Biology and Chemistry 28(5-6), 367-374.

    Examples
    --------
    >>> matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1])
    -0.3333333333333333
    """
    labels, sums = drop_in_sums(y_true, y_pred, sample_weight=sample_weight)
    warn_single_label(labels)
    if not sums.total > 0:
        return warn_if_nan(np.nan, "Matthews' coefficient is not defined: there is no example")
    coefficient = evaluate_sums("matthews_corrcoef", sums)
    return 0.0 if math.isnan(coefficient) else coefficient


@documented(CLASSES)
def cohen_kappa_score(
    y1: ArrayLike | ConfusionMatrix,
    y2: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    weights: str | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float = math.nan,
) -> float:
    """Compute Cohen's kappa, the agreement of two annotators beyond chance.

    Parameters
    ----------
    y1, y2 : array-like of shape (n_samples,)
        Labels by two annotators, whose exchange changes nothing; or a ConfusionMatrix alone.
    labels : array-like of shape (K,), optional
        The classes that count, in their order: pairs with another label are left out. By default
        all that occur, sorted.
    weights : {"linear", "quadratic"}, optional
        How much a disagreement counts: the distance of the two classes in the order of the labels,
        or its square; None counts all alike.
    replace_undefined_by : float, default=nan
        In [-1, 1] or nan: what to return where kappa is 0/0.

    Returns
    -------
    float
        At most 1; 0 is chance.

    Warns
    -----
    UndefinedMetricWarning
        If no pair is left, or both columns have the same single label: `replace_undefined_by` is
        returned.
    UserWarning
        If there is one label only.

    Notes
    -----
    It is 1 - observed / expected disagreement.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement 20(1); (1968). Weighted kappa. Psychological Bulletin 70(4).

    Examples
    --------
    >>> cohen_kappa_score(["no", "yes", "no", "perhaps"], ["no", "yes", "yes", "perhaps"])
    0.6363636363636364
    >>> cohen_kappa_score([1, 2, 3, 3], [1, 2, 2, 3], weights="linear")
    0.7142857142857143
    """
    check_choice("weights", weights, (None, "linear", "quadratic"))
    otherwise = check_real("replace_undefined_by", replace_undefined_by)
    if not (math.isnan(otherwise) or -1.0 <= otherwise <= 1.0):
        raise InputError(
            f"`replace_undefined_by` must lie in [-1, 1] or be nan: got {replace_undefined_by!r}"
        )
    if labels is None and weights is None:
        with renamed(y_true="y1", y_pred="y2"):
            present, sums = drop_in_sums(y1, y2, sample_weight=sample_weight, name="y2")
        kappa = evaluate_sums("cohen_kappa", sums, weights=None)
        is_empty = not sums.total > 0
    else:
        with renamed(y_true="y1", y_pred="y2"):
            cells = drop_in_counts(y1, y2, sample_weight=sample_weight, name="y2")
        if labels is not None:
            cells = select_cells(cells, labels, y1, y2, "y1")
        present = cells.labels
        is_empty = not cells.counts.any()
        kappa = float(value("cohen_kappa", cells.counts, weights=weights))
    warn_single_label(present)
    if math.isnan(kappa):
        reason = _NONE_IN_COMMON if is_empty else _ONE_IN_COMMON
        warn_user(
            f"{reason} `cohen_kappa_score` is undefined and set to the value defined by the "
            f"`replace_undefined_by` param, which is set to {otherwise}.",
            UndefinedMetricWarning,
        )
        return otherwise
    return kappa


#: The examples whose absence makes each metric undefined.
_WITHOUT: Final = {
    "precision": "a predicted positive",
    "recall": "a true positive",
    "f1": "a positive, true or predicted",
}
_NAMES: Final = (
    *(f"{name}_{average}" for average in ("macro", "micro") for name in _WITHOUT),
    "macro_f1_harmonic",
)


def _without(metric: str, labels: tuple[Any, ...], sums: Tally, kind: str) -> str:
    """Name the classes, or matrices of a stack, that make a metric undefined."""
    empty = RATIO_TERMS[metric](sums, 1.0)[1] == 0
    undefined = [name for name, is_empty in zip(labels, empty, strict=True) if is_empty]
    listed = ", ".join(map(repr, undefined[:5])) + (", ..." if len(undefined) > 5 else "")
    return f"{len(undefined):,} of {len(empty):,} {kind} ({listed}) without {_WITHOUT[metric]}"


def macro_micro(
    y_true: ArrayLike | ConfusionMatrix | Sequence[ConfusionMatrix] | Mapping[Any, ConfusionMatrix],
    y_pred: ArrayLike | None = None,
    *,
    metrics: str,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = math.nan,
) -> float:
    """Compute precision, recall or F1 over all classes, or over several matrices of two classes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), ConfusionMatrix, or sequence or mapping of them
        Labels of any number of classes; or a matrix, or n matrices of two classes (n runs, n data
        sets), and then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    metrics : str
        "precision_macro", "recall_macro" and "f1_macro", the mean of the metrics;
        "macro_f1_harmonic", the textbook's F1, the harmonic mean of the first two;
        "precision_micro", "recall_micro" and "f1_micro", the metric of the summed counts: over all
        classes of one matrix the accuracy.
    labels : array-like of shape (K,), optional
        The classes; by default those that occur in either column.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the labels.
    zero_division : {0, 1, nan}, default=nan
        What 0/0 counts as.

    Returns
    -------
    float
        In [0, 1]; nan where something that it is made of is undefined.

    Raises
    ------
    TypeError, ValueError
        If the data are neither labels nor counts, or hold a label that `labels` does not name.

    Warns
    -----
    UndefinedMetricWarning
        If it is nan, with the classes or matrices that it is for.

    Notes
    -----
    O(n) to count, O(K²) from a matrix, O(n) from n of them. Of a matrix every class is positive in
    turn, of several only the positive class of each, its last. scikit-learn's ``f1_score`` with
    ``average="macro"`` is "f1_macro": in the example 0.6970.

    References
    ----------
    Zhou (2021), Machine Learning, section 2.3.2.

    Examples
    --------
    >>> y_true, y_pred = [0] * 6 + [1] * 4, [0] * 3 + [1] * 7
    >>> macro_micro(y_true, y_pred, metrics="macro_f1_harmonic")
    0.7674418604651163
    >>> from fastmetrics import ConfusionMatrix
    >>> runs = [ConfusionMatrix.from_counts(run) for run in ([[3, 1], [2, 4]], [[5, 0], [1, 2]])]
    >>> macro_micro(runs, metrics="precision_micro")
    0.8571428571428571
    """
    name = find_among(metrics, "decisions").name
    check_choice("metrics", name, _NAMES)
    matrices = y_true if isinstance(y_true, Mapping) else None
    if isinstance(y_true, list | tuple) and y_true and isinstance(y_true[0], ConfusionMatrix):
        matrices = dict(enumerate(y_true))
    if matrices is not None:
        given = {"y_pred": y_pred, "labels": labels, "sample_weight": sample_weight}
        for other, value in given.items():
            if value is not None:
                raise InputTypeError(f"matrices come without `{other}`")
        kind = "matrices"
        names, sums = _tally_matrices(matrices)
    else:
        kind = "classes"
        names, sums = strict_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    zero = check_zero_division("zero_division", zero_division)
    score = evaluate_sums(name, sums, zero_division=zero)
    ratios = ("precision", "recall") if name == "macro_f1_harmonic" else (name.partition("_")[0],)
    lacking = "; ".join(_without(each, names, sums, kind) for each in ratios)
    return warn_if_nan(score, f"`{name}` is not defined: {lacking}")


def _tally_matrices(matrices: Mapping[Any, Any]) -> ClassSums:
    """Return the sums of the positive class of each matrix of two classes, by name."""
    cells = {}
    for name, matrix in matrices.items():
        if not isinstance(matrix, ConfusionMatrix):
            kind = type(matrix).__name__
            raise InputTypeError(f"`y_true` must hold matrices alone: got {kind} at {name!r}")
        cells[name] = Cells.of(matrix)
        if len(cells[name].labels) != 2:
            raise InputError(
                f"`y_true` must hold matrices of two classes: got {len(cells[name].labels):,} "
                f"classes at {name!r}"
            )
    if not cells:
        raise InputError("`y_true` must hold one matrix or more: got none")
    if len({each.exponent for each in cells.values() if each.counts.any()}) > 1:
        raise InputError("`y_true` holds matrices whose weights are scaled differently")
    first, *others = (each.labels for each in cells.values())
    if first[::-1] in others:
        raise InputError(
            f"`y_true` must hold matrices of one positive label: got {first[0]!r} and {first[1]!r}"
        )
    counts = np.array([each.counts for each in cells.values()], np.float64)
    return tuple(cells), Tally(
        hits=counts[:, 1, 1], misses=counts[:, 1, 0], alarms=counts[:, 0, 1], linear=np.zeros(())
    )


@documented(CLASSES)
def balanced_accuracy_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    adjusted: bool = False,
) -> float:
    """Compute the mean of the recalls of the classes that occur in the true labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any number of classes; or a ConfusionMatrix alone.
    adjusted : bool, default=False
        Whether to rescale, so that chance is 0 and a perfect classifier 1.

    Returns
    -------
    float
        In [0, 1]; adjusted in [-1 / (K - 1), 1], and nan for a single class.

    Warns
    -----
    UserWarning
        If a predicted class has no true example: it is left out of the mean; and if only one label
        occurs.
    UndefinedMetricWarning
        If `adjusted` meets a single class, or a matrix has no example: nan.

    Notes
    -----
    It is the accuracy where each class has the same weight in
    all. `count_metric` with "balanced_accuracy" is strict instead: nan where a class has no true
    example.

    References
    ----------
    Brodersen, K. et al. (2010). The balanced accuracy and its posterior distribution. ICPR 20.

    Examples
    --------
    >>> balanced_accuracy_score([0, 0, 0, 1, 1], [0, 0, 0, 1, 0])
    0.75
    >>> balanced_accuracy_score([0, 0, 0, 1, 1], [0, 0, 0, 1, 0], adjusted=True)
    0.5
    """
    check_choice("adjusted", adjusted, (True, False))
    labels, sums = drop_in_sums(y_true, y_pred, sample_weight=sample_weight)
    warn_single_label(labels)
    present = sums.true > 0
    if not present.any():
        return warn_if_nan(np.nan, "the balanced accuracy is not defined: there is no example")
    if not present.all():
        warn_user("y_pred contains classes not in y_true", UserWarning)
    recalls = ratio(sums.hits[present], sums.true[present])
    score = float(recalls.mean())
    if not adjusted:
        return score
    if len(recalls) == 1:
        warn_user(
            "the adjusted balanced accuracy is not defined: only one class is present in y_true",
            UndefinedMetricWarning,
        )
        return float("nan")
    chance = 1.0 / len(recalls)
    return (score - chance) / (1.0 - chance)


@documented(CLASSES, NAN)
def g_mean(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the geometric mean of the recalls of all classes.

    Returns
    -------
    float
        In [0, 1], 0 if one class is never found; nan where a class has no true example.

    Notes
    -----
    Of two classes it is the square root of recall times
    specificity; which of them is positive does not matter.

    References
    ----------
    Kubat, M. & Matwin, S. (1997). Addressing the curse of imbalanced training sets. ICML 14.

    Examples
    --------
    >>> g_mean([0, 0, 0, 0, 1], [0, 0, 0, 0, 1])
    1.0
    >>> g_mean([0, 0, 0, 0, 1], [0, 0, 0, 0, 0])
    0.0
    """
    _, sums = strict_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    reason = "the geometric mean of recalls is not defined: a class has no example in y_true"
    return warn_if_nan(evaluate_sums("g_mean", sums), reason)


_ONE_PASS: Final = """
Warns
-----
UndefinedMetricWarning
    If a matrix holds no example: nan.

Notes
-----
One pass in O(n), or O(n k). Without weights, or with whole ones, the result is the double nearest
to the ratio of the two counts.
"""


@documented(TARGETS, _ONE_PASS)
def accuracy_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the proportion of examples whose predicted label is the true one.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.
    normalize : bool, default=True
        False returns how many are right, or what they weigh.

    Returns
    -------
    float
        Proportion, or number, of right predictions; a row of indicators is right as a whole.

    Notes
    -----
    Where classes are of very different size, the proportion of the largest
    one is the accuracy of always predicting it: look at both.

    Examples
    --------
    >>> accuracy_score([0, 1, 2, 1], [0, 1, 1, 1])
    0.75
    >>> accuracy_score([[1, 0], [1, 1]], [[1, 0], [0, 1]], normalize=False)
    1.0
    """
    normalize = checked_flag("normalize", normalize)
    right, wrong, exponent = _right_and_wrong(y_true, y_pred, sample_weight)
    return _proportion_or_weight(right, wrong, exponent, "accuracy" if normalize else None)


@documented(TARGETS, _ONE_PASS)
def zero_one_loss(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the error rate: the proportion of examples whose prediction is wrong.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.
    normalize : bool, default=True
        False returns how many are wrong, or what they weigh.

    Returns
    -------
    float
        Proportion, or number, of wrong predictions; a row of indicators is right as a whole.

    Notes
    -----
    Counted: not 1 less a rounded accuracy.

    Examples
    --------
    >>> zero_one_loss([0, 1, 2, 1], [0, 1, 1, 1])
    0.25
    >>> zero_one_loss(["a", "b", "b"], ["a", "a", "b"], sample_weight=[1, 2, 2], normalize=False)
    2.0
    """
    normalize = checked_flag("normalize", normalize)
    right, wrong, exponent = _right_and_wrong(y_true, y_pred, sample_weight)
    return _proportion_or_weight(wrong, right, exponent, "the error rate" if normalize else None)


@documented(TARGETS, _ONE_PASS)
def hamming_loss(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the Hamming loss: the proportion of labels that are wrong.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.

    Returns
    -------
    float
        For labels in one dimension the error rate, as `zero_one_loss`; of indicators every cell
        is a label.

    References
    ----------
    Hamming (1950), Error detecting and error correcting codes, Bell System Technical Journal 29.

    Examples
    --------
    >>> hamming_loss([[1, 0, 1], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    0.16666666666666666
    >>> hamming_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    counts = class_counts(y_true, y_pred, sample_weight, by_column=False)
    if counts.indicators is None:
        wrong = max(exact_sum(counts.true - counts.hits), 0)
        return proportion(wrong, counts.total, "the Hamming loss")
    rows, weights = by_row(counts)
    differing = (rows.true - rows.hits) + (rows.predicted - rows.hits)
    k = len(counts.labels)
    if weights is None:
        return float(exact_sum(differing) / (len(differing) * k))
    return float(math.fsum((weights * differing).tolist()) / (counts.total * k))


def _right_and_wrong(y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[Any, Any, int]:
    """Return the weights of right and wrong rows, times two to an exponent, and the exponent.

    Whole numbers are Python integers.
    """
    if sample_weight is None:
        plain = cells_of_plain(y_true, y_pred)
        if plain is not None:
            return plain[0] + plain[3], plain[1] + plain[2], 0
    counts = class_counts(y_true, y_pred, sample_weight, by_column=False)
    if counts.indicators is None:
        wrong = max(exact_sum(counts.true - counts.hits), 0)
        return exact_sum(counts.hits), wrong, counts.exponent
    rows, weights = by_row(counts)
    is_right = (rows.true == rows.hits) & (rows.predicted == rows.hits)
    if weights is None:
        right = int(np.count_nonzero(is_right))
        return right, len(is_right) - right, counts.exponent
    return exact_sum(weights[is_right]), exact_sum(weights[~is_right]), counts.exponent


def _proportion_or_weight(weight: Any, rest: Any, exponent: int, metric: str | None) -> float:
    """Return weight / (weight + rest); without the name of a metric the weight itself."""
    if metric is not None:
        return proportion(weight, weight + rest, metric)
    return float(as_given(float(weight), exponent))
