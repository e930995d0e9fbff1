"""Terms of sums over probabilities and logits, and moments of runs of logits."""

import numpy as np

from fastmetrics._kernels._compile import kernel

#: Powers 0 to 5 of both classes, then 0 and 1 of the positives.
MOMENTS = 8
_TINY = 2.0**-1000


@kernel
def terms_of_rows(
    p, log_p, log_q, positives, negatives, squared_positives, squared_negatives, logits, terms
):
    """Write the logits of probabilities, and what each row adds to five sums.

    The sums: squared errors, log losses, probabilities, and those above and below the line of
    Spiegelhalter's Z, the latter with squared weights. ``log_q`` are the logarithms of ``1 - p``
    as rounded; what that rounding lost is put back.
    """
    for i in range(p.size):
        q = 1.0 - p[i]
        lost = ((1.0 - q) - p[i]) / max(q, _TINY)
        loss_of_positive = -log_p[i]
        loss_of_negative = -(log_q[i] + lost)
        ones = np.float64(positives[i])
        zeros = np.float64(negatives[i])
        slope = q - p[i]
        squares = np.float64(squared_positives[i]) + np.float64(squared_negatives[i])
        logits[i] = loss_of_negative - loss_of_positive
        terms[0, i] = ones * (q * q) + zeros * (p[i] * p[i])
        terms[1, i] = ones * loss_of_positive + zeros * loss_of_negative
        terms[2, i] = (ones + zeros) * p[i]
        terms[3, i] = (ones * q - zeros * p[i]) * slope
        terms[4, i] = squares * (slope * slope * (p[i] * q))


@kernel
def moments_of_runs(logits, positives, negatives, width, starts, moments):
    """Write, for each run of descending logits no wider than ``width``, its first logit and sums.

    The sums are those of the weights of both classes times the powers of the distances to the
    first logit, divided by the factorials; the first two of the positives alone follow. Returns
    how many runs there are: at most one more than the whole range is wide in units of ``width``,
    and no more than rows.
    """
    runs = 0
    first = np.inf
    m0 = 0.0
    m1 = 0.0
    m2 = 0.0
    m3 = 0.0
    m4 = 0.0
    m5 = 0.0
    p0 = 0.0
    p1 = 0.0
    for i in range(logits.size):
        distance = logits[i] - first
        if not distance >= -width:
            if runs > 0:
                row = moments[runs - 1]
                row[0], row[1], row[2] = m0, m1, m2 / 2.0
                row[3], row[4], row[5] = m3 / 6.0, m4 / 24.0, m5 / 120.0
                row[6], row[7] = p0, p1
            m0 = m1 = m2 = m3 = m4 = m5 = p0 = p1 = 0.0
            first = logits[i]
            starts[runs] = first
            runs += 1
            distance = 0.0
        term = np.float64(positives[i])
        p0 += term
        p1 += term * distance
        term = np.float64(positives[i] + negatives[i])
        m0 += term
        term *= distance
        m1 += term
        term *= distance
        m2 += term
        term *= distance
        m3 += term
        term *= distance
        m4 += term
        term *= distance
        m5 += term
    if runs > 0:
        row = moments[runs - 1]
        row[0], row[1], row[2] = m0, m1, m2 / 2.0
        row[3], row[4], row[5] = m3 / 6.0, m4 / 24.0, m5 / 120.0
        row[6], row[7] = p0, p1
    return runs
