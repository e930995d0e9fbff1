"""Measures of whether predictions order rows as their outcomes do."""

from __future__ import annotations

from typing import Any, Final

from fastmetrics.measures._measure import Measure


def _ranked(name: str, title: str, **more: Any) -> Measure:
    given: dict[str, Any] = {"needs": "values", "bounds": (-1.0, 1.0), "resampled": "rows"}
    if name != "spearman_rho":
        given["influences"] = "concordance.influences:influenced"
    given |= more
    return Measure(
        name, "concordance", title, f"concordance.rank_correlation:{name}", True, **given
    )


MEASURES: Final = (
    _ranked("kendall_tau", "Kendall's tau", parameters={"variant": "b"}),
    _ranked("somers_d", "Somers' D", parameters={"given": "outcome"}),
    _ranked("goodman_kruskal_gamma", "Goodman and Kruskal's gamma"),
    _ranked("spearman_rho", "Spearman's rho"),
)
