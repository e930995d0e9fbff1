"""`evaluate` of scores of two classes, and of tables of scores: the same as the metrics alone."""

import dataclasses
import math
import re

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import average_precision_score, roc_auc_score

from evaluations import are_close, without_rows
from fastmetrics import (
    ScoreTable,
    SmallSampleWarning,
    break_even_point,
    delong,
    estimate,
    evaluate,
    ks_statistic,
)
from fastmetrics.comparison import newcombe_interval


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    y = (rng.random(300) < 0.4).astype(np.int8)
    return y, {"a": np.round(rng.normal(size=300) + y, 1), "b": rng.normal(size=300)}


def test_figures_are_those_of_the_measures(data):
    y, scores = data
    result = evaluate(y, scores, confidence_level=0.9)
    assert [model.name for model in result] == ["a", "b"]
    assert len(result) == 2
    for name, column in scores.items():
        model = result[name]
        assert model.roc_auc == pytest.approx(roc_auc_score(y, column), rel=1e-14)
        assert model.average_precision == pytest.approx(
            average_precision_score(y, column), rel=1e-14
        )
        own = estimate(y, column, metrics=list(model.estimates), confidence_level=0.9)
        for metric, each in own.items():
            assert tuple(model.estimates[metric].confidence_interval) == pytest.approx(
                tuple(each.confidence_interval), rel=1e-12
            )
        assert (model.confidence_interval, model.interval_method) == (
            model.estimates["roc_auc"].confidence_interval,
            "influence",
        )
        assert model.standard_error == pytest.approx(delong(y, column).standard_error, rel=1e-12)
        assert model.break_even_point == break_even_point(y, column).value
        assert model.ks_statistic == ks_statistic(y, column).statistic
        called = column >= model.threshold
        gap = called[y == 1].mean() - called[y == 0].mean()
        assert model.true_positive_rate - model.false_positive_rate == pytest.approx(gap)
        assert (model.n_positive, model.n_negative) == (y.sum(), (1 - y).sum())


def test_html_escapes_and_shows_every_model(data):
    y, scores = data
    page = evaluate(y, {"<b>": scores["a"], "&": scores["b"]})._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert page.count("<tr>") == 1 + 9 + 1 + 2


def test_whole_weights_are_importances_unless_they_are_said_to_be_frequencies(data):
    y, scores = data
    counts = np.random.default_rng(1).integers(1, 4, len(y))
    result = evaluate(y, scores, sample_weight=counts)
    error = delong(y, scores["a"], sample_weight=counts).standard_error
    assert result["a"].standard_error == pytest.approx(error, rel=1e-12)
    assert result.weights_are == "importances"
    assert "Weights are importances" in result._repr_html_()
    repeated = evaluate(np.repeat(y, counts), np.repeat(scores["a"], counts))["score"]
    for weights in (counts, counts.astype(float)):
        result = evaluate(y, scores, sample_weight=weights, weights_are="frequencies")
        own = dataclasses.replace(result["a"], name="score").to_dict()
        assert are_close(own, repeated.to_dict())
        assert result.weights_are == "frequencies"


def test_wrong_arguments(data):
    y, scores = data
    with pytest.raises(ValueError, match="at least one model"):
        evaluate(y, {})
    with pytest.raises(ValueError, match=r"`y_true` has 300 rows, `scores\['a'\]` has 299"):
        evaluate(y, {"a": scores["a"][:-1]})
    with pytest.raises(ValueError, match=r"`scores\['b'\]` must be finite: nan at index 1"):
        evaluate(y, {"a": scores["a"], "b": np.where(np.arange(300) == 1, np.nan, 0.5)})
    with pytest.raises(ValueError, match="`scores` names 2 models '1'"):
        evaluate(y, {1: scores["a"], "1": scores["b"]})


def binormal(n_positive, n_negative, auc, rng, *, spread=1.0):
    """Draw scores of this AUC; those of positives have the standard deviation ``spread``."""
    centre = scipy.stats.norm.ppf(auc) * math.sqrt(1 + spread**2)
    positives = centre + spread * rng.normal(size=n_positive)
    y = np.repeat(np.array([1, 0], np.int8), (n_positive, n_negative))
    return y, np.concatenate((positives, rng.normal(size=n_negative)))


def test_where_few_rows_are_out_of_order_the_outer_limits_are_taken():
    y, scores = binormal(40, 400, 0.9, np.random.default_rng(0))
    model = evaluate(y, scores, confidence_level=0.9)[0]
    found = estimate(y, scores, metrics="roc_auc", method="influence", confidence_level=0.9)
    found = found["roc_auc"].confidence_interval
    shape = newcombe_interval(model.roc_auc, 40, 400, confidence_level=0.9)
    assert model.interval_method == "outer limits with newcombe"
    assert model.confidence_interval.low == min(found.low, shape.low)
    assert model.confidence_interval.high == max(found.high, shape.high)
    assert model.note == ""
    halves = np.full(440, 0.5)
    assert evaluate(y, scores, sample_weight=halves, confidence_level=0.9)[0].interval_method == (
        model.interval_method
    )


@pytest.mark.parametrize(
    ("y", "scores", "note"),
    [
        ([0, 1, 1, 1], [2.0, 1.0, 3.0, 4.0], "only 1 negative example: below about 30"),
        ([0, 0, 1, 1], [1, 2, 3, 4], "only 2 positive examples: below about 30"),
    ],
)
def test_where_delongs_variance_fails_newcombes_interval_stands(y, scores, note):
    model = evaluate(y, scores)[0]
    expected = newcombe_interval(model.roc_auc, sum(y), len(y) - sum(y))
    assert (model.confidence_interval, model.interval_method) == (expected, "newcombe")
    assert model.note.startswith(note)
    assert "[95 % interval]: Newcombe" in evaluate(y, scores)._repr_html_()


def test_few_effective_rows_are_noted(data):
    y, scores = data
    weights = np.where(np.arange(300) < 12, 100.0, 1.0)
    with pytest.warns(SmallSampleWarning, match="18.4 of equal weight"):
        note = evaluate(y, scores, sample_weight=weights)["a"].note
    assert re.match(r"the (posi|nega)tive examples are worth \d+(\.\d+)? of equal weight", note)


@pytest.fixture
def rows():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 300)
    return y, np.round(rng.normal(size=300) + y, 1), np.round(rng.normal(size=300), 1)


def test_tables_are_evaluated_as_their_rows(rows):
    y, a, b = rows
    tables = {"a": ScoreTable.from_scores(y, a), "b": ScoreTable.from_scores(y, b)}
    of_rows = evaluate(y, {"a": a, "b": b})
    assert evaluate(tables).comparisons is None
    assert are_close(*(without_rows(each.to_dict()) for each in (evaluate(tables), of_rows)))
    assert evaluate(tables["a"], confidence_level=0.9) == evaluate(y, a, confidence_level=0.9)


def test_fractional_weights_have_no_interval(rows):
    y, a, _ = rows
    w = np.linspace(0.5, 2, len(y))
    found = evaluate(ScoreTable.from_scores(y, a, sample_weight=w))["score"]
    expected = evaluate(y, a, sample_weight=w)["score"]
    assert found.roc_auc == expected.roc_auc
    assert np.isnan(list(found.confidence_interval)).all()
    assert np.isnan(found.standard_error)
    assert "no interval" in found.note


def test_few_rows_are_told(rows):
    table = ScoreTable.from_counts([0.1, 0.5], [2, 3], [100, 1])
    assert "only 5 positive examples" in evaluate(table)["score"].note


@pytest.mark.parametrize(
    "options",
    [{"scores": [0.1]}, {"sample_weight": [1]}, {"n_resamples": 99}, {"cost_fn": 1, "cost_fp": 2}],
)
def test_what_belongs_to_rows_is_refused(rows, options):
    table = ScoreTable.from_scores(*rows[:2])
    with pytest.raises(TypeError, match=f"comes alone.*`{next(iter(options))}`"):
        evaluate(table, **options)


def test_labels_need_scores(rows):
    with pytest.raises(TypeError, match="`scores` is missing"):
        evaluate(rows[0])
    mixed = {"a": ScoreTable.from_scores(*rows[:2]), "b": rows[0]}
    with pytest.raises(TypeError, match="`scores` is missing"):
        evaluate(mixed)


@pytest.mark.parametrize(
    ("metrics", "more"),
    [("f1", ["f1"]), (["auc", "ap", "brier"], []), ({"mine": "roc_auc"}, ["mine"])],
)
def test_metrics_stand_beside_those_of_the_table_and_none_is_there_twice(metrics, more) -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 200), rng.random(200)
    table = ["roc_auc", "average_precision", "ks_statistic", "log_loss", "brier_score"]
    found = evaluate(y, p, metrics=metrics, threshold=0.5)["score"].estimates
    assert sorted(found) == sorted(table + more)
