"""`paired_bootstrap`: replicates, intervals, inputs."""

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numba
import numpy as np
import pytest
from draws import times_drawn
from numpy.typing import NDArray
from sklearn import metrics as peer

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference import bootstrap_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


KEY = "00c0ffee0badcafe"
N = 75
B = 5
Rows = dict[str, NDArray[Any]]

#: How the rows are drawn: what the call gets beside them.
WAYS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "stratified": ("stratified",),
    "groups": ("groups",),
    "frequencies": ("frequencies",),
    "importances": ("importances",),
    "groups, frequencies": ("groups", "frequencies"),
    "groups, importances": ("groups", "importances"),
    "frequencies, stratified": ("frequencies", "stratified"),
}


def options_of(way: str, rng: np.random.Generator) -> dict[str, Any]:
    """Return arguments of the call; groups and weights do not come in the order of the rows."""
    parts = WAYS[way]
    options: dict[str, Any] = {"stratified": True} if "stratified" in parts else {}
    if "groups" in parts:
        options["groups"] = rng.integers(0, 20, N)
    if "frequencies" in parts:
        options["sample_weight"] = rng.integers(0, 4, N)
        options["weights_are"] = "frequencies"
    if "importances" in parts:
        options["sample_weight"] = rng.integers(1, 8, N) / 4.0
    return options


def counts_of_units(n_units: int, positive: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """Return how often each unit is drawn in each replicate."""
    return times_drawn(KEY, n_units, B, positive)


def drawn(
    rows: Rows, options: dict[str, Any], key: Callable[..., Any], *, descending: bool
) -> tuple[Rows, NDArray[Any]]:
    """Return the rows sorted by ``key`` (of a row's columns), and their weights in replicates."""
    rows = dict(rows)
    weights = options.get("sample_weight")
    groups = options.get("groups")
    if groups is not None:
        rows["group"] = np.asarray(groups)
    if weights is not None and weights.dtype.kind == "i" and groups is None:
        rows = {name: np.repeat(column, weights) for name, column in rows.items()}
        weights = None
    if weights is not None:
        kept = weights > 0
        rows = {name: column[kept] for name, column in rows.items()} | {"weight": weights[kept]}
    n = len(rows["y"])
    order = sorted(
        range(n),
        key=lambda i: key(**{name: column[i] for name, column in rows.items()}),
        reverse=descending,
    )
    rows = {name: column[order] for name, column in rows.items()}
    if groups is None:
        positive = rows["y"] == 1 if options.get("stratified") else None
        times = counts_of_units(n, positive)
    else:
        names = sorted(set(rows["group"].tolist()))
        units = np.array([names.index(group) for group in rows["group"].tolist()])
        times = counts_of_units(len(names))[:, units]
    return rows, times * rows["weight"] if "weight" in rows else times


def compare(
    result: fm.results.Comparisons,
    rows: Rows,
    weights: NDArray[Any],
    metrics: dict[str, Callable[..., float]],
    models: tuple[str, ...],
) -> None:
    """Assert that replicates are the metrics of the drawn rows, and differences theirs."""
    lost = 0
    for r, weight in enumerate(weights):
        there = weight > 0
        y = rows["y"][there]
        for name, metric in metrics.items():
            values = {}
            for model in models:
                actual = result[name].models["abc".index(model)].details.distribution[r]
                values[model] = metric(y, rows[model][there], weight[there])
                assert actual == pytest.approx(values[model], rel=1e-11, abs=1e-13, nan_ok=True)
            for pair in result[name].pairs:
                expected = values[pair.a] - values[pair.b]
                actual = pair.details.distribution[r]
                assert actual == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
                lost += bool(np.isnan(actual))
    assert lost < B  # else nothing was compared


def ks(y: Any, scores: Any, weight: Any) -> float:
    fpr, tpr, _ = peer.roc_curve(y, scores, sample_weight=weight, drop_intermediate=False)
    return float(np.abs(tpr - fpr).max())


def mean_gap(labels: Any, scores: Any, weights: Any = None) -> float:
    """Return a statistic that depends on which scores are of which label, and on weights."""
    weights = np.ones(len(labels)) if weights is None else weights
    gap: float = np.average(scores**2, weights=weights * (labels + 0.25))
    return gap


@numba.njit
def compiled_gap(labels: Any, scores: Any, weights: Any) -> float:
    total = size = 0.0
    for i in range(labels.size):
        total += weights[i] * (labels[i] + 0.25) * scores[i] ** 2
        size += weights[i] * (labels[i] + 0.25)
    return total / size


def three_models(rng: np.random.Generator) -> Rows:
    """Return labels and probabilities of three models, with many ties within and between them."""
    y = (rng.random(N) < 0.4).astype(int)
    base = rng.normal(size=N)
    scores = {
        name: np.clip(np.round(0.5 + 0.2 * (y - 0.4) + 0.15 * base + noise, 1), 0.1, 0.9)
        for name, noise in zip("abc", rng.normal(scale=0.1, size=(3, N)), strict=True)
    }
    return {"y": y, **scores}


BINARY: dict[str, Callable[..., float]] = {
    "roc_auc": lambda y, s, w: peer.roc_auc_score(y, s, sample_weight=w),
    "average_precision": lambda y, s, w: peer.average_precision_score(y, s, sample_weight=w),
    "ks_statistic": ks,
    "low": lambda y, s, w: fm.partial_auc(
        y, s, false_positive_rate_range=(0, 0.3), sample_weight=w
    ),
    "youden": lambda y, s, w: fm.best_threshold(y, s, sample_weight=w).value,
    "accuracy": lambda y, s, w: peer.accuracy_score(y, s >= 0.5, sample_weight=w),
    "f1": lambda y, s, w: peer.f1_score(y, s >= 0.5, sample_weight=w, zero_division=np.nan),
    "log_loss": lambda y, s, w: peer.log_loss(y, s, sample_weight=w),
    "brier_score": lambda y, s, w: peer.brier_score_loss(y, s, sample_weight=w),
    "mean_gap": mean_gap,
    "compiled": compiled_gap,
}
BINARY_ASKED = {name: name for name in BINARY} | {
    "low": ("partial_auc", {"false_positive_rate_range": (0, 0.3)}),
    "youden": "best_threshold",
    "mean_gap": mean_gap,
    "compiled": compiled_gap,
}


def by_score(
    *, y: int, a: float, b: float, c: float, weight: float = 0.0, group: int = 0
) -> tuple[float, ...]:
    return (a, y, weight, group, b, c)


@pytest.mark.parametrize("way", WAYS)
def test_binary_replicates_are_metrics_of_the_drawn_rows(
    way: str, rng: np.random.Generator
) -> None:
    rows = three_models(rng)
    options = options_of(way, rng)
    models = {name: rows[name] for name in "abc"}
    call = {"threshold": 0.5, "metrics": BINARY_ASKED, "rng": KEY, "n_resamples": B, **options}
    result = fm.paired_bootstrap(rows["y"], models, **call)
    rows, weights = drawn(rows, options, by_score, descending=True)
    compare(result, rows, weights, BINARY, ("a", "b", "c"))


COUNTS: dict[str, Callable[..., float]] = {
    "accuracy": lambda y, p, w: peer.accuracy_score(y, p, sample_weight=w),
    "f1_macro": lambda y, p, w: peer.f1_score(
        y, p, sample_weight=w, average="macro", labels=["ant", "bee", "cow"], zero_division=np.nan
    ),
    "cohen_kappa": lambda y, p, w: peer.cohen_kappa_score(y, p, sample_weight=w),
    "matthews_corrcoef": lambda y, p, w: peer.matthews_corrcoef(y, p, sample_weight=w),
}


@pytest.mark.parametrize("way", [way for way in WAYS if "stratified" not in way])
def test_replicates_of_predicted_labels(way: str, rng: np.random.Generator) -> None:
    labels = np.array(["ant", "bee", "cow"])
    y = labels[rng.integers(0, 3, N)]
    rows = {"y": y} | {
        name: np.where(rng.random(N) < share, y, labels[rng.integers(0, 3, N)])
        for name, share in (("a", 0.6), ("b", 0.3))
    }
    options = options_of(way, rng)
    models = {name: rows[name] for name in "ab"}
    call = {"metrics": list(COUNTS), "rng": KEY, "n_resamples": B, **options}
    result = fm.paired_bootstrap(rows["y"], models, **call)

    def by_cell(*, y: str, a: str, b: str, weight: float = 0.0, group: int = 0) -> tuple[Any, ...]:
        return (y, a, y, b, weight, group)

    rows, weights = drawn(rows, options, by_cell, descending=False)
    compare(result, rows, weights, COUNTS, ("a", "b"))


REAL: dict[str, Callable[..., float]] = {
    "mean_squared_error": lambda y, p, w: peer.mean_squared_error(y, p, sample_weight=w),
    "mean_absolute_error": lambda y, p, w: peer.mean_absolute_error(y, p, sample_weight=w),
    "root_mean_squared_error": lambda y, p, w: peer.root_mean_squared_error(y, p, sample_weight=w),
    "r2": lambda y, p, w: peer.r2_score(y, p, sample_weight=w),
    "mean_error": lambda y, p, w: float(np.average(p - y, weights=w)),
    "mean_gap": mean_gap,
}


@pytest.mark.parametrize("way", [way for way in WAYS if "stratified" not in way])
def test_replicates_of_real_targets(way: str, rng: np.random.Generator) -> None:
    y = np.abs(rng.normal(size=N)).round(1)
    rows = {"y": y} | {name: y + rng.normal(size=N).round(1) for name in "ab"}
    options = options_of(way, rng)
    models = {name: rows[name] for name in "ab"}
    asked = {name: name for name in REAL} | {"mean_gap": mean_gap}
    result = fm.paired_bootstrap(
        rows["y"], models, **{"metrics": asked, "rng": KEY, "n_resamples": B, **options}
    )

    def by_target(
        *, y: float, a: float, b: float, weight: float = 0.0, group: int = 0
    ) -> tuple[float, ...]:
        return (y, a, b, weight, group)

    rows, weights = drawn(rows, options, by_target, descending=False)
    compare(result, rows, weights, REAL, ("a", "b"))


@pytest.mark.parametrize("way", ["plain", "stratified", "groups", "frequencies"])
@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_the_first_model_is_bootstrapped_as_if_alone(
    way: str, method: Any, rng: np.random.Generator
) -> None:
    rows = three_models(rng)
    options = options_of(way, rng)
    call = {"threshold": 0.5, "rng": 3, "n_resamples": 99, "method": method, **options}
    call["metrics"] = ["roc_auc", "average_precision", "ks_statistic", "f1", "brier_score"]
    alone = fm.bootstrap(rows["y"], rows["a"], **call)
    paired = fm.paired_bootstrap(rows["y"], {name: rows[name] for name in "ab"}, **call)
    assert list(paired) == list(alone)
    for name, result in alone.items():
        assert result.details.n_failed < 99
        first = paired[name].models[0]
        for one, other in ((first, result), (first.details, result.details)):
            for field, expected in other.to_dict().items():
                fields = one.to_dict()[field]
                if isinstance(expected, str | None):
                    assert fields == expected
                elif field != "details":
                    assert fields == pytest.approx(expected, rel=1e-9, nan_ok=True), field


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_intervals_and_errors_follow_from_the_replicates(
    method: Any, alternative: Any, rng: np.random.Generator
) -> None:
    rows = three_models(rng)
    models = {name: rows[name] for name in "abc"}
    asked = ["roc_auc", "average_precision"]
    call = {"metrics": asked, "method": method, "alternative": alternative, "n_resamples": 499}
    result = fm.paired_bootstrap(rows["y"], models, rng=8, confidence_level=0.9, **call)
    tail = 0.05 if alternative == "two-sided" else 0.1
    for name in asked:
        metric = BINARY[name]
        pairs = result[name].pairs
        assert [(p.a, p.b) for p in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
        for pair in pairs:
            own = [metric(rows["y"], rows[m], None) for m in (pair.a, pair.b)]
            assert pair.metric == name
            assert pair.difference == pytest.approx(own[0] - own[1], abs=1e-14)
            values = pair.details.distribution
            assert pair.standard_error == pytest.approx(np.std(values, ddof=1), rel=1e-12)
            low, high = np.quantile(values, (tail, 1 - tail))
            if method == "basic":
                low, high = 2 * pair.difference - high, 2 * pair.difference - low
            low = -np.inf if alternative == "less" else low
            high = np.inf if alternative == "greater" else high
            assert pair.confidence_interval.low == pytest.approx(low, rel=1e-12)
            assert pair.confidence_interval.high == pytest.approx(high, rel=1e-12)
            sides = [1 + np.sum(values <= 0), 1 + np.sum(values >= 0)]
            if method == "basic":  # 0 is as far from the difference as twice the difference
                twice = 2 * pair.difference
                sides = [1 + np.sum(values >= twice - 1e-13), 1 + np.sum(values <= twice + 1e-13)]
            counted = {"greater": sides[0], "less": sides[1]}.get(alternative, 2 * min(sides))
            assert pair.pvalue == min(1.0, counted / 500)
        ranked = sorted(pairs, key=lambda pair: pair.pvalue)
        least = 0.0
        for place, pair in enumerate(ranked):
            least = max(least, (3 - place) * pair.pvalue)
            assert pair.pvalue_adjusted == pytest.approx(min(1.0, least), rel=1e-15)


def test_replicates_that_lost_a_class_are_left_out_and_counted(rng: np.random.Generator) -> None:
    y = np.zeros(30, int)
    y[:2] = 1
    models = {"a": rng.normal(size=30), "b": rng.normal(size=30)}
    with pytest.warns(UndefinedMetricWarning, match="`stratified=True` keeps both") as caught:
        result = fm.paired_bootstrap(y, models, n_resamples=400, rng=1, method="percentile")
    assert len(caught) == 2  # one a model
    pair = result["roc_auc"].pairs[0]
    lost = np.isnan(pair.details.distribution)
    assert pair.details.n_failed == lost.sum() == result["roc_auc"].models[1].details.n_failed
    assert 0.08 < pair.details.n_failed / 400 < 0.20  # (28/30)^30 = 0.126
    interval = pair.confidence_interval
    expected = np.quantile(pair.details.distribution[~lost], (0.025, 0.975))
    assert (interval.low, interval.high) == pytest.approx(tuple(expected), rel=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = fm.paired_bootstrap(y, models, n_resamples=400, rng=1, stratified=True)
    assert kept["roc_auc"].pairs[0].details.n_failed == 0


@pytest.mark.parametrize("n", [4096, 9001])
def test_large_samples_share_every_window(n: int, rng: np.random.Generator) -> None:
    y = (rng.random(n) < 0.3).astype(int)
    base = rng.normal(size=n)
    rows = {"y": y} | {name: np.round(y + base + rng.normal(size=n), 2) for name in "ab"}
    models = {name: rows[name] for name in "ab"}
    for options in ({}, {"stratified": True}):
        result = fm.paired_bootstrap(y, models, rng=KEY, n_resamples=B, **options)
        ordered, weights = drawn(rows, options, lambda y, a, b: (a, y, b), descending=True)
        chosen = {"roc_auc": BINARY["roc_auc"]}
        compare(result, ordered, weights[:6], chosen, ("a", "b"))


def test_thresholds_found_on_the_data_have_percentile_limits_by_default():
    """Basic limits turn the bias of the replicates round: see docs/coverage/two-classes.md."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 80)
    scores = {name: rng.normal(y) for name in "ab"}
    actual = [
        ("best_threshold", {"of": "recall"}),
        ("precision_at_recall", {"recall": 0.7}),
        "break_even_point",
        "ks_statistic",
    ]
    metrics = {str(i): one for i, one in enumerate(actual)} | {"auc": "roc_auc", "f1": "f1"}
    options = {"metrics": metrics, "n_resamples": 99, "rng": 1, "threshold": 0.5}
    for name, one in fm.paired_bootstrap(y, scores, **options).items():
        method = "percentile" if name.isdecimal() else "basic"
        assert one.method == f"{method} bootstrap"
        assert one.pairs == fm.paired_bootstrap(y, scores, **options, method=method)[name].pairs


Models = dict[str, NDArray[Any]]


def correlated(
    rng: np.random.Generator, n: int, shifts: tuple[float, ...], *, digits: int = 8
) -> tuple[NDArray[Any], Models]:
    y = (rng.random(n) < 0.35).astype(int)
    y[:6] = [1, 1, 1, 0, 0, 0]
    base = rng.normal(size=n)
    return y, {
        name: np.round(shift * y + 0.7 * base + 0.6 * rng.normal(size=n), digits)
        for name, shift in zip("abc", shifts, strict=False)
    }


def replicates(result: fm.results.Comparisons) -> list[bytes]:
    """Return the bits of every replicate of every difference and model."""
    actual = [pair.details.distribution for pairs in result.values() for pair in pairs]
    actual += [one.details.distribution for all_of in result.values() for one in all_of.models]
    return [values.tobytes() for values in actual]


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


def influences(
    metric: Callable[..., float], y: NDArray[Any], scores: NDArray[Any], times: NDArray[Any]
) -> NDArray[Any]:
    """Return how a metric changes with the weight of each row that is drawn, by differences."""
    y, scores, times = (column[times > 0] for column in (y, scores, times))
    steps = 1e-4 * np.eye(len(y))
    ends = [[metric(y, scores, times + sign * step) for step in steps] for sign in (1, -1)]
    return np.repeat(np.subtract(*ends), times)


def weighted_auc(y: NDArray[Any], s: NDArray[Any], w: NDArray[Any]) -> float:
    wins = np.sign(s[y == 1][:, None] - s[y == 0]) / 2.0 + 0.5
    return float(w[y == 1] @ wins @ w[y == 0] / w[y == 1].sum() / w[y == 0].sum())


BINARY_ACCURACY: dict[str, Callable[..., float]] = {
    "roc_auc": weighted_auc,
    "average_precision": lambda y, s, w: peer.average_precision_score(y, s, sample_weight=w),
    "low": lambda y, s, w: fm.partial_auc(
        y, s, false_positive_rate_range=(0.1, 0.6), sample_weight=w
    ),
    "f1": lambda y, s, w: peer.f1_score(y, s >= 0.5, sample_weight=w),
    "matthews_corrcoef": lambda y, s, w: peer.matthews_corrcoef(y, s >= 0.5, sample_weight=w),
    "brier_score": lambda y, s, w: peer.brier_score_loss(y, s, sample_weight=w),
}
REAL_ACCURACY: dict[str, Callable[..., float]] = {
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
    metrics: dict[str, Callable[..., float]],
    *,
    times: NDArray[np.int64] | None = None,
    **options: Any,
) -> None:
    """Assert that limits are those of an acceleration from weights that change a little."""
    asked = {
        name: {"low": ("partial_auc", {"false_positive_rate_range": (0.1, 0.6)})}.get(name, name)
        for name in metrics
    }
    result = fm.paired_bootstrap(
        y,
        models,
        metrics=asked,
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
    second = list(models)[1]
    for name, metric in metrics.items():
        moved = influences(metric, y, models[second], times)
        parts = [moved[part] for part in strata]
        a = oracle.acceleration(
            [[Fraction(-u) * len(p) / (len(p) - 1) for u in p.tolist()] for p in parts]
        )
        assert abs(a) > 1e-4  # else any acceleration would do
        own = result[name][second]
        assert own.method == "bca"
        replicates = own.details.distribution.tolist()
        limits = oracle.bca(replicates, own.estimate, a, 0.9, "two-sided")
        interval = own.confidence_interval
        assert (interval.low, interval.high) == pytest.approx(limits, rel=1e-6), name


def probabilities(rng: np.random.Generator) -> tuple[NDArray[Any], Models]:
    y, models = correlated(rng, 33, (1.0, 0.4))
    return y, {name: np.round(1 / (1 + np.exp(0.4 - s)), 1) for name, s in models.items()}


@pytest.mark.parametrize("stratified", [False, True])
def test_bca_of_binary_models(stratified: bool, rng: np.random.Generator) -> None:
    y, models = probabilities(rng)
    check_bca(y, models, BINARY_ACCURACY, threshold=0.5, stratified=stratified)


def test_bca_of_frequencies_is_that_of_the_rows_written_out(rng: np.random.Generator) -> None:
    y, models = probabilities(rng)
    times = rng.integers(0, 3, len(y))
    check_bca(y, models, BINARY_ACCURACY, threshold=0.5, times=times)
    labels = {name: (s >= 0.5).astype(int) + (s >= 0.7) for name, s in models.items()}
    check_bca(y + (rng.random(len(y)) < 0.3), labels, PREDICTED, times=times)


def test_bca_of_predicted_labels_and_of_real_targets(rng: np.random.Generator) -> None:
    y, models = correlated(rng, 40, (1.0, 0.5))
    labels = {name: (s >= 0.2).astype(int) + (s >= 0.9) for name, s in models.items()}
    check_bca(y + (rng.random(40) < 0.3), labels, PREDICTED)
    target = rng.gamma(2.0, size=40)
    check_bca(target, {name: target + s for name, s in models.items()}, REAL_ACCURACY)
    check_bca(
        target,
        {name: target + s for name, s in models.items()},
        REAL_ACCURACY,
        times=rng.integers(0, 3, 40),
    )


EVERY_WAY: list[dict[str, Any]] = [
    {},
    {"stratified": True},
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


@pytest.mark.parametrize("way", EVERY_WAY, ids=str)
def test_identical_models_do_not_differ(way: dict[str, Any], rng: np.random.Generator) -> None:
    y, models = correlated(rng, 90, (0.8,), digits=1)
    scores = 1 / (1 + np.exp(-models["a"]))
    options = with_columns(way, 90, rng)
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
        assert (pair.difference, pair.pvalue, pair.pvalue_adjusted) == (0.0, 1.0, 1.0)
        assert pair.standard_error == 0.0
        assert not pair.details.distribution.any()
        limits = pair.confidence_interval
        assert (limits.low, limits.high) == (0.0, 0.0)


def test_models_of_one_order_do_not_differ_in_metrics_of_order(rng: np.random.Generator) -> None:
    y, models = correlated(rng, 90, (0.8,), digits=1)
    both = {"a": models["a"], "b": 1e6 * np.exp(models["a"])}
    asked = ["roc_auc", "average_precision", "ks_statistic", "break_even_point"]
    with pytest.warns(DegenerateDataWarning):
        result = fm.paired_bootstrap(
            y, both, metrics=asked, n_resamples=100, rng=1, sample_weight=rng.random(90)
        )
    for (pair,) in result.values():
        assert pair.pvalue == 1.0
