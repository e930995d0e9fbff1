"""`evaluate` of every task: the same as the metrics alone."""

import dataclasses
import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.special
import scipy.stats
from scipy import stats
from sklearn import metrics as sk
from sklearn.metrics import average_precision_score, roc_auc_score

import fastmetrics as fm
from evaluations import are_close, without_rows
from fastmetrics.comparison import newcombe_interval
from fastmetrics.errors import DataConversionWarning, InputError, InputTypeError
from metric_names import METRICS, REQUIRED, Metric


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    y = (rng.random(300) < 0.4).astype(np.int8)
    return y, {"a": np.round(rng.normal(size=300) + y, 1), "b": rng.normal(size=300)}


def test_figures_are_those_of_the_metrics(data):
    y, scores = data
    result = fm.evaluate(y, scores, confidence_level=0.9)
    assert [model.name for model in result] == ["a", "b"]
    assert len(result) == 2
    for name, column in scores.items():
        model = result[name]
        assert model.roc_auc == pytest.approx(roc_auc_score(y, column), rel=1e-14)
        assert model.average_precision == pytest.approx(
            average_precision_score(y, column), rel=1e-14
        )
        own = fm.estimate(y, column, metrics=list(model.estimates), confidence_level=0.9)
        for metric, each in own.items():
            assert tuple(model.estimates[metric].confidence_interval) == pytest.approx(
                tuple(each.confidence_interval), rel=1e-12
            )
        assert model.confidence_interval == model.estimates["roc_auc"].confidence_interval
        assert model.interval_method == "score"
        assert model.standard_error == pytest.approx(fm.delong(y, column).standard_error, rel=1e-12)
        assert model.break_even_point == fm.break_even_point(y, column).value
        assert model.ks_statistic == fm.ks_statistic(y, column).statistic
        called = column >= model.threshold
        gap = called[y == 1].mean() - called[y == 0].mean()
        assert model.true_positive_rate - model.false_positive_rate == pytest.approx(gap)
        assert (model.n_positive, model.n_negative) == (y.sum(), (1 - y).sum())


def test_html_escapes_and_shows_every_model(data):
    y, scores = data
    page = fm.evaluate(y, {"<b>": scores["a"], "&": scores["b"]})._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert page.count("<tr>") == 1 + 9 + 1 + 2


def test_whole_weights_are_importances_unless_they_are_said_to_be_frequencies(data):
    y, scores = data
    counts = np.random.default_rng(1).integers(1, 4, len(y))
    result = fm.evaluate(y, scores, sample_weight=counts)
    one = fm.estimate(y, scores["a"], metrics="roc_auc", sample_weight=counts)["roc_auc"]
    assert result["a"].standard_error == pytest.approx(one.standard_error, rel=1e-12)
    assert result.weights_are == "importances"
    assert "Weights are importances" in result.explain()
    repeated = fm.evaluate(np.repeat(y, counts), np.repeat(scores["a"], counts))["score"]
    result = fm.evaluate(y, scores, sample_weight=counts.astype(float), weights_are="frequencies")
    assert are_close(dataclasses.replace(result["a"], name="score").to_dict(), repeated.to_dict())
    assert result.weights_are == "frequencies"


def test_wrong_arguments(data):
    y, scores = data
    with pytest.raises(ValueError, match="at least one model"):
        fm.evaluate(y, {})
    with pytest.raises(ValueError, match=r"`y_true` has 300 rows, `scores\['a'\]` has 299"):
        fm.evaluate(y, {"a": scores["a"][:-1]})
    with pytest.raises(ValueError, match=r"`scores\['b'\]` must be finite: nan at index 1"):
        fm.evaluate(y, {"a": scores["a"], "b": np.where(np.arange(300) == 1, np.nan, 0.5)})
    with pytest.raises(ValueError, match="`scores` names 2 models '1'"):
        fm.evaluate(y, {1: scores["a"], "1": scores["b"]})


@pytest.mark.parametrize(
    ("y", "scores", "note"),
    [
        ([0, 1, 1, 1], [2.0, 1.0, 3.0, 4.0], "only 1 negative example: below about 30"),
        ([0, 0, 1, 1], [1, 2, 3, 4], "only 2 positive examples: below about 30"),
    ],
)
def test_where_delongs_variance_fails_there_is_an_interval_too(y, scores, note):
    model = fm.evaluate(y, scores)[0]
    interval = fm.estimate(y, scores, metrics="roc_auc")["roc_auc"].confidence_interval
    assert (model.confidence_interval, model.interval_method) == (interval, "score")
    assert interval.low < newcombe_interval(model.roc_auc, sum(y), len(y) - sum(y)).low
    assert model.note.startswith(note)
    assert "95 % intervals: Newcombe" in fm.evaluate(y, scores).explain()


def test_few_effective_rows_are_noted(data):
    y, scores = data
    weights = np.where(np.arange(300) < 12, 100.0, 1.0)
    with pytest.warns(fm.SmallSampleWarning, match="18.4 of equal weight"):
        note = fm.evaluate(y, scores, sample_weight=weights)["a"].note
    assert re.match(r"the (posi|nega)tive examples are worth \d+(\.\d+)? of equal weight", note)


@pytest.fixture
def rows():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 300)
    return y, np.round(rng.normal(size=300) + y, 1), np.round(rng.normal(size=300), 1)


def test_tables_are_evaluated_as_their_rows(rows):
    y, a, b = rows
    tables = {"a": fm.ScoreTable.from_scores(y, a), "b": fm.ScoreTable.from_scores(y, b)}
    expected = fm.evaluate(y, {"a": a, "b": b})
    assert fm.evaluate(tables).comparisons is None
    assert are_close(*(without_rows(each.to_dict()) for each in (fm.evaluate(tables), expected)))
    assert fm.evaluate(tables["a"], confidence_level=0.9) == fm.evaluate(y, a, confidence_level=0.9)


def test_fractional_weights_have_no_interval(rows):
    y, a, _ = rows
    w = np.linspace(0.5, 2, len(y))
    model = fm.evaluate(fm.ScoreTable.from_scores(y, a, sample_weight=w))["score"]
    assert model.roc_auc == fm.evaluate(y, a, sample_weight=w)["score"].roc_auc
    assert np.isnan(list(model.confidence_interval)).all()
    assert np.isnan(model.standard_error)
    assert "no interval" in model.note


def test_few_rows_are_told(rows):
    table = fm.ScoreTable.from_counts([0.1, 0.5], [2, 3], [100, 1])
    assert "only 5 positive examples" in fm.evaluate(table)["score"].note


@pytest.mark.parametrize(
    "options",
    [{"scores": [0.1]}, {"sample_weight": [1]}, {"n_resamples": 99}, {"cost_fn": 1, "cost_fp": 2}],
)
def test_what_belongs_to_rows_is_refused(rows, options):
    table = fm.ScoreTable.from_scores(*rows[:2])
    with pytest.raises(TypeError, match=f"comes alone.*`{next(iter(options))}`"):
        fm.evaluate(table, **options)


def test_labels_need_scores(rows):
    with pytest.raises(TypeError, match="`scores` is missing"):
        fm.evaluate(rows[0])
    mixed = {"a": fm.ScoreTable.from_scores(*rows[:2]), "b": rows[0]}
    with pytest.raises(TypeError, match="`scores` is missing"):
        fm.evaluate(mixed)


@pytest.mark.parametrize(
    ("metrics", "more"),
    [("f1", ["f1"]), (["auc", "ap", "brier"], []), ({"mine": "roc_auc"}, ["mine"])],
)
def test_metrics_stand_beside_those_of_the_table_and_none_is_there_twice(metrics, more) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    p = rng.random(200)
    table = ["roc_auc", "average_precision", "ks_statistic", "log_loss", "brier_score"]
    estimates = fm.evaluate(y, p, metrics=metrics, threshold=0.5)["score"].estimates
    assert sorted(estimates) == sorted(table + more)


N = 300


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.fixture
def values(rng) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    y = rng.normal(size=N)
    return y, {name: y + size * rng.normal(size=N) for name, size in (("a", 0.5), ("b", 0.8))}


@pytest.fixture
def classes(rng) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    names = np.array(["ape", "bee", "cat"])
    codes = rng.integers(0, 3, N)
    models = {}
    for name, weight in (("a", 0.2), ("b", 0.1)):
        matrix = rng.dirichlet([1, 1, 1], N) * (1 - weight)
        matrix[np.arange(N), codes] += weight
        models[name] = matrix
    return names[codes], models


WHOLE = np.arange(60) % 4
TEXTS = np.array(["x", "y", "z"])[np.arange(60) % 3]
BITS = np.arange(60) % 2
FRACTIONS = np.linspace(0.01, 0.99, 60)


@pytest.mark.parametrize(
    ("y", "scores", "task"),
    [
        (FRACTIONS, {"m": FRACTIONS**2}, "values"),
        (WHOLE, {"m": WHOLE + FRACTIONS}, "values"),
        (list(TEXTS), {"m": list(TEXTS)}, "labels"),
        (pd.Series(TEXTS), {"m": pd.Series(TEXTS)}, "labels"),
        (np.where(BITS, "yes", "no"), {"m": np.where(BITS[::-1], "yes", "no")}, "labels"),
        (TEXTS, {"m": np.full((60, 3), 1 / 3)}, "multiclass"),
        (WHOLE, {"m": np.full((60, 4), 1 / 4)}, "multiclass"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_the_rule(y, scores, task: str) -> None:
    result = fm.evaluate(y, scores)
    assert result.task == task
    assert repr(result).startswith(f"Evaluation({task}; m: ")


@pytest.mark.parametrize("y", [BITS, BITS == 1, 2 * BITS - 1, BITS + 0.0])
def test_two_values_are_binary(y) -> None:
    assert isinstance(fm.evaluate(y, np.arange(60)), fm.results.Evaluation)


@pytest.mark.parametrize(
    ("y", "scores", "options", "match"),
    [
        (WHOLE, WHOLE[::-1], {}, "`task='labels'` or `task='values'`"),
        (TEXTS, FRACTIONS, {}, "a matrix for each model"),
        (FRACTIONS, FRACTIONS, {"n_resamples": 99}, "these are values, and `n_resamples`"),
        (FRACTIONS, FRACTIONS, {"cost_fn": 2}, "`cost_fn` is of scores of two classes"),
        (FRACTIONS, FRACTIONS, {"task": "rankings"}, "`query`"),
        (BITS, FRACTIONS, {"query": BITS, "task": "binary"}, "`query`"),
        (TEXTS, {"m": np.full((60, 2), 1 / 2)}, {}, "a column for each class"),
        *(
            (WHOLE, scores, {"task": task, "pos_label": 1}, f"are {task}, and `pos_label` is of sc")
            for task, scores in (("multiclass", np.full((60, 4), 1 / 4)), ("values", FRACTIONS))
        ),
    ],
)
def test_what_cannot_be_told_is_never_guessed(y, scores, options, match: str) -> None:
    with pytest.raises((fm.InputError, fm.InputTypeError), match=match):
        fm.evaluate(y, scores, **options)


def test_values(values) -> None:
    y, models = values
    result = fm.evaluate(y, models)
    assert result["a"]["root_mean_squared_error"].estimate == pytest.approx(
        sk.root_mean_squared_error(y, models["a"])
    )
    assert result["a"]["median_absolute_error"].estimate == pytest.approx(
        sk.median_absolute_error(y, models["a"])
    )
    for name, one in fm.compare(y, models, metrics=["root_mean_squared_error", "r2"]).items():
        assert result.comparisons[name] == one
        assert result["b"][name] == one["b"]
    assert result.verdict == "a is better than b in RMSE, MAE and R²."
    assert "RMSE ↓" in str(result)
    assert "R² ↑" in str(result)
    alone = fm.evaluate(y, models["a"])
    assert (alone.names, alone.comparisons, alone.verdict) == (("score",), None, "")
    assert alone["score"]["r2"] == fm.estimate(y, models["a"], metrics="r2")["r2"]


def test_groups_and_weights_reach_the_intervals(values, rng) -> None:
    y, models = values
    rows = {"groups": np.arange(N) // 6, "sample_weight": rng.integers(1, 4, N)}
    result = fm.evaluate(y, models, **rows, weights_are="frequencies")
    expected = fm.compare(y, models, metrics="r2", **rows, weights_are="frequencies")["r2"]
    assert result.comparisons["r2"] == expected
    assert "median_absolute_error" not in result["a"]  # its interval is of independent rows


@pytest.mark.parametrize("name", ["median_absolute_error", "absolute_error_quantile_90"])
def test_quantiles_lie_between_order_statistics_that_hold(rng, name: str) -> None:
    """Exact by the binomial: the limits are two of the errors, with so many between them."""
    share = 0.5 if name == "median_absolute_error" else 0.9
    errors = rng.permutation(np.arange(1.0, 201.0))
    low, high = fm.evaluate(errors, np.zeros(200), task="values")["score"][name].confidence_interval
    left = int(low)  # the errors are their ranks
    right = int(high)
    law = stats.binom(200, share)
    assert law.cdf(right - 1) - law.cdf(left - 1) >= 0.95
    assert law.cdf(left - 1) <= 0.025 < law.cdf(left)
    assert law.sf(right - 1) <= 0.025 < law.sf(right - 2)
    few = fm.evaluate([1.5, 2.5, 3.5, 4.5], np.zeros(4), metrics=None)["score"]
    assert few["absolute_error_quantile_90"].confidence_interval.high == math.inf


def test_classes(classes) -> None:
    y, models = classes
    result = fm.evaluate(y, models)
    called = np.unique(y)[np.argmax(models["a"], axis=1)]
    assert result["a"]["accuracy"].estimate == pytest.approx((called == y).mean())
    f1 = sk.f1_score(y, called, average="macro")
    assert result["a"]["f1_macro"].estimate == pytest.approx(f1)
    assert result["a"]["log_loss"].estimate == pytest.approx(sk.log_loss(y, models["a"]))
    expected = sk.roc_auc_score(y, models["a"], multi_class="ovr")
    assert result["a"]["roc_auc_ovr"].estimate == pytest.approx(expected)
    assert [*result.comparisons] == [*result["a"]]
    most = pd.Series(y).value_counts().index[0]
    assert result.notes[0].startswith(f"Always predicting {most!r} scores ")
    recalls = {c: (called[y == c] == c).mean() for c in np.unique(y)}
    worst = min(recalls, key=recalls.__getitem__)
    lowest = f"a: {str(worst)!r} has the lowest recall of 3 classes, {recalls[worst]:.4f} ["
    assert result.notes[1].startswith(lowest)
    assert fm.evaluate(y, {name: pd.DataFrame(matrix) for name, matrix in models.items()}) == result
    own = fm.evaluate(y, models, metrics=["cohen_kappa", "log_loss"])
    assert {*own["a"]} == {"cohen_kappa", "log_loss"}


def test_labels(classes) -> None:
    y, models = classes
    called = {name: np.unique(y)[np.argmax(m, axis=1)] for name, m in models.items()}
    result = fm.evaluate(y, called)
    assert result["b"]["accuracy"] == fm.evaluate(y, models)["b"]["accuracy"]
    two = fm.evaluate(y == "ape", {n: c == "ape" for n, c in called.items()}, task="labels")
    assert [*two["a"]] == ["accuracy", "balanced_accuracy", "f1_macro"]
    named = fm.evaluate(
        np.where(y == "ape", "yes", "no"),
        np.where(called["a"] == "ape", "yes", "no"),
        pos_label="yes",
    )
    assert [*named["score"]] == ["accuracy", "balanced_accuracy", "precision", "recall", "f1"]
    assert named["score"]["recall"].estimate == (called["a"][y == "ape"] == "ape").mean()


def test_rankings(rng) -> None:
    relevance = rng.integers(0, 3, N)
    query = np.arange(N) // 10
    models = {"a": relevance + rng.normal(size=N), "b": rng.normal(size=N)}
    result = fm.evaluate(relevance, models, query=query)
    expected = fm.compare(relevance, models, query=query, metrics="ndcg@10")["ndcg@10"]
    assert result.task == "rankings"
    assert result.comparisons["ndcg@10"] == expected
    assert result.n_samples == expected.n_samples


def test_probabilities_are_measured_and_it_is_said(rng) -> None:
    y = rng.integers(0, 2, N)
    p = 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=N))))
    result = fm.evaluate(y, {"a": p, "b": p**2})
    brier = fm.compare(y, {"a": p, "b": p**2}, metrics="brier_score")["brier_score"]
    assert result.comparisons["brier_score"] == brier
    assert "take scores in [0, 1] as probabilities" in result.notes[2]
    assert "Brier score ↓" in str(result)
    for scores in (p + 1, (p > 0.5).astype(float), (100 * p).astype(int)):
        other = fm.evaluate(y, scores)
        assert "probabilities" not in " ".join(other.notes)
        assert "brier_score" not in other[0].estimates


def test_metrics_beside_the_usual_need_no_bootstrap(rng) -> None:
    y = rng.integers(0, 2, N)
    scores = {"a": y + rng.normal(size=N), "b": y + 2 * rng.normal(size=N)}
    result = fm.evaluate(y, scores, metrics=["f1", "recall"], threshold=0.5)
    expected = fm.compare(y, scores, metrics="f1", threshold=0.5)["f1"]
    assert result.comparisons["f1"] == expected
    assert result["a"].estimates["f1"] == expected["a"]
    with pytest.raises(fm.InputError, match="`threshold`"):
        fm.evaluate(y, scores, metrics="f1")
    with pytest.raises(fm.InputError, match="`n_resamples`"):
        fm.evaluate(y, scores, metrics="break_even_point")
    with pytest.raises(fm.InputError, match="metrics of labels"):
        fm.evaluate(y, scores, threshold=0.5)


_CHANCES = np.random.default_rng(3).dirichlet(np.ones(3), 60)
_LETTERS = np.array(["ape", "bee", "cat"] * 20)
_METRICS_OF_CLASSES: dict[str, Callable[[Any, Any], Any]] = {
    "estimate": lambda y, p: fm.estimate(y, p, metrics="log_loss"),
    "log_loss": fm.log_loss,
    "brier_score_loss": fm.brier_score_loss,
    "d2_log_loss_score": fm.d2_log_loss_score,
    "d2_brier_score": fm.d2_brier_score,
    "hinge_loss": fm.hinge_loss,
    "top_k_accuracy_score": lambda y, p: fm.top_k_accuracy_score(y, p, k=1),
    "roc_auc_score": lambda y, p: fm.roc_auc_score(y, p, multi_class="ovr"),
    "average_precision_score": fm.average_precision_score,
    "expected_calibration_error": fm.calibration.expected_calibration_error,
    "compare": lambda y, p: fm.compare(y, {"a": _CHANCES, "b": p}, metrics="log_loss"),
    "evaluate": lambda y, p: fm.evaluate(y, {"m": p}),
    "evaluate alone": lambda y, p: fm.evaluate(y, p, task="multiclass"),
    "report": lambda y, p: fm.report(y, {"m": p}).html,
    "gate": lambda y, p: fm.gate(
        y, {"baseline": _CHANCES, "candidate": p}, margins={"log_loss": 0.1}
    ),
}


@pytest.mark.filterwarnings("ignore::fastmetrics.SmallSampleWarning")
@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.usefixtures("blank")
@pytest.mark.parametrize(
    ("door", "frame"),
    [
        *((door, pd.DataFrame) for door in _METRICS_OF_CLASSES),
        *((door, frame) for door in ("evaluate", "log_loss") for frame in (pl.DataFrame, pa.table)),
    ],
)
def test_columns_named_as_classes_go_by_name(door: str, frame: Any) -> None:
    call = _METRICS_OF_CLASSES[door]
    shuffled = frame({name: _CHANCES[:, k] for name, k in (("cat", 2), ("ape", 0), ("bee", 1))})
    expected = str(call(_LETTERS, _CHANCES))
    assert str(call(_LETTERS, shuffled)) == expected
    if door == "estimate":  # names of no classes are those of models
        with pytest.raises(InputTypeError, match="models by name are for `compare`"):
            call(_LETTERS, frame({"p1": _CHANCES[:, 0], "p2": _CHANCES[:, 1]}))
        return
    others = frame({f"p{k}": _CHANCES[:, k] for k in range(3)})  # none is a class: by position
    assert str(call(_LETTERS, others)) == expected
    mixed = frame({name: _CHANCES[:, k] for k, name in enumerate(("cat", "bee", "cow"))})
    with pytest.raises(InputError, match="has the columns cat, bee, cow, and the classes are ape"):
        call(_LETTERS, mixed)


_TEN = np.arange(60) % 10
_OF_TEN = np.random.default_rng(3).dirichlet(np.ones(10), 60)


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        (_TEN, _OF_TEN),
        (_TEN.tolist(), _OF_TEN.tolist()),
        (_TEN, pd.DataFrame(_OF_TEN)),
        (_LETTERS, _CHANCES),
        (_LETTERS, pd.DataFrame(_CHANCES, columns=["ape", "bee", "cat"])),
    ],
)
def test_a_matrix_of_probabilities_of_the_classes_is_one_model(labels: Any, scores: Any) -> None:
    result = fm.evaluate(labels, scores)
    assert result.task == "multiclass"
    assert str(result) == str(fm.evaluate(labels, {"score": scores}))


_STRAY = np.r_[np.arange(999) % 2, 2]


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        (_TEN, 7.0 * _OF_TEN, "say `task='multiclass'`; of models"),
        (_TEN, {f"m{k}": _OF_TEN[:, k] for k in range(10)}, "the 10 columns of scores sum to 1"),
        (_STRAY, np.linspace(0.1, 0.9, 1000), "2, in 1 of 1,000 rows, a slip"),
        (_STRAY, np.linspace(-3.0, 3.0, 1000), "2, in 1 of 1,000 rows, a slip"),
        (_TEN % 3, np.linspace(0.1, 0.9, 60), "a slip"),
    ],
)
def test_regression_is_not_guessed_where_labels_may_be_classes(
    labels: Any, scores: Any, message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        fm.evaluate(labels, scores)
    if isinstance(scores, dict) or scores.ndim == 1:
        assert fm.evaluate(labels, scores, task="values").task == "values"


@pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning")
def test_rows_of_one_class_have_losses() -> None:
    (model,) = fm.evaluate([1, 1, 1], [0.9, 0.8, 0.7])
    assert model.estimates["brier_score"].estimate == pytest.approx((0.01 + 0.04 + 0.09) / 3)
    assert model.estimates["log_loss"].estimate == pytest.approx(-np.log(0.9 * 0.8 * 0.7) / 3)
    assert math.isnan(model.roc_auc)
    assert "Brier score ↓        0.0467" in str(fm.evaluate([1, 1, 1], [0.9, 0.8, 0.7]))


_OF_MATRIX = [m for m in METRICS.values() if m.influences and m.needs not in ("times", "rankings")]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("metric", _OF_MATRIX, ids=lambda metric: metric.name)
def test_a_matrix_is_measured_or_refused_in_words(metric: Metric, n_classes: int) -> None:
    needed = {"cost_fn": 1.0, "cost_fp": 1.0, "threshold": 0.5}
    given = {key: needed[key] for key, v in metric.parameters.items() if v is REQUIRED}
    metrics = {metric.name: (metric.name, given)}
    labels = np.arange(60) % n_classes
    scores = np.random.default_rng(3).dirichlet(np.ones(n_classes), 60)
    is_of_classes = metric.classes != 2 and metric.needs in ("scores", "probabilities")
    calls = (
        lambda: fm.estimate(labels, scores, metrics=metrics),
        lambda: fm.compare(labels, {"a": scores, "b": scores[::-1]}, metrics=metrics),
        lambda: fm.evaluate(labels, {"m": scores}, metrics=metrics),
    )
    refusals = []
    for call in calls:
        try:
            call()
        except InputError as error:
            refusals.append(str(error))
    # labels are the most probable classes; some metrics of them are of two classes, or need prices
    expected = (0,) if is_of_classes else (0, 3) if metric.needs == "labels" else (3,)
    assert len(refusals) in expected
    words = re.compile(r"task='multiclass'|\[:, 1\]|two classes|needs `cost")
    assert all(map(words.search, refusals))


RNG = np.random.default_rng(5)
P = RNG.beta(2, 3, 2000)
Y = RNG.random(2000) < P


def read_note(y, p, **options):
    return " ".join(note for note in fm.evaluate(y, p, **options).notes if "score: " in note)


@pytest.mark.parametrize(("shift", "way"), [(0.1, "high"), (-0.1, "low")])
@pytest.mark.parametrize("words", [{}, {"pos_label": "ill"}])
def test_bias_has_its_direction_and_its_interval(shift, way, words):
    p = np.clip(P + shift, 0.0, 1.0)
    y = np.where(Y, "ill", "well") if words else Y
    bias = fm.estimate(Y, p, metrics="mean_error")["mean_error"]
    note = read_note(y, p, **words)
    assert f"too {way} on average, by {abs(bias.estimate):.4f}" in note
    low, high = sorted(abs(limit) for limit in bias.confidence_interval)
    assert [float(each) for each in re.search(r"\[(.*),.(.*)\]", note).groups()] == [
        pytest.approx(low, abs=1e-4),
        pytest.approx(high, abs=1e-4),
    ]
    parts = fm.calibration.score_decomposition(Y, p)
    assert f"lowers the Brier score by at most {parts.miscalibration:.2g}." in note


def test_what_is_not_shown_is_not_said():
    assert "no evidence of miscalibration on average" in read_note(Y, P)


def test_groups_widen_the_interval():
    def width(note):
        low, high = re.search(r"\[(.*),.(.*)\]", note).groups()
        return float(high.replace("−", "-")) - float(low.replace("−", "-"))

    y, p = np.repeat(Y, 5), np.repeat(P, 5)
    assert width(read_note(y, p, groups=np.arange(10_000) // 5)) > 2 * width(read_note(y, p))


def test_scores_that_are_no_probabilities_have_no_sentence():
    assert not [n for n in fm.evaluate(Y, 3 * P).notes if "recalibration" in n]


@pytest.mark.parametrize("labels", [[0, 1, 0, 1], [0, 0, 0, 0]])
def test_what_is_converted_is_told_once(labels):
    objects = np.array([0.1, 0.2, 0.3, 0.4], object)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fm.evaluate(labels, objects)
    assert sum(issubclass(each.category, DataConversionWarning) for each in caught) == 1


@pytest.mark.filterwarnings("ignore::fastmetrics.errors.DataConversionWarning")
def test_objects_are_probabilities_of_one_model_and_of_several(data):
    y, scores = data
    p = scipy.special.expit(scores["a"])
    several = fm.evaluate(y, {"a": p.astype(object), "b": p})
    assert list(fm.evaluate(y, {"a": p.astype(object)})["a"].estimates) == list(
        several["a"].estimates
    )
    assert "log_loss" in several["a"].estimates
