"""Rank correlation of predictions and outcomes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from reference import concordance_oracle as oracle
from registry.entry import NUMBERS, ROW_ORDER, SCALE, SHIFT, Entry, Sample, Values, resolve


def _by_scipy(name: str, **fixed: Any) -> Callable[..., float]:
    def peer(true: Any, given: Any) -> float:
        return float(resolve(f"scipy.stats:{name}")(true, given, **fixed).statistic)

    return peer


def _somers(true: Any, given: Any) -> float:
    """Return Somers' D of scipy's tau-c, of the same pairs: its own `somersd` takes minutes."""
    n = len(true)
    least = min(len(np.unique(true)), len(np.unique(given)))
    tau = float(resolve("scipy.stats:kendalltau")(true, given, variant="c").statistic)
    excess = round(tau * n**2 * (least - 1) / (2 * least)) if least > 1 else 0
    _, sizes = np.unique(true, return_counts=True)
    pairs = (n * (n - 1) - int((sizes * (sizes - 1)).sum())) // 2
    return excess / pairs if pairs else float("nan")


def _ranks(name: str, of: str, peer: Callable[..., float] | None, **arguments: str) -> Entry:
    def by_definition(sample: Sample) -> Values:
        return (oracle.metric(of, sample.true, sample.given),)

    laws = frozenset({ROW_ORDER, SHIFT, SCALE})
    return Entry(name, NUMBERS, by_definition, arguments, laws, peer, weights=())


RANKS = (
    _ranks("kendall_tau", "tau_b", _by_scipy("kendalltau")),
    _ranks("kendall_tau[a]", "tau_a", None, variant="a"),
    _ranks("kendall_tau[c]", "tau_c", _by_scipy("kendalltau", variant="c"), variant="c"),
    _ranks("somers_d", "somers_d", _somers),
    _ranks(
        "somers_d[score]", "somers_d_score", lambda true, given: _somers(given, true), given="score"
    ),
    _ranks("somers_d[symmetric]", "somers_d_symmetric", None, given="neither"),
    _ranks("goodman_kruskal_gamma", "gamma", None),
    _ranks("spearman_rho", "spearman", _by_scipy("spearmanr")),
)
