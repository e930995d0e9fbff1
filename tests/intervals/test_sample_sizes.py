"""What groups, weights and classes are worth, and the warning where that is too little."""

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import f as fisher, norm, t as student

import fastmetrics as fm

B = 299


def users(sizes: Any) -> tuple[Any, Any, Any]:
    """Labels, scores and groups of the sizes given, each with rows of both classes."""
    rng = np.random.default_rng(len(sizes))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    labels = np.arange(len(groups)) % 2
    level = rng.normal(size=len(sizes))[groups]
    return labels, labels + level + rng.normal(size=len(groups)), groups


def quietly(function: Any, *data: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*data, **options)


@pytest.mark.parametrize("sizes", [[4] * 12, [40, 3, 3, 2, 2, 2], [7, 5, 4, 9, 12, 3, 2]])
def test_every_result_has_the_effective_number_of_groups(sizes: list[int]) -> None:
    wanted = float(Fraction(sum(sizes) ** 2, sum(m * m for m in sizes)))
    y, s, groups = users(sizes)
    options = {"groups": groups, "n_resamples": B, "rng": 1}
    models = {"a": s, "b": s + y}
    p = np.stack([s - s.min(), s.max() - s, np.ones(len(s))], axis=1)
    found = [
        quietly(fm.delong, y, s, groups=groups),
        quietly(fm.delong_test, y, models, groups=groups),
        quietly(fm.bootstrap, y, s, **options)["roc_auc"],
        quietly(fm.paired_bootstrap, y, models, **options)["roc_auc"].pairs[0],
        quietly(fm.evaluate, y, models, **options).bootstrap,
        quietly(
            fm.bootstrap,
            np.arange(len(s)) % 3,
            p / p.sum(axis=1)[:, None],
            metrics="roc_auc_ovr",
            **options,
        )["roc_auc_ovr"],
    ]
    for result in found:
        details = getattr(result, "details", result)
        own = getattr(details, "effective_n_groups", None) or details["effective_n_groups"]
        assert own == pytest.approx(wanted, rel=1e-14)
    assert fm.bootstrap(y, s, n_resamples=B, rng=1)["roc_auc"].details.effective_n_groups is None
    assert fm.delong(y, s).details["effective_n_groups"] is None


def test_weights_count_in_the_sizes_of_groups() -> None:
    y, s, groups = users([2, 4, 6, 2])
    times = np.arange(len(y)) % 3 + 1
    sizes = np.bincount(groups, times)
    wanted = sizes.sum() ** 2 / (sizes**2).sum()
    for read, weights in (("frequencies", times), ("importances", times / 7)):
        given = {"groups": groups, "sample_weight": weights, "weights_are": read}
        analytic = quietly(fm.delong, y, s, **given)
        assert analytic.details["effective_n_groups"] == pytest.approx(wanted)
        one = quietly(fm.bootstrap, y, s, n_resamples=B, rng=1, **given)["roc_auc"]
        assert one.details.effective_n_groups == pytest.approx(wanted)
    uneven = quietly(fm.delong, [0, 1, 0, 1], [1, 2, 3, 4], groups=[3, 0, 3, 3])
    assert uneven.details["effective_n_groups"] == pytest.approx(16 / 10)


@pytest.mark.parametrize("scale", ["plain", "logit"])
def test_delong_takes_students_t(scale: Any) -> None:
    y, s, groups = users([12, 4, 6, 8, 9, 30, 4])
    found = quietly(fm.delong, y, s, groups=groups, scale=scale, confidence_level=0.9)
    t = student.ppf(0.95, found.details["effective_n_groups"] - 1)
    low, high = found.confidence_interval
    if scale == "plain":
        wanted = np.clip(found.estimate + np.array([-1, 1]) * t * found.standard_error, 0, 1)
    else:
        odds = found.estimate / (1 - found.estimate)
        half = t * found.standard_error / found.estimate / (1 - found.estimate)
        wanted = [1 / (1 + math.exp(half) / odds), 1 / (1 + math.exp(-half) / odds)]
    assert (low, high) == pytest.approx(tuple(wanted), rel=1e-12)


def test_delongs_tests_take_t_and_f() -> None:
    y, s, groups = users([12, 4, 6, 8, 9, 30, 4])
    other = s + np.random.default_rng(2).normal(size=len(s))
    found = quietly(fm.delong_test, y, {"a": s, "b": other}, groups=groups)
    df, pair = found.details["effective_n_groups"] - 1, found.pairs[0]
    assert pair.pvalue == pytest.approx(2 * student.sf(abs(pair.statistic), df), rel=1e-10)
    assert found.details["pvalue"] == pytest.approx(pair.pvalue, rel=1e-9)
    half = student.ppf(0.975, df) * pair.standard_error
    assert pair.confidence_interval.high == pytest.approx(pair.difference + half)
    third = {"a": s, "b": other, "c": np.round(s)}
    three = quietly(fm.delong_test, y, third, groups=groups)
    assert three.details["pvalue"] == pytest.approx(
        fisher.sf(three.details["statistic"] / 2, 2, df), rel=1e-10
    )


def test_unpaired_samples_share_degrees_of_freedom() -> None:
    (y, s, groups), (y2, s2, _) = users([12, 4, 6, 8, 9, 30, 4]), users([5] * 9)
    one = quietly(fm.delong, y, s, groups=groups)
    other = fm.delong(y2, s2)
    found = quietly(fm.delong_unpaired_test, y, s, y2, s2, groups_a=groups)
    total = one.details["variance"] + other.details["variance"]
    df = total**2 / (
        one.details["variance"] ** 2 / (one.details["effective_n_groups"] - 1)
    )  # Welch, Satterthwaite
    assert found.df == pytest.approx(df)
    assert found.pvalue == pytest.approx(2 * student.sf(abs(found.statistic), df), rel=1e-10)
    assert fm.delong_unpaired_test(y, s, y2, s2).df == math.inf


@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_quantiles_of_replicates_move_out(method: Any) -> None:
    """By the ratio of Student's t and of I / (I - 1): Hesterberg (2015)."""
    y, s, groups = users([12, 4, 6, 8, 9, 30, 4, 20, 5])
    options = {"groups": groups, "n_resamples": 1999, "rng": 1, "method": method}
    one = quietly(fm.bootstrap, y, s, **options)["roc_auc"]
    n = one.details.effective_n_groups
    level = norm.cdf(student.ppf(0.025, n - 1) * math.sqrt(n / (n - 1)))
    assert level < 0.02
    low, high = np.nanquantile(one.details.distribution, (level, 1 - level))
    if method == "basic":
        low, high = 2 * one.estimate - high, 2 * one.estimate - low
    assert tuple(one.confidence_interval) == pytest.approx((low, high), rel=1e-12)
    pair = quietly(fm.paired_bootstrap, y, {"a": s, "b": np.round(s)}, **options)
    difference = pair["roc_auc"].pairs[0]
    inside = difference.confidence_interval.low <= 0 <= difference.confidence_interval.high
    assert inside == (difference.pvalue > 0.05)


def test_few_groups_warn_and_many_do_not() -> None:
    for sizes, worth in (([3] * 29, "there are 29 groups:"), ([60, *[2] * 40], "worth 5.21 of")):
        y, s, groups = users(sizes)
        models, draws = {"a": s, "b": s * s}, {"n_resamples": B, "rng": 1}
        for function, scores, given in (
            (fm.delong, s, {}),
            (fm.delong_test, models, {}),
            (fm.bootstrap, s, draws),
            (fm.paired_bootstrap, models, draws),
            (fm.evaluate, s, draws),
        ):
            with pytest.warns(fm.SmallSampleWarning, match=worth) as caught:
                function(y, scores, groups=groups, **given)
            assert [one.filename for one in caught] == [__file__]
    y, s, groups = users([3] * 31)
    fm.delong(y, s, groups=groups)
    fm.bootstrap(y, s, groups=groups, n_resamples=B, rng=1)


def test_weights_that_leave_few_rows() -> None:
    y, s, _ = users([5] * 40)
    w = np.ones(200)
    w[:4] = 100.0
    size = fm.comparison.effective_sample_size(w)
    match = f"leave 200 rows worth {size:.3g} of equal weight.*`weights_are='frequencies'`"
    draws = {"n_resamples": B, "rng": 1, "sample_weight": w}
    for function, scores in ((fm.bootstrap, s), (fm.paired_bootstrap, {"a": s, "b": s * s})):
        with pytest.warns(fm.SmallSampleWarning, match=match):
            function(y, scores, **draws)
    with pytest.warns(fm.SmallSampleWarning, match="leave 200 rows worth"):
        fm.delong(y, s, sample_weight=w)
    for fine in (w[:20] * 0 + 1, None):  # few rows, but none that the weights took
        fm.delong(y[:20], s[:20], sample_weight=fine)
    fm.bootstrap(y, s, **draws | {"weights_are": "frequencies"})


@pytest.mark.filterwarnings("ignore::fastmetrics.errors.UndefinedMetricWarning")
def test_a_rare_class_is_named() -> None:
    y = np.repeat(["cat", "dog", "emu", "fox"], [40, 30, 4, 3])
    p = np.random.default_rng(0).dirichlet(np.ones(4), len(y))
    with pytest.warns(fm.SmallSampleWarning, match=r"classes .emu. \(4\), .fox. \(3\)"):
        fm.bootstrap(y, p, metrics="roc_auc_ovr", n_resamples=B, rng=1)
    y[-2:] = "emu"
    with pytest.warns(fm.SmallSampleWarning, match=r"class 'fox' \(1\): .*merge it with another"):
        fm.bootstrap(y, p, metrics="roc_auc_ovr", n_resamples=B, rng=1)
    y[-7:-1] = "fox"
    y[:8] = "emu"
    fm.bootstrap(y, p, metrics="roc_auc_ovr", n_resamples=B, rng=1)


@pytest.mark.parametrize("band", [fm.roc_band, fm.pr_band])
def test_bands_say_so_too(band: Any) -> None:
    labels, scores, groups = users([8] * 12)
    options = {"n_resamples": 99, "rng": 1, "points": 5}
    with pytest.warns(fm.SmallSampleWarning, match="there are 12 groups: below about 30"):
        band(labels, scores, groups=groups, **options)
    weights = np.random.default_rng(3).lognormal(0, 3, len(labels))
    with pytest.warns(fm.SmallSampleWarning, match="the weights leave 96 rows worth"):
        band(labels, scores, sample_weight=weights, **options)
