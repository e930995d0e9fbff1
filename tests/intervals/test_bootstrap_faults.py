"""Bad arguments of `bootstrap`: the right error, in words that name the argument and the rule."""

import numpy as np
import pytest
from bootstrap_samples import binary

import engine_sizes
import fastmetrics as fm

LABELS, SCORES = binary(30, step=0.1)
P = 1 / (1 + np.exp(-SCORES))
GROUPS = np.arange(30) // 3
TABLE = fm.ScoreTable.from_scores(LABELS, SCORES)
MATRIX = fm.ConfusionMatrix.from_labels(LABELS, SCORES > 0.4)
WEIGHTED_TABLE = fm.ScoreTable.from_scores(LABELS, SCORES, sample_weight=np.full(30, 0.5))


@pytest.fixture
def no_work(monkeypatch):
    """Let every replicate fail the test: what is wrong is said before any is drawn."""
    error = AssertionError("replicates were drawn before the arguments were checked")
    engine_sizes.failing(monkeypatch, "replicates", error)


def mean_score(labels, scores):
    return float(scores.mean())


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_resamples": 1}, ValueError, "`n_resamples` must be at least 2: got 1"),
        ({"n_resamples": 10**9}, ValueError, "`n_resamples` of 1,000,000,000 would keep 8 GB"),
        ({"n_resamples": 10**400}, ValueError, "`n_resamples` of 1"),
        (
            {"stratified": True, "groups": GROUPS},
            ValueError,
            "`stratified` and `groups` exclude each other",
        ),
        ({"groups": [1] * 30}, ValueError, "`groups` must name at least two groups: got one"),
        ({"groups": np.ones((30, 2), int)}, ValueError, r"labels of shape \(n,\): got \(30, 2\)$"),
        (
            {
                "groups": GROUPS,
                "sample_weight": np.where(GROUPS == 0, 1, 0),
                "weights_are": "frequencies",
            },
            ValueError,
            "`groups` must name at least two groups whose rows have a weight: got one",
        ),
        ({"pos_label": 7}, ValueError, "`pos_label`=7 is not a label of `y_true`"),
        ({"metrics": "f1"}, ValueError, "'f1' counts decisions.*pass `threshold`"),
        ({"metrics": ["roc_auc", "roc_auc"]}, ValueError, "`metrics` names 'roc_auc' 2 times"),
        ({"metrics": ("roc_auc", {"max_tpr": 1})}, TypeError, "no parameter 'max_tpr': it has"),
        (
            {"metrics": "recall_at_false_positive_rate"},
            TypeError,
            "`recall_at_false_positive_rate` needs its parameter 'false_positive_rate'",
        ),
        (
            {
                "metrics": (
                    "partial_auc",
                    {"false_positive_rate_range": (0, 1), "true_positive_rate_range": (0, 1)},
                )
            },
            ValueError,
            "give `false_positive_rate_range` or `true_positive_rate_range`, not both",
        ),
        (
            {"metrics": ("best_threshold", {"criterion": "recall_at_false_positive_rate"})},
            TypeError,
            "criterion 'recall_at_false_positive_rate' needs `at_most`",
        ),
        (
            {"metrics": ("fbeta", {"alpha": 2}), "threshold": 0.5},
            TypeError,
            "`fbeta` has no parameter 'alpha'",
        ),
        # --- a method that a measure does not have -------------------------------------------
        (
            {"method": "bca", "metrics": ("precision_at_recall", {"recall": 0.5})},
            ValueError,
            "'precision_at_recall', which jumps from score to score",
        ),
        ({"metrics": "roc_hull_auc"}, ValueError, "'roc_hull_auc': the convex hull follows every"),
        ({"metrics": fm.costs.h_measure}, ValueError, "'h_measure': the convex hull follows"),
        (
            {"method": "bca", "metrics": mean_score},
            ValueError,
            "'mean_score', as replicates do not tell how far a row moves it: take `method=",
        ),
        (
            {"method": "bca", "sample_weight": np.full(30, 0.5)},
            ValueError,
            "`method='bca'` is not defined for 'roc_auc' with importance weights",
        ),
        (
            {"method": "bca", "metrics": "f1", "threshold": 0, "sample_weight": np.full(30, 0.5)},
            ValueError,
            "`method='bca'` is not defined for 'f1' with importance weights",
        ),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        fm.bootstrap(LABELS, SCORES, **options)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ((LABELS,), {}, TypeError, "`y_score` must be an array: got None"),
        ((LABELS,), {"metrics": "log_loss"}, TypeError, "`y_score` must be an array: got None"),
        ((SCORES,), {"metrics": "r2"}, ValueError, "`y_score` is needed for 'r2': got None"),
        ((LABELS,), {"metrics": "f1"}, TypeError, "`y_score` must be given for 'f1': got None"),
        ((GROUPS, SCORES), {}, ValueError, "`y_true` has 10 classes"),
        ((np.ones((3, 2)),), {"metrics": "mean"}, ValueError, r"`y_true` must have shape \(n,\)"),
        ((LABELS, GROUPS), {"metrics": "f1"}, ValueError, "for two classes.* f1_macro, f1_micro"),
        ((GROUPS, GROUPS), {"metrics": "f1", "pos_label": 0}, ValueError, "`pos_label` is for two"),
        ((LABELS, LABELS), {"metrics": "f1", "pos_label": "a"}, ValueError, "is not a label"),
        ((LABELS,), {"metrics": "mean", "pos_label": 1}, TypeError, "`pos_label` is for labels"),
        ((LABELS, SCORES), {"metrics": ["f1", "mean"]}, ValueError, "'f1' takes predicted labels"),
        ((SCORES, P), {"metrics": "r2", "stratified": True}, ValueError, "needs two classes"),
        ((TABLE,), {"groups": GROUPS}, TypeError, "groups need rows: a ScoreTable does not tell"),
        ((MATRIX,), {"groups": GROUPS, "metrics": "f1"}, TypeError, "a ConfusionMatrix does not"),
        ((TABLE, SCORES), {}, TypeError, "a ScoreTable comes alone"),
        ((TABLE,), {"sample_weight": np.ones(30)}, TypeError, "a ScoreTable comes alone"),
        ((TABLE,), {"pos_label": 1}, TypeError, "a ScoreTable comes alone"),
        ((TABLE,), {"metrics": "f1"}, ValueError, "pass `threshold` with scores"),
        ((MATRIX, SCORES), {"metrics": "f1"}, TypeError, "a ConfusionMatrix comes alone"),
        (
            (MATRIX,),
            {"metrics": "f1", "threshold": 0.5},
            TypeError,
            "a ConfusionMatrix comes alone: pass no .*threshold",
        ),
        ((MATRIX,), {}, TypeError, "'roc_auc' does not follow from a ConfusionMatrix: pass rows"),
        ((MATRIX,), {"metrics": mean_score}, TypeError, "'mean_score' does not follow"),
        ((WEIGHTED_TABLE,), {}, TypeError, "ScoreTable of fractional weights cannot be resampled"),
        (
            (fm.ConfusionMatrix.from_counts([[0.5, 1], [1, 2]]),),
            {"metrics": "f1"},
            TypeError,
            "ConfusionMatrix of fractional weights cannot be resampled",
        ),
        (
            (fm.ScoreTable.from_counts([0.1], [0], [0]),),
            {},
            ValueError,
            "`y_true` must hold at least one example: got an empty table",
        ),
        (
            (fm.ConfusionMatrix.from_counts([[0, 0], [0, 0]]),),
            {"metrics": "f1"},
            ValueError,
            "`y_true` must hold at least one example: got an empty matrix",
        ),
    ],
)
def test_bad_data(data, options, error, message):
    with pytest.raises(error, match=message):
        fm.bootstrap(*data, **options)


def test_thresholds_of_integers_that_floats_cannot_tell_apart():
    y, scores = [0, 1] * 10, np.arange(2**53, 2**53 + 20)
    for sign in (1, -1):
        with pytest.raises(ValueError, match=r"`y_score` holds integers beyond 2\*\*53"):
            fm.bootstrap(y, sign * scores, metrics=("best_threshold", {"of": "threshold"}))


def test_rows_that_memory_cannot_hold():
    table = fm.ScoreTable.from_counts([0.2, 0.9], [1, 10**12], [10**12, 3])
    with pytest.raises(MemoryError, match=r"2,000,000,000,004 rows .* 6,000 GB or more"):
        fm.bootstrap(table, metrics=mean_score)
    with pytest.raises(MemoryError, match="rows would be resampled one by one"):
        fm.bootstrap(
            [1.5, 2.5], metrics="mean", sample_weight=[10**10, 1], weights_are="frequencies"
        )


def test_registered_names():
    with pytest.raises(TypeError, match="`statistic` must be callable: got str"):
        fm.register_metric("mine", "roc_auc")
    with pytest.raises(ValueError, match=r"must not be that of a measure of the library.*'f1'"):
        fm.register_metric("f1", mean_score)


# --- input that is right ----------------------------------------------------------------------
