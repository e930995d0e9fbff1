"""Estimates: limits by their formulas, the rule that picks them, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import fastmetrics as fm

N = 400


@pytest.fixture
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    p = rng.beta(2, 3, N)
    return (rng.random(N) < p).astype(int), p.round(2)


def test_limits_are_students_on_the_scale(data: Any) -> None:
    y, p = data
    found = fm.estimate(y, p, metrics=["average_precision", "brier_score"], confidence_level=0.9)
    for name, to, slope in (
        ("average_precision", lambda v: math.log(v / (1 - v)), lambda v: 1 / (v * (1 - v))),
        ("brier_score", math.log, lambda v: 1 / v),
    ):
        one = found[name]
        half = stats.t.ppf(0.95, one.df) * one.standard_error * slope(one.estimate)
        limits = [to(x) for x in one.confidence_interval]
        assert limits == pytest.approx([to(one.estimate) - half, to(one.estimate) + half])
    values = fm.estimate(p, p + y, metrics=["r2", "kendall_tau", "mean_error"])
    assert [one.scale for one in values.values()] == ["lack", "atanh", "identity"]
    one = values["mean_error"]
    low, high = one.confidence_interval
    assert (low + high) / 2 == pytest.approx(one.estimate)


def test_a_mean_has_its_standard_error(data: Any) -> None:
    y, p = data
    found = fm.estimate(y, p, metrics="brier_score")["brier_score"]
    losses = (p - y) ** 2
    assert found.estimate == pytest.approx(losses.mean())
    assert found.standard_error == pytest.approx(losses.std(ddof=1) / math.sqrt(N))
    c = losses - losses.mean()
    assert found.df == pytest.approx((c**2).sum() ** 2 / (c**4).sum())


def test_shares_have_wilsons_limits(data: Any) -> None:
    y, p = data
    found = fm.estimate(y, p, metrics=["accuracy", "recall", "f1"], threshold=0.4)
    called = p >= 0.4
    cells = {
        "tp": int((called & (y == 1)).sum()),
        "fp": int((called & (y == 0)).sum()),
        "fn": int((~called & (y == 1)).sum()),
        "tn": int((~called & (y == 0)).sum()),
    }
    for name, one in found.items():
        expected = fm.estimate(fm.ConfusionMatrix.binary(**cells), metrics=name)[name]
        assert one.method == "wilson"
        assert tuple(one.confidence_interval) == pytest.approx(tuple(expected.confidence_interval))
        assert one.estimate == pytest.approx(expected.estimate)
    classes = fm.estimate([0, 1, 2, 2] * 9, [0, 2, 2, 2] * 9, metrics="accuracy")["accuracy"]
    wilson = fm.comparison.proportion_interval(27, 36, method="wilson").confidence_interval
    assert tuple(classes.confidence_interval) == pytest.approx(tuple(wilson))
    grouped = fm.estimate(y, p, metrics="recall", threshold=0.4, groups=np.arange(N) // 2)
    assert grouped["recall"].method == "influence"


def test_a_sum_of_rates_has_an_interval_where_one_is_perfect() -> None:
    y = np.r_[np.ones(6, int), np.zeros(94, int)]
    called = np.r_[np.ones(6, int), np.ones(4, int), np.zeros(90, int)]
    found = fm.estimate(y, called, metrics=["balanced_accuracy", "informedness"])
    recall = fm.comparison.proportion_interval(6, 6, method="wilson").confidence_interval
    specificity = fm.comparison.proportion_interval(90, 94, method="wilson").confidence_interval
    down = math.hypot(1 - recall.low, 90 / 94 - specificity.low)
    up = specificity.high - 90 / 94
    j = 90 / 94
    assert tuple(found["informedness"].confidence_interval) == pytest.approx((j - down, j + up))
    half = found["balanced_accuracy"].confidence_interval
    assert tuple(half) == pytest.approx(((1 + j - down) / 2, (1 + j + up) / 2))


def test_an_auc_near_one_takes_newcombe_in() -> None:
    y = np.r_[np.ones(20, int), np.zeros(80, int)]
    scores = np.arange(100.0)[::-1].copy()
    perfect = fm.estimate(y, scores, metrics="roc_auc")["roc_auc"]
    newcombe = fm.comparison.newcombe_interval(1.0, 20, 80)
    assert perfect.method == "newcombe"
    assert tuple(perfect.confidence_interval) == pytest.approx(tuple(newcombe))
    scores[20] = 95.5
    near = fm.estimate(y, scores, metrics="roc_auc")["roc_auc"]
    shape = fm.comparison.newcombe_interval(near.estimate, 20, 80)
    own = fm.estimate(y, scores, metrics="roc_auc", method="influence")["roc_auc"]
    low, high = near.confidence_interval
    assert near.method == "outer limits with newcombe"
    assert low == min(shape.low, own.confidence_interval.low)
    assert high == max(shape.high, own.confidence_interval.high)


def test_a_table_is_its_rows(data: Any) -> None:
    y, p = data
    table = fm.ScoreTable.from_scores(y, p)
    metrics = ["roc_auc", "average_precision", "pr_auc", "gini"]
    of_table, of_rows = fm.estimate(table, metrics=metrics), fm.estimate(y, p, metrics=metrics)
    by_row = fm.estimate(y, p, metrics=metrics, groups=np.arange(N))
    for name in metrics:
        assert of_table[name] == of_rows[name]
        assert by_row[name].estimate == of_rows[name].estimate
        error = by_row[name].standard_error
        assert error == pytest.approx(of_rows[name].standard_error, rel=1e-12)
    losses = ["brier_score", "log_loss", "hinge_loss", "d2_brier_score", "calibration_slope"]
    rules = [*losses, ("net_benefit", {"threshold": 0.3}), "calibration_in_the_large"]
    of_table, of_rows = fm.estimate(table, metrics=rules), fm.estimate(y, p, metrics=rules)
    for name, own in of_rows.items():
        limits = [*of_table[name].confidence_interval, of_table[name].df]
        assert limits == pytest.approx([*own.confidence_interval, own.df], rel=1e-9)
    for name, given in (("groups", y), ("threshold", 0.5), ("y_score", p)):
        with pytest.raises(TypeError, match=f"a ScoreTable comes alone: pass no `{name}`"):
            fm.estimate(table, metrics="roc_auc", **{name: given})
    with pytest.raises(ValueError, match="`mean_error` needs rows"):
        fm.estimate(table, metrics="mean_error")
    with pytest.raises(ValueError, match=r"`y_score` must lie in \[0, 1\]"):
        fm.estimate(fm.ScoreTable.from_scores(y, 2 * p), metrics="log_loss")


def test_one_sided(data: Any) -> None:
    y, p = data
    both = fm.estimate(y, p, metrics="average_precision", confidence_level=0.9)
    less = fm.estimate(y, p, metrics="average_precision", alternative="less")
    greater = fm.estimate(y, p, metrics="average_precision", alternative="greater")
    low, high = both["average_precision"].confidence_interval
    assert tuple(less["average_precision"].confidence_interval) == (0.0, high)
    assert tuple(greater["average_precision"].confidence_interval) == (low, 1.0)


@pytest.mark.parametrize("over", ["false_positive_rate_range", "true_positive_rate_range"])
def test_the_scale_of_a_partial_auc_ends_where_it_does(data: Any, over: str) -> None:
    y, p = data
    asked = ("partial_auc", {over: (0.1, 0.4)})
    found = fm.estimate(y, p, metrics=asked)["partial_auc"]
    share, error = found.estimate / 0.3, found.standard_error / 0.3
    half = stats.t.ppf(0.975, found.df) * error / (share * (1 - share))
    ends = [special.expit(special.logit(share) + side * half) for side in (-1, 1)]
    assert found.confidence_interval == pytest.approx([0.3 * end for end in ends], rel=1e-9)


def test_what_is_not_smooth_is_resampled(data: Any) -> None:
    y, p = data
    found = fm.estimate(y, p, metrics=["break_even_point", "roc_auc"], n_resamples=99, rng=3)
    assert (found["break_even_point"].method, found["roc_auc"].method) == (
        "percentile",
        "influence",
    )
    expected = fm.bootstrap(y, p, metrics="break_even_point", n_resamples=99, rng=3)[
        "break_even_point"
    ]
    assert found["break_even_point"] == expected
    asked = fm.estimate(y, p, metrics="roc_auc", method="basic", n_resamples=99, rng=3)
    assert asked["roc_auc"].method == "basic"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"metrics": "break_even_point", "method": "influence"},
            "`break_even_point` has no influences",
        ),
        ({"metrics": "roc_auc", "method": "wilson"}, "`method='wilson'` is for shares"),
        ({"metrics": "f1", "threshold": 0.5, "method": "newcombe"}, "is for the AUC: got 'f1'"),
        ({"metrics": "roc_auc_ovr"}, r"`y_score` must have shape \(n_samples, n_classes\)"),
        (
            {"metrics": "break_even_point", "strata": [0] * N},
            "`strata` are for measures with influ",
        ),
    ],
)
def test_what_is_refused(data: Any, given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fm.estimate(*data, **given)


def test_slips(data: Any) -> None:
    y, p = data
    with pytest.raises(TypeError, match="models by name are for `compare`"):
        fm.estimate(y, {"a": p}, metrics="roc_auc")
    with pytest.raises(TypeError, match="`y_score` is missing"):
        fm.estimate(y, metrics="roc_auc")
    with pytest.raises(ValueError, match=r"`pos_label` is none of the labels \[0, 1\]: got 7"):
        fm.estimate(y, y, metrics="f1", pos_label=7)
    with pytest.raises(ValueError, match=r"lie in \[0, 1\]"):
        fm.estimate(y, p * 2, metrics="log_loss")


@pytest.mark.parametrize("metric", ["average_precision", "matthews_corrcoef"])
def test_what_does_not_vary_says_so(metric: str) -> None:
    with pytest.warns(fm.DegenerateDataWarning, match="it has no interval"):
        found = fm.estimate([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], metrics=metric, threshold=0.5)
    assert found[metric].estimate == 1.0
    assert math.isnan(found[metric].confidence_interval.high)
    assert "it has no interval" in found[metric].note


@pytest.mark.parametrize("p", [0.55, 0.6, 0.8, 0.9])
@pytest.mark.parametrize("metric", ["brier_score", "log_loss"])
def test_rows_that_all_lose_the_same_have_no_interval(metric: str, p: float) -> None:
    """Of two classes and of three, whose losses are sums in another order in each row."""
    of_three = np.tile(np.where(np.eye(3) > 0, p, (1 - p) / 2), (4, 1))
    for y, scores in ((["a", "b", "c"] * 4, of_three), ([0, 1] * 6, [1 - p, p] * 6)):
        with pytest.warns(fm.DegenerateDataWarning, match="it has no interval"):
            (estimate,) = fm.estimate(y, scores, metrics=metric).values()
        assert estimate.standard_error == 0.0
        assert np.isnan(estimate.confidence_interval).all()
        assert "nan" not in repr(estimate)


def test_the_design_effect_is_the_variance_over_that_of_rows(data: Any) -> None:
    y, p = data[:2]
    metrics = ["brier_score", "average_precision"]
    alone = fm.estimate(y, p, metrics=metrics)
    groups = np.arange(N) // 3
    for metric, found in fm.estimate(y, p, metrics=metrics, groups=groups).items():
        ratio = (found.standard_error / alone[metric].standard_error) ** 2
        assert found.design_effect == pytest.approx(ratio, rel=1e-12)
        assert alone[metric].design_effect is None
    each = fm.estimate(y, p, metrics="brier_score", groups=np.arange(N))["brier_score"]
    assert each.design_effect == pytest.approx(1.0)
    thrice = np.repeat(y, 3), np.repeat(p, 3)
    found = fm.estimate(*thrice, metrics="brier_score", groups=np.repeat(np.arange(N), 3))
    assert found["brier_score"].design_effect == pytest.approx(
        3.0 * (1 - 1 / (3 * N)) / (1 - 1 / N)
    )
    assert "design effect" in str(found)


def test_errors_of_heavy_tails_are_told() -> None:
    rng = np.random.default_rng(0)
    told = {"normal": 0, "t": 0}
    for _ in range(50):
        x = rng.normal(size=400)
        for name, errors in (("normal", rng.normal(size=400)), ("t", rng.standard_t(2.5, 400))):
            found = fm.estimate(x + errors, x, metrics="r2")["r2"]
            told[name] += "a few large errors carry that of r2" in found.note
            assert bool(found.note) == (found.df < 10)
    assert told["normal"] == 0
    assert told["t"] > 30


def test_few_groups_and_heavy_weights_are_told(data: Any) -> None:
    y, p = data
    with pytest.warns(fm.SmallSampleWarning, match="there are 5 groups"):
        fm.estimate(y, p, metrics="brier_score", groups=np.arange(N) % 5)
    with pytest.warns(fm.SmallSampleWarning, match="worth"):
        fm.estimate(y, p, metrics="brier_score", sample_weight=np.r_[1e4, np.ones(N - 1)])


def test_strata_take_what_was_decided_beforehand(data: Any) -> None:
    """The share of positives is fixed by design: accuracy varies less than a proportion does."""
    y, p = data
    fixed = fm.estimate(y, p, metrics="accuracy", threshold=0.4, strata=y)["accuracy"]
    right = (p >= 0.4) == y
    parts = [right[y == k].var(ddof=1) * (y == k).sum() for k in (0, 1)]
    assert fixed.standard_error == pytest.approx(math.sqrt(sum(parts)) / N)


@pytest.mark.filterwarnings("ignore:there are 10 groups")
@pytest.mark.parametrize("scale", [2.0**-500, 2.0**-266, 2.0**250, 2.0**500])
@pytest.mark.parametrize("groups", [None, np.arange(40) // 4], ids=["rows", "groups"])
@pytest.mark.parametrize("metric", ["mean_absolute_error", "mean_error", "root_mean_squared_error"])
def test_intervals_and_tests_scale_with_the_data(metric: str, groups: Any, scale: float) -> None:
    rng = np.random.default_rng(9)
    true = rng.normal(size=40)
    models = {name: true + 0.1 * rng.normal(size=40) for name in "ab"}
    larger = {name: scale * values for name, values in models.items()}
    one, other = (
        fm.estimate(*data, metrics=metric, groups=groups)[metric]
        for data in ((true, models["a"]), (scale * true, larger["a"]))
    )
    assert other.df == pytest.approx(one.df, rel=1e-9)
    assert other.confidence_interval.low / scale == pytest.approx(
        one.confidence_interval.low, rel=1e-9
    )
    p, q = (
        fm.compare(*data, metrics=metric, groups=groups).to_frame()["pvalue"].iloc[0]
        for data in ((true, models), (scale * true, larger))
    )
    assert q == pytest.approx(p, rel=1e-9)


def test_a_difference_below_the_squares_of_doubles_has_no_pvalue() -> None:
    rng = np.random.default_rng(9)
    true = rng.normal(size=40)
    models = {name: 1e-170 * (true + 0.1 * rng.normal(size=40)) for name in "ab"}
    with pytest.warns(fm.UndefinedMetricWarning, match="has no interval"):
        found = fm.compare(1e-170 * true, models, metrics="root_mean_squared_error")
    assert np.isnan(found.to_frame()["pvalue"].iloc[0])
