"""``compare_estimators``: fits two estimators on the same folds and tests their difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    check_decision_level,
    check_direction,
    check_integer,
    check_real,
    complement,
    seed_key,
)
from fastmetrics.comparison.result import ComparisonTest, check_names
from fastmetrics.comparison.samples.five_by_two import Variant, five_by_two_cv_test
from fastmetrics.comparison.samples.t_tests import Correction, kfold_paired_t_test
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.asking import Asked, ask_one

Test = Literal["5x2cv", "kfold"]
Metric = str | tuple[str, Mapping[str, Any]] | Callable[[Any, Any], float]

_Fold = tuple[NDArray[np.int64], NDArray[np.int64]]


class _Judge(NamedTuple):
    """How predictions are judged, as ``value(y_true, y_pred)``, and which direction is better."""

    value: Callable[[Any, Any], Any]
    higher_is_better: bool


class _Data(NamedTuple):
    """The examples, and how a prediction on some of them is judged."""

    X: Any
    y: NDArray[Any]
    judge: _Judge


@documented()
def compare_estimators(
    estimator_a: Any,
    estimator_b: Any,
    X: Any,
    y: ArrayLike,
    *,
    test: Test = "5x2cv",
    variant: Variant = "dietterich",
    n_folds: int = 10,
    n_repeats: int = 1,
    correction: Correction = "nadeau-bengio",
    metrics: Metric = "error_rate",
    higher_is_better: bool | None = None,
    stratified: bool = True,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] | None = None,
    rng: Any = None,
) -> ComparisonTest:
    """Fit two estimators on the same folds and test whether their measures differ.

    Parameters
    ----------
    estimator_a, estimator_b : estimator
        Objects with `fit(X, y)` and `predict(X)`; clones of them are fitted.
    X : array-like of shape (n, ...)
        Whatever the estimators take.
    y : array-like of shape (n,)
        Labels, or numbers with a `metrics` of regression and `stratified=False`.
    test : {"5x2cv", "kfold"}, default="5x2cv"
        `five_by_two_cv_test`, or `kfold_paired_t_test`.
    variant : {"dietterich", "textbook", "f"}, default="dietterich"
        Of "5x2cv".
    n_folds, n_repeats : int, default=10 and 1
        Of "kfold": folds, and repetitions with fresh folds.
    correction : {"nadeau-bengio", "none"}, default="nadeau-bengio"
        Of "kfold".
    metrics : str, (str, mapping) or callable, default="error_rate"
        What is compared, a number for each test fold: the name of a measure of predicted labels or
        numbers (see `metrics_table`), with its parameters if need be, or a function of (y_true,
        y_pred).
    higher_is_better : bool, optional
        Whether the greater number is the better (accuracy, AUC) or the lower (errors, losses):
        declared for a measure of the library, required for a function.
    stratified : bool, default=True
        Whether each fold has the class shares of the whole.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether the mean measure of A less that of B is other than, below or above 0.
    names : (str, str), optional
        What the estimators are called; their classes if these differ, else "A" and "B".
    rng : None, int, Generator, BitGenerator, SeedSequence or str
        Source of the folds; the estimators keep their own `random_state`.

    Returns
    -------
    ComparisonTest
        That of the test; `details` has the mean measure of both estimators too.

    Raises
    ------
    ImportError
        If scikit-learn is not installed.
    TypeError
        If an estimator lacks `fit` or `predict`, or `higher_is_better` is missing for a function.
    ValueError
        If an option is out of range, or the data cannot be split that way; for a measure of scores
        or probabilities, or the other direction than that declared.

    Warns
    -----
    DegenerateDataWarning
        If all differences are equal.

    Notes
    -----
    Folds are scikit-learn's StratifiedKFold (KFold without `stratified`), shuffled. Ten fits of
    each estimator for "5x2cv", n_folds n_repeats for "kfold", one after the other.

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
    >>> test.better, test.reject, round(test.details["mean_b"], 3)
    ('tree', True, 0.333)
    """
    kind: Test = check_choice("test", test, get_args(Test))
    check_choice("variant", variant, get_args(Variant))
    check_choice("correction", correction, get_args(Correction))
    check_choice("stratified", stratified, (True, False))
    splits = check_integer("n_folds", n_folds, low=2)
    repeats = check_integer("n_repeats", n_repeats, low=1)
    level, side = check_decision_level(confidence_level), check_alternative(alternative)
    judge = _judge(metrics, higher_is_better)
    _check_estimators(estimator_a=estimator_a, estimator_b=estimator_b)
    both = _names_of(estimator_a, estimator_b) if names is None else check_names(names)
    data = _Data(X, as_vector(y, "y"), judge)
    generator = np.random.default_rng(seed_key(rng))
    shape = (5, 2) if kind == "5x2cv" else (repeats, splits)
    found = np.empty((2, *shape))
    for i in range(shape[0]):
        for j, fold in enumerate(_folds(data, shape[1], stratified, generator)):
            found[0, i, j] = _value_on(fold, estimator_a, data)
            found[1, i, j] = _value_on(fold, estimator_b, data)
    of_a, of_b = found if kind == "5x2cv" or repeats > 1 else found[:, 0]
    options: Any = {
        "higher_is_better": judge.higher_is_better,
        "confidence_level": complement(level),
        "alternative": side,
        "names": (both[0], both[1]),
    }
    if kind == "5x2cv":
        result = five_by_two_cv_test(of_a, of_b, variant=variant, **options)
    else:
        result = kfold_paired_t_test(of_a, of_b, correction=correction, n_folds=splits, **options)
    means = {"mean_a": float(of_a.mean()), "mean_b": float(of_b.mean())}
    return replace(result, details={**result.details, **means})


def _judge(metric: Any, higher_is_better: Any) -> _Judge:
    """Return how predictions are judged; the direction of a measure is the one declared."""
    one = ask_one(metric)
    measure = one.measure
    if hasattr(one.function, "_score_func"):
        raise InputTypeError(
            "`metrics` must be a name or a function of (y_true, y_pred): got a scorer of "
            f"scikit-learn, {one.function!r}"
        )
    if measure is not None and measure.needs not in ("labels", "values"):
        raise InputError(
            "`metrics` must be of predicted labels or numbers, which is what `predict` returns: "
            f"got {one.label!r}"
        )
    declared = one.higher_is_better
    if declared is None:
        direction = check_direction(higher_is_better, f", for {one.label!r}")
    elif higher_is_better is None or check_direction(higher_is_better) == declared:
        direction = declared
    else:
        raise InputError(
            f"`higher_is_better` of {one.label!r} is declared to be {declared}: got "
            f"{higher_is_better!r}"
        )
    return _Judge(_value_of(one), direction)


def _value_of(one: Asked) -> Callable[[Any, Any], Any]:
    function, measure = one.function, one.measure
    if function is None:
        known: Any = measure
        return lambda true, called: known.value(true, called, **one.parameters)
    if measure is not None and hasattr(function, "py_func"):  # compiled: it takes weights too
        return lambda true, called: function(true, called, np.ones(len(true)))
    return function


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
    data: _Data, n_splits: int, stratified: bool, generator: np.random.Generator
) -> Iterator[_Fold]:
    try:
        from sklearn.model_selection import KFold, StratifiedKFold
    except ImportError as error:
        raise ImportError(
            "compare_estimators needs scikit-learn: pip install 'fastmetrics-eval[estimators]'"
        ) from error
    splitter = StratifiedKFold if stratified else KFold
    seed = int(generator.integers(2**32))
    rows = np.zeros((len(data.y), 1))
    folds: Iterator[_Fold] = splitter(n_splits, shuffle=True, random_state=seed).split(rows, data.y)
    return folds


def _value_on(fold: _Fold, estimator: Any, data: _Data) -> float:
    from sklearn.base import clone
    from sklearn.utils import _safe_indexing, check_consistent_length

    check_consistent_length(data.X, data.y)
    train, test = fold
    model = clone(estimator, safe=False)
    model.fit(_safe_indexing(data.X, train), data.y[train])
    predicted = model.predict(_safe_indexing(data.X, test))
    return check_real("metrics", data.judge.value(data.y[test], predicted))
