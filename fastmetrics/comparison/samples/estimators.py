"""``compare_estimators``: fits two estimators on the same folds and tests their difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_choice,
    check_fraction,
    check_integer,
    check_real,
    seed_key,
)
from fastmetrics.comparison.result import ComparisonTest, check_names
from fastmetrics.comparison.samples.five_by_two import Variant, five_by_two_cv_test
from fastmetrics.comparison.samples.mcnemar import right_rows, true_labels
from fastmetrics.comparison.samples.t_tests import Correction, kfold_paired_t_test
from fastmetrics.errors import InputTypeError

Test = Literal["5x2cv", "kfold"]
Loss = Callable[[Any, Any], float]

_Fold = tuple[NDArray[np.int64], NDArray[np.int64]]


class _Data(NamedTuple):
    """The examples, and how a prediction on some of them is judged."""

    X: Any
    y: NDArray[Any]
    loss: Loss


@documented()
def compare_estimators(
    estimator_a: Any,
    estimator_b: Any,
    X: Any,
    y: ArrayLike,
    *,
    test: Test = "5x2cv",
    variant: Variant = "dietterich",
    n_splits: int = 10,
    n_repeats: int = 1,
    correction: Correction = "nadeau-bengio",
    loss: Loss | None = None,
    stratify: bool = True,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] | None = None,
    rng: Any = None,
) -> ComparisonTest:
    """Fit two estimators on the same folds and test whether their errors differ.

    Parameters
    ----------
    estimator_a, estimator_b : estimator
        Objects with `fit(X, y)` and `predict(X)`; clones of them are fitted.
    X : array-like of shape (n, ...)
        Whatever the estimators take.
    y : array-like of shape (n,)
        Labels, or numbers with `loss` and `stratify=False`.
    test : {"5x2cv", "kfold"}, default="5x2cv"
        `five_by_two_cv_test`, or `kfold_paired_t_test`.
    variant : {"dietterich", "textbook", "f"}, default="dietterich"
        Of "5x2cv".
    n_splits, n_repeats : int, default=10 and 1
        Of "kfold": folds, and repetitions with fresh folds.
    correction : {"nadeau-bengio", "none"}, default="nadeau-bengio"
        Of "kfold". Unlike in `kfold_paired_t_test` it is corrected by default: here the training
        sets do overlap.
    loss : callable of (y_true, y_pred), optional
        What is compared, a number for each test fold, the lower the better; the error rate if left
        out.
    stratify : bool, default=True
        Whether each fold has the class shares of the whole.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether the loss of A less that of B is other than, below or above 0.
    names : (str, str), optional
        What the estimators are called; their classes if these differ, else "A" and "B".
    rng : None, int, Generator, BitGenerator, SeedSequence or str
        Source of the folds; the estimators keep their own `random_state`.

    Returns
    -------
    ComparisonTest
        That of the test; `details` has the mean loss of both estimators too.

    Raises
    ------
    ImportError
        If scikit-learn is not installed.
    TypeError
        If an estimator lacks `fit` or `predict`.
    ValueError
        If an option is out of range, or the data cannot be split that way.

    Warns
    -----
    DegenerateDataWarning
        If all differences are equal.

    Notes
    -----
    Folds are scikit-learn's StratifiedKFold (KFold without `stratify`), shuffled. Ten fits of each
    estimator for "5x2cv", n_splits n_repeats for "kfold", one after the other.

    References
    ----------
    Dietterich (1998), Neural Computation 10:1895-1923. Nadeau & Bengio (2003), Machine Learning
    52:239-281.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree, stump = (DecisionTreeClassifier(max_depth=d, random_state=0) for d in (3, 1))
    >>> test = compare_estimators(tree, stump, X, y, names=("tree", "stump"), rng=1)
    >>> test.better, test.reject, round(test.details["mean_loss_b"], 3)
    ('tree', True, 0.333)
    """
    kind: Test = check_choice("test", test, get_args(Test))
    check_choice("variant", variant, get_args(Variant))
    check_choice("correction", correction, get_args(Correction))
    check_choice("stratify", stratify, (True, False))
    splits = check_integer("n_splits", n_splits, low=2)
    repeats = check_integer("n_repeats", n_repeats, low=1)
    level, side = check_fraction("alpha", alpha), check_alternative(alternative)
    _check_estimators(estimator_a=estimator_a, estimator_b=estimator_b)
    both = _names_of(estimator_a, estimator_b) if names is None else check_names(names)
    data = _Data(X, as_vector(y, "y"), _error_rate if loss is None else loss)
    generator = np.random.default_rng(seed_key(rng))
    shape = (5, 2) if kind == "5x2cv" else (repeats, splits)
    losses = np.empty((2, *shape))
    for i in range(shape[0]):
        for j, fold in enumerate(_folds(data, shape[1], stratify, generator)):
            losses[0, i, j] = _loss_on(fold, estimator_a, data)
            losses[1, i, j] = _loss_on(fold, estimator_b, data)
    of_a, of_b = losses if kind == "5x2cv" or repeats > 1 else losses[:, 0]
    names_of_both = (both[0], both[1])
    if kind == "5x2cv":
        result = five_by_two_cv_test(
            of_a, of_b, variant=variant, alpha=level, alternative=side, names=names_of_both
        )
    else:
        result = kfold_paired_t_test(
            of_a, of_b, correction=correction, alpha=level, alternative=side, names=names_of_both
        )
    means = {"mean_loss_a": float(of_a.mean()), "mean_loss_b": float(of_b.mean())}
    return replace(result, details={**result.details, **means})


def _check_estimators(**estimators: Any) -> None:
    for name, estimator in estimators.items():
        for method in ("fit", "predict"):
            if not callable(getattr(estimator, method, None)) or isinstance(estimator, type):
                raise InputTypeError(
                    f"`{name}` must be an estimator with `fit` and `predict`: got {estimator!r}"
                )


def _names_of(*estimators: Any) -> tuple[str, ...]:
    found = tuple(type(one).__name__ for one in estimators)
    return found if len(set(found)) == len(found) else ("A", "B")


def _folds(
    data: _Data, n_splits: int, stratify: bool, generator: np.random.Generator
) -> Iterator[_Fold]:
    try:
        from sklearn.model_selection import KFold, StratifiedKFold
    except ImportError as error:
        raise ImportError("compare_estimators needs scikit-learn") from error
    splitter = StratifiedKFold if stratify else KFold
    seed = int(generator.integers(2**32))
    rows = np.zeros((len(data.y), 1))
    folds: Iterator[_Fold] = splitter(n_splits, shuffle=True, random_state=seed).split(rows, data.y)
    return folds


def _loss_on(fold: _Fold, estimator: Any, data: _Data) -> float:
    from sklearn.base import clone
    from sklearn.utils import _safe_indexing, check_consistent_length

    check_consistent_length(data.X, data.y)
    train, test = fold
    model = clone(estimator, safe=False)
    model.fit(_safe_indexing(data.X, train), data.y[train])
    return check_real("loss", data.loss(data.y[test], model.predict(_safe_indexing(data.X, test))))


def _error_rate(y_true: Any, y_pred: Any) -> float:
    right = right_rows(true_labels(y_true), y_pred, "y_pred")
    return (len(right) - int(np.count_nonzero(right))) / len(right)
