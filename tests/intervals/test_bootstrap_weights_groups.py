"""Weights and groups: each replicate against weighted rows from scratch."""

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
CLASSES = ["accuracy", "f1_macro", "recall_weighted", "cohen_kappa"]


@numba.njit
def weighted_mean(labels, scores, weights):
    return (scores * weights).sum() / weights.sum()


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


WAYS = [pytest.param({}, id="plain"), pytest.param({"stratified": True}, id="stratified")]


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
