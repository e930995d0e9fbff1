"""Arguments for every public function, at any number of rows: what `benchmarks.farthest` times.

A new public function needs a line here: its arguments, or a reason why it has no rows.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from functools import cached_property, partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastmetrics
from benchmarks.speed.data import SEED
from fastmetrics._lazy import public_names

#: Replicates that a function is asked for.
REPLICATES = 20

Array = NDArray[Any]


class Rows:
    """Columns of so many rows, each made when first asked for."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._rng = np.random.default_rng(SEED)

    @cached_property
    def y(self) -> Array:
        return (self._rng.random(self.n) < 0.3).astype(np.int8)

    @cached_property
    def score(self) -> Array:
        return self.y + self._rng.standard_normal(self.n)

    @cached_property
    def models(self) -> dict[str, Array]:
        return {"a": self.score, "b": self.score + 0.5 * self._rng.standard_normal(self.n)}

    @cached_property
    def chance(self) -> Array:
        return np.asarray(1 / (1 + np.exp(1 - self.score)))

    @cached_property
    def chances(self) -> dict[str, Array]:
        return {"a": self.chance, "b": self.chance**2}

    @cached_property
    def called(self) -> Array:
        return (self.score > 0.8).astype(np.int8)

    @cached_property
    def classes(self) -> tuple[Array, Array]:
        true = self._rng.integers(0, 10, self.n)
        right = self._rng.random(self.n) < 0.7
        return true, np.where(right, true, self._rng.integers(0, 10, self.n))

    @cached_property
    def class_chances(self) -> Array:
        scores = self._rng.random((self.n, 10))
        scores[np.arange(self.n), self.classes[0]] += 0.5
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    @cached_property
    def amounts(self) -> tuple[Array, Array]:
        true = 0.1 + self._rng.gamma(2, size=self.n)
        return true, true * self._rng.gamma(5, size=self.n) / 5 + 0.01

    @cached_property
    def weight(self) -> Array:
        return 0.1 + self._rng.random(self.n)

    @cached_property
    def query(self) -> Array:
        return np.arange(self.n) // 20

    @cached_property
    def many_labels(self) -> tuple[Array, Array]:
        """A table of twenty labels a row, as many cells as there are rows."""
        shape = self.n // 20, 20
        relevant = (self.y == 1)[: math.prod(shape)].reshape(shape).astype(np.int64)
        relevant[:, 0] = 1
        return relevant, self.score[: math.prod(shape)].reshape(shape)


Make = Callable[[Rows], tuple[Any, ...]]
#: Options of a call; one that is a function is called with the rows.
Options = dict[str, Any]


#: Each item is tried four times.
_TRIES: Options = {"repeat": lambda r: np.arange(len(r.y)) % 4}


def _scores(r: Rows) -> tuple[Any, ...]:
    return r.y, r.score


def _labels(r: Rows) -> tuple[Any, ...]:
    return r.y, r.called


def _classes(r: Rows) -> tuple[Any, ...]:
    return r.classes


def _class_scores(r: Rows) -> tuple[Any, ...]:
    return r.classes[0], r.class_chances


def _chances(r: Rows) -> tuple[Any, ...]:
    return r.y, r.chance


def _models(r: Rows) -> tuple[Any, ...]:
    return r.y, r.models


def _chance_models(r: Rows) -> tuple[Any, ...]:
    return r.y, r.chances


def _amounts(r: Rows) -> tuple[Any, ...]:
    return r.amounts


def _paired(r: Rows) -> tuple[Any, ...]:
    return r.models["a"], r.models["b"]


def _many_labels(r: Rows) -> tuple[Any, ...]:
    return r.many_labels


def _times(r: Rows) -> tuple[Any, ...]:
    return r.weight, r.y, r.score


_HIGHER = {"higher_is_better": True}
_DRAWN = {"n_resamples": REPLICATES, "rng": 1}
_COSTS = {"cost_fn": 5, "cost_fp": 1}
_LONGER = {"higher_score_means": "longer-time"}

#: By kind of arguments: functions as they are, and those that need options.
_PLAIN: tuple[tuple[Make, str], ...] = (
    (
        _scores,
        """average_precision_score best_threshold break_even_point confusion_matrix_at_thresholds
        cost_curve delong det_curve evaluate expected_total_cost gains_curve gini_coefficient
        h_measure isotonic_fit ks_statistic partial_auc pr_auc precision_recall_curve
        rank_loss roc_auc_score roc_curve roc_hull_auc
        hinge_loss goodman_kruskal_gamma kendall_tau somers_d spearman_rho""",
    ),
    (
        _labels,
        """accuracy_score balanced_accuracy_score class_likelihood_ratios f1_score
        false_negative_rate false_positive_rate jaccard_score negative_predictive_value
        precision_score recall_score specificity_score youden_j zero_one_loss hamming_loss
        no_information_error""",
    ),
    (
        _classes,
        """classification_metrics classification_report cohen_kappa_score confusion_matrix g_mean
        matthews_corrcoef multilabel_confusion_matrix precision_recall_fscore_support""",
    ),
    (
        _chances,
        """brier_score_loss calibration_curve
        calibration_error_interval calibration_summary d2_brier_score d2_log_loss_score
        expected_calibration_error log_loss logistic_calibration
        maximum_calibration_error reliability_diagram
        root_mean_square_calibration_error score_decomposition spiegelhalter_test""",
    ),
    (_models, "delong_test"),
    (_chance_models, "decision_curve"),
    (
        _amounts,
        """d2_absolute_error_score d2_pinball_score d2_tweedie_score explained_variance_score
        lorenz_curve lorenz_gini max_error mean_absolute_error mean_absolute_percentage_error
        mean_gamma_deviance mean_pinball_loss mean_poisson_deviance mean_squared_error
        mean_squared_log_error mean_tweedie_deviance median_absolute_error r2_score
        regression_metrics root_mean_squared_error root_mean_squared_log_error""",
    ),
    (
        _many_labels,
        """coverage_error dcg_score label_ranking_average_precision_score label_ranking_loss
        ndcg_score""",
    ),
    (lambda r: (r.weight,), "effective_sample_size"),
)
#: Functions that need more than two columns.
_OTHERS: dict[str, tuple[Make, Options]] = {
    "adjust_pvalues": (lambda r: (r.weight / 2,), {}),
    "auc": (lambda r: (np.arange(r.n), r.chance), {}),
    "bias_variance": (lambda r: (r.y, [r.called, r.y, r.called]), {}),
    "bootstrap": (_scores, _DRAWN),
    "bootstrap632": (
        lambda r: (r.y, r.called, [r.called, r.y], [r.score > 0, r.score <= 1]),
        {},
    ),
    "calibration_test": (_chances, _DRAWN),
    "concordance_index": (_times, _LONGER),
    "compare": (_models, {"metrics": "roc_auc"}),
    "doctor": (_models, {}),
    "evaluate_log": (lambda r: (np.arange(len(r.y)) // 4, r.y), _TRIES),
    "estimate": (_scores, {"metrics": ["roc_auc", "average_precision"]}),
    "cost_sensitive_error": (_labels, _COSTS),
    "cumulative_gain": (_scores, {"fraction": 0.1}),
    "dominance": (lambda r: (r.y, *r.models.values()), {}),
    "delong_unpaired_test": (lambda r: (r.y, r.score, r.y, r.models["b"]), {}),
    "expected_cost": (_labels, _COSTS),
    "guaranteed_threshold": (_scores, {"recall": 0.9}),
    "fbeta_score": (_labels, {"beta": 2}),
    "kfold_paired_t_test": (_paired, _HIGHER | {"n_folds": 10}),
    "lift_score": (_scores, {"fraction": 0.1}),
    "macro_micro": (_classes, {"metrics": "macro_f1_harmonic"}),
    "mcnemar_test": (lambda r: (r.y, r.called, (r.models["b"] > 0.8).astype(np.int8)), {}),
    "metric_at_thresholds": (
        lambda r: (r.y, np.round(r.chance, 1), fastmetrics.accuracy_score),
        {},
    ),
    "net_benefit": (_chances, {"threshold": 0.3}),
    "one_sample_t_test": (lambda r: (r.chance,), {"error_rate": 0.3, "n_folds": 10}),
    "paired_bootstrap": (_models, _DRAWN),
    "paired_permutation_test": (_models, _DRAWN),
    "pr_band": (_scores, _DRAWN),
    "predict_at_threshold": (lambda r: (r.score, 0.5), {}),
    "reliability_band": (_chances, {"kind": "consistency"} | _DRAWN),
    "roc_band": (_scores, _DRAWN),
    "sign_flip_test": (_paired, _HIGHER | {"rng": 1}),
    "threshold_cost_interval": (_scores, _COSTS),
    "threshold_costs": (_scores, _COSTS),
    "top_k_accuracy_score": (_class_scores, {"k": 3}),
    "wilcoxon_signed_rank_test": (_paired, _HIGHER),
}
#: More than one way to call a function, and tables: what is timed beside the functions' own rows.
_VARIANTS: dict[str, tuple[Make, Options]] = {
    "ScoreTable.from_scores": (_scores, {}),
    "ConfusionMatrix.from_labels": (_classes, {}),
    "RegressionTable.from_arrays": (_amounts, {}),
    "RankingTable.from_scores": (_scores, {}),
    "roc_auc_score, ten classes": (_class_scores, {"multi_class": "ovr"}),
    # the first label is of every row
    "evaluate, labels of a row": (lambda r: tuple(each[:, 1:] for each in r.many_labels), {}),
    "bootstrap, MSE": (_amounts, _DRAWN | {"metrics": "mean_squared_error"}),
}
_OF_QUERIES: Options = {"query": attrgetter("query")}
_QUERIES: dict[str, tuple[Make, Options]] = {
    **dict.fromkeys(
        """bpref dcg expected_reciprocal_rank group_auc mean_average_precision
        mean_reciprocal_rank ndcg r_precision""".split(),
        (_scores, _OF_QUERIES),
    ),
    **dict.fromkeys(
        "f1_at_k hit_rate_at_k precision_at_k recall_at_k".split(),
        (_scores, _OF_QUERIES | {"k": 10}),
    ),
    "rank_biased_precision": (_scores, _OF_QUERIES | {"persistence": 0.8}),
}
#: Functions that get a weight for each row, too.
_WEIGHTED = """roc_auc_score average_precision_score ks_statistic mean_squared_error
median_absolute_error accuracy_score log_loss""".split()

#: What is timed: arguments and options by the name of a function, a variant behind a comma.
TIMED: dict[str, tuple[Make, Options]] = {
    **{name: (make, {}) for make, names in _PLAIN for name in names.split()},
    **_OTHERS,
    **_QUERIES,
    **_VARIANTS,
}
TIMED |= {
    f"{name}, weighted": (TIMED[name][0], {"sample_weight": attrgetter("weight")})
    for name in _WEIGHTED
}


def public(name: str) -> Any:
    """Return the public object of a name, wherever it is public, or a method of it."""
    first, _, rest = name.partition(".")
    found = getattr(importlib.import_module(public_names()[first]), first)
    return attrgetter(rest)(found) if rest else found


def call_of(name: str, rows: Rows) -> Callable[[], Any]:
    """Return the call that is timed under a name."""
    make, options = TIMED[name]
    function = public(name.partition(",")[0])
    given = {key: value(rows) if callable(value) else value for key, value in options.items()}
    return partial(function, *make(rows), **given)


_FITS = "fits estimators: the time is theirs"
_FEW = "takes some numbers, of no rows"
_DRAWS = "draws a figure: the time is matplotlib's"
#: Public functions that are not timed, and why.
NOT_TIMED: dict[str, str] = {
    **dict.fromkeys(
        """bias_variance_curve estimator_bias_variance evaluate_estimator nested_cross_validation
        tune_estimator""".split(),
        _FITS,
    ),
    **dict.fromkeys(
        """binomial_test err632 err632_plus
        five_by_two_cv_test newcombe_interval parameter_range proportion_interval compare_timings
        count_metric""".split(),
        _FEW,
    ),
    **dict.fromkeys(
        "compare_table friedman_test nemenyi_test".split(),
        "takes a row for each data set: there are tens of them",
    ),
    **dict.fromkeys(
        "from_cv_results plot_pr plot_residuals plot_roc plot_thresholds report".split(),
        _DRAWS,
    ),
    "counts_query": "writes SQL",
    "metrics_table": "lists what there is",
    "read_trec": "reads files, by DuckDB",
    "register_metric": "keeps a function",
    **dict.fromkeys("read_timings read_evaluation_log".split(), "reads files, by json"),
    **dict.fromkeys("gate assert_not_worse".split(), "is `compare` with a verdict"),
    "show_versions": "prints what is installed",
    "scorer": "makes a function",
}
