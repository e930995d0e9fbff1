"""``cochran_q_test``: several models on the same test examples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display.numbers import MonteCarloPValue
from fastmetrics._docs import documented
from fastmetrics._input.classes import check_multilabel_indicator
from fastmetrics._input.label_columns import check_label_column
from fastmetrics._input.scalars import check_choice, check_decision_level, check_integer, seed_key
from fastmetrics.comparison.result import ComparisonTest, Question, check_names
from fastmetrics.comparison.samples._arrangements import exact_distribution
from fastmetrics.comparison.samples.mcnemar import chi2_test, right_rows
from fastmetrics.errors import DegenerateDataWarning, InputError, InputTypeError, warn_user

Counts = NDArray[np.int64]
Method = Literal["chi2", "permutation"]

_DRAWN: Final = 1 << 20
_PATTERNS: Final = 1 << 12

_STEPS: Final = 200_000
"""Of some microseconds each."""


@documented()
def cochran_q_test(
    correct: ArrayLike | None = None,
    *,
    y_true: ArrayLike | None = None,
    predictions: Mapping[str, ArrayLike] | Sequence[ArrayLike] | None = None,
    method: Method = "chi2",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    rng: Any = None,
    names: Sequence[str] | None = None,
) -> ComparisonTest:
    """Test whether several models have the same accuracy on the same test examples.

    Parameters
    ----------
    correct : array-like of shape (n, M), optional
        1 where a model (column) is right on an example (row), 0 where it is wrong; M >= 2.
    y_true : array-like of shape (n,), optional
        True labels of any type, with `predictions` in place of `correct`.
    predictions : mapping of str to array-like of shape (n,), or sequence of them, optional
        Each model's predicted labels.
    method : {"chi2", "permutation"}, default="chi2"
        "chi2": M - 1 degrees of freedom. "permutation": the right answers of each example are
        exchanged between the models; exact where that is feasible, else at random.
    n_resamples : int, default=9999
        Random permutations, where they are needed.
    rng : None, int, Generator, BitGenerator, SeedSequence or str
        Source of the random permutations.
    names : sequence of str, optional
        What the models are called; the keys of `predictions`, or "model 0" and so on.

    Returns
    -------
    ComparisonTest
        Q. The effect is eta squared, Q / (n (M - 1)): 0 to 1. `better` is the model with the most
        right answers, if it is one; `details` has the accuracy of each model.

    Raises
    ------
    TypeError
        If the columns hold labels of different kinds.
    ValueError
        If neither `correct` nor predictions are given, or both; for a matrix of other values than
        0 and 1, or fewer than two models; if lengths differ.

    Warns
    -----
    DegenerateDataWarning
        If each example is right for all models or wrong for all: Q is 0 and p is 1.

    Notes
    -----
    Q = (M - 1) (M sum_j G_j^2 - T^2) / (M T - sum_i L_i^2), G_j the right answers of model j, L_i
    those of example i, T all of them. For M = 2 it is McNemar's chi2 without correction. Cost
    O(n M), memory that of the data and a number a row. Random permutations have
    p = (b + 1) / (n_resamples + 1), and with 12 models or fewer cost O(2^M) each, whatever n is.

    References
    ----------
    Cochran (1950), The comparison of percentages in matched samples, Biometrika 37:256-266.
    Serlin, Carr & Marascuilo (1982), A measure of association for selected nonparametric
    procedures, Psychological Bulletin 92:786-790 (eta squared).

    Examples
    --------
    >>> correct = [[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1], [1, 0, 0]]
    >>> cochran_q_test(correct, names=("a", "b", "c"))
    ComparisonTest(Cochran's Q test: Q(2)=5.2, pvalue=0.0742736, do not reject at 0.05, ahead: a)
    >>> round(cochran_q_test(correct, method="permutation").pvalue, 6)
    0.123457
    """
    check_choice("method", method, get_args(Method))
    count = check_integer("n_resamples", n_resamples, low=1, high=10**8)
    key = seed_key(rng)
    if (correct is None) != (y_true is not None and predictions is not None) or (
        correct is not None and (y_true is not None or predictions is not None)
    ):
        raise InputError("pass either `correct`, or `y_true` and `predictions`")
    if correct is not None:
        (sums, rows), called = _sums_of_matrix(correct), None
    else:
        (sums, rows), called = _sums_of_predictions(y_true, predictions)
    n_models, n = len(sums), int(rows.sum())
    called = called or [f"model {j}" for j in range(n_models)]
    models = check_names(called if names is None else names, n_models)
    asked = Question(check_decision_level(confidence_level), "two-sided", models, True)
    columns = [int(one) for one in sums]
    total, squares = sum(columns), sum(one * one for one in columns)
    below = n_models * total - sum(int(c) * i * i for i, c in enumerate(rows))
    statistic = (n_models - 1) * (n_models * squares - total * total) / below if below else 0.0
    if below == 0:
        message = "each example is right for all models or wrong for all: Q is 0 and p is 1"
        warn_user(message, DegenerateDataWarning)
    title = "Cochran's Q test"
    critical = math.nan
    if method == "chi2":
        pvalue, critical = chi2_test(statistic, n_models - 1, asked.alpha)
    else:
        exact = _exact_pvalue(rows, n_models, squares)
        title = f"{title}, {'random' if exact is None else 'exact'} permutation"
        if exact is None:
            found = _random_squares(rows, n_models, count, np.random.default_rng(key))
            exact = MonteCarloPValue.of(int(np.count_nonzero(found >= squares)), count)
        pvalue = exact
    best = [name for name, one in zip(models, columns, strict=True) if one == max(columns)]
    return asked.answer(
        title,
        ("Q", statistic),
        pvalue,
        ("eta squared", statistic / (n * (n_models - 1))),
        better=best[0] if len(best) == 1 else None,
        df=n_models - 1,
        critical_value=critical,
        details={
            "n": float(n),
            **{f"accuracy {name}": one / n for name, one in zip(models, columns, strict=True)},
        },
    )


def _sums_of_matrix(correct: Any) -> tuple[Counts, Counts]:
    matrix = check_multilabel_indicator(correct, "correct")
    if matrix.shape[1] < 2:
        raise InputError(f"`correct` must have two columns or more: got shape {matrix.shape}")
    return _sums(len(matrix), matrix.T)


def _sums(n: int, columns: Iterable[NDArray[Any]]) -> tuple[Counts, Counts]:
    """Return how many of n rows each model has right, and how many rows 0, 1, ... models."""
    right, sums = np.zeros(n, np.int64), []
    for column in columns:
        right += column
        sums.append(np.count_nonzero(column))
    return np.array(sums, np.int64), np.bincount(right, minlength=len(sums) + 1)


def _sums_of_predictions(
    y_true: Any, predictions: Any
) -> tuple[tuple[Counts, Counts], list[str] | None]:
    if isinstance(predictions, Mapping):
        names, columns = [str(name) for name in predictions], list(predictions.values())
    elif isinstance(predictions, Sequence) and not isinstance(predictions, str):
        names, columns = [], list(predictions)
    else:
        raise InputTypeError(
            "`predictions` must be a mapping or a sequence of label columns: got "
            f"{type(predictions).__name__}"
        )
    if len(columns) < 2:
        raise InputError(f"`predictions` must be of two models or more: got {len(columns)}")
    arguments = [f"predictions[{name!r}]" for name in names or range(len(columns))]
    true = check_label_column(y_true, "y_true").clean()
    right = (right_rows(true, one, name) for name, one in zip(arguments, columns, strict=True))
    return _sums(len(true.values), right), names or None


def _exact_pvalue(row_sums: Counts, n_models: int, squares: int) -> float | None:
    """Return P(sum of squared column sums >= ``squares``); None where that takes too many steps.

    ``row_sums`` says how many rows have 0, 1, ... right answers.
    """
    if _steps(row_sums, n_models) > _STEPS:
        return None
    n_right = np.arange(n_models + 1)
    centred = n_models * np.tri(n_models + 1, n_models, -1, np.int64) - n_right[:, None]
    found = exact_distribution(np.repeat(centred, row_sums, axis=0))
    total = int(row_sums @ n_right)
    return found and found.pvalue(n_models * (n_models * squares - total * total))


def _steps(row_sums: Counts, n_models: int) -> float:
    """Return about how many steps the exact distribution takes at most.

    After r rows there are at most as many sorted column sums as the middle coefficient of the
    Gaussian binomial [r + M over M]: of total C(r + M, M) and variance M r (r + M + 1) / 12.
    """
    steps, r = 0.0, 0
    for n_right in range(1, n_models):
        patterns = math.comb(n_models, n_right)
        for _ in range(int(row_sums[n_right])):
            spread = math.sqrt(2 * math.pi * n_models * r * (r + n_models + 1) / 12)
            steps += patterns * math.comb(r + n_models, n_models) / max(1.0, spread)
            if steps > _STEPS:
                return math.inf
            r += 1
    return steps


def _random_squares(
    row_sums: Counts, n_models: int, n_resamples: int, rng: np.random.Generator
) -> Counts:
    """Return the sum of squared column sums of each of ``n_resamples`` random arrangements."""
    found = np.empty(n_resamples, np.int64)
    few = 2**n_models <= _PATTERNS
    width = 2**n_models if few else n_models * max(1, int(row_sums.sum()))
    size = max(1, _DRAWN // width)
    for start in range(0, n_resamples, size):
        count = min(size, n_resamples - start)
        sums = np.full((count, n_models), row_sums[n_models], np.int64)
        for n_right in range(1, n_models):
            if row_sums[n_right]:
                draw = _by_patterns if few else _by_rows
                sums += draw(int(row_sums[n_right]), n_right, n_models, count, rng)
        found[start : start + count] = (sums**2).sum(axis=1)
    return found


def _by_patterns(
    n: int, n_right: int, n_models: int, count: int, rng: np.random.Generator
) -> Counts:
    """Draw how many rows have each pattern of right answers, not the rows themselves."""
    chosen = list(combinations(range(n_models), n_right))
    patterns = np.zeros((len(chosen), n_models), np.int64)
    np.put_along_axis(patterns, np.array(chosen), 1, axis=1)
    drawn = rng.multinomial(n, np.full(len(chosen), 1.0 / len(chosen)), size=count)
    return np.asarray(drawn @ patterns, np.int64)


def _by_rows(n: int, n_right: int, n_models: int, count: int, rng: np.random.Generator) -> Counts:
    """Draw the right answers row by row, some rows at a time."""
    sums = np.zeros((count, n_models), np.int64)
    size = max(1, _DRAWN // n_models)
    for number in range(count):
        for start in range(0, n, size):
            keys = rng.random((min(size, n - start), n_models))
            right = np.argpartition(keys, n_right - 1, axis=1)[:, :n_right]
            sums[number] += np.bincount(right.ravel(), minlength=n_models)
    return sums
