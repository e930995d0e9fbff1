"""The registry of all metrics: names, inputs, directions, ranges and kinds of replicates.

Entries are plain data. They name their functions, which are imported on first use: reading the
registry imports no metric. Every lookup of a metric by name reads it here.
"""

from __future__ import annotations

from functools import partial
from math import inf, nan
from typing import Any, Final

from fastmetrics._input.regression_targets import (
    ANYWHERE,
    LOGARITHMS,
    OF_CALIBRATION,
    PROBABILITIES,
    SHARES,
    power_domain,
)
from fastmetrics._input.scalars import check_choice
from fastmetrics.metrics._metric import (
    HITS,
    LARGEST_GAP,
    MISSES,
    REQUIRED,
    IntervalRule,
    Metric,
    Scale,
    entry,
)

_FROM_ZERO: Final = (0.0, inf)
_UP_TO_ONE: Final = (-inf, 1.0)
_BOTH_SIGNS: Final = (-1.0, 1.0)
_ANY: Final = (-inf, inf)


def _jaccard_to_f1(jaccard: float) -> float:
    """Return F1 = 2 J / (1 + J), J being TP / (TP + FP + FN)."""
    return 2.0 * jaccard / (1.0 + jaccard)


#: Interval rules of single metrics.
_AUC: Final = IntervalRule("auc")
_PROPORTIONS: Final = {
    "precision": IntervalRule("proportion", ("tp", "fp")),
    "recall": IntervalRule("proportion", ("tp", "fn")),
    "jaccard": IntervalRule("proportion", ("tp", "fp fn")),
    "f1": IntervalRule("proportion", ("tp", "fp fn", _jaccard_to_f1)),
}


def _partial_auc_scale(
    false_positive_rate_range: Any, true_positive_rate_range: Any, standardized: Any
) -> tuple[Scale, float]:
    """Return the scale of a partial AUC, which ends at its largest value."""
    given = (true_positive_rate_range, false_positive_rate_range)
    chosen = next((each for each in given if each is not None), (0.0, 1.0))
    return "logit", 1.0 if standardized else float(chosen[1]) - float(chosen[0])


def _cost_scale(cost_matrix: Any, **_: Any) -> tuple[Scale, float]:
    """Return the scale of a mean cost: costs without gains are not negative."""
    return "log" if cost_matrix is None else "identity", 1.0


def _class_costs(cost_fn: float, cost_fp: float, prevalence: Any) -> tuple[float, float] | None:
    """Return the costs of the error rate of either class; None for a mean over the rows."""
    if prevalence is None:
        return None
    return float(prevalence) * cost_fn, (1.0 - float(prevalence)) * cost_fp


# --- scores against thresholds -------------------------------------------------------------------

#: Directions of what `best_threshold` reports: of its value by the criterion, and of its fields.
_CRITERIA: Final = {
    "youden": True,
    "closest-topleft": False,  # a distance
    "fewest-errors": False,
    "fbeta": True,
    "precision_at_recall": True,
    "recall_at_precision": True,
    "recall_at_false_positive_rate": True,
    "lowest-cost": False,
}
_REPORTED: Final = {
    "value": None,
    "threshold": None,
    "true_positive_rate": True,
    "false_positive_rate": False,
    "precision": True,
    "recall": True,
}


def _threshold_direction(criterion: Any, of: Any, **_: Any) -> bool | None:
    """Return the direction of what `best_threshold` reports."""
    direction = _REPORTED[check_choice("of", of, _REPORTED)]
    if of == "value":
        direction = _CRITERIA[check_choice("criterion", criterion, _CRITERIA)]
    return direction


_RANGES: Final = ("false_positive_rate_range", "true_positive_rate_range")
_THRESHOLD_OPTIONS: Final = {"criterion": "youden", "of": "value", "beta": 1.0}
_BOUNDS_AND_COSTS: Final = ("at_least", "at_most", "cost_fn", "cost_fp", "prevalence")

_curve = partial(entry, "curves", needs="scores", classes=2, resampled="curve")


def _at(name: str, title: str, given: str, passed_as: str) -> Metric:
    return _curve(
        name,
        "best_threshold:best_threshold",
        title,
        arguments={"criterion": name},
        parameters={given: REQUIRED},
        passed_as={given: passed_as},
        read="value",
        resampled="point",
    )


def _multiclass(name: str, title: str, how: str, average: str) -> Metric:
    return _curve(
        name,
        "roc_auc:roc_auc_score",
        title,
        arguments={"multi_class": how, "average": average},
        needs="probabilities",
        classes=3,
        resampled="",
        no_replicates="its interval is by influences of rows: take `estimate`",
        influences="influences:multiclass_influences",
        domain=SHARES,
    )


_CURVES: Final = (
    _curve(
        "roc_auc",
        "roc_auc:roc_auc_score",
        "AUC",
        aliases=("auc", "auroc", "auc_roc", "aucroc"),
        parameters={"max_fpr": None},
        resampled="pairs",
        influences="influences:roc_auc",
        is_free_of_prevalence=True,
        linear_in_auc=(1.0, 0.0),
        interval=_AUC,
    ),
    _curve(
        "rank_loss",
        "roc_auc",
        up=False,
        resampled="pairs",
        influences="influences:roc_auc",
        is_free_of_prevalence=True,
        linear_in_auc=(-1.0, 1.0),
        interval=_AUC,
    ),
    _curve(
        "partial_auc",
        "roc_auc",
        "partial AUC",
        parameters=dict.fromkeys(_RANGES) | {"standardized": False},
        influences="influences:partial_auc_influences",
        is_free_of_prevalence=True,
        scaling=_partial_auc_scale,
    ),
    _curve(
        "average_precision",
        "precision_recall:average_precision_score",
        aliases=("ap", "auprc", "aucpr"),
        influences="influences:average_precision",
        min_df=10.0,
        is_area_of_precision=True,
        is_biased_by_few=True,
    ),
    _curve(
        "pr_auc",
        "precision_recall",
        "area under the P-R curve",
        parameters={"interpolation": "continuous"},
        influences="influences:area_under_pr",
        min_df=10.0,
        is_area_of_precision=True,
        is_biased_by_few=True,
    ),
    _curve(
        "ks_statistic",
        "roc",
        "KS",
        aliases=("ks",),
        read="statistic",
        influences="influences:ks_statistic",
        is_free_of_prevalence=True,
        interval=LARGEST_GAP,
    ),
    _curve(
        "break_even_point", "precision_recall", "break-even point", read="value", resampled="point"
    ),
    _curve(
        "best_threshold",
        "best_threshold",
        up=_threshold_direction,
        parameters=_THRESHOLD_OPTIONS | dict.fromkeys(_BOUNDS_AND_COSTS),
        read="of",
        bounds=_ANY,
    ),
    _at(
        "recall_at_false_positive_rate",
        "recall at a false positive rate",
        "false_positive_rate",
        "at_most",
    ),
    _at("precision_at_recall", "precision at a recall", "recall", "at_least"),
    _at("recall_at_precision", "recall at a precision", "precision", "at_least"),
    _multiclass("roc_auc_ovr", "AUC, each class against the rest", "ovr", "macro"),
    _multiclass("roc_auc_ovr_weighted", "class-weighted AUC against the rest", "ovr", "weighted"),
    _multiclass("roc_auc_ovo", "AUC of pairs of classes", "ovo", "macro"),
    _multiclass("roc_auc_ovo_weighted", "class-weighted AUC of pairs", "ovo", "weighted"),
)

# --- predicted labels ----------------------------------------------------------------------------

_decision = partial(
    entry, "decisions", needs="labels", resampled="cells", influences="count_metrics:gradient"
)
#: Metrics of two classes only; of these, rates within the true classes.
_rate = partial(_decision, classes=2)
_within = partial(_rate, is_free_of_prevalence=True)
_loss = partial(_decision, up=False, row_loss="count_metrics:row_costs")


def _ratio(
    name: str,
    title: str = "",
    *aliases: str,
    is_within: bool = False,
    is_mean: bool = False,
    is_biased_by_few: bool = False,
    **options: float,
) -> tuple[Metric, ...]:
    """Return a ratio of the positive class, and its averages over classes.

    ``is_within`` marks ratios within a true class. With ``is_mean``, "macro" has one meaning, the
    mean over the classes.
    """
    function = f"precision_recall_f:{name}_score"
    parameters = options | {"zero_division": nan}
    return (
        _rate(
            name,
            function,
            title,
            aliases=aliases,
            parameters=parameters,
            arguments=options,
            is_free_of_prevalence=is_within,
            is_biased_by_few=is_biased_by_few,
            interval=_PROPORTIONS.get(name),
        ),
        *(
            _decision(
                f"{name}_{how}",
                function,
                f"{label} {title or name}",
                aliases=(f"{how}_{name}",)
                if how == "micro" or (is_mean and how == "macro")
                else (),
                is_free_of_prevalence=is_within and how == "macro",
                parameters=parameters,
                arguments=options | {"average": how},
            )
            for how, label in (("macro",) * 2, ("micro",) * 2, ("weighted", "class-weighted"))
        ),
    )


_DECISIONS: Final = (
    *_ratio("precision", "", "ppv", is_mean=True),
    *_ratio("recall", "", "sensitivity", "tpr", "true_positive_rate", is_within=True, is_mean=True),
    *_ratio("f1", "F1", is_biased_by_few=True),
    *_ratio("fbeta", "F-beta", "fbeta_score", beta=1.0),
    *_ratio("jaccard", "Jaccard index"),
    _decision(
        "macro_f1_harmonic",
        "accuracy:macro_micro",
        "F1 of macro precision and macro recall",
        arguments={"metrics": "macro_f1_harmonic"},
        parameters={"zero_division": nan},
    ),
    _decision("accuracy", "accuracy:accuracy_score", interval=HITS, aliases=("acc",)),
    _loss("error_rate", "accuracy:zero_one_loss", interval=MISSES),
    _loss("hamming_loss", "accuracy", "Hamming loss"),
    _decision(
        "balanced_accuracy",
        "accuracy:balanced_accuracy_score",
        aliases=("balanced_acc", "bacc"),
        is_free_of_prevalence=True,
        interval=IntervalRule("rate sum", ((0.5, 0.5),)),
    ),
    _decision("g_mean", "accuracy", "geometric mean of recalls", is_free_of_prevalence=True),
    _decision(
        "matthews_corrcoef",
        "accuracy",
        "Matthews correlation",
        bounds=_BOTH_SIGNS,
        aliases=("mcc",),
    ),
    _decision(
        "cohen_kappa",
        "accuracy:cohen_kappa_score",
        "Cohen's kappa",
        aliases=("kappa",),
        parameters={"weights": None},
        bounds=_BOTH_SIGNS,
    ),
    _loss(
        "cost",
        "rates:cost_sensitive_error",
        "mean cost",
        parameters=dict.fromkeys(("cost_matrix", "cost_fn", "cost_fp")),
        bounds=_ANY,
        scaling=_cost_scale,
    ),
    _rate(
        "expected_cost",
        "rates",
        up=False,
        parameters={"cost_fn": REQUIRED, "cost_fp": REQUIRED, "prevalence": None},
        bounds=_FROM_ZERO,
        interval=IntervalRule("rate sum", (_class_costs, "errors")),
    ),
    _within(
        "specificity",
        "rates:specificity_score",
        aliases=("tnr", "true_negative_rate"),
        interval=IntervalRule("proportion", ("tn", "fp")),
    ),
    _rate(
        "npv",
        "rates:negative_predictive_value",
        "negative predictive value",
        interval=IntervalRule("proportion", ("tn", "fn")),
    ),
    _within(
        "false_positive_rate",
        "rates",
        "FPR",
        False,
        aliases=("fpr",),
        interval=IntervalRule("proportion", ("fp", "tn")),
    ),
    _within(
        "false_negative_rate",
        "rates",
        "FNR",
        False,
        aliases=("fnr",),
        interval=IntervalRule("proportion", ("fn", "tp")),
    ),
    _within(
        "informedness",
        "rates:youden_j",
        "Youden's J",
        bounds=_BOTH_SIGNS,
        interval=IntervalRule("rate sum", ((1.0, 1.0),)),
    ),
    *(
        _within(
            f"{sign}_likelihood_ratio",
            "rates:class_likelihood_ratios",
            f"likelihood ratio of a {sign}",
            sign == "positive",
            read=index,
            bounds=_FROM_ZERO,
            interval=IntervalRule("rate ratio", (column,)),
        )
        for sign, index, column in (("positive", "0", 1), ("negative", "1", 0))
    ),
)

# --- probabilities and class scores --------------------------------------------------------------

_probability = partial(
    entry,
    "probabilities",
    needs="probabilities",
    bounds=_UP_TO_ONE,
    influences="losses:loss_influences",
    domain=PROBABILITIES,
)
_row_loss = partial(_probability, up=False, bounds=_FROM_ZERO, row_loss="losses:row_losses")

_PROBABILITIES: Final = (
    _row_loss("log_loss", "losses", resampled="sums", min_df=15.0, aliases=("logloss",)),
    _row_loss(
        "brier_score",
        "losses:brier_score_loss",
        "Brier score",
        aliases=("brier",),
        resampled="sums",
        bounds=(0.0, 2.0),
        min_df=15.0,
    ),
    _probability("d2_log_loss_score", "losses", "D² of the log loss", min_df=15.0),
    _probability("d2_brier_score", "losses", "D² of the Brier score", min_df=15.0),
    _row_loss("hinge_loss", "losses", needs="scores", domain=ANYWHERE),
    _probability(
        "top_k_accuracy",
        "losses:top_k_accuracy_score",
        "top-k accuracy",
        classes=3,  # with two, every row is a hit
        parameters={"k": 2},
        bounds=(0.0, 1.0),
        influences="",
        domain=ANYWHERE,
    ),
)

# --- predicted numbers ---------------------------------------------------------------------------

_number = partial(
    entry,
    "regression",
    up=False,
    needs="values",
    bounds=_FROM_ZERO,
    influences="regression_metrics:error_influences",
)
_mean_loss = partial(_number, row_loss="regression_metrics:row_losses")
_score = partial(_number, up=True, bounds=_UP_TO_ONE)

_NUMBERS: Final = (
    _number("mean", "", up=None, needs="nothing", resampled="sums", bounds=_ANY),
    _number("mean_error", "", up=None, resampled="sums", bounds=_ANY),
    _mean_loss("mean_squared_error", "errors", resampled="sums", aliases=("mse",)),
    _number("root_mean_squared_error", "errors", "RMSE", resampled="sums", aliases=("rmse",)),
    _mean_loss("mean_absolute_error", "errors", "MAE", resampled="sums", aliases=("mae",)),
    _mean_loss("mean_absolute_percentage_error", "errors", aliases=("mape",)),
    _mean_loss("mean_squared_log_error", "errors", domain=LOGARITHMS, aliases=("msle",)),
    _number("root_mean_squared_log_error", "errors", domain=LOGARITHMS, aliases=("rmsle",)),
    _number("median_absolute_error", "errors", influences="", aliases=("medae",)),
    _number("max_error", "errors", "largest error", influences=""),
    _mean_loss("mean_pinball_loss", "errors", parameters={"alpha": 0.5}),
    _mean_loss(
        "mean_tweedie_deviance",
        "errors",
        "mean Tweedie deviance",
        parameters={"power": 0.0},
        domain=power_domain,
    ),
    _mean_loss(
        "mean_poisson_deviance", "errors", "mean Poisson deviance", domain=power_domain(1.0)
    ),
    _mean_loss("mean_gamma_deviance", "errors", domain=power_domain(2.0)),
    _score("r2", "errors:r2_score", "R²", parameters={"force_finite": True}, resampled="sums"),
    _score(
        "explained_variance", "errors:explained_variance_score", parameters={"force_finite": True}
    ),
    _score(
        "d2_tweedie_score",
        "errors",
        "D² of the Tweedie deviance",
        parameters={"power": 0.0},
        domain=power_domain,
    ),
    _score("d2_pinball_score", "errors", "D² of the pinball loss", parameters={"alpha": 0.5}),
    _score("d2_absolute_error_score", "errors", "D² of the absolute error"),
)

# --- costs of the best thresholds, over all costs -----------------------------------------------

#: Metrics of rules without a choice of threshold.
_rule = partial(entry, "costs", needs="scores", classes=2)
#: Metrics of the convex hull of the ROC curve.
_hull = partial(
    _rule,
    no_replicates=(
        "the convex hull follows every chance bend of the sample, and that of a replicate those of "
        "the sample too, so that replicates are too good by as much again as the estimate is"
    ),
)

_COSTS: Final = (
    _hull("roc_hull_auc", "cost_curve", "AUC of the convex hull", bounds=(0.5, 1.0)),
    _hull("expected_total_cost", "cost_curve", up=False, bounds=(0.0, 0.25)),
    _hull("h_measure", "cost_curve", "H-measure", parameters={"cost_weight": "prevalence"}),
    _rule(
        "gini_coefficient",
        "gains",
        "Gini",
        aliases=("gini",),
        bounds=_BOTH_SIGNS,
        resampled="pairs",
        influences="curves.influences:roc_auc",
        is_free_of_prevalence=True,
        linear_in_auc=(2.0, -1.0),
        interval=_AUC,
    ),
    _rule(
        "net_benefit",
        "operating_point",
        needs="probabilities",
        domain=PROBABILITIES,
        parameters={"threshold": REQUIRED, "standardized": False, "prevalence": None},
        bounds=_UP_TO_ONE,
        influences="operating_point:threshold_influences",
    ),
    _rule("lift", "gains:lift_score", parameters={"fraction": REQUIRED}, bounds=_FROM_ZERO),
    _rule("cumulative_gain", "gains", parameters={"fraction": REQUIRED}),
    _rule(
        "lorenz_gini",
        "gains",
        "Gini of outcomes by prediction",
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
_binary = partial(
    entry, "calibration", needs="probabilities", classes=2, bounds=_ANY, domain=OF_CALIBRATION
)
_component = partial(
    _binary,
    function="calibration_summary:score_decomposition",
    parameters={"loss": "brier_score"},
    bounds=_FROM_ZERO,
    no_replicates=(
        "isotonic recalibration fits replicates better than the rows they are of, so that "
        "percentile intervals of a part of a score miss its true value, those of calibrated "
        "probabilities always"
    ),
)
_logistic = partial(
    _binary,
    function="logistic_calibration:logistic_calibration",
    up=None,
    influences="logistic_calibration:logistic_influences",
)

_CALIBRATION: Final = (
    _in_bins("expected_calibration_error", "calibration_errors", aliases=("ece",)),
    _in_bins("maximum_calibration_error", "calibration_errors", aliases=("mce",)),
    _in_bins(
        "root_mean_square_calibration_error",
        "calibration_errors",
        aliases=("l2_calibration_error",),
        parameters=_BINS | {"estimator": "kumar"},
        bounds=_FROM_ZERO,  # 1, and for the form "full" the root of 2
    ),
    _component("miscalibration", title="miscalibration (CORP)", up=False, read="miscalibration"),
    _component("discrimination", title="discrimination (CORP)", read="discrimination"),
    _logistic("calibration_slope", read="slope"),
    _logistic("calibration_intercept", read="intercept"),
    _logistic("calibration_in_the_large", read="in_the_large"),
    _binary(
        "spiegelhalter_z",
        "calibration_summary:spiegelhalter_test",
        "Spiegelhalter's Z",
        None,
        read="statistic",
    ),
)

# --- concordance of predictions and outcomes -----------------------------------------------------

_in_ranks = partial(
    entry,
    "concordance",
    function="rank_correlation",
    needs="values",
    bounds=_BOTH_SIGNS,
    resampled="rows",
    influences="rank_correlation:rank_influences",
)
_censored = partial(entry, "concordance", needs="times")
_DIRECTION: Final = {"higher_score_means": REQUIRED}

_CONCORDANCE: Final = (
    _in_ranks("kendall_tau", title="Kendall's tau", parameters={"variant": "b"}, aliases=("tau",)),
    _in_ranks(
        "somers_d",
        title="Somers' D",
        parameters={"given": "outcome"},
        interval=IntervalRule("concordance", (2.0, -1.0)),
    ),
    _in_ranks("goodman_kruskal_gamma", title="Goodman and Kruskal's gamma"),
    _in_ranks(
        "spearman_rho",
        title="Spearman's rho",
        influences="rank_correlation:spearman_influences",
        aliases=("rho",),
    ),
    _censored(
        "concordance_index",
        "rank_correlation",
        aliases=("c_index", "cindex"),
        parameters=_DIRECTION
        | {"weighting": "harrell", "tau": None, "ties_in_score": "half", "censoring": None},
        influences="rank_correlation:index_influences",
    ),
)

# --- rankings by query; metrics are means over queries -------------------------------------------

_LEVEL: Final[dict[str, Any]] = {"relevant_from": 1}
_NO_RELEVANT: Final[dict[str, Any]] = {"no_relevant": nan}
_BOTH: Final = _LEVEL | _NO_RELEVANT


def _ranked(
    name: str,
    title: str = "",
    most: float = 1.0,
    read: str = "",
    aliases: tuple[str, ...] = (),
    **parameters: Any,
) -> Metric:
    return entry(
        "ranking",
        name,
        "positions",
        title,
        needs="rankings",
        bounds=(0.0, most),
        parameters=parameters,
        read=read,
        aliases=aliases,
        influences="positions:query_values",
        interval=HITS,  # of queries that are hits or not
    )


_RANKINGS: Final = (
    _ranked("mean_average_precision", aliases=("map",), k=None, divide_by="relevant", **_BOTH),
    _ranked("mean_reciprocal_rank", k=None, **_BOTH, aliases=("mrr",)),
    _ranked("ndcg", "normalized discounted gain", k=None, gain="linear", **_NO_RELEVANT),
    _ranked("dcg", "discounted gain", inf, k=None, gain="linear"),
    _ranked("precision_at_k", "precision of the first k", k=REQUIRED, **_LEVEL),
    _ranked("recall_at_k", "recall of the first k", k=REQUIRED, **_BOTH),
    _ranked("f1_at_k", "F1 of the first k", k=REQUIRED, **_BOTH),
    _ranked("hit_rate_at_k", "queries with a hit in the first k", k=REQUIRED, **_BOTH),
    _ranked("r_precision", "precision at the number relevant", **_BOTH),
    _ranked("expected_reciprocal_rank", k=None, max_relevance=None, **_NO_RELEVANT),
    _ranked(
        "rank_biased_precision",
        "rank-biased precision",
        k=None,
        persistence=REQUIRED,
        **_LEVEL,
    ),
    _ranked("bpref", **_BOTH),
    _ranked(
        "group_auc",
        "mean AUC of groups",
        aliases=("gauc",),
        read="estimate",
        query_weighting="items",
        **_LEVEL,
    ),
)

# --- the list -------------------------------------------------------------------------------------

#: Losses of probabilities that are sums over ranges of scores.
LOSSES: Final = ("brier_score", "log_loss")
#: All metrics of such sums, in the order of their moments.
OF_RANGES: Final = ("roc_auc", "average_precision", *LOSSES)

#: Rates at the best threshold in an evaluation by replicates.
RATES_AT_BEST_THRESHOLD: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "tpr_at_best_threshold": ("best_threshold", {"of": "true_positive_rate"}),
    "fpr_at_best_threshold": ("best_threshold", {"of": "false_positive_rate"}),
}

#: Default metrics: for scores of two classes, for the other tasks of `evaluate`, and for estimators
#: in `evaluate_estimator`.
DEFAULTS: Final[dict[str, tuple[str, ...]]] = {
    "scores": ("roc_auc", "average_precision", "break_even_point", "ks_statistic"),
    "labels": ("accuracy", "balanced_accuracy", "f1_macro"),
    "labels of two": ("accuracy", "balanced_accuracy", "precision", "recall", "f1"),
    "multiclass": ("log_loss", "roc_auc_ovr"),
    "values": ("root_mean_squared_error", "mean_absolute_error", "r2"),
    "rankings": ("ndcg@10", "map", "mrr"),
    "multilabel": ("roc_auc_macro", "average_precision_macro"),
    "multilabel probabilities": ("brier_score",),
    "multilabel decisions": ("f1_macro", "f1_micro", "subset_accuracy", "hamming_loss"),
    "thresholds": ("precision", "recall", "f1"),
    "regressors": ("mean_squared_error", "mean_absolute_error", "r2"),
    "classifiers": ("error_rate", "balanced_accuracy", "f1_macro"),
    "classifiers of two": ("error_rate", "balanced_accuracy", "f1"),
}

#: Names of multilabel metrics, the metric of one label, and whether it is applied to whole rows or
#: averaged over labels.
OF_SEVERAL_LABELS: Final = {
    "subset_accuracy": ("accuracy", "rows"),
    "accuracy": ("accuracy", "rows"),
    "accuracy_score": ("accuracy", "rows"),
    "hamming_loss": ("error_rate", "macro"),
}

#: Every metric by its canonical name: scikit-learn's scorer name, where it has one, without
#: ``neg_``.
METRICS: Final[dict[str, Metric]] = {
    metric.name: metric
    for metric in (
        *_CURVES,
        *_DECISIONS,
        *_PROBABILITIES,
        *_NUMBERS,
        *_COSTS,
        *_CALIBRATION,
        *_CONCORDANCE,
        *_RANKINGS,
    )
}
