"""The interval of each method against its formula, and leave-one-out values against refits."""

from __future__ import annotations

import importlib
import math
from fractions import Fraction

import numpy as np
import pytest
from bootstrap_samples import THRESHOLD_METRICS, binary, drawn, in_order, quiet_bootstrap, value_of

import fastmetrics as fm
from fastmetrics.inference.bootstrap._engine import Engine
from fastmetrics.measures.decisions.count_measures import delta_variance, value
from reference import bootstrap_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

ALTERNATIVES = ["two-sided", "less", "greater"]
N = 30
LABELS, SCORES = binary(N, seed=2, step=0.1)
P = np.round(1 / (1 + np.exp(-SCORES)), 2)
CALLED = P >= 0.5
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
        found.update({engine.asked[measure].label: a for (_, measure), a in by_place.items()})
        return by_place

    true = Engine.accelerations
    monkeypatch.setattr(Engine, "accelerations", accelerations_of)
    return found


def refit(label, labels, p, weights=None):
    """Return a measure of some rows from scratch."""
    if label in THRESHOLD_METRICS:
        return value_of(label, fm.ScoreTable.from_scores(labels, p))
    if label == "own":
        return median_gap(labels, p)
    if label in COUNTED:
        matrix = fm.ConfusionMatrix.from_labels(
            labels, (p >= 0.5).astype(int), labels=[0, 1], sample_weight=weights
        )
        return float(value(label, matrix.counts))
    weights = np.ones(len(labels)) if weights is None else weights
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


def acceleration(strata):
    kept = [[Fraction(float(v)) for v in stratum if not math.isnan(v)] for stratum in strata]
    return oracle.acceleration([stratum for stratum in kept if stratum])


@pytest.mark.parametrize("stratified", [False, True])
def test_acceleration_by_refits(stratified, accelerations):
    options = {"method": "bca", "threshold": 0.5, "stratified": stratified}
    quiet_bootstrap(LABELS, P, metrics=EVERYTHING, **options)
    compared = 0
    for label, got in accelerations.items():
        values = [refit(label, np.delete(LABELS, i), np.delete(P, i)) for i in range(N)]
        if np.isinf(values).any():
            assert math.isnan(got)
            continue
        strata = [values]
        if stratified:
            strata = [[v for v, y in zip(values, LABELS, strict=True) if y == k] for k in (1, 0)]
        np.testing.assert_allclose(got, acceleration(strata), atol=1e-9, err_msg=label)
        compared += not math.isnan(got)
    assert compared > 50


def test_acceleration_of_groups_by_refits(accelerations):
    groups = np.random.default_rng(0).integers(0, 8, N)
    times = np.random.default_rng(1).integers(1, 4, N)
    names = [*SUMS, *COUNTED]
    for weights in (None, times):
        quiet_bootstrap(
            *(LABELS, P),
            metrics=names,
            method="bca",
            threshold=0.5,
            groups=groups,
            sample_weight=weights,
            weights_are="frequencies",
        )
        for name in names:
            values = []
            for group in range(8):
                kept = groups != group
                few = None if weights is None else weights[kept]
                values.append(refit(name, LABELS[kept], P[kept], few))
            assert accelerations[name] == pytest.approx(acceleration([values]), abs=1e-9)


def test_acceleration_of_weighted_means_by_refits(accelerations):
    weights = np.random.default_rng(3).random(N) + 0.1
    quiet_bootstrap(LABELS, P, metrics=SUMS, method="bca", sample_weight=weights)
    for name in SUMS:
        values = [
            refit(name, *(np.delete(column, i) for column in (LABELS, P, weights)))
            for i in range(N)
        ]
        assert accelerations[name] == pytest.approx(acceleration([values]), abs=1e-9)


def test_acceleration_by_cells_is_that_of_rows(accelerations):
    """A table of few scores, and a matrix, have a value a cell; they are those of the rows."""
    cells = [(0.1, 300, 700), (0.3, 500, 200), (0.7, 400, 900), (0.9, 350, 50)]
    scores, positives, negatives = (np.array(column) for column in zip(*cells, strict=True))
    table = fm.ScoreTable.from_counts(scores, positives, negatives)
    labels = np.repeat(np.tile([1, 0], 4), np.column_stack((positives, negatives)).ravel())
    rows = np.repeat(scores, positives + negatives)
    options = {"method": "bca", "threshold": 0.5, "n_resamples": 20}
    metrics = {key: m for key, m in EVERYTHING.items() if key != "own"}
    for stratified in (False, True):
        quiet_bootstrap(table, metrics=metrics, stratified=stratified, **options)
        of_cells = dict(accelerations)
        accelerations.clear()
        with_rows = metrics | {"own": lambda y, s: 0.0}
        quiet_bootstrap(labels, rows, metrics=with_rows, stratified=stratified, **options)
        for label, got in of_cells.items():
            np.testing.assert_allclose(got, accelerations[label], atol=1e-9, err_msg=label)


@pytest.mark.parametrize("confidence_level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_percentile_basic_and_bca(alternative, confidence_level, accelerations):
    metrics = {key: EVERYTHING[key] for key in ("auc", "average_precision", "f1", "r2", "own")}
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


def _errors_of_means(columns, counts):
    """Return the usual standard error of a mean in each replicate."""
    total = counts.sum(axis=1)
    mean = counts @ columns / total
    return np.sqrt((counts @ columns**2 / total - mean**2) / (total - 1)), mean


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("stratified", [False, True])
def test_studentized(alternative, stratified):
    """Errors of a replicate: DeLong's, the delta method's, that of a mean; root: by its slope."""
    names = ["brier_score", "root_mean_squared_error"]
    results = quiet_bootstrap(
        *(LABELS, P),
        metrics=["roc_auc", "rank_loss", *COUNTED, *names],
        method="studentized",
        threshold=0.5,
        n_resamples=201,
        alternative=alternative,
        stratified=stratified,
    )
    order = in_order(LABELS, P)
    labels, p = LABELS[order], P[order]
    counts = drawn(results, N, positive=labels == 1 if stratified else None)
    counts = np.vstack((np.ones((1, N), int), counts))  # the data themselves first
    errors = {}
    with np.errstate(invalid="ignore"):
        squares, means = _errors_of_means((labels - p) ** 2, counts)
    errors["brier_score"] = squares
    errors["root_mean_squared_error"] = squares * 0.5 / np.sqrt(means)
    delong = []
    for row in counts:
        y, s = np.repeat(labels, row), np.repeat(p, row)
        few = min(y.sum(), len(y) - y.sum()) < 2
        delong.append(math.nan if few else _delong_error(y, s))
    errors["roc_auc"] = errors["rank_loss"] = np.array(delong)
    called = (p >= 0.5).astype(int)
    matrices = np.stack([np.bincount(2 * labels + called, row, 4).reshape(2, 2) for row in counts])
    for name in COUNTED:
        errors[name] = np.sqrt(delta_variance(name, matrices))
    for name, result in results.items():
        own, *of_replicates = errors[name].tolist()
        wanted = oracle.studentized(
            result.details.distribution.tolist(),
            [0.0 if error < 1e-12 else error for error in of_replicates],
            *(result.estimate, own, 0.95, alternative),
        )
        got = result.confidence_interval
        np.testing.assert_allclose((got.low, got.high), wanted, rtol=1e-8, err_msg=name)


def _delong_error(labels, scores):
    positives, negatives = scores[labels == 1], scores[labels == 0]
    won = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
    variance = won.mean(axis=1).var(ddof=1) / len(positives)
    return math.sqrt(variance + won.mean(axis=0).var(ddof=1) / len(negatives))


def test_studentized_cells_are_the_rows_own(monkeypatch):
    """Standard errors of the data: of a table of cells, of its rows, of a matrix."""
    module = importlib.import_module("fastmetrics.inference.bootstrap.bootstrap")
    own = []

    def limits(*data, standard_error, **options):
        own.append(standard_error)
        return true(*data, standard_error=standard_error, **options)

    true = module.limits
    monkeypatch.setattr(module, "limits", limits)
    labels, scores = binary(2_000, step=2.0)
    scores = np.clip(scores, -2, 2)  # three scores: by cells
    metrics = ["roc_auc", "mean_squared_error", "accuracy"]
    options = {"metrics": metrics, "method": "studentized", "threshold": 0.5, "n_resamples": 9}
    quiet_bootstrap(labels, scores, **options)
    called = (scores >= 0.5).astype(int)
    quiet_bootstrap(labels, called, metrics="accuracy", method="studentized", n_resamples=9)
    wanted = [
        fm.delong(labels, scores).standard_error,
        ((labels - scores) ** 2).std(ddof=1) / 2_000**0.5,
        (labels == called).std() / 2_000**0.5,
        (labels == called).std() / 2_000**0.5,
    ]
    assert own == pytest.approx(wanted, rel=1e-9)
