"""The formula of each count measure of the registry, and the checks of its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_choice, check_fraction, check_positive, check_real
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures._measure import Measure
from fastmetrics.measures.decisions import _count_formulas as formulas
from fastmetrics.measures.decisions._dual import Array, Values
from fastmetrics.measures.registry import MEASURES

#: Costs between 2**-700 and 2**700 may be multiplied by counts and added up.
_SAFE: Final = 700


class Formula(NamedTuple):
    """``function(tally, **parameters)``: one value for each matrix of a stack of `Tally`.

    It is homogeneous of degree 0, nan where it is undefined, and written with what `_dual` offers,
    so that it can be differentiated. ``coefficients(K, **parameters)``, where there are some,
    returns a matrix (K, K): the formula finds the sum of the cells times it in ``tally.linear``.
    """

    function: Callable[..., Values]
    coefficients: Callable[..., Array | None] | None = None


def _averaged(name: str) -> dict[str, Formula]:
    """Return a ratio of the positive class, and its averages over classes."""

    def measure(formula: Callable[..., Values]) -> Formula:
        def function(t: formulas.Tally, *, zero_division: float, beta: float = 1.0) -> Values:
            return formula(t, formulas.PARTS[name], beta, zero_division)

        return Formula(function)

    means = {f"{name}_{mean}": getattr(formulas, mean) for mean in ("macro", "micro", "weighted")}
    both = {name: formulas.positive_class} | means
    return {full: measure(formula) for full, formula in both.items()}


def cost_coefficients(
    n_classes: int, *, cost_matrix: Array | None, cost_fn: float | None, cost_fp: float | None
) -> Array:
    """Return what each cell costs, times 2 to the power of `cost_exponent`."""
    exponent = cost_exponent(cost_matrix, cost_fn, cost_fp)
    if cost_matrix is not None:
        if cost_fn is not None or cost_fp is not None:
            raise InputTypeError(
                "`cost_matrix` says it all: pass no `cost_fn` and `cost_fp` with it"
            )
        if cost_matrix.shape != (n_classes, n_classes):
            raise InputError(
                f"`cost_matrix` must have shape {(n_classes, n_classes)}, one row and one column a "
                f"class: got {cost_matrix.shape}"
            )
        return np.ldexp(cost_matrix, exponent)
    if cost_fn is None or cost_fp is None or n_classes != 2:
        what = "`cost_fn` and `cost_fp`, or " if n_classes == 2 else ""
        raise InputTypeError(f"`cost` of {n_classes:,} classes needs {what}`cost_matrix`")
    return np.ldexp([[0.0, cost_fp], [cost_fn, 0.0]], exponent)


def cost_exponent(cost_matrix: Array | None, cost_fn: float | None, cost_fp: float | None) -> int:
    """Return the power of two that lets costs be multiplied by counts and added; 0 unless extreme.

    A mean is no larger than the largest cost, where the sum that it comes from may be.
    """
    given = cost_matrix if cost_matrix is not None else (cost_fn or 0.0, cost_fp or 0.0)
    largest = math.frexp(float(np.abs(given).max(initial=0.0)))[1]
    return min(max(largest, -_SAFE), _SAFE) - largest


def _expected_cost(
    t: formulas.Tally, *, cost_fn: float, cost_fp: float, prevalence: float | None
) -> Values:
    exponent = cost_exponent(None, cost_fn, cost_fp)
    on_fn, on_fp = math.ldexp(cost_fn, exponent), math.ldexp(cost_fp, exponent)
    return formulas.expected_cost_of(t, on_fn, on_fp, prevalence) * 2.0**-exponent


#: Of every measure of predicted labels, by its canonical name.
FORMULAS: Final[dict[str, Formula]] = {
    **{full: each for name in formulas.PARTS for full, each in _averaged(name).items()},
    **{name: Formula(formula) for name, formula in formulas.OF_TWO.items()},
    "hamming_loss": Formula(formulas.error_rate),  # of labels in one column
    "cohen_kappa": Formula(
        formulas.cohen_kappa,
        lambda k, *, weights: None if weights is None else formulas.disagreement(k, weights),
    ),
    "cost": Formula(
        lambda t, **costs: formulas.mean_cost(t) * 2.0 ** -cost_exponent(**costs),
        cost_coefficients,
    ),
    "expected_cost": Formula(_expected_cost),
} | {
    formula.__name__: Formula(formula)
    for formula in (
        *(formulas.macro_f1_harmonic, formulas.accuracy, formulas.error_rate),
        *(formulas.balanced_accuracy, formulas.g_mean, formulas.matthews_corrcoef),
    )
}


def check_classes(name: str, measure: Measure, n_classes: int) -> None:
    """Raise if a measure of two classes meets another number of them."""
    if measure.classes != 2 or n_classes == 2:
        return
    advice = "pass `labels` of both"
    if n_classes > 2:
        means = (f"{measure.name}_{mean}" for mean in ("macro", "micro", "weighted"))
        averages = [mean for mean in means if mean in MEASURES]
        advice = f"see {', '.join(averages)}" if averages else "count one class against the rest"
    raise InputError(f"`{name}` is for two classes, and the matrix has {n_classes:,}: {advice}")


def checked_parameters(name: str, measure: Measure, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults overruled by ``params``, each one checked."""
    checked = dict(measure.parameters)
    for given, setting in measure.checked(name, params).items():
        is_default = setting is None and measure.parameters[given] is None
        checked[given] = setting if is_default else _CHECKS[given](given, setting)
    return checked


def check_zero_division(name: str, setting: Any) -> float:
    """Return what stands for 0/0: 0, 1 or nan."""
    number = check_real(name, setting)
    return number if math.isnan(number) else float(check_choice(name, number, (0.0, 1.0)))


def check_cost_matrix(name: str, setting: Any) -> Array:
    """Return costs as float64: real and finite, negative ones being gains."""
    costs = as_array(setting, name)
    if costs.ndim != 2:
        raise InputError(f"`{name}` must have shape (n_classes, n_classes): got {costs.shape}")
    if costs.dtype.kind not in "iuf":
        raise InputTypeError(f"`{name}` must hold real numbers: got dtype {costs.dtype}")
    if not np.isfinite(costs).all():
        raise InputError(f"`{name}` must be finite: got {costs[~np.isfinite(costs)][0].item()!r}")
    return costs.astype(np.float64)


def check_cost(name: str, setting: Any) -> float:
    """Return a finite cost of at least 0."""
    return check_fraction(name, setting, high=math.inf, include_low=True)


_CHECKS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "beta": check_positive,
    "zero_division": check_zero_division,
    "weights": lambda name, setting: check_choice(name, setting, (None, "linear", "quadratic")),
    "cost_matrix": check_cost_matrix,
    "cost_fn": check_cost,
    "cost_fp": check_cost,
    "prevalence": partial(check_fraction, include_low=True, include_high=True),
}
