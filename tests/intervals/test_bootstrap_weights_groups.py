"""Weights and groups: each replicate against weighted rows from scratch."""

import math

import numba
import numpy as np
import pytest
from bootstrap_samples import (
    THRESHOLD,
    THRESHOLD_METRICS,
    assert_replicates,
    binary,
    drawn,
    in_order,
    quiet_bootstrap,
    value_of,
)

import fastmetrics as fm
from measure_names import COUNT_MEASURES
from reference import count_oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

COUNTED = ("accuracy", "f1", "recall", "matthews_corrcoef", "cohen_kappa", "f1_macro")
SUMMED = ("brier_score", "log_loss", "mean_squared_error", "r2", "mean", "mean_absolute_error")
ERRORS = "2_value"  # the least weight of errors, in the unit of the weights
CLASSES = ["accuracy", "f1_macro", "recall_weighted", "cohen_kappa"]


@numba.njit
def weighted_mean(labels, scores, weights):
    return (scores * weights).sum() / weights.sum()


def top_score(labels, scores):
    return scores.max()


def top_weighted(labels, scores, weights):
    return scores[weights > 0].max()


EVERYTHING = (
    THRESHOLD_METRICS | {name: name for name in (*COUNTED, *SUMMED)} | {"numba": weighted_mean}
)


def assert_weighted(results, labels, p, threshold, weights, rtol=1e-10):
    """Compare all measures of ``EVERYTHING`` with those of rows with weights, a row a replicate."""
    tables = []
    for row in weights:
        kept = row > 0
        table = fm.ScoreTable.from_counts(p, row * labels, row * (1 - labels))
        tables.append(table if kept.any() else fm.ScoreTable.from_counts([0.0], [0], [0]))
    for label in THRESHOLD:
        got = results[label].details.distribution
        wanted = np.array([value_of(label, table) for table in tables])
        if label.endswith("True"):
            far = [not abs(value - 0.5) < 1e-9 for value in got]
            got, wanted = got[far], wanted[far]
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol, err_msg=label)
    called = p >= threshold
    for name in COUNTED:
        values = []
        for row in weights:
            rows = count_oracle.rows_of(labels.tolist(), called.astype(int).tolist(), row.tolist())
            values.append(count_oracle.value(COUNT_MEASURES[name].name, rows, [0, 1]))
        got = results[name].details.distribution
        np.testing.assert_allclose(got, values, rtol=1e-9, atol=1e-9, err_msg=name)
    clipped = np.clip(p, 2.0**-52, 1 - 2.0**-52)
    columns = {
        "brier_score": (labels - p) ** 2,
        "mean_squared_error": (labels - p) ** 2,
        "mean_absolute_error": np.abs(labels - p),
        "mean": labels,
        "log_loss": -np.log(np.where(labels == 1, clipped, 1 - clipped)),
        "numba": p,
    }
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, column in columns.items():
            wanted = weights @ column / weights.sum(axis=1)
            got = results[name].details.distribution
            np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12, err_msg=name)
        squares = weights @ (labels - p) ** 2 / weights.sum(axis=1)
        share = weights @ labels / weights.sum(axis=1)
        both = (share > 0) & (share < 1)
        got, wanted = results["r2"].details.distribution, 1 - squares / (share * (1 - share))
    np.testing.assert_allclose(got[both], wanted[both], rtol=1e-10)
    assert np.isnan(got[~both]).all()


def fractions(rng, n):
    """Return weights of which some are 0; no two sums of others are equal but for rounding."""
    return np.where(rng.random(n) < 0.2, 0.0, rng.exponential(size=n))


READ = {"integer": "frequencies"}


def problem(n, *, step=0.02):
    labels, scores = binary(n, seed=7)
    return labels, np.round(1 / (1 + np.exp(-scores)) / step) * step


WAYS = [
    pytest.param({}, id="plain"),
    pytest.param({"stratified": True}, id="stratified"),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [9, 70, 700])
def test_fractional_weights(n, way):
    labels, p = problem(n)
    weights = fractions(np.random.default_rng(n), n)
    weights[:2] = 0.3
    options = {"metrics": EVERYTHING, "threshold": 0.5, "n_resamples": 15 if n < 100 else 4}
    results = quiet_bootstrap(labels, p, sample_weight=weights, **options, **way)
    order = in_order(labels, p, weights)
    positive = labels[order] == 1 if way.get("stratified") else None
    counts = drawn(results, n, positive=positive)
    assert_weighted(results, labels[order], p[order], 0.5, counts * weights[order])
    whole = fm.ScoreTable.from_scores(labels, p, sample_weight=weights)
    for label in THRESHOLD:
        np.testing.assert_equal(results[label].estimate, value_of(label, whole))
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert results["auc"].details.effective_sample_size == pytest.approx(effective, rel=1e-12)


@pytest.mark.parametrize("unit", [2.0**-60, 2.0**60])
def test_the_unit_of_weights_changes_no_bit(unit):
    labels, p = problem(70)
    weights = fractions(np.random.default_rng(5), 70)
    one, other = (
        quiet_bootstrap(
            labels, p, sample_weight=weights * by, metrics=THRESHOLD_METRICS, n_resamples=15
        )
        for by in (1.0, unit)
    )
    for label in THRESHOLD:
        expected = one[label].details.distribution * (unit if label == ERRORS else 1)
        np.testing.assert_array_equal(other[label].details.distribution, expected, label)


@pytest.mark.parametrize("weighted", ["none", "integer", "fractional"])
def test_groups(weighted):
    """Whole groups are drawn, as often as their unit; a group of no frequency is no group."""
    n = 90
    labels, p = problem(n)
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 17, n)
    weights = {
        "none": None,
        "integer": np.where(groups == 3, 0, rng.integers(0, 4, n)),
        "fractional": fractions(rng, n),
    }[weighted]
    names = np.array([f"patient {group}" for group in range(17)])[groups]
    options = {"threshold": 0.5, "groups": names, "n_resamples": 12}
    options["weights_are"] = READ.get(weighted, "importances")
    results = quiet_bootstrap(labels, p, metrics=EVERYTHING, sample_weight=weights, **options)
    kept = np.ones(n, bool) if weighted != "integer" else weights > 0
    units = np.unique(names[kept], return_inverse=True)[1]
    counts = drawn(results, units.max() + 1)
    order = np.arange(n)[kept]
    of_rows = counts[:, units] * (1 if weights is None else weights[order])
    assert_weighted(results, labels[order], p[order], 0.5, of_rows.astype(float))
    size = {"none": n, "integer": None if weights is None else weights.sum()}.get(weighted)
    if size is not None:
        assert results["auc"].details.effective_sample_size == size


@pytest.mark.parametrize("weighted", ["none", "integer", "fractional", "fractional, no groups"])
def test_predicted_classes_of_groups_and_weights(weighted):
    n = 80
    rng = np.random.default_rng(2)
    names = np.array(["x", "y", "z", "rare"])
    true, predicted = rng.integers(0, 3, n), rng.integers(0, 3, n)
    groups = rng.integers(0, 11, n)
    weights = {"none": None, "integer": rng.integers(0, 4, n)}.get(weighted)
    if weighted.startswith("fractional"):
        weights = rng.choice([0.0, 0.5, 1.75], n)
    if weights is not None:
        true[np.flatnonzero(weights == 0)[0]] = 3  # a class that no row of a weight has
    grouped = weighted != "fractional, no groups"
    options = {"metrics": CLASSES, "sample_weight": weights}
    options["weights_are"] = READ.get(weighted, "importances")
    results = quiet_bootstrap(
        names[true], names[predicted], groups=groups if grouped else None, **options
    )
    if grouped:
        kept = weights > 0 if weighted == "integer" else np.ones(n, bool)
        units = np.unique(groups[kept], return_inverse=True)[1]
        order = np.flatnonzero(kept)
    else:
        cells = np.where(true == 3, 0, true) * 3 + predicted  # weightless: wherever it is put
        order = np.lexsort((weights, cells))
        units = np.arange(n)
    counts = drawn(results, units.max() + 1)
    of_rows = counts[:, units] * (1 if weights is None else weights[order])
    for r, row in enumerate(of_rows):
        rows = count_oracle.rows_of(
            names[true[order]].tolist(), names[predicted[order]].tolist(), row.tolist()
        )
        for name in CLASSES:
            wanted = count_oracle.value(name, rows, ["x", "y", "z"])
            got = results[name].details.distribution[r]
            np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("weighted", ["none", "integer", "fractional"])
def test_numbers_of_groups_and_weights(weighted):
    n = 60
    rng = np.random.default_rng(6)
    y, p, groups = rng.normal(size=n), rng.normal(size=n), rng.integers(0, 9, n)
    weights = {"none": np.ones(n), "integer": rng.integers(0, 4, n)}.get(weighted, rng.random(n))
    results = quiet_bootstrap(
        *(y, p),
        metrics=["mean_squared_error", "mean", "r2"],
        sample_weight=None if weighted == "none" else weights,
        weights_are=READ.get(weighted, "importances"),
        groups=groups,
    )
    counts = drawn(results, 9)
    of_rows = counts[:, groups] * weights
    total = of_rows.sum(axis=1)
    error, mean = of_rows @ (y - p) ** 2 / total, of_rows @ y / total
    spread = of_rows @ y**2 / total - mean**2
    assert_replicates(results["mean"].details.distribution, mean)
    assert_replicates(results["mean_squared_error"].details.distribution, error)
    assert_replicates(results["r2"].details.distribution, 1 - error / spread, rtol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_frequencies_are_rows(way):
    """Bit for bit, but for functions, which add up the rows in another way."""
    labels, p = problem(80)
    times = np.random.default_rng(1).integers(0, 4, 80)
    rows = np.repeat(np.arange(80), times)
    metrics = EVERYTHING | {"python": top_score}
    options = {"metrics": metrics, "threshold": 0.5, "n_resamples": 10, **way}
    weighted = quiet_bootstrap(labels, p, sample_weight=times, weights_are="frequencies", **options)
    repeated = quiet_bootstrap(labels[rows], p[rows], **options)
    for own in {"python", "numba"} & weighted.keys():
        assert_replicates(weighted[own].details.distribution, repeated[own].details.distribution)
    library = {label: one for label, one in weighted.items() if label not in ("python", "numba")}
    assert_same(library, repeated)
    assert weighted["auc"].details.effective_sample_size == len(rows)


@pytest.mark.parametrize("metrics", [["mean", "r2", "mean_squared_error"], {"top": top_score}])
def test_frequencies_of_numbers_are_rows(metrics):
    rng = np.random.default_rng(9)
    y, p, times = rng.normal(size=50), rng.normal(size=50), rng.integers(0, 5, 50)
    rows = np.repeat(np.arange(50), times)
    weighted = quiet_bootstrap(
        y, p, sample_weight=times, weights_are="frequencies", metrics=metrics
    )
    assert_same(weighted, quiet_bootstrap(y[rows], p[rows], metrics=metrics))


@pytest.mark.parametrize("k", [2, 3])
def test_frequencies_of_predictions_are_rows(k):
    rng = np.random.default_rng(k)
    true, predicted, times = (rng.integers(0, high, 60) for high in (k, k, 4))
    rows = np.repeat(np.arange(60), times)
    for way in ({}, {"stratified": True}):
        way = {"metrics": "accuracy", **way}
        counted = {"sample_weight": times, "weights_are": "frequencies"}
        weighted = quiet_bootstrap(true, predicted, **counted, **way)
        repeated = quiet_bootstrap(true[rows], predicted[rows], **way)
        assert_same(weighted, repeated)


@pytest.mark.parametrize("way", [*WAYS, pytest.param({"groups": True}, id="groups")])
def test_the_dtype_of_weights_decides_nothing(way):
    """Whole numbers are importances unless they are said to be frequencies, and the other way."""
    labels, p = problem(80)
    times = np.random.default_rng(1).integers(0, 4, 80)
    way = {"groups": np.arange(80) // 3} if "groups" in way else way
    options = {"metrics": EVERYTHING, "threshold": 0.5, "n_resamples": 10, **way}
    of_reading = []
    for options["weights_are"] in ("importances", "frequencies"):
        one, other = (
            quiet_bootstrap(labels, p, sample_weight=weights, **options)
            for weights in (times, times.astype(np.float32))
        )
        assert_same(one, other)
        assert (
            one["auc"].details.effective_sample_size == other["auc"].details.effective_sample_size
        )
        assert {result.weights_are for result in one.values()} == {options["weights_are"]}
        of_reading.append(one)
    importances, frequencies = of_reading
    for name in EVERYTHING:
        estimate = frequencies[name].estimate
        assert importances[name].estimate == pytest.approx(estimate, rel=1e-12, nan_ok=True)


def test_a_weight_of_100_for_all_narrows_nothing():
    labels, p = problem(300)
    plain = quiet_bootstrap(labels, p, n_resamples=999, method="percentile")["roc_auc"]
    options = {"n_resamples": 999, "method": "percentile", "sample_weight": np.full(300, 100)}
    weighted = quiet_bootstrap(labels, p, **options)["roc_auc"]
    assert weighted.standard_error == pytest.approx(plain.standard_error, rel=1e-12)
    assert (plain.weights_are, weighted.weights_are) == (None, "importances")
    counted = quiet_bootstrap(labels, p, **options, weights_are="frequencies")["roc_auc"]
    assert counted.standard_error < 0.15 * plain.standard_error


def assert_same(one, other):
    for name, result in one.items():
        np.testing.assert_equal(result.estimate, other[name].estimate)
        np.testing.assert_array_equal(
            result.details.distribution, other[name].details.distribution, err_msg=name
        )


def test_a_group_a_row_is_no_group():
    """As many groups as rows: another order of units, but the same distribution of draws."""
    labels, p = problem(300)
    rows = quiet_bootstrap(labels, p, n_resamples=2_000)["roc_auc"]
    groups = quiet_bootstrap(labels, p, n_resamples=2_000, groups=np.arange(300))["roc_auc"]
    assert groups.standard_error == pytest.approx(rows.standard_error, rel=0.08)


def test_python_functions_get_weights_where_these_may_be_fractions():
    """All rows come in the order given, those that are not drawn with a weight of 0."""
    labels, p = problem(40)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.5], 40)
    seen = []

    def with_weights(labels, scores, weights):
        seen.append(weights)
        return float(scores @ weights / weights.sum())

    metrics = [with_weights, "roc_auc"]
    results = quiet_bootstrap(labels, p, metrics=metrics, sample_weight=weights, n_threads=1)
    order = in_order(labels, p, weights)
    of_rows = drawn(results, 40) * weights[order]
    for row, given in zip(of_rows, seen[1:], strict=True):
        assert given[order].tolist() == row.tolist()
    assert seen[0].tolist() == weights.tolist()


def test_weights_of_any_scale():
    labels, p = problem(60)
    weights = np.random.default_rng(5).random(60)
    metrics = ["roc_auc", "average_precision", "brier_score", "accuracy"]
    options = {"metrics": metrics, "threshold": 0.5}
    plain = quiet_bootstrap(labels, p, sample_weight=weights, **options)
    for scale in (2.0**-700, 2.0**600):
        scaled = quiet_bootstrap(labels, p, sample_weight=weights * scale, **options)
        for name in metrics:
            assert scaled[name].estimate == pytest.approx(plain[name].estimate, rel=1e-14)
            assert_replicates(scaled[name].details.distribution, plain[name].details.distribution)
            assert not math.isnan(scaled[name].details.effective_sample_size)
