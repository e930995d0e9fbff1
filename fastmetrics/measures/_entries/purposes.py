"""Entries of measures by a purpose: costs, calibration, order of outcomes, rankings."""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any, Final

from fastmetrics._input.regression_targets import OF_CALIBRATION, PROBABILITIES
from fastmetrics.measures._measure import REQUIRED, Measure, entry

_FROM_ZERO: Final = (0.0, inf)
_UP_TO_ONE: Final = (-inf, 1.0)
_BOTH_SIGNS: Final = (-1.0, 1.0)
_ANY: Final = (-inf, inf)

# --- what the best thresholds cost, whatever the prices ------------------------------------------

#: Rules that are used as they are: what they are worth, and whom they find.
_rule = partial(entry, "costs", needs="scores", classes=2)
#: What follows from the convex hull of the ROC curve.
_hull = partial(
    _rule,
    no_replicates=(
        "the convex hull follows every chance bend of the sample, and that of a replicate those of "
        "the sample too, so that replicates are too good by as much again as the estimate is"
    ),
)

_COSTS: Final = (
    _hull("roc_hull_auc", "convex_hull", "AUC of the convex hull", bounds=(0.5, 1.0)),
    _hull("expected_total_cost", "cost_curve", up=False, bounds=(0.0, 0.25)),
    _hull("h_measure", "convex_hull", "H-measure", parameters={"cost_weight": "prevalence"}),
    _rule(
        *("gini_coefficient", "lorenz", "Gini"),
        bounds=_BOTH_SIGNS,
        resampled="pairs",
        influences="curves.influences:gini",
        is_free_of_shares=True,
        of_auc=(2.0, -1.0),
    ),
    _rule(
        *("net_benefit", "net_benefit"),
        needs="probabilities",
        domain=PROBABILITIES,
        parameters={"threshold": REQUIRED, "standardized": False, "prevalence": None},
        bounds=_UP_TO_ONE,
        influences="net_benefit:of_threshold",
    ),
    _rule("lift", "gains:lift_score", parameters={"fraction": REQUIRED}, bounds=_FROM_ZERO),
    _rule("cumulative_gain", "gains", parameters={"fraction": REQUIRED}),
    _rule(
        *("lorenz_gini", "lorenz", "Gini of outcomes by prediction"),
        needs="values",
        classes=0,
        parameters={"normalized": True},
        bounds=_BOTH_SIGNS,
    ),
)

# --- calibration ---------------------------------------------------------------------------------

_BINS: Final = {"n_bins": 15, "strategy": "uniform", "form": None}
_in_bins = partial(
    entry,
    "calibration",
    up=False,
    needs="probabilities",
    domain=OF_CALIBRATION,
    parameters=_BINS,
    no_replicates=(
        "chance alone makes an error in bins, and replicates add that bias once more, so that "
        "their intervals miss: `calibration.calibration_error_interval` has one of the mean "
        "square that covers, `calibration.calibration_test` a test"
    ),
)
_of_two = partial(
    entry, "calibration", needs="probabilities", classes=2, bounds=_ANY, domain=OF_CALIBRATION
)
_part = partial(
    _of_two,
    parameters={"loss": "brier_score"},
    bounds=_FROM_ZERO,
    no_replicates=(
        "isotonic recalibration fits replicates better than the rows they are of, so that "
        "percentile intervals of a part of a score miss its true value, those of calibrated "
        "probabilities always"
    ),
)
_of_logits = partial(
    _of_two,
    function="logistic_calibration:logistic_calibration",
    up=None,
    influences="influences:of_logits",
)

_CALIBRATION: Final = (
    _in_bins("expected_calibration_error", "calibration_errors"),
    _in_bins("maximum_calibration_error", "calibration_errors"),
    _in_bins("adaptive_calibration_error", "calibration_errors", parameters={"n_bins": 15}),
    _in_bins(
        *("root_mean_square_calibration_error", "calibration_errors"),
        parameters=_BINS | {"estimator": "kumar"},
        bounds=_FROM_ZERO,  # 1, and for the form "full" the root of 2
    ),
    _part("miscalibration", "score_decomposition", "miscalibration (CORP)", False),
    _part("discrimination", "score_decomposition", "discrimination (CORP)"),
    _of_logits("calibration_slope", read="slope"),
    _of_logits("calibration_intercept", read="intercept"),
    _of_logits("calibration_in_the_large", read="in_the_large"),
    _of_two(
        *("spiegelhalter_z", "goodness_of_fit:spiegelhalter_test", "Spiegelhalter's Z", None),
        read="statistic",
    ),
)

# --- whether predictions order rows as their outcomes do -----------------------------------------

_in_ranks = partial(
    entry,
    "concordance",
    function="rank_correlation",
    needs="values",
    bounds=_BOTH_SIGNS,
    resampled="rows",
    influences="influences:of_ranks",
)
_of_times = partial(entry, "concordance", needs="times")
_DIRECTION: Final = {"higher_score_means": REQUIRED}

_CONCORDANCE: Final = (
    _in_ranks("kendall_tau", title="Kendall's tau", parameters={"variant": "b"}),
    _in_ranks("somers_d", title="Somers' D", parameters={"given": "outcome"}),
    _in_ranks("goodman_kruskal_gamma", title="Goodman and Kruskal's gamma"),
    _in_ranks("spearman_rho", title="Spearman's rho", influences="influences:of_mean_ranks"),
    _of_times(
        *("concordance_index", "concordance_index"),
        parameters=_DIRECTION
        | {"weighting": "harrell", "tau": None, "ties_in_score": "half", "censoring": None},
        influences="concordance_index:index_influences",
    ),
)

# --- rankings, query by query, of which means over queries are made ------------------------------

_LEVEL: Final[dict[str, Any]] = {"relevant_from": 1}
_LEFT_OUT: Final[dict[str, Any]] = {"no_relevant": nan}
_BOTH: Final = _LEVEL | _LEFT_OUT


def _ranked(
    name: str, module: str, title: str = "", most: float = 1.0, read: str = "", **parameters: Any
) -> Measure:
    return entry(
        *("ranking", name, module, title),
        needs="rankings",
        bounds=(0.0, most),
        parameters=parameters,
        read=read,
        influences="names:values_of",
    )


_RANKINGS: Final = (
    _ranked("mean_average_precision", "positions", k=None, divide_by="relevant", **_BOTH),
    _ranked("mean_reciprocal_rank", "positions", k=None, **_BOTH),
    _ranked("ndcg", "graded", "normalized discounted gain", k=None, gain="linear", **_LEFT_OUT),
    _ranked("dcg", "graded", "discounted gain", inf, k=None, gain="linear"),
    _ranked("precision_at_k", "positions", "precision of the first k", k=REQUIRED, **_LEVEL),
    _ranked("recall_at_k", "positions", "recall of the first k", k=REQUIRED, **_BOTH),
    _ranked("f1_at_k", "positions", "F1 of the first k", k=REQUIRED, **_BOTH),
    _ranked("hit_rate_at_k", "positions", "queries with a hit in the first k", k=REQUIRED, **_BOTH),
    _ranked("r_precision", "positions", "precision at the number relevant", **_BOTH),
    _ranked("expected_reciprocal_rank", "graded", k=None, max_relevance=None, **_LEFT_OUT),
    _ranked(
        *("rank_biased_precision", "positions", "rank-biased precision"),
        k=None,
        persistence=REQUIRED,
        **_LEVEL,
    ),
    _ranked("bpref", "positions", **_BOTH),
    _ranked(
        *("group_auc", "group_auc", "mean AUC of groups"),
        read="estimate",
        query_weighting="items",
        **_LEVEL,
    ),
)

MEASURES: Final = (*_COSTS, *_CALIBRATION, *_CONCORDANCE, *_RANKINGS)
