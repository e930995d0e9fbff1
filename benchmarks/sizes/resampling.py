"""Size of the tests on cross-validation: ideal differences, and classifiers that are refitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.sizes.scenes import Measure, add, describe
from fastmetrics.comparison import five_by_two_cv_test, kfold_paired_t_test

Floats = NDArray[np.float64]
Classify = Callable[[Floats, NDArray[np.bool_], Floats], NDArray[np.bool_]]

ROWS = 200
SEPARATION = 1.0
VARIANTS = {"Dietterich": "dietterich", "textbook": "textbook", "F": "f"}

IDEAL = "Independent differences"
REFITTED = "Classifiers refitted on overlapping training sets"

describe(
    IDEAL,
    """The differences are independent standard normal numbers: what t supposes, and what no
    cross-validation gives.""",
)
describe(
    REFITTED,
    f"""{ROWS} rows of two equally likely classes, two features that are independent given the
    class, each N(0, 1) or N({SEPARATION:g}, 1). One model is fitted to the first feature, the
    other to the second, by the same method: their expected errors are equal. "10x10" is ten
    repetitions of ten folds. Folds are stratified.""",
)


def _five_by_two(differences: Floats) -> dict[str, float]:
    return {
        f"five_by_two_cv_test, {name}": five_by_two_cv_test(
            differences, variant=variant, higher_is_better=False
        ).pvalue
        for name, variant in VARIANTS.items()
    }


def _kfold(differences: Floats, name: str) -> dict[str, float]:
    plain, corrected = (
        kfold_paired_t_test(differences, higher_is_better=False, correction=correction).pvalue
        for correction in ("none", "nadeau-bengio")
    )
    return {
        f"kfold_paired_t_test, {name}": plain,
        f"kfold_paired_t_test, {name}, Nadeau-Bengio": corrected,
    }


@add(IDEAL, "normal", n_data=20_000)
def ideal(rng: np.random.Generator) -> dict[str, float]:
    """Draw the differences themselves."""
    found = _five_by_two(rng.normal(size=(5, 2)))
    return found | _kfold(rng.normal(size=10), "10 folds")


def nearest_mean(x: Floats, y: NDArray[np.bool_], new: Floats) -> NDArray[np.bool_]:
    """Classify by the nearer of the two class means: a stable method."""
    negative, positive = x[~y].mean(), x[y].mean()
    return np.abs(new - positive) < np.abs(new - negative)


def nearest_neighbour(x: Floats, y: NDArray[np.bool_], new: Floats) -> NDArray[np.bool_]:
    """Classify as the nearest training example: an unstable method."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    right = np.searchsorted(x, new)
    left = np.maximum(right - 1, 0)
    right = np.minimum(right, len(x) - 1)
    return np.where(new - x[left] <= x[right] - new, y[left], y[right])


def folds(y: NDArray[np.bool_], k: int, rng: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
    """Yield the test rows of each of k stratified folds."""
    number = np.empty(len(y), np.int64)
    for label in (False, True):
        rows = np.flatnonzero(y == label)
        number[rng.permutation(rows)] = (np.arange(len(rows)) + (k // 2 if label else 0)) % k
    for fold in range(k):
        yield number == fold


def difference(x: Floats, y: NDArray[np.bool_], test: NDArray[np.bool_], fit: Classify) -> float:
    """Return the first model's error on a fold less the second's."""
    train, y_train, y_test = ~test, y[~test], y[test]
    errors = [
        np.count_nonzero(fit(one[train], y_train, one[test]) != y_test) / len(y_test) for one in x
    ]
    return errors[0] - errors[1]


def refitted(fit: Classify) -> Measure:
    """Return the measure of all tests with models fitted by one method."""

    def measure(rng: np.random.Generator) -> dict[str, float]:
        y = np.arange(ROWS) < rng.binomial(ROWS, 0.5)
        x = rng.normal(size=(2, ROWS)) + SEPARATION * y
        halves = [[difference(x, y, t, fit) for t in folds(y, 2, rng)] for _ in range(5)]
        tens = [[difference(x, y, t, fit) for t in folds(y, 10, rng)] for _ in range(10)]
        found = _five_by_two(np.array(halves))
        found |= _kfold(np.array(tens[0]), "10 folds")
        return found | _kfold(np.array(tens), "10x10")

    return measure


add(REFITTED, "nearest mean", n_data=2_000)(refitted(nearest_mean))
add(REFITTED, "nearest neighbour", n_data=2_000)(refitted(nearest_neighbour))
