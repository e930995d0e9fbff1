"""Refusals of `estimate` and `compare`, in their words; `tests/properties` has more of it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm

Y = np.array([0, 1, 0, 1, 1])
P = np.array([0.1, 0.6, 0.7, 0.9, 0.4])
TABLE = fm.ScoreTable.from_scores(Y, P)
MATRIX = fm.ConfusionMatrix.binary(tp=4, fp=1, fn=2, tn=9)
FRACTIONS = fm.ConfusionMatrix.from_counts([[0.5, 1.5], [2.5, 1.0]])
RUNS, BINS = fm.streams.ScoreRuns(), fm.streams.BinnedScoreTable()
WEIGHTED = fm.streams.BinnedScoreTable()
RUNS.update(Y, P)
BINS.update(Y, P)
WEIGHTED.update(Y, P, P)

rows = partial(fm.estimate, Y, P)
auc = partial(fm.estimate, metrics="roc_auc")
compared = partial(fm.compare, Y, {"a": P, "b": P[::-1]})

REFUSALS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (ValueError, "`break_even_point` has no influences",
     lambda: rows(metrics="break_even_point", method="influence")),
    (ValueError, "`method='wilson'` is for shares",
     lambda: rows(metrics="roc_auc", method="wilson")),
    (ValueError, "is for the AUC: got 'f1'",
     lambda: rows(metrics="f1", threshold=0.5, method="newcombe")),
    (ValueError, r"`y_score` must have shape \(n_samples, n_classes\)",
     lambda: rows(metrics="roc_auc_ovr")),
    (ValueError, "`strata` are for metrics with influ",
     lambda: rows(metrics="break_even_point", strata=Y)),
    (TypeError, "models by name are for `compare`", lambda: auc(Y, {"a": P})),
    (TypeError, "`y_score` is missing", lambda: auc(Y)),
    (ValueError, r"`pos_label` is none of the labels \[0, 1\]: got 7",
     lambda: fm.estimate(Y, Y, metrics="f1", pos_label=7)),
    (ValueError, r"lie in \[0, 1\]", lambda: fm.estimate(Y, 2 * P, metrics="log_loss")),
    # tables and matrices
    *(
        (TypeError, f"a ScoreTable comes alone: pass no `{name}`", partial(auc, TABLE, **given))
        for name, given in (
            ("groups", {"groups": Y}),
            ("threshold", {"threshold": 0.5}),
            ("y_score", {"y_score": P}),
        )
    ),
    (ValueError, "`mean_error` needs rows", lambda: fm.estimate(TABLE, metrics="mean_error")),
    (ValueError, r"`y_score` must lie in \[0, 1\]",
     lambda: fm.estimate(fm.ScoreTable.from_scores(Y, 2 * P), metrics="log_loss")),
    (ValueError, "scores and counts", lambda: fm.estimate(TABLE, metrics="f1")),
    (ValueError, "a ConfusionMatrix has counts of labels", lambda: auc(MATRIX)),
    (TypeError, "a ConfusionMatrix comes alone",
     lambda: fm.estimate(MATRIX, metrics="f1", groups=[1])),
    (TypeError, "a ConfusionMatrix of fractional weights",
     lambda: fm.estimate(FRACTIONS, metrics="f1")),
    # streams
    *(
        (ValueError, r"`partial_auc` needs rows: a .* alone", partial(
            fm.estimate, table, metrics={"partial_auc": ("roc_auc", {"max_fpr": 0.2})}))
        for table in (RUNS, BINS)
    ),
    *(
        (TypeError, "comes alone: pass no `y_score`, `groups` with it",
         partial(auc, table, P, groups=Y))
        for table in (RUNS, BINS)
    ),
    (TypeError, "fractional weights does not tell", lambda: auc(WEIGHTED)),
    # several models
    (ValueError, "`margin` is a finite loss, at least 0: got -1",
     lambda: compared(metrics="roc_auc", margin=-1)),
    (KeyError, "'nobody'", lambda: compared(metrics="roc_auc", reference="nobody")),
    (ValueError, "`break_even_point` has no influences of rows",
     lambda: compared(metrics="break_even_point", method="influence")),
    (ValueError, r"`scores\['b'\]` must lie in \[0, 1\]",
     lambda: fm.compare(Y, {"a": P, "b": 2 * P}, metrics="log_loss")),
    (ValueError, "holds scores where labels are needed: pass `threshold`",
     lambda: compared(metrics=["roc_auc", "f1"])),
    (ValueError, "must name at least two models",
     lambda: fm.compare(Y, {"a": P}, metrics="roc_auc")),
]  # fmt: skip


@pytest.mark.parametrize(("error", "message", "call"), REFUSALS)
def test_the_message_names_what_is_wrong(
    error: type[Exception], message: str, call: Callable[[], Any]
) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, fm.InputError)
