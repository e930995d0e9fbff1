"""Refusals of one metric alone, in its words; `tests/properties` has the refusals of many."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.costs import cost_sensitive_error, expected_cost

EYE = np.eye(3)
EMPTY = fm.ConfusionMatrix()
MATRIX = fm.ConfusionMatrix.binary(tp=3, fp=1, fn=2, tn=4, labels=["no", "yes"])
TABLE = fm.ScoreTable.from_scores([0, 1], [0.1, 0.6])
TWO = ([0, 1], [0.1, 0.6])
ONE_HOT = [[0, 1], [1, 1]]
PROBA = [[0.2, 0.7, 0.1], [0.6, 0.2, 0.2]]
CODES, CALLED = [0, 1, 1, 0, 2, 2], [0, 1, 0, 0, 2, 1]
UNIT = {"cost_fn": 1, "cost_fp": 1}
LOWEST = {"criterion": "lowest-cost", "cost_fn": 5, "cost_fp": 1}

best = fm.best_threshold
ranked = fm.RankingTable.from_scores
ndcg = fm.ranking.ndcg
rates = fm.precision_recall_fscore_support
top_k = fm.top_k_accuracy_score
ratios = fm.class_likelihood_ratios
precision = fm.average_precision_score


def counted(name: str, **parameters: Any) -> Any:
    return fm.estimate([0, 1], [0, 1], metrics=(name, parameters))


def recall(**options: Any) -> Any:
    return fm.recall_score(ONE_HOT, ONE_HOT, **options)


def regression(metrics: Any) -> Any:
    return fm.regression_metrics([1, 2], [1, 2], metrics=metrics)


def decided(labels: Any) -> Any:
    return fm.predict_at_threshold([1.0], 0.5, labels=labels)


def erred(**options: Any) -> float:
    return cost_sensitive_error([0, 1, 1], [0, 0, 1], **options)


VALUES: list[tuple[str, Callable[[], Any]]] = [
    # matrices
    ("`labels` must be distinct: 1 c", lambda: fm.confusion_matrix(*TWO[:1] * 2, labels=[1, 0, 1])),
    (r"`labels`, \{7\}, must name at", lambda: fm.confusion_matrix([0, 1], [0, 1], labels=[7])),
    ("for multilabel-indicator targets", lambda: fm.confusion_matrix(ONE_HOT, ONE_HOT)),
    ("at least one label", lambda: fm.confusion_matrix(MATRIX, labels=["5"])),
    (
        "rows are measured in multilabel targets only",
        lambda: fm.multilabel_confusion_matrix([0, 1], [0, 1], samplewise=True),
    ),
    (
        r"must lie in \[0, 2\): got 2",
        lambda: fm.multilabel_confusion_matrix([[0, 1]], [[0, 1]], labels=[2]),
    ),
    # labels
    ("`y_true` is a matrix, `y_pred` labels", lambda: fm.accuracy_score([[0, 1]], [0])),
    ("`y_pred` is a matrix, `y_true` labels", lambda: fm.zero_one_loss([0], [[0, 1]])),
    ("indicator matrix of 0 and 1", lambda: fm.zero_one_loss([[0, 2]], [[0, 1]])),
    ("holds the label 2", lambda: fm.g_mean([0, 2], [0, 1], labels=[0, 1])),
    ("is for multilabel targets", lambda: rates([0, 1, 2], [0, 2, 2], average="samples")),
    ("targets are multiclass with 3", lambda: rates([0, 1, 2], [0, 2, 2], average="binary")),
    (r"`pos_label`=7 is not a label .* \{0, 1\}", lambda: fm.f1_score([0, 1], [1, 1], pos_label=7)),
    (r"`pos_label`=1 is not .*'no', 'yes'", lambda: fm.f1_score(["no", "yes"], ["yes", "yes"])),
    ("`pos_label`=None", lambda: fm.f1_score([0, 1], [1, 1], pos_label=None)),
    ("`pos_label`='1'", lambda: fm.f1_score([0, 1], [1, 1], pos_label="1")),
    ("`pos_label`=1 is not a label", lambda: fm.f1_score(MATRIX)),
    (r"must lie in \[0, 2\): got 2", lambda: recall(average=None, labels=[0, 2])),
    ("got -1", lambda: recall(average=None, labels=[-1])),
    ("'samples'", recall),
    ("`y_true`", lambda: fm.matthews_corrcoef([[0, 1]], [[0, 1]])),
    ("present in `y1`", lambda: fm.cohen_kappa_score([0, 1], [0, 1], labels=[7, 8])),
    ("1 comes twice", lambda: fm.cohen_kappa_score([0, 1], [0, 1], labels=[1, 1])),
    (r"in \[-1, 1\] or be nan", lambda: fm.cohen_kappa_score([0], [0], replace_undefined_by=2)),
    ("must hold two classes: got 3", lambda: ratios([0, 1, 2], [0, 1, 1])),
    ("two classes are needed, and there is 1", lambda: ratios([0, 0], [0, 0])),
    ("at least one of `labels`", lambda: ratios([0, 1], [0, 1], labels=[5, 6])),
    (
        "must name 3 classes: got 1",
        lambda: fm.classification_report(CODES, CALLED, target_names=["a"]),
    ),
    # counts
    ("must be one of None, 'linear'", lambda: counted("cohen_kappa", weights="cubic")),
    (r"must have shape \(2, 2\)", lambda: counted("cost", cost_matrix=[[0, 1, 2]])),
    # costs
    (r"of 3 classes, and only 2 occur, \(0, 1\)", lambda: erred(cost_matrix=EYE)),
    (r"must have shape \(2, 2\)", lambda: erred(cost_matrix=np.ones((2, 3)))),
    (r"`prevalence` must lie in \[0, 1\]", lambda: expected_cost(*CODES_2, **UNIT, prevalence=2)),
    ("two classes, and there are 3", lambda: expected_cost([0, 1, 2], [0, 1, 2], **UNIT)),
    # thresholds
    (
        "neither the cheapest threshold nor its cost",
        lambda: fm.bootstrap(*TWO, metrics=("best_threshold", LOWEST)),
    ),
    ("`at_least` must lie", lambda: best(*TWO, criterion="precision_at_recall", at_least=1.5)),
    *(
        ("`beta` must be positive", lambda beta=beta: best(*TWO, criterion="fbeta", beta=beta))
        for beta in (0.0, -1.0, np.nan, np.inf)
    ),
    ("`threshold` must not be nan", lambda: fm.predict_at_threshold([1.0], np.nan)),
    *(
        ("`labels` must be two", lambda labels=labels: decided(labels))
        for labels in ((0, "no"), (0, 0), (0, 1, 2))
    ),
    ("negative", lambda: fm.metric_at_thresholds(*TWO, fm.f1_score, sample_weight=[1, -1])),
    # curves
    (r"\[:, 1\]", lambda: fm.roc_auc_score([0, 1, 1], [[0.5, 0.5], [0.1, 0.9], [0.2, 0.8]])),
    ("indicator", lambda: fm.roc_auc_score([[0, 1], [2, 1]], np.ones((2, 2)))),
    ("same shape", lambda: fm.roc_auc_score([[0, 1], [1, 0]], np.ones((2, 3)))),
    ("two points or more: got 1", lambda: fm.auc([0.0], [0.1])),
    ("neither increasing nor decreasing", lambda: fm.auc([0, 2, 1], [1, 2, 3])),
    ("shape", lambda: fm.auc([[0, 1], [1, 2]], [1, 2])),
    (
        "not both",
        lambda: fm.partial_auc(
            *TWO, false_positive_rate_range=(0, 1), true_positive_rate_range=(0, 1)
        ),
    ),
    (r"must be 1 with .* several classes, got 2", lambda: precision([0, 1, 2], EYE, pos_label=2)),
    (
        "must be 1 with a multilabel indicator",
        lambda: precision(np.eye(3, dtype=int), EYE, pos_label=0),
    ),
    # what is wrong with the labels comes first
    ("`y_true`", lambda: precision([[2, 2, 1], [1, 2, 0]], np.ones((2, 3)), pos_label=0)),
    (r"of shape `\(n_samples, n_classes\)`", lambda: precision([0, 1, 2], EYE[:, :2])),
    (r"of shape `\(n_samples, n_classes\)`", lambda: precision([0, 1, 2], EYE[:, 0])),
    ("pos_label", lambda: precision([0, 1], [0, 1], pos_label=2)),
    ("pos_label", lambda: fm.precision_recall_curve(["a", "b"], [1, 2])),
    # probabilities
    ("2 classes in `y_true`, 3 columns", lambda: fm.log_loss([1, 0], PROBA)),
    ("columns, 3: got 2", lambda: fm.log_loss([1, 0], PROBA, labels=[0, 1])),
    ("contains 4, which is not in", lambda: fm.log_loss([1, 4], PROBA, labels=[0, 1, 2])),
    (r"only one label, 1: `labels` must name .* \(3\)", lambda: fm.log_loss([1, 1], PROBA)),
    ("must be unique", lambda: fm.log_loss([1, 0], PROBA, labels=[0, 1, 1])),
    (r"two classes or more: got \[1\]", lambda: fm.log_loss([1, 1], [0.2, 0.2], labels=[1])),
    ("`y_proba` must have shape", lambda: fm.log_loss([0, 1], np.full((2, 2, 2), 0.5))),
    ("`y_true` holds probabilities", lambda: fm.log_loss([0.5, 1.0], [0.1, 0.2])),
    ("3 classes in `y_true`, 2 columns", lambda: fm.log_loss([0, 1, 2], [0.1, 0.2, 0.3])),
    ("2 classes in `y_true`, 3 columns", lambda: fm.brier_score_loss([1, 0], PROBA)),
    ("a column of `y_proba` a class", lambda: fm.brier_score_loss(np.eye(3, dtype=int), EYE[:, 0])),
    (r"shape \(3, 3\) with 3 classes", lambda: fm.hinge_loss([0, 1, 2], [0.1, 0.2, 0.3])),
    (r"shape \(3, 3\) with 3 ", lambda: fm.hinge_loss([0, 1, 0], [0.1, 0.2, 0.3], labels=range(3))),
    ("`pred_decision` must have shape", lambda: fm.hinge_loss([0, 1], [[0.1, 0.2]] * 2)),
    ("a column for each class.* pass `labels`", lambda: fm.hinge_loss([0, 1], PROBA)),
    (r"shape \(2, 2\) with 2 .* got \(2, 3\)", lambda: fm.hinge_loss([0, 1], PROBA, labels=[0, 1])),
    ("which is not in `labels`", lambda: fm.hinge_loss([0, 7], PROBA, labels=[0, 1, 2])),
    ("2 columns: of two classes pass", lambda: top_k([0, 1], [[0.1, 0.9]] * 2)),
    ("scores of 3 classes, .* got scores of 2", lambda: top_k([0, 1, 2], [[0.1, 0.9]] * 3)),
    ("of the 3 classes of `y_true`, .* got shape", lambda: top_k([0, 1, 2], [0.1, 0.9, 0.5])),
    ("scores of 1 classes, .* got scores of 2", lambda: top_k([1, 1], [0.1, 0.9])),
    ("must name two classes .* got 3", lambda: top_k([1, 0], [0.1, 0.9], labels=[0, 1, 2])),
    ("`y_score` must have shape", lambda: top_k([0, 1], np.zeros((2, 2, 2)))),
    ("`k` must be at least 1", lambda: top_k([0, 1], [0.1, 0.9], k=0)),
    # calibration
    ("`y_true`", lambda: fm.calibration.isotonic_fit([0, 2], [0.1, 0.2])),
    ("`y_true`", lambda: fm.calibration_curve([0, 1, 2], [0.1, 0.5, 1.0])),
    (r"must lie in \[0, 1\]: from -0.1", lambda: fm.calibration_curve([0, 1], [-0.1, 1.0])),
    ("pos_label", lambda: fm.calibration_curve(["no", "yes", "yes"], [0.1, 0.6, 0.9])),
    # rankings
    ("a matrix has a row for each query", lambda: ndcg([[1, 0]], [[1, 2]], query=[1, 1])),
    ("needs `ids`", lambda: ndcg([1, 0], [1, 2], ties="trec_eval")),
    ("too great for exponential", lambda: ndcg([2000, 0], [1, 2], gain="exponential")),
    (
        "`max_relevance` must be at least 3",
        lambda: fm.ranking.expected_reciprocal_rank([3, 0], [1, 2], max_relevance=2),
    ),
    ("`indptr` must be", lambda: ranked([1, 0], [1, 2], indptr=[0, 1])),
    ("has one twice", lambda: ranked([1, 0], [1, 2], ids=["a", "a"])),
    ("comes alone", lambda: ndcg(ranked([1], [1]), [1])),
    ("says 1 relevant items of query number 0, an", lambda: ranked([1, 1], [2, 1], n_relevant=[1])),
    ("`score`", lambda: ndcg([1, 0], np.ma.array([1.0, 2.0], mask=[True, False]))),
    ("more than 1 document", lambda: fm.ndcg_score([[1]], [[1]])),
    ("negative y_true", lambda: fm.ndcg_score([[1, -1]], [[1, 2]])),
    ("must be matrices of one shape", lambda: fm.dcg_score([[1, 0]], [[1, 2, 3]])),
    ("indicator matrix", lambda: fm.label_ranking_loss([[1, 2]], [[1, 2]])),
    # numbers
    ("'accuracy', which takes predicted labels, where", lambda: regression("accuracy")),
]
TYPES: list[tuple[str, Callable[[], Any]]] = [
    ("`y_pred` is missing", lambda: fm.matthews_corrcoef([0, 1])),
    ("`y_pred` is missing", lambda: fm.balanced_accuracy_score([0, 1])),
    ("`y2` is missing", lambda: fm.cohen_kappa_score([0, 1])),
    ("without `y_pred`", lambda: fm.matthews_corrcoef(EMPTY, [0])),
    ("`y_pred` must be left out", lambda: fm.f1_score(MATRIX, [0, 1])),
    ("without `y2`", lambda: fm.cohen_kappa_score(EMPTY, [0])),
    ("without `labels`", lambda: fm.g_mean(EMPTY, labels=[0, 1])),
    ("without `labels`", lambda: cost_sensitive_error(EMPTY, cost_matrix=EYE, labels=[0, 1])),
    ("without `sample_weight`", lambda: ratios(EMPTY, sample_weight=[1])),
    ("`warn_for` must be a list", lambda: rates([0, 1], [0, 1], warn_for="recall")),
    ("`labels` holds text", lambda: rates([0, 1, 2], [0, 2, 2], labels=["a"])),
    ("numbers of columns: got text", lambda: recall(average=None, labels=["a"])),
    *(
        (
            "`target_names` must be a list of names",
            lambda names=names: fm.classification_report(CODES, CALLED, target_names=names),
        )
        for names in ("abc", 5)
    ),
    ("`accuracy` has no parameter 'beta': it has no pa", lambda: counted("accuracy", beta=2)),
    ("no parameter 'betta': it has 'beta', 'zero_div", lambda: counted("fbeta", betta=2)),
    ("of 2 classes needs `cost_fn` and `cost_fp`, or `cost_mat", lambda: counted("cost")),
    ("needs `cost_fn` and `cost_fp`", lambda: counted("cost", cost_fn=1)),
    ("must hold real numbers", lambda: counted("cost", cost_matrix=[["a", "b"]] * 2)),
    ("costs are needed: `cost_matrix`, or `cost_fn` and `cost_fp`", erred),
    ("costs are needed", lambda: erred(cost_fn=1)),
    ("`labels` go with `cost_mat", lambda: erred(**UNIT, labels=[0, 1])),
    ("`pos_label` goes with `cost_fn", lambda: erred(cost_matrix=np.eye(2), pos_label=1)),
    ("must hold real numbers", lambda: erred(cost_matrix=[["0", "1"], ["1", "0"]])),
    ("criterion 'lowest-cost' needs `cost_fp`", lambda: best(*TWO, cost_fn=1)),
    ("`cost_fn` has no mean.* 'youden'", lambda: best(*TWO, criterion="youden", **UNIT)),
    ("`prevalence` has no meaning for criterion 'youden'", lambda: best(*TWO, prevalence=0.1)),
    ("`at_least` has no meaning for criterion 'youden'", lambda: best(*TWO, at_least=0.5)),
    (
        "'recall_at_false_positive_rate' needs `at_most`",
        lambda: best(*TWO, criterion="recall_at_false_positive_rate"),
    ),
    (
        "a ScoreTable has no rows",
        lambda: fm.costs.threshold_costs(TABLE, cost_fn=[1, 2], cost_fp=1),
    ),
    (
        "`cost_fn` has no meaning for criterion 'youden'",
        lambda: fm.bootstrap(*TWO, metrics=("best_threshold", {"cost_fn": 5})),
    ),
    ("ScoreTable has none", lambda: fm.metric_at_thresholds(TABLE, None, fm.accuracy_score)),
    ("callable", lambda: fm.metric_at_thresholds(*TWO, "accuracy")),
    ("alone", lambda: fm.roc_auc_score(TABLE, [0.1, 0.2])),
    ("alone", lambda: fm.rank_loss(TABLE, sample_weight=[1, 2])),
    ("real numbers", lambda: fm.auc(["a", "b"], [1, 2])),
    ("`y_score_b` is missing", lambda: fm.dominance(*TWO)),
    ("compared with a ScoreTable", lambda: fm.dominance(TABLE, [1.0, 2.0])),
    ("compared with a ScoreTable", lambda: fm.dominance([0, 1], TABLE)),
    ("a ScoreTable comes alone", lambda: fm.dominance(TABLE, TABLE, [1.0, 2.0])),
    ("does not tell their squares", lambda: fm.calibration.calibration_summary(WEIGHTED)),
    ("squares: pass rows", lambda: fm.calibration.spiegelhalter_test(WEIGHTED)),
    (
        "never guessed",
        lambda: fm.concordance.concordance_index([1, 2], [1, 1], [1, 2], higher_score_means=None),
    ),
    ("must name metrics of predicted numbers: got the function 'max'", lambda: regression(max)),
    ("must name metrics of predicted numbers: got the function", lambda: regression({"gap": max})),
    ("has no parameter 'alpha'", lambda: regression(("r2_score", {"alpha": 1}))),
    ("has no parameter 'power'", lambda: regression(("mean_poisson_deviance", {"power": 1}))),
]
CODES_2 = [0, 1], [0, 1]
WEIGHTED = fm.ScoreTable.from_scores([0, 1, 0, 1], [0.2, 0.3, 0.6, 0.7], sample_weight=[0.5] * 4)


@pytest.mark.parametrize(("message", "call"), VALUES)
def test_values_are_refused(message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(fm.InputError, match=message):
        call()


@pytest.mark.parametrize(("message", "call"), TYPES)
def test_types_are_refused(message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(fm.InputTypeError, match=message):
        call()
