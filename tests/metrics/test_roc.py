"""ROC: areas, curves, several classes, hulls, gaps."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from roc_samples import assert_same, importances, samples

import fastmetrics as fm
from fastmetrics.costs import h_measure, roc_hull_auc
from fastmetrics.errors import UndefinedMetricWarning
from reference import roc_oracle

AVERAGES = ["macro", "micro", "samples", "weighted", None]


def injected(size):
    """Return a table of counts of any size, and its rows in fractions."""
    positives = (size, 1, 0, size // 3)
    negatives = (7, size // 2, 5, size // 2 + 1)
    table = fm.ScoreTable(np.array([4.0, 3.0, 2.0, 1.0]), np.array(positives), np.array(negatives))
    return table, [
        *zip((4, 3, 2, 1), map(Fraction, positives), map(Fraction, negatives), strict=True)
    ]


@pytest.mark.parametrize("size", [10**3, 10**6, 10**10, 10**12, 2**61 - 1])
def test_injected_counts(size):
    table, rows = injected(size)
    assert fm.roc_auc_score(table) == float(roc_oracle.auc(rows))
    assert fm.rank_loss(table) == float(roc_oracle.rank_loss(rows))
    for max_fpr in (0.1, 0.25, 2.0**-40):
        expected = float(roc_oracle.mcclish(rows, 0, Fraction(max_fpr)))
        assert fm.roc_auc_score(table, max_fpr=max_fpr) == expected
    for over, ends in itertools.product(RANGE_OF, ((0.0, 2.0**-50), (0.1, 0.7), (0.5, 1.0))):
        expected = float(roc_oracle.partial_auc(rows, *ends, over))
        assert fm.partial_auc(table, **{RANGE_OF[over]: ends}) == expected


def indicator(rng, n=40, k=4):
    y = rng.integers(0, 2, (n, k))
    y[:2] = [[0, 1, 0, 1], [1, 0, 1, 0]]
    y[:, 0] |= y.sum(axis=1) == 0
    y[:, 1] &= y.sum(axis=1) != k
    return y, rng.integers(0, 9, (n, k)) / 8


@pytest.mark.pairwise
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_fpr", [None, 0.4])
@pytest.mark.parametrize("convert", [np.asarray, np.ndarray.tolist, np.asfortranarray])
def test_multilabel(rng, average, weighted, max_fpr, convert):
    y, s = indicator(rng)
    w = rng.random(len(y)) if weighted else None
    ours = fm.roc_auc_score(
        convert(y), convert(s), average=average, sample_weight=w, max_fpr=max_fpr
    )
    theirs = sk.roc_auc_score(y, s, average=average, sample_weight=w, max_fpr=max_fpr)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert type(ours) is type(theirs) is (np.ndarray if average is None else float)


def test_multilabel_columns_are_exact(rng):
    y, s = indicator(rng)
    for k, area in enumerate(fm.roc_auc_score(y, s, average=None)):
        assert area == float(roc_oracle.auc(roc_oracle.rows_of(y[:, k], s[:, k])))


@pytest.mark.parametrize("average", AVERAGES)
def test_multilabel_with_a_column_of_one_class(average):
    y = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]])
    s = np.array([[3, 2, 1], [1, 3, 2], [2, 1, 3]])
    options = {"average": average}
    if average == "micro":
        assert fm.roc_auc_score(y, s, **options) == pytest.approx(sk.roc_auc_score(y, s, **options))
        return
    if average == "samples":
        y = y[:, ::-1] * (np.arange(3) > 0)[:, None]
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        ours = fm.roc_auc_score(y, s, **options)
    with pytest.warns(sk._ranking.UndefinedMetricWarning, match="Only one class"):
        theirs = sk.roc_auc_score(y, s, **options)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_multilabel_without_a_positive_averages_to_zero_when_weighted():
    y = np.zeros((3, 2), dtype=int)
    s = np.arange(6).reshape(3, 2)
    assert fm.roc_auc_score(y, s, average="weighted") == sk.roc_auc_score(y, s, average="weighted")


@given(samples(weights=importances))
def test_weighted_corners_draw_the_same_curve(sample):
    y, s, w = sample
    fpr, tpr, thresholds = fm.roc_curve(y, s, sample_weight=w)
    full_fpr, full_tpr, full = fm.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    assert np.isin(thresholds, full).all()
    # Each point of the full curve lies on the segment between the corners around it.
    for x, height in zip(full_fpr, full_tpr, strict=True):
        to_segment = [
            abs((x - x0) * (y1 - y0) - (height - y0) * (x1 - x0))
            + max(0.0, x0 - x, x - x1, y0 - height, height - y1)
            for x0, x1, y0, y1 in zip(fpr[:-1], fpr[1:], tpr[:-1], tpr[1:], strict=True)
        ]
        assert min(to_segment) < 1e-14
    assert len(thresholds) <= len(sk.roc_curve(y, s, sample_weight=w)[2])


@pytest.mark.parametrize("n", [3_000, 50_000])
def test_roc_curve_compiled(rng, n):
    y = rng.integers(0, 2, n)
    for s in (
        rng.random(n),
        rng.integers(0, 50, n) / 50,
        rng.integers(0, n, n),
        rng.random(n).astype(np.float32),
    ):
        for drop in (True, False):
            assert_same(
                fm.roc_curve(y, s, drop_intermediate=drop),
                sk.roc_curve(y, s, drop_intermediate=drop),
            )
            assert_same(
                fm.det_curve(y, s, drop_intermediate=drop),
                sk.det_curve(y, s, drop_intermediate=drop),
            )


@pytest.mark.parametrize(
    ("label", "message", "undefined"),
    [(1, "No negative samples", 0), (0, "No positive samples", 1)],
)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_one_class_roc_curve(label, message, undefined, n):
    y = np.full(n, label)
    s = np.arange(n) / n
    with pytest.warns(UndefinedMetricWarning, match=message) as caught:
        ours = fm.roc_curve(y, s)
    assert caught[0].filename == __file__
    with pytest.warns(sk._ranking.UndefinedMetricWarning):
        theirs = sk.roc_curve(y, s)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert np.isnan(ours[undefined]).all()


def test_a_class_that_weighs_nothing_is_missing():
    with pytest.warns(UndefinedMetricWarning, match="No positive samples"):
        fpr, tpr, _ = fm.roc_curve([0, 1, 0], [0.1, 0.2, 0.3], sample_weight=[1.5, 0.0, 0.3])
    assert fpr[-1] == 1.0
    assert np.isnan(tpr).all()


def test_roc_curve_of_injected_counts():
    table = fm.ScoreTable(
        np.array([3.0, 2.0, 1.0]),
        np.array([10**12, 0, 10**12], dtype=np.int64),
        np.array([0, 10**12, 3 * 10**12], dtype=np.int64),
    )
    fpr, tpr, thresholds = fm.roc_curve(table)
    assert fpr.tolist() == [0.0, 0.0, 0.25, 1.0]
    assert tpr.tolist() == [0.0, 0.5, 0.5, 1.0]
    assert thresholds.tolist() == [np.inf, 3.0, 2.0, 1.0]


def test_roc_curve_of_an_empty_table():
    with pytest.warns(UndefinedMetricWarning) as caught:
        fpr, tpr, thresholds = fm.roc_curve(fm.ScoreTable.from_counts([], [], []))
    assert [str(warning.message)[:11] for warning in caught] == ["No negative", "No positive"]
    assert np.isnan([fpr, tpr]).all()
    assert thresholds.tolist() == [np.inf]


@pytest.mark.parametrize(
    "function",
    [
        fm.roc_curve,
        fm.det_curve,
        fm.precision_recall_curve,
        fm.confusion_matrix_at_thresholds,
    ],
)
def test_results_are_the_callers_own(rng, function):
    table = fm.ScoreTable.from_scores(rng.integers(0, 2, 50), rng.random(50))
    before = [array.copy() for array in function(table)]
    for array in function(table):
        array.fill(-1)
    assert_same(function(table), before)


def test_det_curve_of_one_class_raises_as_scikit_learn():
    with pytest.raises(ValueError, match=r"both classes.*\(positives 3, negatives 0\)"):
        fm.det_curve([1, 1, 1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="Only one class"):
        sk.det_curve([1, 1, 1], [0.1, 0.2, 0.3])


def test_det_curve_of_one_class_against_two_others():
    fpr, fnr, thresholds = fm.det_curve([1, 2, 3], [0.1, 0.7, 0.4], pos_label=2)
    assert (fpr.tolist(), fnr.tolist(), thresholds.tolist()) == ([0.0], [0.0], [0.7])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20), st.booleans())
def test_auc_is_scikit_learns_bit_for_bit(values, falling):
    x = np.sort(values)[:: -1 if falling else 1]
    y = np.cos(values)
    assert fm.auc(x, y) == sk.auc(x, y)
    assert fm.auc(x.tolist(), y.tolist()) == sk.auc(x, y)


NAMES = np.array(["apple", "fig", "pear", "plum"])


def problem(rng, n=60, k=4):
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    raw = rng.integers(1, 6, (n, k)).astype(float)
    raw[np.arange(n), y] += 2
    return y, raw / raw.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("text", [False, True])
def test_labels_name_a_class_that_is_absent(rng, text):
    y, s = problem(rng)
    keep = y != 2
    y = y[keep]
    s = s[keep]
    labels = np.arange(4)
    if text:
        y = NAMES[y]
        labels = NAMES
    for average in ("macro", "weighted"):
        options = {"multi_class": "ovo", "average": average, "labels": labels}
        assert fm.roc_auc_score(y, s, **options) == pytest.approx(sk.roc_auc_score(y, s, **options))
    options = {"multi_class": "ovr", "average": "weighted", "labels": list(labels)}
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        ours = fm.roc_auc_score(y, s, **options)
    with pytest.warns(sk._ranking.UndefinedMetricWarning, match="Only one class"):
        assert ours == pytest.approx(sk.roc_auc_score(y, s, **options))


def test_one_class_left():
    s = np.full((3, 3), 1 / 3)
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert np.isnan(fm.roc_auc_score([1, 1, 1], s, multi_class="ovo", labels=[0, 1, 2]))
    options = {"multi_class": "ovo", "sample_weight": [1.0, 0.0, 0.0]}
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert np.isnan(fm.roc_auc_score([0, 1, 2], s, **options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "multi_class must be in"),
        ({"multi_class": "ovr", "average": "samples"}, "average"),
        ({"multi_class": "ovo", "average": "micro"}, "average"),
        ({"multi_class": "ovr", "max_fpr": 0.5}, "max_fpr"),
        ({"multi_class": "ovr", "labels": [0, 1, 2]}, "columns"),
        ({"multi_class": "ovr", "labels": [0, 1, 2, 2]}, "'labels' must be unique"),
        ({"multi_class": "ovr", "labels": [0, 1, 3, 2]}, "'labels' must be ordered"),
        ({"multi_class": "ovr", "labels": [0, 1, 2, 7]}, "labels not in parameter 'labels'"),
    ],
)
def test_refuses_what_scikit_learn_refuses(rng, options, message):
    y, s = problem(rng)
    with pytest.raises(ValueError, match=message):
        fm.roc_auc_score(y, s, **options)
    with pytest.raises(ValueError, match=message):
        sk.roc_auc_score(y, s, **options)


RANGES = st.tuples(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.25, 0.5])),
    st.one_of(st.floats(0, 1), st.sampled_from([0.5, 0.75, 1.0])),
).filter(lambda ends: ends[0] < ends[1])

RANGE_OF = {"fpr": "false_positive_rate_range", "tpr": "true_positive_rate_range"}


@given(samples(), RANGES, st.sampled_from(["fpr", "tpr"]))
def test_corrected_area(sample, ends, over):
    y, s, _ = sample
    options = {RANGE_OF[over]: ends, "standardized": True}
    expected = roc_oracle.mcclish(roc_oracle.rows_of(y, s), *ends, over)
    if expected >= Fraction(1, 2):
        assert fm.partial_auc(y, s, **options) == float(expected)
        return
    with pytest.warns(UndefinedMetricWarning, match="below the diagonal") as caught:
        assert np.isnan(fm.partial_auc(y, s, **options))
    assert caught[0].filename == __file__


def test_rounded_weights_do_not_exceed_the_range():
    tenths = [11, 11, 1, 1, 7, 3, 7, 1, 11, 3, 11, 11, 7, 1, 11, 1, 7, 3]
    y = np.arange(18) < 7
    s = -np.arange(18)
    w = np.array(tenths) / 10
    for over in ("false_positive_rate_range", "true_positive_rate_range"):
        assert fm.partial_auc(y, s, sample_weight=w, **{over: (0, 1)}) == 1.0
        assert fm.partial_auc(y, -s, sample_weight=w, **{over: (0, 1)}) == 0.0


def test_the_range_is_all_of_one_rate():
    y, s = [0, 0, 1, 1], [1, 2, 4, 3]
    assert fm.partial_auc(y, s) == 1.0


def check(result, rows):
    statistic, threshold, sign = roc_oracle.kolmogorov_smirnov(rows)
    assert result.statistic == float(statistic)
    assert (result.threshold, result.sign) == (threshold, sign)
    fpr, tpr = next((x, y) for t, x, y in roc_oracle.points(rows) if t == threshold)
    assert (result.false_positive_rate, result.true_positive_rate) == (float(fpr), float(tpr))


@pytest.mark.parametrize("size", [10**6, 10**10, 10**12, 2**61 - 1])
def test_injected_counts_ks(size):
    # Two gaps that differ by less than float64 sees: the lower threshold's is the larger.
    positives = np.array([size - 1, 1, 1, size - 1], dtype=np.int64)
    negatives = np.array([0, 0, size, size], dtype=np.int64)
    table = fm.ScoreTable(np.array([4.0, 3.0, 2.0, 1.0]), positives, negatives)
    rows = [
        (score, Fraction(p), Fraction(n))
        for score, p, n in zip(
            (4.0, 3.0, 2.0, 1.0), positives.tolist(), negatives.tolist(), strict=True
        )
    ]
    check(fm.ks_statistic(table), rows)
    assert fm.ks_statistic(table).threshold == 3.0


def test_counts_beyond_int64_products() -> None:
    big = 2**61
    table = fm.ScoreTable.from_counts([3, 2, 1], [big, big - 1, 1], [big, big, 1])
    p, n = [big, big, 0], [big, big, 1]  # the last two rows are one block
    whole = 2 * big
    # Odds 1, then big / (big + 1): hardly below.
    exact = (
        Fraction(big, whole) * Fraction(big, 2 * big + 1) / 2
        + Fraction(big + 1, 2 * big + 1) * (Fraction(big, whole) + 1) / 2
    )
    assert roc_hull_auc(table) == float(exact)
    assert sum(p) == whole
    assert sum(n) == 2 * big + 1


# The README of the Python package hmeasure 0.1.6, a translation of R's, whose `severity_ratio` r
# stands for Beta(2, 1 + 1 / r), by default with r = p / (1 - p); a negative one for the weight of
# Hand & Anagnostopoulos (2014).
Y = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0]
S = [
    *(0.84901876, 0.10282827, 0.43752488, 0.46004468, 0.90878931),
    *(0.79177719, 0.5297229, 0.13803906, 0.73166264, 0.22959056),
]
PUBLISHED = {
    7 / 3: 0.18889596344769588,
    0.7: 0.13502616807120948,
    0.5: 0.10750123502531805,
    0.1: 0.001212529211507385,
}


@pytest.mark.parametrize("ratio", PUBLISHED)
def test_published_values(ratio) -> None:
    value = h_measure(Y, S, cost_weight=(2, 1 + 1 / ratio))
    assert value == pytest.approx(PUBLISHED[ratio], rel=1e-11)


def test_the_published_value_of_the_default() -> None:
    assert h_measure(Y, S) == pytest.approx(0.18310946512079307, rel=1e-12)
    assert h_measure(Y, S, cost_weight=(1.7, 1.3)) == pytest.approx(h_measure(Y, S))


def test_the_weight_is_of_false_positives() -> None:
    """A weight near c = 1 asks for few false positives: the first of two scores has none."""
    careful = [1, 1, 0, 0, 1, 1, 0, 0]
    greedy = [8, 7, 6, 5, 4, 3, 2, 1]
    table = [6, 8, 7, 5, 4, 3, 2, 1]  # two negatives on top
    assert h_measure(careful, greedy, cost_weight=(20, 2)) > 0.3
    assert h_measure([0, 0, 1, 1, 1, 1, 0, 0], sorted(table)[::-1], cost_weight=(20, 2)) < 0.01
    assert h_measure([0, 0, 1, 1, 1, 1, 0, 0], sorted(table)[::-1], cost_weight=(2, 20)) > 0.1


def test_gini_keeps_its_digits_near_zero() -> None:
    n = 3 * 10**8  # pairs of a table: 1 more won than lost, of 9e16
    table = fm.ScoreTable.from_counts([3, 2, 1], [1, n - 1, 0], [0, n - 1, 1])
    assert fm.gini_coefficient(table) == (1 * n + (n - 1)) / n**2
    labels = np.tile([0, 1, 1, 0], 5)
    assert fm.gini_coefficient(labels, np.arange(20)) == fm.gini_coefficient(
        fm.ScoreTable.from_scores(labels, np.arange(20))
    )
