"""Comparisons of models: paired tests, joint p-values, verdicts, plans."""

import math
import re
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import fastmetrics as fm
from fastmetrics.data import load_breast_cancer_scores
from fastmetrics.errors import InputError, UndefinedMetricWarning

N = 300


@pytest.fixture
def data() -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=N)
    right = 1 / (1 + np.exp(-x))
    noisy = 1 / (1 + np.exp(-(0.7 * x + 0.5 * rng.normal(size=N))))
    other = 1 / (1 + np.exp(-(0.9 * x + 0.3 * rng.normal(size=N))))
    return (rng.random(N) < right).astype(int), {"right": right, "noisy": noisy, "other": other}


def _losses(y: Any, p: Any, name: str) -> Any:
    return (p - y) ** 2 if name == "brier_score" else -np.log(np.where(y == 1, p, 1 - p))


@pytest.mark.parametrize("name", ["brier_score", "log_loss"])
def test_a_loss_is_the_paired_t_test_of_the_rows(data: Any, name: str) -> None:
    y, models = data
    comparison = fm.compare(y, models, metrics=name, confidence_level=0.9)[name]
    for pair in comparison:
        test = stats.ttest_rel(*(_losses(y, models[k], name) for k in (pair.a, pair.b)))
        assert pair.pvalue == pytest.approx(test.pvalue, rel=1e-9)
        assert tuple(pair.confidence_interval) == pytest.approx(
            tuple(test.confidence_interval(0.9))
        )
        assert (pair.statistic, pair.df) == pytest.approx((test.statistic, N - 1))
    values = [_losses(y, p, name).mean() for p in models.values()]
    assert comparison.estimate == pytest.approx(values)
    assert comparison.covariance == pytest.approx(
        np.cov([_losses(y, p, name) for p in models.values()]) / N
    )


@pytest.mark.parametrize("alternative", ["less", "greater"])
def test_one_sided(data: Any, alternative: Any) -> None:
    y, models = data
    pair = fm.compare(y, models, metrics="brier_score", alternative=alternative)["brier_score"][
        "right", "noisy"
    ]
    columns = [_losses(y, models[k], "brier_score") for k in ("right", "noisy")]
    test = stats.ttest_rel(*columns, alternative=alternative)
    assert pair.pvalue == pytest.approx(test.pvalue)
    assert tuple(pair.confidence_interval) == pytest.approx(tuple(test.confidence_interval(0.95)))


@pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")
@pytest.mark.parametrize(
    "rows",
    [
        {},
        {"groups": np.arange(N) // 4},
        {"sample_weight": np.arange(N) % 4, "weights_are": "frequencies"},
        {"sample_weight": np.random.default_rng(1).random(N)},
    ],
    ids=["plain", "groups", "frequencies", "importances"],
)
def test_auc_has_the_errors_of_delong(data: Any, rows: Any) -> None:
    """One AUC, one standard error, whichever door was taken."""
    y, models = data
    comparison = fm.compare(y, models, metrics="roc_auc", **rows)["roc_auc"]
    if not rows:
        test = fm.delong_test(y, models)
        assert comparison.estimate == pytest.approx(test.estimate, rel=1e-14)
        assert comparison.covariance == pytest.approx(test.covariance, rel=1e-12)
        for pair, other in zip(comparison, test, strict=True):
            assert pair.standard_error == pytest.approx(other.standard_error, rel=1e-12)
    for model, name in zip(comparison.models, models, strict=True):
        alone = fm.estimate(y, models[name], metrics="roc_auc", **rows)["roc_auc"]
        assert alone.standard_error == pytest.approx(model.standard_error, rel=1e-12)
        if not rows:
            single = fm.delong(y, models[name])
            assert alone.standard_error == pytest.approx(single.standard_error, rel=1e-12)


def test_decisions_are_paired(data: Any) -> None:
    y, models = data
    called = {name: (p >= 0.5).astype(int) for name, p in models.items()}
    by_labels = fm.compare(y, called, metrics=["accuracy", "f1"])
    by_threshold = fm.compare(y, models, metrics=["accuracy", "f1"], threshold=0.5)
    for name in ("accuracy", "f1"):
        assert by_labels[name].pairs == by_threshold[name].pairs
    right, noisy = ((called[k] == y).astype(float) for k in ("right", "noisy"))
    test = stats.ttest_rel(right, noisy)
    pair = by_labels["accuracy"]["right", "noisy"]
    assert pair.statistic == pytest.approx(test.statistic)
    d = right - noisy - (right - noisy).mean()
    s2 = (d**2).sum()
    s4 = (d**4).sum()
    assert pair.df == pytest.approx(min(5 + 2 * s2**2 / (s4 - s2**2 / N), N - 1))
    assert pair.pvalue == pytest.approx(2 * stats.t.sf(abs(pair.statistic), pair.df))


def test_the_better_model_is_that_of_the_adjusted_pvalue(data: Any) -> None:
    y, models = data
    comparison = fm.compare(y, models, metrics="log_loss")["log_loss"]
    for pair in comparison:
        low, high = pair.confidence_interval
        shown = pair.pvalue_adjusted < 0.05 and not low <= 0 <= high
        assert (pair.better is not None) == shown
        if shown:
            assert pair.better == (pair.a if pair.estimate < 0 else pair.b)  # a loss
    assert comparison["right", "noisy"].better == "right"


def test_a_reference_and_a_margin(data: Any) -> None:
    y, models = data
    margin = 0.02
    comparison = fm.compare(y, models, metrics="log_loss", reference="noisy", margin=margin)[
        "log_loss"
    ]
    assert [(pair.a, pair.b) for pair in comparison] == [("right", "noisy"), ("other", "noisy")]
    for pair in comparison:
        d = pair.estimate
        error = pair.standard_error
        # of a loss, a is worse by the margin where a - b reaches it
        assert pair.pvalue_noninferior == pytest.approx(stats.t.cdf((d - margin) / error, N - 1))
        both = stats.t.cdf((d - margin) / error, N - 1), stats.t.sf((d + margin) / error, N - 1)
        assert pair.pvalue_equivalent == pytest.approx(max(both))
    metric = "average_precision"
    gain = fm.compare(y, models, metrics=metric, margin=margin)[metric]["right", "noisy"]
    statistic = (gain.estimate + margin) / gain.standard_error
    assert gain.pvalue_noninferior == pytest.approx(stats.t.sf(statistic, gain.df))


def test_a_metric_without_influences_is_resampled(data: Any) -> None:
    y, models = data
    two = {name: models[name] for name in ("right", "noisy")}
    comparisons = fm.compare(y, two, metrics=["break_even_point", "roc_auc"], n_resamples=99, rng=1)
    assert comparisons["break_even_point"].method == "percentile bootstrap"
    assert comparisons["roc_auc"].method == "influence"
    (pair,) = comparisons["break_even_point"]
    expected = fm.paired_bootstrap(y, two, metrics="break_even_point", n_resamples=99, rng=1)
    assert pair == expected["break_even_point"].pairs[0]
    turned = fm.compare(
        y, two, metrics="break_even_point", reference="right", n_resamples=99, rng=1
    )
    (other,) = turned["break_even_point"]
    assert other.estimate == -pair.estimate
    turned_over = [-x for x in reversed(pair.confidence_interval)]
    assert other.confidence_interval == pytest.approx(turned_over, rel=1e-14)


@pytest.mark.parametrize("missed", [0, 2])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_no_decision_that_differs_is_no_certainty(missed: int, level: float) -> None:
    """Limits are Tango's of no discordant pair: z^2 / (n + z^2); both classes put together."""
    y = np.repeat([1, 0], [6, 30])
    called = np.repeat([0, 1, 0, 1], [missed, 6 - missed, 27, 3])
    z2 = stats.norm.ppf(0.5 + level / 2) ** 2
    rate_reach = {1: z2 / (6 + z2), 0: z2 / (30 + z2)}
    reaches = {
        "accuracy": z2 / (36 + z2),
        "error_rate": z2 / (36 + z2),
        "recall": rate_reach[1],
        "specificity": rate_reach[0],
        "balanced_accuracy": math.hypot(*rate_reach.values()) / 2,
    }
    models = {"a": called, "b": called.copy()}
    with pytest.warns(fm.DegenerateDataWarning, match="nothing tells the models apart"):
        actual = fm.compare(y, models, metrics=[*reaches, "f1"], confidence_level=level)
    for metric, reach in reaches.items():
        pair = actual[metric].pairs[0]
        assert tuple(pair.confidence_interval) == pytest.approx((-reach, reach), rel=1e-12)
        assert (pair.estimate, pair.pvalue, pair.better) == (0.0, 1.0, None)
    # a changed decision of either class moves F1 by its slope
    tp = 6 - missed
    fp = 3
    fn = missed
    ways = 2 * tp + fp + fn
    positive_slope = 2 * (tp + fp + fn) / ways**2
    negative_slope = 2 * tp / ways**2
    plain = [z2 * n / (n + z2) for n in (6, 30)]
    reach = math.hypot(plain[0] * positive_slope, plain[1] * negative_slope)
    assert tuple(actual["f1"].pairs[0].confidence_interval) == pytest.approx((-reach, reach))
    with pytest.warns(fm.DegenerateDataWarning):
        upper = fm.compare(y, models, metrics="recall", alternative="less", confidence_level=level)
    z2 = stats.norm.ppf(level) ** 2
    actual = tuple(upper["recall"].pairs[0].confidence_interval)
    assert actual == pytest.approx((-1.0, z2 / (6 + z2)), rel=1e-12)


def test_a_note_says_where_models_are_unlike_on_few_rows() -> None:
    """As in the study: limits of 100 rows, 3 and 1.2 standard deviations apart, cover 91 %."""
    rng = np.random.default_rng(5)
    for n, better, told in ((100, 3.0, True), (100, 1.3, False), (300, 3.0, False)):
        y = np.arange(n) % 2
        scores = {"a": better * y + rng.normal(size=n), "b": 1.2 * y + rng.normal(size=n)}
        for pair in (scores, dict(reversed(scores.items()))):
            comparisons = fm.compare(y, pair, metrics=["average_precision", "roc_auc"])
            assert ("models differ much" in comparisons["average_precision"].note) == told
            assert comparisons["roc_auc"].note == ""
        grouped = fm.compare(y, scores, metrics="average_precision", groups=np.arange(n) // 2)
        assert "unlike" not in grouped["average_precision"].note


def test_a_note_says_where_few_rows_carry_a_difference() -> None:
    rng = np.random.default_rng(4)
    for n, few in ((100, True), (2_000, False)):
        y = np.arange(n) % 20 == 0
        scores = {"a": y + rng.normal(size=n), "b": y + rng.normal(size=n)}
        comparisons = fm.compare(y, scores, metrics=["average_precision", "roc_auc"])
        assert (comparisons["average_precision"].pairs[0].df < 15.0) == few
        assert ("few rows" in comparisons["average_precision"].note) == few
        assert comparisons["roc_auc"].note == ""
        chances = {k: 1.0 / (1.0 + np.exp(3.5 - s)) for k, s in scores.items()}
        for name, one in fm.compare(y, chances, metrics=["log_loss", "brier_score"]).items():
            d = _losses(y, chances["a"], name) - _losses(y, chances["b"], name)
            df = 2.0 * n / (stats.kurtosis(d, fisher=False) - 1.0)  # what its variance is known by
            assert (df < 15.0) == few
            said = f"{name}: few rows (about {df:.2g}) determine the difference, whose interval"
            assert one.note.startswith(said) == few
            assert bool(one.note) == few
            assert one.pairs[0].df == n - 1  # the test is the paired t test all the same
            assert fm.compare(y, chances, metrics=name, groups=np.arange(n) // 2)[name].note == ""
    with pytest.warns(fm.DegenerateDataWarning, match="nothing tells the models apart"):
        same = fm.compare(y, {"a": chances["a"], "b": chances["a"]}, metrics="log_loss")
    assert "few rows" not in same["log_loss"].note


def test_few_rows_are_at_least_one() -> None:
    scores = {"a": [0.1, 0.9, 0.8], "b": [0.3, 0.1, 0.8]}
    one = fm.compare([0, 1, 1], scores, metrics="brier_score")["brier_score"]
    assert "few rows (about 1) determine" in one.note


def test_models_that_rank_alike_are_one_comparison() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    one = rng.normal(size=200) + y
    other = one + rng.normal(size=200)
    scores = {"a": one, "b": 2.0 * one, "c": other, "d": 3.0 * other}
    with pytest.warns(fm.DegenerateDataWarning, match="nothing tells the models apart"):
        pairs = fm.compare(y, scores, metrics="roc_auc")["roc_auc"].pairs
    assert len({pair.pvalue for pair in pairs}) == 2  # 1 and that of the two that differ
    for pair in pairs:
        assert pair.pvalue_adjusted == pytest.approx(pair.pvalue, abs=1e-4)


def models(rng: np.random.Generator, n: int = 400, *noise: float) -> tuple[Any, dict[str, Any]]:
    """Return labels, and probabilities of models a, b, ... with so much noise."""
    x = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-2 * x))).astype(int)
    actual = {
        name: 1 / (1 + np.exp(-(2 * x + s * rng.normal(size=n))))
        for name, s in zip("abc", noise, strict=False)
    }
    return y, actual


def test_the_better_model_and_by_how_much(rng: Any) -> None:
    y, scores = models(rng, 400, 0.1, 3.0)
    for metric, gain in (("roc_auc", 1), ("log_loss", -1)):
        comparison = fm.compare(y, scores, metrics=metric)[metric]
        (pair,) = comparison.pairs
        assert pair.better == "a"
        assert (pair.estimate > 0) == (gain > 0)
        assert comparison.verdict == f"a is better than b in {metric}."
        turned = fm.compare(y, {"b": scores["b"], "a": scores["a"]}, metrics=metric)
        assert turned[metric].verdict == comparison.verdict


def test_what_is_not_shown_names_what_could_have_been(rng: Any) -> None:
    y, scores = models(rng, 300, 1.0, 1.0)
    comparison = fm.compare(y, scores, metrics="roc_auc")["roc_auc"]
    (pair,) = comparison.pairs
    assert comparison.verdict == "No significant difference between a and b in roc_auc."
    said = re.search(r"300 rows a difference is significant from (0\.\d+) on", str(comparison))
    assert said is not None
    low, high = pair.confidence_interval
    assert float(said[1]) == pytest.approx((high - low) / 2, rel=0.01)
    groups = fm.compare(y, scores, metrics="roc_auc", groups=np.arange(300) // 3)
    assert "With these 100 groups a difference is" in str(groups)


@pytest.mark.parametrize("metric", ["roc_auc", "gini_coefficient", "average_precision"])
def test_limits_are_where_p_is_the_level(rng: Any, metric: str) -> None:
    """A limit is 0 at the level of p; and a margin is refused where it is a limit."""
    y, scores = models(rng, 60, 1.0, 1.5)
    options: dict[str, Any] = {"metrics": metric}
    for alternative in ("two-sided", "less", "greater"):
        options["alternative"] = alternative
        pair = fm.compare(y, scores, **options)[metric].pairs[0]
        if pair.pvalue > 0.5:
            continue
        at = fm.compare(y, scores, confidence_level=1.0 - pair.pvalue, **options)[metric].pairs[0]
        assert min(map(abs, at.confidence_interval)) == pytest.approx(0.0, abs=1e-11)
    low, high = (
        fm.compare(y, scores, confidence_level=0.9, metrics=metric)[metric]
        .pairs[0]
        .confidence_interval
    )
    for margin, field in ((-low, "pvalue_noninferior"), (max(-low, high), "pvalue_equivalent")):
        pair = fm.compare(y, scores, metrics=metric, margin=margin)[metric].pairs[0]
        assert getattr(pair, field) == pytest.approx(0.05)


def test_the_skewness_of_an_auc_is_halls(rng: Any) -> None:
    """By the placements of positives and negatives, as in a textbook."""
    y, scores = models(rng, 80, 0.5, 1.0)
    y = np.asarray(y)
    pair = fm.compare(y, scores, metrics="roc_auc")["roc_auc"].pairs[0]
    above = {
        name: (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
        for name, s in scores.items()
    }
    won = above["a"] - above["b"]
    moved = np.concatenate([(won.mean(axis) - won.mean()) / won.shape[1 - axis] for axis in (1, 0)])
    contributions = (moved**2).sum() ** 2 / (moved**4).sum()
    skewness = (moved**3).sum() / pair.standard_error**3 * contributions / (contributions + 3)
    statistic = pair.estimate / pair.standard_error
    transformed = ((1 + skewness * statistic / 3) ** 3 - 1) / skewness
    assert pair.pvalue == pytest.approx(2 * stats.t.sf(abs(transformed), pair.df), rel=1e-9)


def test_several_metrics_are_one_sentence_and_one_adjustment(rng: Any) -> None:
    y, scores = models(rng, 400, 0.1, 3.0)
    scores["b"] = np.clip(scores["b"], 0.01, 0.99)
    comparisons = fm.compare(y, scores, metrics=["roc_auc", "log_loss"])
    assert comparisons.verdict == "a is better than b in roc_auc and log_loss."
    said = "Significant differences stay so after Holm's correction for 2 metrics."
    assert said in str(comparisons)
    y, scores = models(rng, 100, 1.0, 1.0)
    comparisons = fm.compare(y, scores, metrics=["roc_auc", "log_loss"])
    said = "No significant difference between a and b in roc_auc and log_loss."
    assert comparisons.verdict == said


def test_three_models(rng: Any) -> None:
    y, scores = models(rng, 400, 0.1, 3.0, 3.0)
    comparison = fm.compare(y, scores, metrics="roc_auc")
    assert comparison["roc_auc"].better == "a"
    assert comparison.verdict == "a is best: better than b and c in roc_auc."
    assert "b − c" not in str(comparison)
    assert "`explain()` adds 1 row" in str(comparison)
    assert "b − c" in comparison.explain()
    scores["c"] = scores["a"] + 1e-3 * rng.normal(size=400)
    comparison = fm.compare(y, scores, metrics="roc_auc")
    assert comparison.verdict.split("\n") == [
        "No model is best: a and c are not told apart.",
        "a is better than b in roc_auc; c is better than b in roc_auc.",
    ]
    referred = fm.compare(y, scores, metrics="roc_auc", reference="b")
    assert referred.verdict == comparison.verdict.split("\n")[1]


def test_no_model_is_best_that_is_worse_in_a_metric(rng: Any) -> None:
    y, scores = models(rng, 400, 0.1, 3.0)
    scores["b"] = np.clip(scores["b"], 0.01, 0.99)
    scores["a"] = scores["a"] / 50
    comparison = fm.compare(y, scores, metrics=["roc_auc", "log_loss"])
    assert comparison.verdict == "a is better than b in roc_auc; b is better than a in log_loss."
    comparison = fm.compare(y, scores | {"c": rng.random(400)}, metrics=["roc_auc", "log_loss"])
    first, second = comparison.verdict.split("\n")
    assert first == "No model is best: a and b are better in different metrics, or not told apart."
    assert second == (
        "a is better than b and c in roc_auc; b is better than c in roc_auc, than a in log_loss; "
        "c is better than a in log_loss."
    )


def test_the_answer_is_corrected_for_all_metrics() -> None:
    y, scores = load_breast_cancer_scores()
    metrics = ["roc_auc", "average_precision", "brier_score", "log_loss"]
    verdict = fm.compare(y, scores, metrics=metrics).verdict
    assert verdict.startswith("logistic is best: better than ")
    assert "No significant difference in average_precision, nor from neighbours in" in verdict
    del scores["naive_bayes"]
    comparisons = fm.compare(y, scores, metrics=metrics)
    assert comparisons["average_precision"].better == "logistic"
    assert comparisons.verdict.split("\n") == [
        "logistic is better than neighbours in brier_score.",
        "No significant difference in roc_auc, average_precision and log_loss.",
    ]
    said = "Not significant after Holm's correction for 4 metrics: average_precision."
    assert said in str(comparisons)


def test_nothing_is_claimed_where_no_row_varies() -> None:
    scores = {"a": [0.1, 0.7, 0.3, 0.8], "b": [0.6, 0.2, 0.7, 0.4]}
    with pytest.warns(fm.errors.DegenerateDataWarning):
        comparison = fm.compare([0, 1, 0, 1], scores, metrics="roc_auc")["roc_auc"]
    assert (comparison.estimate, comparison.better) == ((1.0, 0.0), None)
    assert "is better" not in comparison.verdict
    assert "The standard error is 0, as no row varies: roc_auc." in str(comparison)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_words_agree_with_p_where_no_row_varies() -> None:
    """Models cannot be told apart where p is 1, and differ where p is 0 (FAULTS 58)."""
    y = np.array([1.0, 2.5, 3, 4, 5])
    scores = {
        "mean_absolute_error": (y, {"moved": y + 2, "same": y - 1, "a": y + 1}),
        "brier_score": (
            np.tile([0, 1], 4),
            {"moved": np.full(8, 0.5), "same": np.tile([0.2, 0.8], 4)},
        ),
    }
    for metric, (labels, models) in scores.items():
        models = {"a": models.get("a", np.tile([0.2, 0.8], 4)), **models}
        for other in ("moved", "same"):
            pair = {"a": models["a"], other: models[other]}
            comparison = fm.compare(labels, pair, metrics=metric)[metric]
            (one,) = comparison.pairs
            assert one.pvalue == (1.0 if other == "same" else 0.0)
            said = f"No significant difference between a and {other} in {metric}."
            assert comparison.verdict == said


def test_a_margin_is_answered(rng: Any) -> None:
    y, scores = models(rng, 2_000, 0.5, 0.5)
    words = {
        0.2: "roc_auc: a and b differ by less than 0.2.",
        0.0001: "roc_auc: no evidence that a is not worse than b by 0.0001 or more.",
    }
    for margin, said in words.items():
        comparison = fm.compare(y, scores, metrics="roc_auc", margin=margin)["roc_auc"]
        assert said in comparison.verdict
    better = {"a": scores["a"], "b": np.where(rng.random(2_000) < 0.2, 0.5, scores["b"])}
    comparison = fm.compare(y, better, metrics="roc_auc", margin=0.005)["roc_auc"]
    assert comparison.better == "a"
    assert "not worse" not in comparison.verdict


def test_lines_of_a_verdict_stay_lines(rng: Any) -> None:
    y = np.arange(200) % 2
    scores = {"a": y + rng.normal(size=200), "b": y + rng.normal(size=200) * 4}
    comparisons = fm.compare(y, scores, metrics=["roc_auc", "average_precision"])
    assert str(comparisons).splitlines()[0] == comparisons.verdict
    assert f"<p>{comparisons.verdict}</p>" in comparisons._repr_html_()


N_SIZE = 4000


def models_size(rng, n=N_SIZE):
    y = rng.integers(0, 2, n)
    shared = y + rng.normal(0, 1, n)
    a = shared + rng.normal(0, 0.3, n)
    b = shared + rng.normal(0, 1, n)
    return y, {"a": stats.norm.cdf(a - 0.5), "b": stats.norm.cdf(b - 0.5)}


def test_a_proportion_takes_as_many_as_its_closed_form():
    y_true = [0, 1] * 500
    y_pred = [0, 1] * 400 + [1, 1, 0, 0] * 50
    accuracy = 0.9
    n = len(y_true)
    plan = fm.estimate(y_true, y_pred, metrics="accuracy")["accuracy"].plan(half_width=0.01)
    closed = 1.959964**2 * accuracy * (1 - accuracy) / 0.01**2
    assert plan.n_samples == pytest.approx(closed * n / (n - 1), rel=0.01)
    assert plan.half_width <= 0.01 < plan.half_width * 1.001
    assert (plan.difference, plan.power, plan.n_groups) == (None, None, None)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
def test_a_mean_difference_takes_as_many_as_statsmodels_says(rng, alternative, power):
    y, scores = models_size(rng, 300)
    comparison = fm.compare(y, scores, metrics="brier_score", alternative=alternative)[
        "brier_score"
    ]
    plan = comparison.plan(difference=0.02, power=power)
    deviation = comparison.pairs[0].standard_error * math.sqrt(len(y))
    side = {"two-sided": "two-sided", "greater": "larger"}[alternative]
    wanted = TTestPower().solve_power(0.02 / deviation, None, 0.05, power, side)
    assert plan.n_samples == pytest.approx(wanted, abs=2)
    assert plan.power == pytest.approx(power, abs=0.02)
    assert plan.power >= power


def test_the_planned_power_is_that_of_new_samples():
    rng = np.random.default_rng(0)
    comparison = fm.compare(*models_size(rng, 20_000), metrics="roc_auc")["roc_auc"]
    plan = comparison.plan(difference=comparison.pairs[0].difference, power=0.8)
    won = [
        fm.compare(*models_size(rng, plan.n_samples), metrics="roc_auc")["roc_auc"].better == "a"
        for _ in range(400)
    ]
    assert np.mean(won) == pytest.approx(0.8, abs=0.07)


@pytest.mark.parametrize(
    "metric", ["roc_auc", "average_precision", "f1", "log_loss", "mean_average_precision"]
)
def test_an_interval_of_the_planned_size_has_the_half_width(metric):
    rng = np.random.default_rng(1)
    pilot = models_size(rng, 2_000)
    new = models_size(rng, 20_000)

    is_ranking = metric == "mean_average_precision"

    def actual(data, n):
        options = {"query": np.arange(n) // 5} if is_ranking else {"threshold": 0.5}
        return fm.estimate(data[0][:n], data[1]["a"][:n], metrics=metric, **options)[metric]

    one = actual(pilot, 2_000)
    low, high = one.confidence_interval
    plan = one.plan(half_width=(high - low) / 4)
    rows = int(plan.n_samples) * (5 if is_ranking else 1)
    low, high = actual(new, rows).confidence_interval
    assert (high - low) / 2 == pytest.approx(plan.half_width, rel=0.15)
    assert actual(new, rows).n_samples == pytest.approx(plan.n_samples, rel=0.05)


def test_groups_are_counted_with_groups():
    y, scores = models_size(np.random.default_rng(2))
    groups = np.arange(N_SIZE) // 8
    one = fm.estimate(y, scores["a"], metrics="roc_auc", groups=groups)["roc_auc"]
    low, high = one.confidence_interval
    plan = one.plan(half_width=(high - low) / 4)
    assert plan.n_groups == pytest.approx(4 * N_SIZE // 8, rel=0.02)
    assert plan.n_samples == 8 * plan.n_groups
    pair = fm.compare(y, scores, metrics="roc_auc", groups=groups)["roc_auc"]
    plan = pair.plan(difference=0.01)
    assert plan.n_samples == 8 * plan.n_groups


def test_one_limit_and_several_pairs():
    rng = np.random.default_rng(3)
    y, scores = models_size(rng)
    for side in ("less", "greater"):
        one = fm.estimate(y, scores["a"], metrics="roc_auc", alternative=side)["roc_auc"]
        distance = max(
            abs(limit - one.estimate) for limit in one.confidence_interval if 0 < limit < 1
        )
        assert one.plan(half_width=distance * 1.0001).n_samples == pytest.approx(N_SIZE, rel=0.001)
    three = scores | {"c": rng.random(N_SIZE)}
    comparison = fm.compare(y, three, metrics="roc_auc")["roc_auc"]
    plan = comparison.plan(difference=0.05)
    needs_most = max(comparison.pairs, key=lambda pair: pair.standard_error)
    assert plan.metric == f"roc_auc of {needs_most.a} and {needs_most.b}"
    strict = fm.compare(
        y,
        {name: three[name] for name in (needs_most.a, needs_most.b)},
        metrics="roc_auc",
        confidence_level=1 - 0.05 / 3,
    )["roc_auc"]
    assert plan.n_samples == strict.plan(difference=0.05).n_samples


def test_what_does_not_vary_has_no_plan():
    y = np.array([0, 1] * 20)
    perfect = fm.estimate(y, y * 0.5, metrics="roc_auc")["roc_auc"]
    with pytest.warns(UndefinedMetricWarning, match="number of samples for roc_auc is nan"):
        plan = perfect.plan(half_width=0.1)
    assert math.isnan(plan.n_samples)
    with pytest.warns(match="variance of 0"):
        same = fm.compare(y, {"a": y * 0.5, "b": y * 0.7}, metrics="roc_auc")["roc_auc"]
    with pytest.warns(UndefinedMetricWarning, match="roc_auc of a and b is nan"):
        assert math.isnan(same.plan(difference=0.1).n_samples)


@pytest.mark.parametrize("bad", [0, -0.1, math.nan, math.inf, "0.1", None, True, 1e-12])
def test_faults_size(rng, bad):
    y, scores = models_size(rng, 100)
    one = fm.estimate(y, scores["a"], metrics="roc_auc")["roc_auc"]
    two = fm.compare(y, scores, metrics="roc_auc")["roc_auc"]
    said = "more than 10\\^15" if bad == 1e-12 else "`half_width`"
    with pytest.raises(InputError, match=said):
        one.plan(half_width=bad)
    with pytest.raises(InputError, match=said.replace("half_width", "difference")):
        two.plan(difference=bad)
    for power in (0, 1, math.nan, 80):
        with pytest.raises(InputError, match=r"`power` must lie in \(0, 1\)"):
            two.plan(difference=0.1, power=power)
    with pytest.raises(TypeError):
        one.plan(0.1)
