"""The registry of count measures: names, formulas, parameters and their checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_choice, check_fraction, check_positive, check_real
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.decisions import _count_formulas as formulas
from fastmetrics.measures.decisions._dual import Array, Values


@dataclass(frozen=True, slots=True)
class CountMeasure:
    """A measure that follows from the cells of a confusion matrix.

    Attributes
    ----------
    name : str
        scikit-learn's scorer name, where it has one, without ``neg_``.
    function : callable
        ``function(tally, **parameters)``, a formula of `Tally`, homogeneous of degree 0: it
        returns one value for each matrix of the stack, nan where it is undefined, and is written
        with what `_dual` offers, so that it can be differentiated.
    parameters : mapping from str to object
        The parameters and their defaults.
    binary_only : bool
        Whether it is for two classes, the last of which is the positive one.
    coefficients : callable or None
        ``coefficients(K, **parameters)`` returns a matrix (K, K), or None: `function` finds the
        sum of the cells times it in ``tally.linear``.
    instead : str
        What to take for more than two classes, for the message.
    """

    name: str
    function: Callable[..., Values]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    binary_only: bool = False
    coefficients: Callable[..., Array | None] | None = None
    instead: str = ""


def _averaged(name: str, parts: formulas.Parts, **defaults: float) -> list[CountMeasure]:
    """Return a ratio of the positive class, and its averages over classes."""
    means = ("macro", "micro", "weighted")
    instead = f"see {', '.join(f'{name}_{mean}' for mean in means)}"

    def measure(full_name: str, formula: Callable[..., Values], **more: Any) -> CountMeasure:
        def function(t: formulas.Tally, *, zero_division: float, beta: float = 1.0) -> Values:
            return formula(t, parts, beta, zero_division)

        return CountMeasure(full_name, function, defaults | {"zero_division": math.nan}, **more)

    return [
        measure(name, formulas.positive_class, binary_only=True, instead=instead),
        *(measure(f"{name}_{mean}", getattr(formulas, mean)) for mean in means),
    ]


def _cost(t: formulas.Tally, **_: Any) -> Values:
    return formulas.mean_cost(t)


def cost_coefficients(
    n_classes: int, *, cost_matrix: Array | None, cost_fn: float | None, cost_fp: float | None
) -> Array:
    """Return what each cell costs."""
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
        return cost_matrix
    if cost_fn is None or cost_fp is None or n_classes != 2:
        what = "`cost_fn` and `cost_fp`, or " if n_classes == 2 else ""
        raise InputTypeError(f"`cost` of {n_classes:,} classes needs {what}`cost_matrix`")
    return np.array([[0.0, cost_fp], [cost_fn, 0.0]])


def _kappa_coefficients(n_classes: int, *, weights: str | None) -> Array | None:
    return None if weights is None else formulas.disagreement(n_classes, weights)


def _binary(formula: Callable[..., Values]) -> CountMeasure:
    instead = "count one class against the rest"
    return CountMeasure(formula.__name__, formula, binary_only=True, instead=instead)


_MEASURES: Final = (
    *_averaged("precision", formulas.precision_parts),
    *_averaged("recall", formulas.recall_parts),
    *_averaged("f1", formulas.fbeta_parts),
    *_averaged("fbeta", formulas.fbeta_parts, beta=1.0),
    *_averaged("jaccard", formulas.jaccard_parts),
    CountMeasure("macro_f1_harmonic", formulas.macro_f1_harmonic, {"zero_division": math.nan}),
    CountMeasure("accuracy", formulas.accuracy),
    CountMeasure("error_rate", formulas.error_rate),
    CountMeasure("balanced_accuracy", formulas.balanced_accuracy),
    CountMeasure("g_mean", formulas.g_mean),
    CountMeasure("matthews_corrcoef", formulas.matthews_corrcoef),
    CountMeasure(
        "cohen_kappa", formulas.cohen_kappa, {"weights": None}, coefficients=_kappa_coefficients
    ),
    CountMeasure(
        "cost",
        _cost,
        {"cost_matrix": None, "cost_fn": None, "cost_fp": None},
        coefficients=cost_coefficients,
    ),
    _binary(formulas.specificity),
    _binary(formulas.npv),
    _binary(formulas.false_positive_rate),
    _binary(formulas.false_negative_rate),
    _binary(formulas.informedness),
    _binary(formulas.positive_likelihood_ratio),
    _binary(formulas.negative_likelihood_ratio),
)

#: Name to measure; an alias leads to the measure under its first name.
COUNT_MEASURES: Final[dict[str, CountMeasure]] = {m.name: m for m in _MEASURES}
COUNT_MEASURES["zero_one_loss"] = COUNT_MEASURES["error_rate"]
COUNT_MEASURES["youden_j"] = COUNT_MEASURES["informedness"]


def measure_named(name: str, parameter: str = "name") -> CountMeasure:
    """Return the measure of that name, or raise with all names and that of the parameter."""
    return COUNT_MEASURES[check_choice(parameter, name, COUNT_MEASURES)]


def check_classes(name: str, measure: CountMeasure, n_classes: int) -> None:
    """Raise if a measure of two classes meets another number of them."""
    if not measure.binary_only or n_classes == 2:
        return
    advice = measure.instead if n_classes > 2 else "pass `labels` of both"
    raise InputError(f"`{name}` is for two classes, and the matrix has {n_classes:,}: {advice}")


def checked_parameters(
    name: str, measure: CountMeasure, params: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the defaults overruled by ``params``, each one checked."""
    for given in params:
        if given not in measure.parameters:
            known = ", ".join(map(repr, measure.parameters)) or "no parameter"
            raise InputTypeError(f"`{name}` has no parameter {given!r}: it has {known}")
    checked = dict(measure.parameters)
    for given, setting in params.items():
        check = _CHECKS.get(given)
        is_default = setting is None and measure.parameters[given] is None
        checked[given] = setting if check is None or is_default else check(given, setting)
    return checked


def check_zero_division(name: str, setting: Any) -> float:
    """Return what stands for 0/0: 0, 1 or nan."""
    number = check_real(name, setting)
    return number if math.isnan(number) else float(check_choice(name, number, (0.0, 1.0)))


def check_cost_matrix(name: str, setting: Any) -> Array:
    """Return costs as float64: real and finite, negative ones being gains."""
    costs = as_array(setting, name)
    if costs.dtype.kind not in "iuf":
        raise InputTypeError(f"`{name}` must hold real numbers: got dtype {costs.dtype}")
    if not np.isfinite(costs).all():
        raise InputError(f"`{name}` must be finite: got {costs[~np.isfinite(costs)][0].item()!r}")
    return costs.astype(np.float64)


def check_cost(name: str, setting: Any) -> float:
    """Return a finite cost of at least 0."""
    return check_fraction(name, setting, high=math.inf, include_low=True)


def _check_kappa_weights(name: str, setting: Any) -> str:
    return str(check_choice(name, setting, (None, "linear", "quadratic")))


_CHECKS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "beta": check_positive,
    "zero_division": check_zero_division,
    "weights": _check_kappa_weights,
    "cost_matrix": check_cost_matrix,
    "cost_fn": check_cost,
    "cost_fp": check_cost,
}
