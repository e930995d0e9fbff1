"""One rule of what is equal for all tests of scores: rounding alone makes no difference."""

import math
from functools import partial

import numpy as np
import pytest

import fastmetrics as fm

C = fm.comparison
UP = {"higher_is_better": True}
#: Two numbers, and whether tests tell them apart.
NUMBERS = [
    (0.1 + 0.2, 0.3, False),
    (-0.1 - 0.2, -0.3, False),
    (1e300 * (1 + 2**-52), 1e300, False),
    (0.3, math.nextafter(0.3, 1), False),
    (0.3, 0.3 * (1 + 1e-14), True),
    (0.0, 5e-324, True),
    (0.0, -0.0, False),
    (2**53, 2**53 + 1, True),
    (2**62, 2**62 + 1, True),
    (2**64 - 2, 2**64 - 1, True),
    (-(2**63), -(2**63) + 1, True),
    (-(2**63), 2**63 - 1, True),
    (7, 7, False),
]


def column(x):
    return np.array([x] * 6, dtype=np.uint64 if isinstance(x, int) and x >= 2**63 else None)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize(("low", "high", "apart"), NUMBERS)
def test_tests_agree_on_what_is_equal(low, high, apart):
    a, b = column(low), column(high)
    if isinstance(high, int) and high >= 2**63:
        a = a.astype(np.uint64)
    table = {"a": a, "b": b}
    for test in (C.friedman_test, partial(C.friedman_test, pvalue_method="f")):
        assert (test(table, **UP).pvalue < 1) == apart
    for test in (C.nemenyi_test, partial(C.bonferroni_dunn_test, control="b")):
        assert (test(table, **UP)["a", "b"].difference != 0) == apart
    found = C.compare_table(table, **UP)
    assert (set(found.ranks.ravel().tolist()) == {1.0, 2.0}) == apart
    for test in (C.wilcoxon_signed_rank_test, C.sign_flip_test):
        assert (test(a, b, **UP).pvalue < 1) == apart
        assert (test(a, b, **UP).better is not None) == apart


def test_rows_tie_in_runs_of_near_numbers():
    step = 2.0**-52
    rows = [[1.0, 1 + 3 * step, 1 + 6 * step, 2.0], [0.3, 0.1 + 0.2, 0.7 - 0.4, 0.1]]
    ranks = C.compare_table(rows, **UP).ranks
    assert ranks.tolist() == [[3, 3, 3, 1], [2, 2, 2, 4]]
    assert C.compare_table(np.array(rows)[:, ::-1], **UP).ranks.tolist() == ranks[:, ::-1].tolist()
