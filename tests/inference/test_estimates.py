"""`estimate`: limits by their formulas, rates, matrices, tables, ranges."""

import dataclasses
import itertools
import math
import warnings
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import special, stats

import evaluations
import fastmetrics as fm
from fastmetrics import ScoreTable, evaluate
from fastmetrics._report.score_evaluation import evaluate_tables
from fastmetrics._threads.workers import at_most
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.measurement import TablePoints
from fastmetrics.inference.range_summary import Lookup, RangeSummary, summarize_range
from fastmetrics.metrics.asking import ask
from fastmetrics.tables.score_table import PIECE_ROWS
from reference import proportion_oracle as oracle

N = 400


@pytest.fixture
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    p = rng.beta(2, 3, N)
    return (rng.random(N) < p).astype(int), p.round(2)


def test_limits_are_students_on_the_scale(data: Any) -> None:
    y, p = data
    estimates = fm.estimate(
        y, p, metrics=["average_precision", "brier_score"], confidence_level=0.9
    )
    for name, to, slope in (
        ("average_precision", lambda v: math.log(v / (1 - v)), lambda v: 1 / (v * (1 - v))),
        ("brier_score", math.log, lambda v: 1 / v),
    ):
        one = estimates[name]
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
    estimate = fm.estimate(y, p, metrics="brier_score")["brier_score"]
    losses = (p - y) ** 2
    assert estimate.estimate == pytest.approx(losses.mean())
    assert estimate.standard_error == pytest.approx(losses.std(ddof=1) / math.sqrt(N))
    c = losses - losses.mean()
    assert estimate.df == pytest.approx(5 + (c**2).sum() ** 2 / (c**4).sum())


def test_shares_have_wilsons_limits(data: Any) -> None:
    y, p = data
    estimates = fm.estimate(y, p, metrics=["accuracy", "recall", "f1"], threshold=0.4)
    called = p >= 0.4
    cells = {
        "tp": int((called & (y == 1)).sum()),
        "fp": int((called & (y == 0)).sum()),
        "fn": int((~called & (y == 1)).sum()),
        "tn": int((~called & (y == 0)).sum()),
    }
    for name, one in estimates.items():
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
    estimates = fm.estimate(y, called, metrics=["balanced_accuracy", "informedness"])
    recall = fm.comparison.proportion_interval(6, 6, method="wilson").confidence_interval
    specificity = fm.comparison.proportion_interval(90, 94, method="wilson").confidence_interval
    down = math.hypot(1 - recall.low, 90 / 94 - specificity.low)
    up = specificity.high - 90 / 94
    j = 90 / 94
    assert tuple(estimates["informedness"].confidence_interval) == pytest.approx((j - down, j + up))
    half = estimates["balanced_accuracy"].confidence_interval
    assert tuple(half) == pytest.approx(((1 + j - down) / 2, (1 + j + up) / 2))


def test_a_table_is_its_rows(data: Any) -> None:
    y, p = data
    table = fm.ScoreTable.from_scores(y, p)
    metrics = ["roc_auc", "average_precision", "pr_auc", "gini"]
    from_table = fm.estimate(table, metrics=metrics)
    from_rows = fm.estimate(y, p, metrics=metrics)
    by_row = fm.estimate(y, p, metrics=metrics, groups=np.arange(N))
    for name in metrics:
        assert from_table[name] == from_rows[name]
        assert by_row[name].estimate == from_rows[name].estimate
        error = by_row[name].standard_error
        assert error == pytest.approx(from_rows[name].standard_error, rel=1e-12)
    losses = ["brier_score", "log_loss", "hinge_loss", "d2_brier_score", "calibration_slope"]
    rules = [*losses, ("net_benefit", {"threshold": 0.3}), "calibration_in_the_large"]
    from_table = fm.estimate(table, metrics=rules)
    for name, own in fm.estimate(y, p, metrics=rules).items():
        limits = [*from_table[name].confidence_interval, from_table[name].df]
        assert limits == pytest.approx([*own.confidence_interval, own.df], rel=1e-9)


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
    estimate = fm.estimate(y, p, metrics=("partial_auc", {over: (0.1, 0.4)}))["partial_auc"]
    share = estimate.estimate / 0.3
    error = estimate.standard_error / 0.3
    half = stats.t.ppf(0.975, estimate.df) * error / (share * (1 - share))
    ends = [special.expit(special.logit(share) + side * half) for side in (-1, 1)]
    assert estimate.confidence_interval == pytest.approx([0.3 * end for end in ends], rel=1e-9)


def test_what_is_not_smooth_is_resampled(data: Any) -> None:
    y, p = data
    estimates = fm.estimate(y, p, metrics=["break_even_point", "roc_auc"], n_resamples=99, rng=3)
    assert (estimates["break_even_point"].method, estimates["roc_auc"].method) == (
        "percentile",
        "score",
    )
    expected = fm.bootstrap(y, p, metrics="break_even_point", n_resamples=99, rng=3)[
        "break_even_point"
    ]
    assert estimates["break_even_point"] == expected
    asked = fm.estimate(y, p, metrics="roc_auc", method="basic", n_resamples=99, rng=3)
    assert asked["roc_auc"].method == "basic"


@pytest.mark.parametrize("metric", ["average_precision", "matthews_corrcoef"])
def test_what_does_not_vary_says_so(metric: str) -> None:
    with pytest.warns(fm.DegenerateDataWarning, match="it has no interval"):
        estimates = fm.estimate([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], metrics=metric, threshold=0.5)
    assert estimates[metric].estimate == 1.0
    assert math.isnan(estimates[metric].confidence_interval.high)
    assert "it has no interval" in estimates[metric].note


@pytest.mark.parametrize("p", [0.55, 0.6, 0.8, 0.9])
@pytest.mark.parametrize("metric", ["brier_score", "log_loss"])
def test_rows_that_all_lose_the_same_have_no_interval(metric: str, p: float) -> None:
    """Losses of two and of three classes, which each row sums in another order."""
    three_columns = np.tile(np.where(np.eye(3) > 0, p, (1 - p) / 2), (4, 1))
    for y, scores in ((["a", "b", "c"] * 4, three_columns), ([0, 1] * 6, [1 - p, p] * 6)):
        with pytest.warns(fm.DegenerateDataWarning, match="it has no interval"):
            (estimate,) = fm.estimate(y, scores, metrics=metric).values()
        assert estimate.standard_error == 0.0
        assert np.isnan(estimate.confidence_interval).all()
        assert "nan" not in repr(estimate)


def test_the_design_effect_is_the_variance_over_that_of_rows(data: Any) -> None:
    y, p = data[:2]
    metrics = ["brier_score", "average_precision"]
    alone = fm.estimate(y, p, metrics=metrics)
    for metric, estimates in fm.estimate(y, p, metrics=metrics, groups=np.arange(N) // 3).items():
        ratio = (estimates.standard_error / alone[metric].standard_error) ** 2
        assert estimates.design_effect == pytest.approx(ratio, rel=1e-12)
        assert alone[metric].design_effect is None
    each = fm.estimate(y, p, metrics="brier_score", groups=np.arange(N))["brier_score"]
    assert each.design_effect == pytest.approx(1.0)
    thrice = np.repeat(y, 3), np.repeat(p, 3)
    estimates = fm.estimate(*thrice, metrics="brier_score", groups=np.repeat(np.arange(N), 3))
    assert estimates["brier_score"].design_effect == pytest.approx(
        3.0 * (1 - 1 / (3 * N)) / (1 - 1 / N)
    )
    assert "design effect" in str(estimates)


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
        comparisons = fm.compare(1e-170 * true, models, metrics="root_mean_squared_error")
    assert np.isnan(comparisons.to_frame()["pvalue"].iloc[0])


CELLS = {"tp": 40, "fp": 10, "fn": 5, "tn": 95}
SHARES = {
    "accuracy": (135, 150),
    "error_rate": (15, 150),
    "precision": (40, 50),
    "recall": (40, 45),
    "specificity": (95, 105),
    "npv": (95, 100),
    "false_positive_rate": (10, 105),
    "false_negative_rate": (5, 45),
    "jaccard": (40, 55),
}
POSITIVE = st.tuples(*[st.integers(1, 300)] * 4)


def matrix(cells: tuple[int, ...]) -> fm.ConfusionMatrix:
    return fm.ConfusionMatrix.binary(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_shares_have_wilsons_limits_estimates(alternative: Any) -> None:
    options: Any = {"confidence_level": 0.9, "alternative": alternative}
    estimates = fm.estimate(fm.ConfusionMatrix.binary(**CELLS), metrics=list(SHARES), **options)
    for name, (k, n) in SHARES.items():
        wilson = fm.comparison.proportion_interval(k, n, **options)
        assert estimates[name].confidence_interval == wilson.confidence_interval
        assert estimates[name].estimate == pytest.approx(k / n, rel=1e-15)
        assert estimates[name].method == "wilson"
        assert estimates[name].n_samples == 150


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes"), (0, 1, 2, 3)])
def test_a_matrix_is_its_rows(rng: np.random.Generator, labels: tuple[Any, Any]) -> None:
    y = rng.integers(0, len(labels), 300)
    predicted = np.where(rng.random(300) < 0.4, y, rng.integers(0, len(labels), 300))
    named = np.array(labels)
    metrics = ["accuracy", "f1_macro", "matthews_corrcoef", "balanced_accuracy", "cohen_kappa"]
    metrics += ["f1", "recall"] if len(labels) == 2 else []
    table = fm.ConfusionMatrix.from_labels(named[y], named[predicted], labels=labels)
    from_table = fm.estimate(table, metrics=metrics)
    from_rows = fm.estimate(y, predicted, metrics=metrics)
    for name, one in from_rows.items():
        assert from_table[name].estimate == pytest.approx(one.estimate, rel=1e-14)
        assert from_table[name].standard_error == pytest.approx(one.standard_error, rel=1e-12)
        assert from_table[name].df == pytest.approx(one.df, rel=1e-11)
        limits = tuple(from_table[name].confidence_interval)
        assert limits == pytest.approx(tuple(one.confidence_interval), rel=1e-12)


@given(POSITIVE)
def test_standard_errors_by_the_delta_method(cells: tuple[int, ...]) -> None:
    """Against g' (diag(p) - p p') g / (n - 1) with a gradient taken in 60 digits."""
    estimates = fm.estimate(matrix(cells), metrics=["f1", "matthews_corrcoef"])
    n = sum(cells)
    for name, metric in (("f1", oracle.f1), ("matthews_corrcoef", oracle.mcc)):
        estimate, error = oracle.delta_method(metric, cells)
        assert estimates[name].estimate == pytest.approx(estimate, rel=1e-12, abs=1e-15)
        expected = error * math.sqrt(n / (n - 1))
        assert estimates[name].standard_error == pytest.approx(expected, rel=1e-10)


@given(POSITIVE)
def test_f1_rises_with_the_share_it_follows_from(cells: tuple[int, ...]) -> None:
    """Lam, Gopal & Qian (2023): F1 = 2 F* / (1 + F*), F* a proportion of TP + FP + FN."""
    tp, fp, fn, _ = cells
    share = fm.comparison.proportion_interval(tp, tp + fp + fn).confidence_interval
    interval = fm.estimate(matrix(cells), metrics="f1")["f1"].confidence_interval
    assert tuple(interval) == pytest.approx([2 * end / (1 + end) for end in share], rel=1e-15)


@pytest.mark.parametrize("metrics", ["precision", "matthews_corrcoef", "f1"])
def test_undefined(metrics: str) -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match=f"`{metrics}` is not defined") as seen:
        estimate = fm.estimate(matrix((0, 0, 0, 9)), metrics=metrics)[metrics]
    assert seen[0].filename == __file__
    assert all(
        map(math.isnan, (estimate.estimate, estimate.standard_error, *estimate.confidence_interval))
    )


METRICS = ("roc_auc", "rank_loss", "gini_coefficient", "average_precision")


def drawn(rng, n, separation=1.0, share=0.4, digits=9):
    y = (rng.random(n) < share).astype(np.int8)
    y[:2] = 0, 1
    return y, np.round(rng.normal(size=n) + separation * y, digits)


def equal(actual, expected, rel=1e-12):
    assert list(actual) == list(expected)
    for one, other in zip(actual.values(), expected.values(), strict=True):
        for name in ("estimate", "standard_error", "df"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=rel, nan_ok=True)
        assert tuple(one.confidence_interval) == pytest.approx(
            tuple(other.confidence_interval), rel=10 * rel, nan_ok=True
        )
        assert (one.method, one.n_samples) == (other.method, other.n_samples)


@pytest.mark.parametrize("digits", [0, 2, 9])
@pytest.mark.parametrize("share", [0.4, 0.01])
def test_runs_are_rows_in_memory(rng, tmp_path, digits, share):
    y, s = drawn(rng, 60_000, share=share, digits=digits)
    weights = rng.integers(1, 4, len(y))
    runs = fm.streams.ScoreRuns(memory=1_000_000, spill_dir=tmp_path)
    for at in range(0, len(y), 7_000):
        runs.update(y[at : at + 7_000], s[at : at + 7_000], weights[at : at + 7_000])
    assert digits < 9 or len(list(runs.ranges())) > 5
    metrics = [*METRICS, "ks_statistic"]
    expected = fm.estimate(y, s, metrics=metrics, sample_weight=weights, weights_are="frequencies")
    actual = [fm.estimate(runs, metrics=metrics, n_threads=n) for n in (1, 2, 7)]
    assert actual[0].to_dict() == actual[1].to_dict() == actual[2].to_dict()
    for one, other in zip(actual[0].values(), expected.values(), strict=True):
        object.__setattr__(other, "weights_are", None)
        assert one.note == other.note
    equal(actual[0], expected)
    one_sided = fm.estimate(runs, metrics="roc_auc", alternative="greater", method="newcombe")
    limits = one_sided["roc_auc"].confidence_interval
    assert limits.high == 1.0
    assert 0.5 < limits.low < actual[0]["roc_auc"].estimate


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "rows",
    [
        ([1, 0, 1, 0, 0], [5, 4, 3, 2, 1]),
        ([1, 1, 0, 0], [4, 3, 2, 1]),
        ([0, 1, 1], [3, 2, 2]),
        ([1, 0, 0], [1, 1, 1]),
    ],
)
def test_few_rows(rows):
    runs = fm.streams.ScoreRuns()
    bins = fm.streams.BinnedScoreTable()
    runs.update(*rows)
    bins.update(*rows)
    expected = fm.estimate(*rows, metrics=METRICS)
    for table in (runs, bins):
        equal(fm.estimate(table, metrics=METRICS), expected)


@pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")
def test_limits_of_bins_hold_for_any_order(rng):
    for n, k in [(60, 5), (300, 3), (300, 20), (2_000, 50)] * 2:
        y, s = drawn(rng, n)
        layout = fm.streams.BinLayout(np.unique(np.quantile(s, np.linspace(0, 1, k + 1)[1:-1])))
        bins = fm.streams.BinnedScoreTable(layout, first_rows=0)
        bins.update(y, s)
        estimates = fm.estimate(bins, metrics=METRICS)
        at = np.searchsorted(layout.edges, s, side="right")
        assert estimates["roc_auc"].details == bins.roc_auc()
        assert estimates["average_precision"].details == bins.average_precision()
        for order in (s, at, at + 0.5 * y, at - 0.5 * y, at + rng.random(n) / 2):
            for name, exact in fm.estimate(y, order, metrics=METRICS).items():
                assert exact.estimate in fm.results.Bracket(*(e + t for e, t in zip(
                    estimates[name].details, (-1e-12, 1e-12), strict=True)))  # fmt: skip
                low, high = estimates[name].confidence_interval
                assert low <= exact.confidence_interval.low
                assert high >= exact.confidence_interval.high


def test_bins_tend_to_the_rows(rng):
    y, s = drawn(rng, 20_000)
    expected = fm.estimate(y, s, metrics=METRICS)
    widths = []
    for k in (10, 100, 1_000, 100_000):
        bins = fm.streams.BinnedScoreTable(
            fm.streams.BinLayout(np.linspace(-4, 5, min(k, 30_000))), first_rows=0
        )
        bins.update(y, s)
        estimates = fm.estimate(bins, metrics=METRICS)
        off = [np.subtract(estimates[m].confidence_interval, expected[m].confidence_interval)
               for m in METRICS]  # fmt: skip
        widths.append(np.abs(off).max())
    assert widths[0] > 5 * widths[1] > 20 * widths[2]
    assert widths[-1] < 1e-4
    equal(fm.estimate(fm.streams.ScoreRanges(s, s, y, 1 - y), metrics=METRICS), expected)


def test_bins_whose_best_order_is_perfect_have_an_interval():
    """The variance is that of any order: it is above 0 where an AUC of 1 would have none."""
    bins = fm.streams.BinnedScoreTable(fm.streams.BinLayout([0.4, 0.7]), first_rows=0)
    bins.update([1, 1, 0, 0] + [0] * 30, [0.8, 0.6, 0.5, 0.5] + [0.1] * 30)
    one = fm.estimate(bins, metrics="roc_auc")["roc_auc"]
    assert one.confidence_interval.high == 1.0
    assert 0.0 < one.confidence_interval.low < one.estimate


def test_one_class_is_told():
    for table in (fm.streams.ScoreRuns(), fm.streams.BinnedScoreTable()):
        table.update([1, 1], [0.2, 0.3])
        with pytest.warns(UndefinedMetricWarning, match="`roc_auc` is not defined"):
            assert np.isnan(fm.estimate(table, metrics="roc_auc")["roc_auc"].estimate)


def in_memory(table, name="score", level=0.95):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return evaluate({name: table}, confidence_level=level)[0]


def cut(table, cuts):
    """Return the tables of consecutive ranges of a table's scores, the highest first."""
    ends = [0, *sorted(cuts), len(table)]
    columns = table.scores, table.positives, table.negatives
    return [
        ScoreTable.from_counts(*(column[a:b].copy() for column in columns))
        for a, b in itertools.pairwise(ends)
    ]


def summaries(table, cuts):
    actual = []
    tp = fp = 0
    for part in cut(table, cuts):
        actual.append(summarize_range(part, tp, fp, table.n_positive, table.n_negative))
        tp, fp = tp + part.n_positive, fp + part.n_negative
    return actual


def evaluation(summary, name="score", level=0.95):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return evaluate_tables({name: summary}, level)[0]


def exact_average_precision(table):
    tp = fp = 0
    total = Fraction(0)
    for p, n in zip(table.positives.tolist(), table.negatives.tolist(), strict=True):
        tp, fp = tp + p, fp + n
        total += Fraction(p * tp, tp + fp)
    return total / tp


def agree(actual, table):
    expected = in_memory(table, actual.name)
    assert evaluations.agree(actual, expected)
    if table.n_positive and table.n_negative:
        assert math.isclose(
            actual.average_precision, exact_average_precision(table), rel_tol=2.0**-51
        )
        assert math.isclose(actual.average_precision, expected.average_precision, rel_tol=1e-14)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 40))
    scores = draw(st.sampled_from(["distinct", "tied", "constant"]))
    kind = draw(st.sampled_from([np.float64, np.float32, np.int64, np.uint64]))
    values = {
        "distinct": np.arange(n),
        "tied": np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))),
        "constant": np.zeros(n),
    }[scores]
    most = draw(st.sampled_from([1, 3, 10**6]))
    counts = st.lists(st.integers(0, most), min_size=n, max_size=n)
    return ScoreTable.from_counts(
        values.astype(kind), np.array(draw(counts)), np.array(draw(counts))
    )


@pytest.mark.parametrize("kind", [float, int])
def test_influences_are_looked_up_at_the_next_score_or_the_last(kind):
    lookup = Lookup(np.array([0, 1, 2, 4], kind), np.zeros((1, 2, 4)), np.zeros((1, 2)))
    scores = np.array([-3, 0, 2, 3, 4, 9], kind)
    assert lookup.indices(scores).tolist() == [0, 0, 2, 3, 3, 3]


@given(st.data())
def test_any_cut_in_any_order_is_the_whole(data):
    table = data.draw(tables())
    cuts = data.draw(st.lists(st.integers(0, len(table)), max_size=6))
    actual = data.draw(st.permutations(summaries(table, cuts)))
    split = data.draw(st.integers(0, len(actual)))
    halves = [reduce(add, half) for half in (actual[:split], actual[split:]) if half]
    total = reduce(add, halves)
    assert total == sum(actual) == summarize_range(table)
    agree(evaluation(total), table)


@pytest.mark.parametrize(
    "kind", [np.float32, *(pytest.param(k, marks=pytest.mark.exhaustive) for k in (float, int))]
)
def test_tables_of_many_rows(rng, kind):
    n = 3 * PIECE_ROWS
    y = rng.integers(0, 2, n)
    table = ScoreTable.from_scores(y, (1000 * (rng.normal(size=n) + y)).astype(kind))
    cuts = np.sort(rng.integers(0, len(table), 20)).tolist()
    total = sum(summaries(table, cuts))
    with at_most(1):
        assert total == summarize_range(table)
    assert total == summarize_range(table)
    agree(evaluation(total, "a model"), table)
    assert total.pairs.auc == evaluation(total).roc_auc
    assert total.pairs.rank_loss == pytest.approx(1 - total.pairs.auc)


@pytest.mark.parametrize("metric", ["roc_auc", "rank_loss", "gini", "average_precision"])
@pytest.mark.parametrize("rows", [700, 10_000])
def test_sums_by_piece_are_those_of_points(rng, monkeypatch, metric, rows):
    y = rng.integers(0, 2, 5_000)
    table = ScoreTable.from_scores(y, (rng.normal(size=5_000) + y).round(3))
    (one,) = ask(metric)
    points = TablePoints(table).at_scores(one)
    expected = make_estimate(one, points, 0, 0.95)
    monkeypatch.setattr("fastmetrics.tables.score_table.PIECE_ROWS", rows)
    actual = fm.estimate(table, metrics=metric)[metric]
    assert actual.estimate == expected.estimate
    assert actual.standard_error == pytest.approx(expected.standard_error, rel=1e-13)
    assert actual.df == pytest.approx(expected.df, rel=1e-12)
    assert actual.confidence_interval == pytest.approx(expected.confidence_interval, rel=1e-13)
    together = fm.estimate(table, metrics=["roc_auc", "average_precision", "rank_loss", "gini"])
    assert together[metric].standard_error == actual.standard_error


@pytest.mark.parametrize(
    ("positives", "negatives"),
    [
        ([0, 0, 3], [2, 1, 0]),  # all wrong: inf is the best threshold
        ([3, 0, 0], [0, 2, 1]),  # all right
        ([1, 1, 1], [1, 1, 1]),
        ([0, 2, 0], [5, 0, 5]),  # the break-even point: undefined
        ([3], [4]),
    ],
)
def test_curves_of_a_few_corners(positives, negatives):
    table = ScoreTable.from_counts(np.arange(len(positives), 0, -1.0), positives, negatives)
    agree(evaluation(sum(summaries(table, range(1, len(table))))), table)


@pytest.mark.parametrize("exponent", [31, 40, 61])
def test_counts_whose_products_fit_no_int64(rng, exponent):
    n = 50
    positives, negatives = rng.integers(0, 2**exponent // n, (2, n))
    positives[::7] = negatives[::5] = 0
    table = ScoreTable.from_counts(np.arange(n), positives, negatives)
    for cuts in ([], [10, 20, 21, 40]):
        agree(evaluation(sum(summaries(table, cuts))), table)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_losses_of_probabilities_are_those_of_rows(rng, kind):
    y = rng.integers(0, 2, 2_000)
    p = np.round(np.clip(rng.normal(0.3 + 0.4 * y, 0.4), 0.0, 1.0), 3).astype(kind)
    own = fm.evaluate(y, {"m": p})
    table = ScoreTable.from_scores(y, p)
    estimates = evaluation(sum(summaries(table, [1, 200, 500])), "m").estimates
    from_table = fm.evaluate({"m": table})
    assert from_table.notes == own.notes
    for name in ("brier_score", "log_loss"):
        expected = fm.estimate(y, p, metrics=name)[name]  # of the rows
        for one in (estimates[name], from_table["m"].estimates[name]):
            same = [one.estimate, one.standard_error, one.df, *one.confidence_interval]
            given = [expected.estimate, expected.standard_error, expected.df]
            assert same == pytest.approx([*given, *expected.confidence_interval], rel=1e-9)


@pytest.mark.parametrize(
    "scores", [[0.0, 0.0, 1.0, 1.0], [0.2, 0.4, 0.6, 1.5], [-0.1, 0.4, 0.6, 0.9], [0, 1, 2, 3]]
)
def test_what_is_no_probability_has_no_losses(scores):
    table = ScoreTable.from_scores([0, 1, 0, 1], scores)
    for actual in (evaluation(sum(summaries(table, range(1, len(table))))), in_memory(table)):
        assert "log_loss" not in actual.estimates
    both = fm.evaluate({"a": table, "b": ScoreTable.from_scores([0, 1, 0, 1], [0.1, 0.3, 0.2, 1])})
    assert "log_loss" not in both["b"].estimates
    assert "probabilities" not in str(both.notes)


def test_losses_of_one_class_are_those_of_rows():
    rows = [1, 1, 1], [0.2, 0.3, 0.4]
    runs = fm.streams.ScoreRuns(memory="2MB")
    runs.update(*rows)
    expected = fm.estimate(*rows, metrics="log_loss")["log_loss"]
    actual = fm.estimate(runs, metrics="log_loss")["log_loss"]
    assert actual.estimate == pytest.approx(expected.estimate, rel=1e-14)
    assert actual.confidence_interval == pytest.approx(expected.confidence_interval, rel=1e-12)
    with pytest.warns(UndefinedMetricWarning, match="no negative example"):
        assert "log_loss" in fm.evaluate(runs)[0].estimates


@pytest.mark.parametrize("decimals", [1, 12])
def test_sums_of_weights_are_those_of_the_whole(rng, decimals):
    y = rng.integers(0, 2, 500)
    scores = (rng.normal(size=500) + y).round(decimals)
    table = ScoreTable.from_scores(y, scores, sample_weight=0.1 + rng.random(500))
    columns = table.scores, table.positives, table.negatives
    ends = np.unique([0, *rng.integers(0, len(table), 6), len(table)]).tolist()
    total = RangeSummary(table.n_positive, table.n_negative)
    for a, b in itertools.pairwise(ends):
        part = ScoreTable.from_counts(*(column[a:b].copy() for column in columns))
        above = total.positives, total.negatives
        total += summarize_range(part, *above, table.n_positive, table.n_negative)
    total = dataclasses.replace(total, n_positive=total.positives, n_negative=total.negatives)
    for one in ask(["roc_auc", "average_precision", "ks_statistic"]):
        assert total.value(one.name) == pytest.approx(float(one.entry.value(table)), rel=1e-13)
    assert float(total.positives) == pytest.approx(table.n_positive, rel=1e-15)
    assert total.twice_concordant + total.twice_discordant == pytest.approx(
        2 * total.positives * total.negatives, rel=1e-13
    )


def test_a_balance_without_a_positive_is_told():
    table = ScoreTable.from_counts([2.0, 1.0], [0, 2], [5, 0])
    with pytest.warns(UndefinedMetricWarning, match="break-even point is not defined"):
        evaluate_tables({"score": sum(summaries(table, [1]))}, 0.95)


def test_one_class_is_told_summary():
    summary = summarize_range(ScoreTable.from_scores([0, 0], [1, 2]))
    with pytest.warns(UndefinedMetricWarning, match="no positive example"):
        actual = evaluate_tables({"m": summary}, 0.95)[0]
    assert (actual.n_positive, actual.n_negative) == (0, 2)


def test_what_is_missing_or_in_twice_is_refused(rng):
    table = ScoreTable.from_scores(rng.integers(0, 2, 60), rng.normal(size=60))
    first, second, third = summaries(table, [20, 40])
    with pytest.raises(ValueError, match="some are missing, or in twice"):
        evaluation(first + third)
    with pytest.raises(ValueError, match="some are missing, or in twice"):
        _ = (first + second).pairs
    with pytest.raises(ValueError, match="added twice"):
        sum([first, second, third]) + sum([first, second, third])
    with pytest.raises(ValueError, match="ranges of different data"):
        first + summarize_range(table, n_positive=100)
    with pytest.raises(TypeError):
        first + 1
