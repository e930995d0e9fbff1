"""Precision and recall at all thresholds, break-even, dominance, gains."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import given, strategies as st

import engine_sizes
import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning
from reference import gain_oracle, pr_oracle as oracle

AVERAGES = ["micro", "macro", "weighted", "samples", None]


def same(ours: object, theirs: object) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)
        assert mine.dtype == other.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_thresholds_keep_their_dtype(dtype: type, rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 500)
    s = rng.integers(-50, 50, 500).astype(dtype)
    same(fm.precision_recall_curve(y, s), peer.precision_recall_curve(y, s))
    assert fm.average_precision_score(y, s) == peer.average_precision_score(y, s)


def test_no_positive_is_zero_with_scikit_learns_words() -> None:
    for function in (fm.precision_recall_curve, fm.average_precision_score):
        with pytest.warns(
            UndefinedMetricWarning, match="No positive class found in y_true"
        ) as seen:
            value = function([0, 0, 0], [0.1, 0.2, 0.3])
        assert seen[0].filename == __file__
    assert value == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(
            fm.precision_recall_curve([0, 0], [0.1, 0.2]),
            peer.precision_recall_curve([0, 0], [0.1, 0.2]),
        )


def test_only_positives() -> None:
    same(
        fm.precision_recall_curve([1, 1], [1.0, 2.0]),
        peer.precision_recall_curve([1, 1], [1.0, 2.0]),
    )
    assert fm.average_precision_score([1, 1], [1.0, 2.0]) == 1.0


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["multilabel", "multiclass"])
def test_averages(average: str | None, weighted: bool, kind: str, rng: np.random.Generator) -> None:
    n, k = 60, 4
    scores = rng.integers(0, 8, (n, k)) / 8.0
    if kind == "multilabel":
        y = rng.integers(0, 2, (n, k))
        y[:, 2] = rng.random(n) < 0.1
        y[y.sum(axis=1) == 0, 0] = 1
    else:
        y = np.array(["a", "b", "c", "d"])[rng.integers(0, k, n)]
    w = rng.random(n) if weighted else None
    ours = fm.average_precision_score(y, scores, average=average, sample_weight=w)
    theirs = peer.average_precision_score(y, scores, average=average, sample_weight=w)
    if weighted:
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    else:
        np.testing.assert_array_equal(ours, theirs)
    assert type(ours) is type(theirs)


def test_a_label_without_positives_counts_zero_and_warns() -> None:
    y = np.array([[1, 0], [0, 0], [1, 0]])
    s = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.3]])
    for average in ("macro", "weighted"):
        with pytest.warns(UndefinedMetricWarning, match="No positive class"):
            ours = fm.average_precision_score(y, s, average=average)
        with pytest.warns(UserWarning, match="No positive class"):
            assert ours == peer.average_precision_score(y, s, average=average)


def test_counts_of_any_size() -> None:
    big = 2**62
    table = fm.ScoreTable.from_counts([2.0, 1.0], [big, big - 1], [big, big - 1])
    precision, recall, _ = fm.precision_recall_curve(table)
    np.testing.assert_array_equal(precision, [0.5, 0.5, 1.0])
    np.testing.assert_array_equal(recall, [1.0, 0.5, 0.0])


def test_a_table_without_rows() -> None:
    empty = fm.ScoreTable(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    with pytest.warns(UndefinedMetricWarning, match="No positive class"):
        assert np.isnan(fm.average_precision_score(empty))
    with pytest.warns(UndefinedMetricWarning, match="No positive class"):
        precision, recall, thresholds = fm.precision_recall_curve(empty)
    assert (precision.tolist(), recall.tolist(), thresholds.tolist()) == ([1.0], [0.0], [])


def test_textbook_eight() -> None:
    point = fm.break_even_point(
        [1, 0, 1, 1, 0, 0, 1, 0], [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]
    )
    assert point.to_dict() == {"value": 0.625, "threshold": 0.47, "interpolated": True}


def test_met_by_a_threshold() -> None:
    point = fm.break_even_point([1, 0, 1, 0], [4, 3, 2, 1])
    assert (point.value, point.threshold, point.interpolated) == (0.5, 3, False)


def test_rounded_weights_still_meet_the_positives() -> None:
    weights = [0.1, 0.1, 0.1, 0.3, 0.1]  # 0.1 + 0.1 + 0.1 != 0.3 in floats
    point = fm.break_even_point([1, 1, 0, 0, 1], [5, 4, 3, 2, 1], sample_weight=weights)
    assert not point.interpolated
    assert point.value == pytest.approx(2 / 3, rel=1e-15)


def test_no_true_positive_at_the_count() -> None:
    with pytest.warns(UndefinedMetricWarning, match="none of them is one") as record:
        point = fm.break_even_point([0, 0, 1, 1], [4, 3, 2, 1])
    assert math.isnan(point.value)
    assert record[0].filename == __file__


def test_counts_of_any_size_even() -> None:
    big = 10**18
    point = fm.break_even_point(fm.ScoreTable.from_counts([2, 1], [big, big], [3 * big, 0]))
    assert point.value == 0.25
    assert point.interpolated


CURVES = ["roc", "precision-recall"]
REVERSED = {"encloses": "is-enclosed", "is-enclosed": "encloses"}
PAIRED = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 7), st.integers(0, 7)), min_size=2, max_size=24
).filter(lambda data: len({y for y, *_ in data}) == 2)
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 7)), min_size=2, max_size=16).filter(
    lambda data: len({y for y, _ in data}) == 2
)


@pytest.mark.parametrize("curve", CURVES)
@given(data=PAIRED)
def test_paired(curve: str, data: list[tuple[int, int, int]]) -> None:
    y, a, b = zip(*data, strict=True)
    result = fm.dominance(y, a, b, curve=curve)
    assert (result.relation, len(result.crossings)) == oracle.dominance(y, a, y, b, curve)
    assert result.curve == curve
    on_both_curves(result.crossings, y, a, curve)
    on_both_curves(result.crossings, y, b, curve)
    back = fm.dominance(y, b, a, curve=curve)
    assert back.relation == REVERSED.get(result.relation, result.relation)
    assert back.crossings == result.crossings


@pytest.mark.parametrize("curve", CURVES)
@given(first=ROWS, second=ROWS)
def test_different_data(
    curve: str, first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    y_a, a = zip(*first, strict=True)
    y_b, b = zip(*second, strict=True)
    result = fm.dominance(
        fm.ScoreTable.from_scores(y_a, a), fm.ScoreTable.from_scores(y_b, b), curve=curve
    )
    assert (result.relation, len(result.crossings)) == oracle.dominance(y_a, a, y_b, b, curve)
    on_both_curves(result.crossings, y_a, a, curve)
    on_both_curves(result.crossings, y_b, b, curve)


def on_both_curves(points: tuple, y: tuple, scores: tuple, curve: str) -> None:
    """Each crossing lies on the curve, up to the rounding of its coordinates."""
    corners = [(float(fpr), float(tpr)) for fpr, tpr in oracle.roc(y, scores)]
    ratio = sum(1 - label for label in y) / sum(y)
    for point in points:
        if curve == "roc":
            x, height = point
        else:  # back from precision at this recall to the FPR
            height, precision = point
            x = height * (1 / precision - 1) / ratio
        distances = [
            abs((x2 - x1) * (height - y1) - (y2 - y1) * (x - x1))
            for (x1, y1), (x2, y2) in itertools.pairwise(corners)
            if x1 - 1e-9 <= x <= x2 + 1e-9 and y1 - 1e-9 <= height <= y2 + 1e-9
        ]
        assert min(distances) < 1e-12


@given(data=PAIRED)
def test_roc_and_precision_recall_agree_on_one_data_set(data: list[tuple[int, int, int]]) -> None:
    """Davis & Goadrich (2006), theorem 3.2."""
    y, a, b = zip(*data, strict=True)
    roc = fm.dominance(y, a, b)
    pr = fm.dominance(y, a, b, curve="precision-recall")
    assert roc.relation == pr.relation
    for (fpr, tpr), (recall, precision) in zip(roc.crossings, pr.crossings, strict=True):
        assert recall == tpr
        negatives = y.count(0)
        positives = y.count(1)
        assert precision == pytest.approx(
            tpr * positives / (tpr * positives + fpr * negatives), rel=1e-14
        )


def test_where_they_cross() -> None:
    assert fm.dominance([1, 0, 1, 0], [4, 3, 2, 1], [4, 4, 4, 4]).relation == "encloses"
    # Up-right-up-right against right-up-up-right, with a tie of both classes in the middle.
    result = fm.dominance([1, 1, 0, 0], [4, 1, 3, 2], [2, 2, 2, 2])
    assert (result.relation, result.crossings) == ("crosses", ((0.5, 0.5),))
    result = fm.dominance([1, 1, 0, 0], [4, 1, 3, 2], [2, 2, 2, 2], curve="precision-recall")
    assert result.crossings == ((0.5, 0.5),)


def test_a_stretch_in_common_counts_once() -> None:
    y = [1, 0, 1, 0, 1, 0]
    # Both run through (1/3, 1/3) to (2/3, 2/3) by one tie; A is above before it, below after it.
    result = fm.dominance(y, [6, 5, 4, 4, 1, 2], [5, 6, 4, 4, 2, 1])
    assert result.relation == "crosses"
    assert result.crossings == ((2 / 3, 2 / 3),)


@pytest.mark.parametrize("scale", [1, 10**5, 10**10, 10**17])
@pytest.mark.parametrize("curve", CURVES)
def test_equal_shares_of_other_sizes_are_equal(scale: int, curve: str) -> None:
    """Thirds and sevenths, which no float holds: rounding must not make the curves cross."""
    counts = np.array([1, 3, 1, 2]), np.array([2, 1, 3, 1])
    small = fm.ScoreTable.from_counts([4, 3, 2, 1], *counts)
    large = fm.ScoreTable.from_counts([9, 7, 5, 1], *(3 * scale * column for column in counts))
    assert fm.dominance(small, large, curve=curve).relation == "equal"
    first = 3 * scale * counts[0]
    first[0] += 1  # one positive more at the top, one fewer at the bottom
    first[3] -= 1
    better = fm.ScoreTable.from_counts([9, 7, 5, 1], first, 3 * scale * counts[1])
    assert fm.dominance(better, small, curve=curve).relation == "encloses"
    assert fm.dominance(small, better, curve=curve).relation == "is-enclosed"


def test_class_ratio_moves_precision_recall_but_not_roc() -> None:
    table = fm.ScoreTable.from_counts([3, 2, 1], [2, 1, 1], [1, 1, 2])
    diluted = fm.ScoreTable.from_counts([3, 2, 1], [2, 1, 1], [10, 10, 20])
    assert fm.dominance(table, diluted).relation == "equal"
    assert fm.dominance(table, diluted, curve="precision-recall").relation == "encloses"


def test_crossings_are_the_nearest_doubles(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 300)
    a, b = rng.random((2, 300))
    result = fm.dominance(y, a, b)
    assert result.relation == "crosses"
    p, n = int(y.sum()), int(300 - y.sum())
    for fpr, tpr in result.crossings:  # without ties every crossing is a pair of counts
        assert float(Fraction(round(fpr * n), n)) == fpr
        assert float(Fraction(round(tpr * p), p)) == tpr


ROWS_GAINS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=25
).filter(lambda rows: {y for y, _ in rows} == {0, 1})


# --- gains and lift ------------------------------------------------------------------------------


@pytest.mark.parametrize("taken", [1, 2, 3, 4])
def test_ties_are_the_mean_over_all_orders(taken: int) -> None:
    y, s = [1, 0, 1, 0, 0], [2, 1, 1, 1, 0]
    gains = []
    for order in itertools.permutations(range(5)):
        if sorted(order, key=lambda i: -s[i]) == [*order]:  # an order that the scores allow
            gains.append(sum(y[i] for i in order[:taken]) / 2)
    assert fm.costs.cumulative_gain(y, s, fraction=taken / 5) == pytest.approx(
        np.mean(gains), rel=1e-15
    )


@given(rows=ROWS_GAINS)
def test_the_curve_passes_through_the_gains(rows: list[tuple[int, int]]) -> None:
    y, s = zip(*rows, strict=True)
    curve = fm.costs.gains_curve(y, s)
    assert curve.thresholds.tolist() == [math.inf, *sorted(set(s), reverse=True)]
    assert (curve.fraction[0], curve.gain[0]) == (0.0, 0.0)
    assert (curve.fraction[-1], curve.gain[-1]) == (1.0, 1.0)
    for fraction, gain in zip(curve.fraction[1:], curve.gain[1:], strict=True):
        assert fm.costs.cumulative_gain(y, s, fraction=fraction) == pytest.approx(gain, rel=1e-14)
    assert curve.lift[-1] == 1.0
    # The area between the curve and the diagonal is a share of the AUC's.
    area = np.sum(np.diff(curve.fraction) * (curve.gain[1:] + curve.gain[:-1])) / 2
    auc = (area - curve.prevalence / 2) / (1 - curve.prevalence)
    assert fm.roc_auc_score(y, s) == pytest.approx(auc, abs=1e-14)


# --- Lorenz --------------------------------------------------------------------------------------


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(0, 3)), min_size=2, max_size=20
    ).filter(lambda rows: any(y * w for y, _, w in rows))
)
def test_the_lorenz_curve(rows: list[tuple[int, int, int]]) -> None:
    y, p, w = zip(*rows, strict=True)
    curve = fm.costs.lorenz_curve(y, p, sample_weight=w)
    weights = [Fraction(each) for each in w]
    assert curve.gini == pytest.approx(float(gain_oracle.gini(y, p, weights)), abs=1e-14)
    best = gain_oracle.normalized_gini(y, p, weights)
    if best is not None:
        assert curve.normalized_gini == pytest.approx(float(best), abs=1e-12)
    assert (np.diff(curve.share) >= 0).all()
    area = np.sum(np.diff(curve.exposure) * (curve.share[1:] + curve.share[:-1])) / 2
    assert curve.gini == pytest.approx(1 - 2 * area, abs=1e-14)


Y = np.array([0, 1, 0, 1, 1, 0])
#: Returns thresholds, of which inf is none of the scores.
IN_FLOATS = {
    "roc_curve": lambda y, s: fm.roc_curve(y, s)[2],
    "roc_curve, all": lambda y, s: fm.roc_curve(y, s, drop_intermediate=False)[2],
    "roc_curve, weighted": lambda y, s: fm.roc_curve(y, s, sample_weight=y + 1)[2],
    "det_curve": lambda y, s: fm.det_curve(y, s)[2],
    "det_curve, weighted": lambda y, s: fm.det_curve(y, s, sample_weight=y + 1)[2],
    "cost_curve": lambda y, s: fm.costs.cost_curve(y, s).thresholds,
    "gains_curve": lambda y, s: fm.costs.gains_curve(y, s).thresholds,
    "threshold_costs": lambda y, s: fm.costs.threshold_costs(y, s, cost_fn=2, cost_fp=1).thresholds,
}
AS_GIVEN = {
    "precision_recall_curve": lambda y, s: fm.precision_recall_curve(y, s)[2],
    "confusion_matrix_at_thresholds": lambda y, s: fm.confusion_matrix_at_thresholds(y, s)[4],
    "best_threshold": lambda y, s: np.array([fm.best_threshold(y, s).threshold]),
    "guaranteed_threshold": lambda y, s: np.array(
        [fm.guaranteed_threshold(y, s, recall=0.5, delta=0.5).threshold]
    ),
    "break_even_point": lambda y, s: np.array([fm.break_even_point(y, s).threshold]),
}


def scores(start, step, dtype):
    return np.array([start + step * i for i in (0, 1, 2, 3, 5, 4)], dtype=dtype)


@pytest.mark.parametrize("name", IN_FLOATS)
@pytest.mark.parametrize(
    ("start", "step", "dtype"),
    [
        (-3, 1, np.int64),
        (2**53 - 5, 1, np.int64),
        (-(2**53), 1, np.int64),
        (2**60, 2**10, np.int64),
        (2**63, 2**11, np.uint64),
        (0.5, 0.25, np.float32),
    ],
)
def test_thresholds_in_floats_are_scores(name, start, step, dtype):
    given = scores(start, step, dtype)
    thresholds = {
        int(t) if dtype != np.float32 else t for t in IN_FLOATS[name](Y, given) if t != np.inf
    }
    assert thresholds
    assert thresholds <= set(given.tolist())


@pytest.mark.parametrize("name", IN_FLOATS)
@pytest.mark.parametrize(
    ("start", "step", "dtype"),
    [
        (2**53 + 1, 2, np.int64),
        (-(2**53) - 11, 2, np.int64),
        (2**63 - 11, 2, np.int64),
        (2**64 - 11, 2, np.uint64),
    ],
)
def test_thresholds_that_floats_would_round_are_refused(name, start, step, dtype):
    with pytest.raises(ValueError, match=r"the score -?\d{16,20} is no float.*beyond 2\*\*53"):
        IN_FLOATS[name](Y, scores(start, step, dtype))


@pytest.mark.parametrize("name", AS_GIVEN)
@pytest.mark.parametrize(("start", "dtype"), [(2**53, np.int64), (2**64 - 6, np.uint64)])
def test_other_thresholds_keep_integers(name, start, dtype):
    given = scores(start, 1, dtype)
    threshold = AS_GIVEN[name](Y, given)
    assert threshold.dtype.kind in "iu"
    assert set(threshold.tolist()) <= set(given.tolist())


@pytest.mark.filterwarnings("ignore::fastmetrics.errors.DegenerateDataWarning")
@pytest.mark.parametrize("threshold", [2**53 + 6, 2**53 + 7, 2.0**53 + 6, -np.inf])
def test_a_given_threshold_beyond_2_53_is_compared_exactly(threshold):
    given = scores(2**53 + 1, 2, np.int64)
    called = np.array([s >= threshold for s in given.tolist()]).astype(int)
    assert fm.predict_at_threshold(given, threshold).tolist() == called.tolist()
    estimates = fm.estimate(Y, given, metrics="f1", threshold=threshold)
    assert estimates["f1"].estimate == fm.f1_score(Y, called)
    pair = fm.compare(Y, {"a": given, "b": -given}, metrics="f1", threshold=threshold)
    assert pair["f1"]["a"].estimate == fm.f1_score(Y, called)


CRITERIA = {
    "youden": {},
    "closest-topleft": {},
    "fewest-errors": {},
    "fbeta": {},
    "precision_at_recall": {"at_least": 0.9},
    "recall_at_precision": {"at_least": 0.5},
    "recall_at_false_positive_rate": {"at_most": 0.1},
}


def results_as_bytes(labels, scores, weights) -> list[bytes]:
    options = {"sample_weight": weights}
    results = [
        *fm.roc_curve(labels, scores, **options),
        *fm.roc_curve(labels, scores, drop_intermediate=False, **options),
        *fm.precision_recall_curve(labels, scores, **options),
        *fm.det_curve(labels, scores, **options),
        fm.average_precision_score(labels, scores, **options),
        *fm.ks_statistic(labels, scores, **options).to_dict().values(),
        *fm.estimate(labels, scores, metrics="ks_statistic", **options)[
            "ks_statistic"
        ].confidence_interval,
        *fm.break_even_point(labels, scores, **options).to_dict().values(),
    ]
    for criterion, constraint in CRITERIA.items():
        best = fm.best_threshold(labels, scores, criterion=criterion, **constraint, **options)
        results += [best.threshold, best.value, best.tp, best.fp]
    return [np.asarray(result).tobytes() for result in results]


@pytest.mark.parametrize("decimals", [1, 2, 9])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 7, 300])
def test_pieces_change_no_bit(rng, monkeypatch, decimals: int, is_weighted: bool, rows) -> None:
    labels = rng.integers(0, 2, 500)
    scores = np.round(rng.standard_normal(500) + labels, decimals)
    weights = rng.random(500) if is_weighted else None
    whole = results_as_bytes(labels, scores, weights)
    engine_sizes.put(monkeypatch, curve_piece_rows=rows)
    assert results_as_bytes(labels, scores, weights) == whole


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.5, 1.0, 3.0, 1.0]])
def test_points_on_a_line_are_dropped_as_in_scikit_learn(weights) -> None:
    labels, scores = [1, 0, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.1]
    options = {"sample_weight": weights, "drop_intermediate": True}
    for last in (0, 1):
        labels[-1] = last
        actual = fm.precision_recall_curve(labels, scores, **options)
        expected = peer.precision_recall_curve(labels, scores, **options)
        for one, other in zip(actual, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-14)
