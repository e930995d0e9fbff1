"""Refusals of one interval alone, in its words; `tests/properties` has the refusals of many."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.comparison import newcombe_interval, proportion_interval

Y = [0, 1, 0, 1]
P = [0.1, 0.2, 0.3, 0.4]
LONG, SCORES = np.arange(400) % 3 // 2, np.arange(400) % 7
TABLE = fm.ScoreTable.from_scores(Y, [1, 2, 3, 4])
FRACTIONS = fm.ScoreTable.from_counts([2.0, 1.0], [0.5, 1.5], [1.0, 1.0])
MODELS = {"a": P, "b": P[::-1]}
UNO = {"weighting": "uno"}
PRICES = {"cost_fn": 7, "cost_fp": 2}

curve = fm.costs.decision_curve
benefit = partial(fm.costs.net_benefit, Y)
priced = partial(fm.costs.threshold_cost_interval, **PRICES)
unpaired = fm.delong_unpaired_test


def paired(
    y_true: Any = Y, scores: Any = MODELS, function: Any = fm.paired_bootstrap, **options: Any
) -> Any:
    return function(y_true, scores, **({"n_resamples": 20, "rng": 1} | options))


def timed(censoring: Any, uno: Any = UNO) -> float:
    """Return the index of four rows, of which the last has an event at 4."""
    options = {"higher_score_means": "shorter-time", "censoring": censoring, **uno}
    return fm.concordance.concordance_index([1, 2, 3, 4], [1, 0, 1, 1], P, **options)


def first(labels: Any, scores: Any) -> float:
    return float(scores[0])


def mine(metrics: Any, function: Any = fm.bootstrap, data: Any = P) -> Any:
    fm.register_metric("mine", first)
    return function(Y, data, metrics=metrics, n_resamples=20, rng=1)


REFUSALS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    # DeLong's
    (TypeError, "ScoreTable of fractional weights does not tell how", lambda: fm.delong(FRACTIONS)),
    (TypeError, "two ScoreTables come alone", lambda: unpaired(TABLE, TABLE, Y)),
    (TypeError, "`y_true_b` must be an array: got None", lambda: unpaired(Y, P)),
    (ValueError, "`y_true_b` has 4 classes", lambda: unpaired(Y, P, [1, 2, 3, 4], P)),
    (ValueError, r"`n_(positive|negative)`|`n_positive` and",
     lambda: newcombe_interval(0.5, 5, 0.5)),
    (ValueError, "`auc` must lie in", lambda: newcombe_interval(1.5, 3, 3)),
    # proportions
    (ValueError, "must be at most `n`: got 5 of 4", lambda: proportion_interval(5, 4)),
    (ValueError, "one-sided bound must be at least 0.5: got 0.4 with alternative='less'",
     lambda: proportion_interval(1, 4, alternative="less", confidence_level=0.4)),
    # costs
    (ValueError, r"must lie in \(0, 1\): got 0.0", lambda: curve(Y, P, thresholds=[0.0, 0.5])),
    (ValueError, r"must lie in \(0, 1\): got 1.0", lambda: curve(Y, P, thresholds=[0.5, 1.0])),
    (ValueError, "must rise: got 0.4 at index 1", lambda: curve(Y, P, thresholds=[0.5, 0.4])),
    *(
        (ValueError, r"`threshold` must lie in \(0, 1\)", partial(benefit, P, threshold=threshold))
        for threshold in (0, 1, -0.1, 1.5, math.nan)
    ),
    (ValueError, "'b': the models are 'a'", lambda: curve(Y, {"a": P}, reference="b")),
    (ValueError, "others are compared with: got it alone",
     lambda: curve(Y, {"a": P}, reference="a")),
    (ValueError, r"the scores of the table must lie in \[0, 1\]",
     lambda: fm.costs.net_benefit(TABLE, threshold=0.5)),
    (TypeError, "a ScoreTable has no rows, which importances, groups", lambda: priced(FRACTIONS)),
    (TypeError, "a ScoreTable comes alone", lambda: priced(TABLE, P)),
    (ValueError, "must name at least two groups", lambda: priced(LONG, SCORES, groups=LONG * 0)),
    # calibration
    (ValueError, "take fewer replicates",
     lambda: fm.calibration.reliability_band(Y, P, kind="consistency", n_resamples=10**9)),
    (ValueError, "take fewer replicates",
     lambda: fm.calibration.calibration_test(Y, P, n_resamples=10**9)),
    # times
    (ValueError, "`censoring` is for `weighting='uno'`", lambda: timed(([1, 2], [0, 1]), {})),
    (ValueError, "followed up to the last event: pass `tau`",  # nobody is left at 3
     lambda: timed(([1, 2, 3], [0, 1, 0]))),
    (TypeError, r"`censoring` must be a pair \(time, event\): got int", lambda: timed(3)),
    (ValueError, r"`censoring\[0\]` must not be negative", lambda: timed(([-1, 2], [0, 1]))),
    # replicates
    *(
        (ValueError, r"`y_score` holds integers beyond 2\*\*53", partial(
            fm.bootstrap, Y * 5, sign * np.arange(2**53, 2**53 + 20),
            metrics=("best_threshold", {"of": "threshold"})))
        for sign in (1, -1)
    ),
    (TypeError, "`statistic` must be callable: got str",
     lambda: fm.register_metric("mine", "roc_auc")),
    (ValueError, r"must not be that of a metric of the library.*'f1'",
     lambda: fm.register_metric("f1", first)),
    *(
        (ValueError, message, partial(paired, **wrong))
        for message, wrong in (
            ("`scores` must name at least two models: got 1", {"scores": {"a": P}}),
            ("at least two models: got 0", {"scores": {}}),
            ("y_true", {"y_true": [0, 1, 2, 0]}),
            ("names 'f1' 2 times", {"metrics": ["f1", "f1"], "threshold": 4}),
            (r"`scores\['a'\]` holds", {"metrics": "f1"}),
            ("takes predicted labels and", {"metrics": ["f1", "r2"]}),
            ("`method` must be one of 'percentile', 'basic': got 'bca'", {"method": "bca"}),
            ("at least two groups", {"groups": [0, 0, 0, 0]}),
            ("exclude each other", {"groups": Y, "stratified": True}),
            ("`stratified` needs two classes", {"stratified": True, "metrics": "r2"}),
            ("`n_resamples` must be at least 2", {"n_resamples": 1}),
            ("GB of replicates, more than", {"n_resamples": 10**9}),
        )
    ),
    *(
        (ValueError, message, partial(paired, function=fm.paired_permutation_test, **wrong))
        for message, wrong in (
            ("`scores` must name at least two models: got 1", {"scores": {"a": P}}),
            ("for threshold metrics .* counts: got 'log_loss'", {"metrics": "log_loss"}),
            ("got 'own'", {"metrics": {"own": len}}),
            ("'f1' counts decisions: pass `threshold`", {"metrics": "f1"}),
        )
    ),
    (TypeError, "`mine` has no parameter 'beta'", lambda: mine(("mine", {"beta": 2}))),
    (ValueError, "got 'mine'",
     lambda: mine("mine", fm.paired_permutation_test, MODELS)),
    (ValueError, "GB of replicates, more than", lambda: fm.paired_bootstrap(
        Y, {f"model {j}": P for j in range(40)}, n_resamples=1_000_000)),
]  # fmt: skip


@pytest.mark.parametrize(("error", "message", "call"), REFUSALS)
def test_the_message_names_what_is_wrong(
    error: type[Exception], message: str, call: Callable[[], Any]
) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, fm.InputError)
