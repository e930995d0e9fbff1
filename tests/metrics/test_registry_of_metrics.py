"""The list of metrics, and the arithmetic below them."""

import math
import re
import subprocess
import sys
from fractions import Fraction
from operator import mul
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics.inference.reference import exact_sum, moments, normal_quantile
from fastmetrics.metrics.asking import ask, find
from fastmetrics.metrics.costs.cost_curve import rounded_sum
from fastmetrics.metrics.registry import METRICS
from fastmetrics.tables import pairs


def test_names_are_distinct() -> None:
    names = [name for m in METRICS.values() for name in (m.name, *m.aliases)]
    assert len(names) == len(set(names))
    assert list(METRICS) == [m.name for m in METRICS.values()]


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("roc_auc", "roc_auc"),
        ("roc_auc_score", "roc_auc"),
        ("r2", "r2"),
        ("r2_score", "r2"),
        ("mcc", "matthews_corrcoef"),
        ("neg_log_loss", "log_loss"),
        ("neg_mean_squared_error", "mean_squared_error"),
        ("neg_negative_likelihood_ratio", "negative_likelihood_ratio"),
        ("zero_one_loss", "error_rate"),
        ("macro_precision", "precision_macro"),
        ("auroc", "roc_auc"),
        ("sensitivity", "recall"),
        *((typed, m.name) for m in METRICS.values() for typed in m.aliases),
        *((name, name) for name in ("pr_auc", "recall", "npv", "precision", "r2")),
        ("gini", "gini_coefficient"),
        ("map", "mean_average_precision"),
        ("mrr", "mean_reciprocal_rank"),
    ],
)
def test_aliases(name, canonical) -> None:
    assert find(name).name == canonical


def test_every_scorer_of_scikit_learn_that_we_have_a_metric_for() -> None:
    from sklearn.metrics import get_scorer, get_scorer_names

    clustering = ("mutual_info", "rand_score", "completeness", "fowlkes", "homogeneity", "v_meas")
    for name in get_scorer_names():
        if any(word in name for word in clustering) or name.endswith("_samples"):
            continue
        assert find(name).direction({}) is (get_scorer(name)._sign > 0), name


def test_a_negated_name_of_what_is_better_when_higher_is_unknown() -> None:
    with pytest.raises(fm.InputError, match=r"'neg_roc_auc', which is no metric: did you mean"):
        find("neg_roc_auc")
    assert [one.label for one in ask(["neg_log_loss", "zero_one_loss"])] == [
        "log_loss",  # the value is not negated, and neither is the name
        "zero_one_loss",
    ]


def test_a_misspelt_name_gets_the_nearest_ones() -> None:
    message = r"`metrics` names 'roc_acu', which is no metric: did you mean 'roc_auc'\? "
    with pytest.raises(
        fm.InputError, match=message + r"`metrics_table\(\)` lists them all"
    ) as error:
        ask("roc_acu")
    assert error.value.parameter == "metrics"
    with pytest.raises(fm.InputError, match=r"`metrics` names 'x', which is no metric: `metrics_"):
        ask("x")
    with pytest.raises(TypeError, match="`metrics` must name a metric by a string: got int 3"):
        find(3)


CRITERIA = {
    "youden": True,
    "closest-topleft": False,
    "fewest-errors": False,
    "fbeta": True,
    "precision_at_recall": True,
    "recall_at_precision": True,
    "recall_at_false_positive_rate": True,
    "lowest-cost": False,
}


@pytest.mark.parametrize(("criterion", "higher"), CRITERIA.items())
def test_directions_by_criterion(criterion, higher) -> None:
    (one,) = ask(("best_threshold", {"criterion": criterion}))
    assert one.higher_is_better is higher
    for of, expected in (
        ("true_positive_rate", True),
        ("recall", True),
        ("precision", True),
        ("false_positive_rate", False),
        ("threshold", None),
    ):
        (one,) = ask(("best_threshold", {"criterion": criterion, "of": of}))
        assert one.higher_is_better is expected


def test_parameters() -> None:
    with pytest.raises(TypeError, match="`f1` has no parameter 'beta': it has 'zero_division'"):
        ask(("f1", {"beta": 2}))
    with pytest.raises(
        TypeError, match="`recall_at_false_positive_rate` needs its parameter 'false_positive_rate'"
    ):
        ask("recall_at_false_positive_rate")
    with pytest.raises(TypeError, match="`accuracy_score` has no parameter 'x': it has no param"):
        ask([("accuracy_score", {"x": 1})])
    with pytest.raises(fm.InputError, match=r"^`false_positive_rate` must lie in \[0, 1\]: got 2"):
        METRICS["recall_at_false_positive_rate"].value([0, 1], [0.0, 1.0], false_positive_rate=2)


def test_a_label_that_comes_twice() -> None:
    with pytest.raises(
        ValueError, match=r"^`metrics` names 'f1' 2 times: give each a label of its"
    ):
        ask(["f1", "f1"])


def test_labels_and_functions() -> None:
    def gap(labels, scores):
        return 0.0

    named = ask({"mine": gap, "loss": ("mean_pinball_loss", {"alpha": 0.1}), "other": "mcc"})
    assert [(one.label, one.name) for one in named] == [
        ("mine", "mine"),
        ("loss", "mean_pinball_loss"),
        ("other", "matthews_corrcoef"),
    ]
    assert [one.higher_is_better for one in named] == [None, False, True]
    assert ask(gap)[0].label == "gap"


def test_registered() -> None:
    fm.register_metric("gap", min, needs="labels", higher_is_better=False)
    (one,) = ask("gap")
    assert (one.label, one.function, one.higher_is_better) == ("gap", min, False)
    assert one.metric is not None
    assert one.metric.needs == "labels"
    assert fm.metrics_table()["gap"].direction == "lower"
    for wrong, error, message in (
        ({"needs": "what"}, ValueError, "`needs` must be one of 'scores', 'labels'"),
        ({"higher_is_better": "yes"}, TypeError, "`higher_is_better` must be True .* or False"),
    ):
        with pytest.raises(error, match=message):
            fm.register_metric("other", min, **wrong)


def test_reading_the_registry_imports_no_metric() -> None:
    code = (
        "import sys, fastmetrics as fm\n"
        f"assert len(fm.metrics_table()) == {len(METRICS)}, len(fm.metrics_table())\n"
        "rooms = ('curves', 'decisions', 'probabilities', 'regression', 'costs', 'calibration')\n"
        "loaded = [m for m in sys.modules if m.startswith(tuple('fastmetrics.metrics.' + r "
        "for r in rooms))]\n"
        "assert not loaded, loaded\n"
        "assert 'numba' not in sys.modules and 'scipy' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_table(library) -> None:
    table = fm.metrics_table()
    assert len(table) == len(METRICS)
    assert table["mcc"].name == "matthews_corrcoef"
    assert table["best_threshold"].direction == "by criterion"
    assert table["mean"].direction == "none"
    assert table["recall_at_false_positive_rate"].parameters == ("false_positive_rate",)
    assert table["fbeta"].parameters == ("beta=1.0", "zero_division=nan")
    with pytest.raises(KeyError, match="the metrics are"):
        table["nothing"]
    text = str(table)
    assert text.splitlines()[0].split() == "name needs direction low high title".split()
    assert re.search(r"matthews_corrcoef +labels +higher +−1(\.0)? +1(\.00)? ", text)
    assert repr(table) == f"MetricsTable({len(METRICS)} metrics)"
    assert "<td>roc_auc</td>" in table._repr_html_()
    frame = table.to_frame(library)
    assert type(frame).__module__.startswith(library)
    assert list(frame["name"]) == list(METRICS)
    assert len(table.to_frame()) == len(METRICS)


def test_what_people_type_gives_the_metric_under_the_name_that_they_typed(rng) -> None:
    y = rng.integers(0, 2, 50)
    p = rng.random(50)
    estimates = fm.estimate(y, p, metrics=["auc", "ap", "sensitivity", "mse"], threshold=0.5)
    assert list(estimates) == ["auc", "ap", "sensitivity", "mse"]
    assert estimates["auc"].estimate == fm.roc_auc_score(y, p)
    assert estimates["sensitivity"].estimate == fm.recall_score(y, p >= 0.5)
    assert estimates["mse"].estimate == pytest.approx(fm.brier_score_loss(y, p))
    table = fm.RankingTable.from_scores([[0, 1, 0], [1, 0, 0]], [[1, 2, 3], [3, 2, 1]])
    assert fm.estimate(table, metrics="hit@2")["hit@2"].estimate == 1.0


CHUNK = pairs._CHUNK


@pytest.mark.parametrize("size", [0, 1, 5, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
@pytest.mark.parametrize("most", [9, 2**31, 2**40])
def test_integers_are_exact_however_large(rng, size: int, most: int) -> None:
    """The sum of both columns is that of counts: below 2**63."""
    left, right = rng.integers(0, most, (2, size))
    assert pairs.exact_dot(left, right) == sum(map(mul, left.tolist(), right.tolist()))


def test_one_chunk_is_large_and_the_others_are_not() -> None:
    left = np.ones(2 * CHUNK + 1, np.int64)
    right = left.copy()
    left[[0, -1]] = 2**61
    right[[0, -1]] = (2**60, 3)
    assert pairs.exact_dot(left, right) == 2**121 + 3 * 2**61 + 2 * CHUNK - 1


def test_the_bound_of_int64_is_not_reached() -> None:
    left = np.array([2**62, 2**61])
    assert pairs.exact_dot(left, np.array([1, 1])) == 3 * 2**61
    assert pairs.exact_dot(left, np.array([2, 1])) == 2**63 + 2**61


def test_floats_are_within_the_bound(rng) -> None:
    left, right = rng.random((2, 1_000))
    terms = [Fraction(a) * Fraction(b) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    product = pairs.exact_dot(left, right)
    assert abs(Fraction(product) - sum(terms)) <= sum(terms) * Fraction(12 + 1, 2**53)
    assert pairs.exact_dot(np.arange(4), np.full(4, 0.5)) == 3.0


def test_what_stands_above_a_row() -> None:
    assert pairs.above(np.array([2, 2, 7])).tolist() == [0, 2, 2]


@given(st.lists(st.tuples(st.integers(1, 2**70), st.integers(1, 2**70)), max_size=8))
def test_sums_of_fractions_are_rounded_once(terms) -> None:
    assert rounded_sum(terms) == float(sum((Fraction(*term) for term in terms), Fraction(0)))


def test_a_sum_in_the_middle_of_two_doubles() -> None:
    middle = 2**53 + 1, 2**54  # a half and a last bit, cut in three
    assert rounded_sum([(middle[0], 3 * middle[1])] * 3) == float(Fraction(*middle))


@pytest.mark.parametrize("n", [1, 999, 1_000, 5_000])
@pytest.mark.parametrize("size", [1.0, 4.0, 1e-5])
def test_a_sum_is_rounded_once(rng, n, size):
    for _ in range(50):
        values = rng.uniform(-1, 1, n) * size
        assert exact_sum(values) == math.fsum(values.tolist())
        assert exact_sum(np.abs(values)) == math.fsum(np.abs(values).tolist())


def test_a_sum_that_cancels(rng):
    half = rng.uniform(-1, 1, 2_000) * 10.0 ** rng.uniform(-20, 0, 2_000)
    values = np.concatenate((half, -half, [1e-20]))
    assert exact_sum(rng.permutation(values)) == pytest.approx(1e-20, abs=1e-29)
    assert exact_sum(np.concatenate((half, -half))) == pytest.approx(0.0, abs=1e-29)


def test_moments_of_many(rng):
    for shift, size in ((0.0, 1.0), (1e6, 1e-3), (-1e200, 1e190)):
        values = shift + size * rng.normal(size=3_000)
        exact = [Fraction(value) for value in values.tolist()]
        mean = sum(exact) / len(exact)
        squares = sum((value - mean) ** 2 for value in exact) / (len(exact) - 1)
        result = moments(values)
        assert result.mean == pytest.approx(float(mean), rel=2.0**-52)
        right = math.sqrt(squares / Fraction(size) ** 2) * size
        assert result.deviation == pytest.approx(right, rel=1e-9)


def levels() -> np.ndarray:
    """Return levels in the middle, in both tails, and at the ends of each."""
    rng = np.random.default_rng(0)
    ends = np.array([0.5, math.exp(-2.0), 1.0 - math.exp(-2.0), math.exp(-32.0), 0.025, 0.975])
    return np.concatenate(
        [
            *(np.nextafter(ends, side) for side in (0.0, 0.5, 1.0)),
            rng.random(2_000),
            10.0 ** -rng.uniform(0.0, 308.0, 2_000),
            1.0 - 10.0 ** -rng.uniform(0.0, 16.0, 2_000),
            [5e-324, np.nextafter(1.0, 0.0)],
        ]
    )


def test_it_is_scipys() -> None:
    from scipy.special import ndtri

    inside = levels()
    quantiles = np.array([normal_quantile(level) for level in inside.tolist()])
    np.testing.assert_array_max_ulp(quantiles, ndtri(inside), maxulp=8)


def test_it_is_the_inverse_of_the_distribution() -> None:
    normal = NormalDist()
    for level in levels().tolist():
        if 1e-300 < level < 1.0 - 1e-12:
            assert normal.cdf(normal_quantile(level)) == pytest.approx(level, rel=5e-13)


@pytest.mark.parametrize(
    ("level", "expected"),
    [(0.0, -math.inf), (1.0, math.inf), (0.5, 0.0), (-0.1, math.nan), (1.1, math.nan)],
)
def test_the_ends_and_beyond(level, expected) -> None:
    assert normal_quantile(level) == pytest.approx(expected, nan_ok=True)


def test_nan_stays_nan() -> None:
    assert math.isnan(normal_quantile(math.nan))
