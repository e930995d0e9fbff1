"""Regression metrics of one output by their definitions: slow, obvious, in rational numbers.

Nothing of fastmetrics, NumPy or scikit-learn is used here. Rows are triples of target, prediction
and weight, which a `Fraction` holds exactly; what needs a logarithm or a power is taken of
`Decimal`s of 60 digits. None stands for what is undefined.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

Row = tuple[Fraction, Fraction, Fraction]
Number = Fraction | Decimal

DIGITS = 60
#: The least absolute target that a relative error divides by.
EPSILON = Fraction(1, 2**52)


def rows(
    y_true: Sequence[float], y_pred: Sequence[float], weights: Sequence[float] | None = None
) -> list[Row]:
    """Return the rows that are there at all: weight 0 means absent."""
    weights = [1] * len(y_true) if weights is None else weights
    columns = zip(y_true, y_pred, weights, strict=True)
    return [(Fraction(y), Fraction(p), Fraction(w)) for y, p, w in columns if w > 0]


def _mean(data: list[Row], term: Callable[[Fraction, Fraction], Number]) -> Number:
    """Return the weighted mean of a term of target and prediction."""
    if isinstance(term(*data[0][:2]), Decimal):
        total = sum((_decimal(w) * term(y, p) for y, p, w in data), Decimal(0))
        return total / _decimal(sum(w for *_, w in data))
    return sum(w * term(y, p) for y, p, w in data) / sum(w for *_, w in data)


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def mean(data: list[Row]) -> Fraction:
    return _mean(data, lambda y, _: y)


def mean_error(data: list[Row]) -> Fraction:
    """Return by how much predictions exceed their targets."""
    return _mean(data, lambda y, p: p - y)


def mean_squared_error(data: list[Row]) -> Fraction:
    return _mean(data, lambda y, p: (y - p) ** 2)


def root_mean_squared_error(data: list[Row]) -> Decimal:
    return _decimal(mean_squared_error(data)).sqrt()


def mean_absolute_error(data: list[Row]) -> Fraction:
    return _mean(data, lambda y, p: abs(y - p))


def mean_absolute_percentage_error(data: list[Row]) -> Fraction:
    return _mean(data, lambda y, p: abs(y - p) / max(abs(y), EPSILON))


def max_error(data: list[Row]) -> Fraction:
    return max(abs(y - p) for y, p, _ in data)


def mean_squared_log_error(data: list[Row]) -> Decimal:
    with localcontext(prec=DIGITS):
        return _mean(data, lambda y, p: (_decimal(1 + y).ln() - _decimal(1 + p).ln()) ** 2)


def root_mean_squared_log_error(data: list[Row]) -> Decimal:
    return mean_squared_log_error(data).sqrt()


def quantile(values: list[tuple[Fraction, Fraction]], level: Fraction) -> Fraction:
    """Return the weighted quantile by definition 2 of Hyndman & Fan (1996): a middle of ties."""
    total = sum(w for _, w in values)
    fits = [
        x
        for x, _ in values
        if sum(w for v, w in values if v < x) <= level * total
        and sum(w for v, w in values if v > x) <= (1 - level) * total
    ]
    return (min(fits) + max(fits)) / 2


def median_absolute_error(data: list[Row]) -> Fraction:
    return quantile([(abs(y - p), w) for y, p, w in data], Fraction(1, 2))


def mean_pinball_loss(data: list[Row], alpha: float = 0.5) -> Fraction:
    a = Fraction(alpha)
    return _mean(data, lambda y, p: a * (y - p) if y >= p else (1 - a) * (p - y))


def _constant(data: list[Row], prediction: Fraction) -> list[Row]:
    return [(y, prediction, w) for y, _, w in data]


def _saved(loss: Number, constant_loss: Number) -> Number | None:
    return 1 - loss / constant_loss if constant_loss else None


def r2_score(data: list[Row]) -> Fraction | None:
    return _saved(mean_squared_error(data), mean_squared_error(_constant(data, mean(data))))


def error_variance(data: list[Row]) -> Fraction:
    bias = mean_error(data)
    return _mean(data, lambda y, p: (p - y - bias) ** 2)


def explained_variance_score(data: list[Row]) -> Fraction | None:
    return _saved(error_variance(data), mean_squared_error(_constant(data, mean(data))))


def mean_tweedie_deviance(data: list[Row], power: float = 0) -> Number:
    """Return the mean of the unit deviances in the form of Jørgensen (1987)."""
    if power == 0:
        return mean_squared_error(data)
    with localcontext(prec=DIGITS):
        return _mean(data, lambda y, m: _deviance(_decimal(y), _decimal(m), Decimal(power)))


def _deviance(y: Decimal, mean: Decimal, power: Decimal) -> Decimal:
    if power == 1:
        return 2 * ((y * (y / mean).ln() if y else Decimal(0)) - y + mean)
    if power == 2:
        return 2 * ((mean / y).ln() + y / mean - 1)
    target_power = max(y, Decimal(0)) ** (2 - power) / ((1 - power) * (2 - power))
    cross = y * mean ** (1 - power) / (1 - power)
    return 2 * (target_power - cross + mean ** (2 - power) / (2 - power))


def mean_poisson_deviance(data: list[Row]) -> Number:
    return mean_tweedie_deviance(data, 1)


def mean_gamma_deviance(data: list[Row]) -> Number:
    return mean_tweedie_deviance(data, 2)


def d2_tweedie_score(data: list[Row], power: float = 0) -> Number | None:
    level = mean(data)
    if power < 0 and level <= 0:
        return None
    if len({y for y, *_ in data}) == 1:
        return None
    mean_loss = mean_tweedie_deviance(_constant(data, level), power)
    with localcontext(prec=DIGITS):
        return _saved(mean_tweedie_deviance(data, power), mean_loss)


def d2_pinball_score(data: list[Row], alpha: float = 0.5) -> Fraction | None:
    best = quantile([(y, w) for y, _, w in data], Fraction(alpha))
    return _saved(mean_pinball_loss(data, alpha), mean_pinball_loss(_constant(data, best), alpha))


def d2_absolute_error_score(data: list[Row]) -> Fraction | None:
    return d2_pinball_score(data, 0.5)
