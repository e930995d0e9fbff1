"""Rank correlation of predictions and outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference import concordance_oracle as oracle
from registry.entry import NUMBERS, ROW_ORDER, SCALE, SHIFT, Entry, Sample, Values, resolve


def _by_scipy(name: str, swap: bool = False, **fixed: Any) -> Callable[..., float]:
    def peer(true: Any, given: Any) -> float:
        data = (given, true) if swap else (true, given)
        return float(resolve(f"scipy.stats:{name}")(*data, **fixed).statistic)

    return peer


def _ranks(name: str, of: str, peer: Callable[..., float] | None, **arguments: str) -> Entry:
    def by_definition(sample: Sample) -> Values:
        return (oracle.measure(of, sample.true, sample.given),)

    laws = frozenset({ROW_ORDER, SHIFT, SCALE})
    return Entry(name, NUMBERS, by_definition, arguments, laws, peer, weights=())


RANKS = (
    _ranks("kendall_tau", "tau_b", _by_scipy("kendalltau")),
    _ranks("kendall_tau[a]", "tau_a", None, variant="a"),
    _ranks("kendall_tau[c]", "tau_c", _by_scipy("kendalltau", variant="c"), variant="c"),
    _ranks("somers_d", "somers_d", _by_scipy("somersd")),
    _ranks("somers_d[score]", "somers_d_score", _by_scipy("somersd", swap=True), given="score"),
    _ranks("somers_d[symmetric]", "somers_d_symmetric", None, given="neither"),
    _ranks("goodman_kruskal_gamma", "gamma", None),
    _ranks("spearman_rho", "spearman", _by_scipy("spearmanr")),
)
