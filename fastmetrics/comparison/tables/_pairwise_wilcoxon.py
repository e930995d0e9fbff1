"""Wilcoxon's signed-rank test on pairs of algorithms, adjusted by Holm."""

from __future__ import annotations

import warnings
from typing import Any

from numpy.typing import NDArray

from fastmetrics.comparison.result import ComparisonTest
from fastmetrics.comparison.samples.wilcoxon import wilcoxon_signed_rank_test
from fastmetrics.comparison.tables._rank_post_hoc import compared, post_hoc_test
from fastmetrics.comparison.tables._rank_table import RankTable
from fastmetrics.comparison.tables.adjusted_pvalues import adjust_pvalues
from fastmetrics.comparison.tables.post_hoc_result import PostHocTest
from fastmetrics.errors import DegenerateDataWarning, InputTypeError


def wilcoxon_holm_of(
    table: RankTable, alpha: float, control: str | None, higher_is_better: bool
) -> PostHocTest:
    """Return the test of every pair, or of all against a control, on the scores themselves.

    Unlike the tests of mean ranks, what it says of two algorithms does not depend on which others
    are in the table (Benavoli, Corani & Mangili 2016, JMLR 17:1-10).
    """
    if table.scores is None:
        raise InputTypeError("Wilcoxon's test is about scores: ranks alone do not tell differences")
    pairs = compared(table, control)
    found = {(a, b): _signed_ranks(table.scores, a, b) for a, b in pairs}
    pvalues = [test.pvalue for test in found.values()]
    adjusted = dict(zip(pairs, adjust_pvalues(pvalues, method="holm").tolist(), strict=True))

    def measured(a: int, b: int) -> tuple[float, float, bool]:
        pvalue = adjusted[a, b]
        return found[a, b].statistic, pvalue, pvalue <= alpha

    def better(a: int, b: int) -> str | None:
        lead = found[a, b].details["w_plus"] - found[a, b].details["w_minus"]
        if lead == 0:
            return None
        return table.names[a if (lead > 0) == higher_is_better else b]

    return post_hoc_test(
        "Wilcoxon with Holm", table, alpha, control, pairs, measured, better=better
    )


def _signed_ranks(scores: NDArray[Any], a: int, b: int) -> ComparisonTest:
    """Return the test of two columns; without a word where nothing differs: pairs may be many."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        return wilcoxon_signed_rank_test(scores[:, a], scores[:, b])
