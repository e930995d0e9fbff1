"""Comparisons against SciPy's paired tests, DeLong's, and definitions."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm

N = 300


@pytest.fixture
def data() -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=N)
    right = 1 / (1 + np.exp(-x))
    noisy = 1 / (1 + np.exp(-(0.7 * x + 0.5 * rng.normal(size=N))))
    other = 1 / (1 + np.exp(-(0.9 * x + 0.3 * rng.normal(size=N))))
    y = (rng.random(N) < right).astype(int)
    return y, {"right": right, "noisy": noisy, "other": other}


def _losses(y: Any, p: Any, name: str) -> Any:
    return (p - y) ** 2 if name == "brier_score" else -np.log(np.where(y == 1, p, 1 - p))


@pytest.mark.parametrize("name", ["brier_score", "log_loss"])
def test_a_loss_is_the_paired_t_test_of_the_rows(data: Any, name: str) -> None:
    y, models = data
    found = fm.compare(y, models, metrics=name, confidence_level=0.9)[name]
    for pair in found:
        test = stats.ttest_rel(*(_losses(y, models[k], name) for k in (pair.a, pair.b)))
        assert pair.pvalue == pytest.approx(test.pvalue, rel=1e-9)
        assert tuple(pair.confidence_interval) == pytest.approx(
            tuple(test.confidence_interval(0.9))
        )
        assert (pair.statistic, pair.df) == pytest.approx((test.statistic, N - 1))
    values = [_losses(y, p, name).mean() for p in models.values()]
    assert found.estimate == pytest.approx(values)
    assert found.covariance == pytest.approx(
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
    found = fm.compare(y, models, metrics="roc_auc", **rows)["roc_auc"]
    test = fm.delong_test(y, models, **rows)
    assert found.estimate == pytest.approx(test.estimate, rel=1e-14)
    assert found.covariance == pytest.approx(test.covariance, rel=1e-12)
    for pair, other in zip(found, test, strict=True):
        assert pair.standard_error == pytest.approx(other.standard_error, rel=1e-12)
    for model, name in zip(found.models, models, strict=True):
        alone = fm.estimate(y, models[name], metrics="roc_auc", **rows)["roc_auc"]
        assert alone.standard_error == pytest.approx(model.standard_error, rel=1e-12)
        single = fm.delong(y, models[name], **rows)
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
    s2, s4 = (d**2).sum(), (d**4).sum()
    assert pair.df == pytest.approx(min(2 * s2**2 / (s4 - s2**2 / N), N - 1))
    assert pair.pvalue == pytest.approx(2 * stats.t.sf(abs(pair.statistic), pair.df))


def test_holm_and_the_better_model(data: Any) -> None:
    y, models = data
    found = fm.compare(y, models, metrics="log_loss")["log_loss"]
    pvalues = [pair.pvalue for pair in found]
    assert [pair.pvalue_holm for pair in found] == pytest.approx(
        fm.comparison.adjust_pvalues(pvalues, method="holm").tolist()
    )
    for pair in found:
        low, high = pair.confidence_interval
        shown = pair.pvalue_holm < 0.05 and not low <= 0 <= high
        assert (pair.better is not None) == shown
        if shown:
            assert pair.better == (pair.a if pair.estimate < 0 else pair.b)  # a loss
    assert found["right", "noisy"].better == "right"


def test_a_reference_and_a_margin(data: Any) -> None:
    y, models = data
    margin = 0.02
    found = fm.compare(y, models, metrics="log_loss", reference="noisy", margin=margin)["log_loss"]
    assert [(pair.a, pair.b) for pair in found] == [("right", "noisy"), ("other", "noisy")]
    for pair in found:
        d, error = pair.estimate, pair.standard_error
        # of a loss, a is worse by the margin where a - b reaches it
        assert pair.pvalue_noninferior == pytest.approx(stats.t.cdf((d - margin) / error, N - 1))
        both = stats.t.cdf((d - margin) / error, N - 1), stats.t.sf((d + margin) / error, N - 1)
        assert pair.pvalue_equivalent == pytest.approx(max(both))
    gain = fm.compare(y, models, metrics="roc_auc", margin=margin)["roc_auc"]["right", "noisy"]
    statistic = (gain.estimate + margin) / gain.standard_error
    assert gain.pvalue_noninferior == pytest.approx(stats.t.sf(statistic, gain.df))


def test_a_measure_without_influences_is_resampled(data: Any) -> None:
    y, models = data
    two = {name: models[name] for name in ("right", "noisy")}
    found = fm.compare(y, two, metrics=["break_even_point", "roc_auc"], n_resamples=99, rng=1)
    assert found["break_even_point"].method == "percentile bootstrap"
    assert found["roc_auc"].method == "influence"
    (pair,) = found["break_even_point"]
    expected = fm.paired_bootstrap(y, two, metrics="break_even_point", n_resamples=99, rng=1)
    assert pair == expected["break_even_point"].pairs[0]
    turned = fm.compare(
        y, two, metrics="break_even_point", reference="right", n_resamples=99, rng=1
    )
    (other,) = turned["break_even_point"]
    assert other.estimate == -pair.estimate
    turned_over = [-x for x in reversed(pair.confidence_interval)]
    assert other.confidence_interval == pytest.approx(turned_over, rel=1e-14)


def test_faults(data: Any) -> None:
    y, models = data
    with pytest.raises(ValueError, match="`margin` is a finite loss, at least 0: got -1"):
        fm.compare(y, models, metrics="roc_auc", margin=-1)
    with pytest.raises(KeyError, match="'nobody'"):
        fm.compare(y, models, metrics="roc_auc", reference="nobody")
    with pytest.raises(ValueError, match="`break_even_point` has no influences of rows"):
        fm.compare(y, models, metrics="break_even_point", method="influence")
    with pytest.raises(ValueError, match=r"`scores\['b'\]` must lie in \[0, 1\]"):
        fm.compare(y, {"a": models["right"], "b": 2 * models["right"]}, metrics="log_loss")
    with pytest.raises(ValueError, match="holds scores where labels are needed: pass `threshold`"):
        fm.compare(y, models, metrics=["roc_auc", "f1"])
    with pytest.raises(ValueError, match="must name at least two models"):
        fm.compare(y, {"a": models["right"]}, metrics="roc_auc")


@pytest.mark.parametrize("missed", [0, 2])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_no_decision_that_differs_is_no_certainty(missed: int, level: float) -> None:
    """Limits are Tango's of no discordant pair: z^2 / (n + z^2); both classes put together."""
    y = np.repeat([1, 0], [6, 30])
    called = np.repeat([0, 1, 0, 1], [missed, 6 - missed, 27, 3])
    z2 = stats.norm.ppf(0.5 + level / 2) ** 2
    of_class = {1: z2 / (6 + z2), 0: z2 / (30 + z2)}
    reaches = {
        "accuracy": z2 / (36 + z2),
        "error_rate": z2 / (36 + z2),
        "recall": of_class[1],
        "specificity": of_class[0],
        "balanced_accuracy": math.hypot(*of_class.values()) / 2,
    }
    models = {"a": called, "b": called.copy()}
    with pytest.warns(fm.DegenerateDataWarning, match="nothing tells the models apart"):
        found = fm.compare(y, models, metrics=[*reaches, "f1"], confidence_level=level)
    for metric, reach in reaches.items():
        pair = found[metric].pairs[0]
        assert tuple(pair.confidence_interval) == pytest.approx((-reach, reach), rel=1e-12)
        assert (pair.estimate, pair.pvalue, pair.better) == (0.0, 1.0, None)
    # a changed decision of either class moves F1 by its slope
    tp, fp, fn = 6 - missed, 3, missed
    ways = 2 * tp + fp + fn
    of_positive, of_negative = 2 * (tp + fp + fn) / ways**2, 2 * tp / ways**2
    plain = [z2 * n / (n + z2) for n in (6, 30)]
    reach = math.hypot(plain[0] * of_positive, plain[1] * of_negative)
    assert tuple(found["f1"].pairs[0].confidence_interval) == pytest.approx((-reach, reach))
    with pytest.warns(fm.DegenerateDataWarning):
        upper = fm.compare(y, models, metrics="recall", alternative="less", confidence_level=level)
    z2 = stats.norm.ppf(level) ** 2
    found = tuple(upper["recall"].pairs[0].confidence_interval)
    assert found == pytest.approx((-1.0, z2 / (6 + z2)), rel=1e-12)


def test_a_note_says_where_models_are_unlike_on_few_rows() -> None:
    """As in the study: limits of 100 rows, 3 and 1.2 standard deviations apart, cover 91 %."""
    rng = np.random.default_rng(5)
    for n, better, told in ((100, 3.0, True), (100, 1.3, False), (300, 3.0, False)):
        y = np.arange(n) % 2
        scores = {"a": better * y + rng.normal(size=n), "b": 1.2 * y + rng.normal(size=n)}
        for pair in (scores, dict(reversed(scores.items()))):
            found = fm.compare(y, pair, metrics=["average_precision", "roc_auc"])
            assert ("models are unlike" in found["average_precision"].note) == told
            assert found["roc_auc"].note == ""
        grouped = fm.compare(y, scores, metrics="average_precision", groups=np.arange(n) // 2)
        assert "unlike" not in grouped["average_precision"].note


def test_a_note_says_where_few_rows_carry_a_difference() -> None:
    rng = np.random.default_rng(4)
    for n, few in ((100, True), (2_000, False)):
        y = np.arange(n) % 20 == 0
        scores = {"a": y + rng.normal(size=n), "b": y + rng.normal(size=n)}
        found = fm.compare(y, scores, metrics=["average_precision", "roc_auc"])
        pair = found["average_precision"].pairs[0]
        assert (pair.df < 10.0) == few
        assert ("few rows carry the difference" in found["average_precision"].note) == few
        assert found["roc_auc"].note == ""
        chances = {k: 1.0 / (1.0 + np.exp(3.5 - s)) for k, s in scores.items()}
        losses = fm.compare(y, chances, metrics=["log_loss", "brier_score"])
        for name, one in losses.items():
            d = _losses(y, chances["a"], name) - _losses(y, chances["b"], name)
            df = 2.0 * n / (stats.kurtosis(d, fisher=False) - 1.0)  # what its variance is known by
            assert (df < 15.0) == few
            said = f"few rows carry the difference in {name}, as {df:.2g} would: its limits may"
            assert one.note.startswith(said) == few
            assert bool(one.note) == few
            assert one.pairs[0].df == n - 1  # the test is the paired t test all the same
            grouped = fm.compare(y, chances, metrics=name, groups=np.arange(n) // 2)[name]
            assert grouped.note == ""
    with pytest.warns(fm.DegenerateDataWarning, match="nothing tells the models apart"):
        same = fm.compare(y, {"a": chances["a"], "b": chances["a"]}, metrics="log_loss")
    assert "few rows" not in same["log_loss"].note
