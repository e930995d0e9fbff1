"""Measures of whether predictions order rows as their outcomes do."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from fastmetrics.measures._measure import REQUIRED, Measure


def _ranked(name: str, title: str, **more: Any) -> Measure:
    given: dict[str, Any] = {"needs": "values", "bounds": (-1.0, 1.0), "resampled": "rows"}
    given |= {"influences": "concordance.influences:of_ranks"} | more
    return Measure(
        name, "concordance", title, f"concordance.rank_correlation:{name}", True, **given
    )


_INDEX = Measure(
    "concordance_index",
    "concordance",
    "concordance index",
    "concordance.concordance_index:concordance_index",
    True,
    "times",
    parameters={
        "higher_score_means": REQUIRED,
        "weighting": "harrell",
        "tau": None,
        "ties_in_score": "half",
        "censoring": None,
    },
    influences="concordance.concordance_index:index_influences",
)


#: At one time; their functions look at several.
_AT_TIMES: Final = (
    Measure(
        "cumulative_dynamic_auc",
        "concordance",
        "cumulative/dynamic AUC",
        "",
        True,
        "times",
        parameters={"time": REQUIRED, "higher_score_means": REQUIRED, "censoring": None},
        influences="concordance.at_times:auc_influences",
    ),
    Measure(
        "survival_brier_score",
        "concordance",
        "Brier score of P(T > time)",
        "",
        False,
        "times",
        parameters={"time": REQUIRED, "censoring": None},
        influences="concordance.at_times:brier_influences",
    ),
)


MEASURES: Final = (
    *_AT_TIMES,
    _ranked("kendall_tau", "Kendall's tau", parameters={"variant": "b"}),
    _ranked("somers_d", "Somers' D", parameters={"given": "outcome"}),
    _ranked("goodman_kruskal_gamma", "Goodman and Kruskal's gamma"),
    _ranked("spearman_rho", "Spearman's rho", influences="concordance.influences:of_mean_ranks"),
    _INDEX,
    Measure(
        "royston_d",
        "concordance",
        "Royston and Sauerbrei's D",
        "concordance.royston_d:royston_d",
        True,
        "times",
        parameters={"higher_score_means": REQUIRED},
        arguments={"as_r_squared": False},
        bounds=(-inf, inf),
        influences="concordance.royston_d:royston_influences",
    ),
)
