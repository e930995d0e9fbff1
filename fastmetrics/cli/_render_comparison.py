"""A comparison of algorithms as tables, JSON, CSV or Markdown."""

from __future__ import annotations

import math
from typing import Any

from fastmetrics.cli._layout import DASH, csv_text, json_text, markdown_table, printed, rich_table
from fastmetrics.comparison.tables.compare_table import TableComparison
from fastmetrics.comparison.tables.friedman import FriedmanTest
from fastmetrics.comparison.tables.post_hoc_result import PostHocTest

#: More pairs than this are for a program to read.
_MOST_PAIRS = 45
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_USED = {
    "exact": "the exact p-value",
    "permutation": "the p-value of random permutations",
    "f": "the p-value of F",
    "chi2": "the p-value of chi-square",
}
_CSV_FIELDS = (
    *("model_a", "model_b", "mean_rank_a", "mean_rank_b", "difference", "statistic"),
    *("pvalue", "reject", "better", "post_hoc", "alpha", "critical_difference"),
    *("friedman_chi2", "friedman_pvalue", "friedman_pvalue_method", "friedman_reject"),
)

_Table = tuple[list[str], list[list[str]]]


def render_comparison(
    comparison: TableComparison, output_format: str, *, counts: dict[str, int]
) -> str:
    """Return the whole output as text that ends in a line break.

    Parameters
    ----------
    comparison : TableComparison
        What to show.
    output_format : {"table", "json", "csv", "markdown"}
        JSON and CSV have the full precision of the floats; CSV has a row a pair.
    counts : dict of str to int
        Further figures for the head of the JSON object.
    """
    if output_format == "json":
        return json_text({**counts, **comparison.to_dict()})
    if output_format == "csv":
        return _csv(comparison)
    tables = [_friedman(comparison.friedman), _ranks(comparison)]
    if len(comparison.post_hoc) <= _MOST_PAIRS:
        tables.append(_pairs(comparison.post_hoc))
    if output_format == "markdown":
        parts = [markdown_table(heads, rows, align="---:") for heads, rows in tables]
        return "\n".join([*parts, *(f"{line}\n" for line in _captions(comparison))])
    n, k = comparison.ranks.shape
    side = "higher" if comparison.higher_is_better else "lower"
    title = f"{k} algorithms on {n} data set{'s' if n > 1 else ''}, {side} is better"

    def layout(_: int) -> list[Any]:
        return [rich_table(heads, rows) for heads, rows in tables]

    return printed(layout, title, _captions(comparison))


def _csv(comparison: TableComparison) -> str:
    rows = []
    test, friedman = comparison.post_hoc, comparison.friedman
    at = comparison.mean_ranks
    for pair in test:
        a, b = pair.model_a, pair.model_b
        row = (
            *(a, b, at[a], at[b], pair.difference, pair.statistic, pair.pvalue, pair.reject),
            *(pair.better or "", test.method, test.alpha, test.critical_difference),
            *(friedman.chi2, friedman.pvalue, friedman.pvalue_method, friedman.reject),
        )
        rows.append(dict(zip(_CSV_FIELDS, row, strict=True)))
    return csv_text(_CSV_FIELDS, rows)


def _number(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:.4f}"


def _pvalue(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:.3g}"


def _friedman(test: FriedmanTest) -> _Table:
    k = len(test.names)
    one = str(k - 1)
    two = f"{k - 1}, {(k - 1) * (test.n_datasets - 1)}"
    rows = [
        ["chi-square", _number(test.chi2), one, _pvalue(test.pvalue_chi2)],
        [
            *("chi-square, tie-corrected", _number(test.chi2_tie_corrected), one),
            _pvalue(test.pvalue_chi2_tie_corrected),
        ],
        ["F (Iman–Davenport)", _number(test.f), two, _pvalue(test.pvalue_f)],
        [
            *("F, tie-corrected", _number(test.f_tie_corrected), two),
            _pvalue(test.pvalue_f_tie_corrected),
        ],
    ]
    if test.pvalue_method in ("exact", "permutation"):
        said = "exact" if test.pvalue_method == "exact" else "random permutations"
        rows.append([said, DASH, DASH, _pvalue(test.pvalue)])
    return ["Friedman's test", "statistic", "df", "p"], rows


def _ranks(comparison: TableComparison) -> _Table:
    groups = comparison.post_hoc.groups
    marks = _LETTERS if len(groups) <= len(_LETTERS) else [f"{i + 1} " for i in range(len(groups))]
    rows = []
    for name, rank in comparison.mean_ranks.items():
        mine = [mark for mark, group in zip(marks, groups, strict=False) if name in group]
        rows.append([name, _number(rank), "".join(mine).strip() or DASH])
    control = comparison.post_hoc.control
    head = "group" if control is None else f"not told from {control}"
    return ["algorithm", "mean rank", head], rows


def _pairs(test: PostHocTest) -> _Table:
    rows = [
        [
            f"{pair.model_a} − {pair.model_b}",
            _number(pair.difference),
            _number(pair.statistic),
            _pvalue(pair.pvalue),
            f"{pair.better} is better" if pair.reject and pair.better is not None else DASH,
        ]
        for pair in test
    ]
    statistic = "W" if math.isnan(test.critical_difference) else "z"
    return [test.method, "difference of mean ranks", statistic, "p", "significant"], rows


def _captions(comparison: TableComparison) -> list[str]:
    friedman, test = comparison.friedman, comparison.post_hoc
    decision = "the algorithms differ" if friedman.reject else "no difference is shown"
    used = f"by {_USED[friedman.pvalue_method]} {friedman.pvalue:.3g}"
    lines = [f"Friedman: at level {friedman.alpha:g} {decision}, {used}."]
    if not friedman.reject:
        lines.append("The post-hoc test is not called for where Friedman's does not reject.")
    if friedman.key is not None:
        lines.append(f"{friedman.n_resamples:,} permutations, key {friedman.key}.")
    if not math.isnan(test.critical_difference):
        lines.append(
            f"{test.method}: mean ranks differ from {test.critical_difference:.4g} on "
            "(critical difference)."
        )
    if test.control is None:
        lines.append("Between algorithms that share a letter no difference is shown.")
    if len(test) > _MOST_PAIRS:
        lines.append(f"The {len(test):,} pairs are left out: --format csv has them.")
    return lines
