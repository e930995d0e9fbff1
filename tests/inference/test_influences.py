"""Influences of rows on a metric, and the covariances of sampling units."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.special import kolmogorov
from scipy.stats import norm

import fastmetrics as fm
from fastmetrics._input.rows import NamedScores
from fastmetrics.inference.samples import build_samples
from fastmetrics.inference.units import Units
from fastmetrics.metrics.asking import ask
from metric_names import METRICS
from reference import concordance_oracle

_STEP = 1e-4
_PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "roc_auc": [{}, {"max_fpr": 0.33}],
    "partial_auc": [
        {"false_positive_rate_range": (0.11, 0.53)},
        {"true_positive_rate_range": (0.23, 0.77)},
        {"false_positive_rate_range": (0.0, 0.47), "standardized": True},
        {"true_positive_rate_range": (0.31, 1.0), "standardized": True},
    ],
    "pr_auc": [{"interpolation": kind} for kind in ("step", "trapezoid", "continuous")],
    "cohen_kappa": [{}, {"weights": "quadratic"}],
    "cost": [{"cost_fn": 5.0, "cost_fp": 1.0}],
    "expected_cost": [{"cost_fn": 5.0, "cost_fp": 1.0, "prevalence": p} for p in (None, 0.1)],
    "net_benefit": [
        {"threshold": 0.4},
        {"threshold": 0.4, "standardized": True},
        {"threshold": 0.4, "prevalence": 0.1},
        {"threshold": 0.4, "prevalence": 0.1, "standardized": True},
    ],
    "fbeta": [{"beta": 2.0}],
    "mean_pinball_loss": [{"alpha": 0.3}],
    "mean_tweedie_deviance": [{"power": 1.5}, {"power": 3.0}],
    "kendall_tau": [{"variant": "b"}, {"variant": "c"}],
    "somers_d": [{"given": "outcome"}, {"given": "score"}],
    "concordance_index": [{"higher_score_means": "longer-time", "weighting": "uno"}],
}
_SMOOTH = [m.name for m in METRICS.values() if m.influences and m.needs != "rankings"]
#: Those whose public function takes no weights, or that have none, are tested by their definition.
_ASKED = [
    (name, given)
    for name in _SMOOTH
    for given in _PARAMETERS.get(name, [{}])
    if METRICS[name].family != "concordance" and name not in ("mean", "mean_error")
]


def _data(name: str, seed: int = 3) -> tuple[Any, Any, float | None]:
    """Return outcomes, predictions with ties, and a threshold where decisions are asked."""
    rng = np.random.default_rng(seed)
    metric = METRICS[name]
    n = 37
    if metric.family in ("regression", "concordance"):
        y = rng.gamma(2.0, 1.0, n).round(1) + 0.1
        return y, (y * rng.gamma(9.0, 1.0 / 9.0, n)).round(1) + 0.05, None
    if metric.classes == 3 or name.endswith(("_macro", "_micro", "_weighted", "_harmonic")):
        codes = rng.integers(0, 3, n)
        if metric.needs == "labels":
            return codes, np.where(rng.random(n) < 0.6, codes, rng.integers(0, 3, n)), None
        scores = rng.dirichlet([1.0, 1.0, 1.0], n) + np.eye(3)[codes] * 0.5
        return codes, scores / scores.sum(axis=1, keepdims=True), None
    y = (rng.random(n) < 0.4).astype(int)
    scores = np.clip((rng.normal(size=n) * 0.25 + 0.4 + 0.2 * y).round(2), 0.03, 0.97)
    return y, scores, 0.5 if metric.needs == "labels" else None


def _measured(name: str, given: dict[str, Any], y: Any, p: Any, **more: Any) -> Any:
    """Return what is measured of rows, with an option for each of those that are not named."""
    names = "threshold pos_label sample_weight weights_are event query groups strata".split()
    asked = ask([(name, given)], allow_times=True)
    scores = [NamedScores("", "y_score", p)]
    return build_samples(asked, y, scores, **(dict.fromkeys(names) | more))[name].measure(asked[0])


def _value(name: str, y: Any, p: Any, threshold: float | None, w: Any, given: Any) -> float:
    labels = p if threshold is None else (p >= threshold).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", fm.SmallSampleWarning)  # its own intervals are not asked
        return float(METRICS[name].value(y, labels, sample_weight=w, **given))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "given"), _ASKED)
def test_derivative_by_the_weight(name: str, given: dict[str, Any], weighted: bool) -> None:
    y, p, threshold = _data(name)
    n = len(y)
    weights = np.random.default_rng(5).random(n) + 0.5 if weighted else None
    actual = _measured(
        *(name, given, y, p),
        threshold=threshold,
        sample_weight=weights,
        weights_are="importances" if weighted else None,
        strata=np.zeros(n, int),  # so that points are rows
    )
    made_larger = actual.rates[0].inflation() if actual.rates else 1.0  # of a gap that was chosen
    influences = np.asarray(actual.influences) / made_larger
    base = np.ones(n) if weights is None else weights
    assert actual.values[0] == pytest.approx(_value(name, y, p, threshold, base, given), rel=1e-12)
    quantile = name in ("d2_pinball_score", "d2_absolute_error_score")
    for row in range(0, n, 3 if weighted else 1):
        values = []
        for step in (_STEP, -_STEP):
            moved = base.copy()
            moved[row] += step
            values.append(_value(name, y, p, threshold, moved, given))
        slope = (values[0] - values[1]) / (2 * _STEP)
        # the best constant of a quantile jumps from row to row: of the order of one of them
        close = {"abs": 0.02} if quantile else {"abs": 1e-8, "rel": 1e-6}
        assert influences[0, row] == pytest.approx(slope, **close), row


def _censored(seed: int = 4, n: int = 13) -> dict[str, Any]:
    """Return times with ties, events, and what is said of each row."""
    rng = np.random.default_rng(seed)
    return {
        "time": (rng.gamma(2.0, 1.0, n).round(1) + 0.1).tolist(),
        "event": (rng.random(n) < 0.6).tolist(),
        "risk": (rng.normal(size=n).round(4)).tolist(),
    }


_LATER = {"higher_score_means": "shorter-time"}
#: Of censored times: the column, the parameters, and the value by the weights of rows. Uno's index
#: takes the share not censored as known.
_OF_TIMES: dict[str, tuple[str, str, dict[str, Any], Any]] = {
    "index": (
        *("concordance_index", "risk", _LATER),
        lambda d, w: concordance_oracle.index(d["time"], d["event"], d["risk"], w),
    ),
    "Uno's index": (
        *("concordance_index", "risk", _LATER | {"weighting": "uno"}),
        lambda d, w: concordance_oracle.index(
            d["time"], d["event"], d["risk"], w, weighting="uno", of=(d["time"], d["event"])
        ),
    ),
}


@pytest.mark.parametrize(
    ("name", "weighted"),
    # of Uno's index the known share is of rows that count one
    [("index", False), ("Uno's index", False), ("index", True)],
)
def test_derivative_of_metrics_of_times(name: str, weighted: bool) -> None:
    """Row by row, of the definition."""
    metric, column, given, value = _OF_TIMES[name]
    data = _censored()
    n = len(data["time"])
    weights = np.random.default_rng(5).integers(1, 5, n) / 2 if weighted else None
    actual = _measured(
        *(metric, given, data["time"], np.array(data[column])),
        event=data["event"],
        sample_weight=weights,
        weights_are="importances" if weighted else None,
    )
    base = np.ones(n) if weights is None else weights
    assert actual.values[0] == pytest.approx(float(value(data, base.tolist())), rel=1e-9)
    for row in range(n):
        values = []
        for step in (_STEP, -_STEP):
            moved = base.copy()
            moved[row] += step
            values.append(float(value(data, moved.tolist())))
        slope = (values[0] - values[1]) / (2 * _STEP)
        assert actual.influences[0][row] == pytest.approx(slope, abs=1e-7, rel=1e-5), row


def mean_ranks(values: Any, w: Any) -> Any:
    """Return the weight below each row, and half of that which ties with it."""
    below = np.greater.outer(values, values) + np.equal.outer(values, values) / 2
    return below @ w


def correlation(x: Any, z: Any, w: Any) -> float:
    covariance = np.cov(x, z, aweights=w, ddof=0)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("kendall_tau", "b"),
        ("somers_d", "outcome"),
        ("goodman_kruskal_gamma", ""),
        ("spearman_rho", "spearman"),
    ],
)
def test_rank_correlation_by_its_definition(name: str, option: str) -> None:
    y, p, _ = _data("kendall_tau")
    weights = np.random.default_rng(1).random(len(y)) + 0.5

    def value(w: Any) -> float:
        if option == "spearman":
            return correlation(*(mean_ranks(column, w) for column in (y, p)), w)
        products = np.sign(np.subtract.outer(y, y)) * np.sign(np.subtract.outer(p, p))
        pairs = np.multiply.outer(w, w)
        apart_y, apart_p = (np.not_equal.outer(x, x) * pairs for x in (y, p))
        over = {
            "b": np.sqrt(apart_y.sum() * apart_p.sum()),
            "outcome": apart_y.sum(),
            "": (np.abs(products) * pairs).sum(),
        }[option]
        return float((products * pairs).sum() / over)

    estimate = fm.estimate(y, p, metrics=name, sample_weight=weights)[name]
    assert estimate.estimate == pytest.approx(value(weights), rel=1e-12)
    slopes = []
    for row in range(len(y)):
        up = weights.copy()
        down = weights.copy()
        up[row] += _STEP
        down[row] -= _STEP
        slopes.append((value(up) - value(down)) / (2 * _STEP))
    squares = (weights * np.array(slopes)) ** 2
    shares = weights / weights.sum()
    left = 1 - 2 * (shares**3).sum() / (shares**2).sum() + (shares**2).sum()
    assert estimate.standard_error == pytest.approx(np.sqrt(squares.sum() / left), rel=1e-6)


@pytest.mark.parametrize("name", _SMOOTH)
def test_influences_add_up_to_nothing(name: str) -> None:
    """A metric does not change with the scale of the weights (Euler)."""
    y, p, threshold = _data(name, seed=11)
    given = _PARAMETERS.get(name, [{}])[0]
    weights = np.random.default_rng(2).integers(1, 4, len(y))
    actual = _measured(
        *(name, given, y, p),
        threshold=threshold,
        sample_weight=weights,
        weights_are="frequencies",
        event=(np.arange(len(y)) % 3 > 0) if METRICS[name].needs == "times" else None,
        groups=np.arange(len(y)),
    )
    assert float(actual.influences[0] @ weights) == pytest.approx(0.0, abs=1e-12)


def _variance(psi: Any, weights: Any = None, strata: Any = None, groups: Any = None) -> float:
    """Return the sum over strata of m / (m - 1) sum (c - mean)^2, in plain Python."""
    n = len(psi)
    weights = [1.0] * n if weights is None else list(weights)
    strata = [0] * n if strata is None else list(strata)
    groups = list(range(n)) if groups is None else list(groups)
    total = 0.0
    for stratum in sorted(set(strata)):
        sums: dict[Any, float] = {}
        for i in range(n):
            if strata[i] == stratum:
                sums[groups[i]] = sums.get(groups[i], 0.0) + weights[i] * psi[i]
        mean = sum(sums.values()) / len(sums) if len(set(strata)) > 1 else 0.0
        m = len(sums)
        total += m / (m - 1) * sum((c - mean) ** 2 for c in sums.values())
    return total


@pytest.fixture
def psi() -> Any:
    values = np.random.default_rng(0).normal(size=(3, 40))
    return values - values.mean(axis=1, keepdims=True)


def test_rows(psi: Any) -> None:
    actual = Units(40).covariance(psi)
    for a in range(3):
        assert actual[a, a] == pytest.approx(_variance(psi[a]), rel=1e-13)
        for b in range(a):
            both = _variance(psi[a] + psi[b]) - actual[a, a] - actual[b, b]
            assert actual[a, b] == pytest.approx(both / 2, rel=1e-9, abs=1e-12)


def test_counts_are_rows(psi: Any) -> None:
    counts = np.random.default_rng(1).integers(0, 5, 40)
    strata = np.arange(40) % 2
    repeated = np.repeat(np.arange(40), counts)
    for kind in (None, strata):
        own = Units(40, counts=counts, strata=kind)
        rows = Units(len(repeated), strata=None if kind is None else kind[repeated])
        for reference in ("contributions", "kurtosis", "student"):
            assert own.variance(psi[0], reference) == pytest.approx(
                rows.variance(psi[0][repeated], reference), rel=1e-12
            )
        assert own.covariance(psi) == pytest.approx(rows.covariance(psi[:, repeated]), rel=1e-10)


def test_strata_and_groups(psi: Any) -> None:
    strata, groups = np.arange(40) // 20, np.arange(40) // 4  # groups inside strata
    for given in ({"strata": strata}, {"groups": groups}, {"strata": strata, "groups": groups}):
        variance = Units(40, **given).variance(psi[0]).value
        assert variance == pytest.approx(_variance(psi[0], **given), rel=1e-12)


def test_equal_importances_are_rows(psi: Any) -> None:
    for strata in (None, np.arange(40) % 3):
        plain = Units(40, strata=strata).variance(psi[0])
        scaled = Units(40, weights=np.full(40, 7.0), strata=strata).variance(psi[0] / 7.0)
        assert scaled == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize("groups", [None, np.arange(12) % 6 // 2, np.arange(12)])
def test_importances_are_unbiased(groups: Any) -> None:
    """The factor makes up for the weighted mean that was fitted, whatever the weights."""
    rng = np.random.default_rng(4)
    weights = rng.gamma(0.7, 1.0, 12)
    shares = weights / weights.sum()
    units = Units(12, weights=weights, groups=groups)
    values = rng.normal(size=(8_000, 12))
    actual = [
        units.variance((row - mean) / weights.sum()).value
        for row, mean in zip(values, values @ shares, strict=True)
    ]
    assert np.mean(actual) == pytest.approx(np.sum(shares**2), rel=0.04)


def test_degrees_of_freedom() -> None:
    psi = np.array([1.0, -1.0, 1.0, -1.0, 0.0, 0.0])
    many = np.concatenate([psi, np.zeros(9)])
    assert Units(15).variance(many).df == 5 + 4.0  # four rows carry it
    assert Units(6).variance(psi).df == 5.0  # at most m - 1
    assert Units(4).variance(psi[:4]).df == 3.0
    strata = np.array([0, 0, 1, 1, 1, 1])
    v = [2 * 2.0, 4 / 3 * 2.0]  # of each stratum: sums of squares 2, means 0
    welch = sum(v) ** 2 / (v[0] ** 2 / 1 + v[1] ** 2 / 3)
    assert Units(6, strata=strata).variance(psi, "student").df == pytest.approx(welch)
    assert Units(6).variance(psi, "student").df == 5.0
    groups = np.array([0, 0, 1, 1, 2, 3])
    values = np.array([1.0, 1.0, 3.0, -2.0, -2.0, -1.0])
    sums = np.array([2.0, 1.0, -2.0, -1.0])
    grouped = Units(6, groups=groups).variance(values)
    sums /= np.sqrt(1 - np.array([2, 2, 1, 1]) / 6)
    df = 1 + (sums**2).sum() ** 2 / (sums**4).sum()
    assert grouped.df == pytest.approx(min(df, 4 - 1))
    uneven = np.array([3.0, -1.0, -1.0, -1.0])
    s2 = (uneven**2).sum()
    s4 = (uneven**4).sum()
    assert Units(4).variance(uneven, "kurtosis").df == 3.0  # at most m - 1
    assert 2 * s2**2 / (s4 - s2**2 / 4) > 3.0
    more = np.concatenate([uneven, np.zeros(20)])
    expected = 5 + 2 * s2**2 / (s4 - s2**2 / 24)
    assert Units(24).variance(more, "kurtosis").df == pytest.approx(expected)
    assert Units(4).variance(psi[:4], "kurtosis").df == 3.0  # all alike: at most m - 1


def test_nothing_is_known_of_one_unit() -> None:
    assert np.isnan(Units(1).variance(np.array([0.5])).value)
    one_group = Units(4, groups=np.zeros(4, np.int64))
    assert np.isnan(one_group.variance(np.array([1.0, 2.0, -1.0, -2.0])).value)
    lone = Units(3, strata=np.array([0, 0, 1]))
    assert np.isnan(lone.variance(np.array([1.0, -1.0, 0.5])).value)


def test_points_that_cross_blocks() -> None:
    """Blocks and threads change no bit."""
    rng = np.random.default_rng(0)
    psi = rng.normal(size=200_001)
    strata = rng.integers(0, 2, 200_001)
    units = Units(len(psi), strata=strata)
    variance = units.variance(psi).value
    expected = sum(
        len(part) / (len(part) - 1) * np.sum((part - part.mean()) ** 2)
        for part in (psi[strata == k] for k in (0, 1))
    )
    assert variance == pytest.approx(expected, rel=1e-12)
    assert units.variance(psi).value == variance


@pytest.mark.parametrize("weighted", [None, "counts", "weights"])
@pytest.mark.parametrize("by_class", [False, True])
def test_unequal_groups_by_a_loop(weighted: str | None, by_class: bool) -> None:
    """Sums of groups less their share p of the stratum's, over the root of what that leaves."""
    rng = np.random.default_rng(8)
    groups = np.sort(rng.integers(0, 9, 50))
    strata = rng.integers(0, 2, 50) if by_class else None
    psi = rng.normal(size=50)
    w = np.ones(50) if weighted is None else rng.integers(0, 4, 50).astype(float)
    expected = np.zeros(9)
    for code in (0, 1) if by_class else (0,):
        inside = np.ones(50, bool) if strata is None else strata == code
        total = np.sum((w * psi)[inside])
        weight = np.sum(w[inside])
        for g in range(9):
            own = inside & (groups == g)
            share = np.sum(w[own]) / weight
            c = np.sum((w * psi)[own]) - (total * share if by_class else 0.0)
            left = 1.0 - share
            if weighted == "weights" and share > 0.0:
                left += share**2 * np.sum(w[inside] ** 2) / np.sum(w[own] ** 2) - share
            expected[g] += c / np.sqrt(left)
    given: Any = {} if weighted is None else {weighted: w}
    actual = Units(50, groups=groups, strata=strata, **given).variance(psi)
    assert actual.value == pytest.approx(np.sum(expected**2), rel=1e-12)
    df = 1 + np.sum(expected**2) ** 2 / np.sum(expected**4)
    assert actual.df == pytest.approx(min(df, 9 - (2 if by_class else 1)), rel=1e-12)


def test_groups_of_one_row_are_rows(psi: Any) -> None:
    counts = np.random.default_rng(1).integers(0, 2, 40)
    groups = np.arange(40)[::-1]
    for strata in (None, np.arange(40) % 3):
        for given in ({}, {"counts": counts}, {"weights": np.full(40, 0.3)}):
            rows = Units(40, strata=strata, **given)
            own = Units(40, strata=strata, groups=groups, **given)
            assert own.covariance(psi) == pytest.approx(rows.covariance(psi), rel=1e-11)


def test_a_stratum_without_rows_of_groups_adds_nothing(psi: Any) -> None:
    groups = np.arange(40) // 4
    one = Units(40, groups=groups, strata=np.full(40, 1)).covariance(psi)
    assert one == pytest.approx(Units(40, groups=groups).covariance(psi), rel=1e-11)


def ks(y, score, **options):
    return fm.estimate(y, score, metrics="ks_statistic", **options)["ks_statistic"]


def newcombe(k1, n1, k0, n0, z):
    """The limits of p1 - p0 by the paper's formulas (method 10), one threshold at a time."""
    ends = []
    for k, n in ((k1, n1), (k0, n0)):
        half = z * math.sqrt(z * z + 4 * k * (1 - k / n))
        ends.append([(2 * k + z * z + side * half) / (2 * (n + z * z)) for side in (-1, 1)])
    (l1, u1), (l0, u0) = ends
    p1 = k1 / n1
    p0 = k0 / n0
    return (p1 - p0 - math.hypot(p1 - l1, u0 - p0), p1 - p0 + math.hypot(u1 - p1, p0 - l0))


def by_definition(y, score, tail_low, tail_high):
    """The greatest lower and upper limits over thresholds and both signs of the gap."""
    m, n = int(np.sum(y == 1)), int(np.sum(y == 0))
    low = high = largest = 0.0
    for t in np.unique(score):
        k1 = int(np.sum((score >= t) & (y == 1)))
        k0 = int(np.sum((score >= t) & (y == 0)))
        for a, b in (((k1, m), (k0, n)), ((k0, n), (k1, m))):
            low = max(low, newcombe(*a, *b, norm.isf(tail_low))[0])
            high = max(high, newcombe(*a, *b, norm.isf(tail_high))[1])
            largest = max(largest, abs(k1 / m - k0 / n))
    return low, min(1.0, high), kolmogorov(math.sqrt(m * n / (m + n)) * largest)


@pytest.mark.pairwise
@pytest.mark.parametrize("n", [12, 60, 400])
@pytest.mark.parametrize("shift", [0.0, 1.0, -1.0, 3.0])
@pytest.mark.parametrize("decimals", [0, 6])
def test_by_the_definition(rng, n, shift, decimals) -> None:
    y = np.arange(n) % 3 == 0
    score = np.round(rng.normal(size=n) + shift * y, decimals)
    actual = ks(y, score)
    low, high, p = by_definition(y, score, 0.025 / 4, 0.05)
    interval = actual.confidence_interval
    assert interval.high == pytest.approx(max(high, actual.estimate), abs=1e-12)
    assert interval.low == pytest.approx(low if p <= 0.025 else 0.0, abs=1e-12)
    assert actual.method == "band"
    assert ks(y, score, alternative="less").confidence_interval.low == 0.0
    above = ks(y, score, alternative="greater", confidence_level=0.975).confidence_interval
    assert tuple(above) == pytest.approx((interval.low, 1.0), abs=1e-12)
    below = ks(y, score, alternative="less", confidence_level=0.975).confidence_interval
    assert below.high == pytest.approx(interval.high, abs=1e-12)


def test_groups_of_copies_are_worth_one_row_each(rng) -> None:
    y = rng.integers(0, 2, 100)
    score = rng.normal(size=100) + y
    plain = ks(y, score)
    copies = ks(np.repeat(y, 4), np.repeat(score, 4), groups=np.repeat(np.arange(100), 4))
    assert copies.n_groups == 100
    ratio = np.diff(copies.confidence_interval)[0] / np.diff(plain.confidence_interval)[0]
    assert 0.95 < ratio < 1.15  # Student's t in place of the normal
    alone = ks(np.repeat(y, 4), np.repeat(score, 4))
    assert np.diff(alone.confidence_interval)[0] < 0.7 * np.diff(plain.confidence_interval)[0]


@pytest.mark.filterwarnings("ignore::fastmetrics.SmallSampleWarning")
@pytest.mark.parametrize("n_groups", [1, 2])
@pytest.mark.parametrize("is_perfect", [False, True])
def test_too_few_groups_say_nothing(rng, n_groups, is_perfect) -> None:
    y = np.repeat([0, 1], 30)
    score = np.arange(60.0) if is_perfect else rng.normal(size=60) + y
    with pytest.warns((fm.UndefinedMetricWarning, fm.DegenerateDataWarning), match="no interval"):
        actual = ks(y, score, groups=np.arange(60) % n_groups)
    assert math.isnan(actual.confidence_interval.low)
    assert math.isnan(actual.confidence_interval.high)
    assert "do not show how much ks_statistic varies" in actual.note


def test_a_perfect_model_has_a_lower_limit(rng) -> None:
    interval = ks(np.repeat([0, 1], 50), np.arange(100)).confidence_interval
    assert 0.8 < interval.low < 1.0 == interval.high
    with pytest.warns(fm.UndefinedMetricWarning):
        assert math.isnan(ks([1, 1, 1], [1, 2, 3]).confidence_interval.low)
