"""Rows go by position: two inputs of pandas that label them differently are refused."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import fastmetrics as fm
from fastmetrics._input.rows import check_same_index

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

Y = np.array([0, 1, 1, 0, 1, 0, 0, 1])
P = np.array([0.2, 0.7, 0.6, 0.6, 0.9, 0.65, 0.1, 0.3])
W = np.arange(1, 9)
USERS = list("abcdefgh")
OTHERS = [*"bacdefgh"]
FEW: dict[str, Any] = {"n_resamples": 20, "rng": 1}


def updated(make: Callable[[], Any], y: Any, p: Any) -> Any:
    matrix = make()
    matrix.update(y, p)
    return matrix


def two(function: Any) -> Any:
    """Return a function of two models as one of the first of them."""
    return lambda y, p, **options: function(y, {"a": p, "b": (P - 0.5) ** 2}, **options)


def called(function: Any) -> Any:
    """Return a function of labels as one of probabilities."""
    return lambda y, p, **options: function(y, (p > 0.5).astype(int), **options)


def beside(function: Any) -> Any:
    """Return a function of two models' values as one of labels and probabilities."""
    return lambda y, p, **options: function(y + 0.01 * W, p, higher_is_better=True, **options)


def fitted(function: Any) -> Any:
    """Return a function that fits estimators as one of labels and probabilities."""

    def call(y: Any, p: Any) -> Any:
        from sklearn.dummy import DummyClassifier

        X = p.to_frame() if isinstance(p, pd.Series) else p.reshape(-1, 1)
        return function(DummyClassifier(), X, y)

    return call


def of_classes(function: Any) -> Any:
    """Return a function of a column for each class as one of labels and probabilities."""

    def call(y: Any, p: Any, **options: Any) -> Any:
        columns = {"no": 1 - p, "yes": p}
        proba = pd.DataFrame(columns) if isinstance(p, pd.Series) else np.c_[1 - p, p]
        return function(y, proba, **options)

    return call


def partial_named(function: Any, **options: Any) -> Any:
    """Return a partial function that keeps its name."""
    return update_wrapper(partial(function, **options), function)


OURS = {
    "evaluate": fm.evaluate,
    "evaluate, by name": lambda y, p, **options: fm.evaluate(y, {"score": p}, **options),
    "bootstrap": partial(fm.bootstrap, **FEW),
    "bootstrap of labels": called(partial(fm.bootstrap, metrics="accuracy", **FEW)),
    "bootstrap of values": partial(fm.bootstrap, metrics="mean_squared_error", **FEW),
    "paired_bootstrap": two(partial(fm.paired_bootstrap, **FEW)),
    "paired_bootstrap of values": two(
        partial(fm.paired_bootstrap, metrics="mean_squared_error", **FEW)
    ),
    "delong": fm.delong,
    "delong of groups": partial(fm.delong, groups=np.arange(8) // 2),
    "delong_test": two(fm.delong_test),
    "estimate": partial(fm.estimate, metrics="roc_auc"),
    "compare": two(partial(fm.compare, metrics="roc_auc")),
    "roc_band": partial(fm.roc_band, **FEW),
    "pr_band": partial(fm.pr_band, **FEW),
    "ScoreTable": fm.ScoreTable.from_scores,
    "from_labels": called(fm.ConfusionMatrix.from_labels),
    "from_scores": partial(fm.ConfusionMatrix.from_scores, threshold=0.5),
    "RegressionTable": fm.RegressionTable.from_arrays,
    "best_threshold": fm.best_threshold,
    "break_even_point": fm.break_even_point,
    "dominance": lambda y, p, **options: fm.dominance(y, p, (P - 0.5) ** 2, **options),
    "ks_statistic": fm.ks_statistic,
    "partial_auc": partial(fm.partial_auc, false_positive_rate_range=(0, 0.5)),
    "pr_auc": fm.pr_auc,
    "rank_loss": fm.rank_loss,
    "classification_measures": called(fm.classification_measures),
    **{
        each.__name__: called(each)
        for each in (
            *(fm.false_negative_rate, fm.false_positive_rate, fm.negative_predictive_value),
            *(fm.specificity_score, fm.youden_j, fm.g_mean),
            *(fm.macro_f1_harmonic, fm.macro_precision, fm.macro_recall),
            *(fm.micro_f1, fm.micro_precision, fm.micro_recall),
        )
    },
    **{
        each.__name__: called(partial(each, cost_fn=5, cost_fp=1))
        for each in (
            *(fm.cost_sensitive_accuracy, fm.cost_sensitive_error),
            *(fm.expected_cost, fm.normalized_cost, fm.total_cost),
        )
    },
    "regression_measures": fm.regression_measures,
    **{
        each.__name__: each
        for each in (
            *(fm.cost_curve, fm.expected_total_cost, fm.roc_convex_hull, fm.roc_hull_auc),
            *(fm.gains_curve, fm.gini_coefficient, fm.h_measure, fm.precision_recall_gain_curve),
            *(fm.brier_curve, fm.decision_curve, fm.lorenz_curve, fm.lorenz_gini),
            *(partial_named(each, fraction=0.5) for each in (fm.cumulative_gain, fm.lift_score)),
            partial_named(fm.net_benefit, threshold=0.5),
            partial_named(fm.prevalence_adjusted_precision, threshold=0.5, prevalence=0.1),
            *(
                partial_named(each, cost_fn=5, cost_fp=1)
                for each in (fm.threshold_costs, fm.threshold_cost_interval)
            ),
            *(fm.adaptive_calibration_error, fm.expected_calibration_error),
            fm.maximum_calibration_error,
            partial_named(fm.root_mean_square_calibration_error, weights_are="frequencies"),
            *(fm.discrimination, fm.miscalibration, fm.score_decomposition),
            *(fm.isotonic_fit, fm.logistic_calibration, fm.reliability_diagram),
            *(fm.spiegelhalter_test, partial_named(fm.calibration_summary, n_groups=3)),
            partial_named(
                fm.hosmer_lemeshow_test,
                n_groups=3,
                on_training_data=False,
                weights_are="frequencies",
            ),
        )
    },
    **{
        each.__name__: two(each)
        for each in (*(fm.compare_cost_curves, fm.decision_curve_difference),)
    },
    **{
        each.__name__: partial(each, ax=Figure().subplots())
        for each in (fm.plot_det, fm.plot_pr, fm.plot_roc, fm.plot_thresholds)
    },
    "errors of columns": of_classes(fm.expected_calibration_error),
    "isotonic_fit of numbers": partial(fm.isotonic_fit, targets_are="numbers"),
}
NO_WEIGHTS = {
    **{
        each.__name__: each
        for each in (
            *(fm.goodman_kruskal_gamma, fm.kendall_tau, fm.kendall_test, fm.somers_d),
            *(fm.spearman_rho, fm.calibration_error_interval),
            partial_named(fm.calibration_test, **FEW),
            partial_named(fm.reliability_band, kind="consistency", **FEW),
        )
    },
    "calibration_test of columns": of_classes(partial(fm.calibration_test, **FEW)),
    "paired_permutation_test": two(partial(fm.paired_permutation_test, **FEW)),
    "update": called(partial(updated, fm.ConfusionMatrix)),
    "window": called(partial(updated, partial(fm.WindowedConfusionMatrix, 5))),
    "decay": called(partial(updated, partial(fm.DecayedConfusionMatrix, half_life=5))),
    "decayed": called(partial(updated, partial(fm.DecayedBinnedScoreTable, 5))),
    "mcnemar_test": called(lambda y, p: fm.mcnemar_test(y, p, 1 - Y)),
    "cochran_q_test": called(lambda y, p: fm.cochran_q_test(y_true=y, predictions=[p, 1 - Y])),
    "no_information_error": called(fm.no_information_error),
    "bootstrap632": called(lambda y, p: fm.bootstrap632(y, p, [Y, Y], [Y == 0, Y == 1])),
    "bias_variance": lambda y, p: fm.bias_variance(y, [p, p]),
    "friedman_test": lambda y, p: fm.friedman_test({"a": y, "b": p}, higher_is_better=True),
    **{
        each.__name__: beside(each)
        for each in (
            *(fm.bayesian_signed_rank_test, fm.kfold_paired_t_test, fm.sign_flip_test),
            *(fm.wilcoxon_signed_rank_test, partial_named(fm.equivalence_test, margin=1)),
            partial_named(fm.non_inferiority_test, margin=1),
            partial_named(fm.bayesian_correlated_t_test, rho=0.1),
        )
    },
    **{
        each.__name__: fitted(each)
        for each in (
            partial_named(fm.evaluate_estimator, cv="2-fold"),
            partial_named(fm.estimator_learning_curve, fractions=[1.0], cv=2),
            partial_named(
                fm.estimator_validation_curve, parameter="random_state", values=[1], cv=2
            ),
            partial_named(fm.tune_estimator, grid={"random_state": [1]}, cv=2),
            partial_named(
                fm.nested_cross_validation, grid={"random_state": [1]}, outer_cv=2, inner_cv=2
            ),
        )
    },
    "compare_estimators": fitted(lambda one, X, y: fm.compare_estimators(one, one, X, y, rng=1)),
}
#: Functions of ours that are tested below, or by those that they call.
ELSEWHERE = {
    "delong_unpaired_test",  # each sample is that of `delong`
    "five_by_two_cv_test",  # as `kfold_paired_t_test`
    "multiclass_bootstrap",
    "evaluate_rankings",  # and these: test_row_labels_of_others
    *("concordance_index_interval", "concordance_index_test"),
    *("cumulative_dynamic_auc", "survival_brier_score", "royston_d"),
}


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("name", [*OURS, *NO_WEIGHTS])
def test_rows_in_another_order_are_refused(name: str) -> None:
    function = (OURS | NO_WEIGHTS)[name]
    y = pd.Series(Y, index=USERS)
    message = (
        r"`.*` and `.*` have row labels \(an index\) in another order: '[ab]' and '[ab]' at row 0; "
        r"align them with `.reindex`, or pass `.to_numpy\(\)`"
    )
    with pytest.raises(ValueError, match=message):
        function(y, pd.Series(P, index=OTHERS))
    one_way, other = pd.Series(P, index=USERS), pd.Series(P, index=OTHERS)
    function(y, one_way)
    function(y, other.reindex(y.index))
    function(y, other.to_numpy())
    function(y.to_numpy(), other)
    function(y.reset_index(drop=True), other)


#: Parameters that hold a value for each row.
OF_ROWS = {
    *("X", "correct", "groups", "predictions", "sample_weight", "scores", "y"),
    *("y_pred", "y_prob", "y_proba", "y_score", "y_true"),
    *(f"{name}_{model}" for name in ("errors", "pred", "score", "scores") for model in "ab"),
}


def test_all_functions_of_ours_are_here() -> None:
    import sklearn.calibration
    import sklearn.metrics

    namesakes = {*dir(sklearn.metrics), *dir(sklearn.calibration)}
    functions = {name: getattr(fm, name) for name in fm.__all__}
    ours = {
        name
        for name, each in functions.items()
        if inspect.isfunction(each)
        and name not in namesakes
        and len(OF_ROWS & set(inspect.signature(each).parameters)) > 1
    }
    assert len(ours) > 40
    assert ours - set(OURS | NO_WEIGHTS) == ELSEWHERE & ours


@pytest.mark.parametrize("name", OURS)
def test_weights_have_the_rows_of_the_labels(name: str) -> None:
    function, y = OURS[name], pd.Series(Y, index=USERS)
    function(y, P, sample_weight=pd.Series(W, index=USERS))
    with pytest.raises(ValueError, match="`y_true` and `sample_weight` have row labels"):
        function(y, P, sample_weight=pd.Series(W, index=OTHERS))


@pytest.mark.parametrize("function", [fm.threshold_costs, fm.threshold_cost_interval])
@pytest.mark.parametrize("cost", ["cost_fn", "cost_fp"])
def test_costs_have_the_rows_of_the_labels(function: Any, cost: str) -> None:
    y, costs = pd.Series(Y, index=USERS), {"cost_fn": 5, "cost_fp": 1}
    function(y, P, **costs | {cost: pd.Series(W, index=USERS)})
    with pytest.raises(ValueError, match=f"`y_true` and `{cost}` have row labels"):
        function(y, P, **costs | {cost: pd.Series(W, index=OTHERS)})


def test_groups_have_the_rows_of_the_labels() -> None:
    y, groups = pd.Series(Y, index=USERS), pd.Series(np.arange(8) // 2, index=OTHERS)
    for function in (fm.delong, OURS["bootstrap"], partial(fm.evaluate, **FEW), OURS["roc_band"]):
        with pytest.raises(ValueError, match="`y_true` and `groups` have row labels"):
            function(y, P, groups=groups)


def test_frames_of_models_and_of_classes() -> None:
    y = pd.Series(Y, index=USERS)
    frame = pd.DataFrame({"a": P, "b": (P - 0.5) ** 2}, index=OTHERS)
    with pytest.raises(ValueError, match=r"`y_true` and `scores\['a'\]` have row labels"):
        fm.delong_test(y, frame)
    fm.delong_test(y, frame.reindex(y.index))
    classes = pd.Series([0, 1, 2, 0, 1, 2, 0, 1], index=USERS)
    proba = np.full((8, 3), 0.25) + np.eye(3)[[0, 1, 1, 0, 1, 2, 2, 1]] / 4
    given: dict[str, Any] = {"n_resamples": 20, "rng": 1}
    fm.multiclass_bootstrap(classes, pd.DataFrame(proba, index=USERS), **given)
    with pytest.raises(ValueError, match="`y_true` and `y_score` have row labels"):
        fm.multiclass_bootstrap(classes, pd.DataFrame(proba, index=OTHERS), **given)


def test_training_and_test_rows() -> None:
    from sklearn.dummy import DummyClassifier

    X, y = pd.DataFrame({"p": P}, index=OTHERS), pd.Series(Y, index=USERS)
    dummy, few = DummyClassifier(), {"n_models": 2, "rng": 1}
    right = X.to_numpy(), y
    for function in (
        fm.estimator_bias_variance,
        partial_named(fm.bias_variance_curve, parameter="random_state", values=[1]),
    ):
        function(dummy, *right, *right, decomposition="domingos", **few)
        with pytest.raises(ValueError, match="`X_train` and `y_train` have row labels"):
            function(dummy, X, y, *right, decomposition="domingos", **few)
        with pytest.raises(ValueError, match="`X_test` and `y_test` have row labels"):
            function(dummy, *right, X, y, decomposition="domingos", **few)


def test_what_fails_changes_no_stream() -> None:
    matrix = fm.ConfusionMatrix.from_labels(Y, Y)
    before = copy.copy(matrix)
    with pytest.raises(ValueError, match="have row labels"):
        matrix.update(pd.Series(Y, index=USERS), pd.Series(Y, index=OTHERS))
    assert matrix == before


def test_namesakes_of_scikit_learn_go_by_position() -> None:
    y, p = pd.Series(Y, index=USERS), pd.Series(P, index=OTHERS)
    assert fm.roc_auc_score(y, p) == fm.roc_auc_score(Y, P)
    assert fm.average_precision_score(y, p) == fm.average_precision_score(Y, P)
    assert fm.f1_score(y, p > 0.5) == fm.f1_score(Y, P > 0.5)
    assert fm.mean_squared_error(y, p) == fm.mean_squared_error(Y, P)
    assert fm.calibration_curve(y, p)[0].tolist() == fm.calibration_curve(Y, P)[0].tolist()
    assert fm.confusion_matrix(y, p > 0.5).tolist() == fm.confusion_matrix(Y, P > 0.5).tolist()


STAMPS = pd.date_range("2026-01-01", periods=3)
SAME: list[tuple[Any, Any]] = [
    ([5, 3, 4], [5, 3, 4]),
    ([5, 3, 4], np.array([5.0, 3.0, 4.0])),
    ([1, 1, 2], [1, 1, 2]),
    (["a", np.nan, None], ["a", np.nan, np.nan]),
    (STAMPS, STAMPS.copy()),
    (STAMPS, STAMPS.astype(object)),
    (pd.CategoricalIndex(["x", "y", "x"]), ["x", "y", "x"]),
    (
        pd.MultiIndex.from_product([["a"], [1, 2, 3]]),
        pd.MultiIndex.from_product([["a"], [1, 2, 3]]),
    ),
    (pd.RangeIndex(10, 16, 2), [10, 12, 14]),
    ([5, 3, 4], range(3)),  # predictions in a series of their own
    (range(3), [5, 3, 4]),
    ([5, 3, 4], [0, 1, 2]),
    (np.array([0, 1, 2], np.uint8), list("abc")),
    ([5, 3], [5, 3, 4]),  # lengths are another check
]
DIFFERENT: list[tuple[Any, Any, str]] = [
    ([5, 3, 4], [3, 5, 4], "in another order: 5 and 3 at row 0"),
    ([5, 3, 4], [5, 3, 9], "that are not the same: 4 and 9 at row 2"),
    ([0, 1, 3], [3, 1, 0], "in another order: 0 and 3 at row 0"),
    (["a", "b", "c"], ["a", "c", "b"], "in another order: 'b' and 'c' at row 1"),
    ([1, 2, 4], ["1", "2", "4"], "that are not the same: 1 and '1' at row 0"),
    (["a", None, "c"], ["a", "b", "c"], "that are not the same: "),
    (pd.Index([7, pd.NA, 9], dtype="Int64"), [7, 8, 9], "that are not the same: "),
    (STAMPS, STAMPS[::-1], "in another order: Timestamp"),
    (pd.RangeIndex(3, 6), pd.RangeIndex(6, 9), "that are not the same: 3 and 6 at row 0"),
    (pd.RangeIndex(3, 0, -1), pd.RangeIndex(1, 4), "in another order: 3 and 1 at row 0"),
    (
        pd.MultiIndex.from_product([["a"], [1, 2, 3]]),
        pd.MultiIndex.from_product([["a"], [1, 3, 2]]),
        r"in another order: \('a', 2\) and \('a', 3\) at row 1",
    ),
]


def series(index: Any) -> pd.Series[Any]:
    return pd.Series(np.arange(len(index)), index=index)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_indexes_that_do_not_contradict(one: Any, other: Any) -> None:
    check_same_index(a=series(one), b=None, c=series(other), d=[1, 2, 3], e=(1, 2, 3), f="123")


@pytest.mark.parametrize(("one", "other", "message"), DIFFERENT)
def test_indexes_that_contradict(one: Any, other: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"`a` and `c` have row labels \(an index\) {message}"):
        check_same_index(a=series(one), b=np.arange(3), c=series(other))
    with pytest.raises(ValueError, match="`b` and `c` have row labels"):
        check_same_index(a=series(range(3)), b=series(one).to_frame(), c=series(other))


def test_the_numbers_of_a_long_range_are_not_written_out() -> None:
    """Asking a RangeIndex for its values makes an array that the user's series then keeps."""
    y, p = pd.Series(np.arange(1000) % 2), pd.Series(np.arange(1000) / 1000)
    fm.ScoreTable.from_scores(y, p)
    fm.ScoreTable.from_scores(y, p.set_axis(np.arange(1000)[::-1]))
    assert "_data" not in y.index._cache
