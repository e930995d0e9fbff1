"""The .632 rules, the corrected interval and out-of-fold scores, from their definitions."""

from fractions import Fraction
from math import sqrt


def zero_one(y, prediction):
    return Fraction(int(y != prediction))


def squared(y, prediction):
    return (Fraction(y) - Fraction(prediction)) ** 2


def absolute(y, prediction):
    return abs(Fraction(y) - Fraction(prediction))


def mean_loss(loss, y_true, y_pred):
    return sum(loss(y, r) for y, r in zip(y_true, y_pred, strict=True)) / Fraction(len(y_true))


def no_information(loss, y_true, y_pred):
    """Efron and Tibshirani (1997), equation 27: every prediction at every example."""
    pairs = [loss(y, r) for y in y_true for r in y_pred]
    return sum(pairs) / Fraction(len(pairs))


def leave_one_out_bootstrap(loss, y_true, predictions, out_of_bag):
    """Equation 17: each row's mean over the samples that it is not in, averaged over rows."""
    rows = []
    for i, y in enumerate(y_true):
        losses_of_row = [
            loss(y, predicted[i])
            for predicted, out in zip(predictions, out_of_bag, strict=True)
            if out[i]
        ]
        if losses_of_row:
            rows.append(sum(losses_of_row) / Fraction(len(losses_of_row)))
    return sum(rows) / Fraction(len(rows))


def err632(err, err1):
    return Fraction("0.368") * err + Fraction("0.632") * err1


def err632_plus(err, err1, gamma):
    """Equations 29 to 32."""
    clipped = min(err1, gamma)
    rate = Fraction(0)
    if err1 > err and gamma > err:
        rate = (clipped - err) / (gamma - err)
    weight = Fraction("0.368") * Fraction("0.632") * rate / (1 - Fraction("0.368") * rate)
    return err632(err, err1) + (clipped - err) * weight


def corrected_interval(values, test_train_ratio, t):
    """Nadeau and Bengio (2003): the mean, and the limits at the quantile t."""
    n = len(values)
    mean = sum(values) / n
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    half = t * sqrt(variance * (1 / n + test_train_ratio))
    return mean, mean - half, mean + half
