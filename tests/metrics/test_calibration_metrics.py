"""Calibration: errors in bins, summaries, lines, fits, tests, decompositions."""

import functools
import math
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.calibration import (
    calibration_summary,
    expected_calibration_error,
    isotonic_fit,
    logistic_calibration,
    maximum_calibration_error,
    reliability_diagram,
    root_mean_square_calibration_error,
    score_decomposition,
    spiegelhalter_test,
)
from fastmetrics.errors import UndefinedMetricWarning

ERRORS = (expected_calibration_error, maximum_calibration_error, root_mean_square_calibration_error)
Y, P = [0, 1, 0, 1, 1], [0.125, 0.25, 0.5, 0.75, 0.875]


def errors(*data: Any, weights: Any = None, **options: Any) -> list[float]:
    given_weights = {} if weights is None else {"sample_weight": weights}
    rms: dict[str, Any] = given_weights | ({"weights_are": "frequencies"} if given_weights else {})
    return [
        expected_calibration_error(*data, **options, **given_weights),
        maximum_calibration_error(*data, **options, **given_weights),
        *(
            root_mean_square_calibration_error(*data, estimator=each, **options, **rms)
            for each in ("kumar", "sun", "plug-in")
        ),
    ]


def test_uniform_edges_are_those_of_scikit_learn() -> None:
    """A probability on an edge lies in the bin that it ends, by the doubles of `linspace`."""
    from sklearn.calibration import calibration_curve

    p = np.tile(np.concatenate([np.linspace(0, 1, 16), np.linspace(0.01, 0.99, 17)]), 2)
    y = np.arange(len(p)) % 3 == 0
    for n_bins in (3, 7, 10, 15):
        fractions, means = calibration_curve(y, p, n_bins=n_bins)
        right = np.abs(fractions - means).max()
        assert maximum_calibration_error(y, p, n_bins=n_bins) == pytest.approx(right, rel=1e-12)


def test_float32_probabilities_are_binned_as_they_are() -> None:
    p = np.float32([0.1, 0.1, 0.3, 0.9])
    y = [0, 1, 0, 1]
    assert errors(y, p, n_bins=10) == errors(y, p.astype(np.float64), n_bins=10)


def test_labels_name_the_columns() -> None:
    columns = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]]
    named = expected_calibration_error(["b", "c"], columns, labels=["a", "b", "c"])
    assert named == expected_calibration_error([1, 2], columns, labels=[0, 1, 2])
    assert named == expected_calibration_error(
        [1, 2, 2], [*columns, columns[0]], labels=range(3), sample_weight=[1, 1, 0]
    )


def test_one_class_alone_has_an_error() -> None:
    assert expected_calibration_error([1, 1], [0.5, 0.75], n_bins=1) == 0.375


def test_more_bins_than_rows_are_left_out() -> None:
    assert expected_calibration_error(Y, P, n_bins=1000) == pytest.approx(
        np.abs(np.subtract(Y, P)).mean()
    )
    by_rank = expected_calibration_error(Y, P, n_bins=1000, strategy="equal-count")
    assert by_rank == pytest.approx(np.abs(np.subtract(Y, P)).mean())


@pytest.mark.parametrize("error", ERRORS)
def test_undefined(error) -> None:
    none = fm.ScoreTable.from_counts([], [], [])
    with pytest.warns(fm.UndefinedMetricWarning, match="calibration error is not defined: there a"):
        assert math.isnan(error(none))


def test_bias_of_single_rows_is_undefined() -> None:
    for estimator in ("kumar", "sun"):
        with pytest.warns(fm.UndefinedMetricWarning, match="no bin has two rows; take fewer `n_bi"):
            rms = root_mean_square_calibration_error([0, 1], [0.1, 0.9], estimator=estimator)
        assert math.isnan(rms)


COLUMNS = [[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(
    ("data", "options", "kind", "message"),
    [
        ((Y, P), {"n_bins": 10**7}, ValueError, "`n_bins` must be at most 1,000,000: got"),
        ((Y, P), {"form": "class-wise"}, TypeError, "`form` is for a column of `y_proba` a class"),
        ((Y, P), {"labels": [0, 1]}, TypeError, "`labels` is for a column of `y_proba` a class"),
        ((Y, [0.5, 1.5, -2.0, 0, 0]), {}, ValueError, r"`y_proba` must lie in \[0, 1\]: from -2.0"
         " to 1.5; 1.5 at index 1, 2 in all; scores are no probabilities"),
        (([0, 1, 2], [[0.5, 0.5, 0], [-0.5, 1.5, 0], [0, 0, 1]]), {}, ValueError,
         r"`y_proba` must lie in \[0, 1\]: from -0.5 to 1.5; -0.5 at index \(1, 0\), 2 in all"),
        (([0, 1, 2], [[0.5, 0.5, 0], [0.5, 0.25, 0], [0, 0, 0.5]]), {}, ValueError,
         "the rows of `y_proba` must add up to 1: 0.75 at index 1, 2 in all"),
        (([0, 1, 0], COLUMNS), {}, ValueError, "class of `y_true`, 2: got 3; pass `labels`"),
        (([0, 1, 3], COLUMNS), {"labels": [0, 1, 2]}, ValueError, "not in parameter 'labels': 3"),
        (([0, 1, 2], COLUMNS), {"labels": [0, 2, 1]}, ValueError, "'labels' must be ordered"),
        (([0, 1, 2], COLUMNS), {"pos_label": 1}, TypeError, "`pos_label` is for one column of"),
        (([0, 1, 2, 0, 1], P), {}, ValueError, "`y_true` has 3 classes"),
    ],
)  # fmt: skip
def test_faults(error, data, options, kind, message) -> None:
    with pytest.raises(kind, match=message):
        error(*data, **options)


def test_percentiles_of_rows_need_rows() -> None:
    options = {"strategy": "quantile", "sample_weight": [0.5, 1, 1, 1, 1]}
    rms = functools.partial(root_mean_square_calibration_error, estimator="plug-in")
    for error in (*ERRORS[:2], rms):
        with pytest.raises(ValueError, match=r"percentiles of rows, .*: take 'equal-count'"):
            error(Y, P, **options)


def test_how_many_rows_a_bin_has_must_be_known() -> None:
    weights = {"sample_weight": [1, 2, 1, 1, 2]}
    table = fm.ScoreTable.from_scores(Y, P, sample_weight=np.full(5, 0.5))
    for estimator in ("kumar", "sun"):
        message = f"`estimator='{estimator}'` needs to know how many rows a bin has"
        with pytest.raises(ValueError, match=message):
            root_mean_square_calibration_error(Y, P, estimator=estimator, **weights)
        with pytest.raises(ValueError, match=message):
            root_mean_square_calibration_error(table, estimator=estimator)
    with pytest.raises(ValueError, match="must hold whole numbers with `weights_are='frequencies'"):
        root_mean_square_calibration_error(Y, P, sample_weight=[0.5] * 5, weights_are="frequencies")
    for estimator in ("kumar", "sun"):
        repeated = root_mean_square_calibration_error(
            np.repeat(Y, weights["sample_weight"]),
            np.repeat(P, weights["sample_weight"]),
            n_bins=2,
            estimator=estimator,
        )
        assert repeated == root_mean_square_calibration_error(
            Y, P, n_bins=2, estimator=estimator, weights_are="frequencies", **weights
        )


@pytest.mark.parametrize("metric", ["expected_calibration_error", "mce",
                                    "root_mean_square_calibration_error"])  # fmt: skip
def test_no_bootstrap_of_what_it_cannot_cover(metric) -> None:
    message = f"`metrics` names '{metric}': chance alone makes an error in bins, .*calibration_err"
    with pytest.raises(ValueError, match=message):
        fm.bootstrap(Y, P, metrics=metric)
    with pytest.raises(ValueError, match=message):
        fm.paired_bootstrap(Y, {"a": P, "b": P[::-1]}, metrics=[metric])
    with pytest.raises(ValueError, match=message):
        fm.evaluate(Y, P, metrics=[metric], n_resamples=9)


@pytest.mark.parametrize("function", [expected_calibration_error, maximum_calibration_error])
def test_no_bootstrap_of_the_functions_either(function) -> None:
    for given in (function, functools.partial(function, n_bins=3, pos_label=1)):
        with pytest.raises(ValueError, match="chance alone makes an error in bins"):
            fm.bootstrap(Y, P, metrics=given)


def test_figures_of_verified_calibration() -> None:
    """Compare with the tests of Kumar, Liang & Ma's package (v0.2) on three small problems."""
    p = [0.5, 0.5, 0.5, 0.6, 0.5, 0.6, 0.6, 0.6, 0.6]
    y = [0, 1, 0, 1, 0, 1, 1, 1, 0]
    rms = functools.partial(root_mean_square_calibration_error, n_bins=10, estimator="plug-in")
    assert expected_calibration_error(y, p, n_bins=10) == pytest.approx(2 / 9)
    assert rms(y, p) == pytest.approx(math.sqrt(4 / 9 * 0.25**2 + 5 / 9 * 0.2**2))

    rows = [[0.6, 0.3, 0.1]] * 6 + [[0.1, 0.8, 0.1]] * 4 + [[0.1, 0.0, 0.9]] * 4
    codes = [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    gaps = [5 / 6 - 0.6, 0.05, 0.1]
    fractions = [6 / 14, 4 / 14, 4 / 14]
    mean = float(np.dot(fractions, gaps))
    assert expected_calibration_error(codes, rows, n_bins=10) == pytest.approx(mean)
    assert rms(codes, rows) == pytest.approx(math.sqrt(np.dot(fractions, np.square(gaps))))
    gaps = [0.1, 5 / 6 - 0.6, 0.1, 0.05, 0.3 - 1 / 6]
    fractions = np.divide([4, 6, 8, 4, 6], 42)
    by_class = {"form": "class-wise"}
    mean = float(np.dot(fractions, gaps))
    assert expected_calibration_error(codes, rows, n_bins=10, **by_class) == pytest.approx(mean)
    square = np.dot(fractions, np.square(gaps))
    assert rms(codes, rows, **by_class) == pytest.approx(math.sqrt(square))

    rows = [[0.8, 0.1, 0.1], [0.6, 0.2, 0.2], [0.0, 0.9, 0.1], [0.0, 1.0, 0.0]]
    rows += [[0.3, 0.3, 0.4], [0.15, 0.0, 0.85]]
    error = expected_calibration_error([0, 0, 1, 1, 0, 2], rows, n_bins=3)
    assert error == pytest.approx(4 / 6 * (1 - 3.55 / 4))


def sample(rng, n=3_000, decimals=16):
    p = np.round(rng.beta(1, 2, n), decimals)
    return (rng.random(n) < p).astype(int), p


def assert_same(left, right):
    """Assert that two results agree up to rounding, texts and all."""
    for name, value in left.to_dict().items():
        other = right.to_dict()[name]
        if isinstance(value, float | dict):
            value, other = (
                list(each.values()) if isinstance(each, dict) else [each] for each in (value, other)
            )
            np.testing.assert_allclose(value, other, rtol=1e-12, atol=1e-15, err_msg=name)
        else:
            assert value == other, name


@pytest.mark.parametrize("weighting", ["none", "frequencies", "importances"])
@pytest.mark.parametrize("decimals", [2, 16])
def test_the_parts_are_those_of_the_functions(rng, weighting, decimals):
    y, p = sample(rng, decimals=decimals)
    p[:2] = (0.0, 1.0)
    y[:2] = (0, 1)
    w = rng.integers(0, 4, 3_000)
    w[:2] = 1
    given = {
        "none": {},
        "frequencies": {"sample_weight": w, "weights_are": "frequencies"},
        "importances": {"sample_weight": w / 3},
    }[weighting]
    weight_options = {key: value for key, value in given.items() if key == "sample_weight"}
    summary = calibration_summary(y, p, **given)
    for score in ("brier_score", "log_loss"):
        assert_same(
            getattr(summary, score), score_decomposition(y, p, loss=score, **weight_options)
        )
    assert_same(summary.logistic, logistic_calibration(y, p, **given))
    assert_same(summary.spiegelhalter, spiegelhalter_test(y, p, **given))
    weights = given.get("sample_weight", np.ones(3_000))
    assert summary.n_samples == pytest.approx(weights.sum())
    assert summary.prevalence == pytest.approx(np.average(y, weights=weights))
    assert summary.mean_probability == pytest.approx(np.average(p, weights=weights))


def test_float32_and_labels_as_probabilities(rng):
    y, p = sample(rng, 500)
    p = p.astype(np.float32)
    p[0] = 0
    y[0] = 1  # cut at the epsilon of float32
    with pytest.warns(UndefinedMetricWarning, match="exactly 0"):
        summary = calibration_summary(y, p)
    assert summary.log_loss.loss == pytest.approx(fm.log_loss(y, p), rel=1e-13)
    with pytest.warns(UndefinedMetricWarning):
        summary = calibration_summary([0, 1, 1], [0, 1, 0])
    assert summary.brier_score.loss == pytest.approx(1 / 3)
    assert math.isnan(summary.spiegelhalter.statistic)


def test_it_prints_as_a_table(rng):
    y, p = sample(rng, 1_000)
    summary = calibration_summary(y, p, confidence_level=0.9)
    rows = str(summary).splitlines()
    assert rows[0].startswith("Calibration of 1,000 rows: ")
    firsts = [line.split()[0] for line in rows[1:] if line and not line.startswith("─")]
    assert firsts == [
        *("parameter", "slope", "intercept", "in"),
        *("metric", "brier_score", "log_loss", "method", "Spiegelhalter's"),
    ]
    assert "[90 % interval]" in rows[2]
    frame = summary.to_frame("polars")
    assert frame["estimate"][0] == summary.logistic.slope
    assert (frame["low"][2], frame["high"][2]) == tuple(summary.logistic.in_the_large_interval)


def test_it_says_what_was_counted(rng):
    y, p = sample(rng, 300)
    of = calibration_summary
    assert str(of(y, p, sample_weight=np.full(300, 0.5))).startswith("Calibration of weight 150: ")
    counts = {"sample_weight": np.full(300, 2), "weights_are": "frequencies"}
    assert str(of(y, p, **counts)).startswith("Calibration of 600 rows: ")
    with pytest.warns(UndefinedMetricWarning):
        assert str(of([1], [0.5])).startswith("Calibration of 1 row: ")


def test_weights_whose_sum_is_beyond_floats(rng):
    y, p = sample(rng, 300)
    w = rng.uniform(0.5, 1, 300)
    summary, right = (calibration_summary(y, p, sample_weight=w * unit) for unit in (1e308, 1))
    assert summary.n_samples == math.inf
    assert summary.brier_score.loss == pytest.approx(right.brier_score.loss)
    assert summary.logistic.slope_interval == pytest.approx(right.logistic.slope_interval)
    for make in (isotonic_fit, reliability_diagram):
        assert np.isinf(make(y, p, sample_weight=w * 1e308).weights).any()


def test_few_rows_of_a_class_are_said(rng):
    y, p = sample(rng, 300)
    w = np.where(y == 1, 1.0, 0.5)
    w[(y == 1).nonzero()[0][20:]] = 0
    for function in (calibration_summary, logistic_calibration):
        with pytest.warns(fm.SmallSampleWarning, match="the weights leave positive rows worth 20 "):
            function(y, p, sample_weight=w)


def test_spiegelhalter_where_nothing_is_uncertain():
    with pytest.warns(UndefinedMetricWarning, match="all probabilities are 0, 1/2 or 1"):
        test = spiegelhalter_test([0, 1, 1], [0.0, 0.5, 1.0])
    assert math.isnan(test.statistic)
    assert math.isnan(test.pvalue)


def test_spiegelhalter_of_a_table(rng):
    p = rng.beta(2, 3, 50)
    y = (rng.random(50) < p).astype(int)
    assert spiegelhalter_test(fm.ScoreTable.from_scores(y, p)) == spiegelhalter_test(y, p)
