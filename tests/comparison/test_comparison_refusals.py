"""Refusals of one test alone, in its words; `tests/properties` has the refusals of many."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rank_samples import graded

import fastmetrics as fm
from fastmetrics.comparison import (
    compare_table,
    compare_timings,
    friedman_test,
    kfold_paired_t_test,
    mcnemar_test,
    nemenyi_test,
    one_sample_t_test,
    sign_flip_test,
    wilcoxon_signed_rank_test,
)

HUNDRED = np.random.default_rng(0).random(100)
SCORES = graded(8, 4, 0.3, seed=1)
SECOND = {"a": [1.0]}
TWICE = [SECOND, SECOND]

kfold = partial(kfold_paired_t_test, higher_is_better=False)
sign_flip = partial(sign_flip_test, higher_is_better=True)
tabled = partial(compare_table, SCORES, higher_is_better=True)
timed = partial(compare_timings, paired=True)
five_by_two = partial(fm.comparison.five_by_two_cv_test, np.eye(5)[:, :2], higher_is_better=False)


def framed(name: str, value: float = 0.5) -> Any:
    frame = pd.DataFrame(SCORES, columns=["a", "b", name, "d"], copy=True)
    frame.iloc[2, 1] = value
    return compare_table(frame, higher_is_better=True)


REFUSALS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    # Friedman's test and what follows it
    (TypeError, "pass either `scores` or `ranks`: got neither", friedman_test),
    (TypeError, "got both", lambda: friedman_test([[1, 2]], ranks=[[1, 2]])),
    (TypeError, "is about scores", lambda: friedman_test(ranks=[[1, 2]], higher_is_better=True)),
    (ValueError, "row 0 is .1, 3.", lambda: friedman_test(ranks=[[1, 3]])),
    (ValueError, "row 1 is .1.0, 1.0.", lambda: friedman_test(ranks=[[1.5, 1.5], [1, 1]])),
    (ValueError, "2 or more algorithms: got 1", lambda: friedman_test(ranks=[[1], [1]])),
    (ValueError, "2 or more algo", lambda: friedman_test([[1], [2]], higher_is_better=True)),
    (ValueError, "2 algorithms 'a'", lambda: friedman_test(ranks=[[1, 2]], names=["a", "a"])),
    (ValueError, "or more algorithms: got 0", lambda: friedman_test({}, higher_is_better=True)),
    (ValueError, "`control` must be one of '0', '1', '2', '3'",
     lambda: tabled(post_hoc="bonferroni-dunn", control="4")),
    (KeyError, r"\('0', '9'\): the pairs are \('0', '1'\)",
     lambda: nemenyi_test(ranks=[[1, 2]])["0", "9"]),
    (ValueError, "`control` must name an algorithm", lambda: tabled(post_hoc="bonferroni-dunn")),
    (ValueError, "`datasets` must name the 8 rows: got 'name'", lambda: tabled(datasets="name")),
    (ValueError, r"must name the 8 rows: got \['x'\]", lambda: tabled(datasets=["x"])),
    (ValueError, r"`scores` must be finite: nan at index .2, 1.", lambda: framed("c", math.nan)),
    (ValueError, "`scores`", lambda: framed("a")),
    # two models
    (ValueError, "for at most 1,000 differences other than 0: got", lambda: (
        wilcoxon_signed_rank_test(np.arange(1, 1500), method="exact", higher_is_better=True))),
    (ValueError, r"`error_rates` of shape \(2,\) are of one fold",
     lambda: one_sample_t_test([0.1, 0.2], error_rate=0.2, n_folds=1)),
    (ValueError, r"of shape \(2, 1\) are of one fold each",
     lambda: one_sample_t_test([[0.1], [0.2]], error_rate=0.2)),
    (ValueError, "where there is one fold", lambda: kfold([[1], [2]])),
    (ValueError, "needs `n_train` and `n_test` where there is one fold",
     lambda: kfold(HUNDRED[:12], n_folds=1)),
    (TypeError, "`names` must be a sequence of texts: got str", lambda: kfold([1, 2], names="ab")),
    (TypeError, "`names` must hold texts: got 1 at ind", lambda: kfold([1, 2], names=("a", 1))),
    *(
        (ValueError, message, partial(kfold, HUNDRED[:n], correction=correction, **said))
        for correction in ("none", "nadeau-bengio")
        for message, n, said in (
            (r"`n_folds` and `n_repeats` are needed .* holds 100", 100, {}),
            ("holds 11", 11, {}),
            (r"must fit .* of shape \(100,\): got n_repeats=3$", 100, {"n_repeats": 3}),
            (r": got n_repeats=5, n_folds=10$", 100, {"n_repeats": 5, "n_folds": 10}),
        )
    ),
    (ValueError, "`variant='f'` is two-sided", lambda: five_by_two(
        variant="f", alternative="less")),
    (ValueError, "`method='corrected'` is two-sided", lambda: mcnemar_test(
        e01=1, e10=2, alternative="less")),
    (ValueError, "^`method='exact'` is not feasible for these 59 differences: use `method='auto'`$",
     lambda: sign_flip(np.sqrt(np.arange(1, 60)), method="exact")),
    (ValueError, "not feasible for these 50 groups",
     lambda: sign_flip(HUNDRED, groups=np.arange(100) // 2, method="exact")),
    (ValueError, "`groups` must name at least two groups: got one", lambda: sign_flip(
        [1, 0, 1, 0], groups=["a"] * 4)),
    # times
    (ValueError, "`before` must map the names of works to times: got float",
     lambda: timed([1.0], SECOND)),
    (ValueError, "`before` must map the names of works to times, or hold runs: got",
     lambda: timed(3, SECOND)),
    (ValueError, "`before` is empty: there is no run", lambda: timed([], SECOND)),
    (ValueError, "`before` is empty", lambda: timed({}, {})),
    (ValueError, "'a' is not in every one, `after` and `before` differ in 2",
     lambda: timed(SECOND, {"b": [1.0]})),
    (ValueError, "what is paired must be as many: of 'a', `before`", lambda: timed(TWICE, SECOND)),
    (ValueError, r"`after\['a'\]` must be above 0: got 0 at index 1",
     lambda: timed(SECOND, {"a": [1.0, 0.0]})),
    (ValueError, r"`margin` has none of 'a': name it, or '\*'",
     lambda: timed(SECOND, SECOND, margin={"near": 0.1})),
    (KeyError, "did you mean 'slow'",
     lambda: compare_timings({"slow": [1.0]}, {"slow": [1.0]})["slwo"]),
]  # fmt: skip


@pytest.mark.parametrize(("error", "message", "call"), REFUSALS)
def test_the_message_names_what_is_wrong(
    error: type[Exception], message: str, call: Callable[[], Any]
) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, fm.InputError)
