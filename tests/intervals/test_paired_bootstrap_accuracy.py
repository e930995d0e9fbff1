"""Paired intervals: DeLong's test, BCa's accelerations, and what must not change a bit."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics as peer

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning
from reference import bootstrap_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

Models = dict[str, NDArray[Any]]


def correlated(
    rng: np.random.Generator, n: int, shifts: tuple[float, ...], *, digits: int = 8
) -> tuple[NDArray[Any], Models]:
    y = (rng.random(n) < 0.35).astype(int)
    y[:3], y[3:6] = 1, 0
    base = rng.normal(size=n)
    return y, {
        name: np.round(shift * y + 0.7 * base + 0.6 * rng.normal(size=n), digits)
        for name, shift in zip("abc", shifts, strict=False)
    }


def replicates(result: fm.results.Comparisons) -> list[bytes]:
    """Return the bits of every replicate of every difference and model."""
    found = [pair.details.distribution for pairs in result.values() for pair in pairs]
    found += [one.details.distribution for all_of in result.values() for one in all_of.models]
    return [values.tobytes() for values in found]


@pytest.mark.parametrize("stratified", [False, True])
def test_standard_error_and_pvalue_of_an_auc_difference_are_delongs(
    stratified: bool, rng: np.random.Generator
) -> None:
    y, models = correlated(rng, 2_000, (0.8, 0.9, 0.85))
    result = fm.paired_bootstrap(y, models, n_resamples=4_000, rng=5, stratified=stratified)
    test = fm.delong_test(y, models)
    for pair, expected in zip(result["roc_auc"].pairs, test.pairs, strict=True):
        assert pair.difference == pytest.approx(expected.difference, abs=1e-15)
        assert pair.standard_error == pytest.approx(expected.standard_error, rel=0.04)
        assert pair.pvalue == pytest.approx(expected.pvalue, abs=0.04)
        low, high = pair.confidence_interval.low, pair.confidence_interval.high
        normal = expected.confidence_interval
        width = normal.high - normal.low
        assert low == pytest.approx(normal.low, abs=0.05 * width)
        assert high == pytest.approx(normal.high, abs=0.05 * width)
    for own, variance in zip(result["roc_auc"].models, test.covariance.diagonal(), strict=True):
        assert own.standard_error == pytest.approx(math.sqrt(variance), rel=0.04)


def test_the_difference_is_far_more_certain_than_two_separate_estimates(
    rng: np.random.Generator,
) -> None:
    y = (rng.random(500) < 0.5).astype(int)
    a = y + rng.normal(size=500)
    models = {"a": a, "b": a + 0.05 * rng.normal(size=500)}
    result = fm.paired_bootstrap(y, models, n_resamples=500, rng=5)
    separate = math.hypot(*(model.standard_error for model in result["roc_auc"].models))
    assert result["roc_auc"].pairs[0].standard_error < separate / 5


def influences(
    measure: Callable[..., float], y: NDArray[Any], scores: NDArray[Any], times: NDArray[Any]
) -> NDArray[Any]:
    """Return how a measure changes with the weight of each row that is drawn, by differences."""
    y, scores, times = (column[times > 0] for column in (y, scores, times))
    steps = 1e-4 * np.eye(len(y))
    ends = [[measure(y, scores, times + sign * step) for step in steps] for sign in (1, -1)]
    return np.repeat(np.subtract(*ends), times)


def weighted_auc(y: NDArray[Any], s: NDArray[Any], w: NDArray[Any]) -> float:
    wins = np.sign(s[y == 1][:, None] - s[y == 0]) / 2.0 + 0.5
    return float(w[y == 1] @ wins @ w[y == 0] / w[y == 1].sum() / w[y == 0].sum())


BINARY: dict[str, Callable[..., float]] = {
    "roc_auc": weighted_auc,
    "average_precision": lambda y, s, w: peer.average_precision_score(y, s, sample_weight=w),
    "low": lambda y, s, w: fm.partial_auc(
        y, s, false_positive_rate_range=(0.1, 0.6), sample_weight=w
    ),
    "f1": lambda y, s, w: peer.f1_score(y, s >= 0.5, sample_weight=w),
    "matthews_corrcoef": lambda y, s, w: peer.matthews_corrcoef(y, s >= 0.5, sample_weight=w),
    "brier_score": lambda y, s, w: peer.brier_score_loss(y, s, sample_weight=w),
}
REAL: dict[str, Callable[..., float]] = {
    "mean_squared_error": lambda y, p, w: peer.mean_squared_error(y, p, sample_weight=w),
    "r2": lambda y, p, w: peer.r2_score(y, p, sample_weight=w),
}
PREDICTED: dict[str, Callable[..., float]] = {
    "accuracy": lambda y, p, w: peer.accuracy_score(y, p, sample_weight=w),
    "f1_macro": lambda y, p, w: peer.f1_score(y, p, average="macro", sample_weight=w),
    "cohen_kappa": lambda y, p, w: peer.cohen_kappa_score(y, p, sample_weight=w),
}


def check_bca(
    y: NDArray[Any],
    models: Models,
    measures: dict[str, Callable[..., float]],
    *,
    times: NDArray[np.int64] | None = None,
    **options: Any,
) -> None:
    """Assert that limits are those of an acceleration from weights that change a little."""
    asked = {
        name: {"low": ("partial_auc", {"false_positive_rate_range": (0.1, 0.6)})}.get(name, name)
        for name in measures
    }
    result = fm.paired_bootstrap(
        y,
        models,
        metrics=asked,
        method="bca",
        n_resamples=600,
        rng=4,
        sample_weight=times,
        weights_are="frequencies",
        confidence_level=0.9,
        **options,
    )
    times = np.ones(len(y), np.int64) if times is None else times
    positive = np.repeat(y == 1, times)
    strata = [positive, ~positive] if options.get("stratified") else [np.ones(len(positive), bool)]

    def expected(moved: NDArray[Any], replicates: Any, estimate: float) -> Any:
        parts = [moved[part] for part in strata]
        a = oracle.acceleration(
            [[Fraction(-u) * len(p) / (len(p) - 1) for u in p.tolist()] for p in parts]
        )
        assert abs(a) > 1e-4  # else any acceleration would do
        return pytest.approx(oracle.bca(replicates, estimate, a, 0.9, "two-sided"), rel=1e-6)

    names = list(models)
    for name, measure in measures.items():
        pair = result[name].pairs[0]
        moved = [influences(measure, y, models[m], times) for m in names]
        found = pair.confidence_interval
        limits = expected(moved[0] - moved[1], pair.details.distribution.tolist(), pair.difference)
        assert (found.low, found.high) == limits, name
        own = result[name].models[1]
        found = own.confidence_interval
        limits = expected(moved[1], own.details.distribution.tolist(), own.estimate)
        assert (found.low, found.high) == limits, name


def probabilities(rng: np.random.Generator) -> tuple[NDArray[Any], Models]:
    y, models = correlated(rng, 33, (1.0, 0.4))
    return y, {name: np.round(1 / (1 + np.exp(0.4 - s)), 1) for name, s in models.items()}


@pytest.mark.parametrize("stratified", [False, True])
def test_bca_of_binary_models(stratified: bool, rng: np.random.Generator) -> None:
    y, models = probabilities(rng)
    check_bca(y, models, BINARY, threshold=0.5, stratified=stratified)


def test_bca_of_frequencies_is_that_of_the_rows_written_out(rng: np.random.Generator) -> None:
    y, models = probabilities(rng)
    times = rng.integers(0, 3, len(y))
    check_bca(y, models, BINARY, threshold=0.5, times=times)
    labels = {name: (s >= 0.5).astype(int) + (s >= 0.7) for name, s in models.items()}
    y = y + (rng.random(len(y)) < 0.3)
    check_bca(y, labels, PREDICTED, times=times)


def test_bca_of_predicted_labels_and_of_real_targets(rng: np.random.Generator) -> None:
    y, models = correlated(rng, 40, (1.0, 0.5))
    labels = {name: (s >= 0.2).astype(int) + (s >= 0.9) for name, s in models.items()}
    check_bca(y + (rng.random(40) < 0.3), labels, PREDICTED)
    target = rng.gamma(2.0, size=40)
    check_bca(target, {name: target + s for name, s in models.items()}, REAL)
    check_bca(
        target, {name: target + s for name, s in models.items()}, REAL, times=rng.integers(0, 3, 40)
    )


def test_bca_of_a_difference_is_scipys_up_to_the_draws(rng: np.random.Generator) -> None:
    y, models = correlated(rng, 80, (1.3, 0.5))

    def difference(labels: Any, one: Any, other: Any) -> float:
        return _fast_auc(labels, one) - _fast_auc(labels, other)

    expected = stats.bootstrap(
        (y, models["a"], models["b"]),
        difference,
        paired=True,
        vectorized=False,
        n_resamples=4_000,
        method="BCa",
        rng=np.random.default_rng(1),
    )
    result = fm.paired_bootstrap(y, models, method="bca", n_resamples=20_000, rng=1)
    pair = result["roc_auc"].pairs[0]
    assert pair.standard_error == pytest.approx(expected.standard_error, rel=0.05)
    # A 2.5 % limit of 4,000 draws has a standard error of 0.04 standard errors.
    for limit, peers in zip(
        (pair.confidence_interval.low, pair.confidence_interval.high),
        expected.confidence_interval,
        strict=True,
    ):
        assert limit == pytest.approx(peers, abs=0.17 * pair.standard_error)


def _fast_auc(labels: NDArray[Any], scores: NDArray[Any]) -> float:
    positives = labels == 1
    p, n = positives.sum(), (~positives).sum()
    return float((stats.rankdata(scores)[positives].sum() - p * (p + 1) / 2) / (p * n))


EVERY_WAY: list[dict[str, Any]] = [
    {},
    {"stratified": True},
    {"method": "bca"},
    {"groups": True},
    {"frequencies": True},
    {"importances": True},
    {"importances": True, "groups": True},
]


def with_columns(way: dict[str, Any], n: int, rng: np.random.Generator) -> dict[str, Any]:
    options = dict(way)
    if options.pop("groups", False):
        options["groups"] = rng.integers(0, n // 3, n)
    if options.pop("frequencies", False):
        options["sample_weight"] = rng.integers(0, 3, n)
        options["weights_are"] = "frequencies"
    if options.pop("importances", False):
        options["sample_weight"] = rng.random(n).round(1) + 0.1
    return options


def test_the_other_order_of_models_gives_other_draws_of_the_same_distribution(
    rng: np.random.Generator,
) -> None:
    """The first model's order is the one that rows are drawn in."""
    y, models = correlated(rng, 300, (0.9, 0.6))
    one = fm.paired_bootstrap(y, models, n_resamples=3_000, rng=1)
    two = fm.paired_bootstrap(y, {"b": models["b"], "a": models["a"]}, n_resamples=3_000, rng=1)
    there, back = one["roc_auc"].pairs[0], two["roc_auc"].pairs[0]
    assert (back.a, back.b) == ("b", "a")
    assert back.difference == -there.difference
    assert stats.ks_2samp(there.details.distribution, -back.details.distribution).pvalue > 0.01
    assert there.pvalue == pytest.approx(back.pvalue, abs=0.02)


def test_no_model_but_the_first_has_a_say_in_the_draws(rng: np.random.Generator) -> None:
    y, models = correlated(rng, 200, (0.9, 0.6, 0.3))
    three = fm.paired_bootstrap(y, models, n_resamples=50, rng=1)
    two = fm.paired_bootstrap(y, {"a": models["a"], "c": models["c"]}, n_resamples=50, rng=1)
    found, expected = three["roc_auc"].pairs[1], two["roc_auc"].pairs[0]
    assert np.array_equal(found.details.distribution, expected.details.distribution)


@pytest.mark.parametrize("way", EVERY_WAY, ids=str)
def test_identical_models_do_not_differ(way: dict[str, Any], rng: np.random.Generator) -> None:
    y, models = correlated(rng, 90, (0.8,), digits=1)
    scores = 1 / (1 + np.exp(-models["a"]))
    options = with_columns(way, 90, rng)
    if way.get("method") == "bca":
        options.pop("sample_weight", None)
    asked = ["roc_auc", "average_precision", "log_loss", "f1"]
    with pytest.warns(DegenerateDataWarning) as caught:
        result = fm.paired_bootstrap(
            y,
            {"a": scores, "b": scores.copy()},
            metrics=asked,
            threshold=0.5,
            rng=1,
            n_resamples=200,
            **options,
        )
    told = [one for one in caught if one.category is DegenerateDataWarning]
    assert len(told) == len(asked)
    for name, warning in zip(asked, told, strict=True):
        pair = result[name].pairs[0]
        assert f"{name!r} between 'a' and 'b'" in str(warning.message)
        assert "it is 0 in every replicate" in str(warning.message)
        assert (pair.difference, pair.pvalue, pair.pvalue_holm) == (0.0, 1.0, 1.0)
        assert pair.standard_error == 0.0
        assert not pair.details.distribution.any()
        limits = pair.confidence_interval
        if way.get("method") == "bca":
            assert math.isnan(limits.low)
            assert math.isnan(limits.high)
        else:
            assert (limits.low, limits.high) == (0.0, 0.0)


def test_models_of_one_order_do_not_differ_in_measures_of_order(rng: np.random.Generator) -> None:
    y, models = correlated(rng, 90, (0.8,), digits=1)
    both = {"a": models["a"], "b": 1e6 * np.exp(models["a"])}
    asked = ["roc_auc", "average_precision", "ks_statistic", "break_even_point"]
    with pytest.warns(DegenerateDataWarning):
        result = fm.paired_bootstrap(
            y, both, metrics=asked, n_resamples=100, rng=1, sample_weight=rng.random(90)
        )
    for (pair,) in result.values():
        assert pair.pvalue == 1.0
