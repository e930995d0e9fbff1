"""The interval of each method against its formula, and accelerations against differences."""

import math
from fractions import Fraction

import numpy as np
import pytest
from bootstrap_samples import CRITERIA, FIELDS, THRESHOLD_METRICS, binary, quiet_bootstrap, value_of

import engine_sizes
import fastmetrics as fm
from fastmetrics.inference.bootstrap.bootstrap import Engine
from fastmetrics.measures.decisions.count_measures import value
from reference import bootstrap_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

ALTERNATIVES = ["two-sided", "less", "greater"]
N = 30
LABELS, SCORES = binary(N, seed=2, step=0.1)
P = np.round(1 / (1 + np.exp(-SCORES)), 2)
SUMS = ["log_loss", "brier_score", "mean_squared_error", "r2", "mean_absolute_error", "mean_error"]
COUNTED = ["accuracy", "f1", "matthews_corrcoef", "cohen_kappa", "precision", "f1_macro"]


def median_gap(labels, scores):
    return float(np.median(scores[labels == 1]) - np.median(scores[labels == 0]))


EVERYTHING = THRESHOLD_METRICS | {name: name for name in (*SUMS, *COUNTED)} | {"own": median_gap}


@pytest.fixture
def accelerations(monkeypatch):
    """Return what BCa's acceleration was found to be, by measure."""
    found = {}

    def accelerations_of(engine, wanted, stratified):
        by_place = true(engine, wanted, stratified)
        found.update({engine.specs[measure].label: a for (_, measure), a in by_place.items()})
        return by_place

    true = Engine.accelerations
    monkeypatch.setattr(Engine, "accelerations", accelerations_of)
    return found


def refit(label, labels, p, weights):
    """Return a measure of weighted rows from scratch."""
    if label in THRESHOLD_METRICS:
        return value_of(label, fm.ScoreTable.from_scores(labels, p, sample_weight=weights))
    if label in COUNTED:
        matrix = fm.ConfusionMatrix.from_labels(
            labels, (p >= 0.5).astype(int), labels=[0, 1], sample_weight=weights
        )
        return float(value(label, matrix.counts))
    clipped = np.clip(p, 2.0**-52, 1 - 2.0**-52)
    error = np.average((labels - p) ** 2, weights=weights)
    share = np.average(labels, weights=weights)
    return {
        "log_loss": -np.average(
            np.log(np.where(labels == 1, clipped, 1 - clipped)), weights=weights
        ),
        "brier_score": error,
        "mean_squared_error": error,
        "r2": 1 - error / (share * (1 - share)),
        "mean_absolute_error": np.average(np.abs(labels - p), weights=weights),
        "mean_error": np.average(p - labels, weights=weights),
    }[label]


def influences(label, weights=None, units=None):
    """Return how a measure changes with the weight of each unit, by differences."""
    weights = np.ones(N) if weights is None else weights
    units = np.arange(N) if units is None else units
    found = []
    for unit in range(units.max() + 1):
        step = 1e-5 * weights * (units == unit)
        up, down = (refit(label, LABELS, P, weights + sign * step) for sign in (1, -1))
        found.append((up - down) / 2e-5)
    return np.array(found)


def acceleration(moved, positive=None):
    """Return the acceleration from influences; of each class by itself where it is named."""
    strata = [moved] if positive is None else [moved[positive], moved[~positive]]
    return oracle.acceleration(
        [[Fraction(-u) * len(s) / (len(s) - 1) for u in s.tolist()] for s in strata]
    )


def without_influences(metrics):
    """Return the labels of measures that refuse BCa."""
    refused = []
    for label, metric in metrics.items():
        try:
            quiet_bootstrap(LABELS, P, metrics={label: metric}, method="bca", threshold=0.5)
        except fm.errors.InputError:
            refused.append(label)
    return refused


JUMPS = {f"{i}_{of}" for i in range(4) for of in FIELDS[1:]} | {"break_even"}
JUMPS |= {f"{i}_{of}" for i in range(4, len(CRITERIA)) for of in FIELDS}
JUMPS |= {"recall_at_false_positive_rate", "precision_at_recall", "recall_at_precision", "own"}
SMOOTH = {label: metric for label, metric in EVERYTHING.items() if label not in JUMPS}


def test_what_jumps_from_score_to_score_has_no_bca():
    assert set(without_influences(EVERYTHING)) == JUMPS


@pytest.mark.parametrize("stratified", [False, True])
def test_acceleration_by_differences(stratified, accelerations):
    """By each row's weight."""
    options = {"method": "bca", "threshold": 0.5, "stratified": stratified}
    quiet_bootstrap(LABELS, P, metrics=SMOOTH, **options)
    positive = LABELS == 1 if stratified else None
    for label, got in accelerations.items():
        moved = influences(label)
        np.testing.assert_allclose(got, acceleration(moved, positive), atol=1e-6, err_msg=label)
    assert len(accelerations) == len(SMOOTH) > 25


@pytest.mark.parametrize("weights", [None, np.random.default_rng(1).integers(1, 4, N)])
def test_acceleration_of_groups_by_differences(weights, accelerations):
    groups = np.random.default_rng(0).integers(0, 8, N)
    quiet_bootstrap(
        *(LABELS, P),
        metrics=SMOOTH,
        method="bca",
        threshold=0.5,
        groups=groups,
        sample_weight=weights,
        weights_are="frequencies",
    )
    for label, got in accelerations.items():
        wanted = acceleration(influences(label, weights, groups))
        assert got == pytest.approx(wanted, abs=1e-6), label


def test_acceleration_of_weighted_means_by_differences(accelerations):
    weights = np.random.default_rng(3).random(N) + 0.1
    quiet_bootstrap(LABELS, P, metrics=SUMS, method="bca", sample_weight=weights)
    for name in SUMS:
        assert accelerations[name] == pytest.approx(
            acceleration(influences(name, weights)), abs=1e-6
        )


def test_acceleration_by_cells_is_that_of_rows(accelerations, monkeypatch):
    """A table of few scores, and a matrix, have a value a cell; they are those of the rows."""
    cells = [(0.1, 300, 700), (0.3, 500, 200), (0.7, 400, 900), (0.9, 350, 50)]
    scores, positives, negatives = (np.array(column) for column in zip(*cells, strict=True))
    table = fm.ScoreTable.from_counts(scores, positives, negatives)
    labels = np.repeat(np.tile([1, 0], 4), np.column_stack((positives, negatives)).ravel())
    rows = np.repeat(scores, positives + negatives)
    options = {"method": "bca", "threshold": 0.5, "n_resamples": 20}
    for stratified in (False, True):
        quiet_bootstrap(table, metrics=SMOOTH, stratified=stratified, **options)
        of_cells = dict(accelerations)
        accelerations.clear()
        with monkeypatch.context() as patch:
            engine_sizes.put(patch, cell_rows=10_000)
            quiet_bootstrap(labels, rows, metrics=SMOOTH, stratified=stratified, **options)
        for label, got in of_cells.items():
            np.testing.assert_allclose(got, accelerations[label], atol=1e-9, err_msg=label)


@pytest.mark.parametrize("confidence_level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_percentile_basic_and_bca(alternative, confidence_level, accelerations):
    metrics = {key: EVERYTHING[key] for key in ("auc", "average_precision", "f1", "r2")}
    options = {"metrics": metrics, "threshold": 0.5, "n_resamples": 301}
    options |= {"alternative": alternative, "confidence_level": confidence_level}
    for method in ("percentile", "basic", "bca"):
        results = quiet_bootstrap(LABELS, P, method=method, **options)
        for label, result in results.items():
            values = [v for v in result.details.distribution.tolist() if not math.isnan(v)]
            given = (confidence_level, alternative)
            if method == "percentile":
                wanted = oracle.percentile(values, *given)
            elif method == "basic":
                wanted = oracle.basic(values, result.estimate, *given)
            else:
                wanted = oracle.bca(values, result.estimate, accelerations[label], *given)
            got = result.confidence_interval
            np.testing.assert_allclose((got.low, got.high), wanted, rtol=1e-9, err_msg=label)
            assert (result.method, result.alternative) == (method, alternative)
            assert result.confidence_level == confidence_level


def test_the_method_where_none_is_named():
    """BCa where it is defined; else percentile, and the result says so."""
    groups, weights = np.arange(N) // 2, np.random.default_rng(0).random(N)
    metrics = ["roc_auc", "f1", "log_loss"]
    for extra, wanted in (
        ({}, ["bca", "bca", "bca"]),
        ({"stratified": True}, ["bca", "bca", "bca"]),
        ({"groups": groups}, ["percentile", "bca", "bca"]),
        ({"sample_weight": weights}, ["percentile", "percentile", "bca"]),
    ):
        options = {"metrics": metrics, "threshold": 0.5, "n_resamples": 300, **extra}
        results = quiet_bootstrap(LABELS, P, **options)
        assert [result.method for result in results.values()] == wanted
        for name, result in results.items():
            company = {name: name, "log_loss": "log_loss"}  # f1 alone would draw cells, not rows
            named = {**options, "metrics": company, "method": result.method}
            interval = quiet_bootstrap(LABELS, P, **named)[name].confidence_interval
            assert result.confidence_interval == interval
    own = quiet_bootstrap(LABELS, P, metrics={"own": median_gap, "auc": "roc_auc"})
    assert [result.method for result in own.values()] == ["percentile", "bca"]
    perfect = quiet_bootstrap([0, 1] * 9, [0.1, 0.7] * 9)["roc_auc"]
    assert (perfect.method, perfect.confidence_interval.low) == ("percentile", 1.0)
