"""The score interval of an AUC, and of what is linear in it, by its equation."""

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import fastmetrics as fm
from reference.delong_oracle import newcombe_variance


def test_an_auc_has_a_score_interval() -> None:
    """Where (t - AUC)^2 = q^2 r V(t): V is Newcombe's, r DeLong's variance over V(AUC)."""
    y = np.r_[np.ones(20, int), np.zeros(80, int)]
    scores = np.arange(100.0)[::-1].copy()
    perfect = fm.estimate(y, scores, metrics="roc_auc")["roc_auc"]
    assert perfect.method == "score"
    assert perfect.confidence_interval == pytest.approx(score_limits(1.0, 20, 80, 1.0, 5.0))
    scores[20] = 95.5  # it is above 15 positives, and all the influence
    few = fm.estimate(y, scores, metrics=["roc_auc", "gini", "rank_loss"])
    auc = few["roc_auc"].estimate
    low, high = score_limits(auc, 20, 80, variance_ratio(few["roc_auc"], 20, 80), few["roc_auc"].df)
    assert few["roc_auc"].confidence_interval == pytest.approx((low, high))
    assert few["gini"].confidence_interval == pytest.approx((2 * low - 1, 2 * high - 1))
    assert few["rank_loss"].confidence_interval == pytest.approx((1 - high, 1 - low))


def test_the_variance_of_an_auc_below_newcombes_is_believed_by_rows_out_of_order() -> None:
    rng = np.random.default_rng(1)
    y = np.r_[np.ones(30, int), np.zeros(300, int)]
    scores = np.r_[rng.normal(0.8, 0.01, 30), rng.uniform(0.0, 1.0, 300)]
    estimate = fm.estimate(y, scores, metrics="roc_auc")["roc_auc"]
    assert estimate.standard_error**2 < 0.7 * newcombe_variance(estimate.estimate, 30, 300)
    assert 30 * (1 - estimate.estimate) < estimate.df - 5
    ratio = variance_ratio(estimate, 30, 300)
    expected = score_limits(estimate.estimate, 30, 300, ratio, estimate.df)
    assert estimate.confidence_interval == pytest.approx(expected)
    one_sided = fm.estimate(
        y, scores, metrics="roc_auc", confidence_level=0.975, alternative="less"
    )
    assert one_sided["roc_auc"].confidence_interval == pytest.approx(
        (0.0, estimate.confidence_interval[1])
    )


def test_groups_widen_the_score_interval_of_an_auc() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(200) % 2
    groups = np.arange(200) // 4
    scores = y + rng.normal(size=200) + np.repeat(rng.normal(0.0, 2.0, 50), 4)
    rows = fm.estimate(y, scores, metrics="roc_auc")["roc_auc"]
    estimate = fm.estimate(y, scores + 100 * y, metrics="roc_auc", groups=groups)["roc_auc"]
    assert estimate.confidence_interval == pytest.approx(score_limits(1.0, 100, 100, 4.0, 48.0))
    for by in (groups, np.arange(200)):
        own = fm.estimate(y, scores, metrics="roc_auc", groups=by)["roc_auc"]
        ratio = max(own.design_effect, 1.0) * variance_ratio(rows, 100, 100)
        expected = score_limits(rows.estimate, 100, 100, ratio, own.df)
        assert own.confidence_interval == pytest.approx(expected)


def test_somers_d_of_two_outcomes_has_the_limits_of_gini() -> None:
    rng = np.random.default_rng(4)
    y = (rng.random(300) < 0.1).astype(float)
    scores = np.round(y + rng.normal(size=300), 1)
    designs: list[dict[str, Any]] = [
        {},
        {"groups": np.arange(300) // 4},
        {"sample_weight": rng.random(300) + 0.5},
        {"strata": np.arange(300) % 2},
    ]
    for design in designs:
        gini = fm.estimate(y, scores, metrics="gini", **design)["gini"]
        d = fm.estimate(y, scores, metrics="somers_d", **design)["somers_d"]
        assert d.estimate == pytest.approx(gini.estimate)
        assert d.confidence_interval == pytest.approx(gini.confidence_interval)
        assert d.method == "score"
    for side, outcome in (("score", y), ("outcome", y + rng.normal(size=300))):
        other = fm.estimate(outcome, scores, metrics=("somers_d", {"given": side}))["somers_d"]
        assert other.method == "influence"


def test_strata_narrow_the_score_interval_of_an_auc() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(400) % 2
    strata = np.arange(400) // 2 % 2
    scores = y + 0.1 * rng.normal(size=400) + 1.5 * strata
    plain = fm.estimate(y, scores, metrics="roc_auc")["roc_auc"]
    estimate = fm.estimate(y, scores, metrics="roc_auc", strata=strata)["roc_auc"]
    assert (estimate.method, estimate.estimate) == ("score", plain.estimate)
    ratio = variance_ratio(estimate, 200, 200)
    expected = score_limits(estimate.estimate, 200, 200, ratio, estimate.df)
    assert estimate.confidence_interval == pytest.approx(expected)
    assert estimate.confidence_interval.low > plain.confidence_interval.low


def variance_ratio(actual: fm.results.Estimate, m: int, n: int) -> float:
    """Return DeLong's variance over Newcombe's of independent rows, as far as it is known."""
    ratio = actual.standard_error**2 / newcombe_variance(actual.estimate, m, n)
    d = actual.df - 5
    if ratio > 1:
        return ratio ** (d / (d + 1))
    d = min(d, min(m, n) * min(actual.estimate, 1 - actual.estimate))
    return ratio ** (d / (d + 2))


def score_limits(auc: float, m: int, n: int, ratio: float, df: float) -> tuple[float, float]:
    """Return the two t in [0, 1] with (t - auc)^2 = q^2 ratio V(t)."""
    factor = stats.t.ppf(0.975, df) ** 2 * ratio

    def excess(t: float) -> float:
        return (t - auc) ** 2 - factor * newcombe_variance(t, m, n)

    low = optimize.brentq(excess, 0.0, min(auc, 1.0 - 1e-9), xtol=1e-14)
    return low, optimize.brentq(excess, auc, 1.0, xtol=1e-14) if auc < 1 else 1.0


@pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")
def test_weights_of_perfect_scores_leave_no_variance_by_rounding() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y = np.arange(40) % 2
        weights = rng.random(40) ** 5
        given = {"metrics": ["roc_auc", "rank_loss"], "sample_weight": weights}
        for scores, area in ((y + 0.5 * rng.random(40), 1.0), (-y - 0.5 * rng.random(40), 0.0)):
            auc, loss = fm.estimate(y, scores, **given).values()
            assert (auc.estimate, loss.estimate) == (area, 1.0 - area)
            assert (auc.standard_error, loss.standard_error) == (0.0, 0.0)
            low, high = loss.confidence_interval
            assert (1.0 - high, 1.0 - low) == pytest.approx(tuple(auc.confidence_interval))
