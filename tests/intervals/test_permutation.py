"""Paired permutation tests, names of results, censoring of other rows."""

import json
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from draws import coins_tossed
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics as peer

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from golden import FILE, ROUNDED, SCENES, kept
from reference import concordance_oracle, permutation_oracle as oracle

Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1])
A = np.array([9.0, 3.0, 8.0, 7.0, 4.0, 5.0, 6.0, 2.0, 1.0, 0.0, 6.0, 5.0])
B = np.array([2.0, 3.0, 8.0, 1.0, 4.0, 7.0, 6.0, 5.0, 9.0, 0.0, 1.0, 7.0])
MODELS = {"a": A, "b": B}
FEW: dict[str, Any] = {"n_resamples": 60, "rng": 1}

METRICS: dict[str, Callable[..., Fraction]] = {
    "roc_auc": oracle.auc,
    "average_precision": oracle.average_precision,
    "ks_statistic": oracle.kolmogorov_smirnov,
    "accuracy": oracle.accuracy,
    "f1": oracle.f1,
}
COUNTS = ("accuracy", "f1")


def coins_of_rows(
    result: fm.results.Comparisons, y: NDArray[Any], a: NDArray[Any], b: NDArray[Any]
) -> NDArray[np.uint8]:
    """Return the coin of each row in each exchange: tossed by score, label and other score."""
    order = sorted(range(len(y)), key=lambda i: (a[i], y[i], b[i]))
    made = next(iter(result.values())).pairs[0].details
    bits = coins_tossed(made.key, made.n_resamples, len(y))
    return np.asarray(bits[:, np.argsort(order)])


def tied(rng: np.random.Generator, n: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return labels and two models on one scale, with ties within and between them."""
    y = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    base = rng.normal(size=n)
    a, b = (np.round(3 * (shift * y + base + rng.normal(size=n))) / 2 for shift in (1.0, 0.6))
    return y, a, b


@pytest.mark.pairwise
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("exchange", ["ranks", "scores"])
@pytest.mark.parametrize("n", [7, 23])
def test_every_value_and_pvalue_is_that_of_its_coins(
    n: int, exchange: Any, alternative: Any, rng: np.random.Generator
) -> None:
    y, a, b = tied(rng, n)
    result = fm.paired_permutation_test(
        y,
        {"a": a, "b": b},
        metrics=list(METRICS),
        threshold=0.5,
        exchange=exchange,
        alternative=alternative,
        n_resamples=150,
        rng=3,
    )
    coins = coins_of_rows(result, y, a, b).tolist()
    for name, metric in METRICS.items():
        pair = result[name].pairs[0]
        way = "decisions" if name in COUNTS else exchange
        rows = [oracle.numbers(scores.tolist(), way, 0.5) for scores in (a, b)]
        null = [oracle.difference(y.tolist(), *rows, toss, metric) for toss in coins]
        assert pair.details.distribution == pytest.approx(
            [float(value) for value in null], abs=1e-14
        )
        observed = oracle.difference(y.tolist(), *rows, [0] * n, metric)
        assert pair.difference == pytest.approx(float(observed), abs=1e-14)
        assert pair.pvalue == (1 + oracle.as_extreme(observed, null, alternative)) / 151
        assert pair.pvalue_adjusted == pair.pvalue


@pytest.mark.parametrize("exchange", ["ranks", "scores"])
def test_random_exchanges_are_drawn_from_all_of_them(
    exchange: Any, rng: np.random.Generator
) -> None:
    """Nine rows have 512 exchanges: 9,999 draws find every value, as often as it is due."""
    y, a, b = tied(rng, 9)
    result = fm.paired_permutation_test(
        y, {"a": a, "b": b}, metrics=list(METRICS), threshold=0.5, exchange=exchange, rng=11
    )
    for name, metric in METRICS.items():
        pair = result[name].pairs[0]
        way = "decisions" if name in COUNTS else exchange
        rows = [oracle.numbers(scores.tolist(), way, 0.5) for scores in (a, b)]
        null = oracle.every_exchange(y.tolist(), *rows, metric)
        due = Counter(round(float(value), 12) + 0.0 for value in null)
        actual = Counter((pair.details.distribution.round(12) + 0.0).tolist())
        assert set(actual) == set(due)
        values = sorted(due)
        expected = [due[value] * 9_999 / 512 for value in values]
        assert stats.chisquare([actual[value] for value in values], expected).pvalue > 1e-3
        exact = oracle.as_extreme(null[0], null, "two-sided") / 512
        assert 0.03 < exact < 1.0
        error = math.sqrt(exact * (1 - exact) / 9_999)
        assert pair.pvalue == pytest.approx(exact, abs=4 * error + 1e-4)


#: Rows that only one of two models has right, and the exact p-value of McNemar's test: printed in
#: mlxtend's documentation (25, 15), the others from the binomial distribution.
MCNEMAR = [((25, 15), 0.1538599441628321), ((11, 1), 0.00634765625), ((1, 7), 0.0703125)]


@pytest.mark.parametrize(("discordant", "exact"), MCNEMAR)
def test_accuracies_that_exchange_decisions_are_mcnemars_exact_test(
    discordant: tuple[int, int], exact: float
) -> None:
    only_a, only_b = discordant
    is_right = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [only_a, only_b, 9, 4], axis=0)
    y = np.arange(len(is_right)) % 2
    decisions = pd.DataFrame(np.where(is_right == 1, y[:, None], 1 - y[:, None]))
    pair = fm.paired_permutation_test(
        y, decisions, metrics="accuracy", threshold=1, n_resamples=20_000, rng=1
    )["accuracy"].pairs[0]
    assert pair.difference == pytest.approx((only_a - only_b) / len(y))
    assert pair.pvalue == pytest.approx(exact, abs=4 * math.sqrt(exact / 20_000))


def test_null_values_of_large_data_are_sklearns(rng: np.random.Generator) -> None:
    """More rows than a batch has bytes for, and scores on two scales."""
    n = 1_500
    y = (rng.random(n) < 0.3).astype(int)
    a = (y + rng.normal(size=n)).round(1)
    b = (np.exp(y + rng.normal(size=n))).round(1)
    result = fm.paired_permutation_test(y, {"a": a, "b": b}, n_resamples=99, rng=5)
    coins = coins_of_rows(result, y, a, b)
    ranks = [stats.rankdata(scores) for scores in (a, b)]
    for toss, actual in zip(
        coins[-12:], result["roc_auc"].pairs[0].details.distribution[-12:], strict=True
    ):
        one = np.where(toss, ranks[1], ranks[0])
        other = np.where(toss, ranks[0], ranks[1])
        expected = peer.roc_auc_score(y, one) - peer.roc_auc_score(y, other)
        assert actual == pytest.approx(expected, abs=1e-13)


def test_coins_are_fair_and_independent() -> None:
    coins = coins_tossed("00c0ffee0badcafe", 2_000, 257)
    assert set(np.unique(coins)) == {0, 1}
    assert stats.kstest((coins.mean(axis=0) - 0.5) * 2 * math.sqrt(2_000), "norm").pvalue > 1e-3
    assert np.abs(np.corrcoef(coins.T)[np.triu_indices(257, 1)]).max() < 6 / math.sqrt(2_000)
    heads = coins.sum(axis=1)
    assert stats.kstest((heads - 128.5) / math.sqrt(257 / 4), "norm").statistic < 0.05


def test_pairs_of_three_models_come_in_order_with_holms_adjustment(
    rng: np.random.Generator,
) -> None:
    y, a, b = tied(rng, 50)
    models = {"a": a, "b": b, "c": rng.normal(size=50)}
    result = fm.paired_permutation_test(
        y, models, metrics=["f1", "roc_auc"], threshold=0.5, n_resamples=299, rng=1
    )
    assert list(result) == ["f1", "roc_auc"]
    for name, pairs in result.items():
        assert [(p.a, p.b) for p in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
        least = 0.0
        for place, pair in enumerate(sorted(pairs, key=lambda pair: pair.pvalue)):
            least = max(least, (3 - place) * pair.pvalue)
            assert pair.pvalue_adjusted == pytest.approx(min(1.0, least), rel=1e-15)
        alone = fm.paired_permutation_test(
            y, {"a": a, "c": models["c"]}, metrics=name, threshold=0.5, n_resamples=299, rng=1
        )[name].pairs[0]
        assert np.array_equal(alone.details.distribution, pairs.pairs[1].details.distribution)


def test_ranks_have_one_scale_and_scores_have_not() -> None:
    scaled = {"a": A, "b": np.exp(B)}
    by_rank = [fm.paired_permutation_test(Y, m, **FEW) for m in (MODELS, scaled)]
    assert by_rank[0] == by_rank[1]
    by_score = [
        fm.paired_permutation_test(Y, m, exchange="scores", **FEW) for m in (MODELS, scaled)
    ]
    assert by_score[0] != by_score[1]


@pytest.mark.parametrize("exchange", ["ranks", "scores"])
def test_identical_models_do_not_differ(exchange: Any) -> None:
    asked = [*METRICS, "break_even_point"]
    with pytest.warns(DegenerateDataWarning, match="'a' and 'b' do not differ in") as caught:
        result = fm.paired_permutation_test(
            Y, {"a": A, "b": A.copy()}, metrics=asked, threshold=4, exchange=exchange, **FEW
        )
    assert len(caught) == len(asked)
    for name in asked:
        pair = result[name].pairs[0]
        assert (pair.difference, pair.pvalue, pair.pvalue_adjusted) == (0.0, 1.0, 1.0)
        assert not pair.details.distribution.any()


def test_a_difference_that_is_nothing_but_rounding_is_none() -> None:
    """Both have the average precision 1/2, but the terms of its sums are not the same."""
    y = [1, 0, 0, 0, 1, 0, 1, 0, 0]
    a, b = [3, 8, 6, 4, 5, 1, 7, 2, 0], [0, 8, 2, 5, 7, 3, 6, 4, 1]
    assert oracle.average_precision(y, a) == oracle.average_precision(y, b)
    pair = fm.paired_permutation_test(
        y, {"a": a, "b": b}, metrics="average_precision", n_resamples=200, rng=1
    )["average_precision"].pairs[0]
    assert pair.difference == pytest.approx(0.0, abs=1e-15)
    assert pair.pvalue == 1.0


def test_exchanges_without_a_value_are_left_out() -> None:
    """Precision is undefined where the first or the second model calls nobody positive."""
    y = np.array([1, 0, 1, 0])
    a = np.array([1, 0, 0, 0])
    b = np.array([0, 1, 0, 0])
    with pytest.warns(UndefinedMetricWarning, match=r"divides by is 0; the p-value is conditional"):
        pair = fm.paired_permutation_test(
            y, {"a": a, "b": b}, metrics="precision", threshold=1, n_resamples=400, rng=1
        )["precision"].pairs[0]
    assert pair.difference == 1.0
    lost = np.isnan(pair.details.distribution)
    assert pair.details.n_failed == lost.sum()
    assert 120 < lost.sum() < 280  # half of them
    assert set(pair.details.distribution[~lost].tolist()) == {-1.0, 1.0}
    assert pair.pvalue == 1.0


def test_infinite_thresholds_of_both_models_have_no_difference(rng: np.random.Generator) -> None:
    """Scores without worth: the best threshold calls nobody positive, and inf - inf is nothing."""
    models = {name: -Y + 0.4 * rng.normal(size=12) for name in "ab"}
    asked = ("best_threshold", {"of": "threshold"})
    with pytest.warns(UndefinedMetricWarning, match="is not defined") as caught:
        fm.paired_permutation_test(Y, models, metrics=asked, exchange="scores", **FEW)
    assert len(caught) == 1


LABELS = np.tile([0, 1, 1], 20)
RNG = np.random.default_rng(0)
THREE = {name: LABELS + RNG.normal(size=60) for name in ("tree", "forest", "boosted")}
TWO = {name: THREE[name] for name in ("tree", "forest")}
ASKED: dict[str, Any] = {
    "n_resamples": 50, "rng": 1, "metrics": ["roc_auc", "average_precision"]
}  # fmt: skip


@pytest.mark.parametrize("function", [fm.paired_bootstrap, fm.paired_permutation_test])
def test_differences_are_asked_by_metric_and_models(function: Callable[..., Any]) -> None:
    one = function(LABELS, TWO, **ASKED)
    three = function(LABELS, THREE, **ASKED)
    assert one["roc_auc"]["tree", "forest"] is one["roc_auc"].pairs[0]
    assert one["average_precision"]["tree", "forest"].metric == "average_precision"
    for pair in three["roc_auc"]:
        assert three["roc_auc"][pair.a, pair.b] is pair
    with pytest.raises(KeyError, match=r"did you mean \('tree', 'forest'\)\?"):
        three["roc_auc"]["tree", "forests"]
    with pytest.raises(KeyError, match=r"the metrics are .*; did you mean 'roc_auc'"):
        one["rocauc"]
    others = function(LABELS, THREE, reference="forest", **ASKED)["roc_auc"]
    assert [(pair.a, pair.b) for pair in others] == [("tree", "forest"), ("boosted", "forest")]
    with pytest.raises(KeyError, match="'bush': the models are 'tree', 'forest', 'boosted'"):
        function(LABELS, THREE, reference="bush", **ASKED)


#: A result, a name that is nearly in it, and what was meant.
NEARLY: dict[str, tuple[Callable[[], Any], Any, str]] = {
    "bootstrap": (lambda: fm.bootstrap(LABELS, TWO["tree"], **ASKED), "roc-auc", "'roc_auc'"),
    "paired_bootstrap": (lambda: fm.paired_bootstrap(LABELS, TWO, **ASKED), "roc-auc", "'roc_auc'"),
    "delong_test": (
        *(lambda: fm.delong_test(LABELS, TWO), ("tree", "Forest"), r"\('tree', 'forest'\)"),
    ),
    "evaluate": (lambda: fm.evaluate(LABELS, TWO), "Forest", "'forest'"),
    "classification_metrics": (
        lambda: fm.classification_metrics(LABELS, LABELS[::-1]),
        *("balanced_acuracy", "'balanced_accuracy'"),
    ),
    "regression_metrics": (
        lambda: fm.regression_metrics(LABELS, LABELS[::-1]),
        *("mean_square_error", "'mean_squared_error'"),
    ),
    "metrics_table": (fm.metrics_table, "log_los", "'log_loss'"),
}


@pytest.mark.parametrize("name", NEARLY)
def test_a_name_that_is_not_there(name: str) -> None:
    made, asked, meant = NEARLY[name]
    result = made()
    with pytest.raises(
        fm.InputKeyError, match=rf": the .* are .*; did you mean {meant}\?$"
    ) as said:
        result[asked]
    assert isinstance(said.value, fm.InputError)
    assert isinstance(said.value, KeyError)
    assert str(said.value).startswith(repr(asked))
    with pytest.raises(KeyError, match=r"[^?]$"):
        result["xyz"]


SHORTER: Any = {"higher_score_means": "shorter-time"}
LAST = (9, True)  # somebody is followed to the end
others = st.lists(st.tuples(st.integers(0, 8), st.booleans()), max_size=12)
rows = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.integers(-2, 2), st.integers(1, 8)),
    min_size=1,
    max_size=12,
)


@pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning")
@given(rows=rows, others=others, is_weighted=st.booleans())
def test_every_row_in_fractions(rows, others, is_weighted) -> None:
    time, event, score, weights = (list(each) for each in zip(*rows, strict=True))
    of = [list(each) for each in zip(*others, LAST, strict=True)]
    used = weights if is_weighted else None
    for weighting in ("uno", "uno-scikit-survival"):
        value = fm.concordance.concordance_index(
            time, event, score, weighting=weighting, censoring=of, sample_weight=used, **SHORTER
        )
        expected = concordance_oracle.index(time, event, score, used, weighting=weighting, of=of)
        assert value == pytest.approx(expected, rel=1e-12, nan_ok=True)


def followed(seed: int = 1, n: int = 60) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n)
    ends = rng.exponential(12.0, n)
    time = rng.exponential(8 * np.exp(-score))
    of = np.append(np.minimum(rng.exponential(8.0, 40), 20.0), 30.0), rng.random(41) < 0.6
    of[1][-1] = True
    return np.minimum(time, ends), time <= ends, score, of


def test_it_is_what_scikit_survival_takes() -> None:
    metrics = pytest.importorskip("sksurv.metrics")
    time, event, score, of = followed()
    kind = [("event", bool), ("time", float)]
    train, test = (
        np.array(list(zip(e, t, strict=True)), dtype=kind) for t, e in (of, (time, event))
    )
    index = fm.concordance.concordance_index(
        time, event, score, weighting="uno-scikit-survival", censoring=of, tau=10.0, **SHORTER
    )
    right = metrics.concordance_index_ipcw(train, test, score, tau=10.0)[0]
    assert index == pytest.approx(right, rel=1e-12)


def test_estimate_of_the_index_takes_it_too() -> None:
    time, event, score, of = followed(4)
    rules = {"weighting": "uno", "tau": 10.0, **SHORTER}
    kinds = {name: rules | {"censoring": each} for name, each in (("own", None), ("of", of))}
    metrics = {name: ("concordance_index", kind) for name, kind in kinds.items()}
    estimates = fm.estimate(time, score, event=event, metrics=metrics)
    for name, kind in kinds.items():
        value = fm.concordance.concordance_index(time, event, score, **kind)
        assert estimates[name].estimate == pytest.approx(value, rel=1e-12)
    assert estimates["own"].estimate != estimates["of"].estimate


KEPT = json.loads(FILE.read_text())


def test_every_scene_is_kept():
    assert list(KEPT) == list(SCENES)


@pytest.mark.parametrize("scene", SCENES)
def test_replicates_are_those_of_old(scene):
    actual = kept(scene)
    assert list(actual) == list(KEPT[scene])
    for label, values in actual.items():
        wanted = KEPT[scene][label]
        if label in ROUNDED:  # by the processor's logarithm
            wanted = pytest.approx(wanted, rel=1e-12, nan_ok=True)
        assert values == wanted, label
