"""`evaluate` with a bootstrap: each metric's interval is the one that the bootstrap gives."""

from html import unescape

import numpy as np
import pytest
from sklearn.metrics import f1_score

from fastmetrics import ScoreTable, bootstrap, compare, estimate, evaluate, paired_bootstrap
from fastmetrics.comparison import effective_sample_size
from fastmetrics.errors import DegenerateDataWarning

TABLE = {
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "break_even_point": "break_even_point",
    "ks_statistic": "ks_statistic",
    "tpr_at_best_threshold": ("best_threshold", {"of": "true_positive_rate"}),
    "fpr_at_best_threshold": ("best_threshold", {"of": "false_positive_rate"}),
}
#: Those whose replicates make intervals.
RESAMPLED = [metric for metric in TABLE if metric != "ks_statistic"]
FIELDS = {"tpr_at_best_threshold": "true_positive_rate"}
FIELDS |= {"fpr_at_best_threshold": "false_positive_rate"}


def same(one, other):
    """Return whether two results are the same, replicate for replicate."""
    assert one.confidence_interval == other.confidence_interval
    if one.details is None:
        return one == other
    assert (one.estimate, one.details.n_failed, one.details.key) == (
        other.estimate,
        other.details.n_failed,
        other.details.key,
    )
    return np.array_equal(one.details.distribution, other.details.distribution, equal_nan=True)


@pytest.fixture(scope="module")
def models():
    """Return labels, the scores of three models, and groups of three rows."""
    rng = np.random.default_rng(5)
    n = 240
    y = (rng.random(n) < 0.35).astype(np.int8)
    scores = {
        "a": np.round(rng.normal(size=n) + y, 1),
        "b": rng.normal(size=n) + 0.6 * y,
        "c": rng.normal(size=n) + 0.5 * y,
    }
    return y, scores, np.arange(n) // 3


@pytest.mark.parametrize(
    ("method", "plan"),
    [(None, {}), (None, {"stratified": True}), (None, {"groups": True}), ("basic", {})],
)
def test_one_model_has_the_intervals_of_the_bootstrap(models, method, plan):
    y, scores, groups = models
    plan = {name: groups if name == "groups" else value for name, value in plan.items()}
    options = {"n_resamples": 199, "method": method, "rng": 7, "confidence_level": 0.9, **plan}
    result = evaluate(y, scores["a"], **options)
    expected = dict(bootstrap(y, scores["a"], metrics=TABLE, **options))
    model = result["score"]
    assert list(model.bootstrap) == list(TABLE)
    if method is None:  # limits that hold, and no replicates
        rows = {"confidence_level": 0.9, "groups": plan.get("groups")}
        expected |= estimate(y, scores["a"], metrics="ks_statistic", **rows)
        assert expected["ks_statistic"].method == "band"
    for metric in TABLE:
        assert same(model.bootstrap[metric], expected[metric])
        assert model.bootstrap[metric].estimate == getattr(model, FIELDS.get(metric, metric))
    assert model.confidence_interval == expected["roc_auc"].confidence_interval
    assert result.comparisons is None
    settings = result.bootstrap
    assert (settings.method, settings.n_resamples) == (method, 199)
    assert settings.stratified is plan.get("stratified", False)
    assert settings.n_groups == (80 if "groups" in plan else None)
    assert settings.key == expected["roc_auc"].details.key


def test_metrics_by_name_beside_the_auc(models):
    y, scores, _ = models
    own = {"middle": ("partial_auc", {"false_positive_rate_range": (0.1, 0.5)}), "f1": "f1"}
    result = evaluate(y, scores["b"], n_resamples=99, rng=2, metrics=own, threshold=0.4)
    model = result[0]
    assert list(model.bootstrap) == ["roc_auc", "middle", "f1"]
    expected = f1_score(y, scores["b"] >= 0.4)
    assert model.bootstrap["f1"].estimate == pytest.approx(expected, rel=1e-14)
    assert result.bootstrap.threshold == 0.4
    assert model.confidence_interval == model.bootstrap["roc_auc"].confidence_interval
    again = bootstrap(
        y, scores["b"], metrics={"roc_auc": "roc_auc"} | own, threshold=0.4, n_resamples=99, rng=2
    )
    assert all(same(model.bootstrap[metric], again[metric]) for metric in again)


def test_without_a_bootstrap_influences_give_intervals_and_differences(models):
    y, scores, groups = models
    result = evaluate(y, scores)
    assert result.bootstrap is None
    assert result["a"].bootstrap is None
    for given in ({}, {"groups": groups}):
        compared = compare(y, scores, metrics=["roc_auc", "average_precision"], **given)
        result = evaluate(y, scores, **given)
        assert result.comparisons == compared
        assert result["a"].estimates["average_precision"] == compared["average_precision"].models[0]
        words = compared.verdict.replace("roc_auc", "AUC").replace("average_p", "average p")
        assert result.verdict.replace("\N{NO-BREAK SPACE}", " ") == words
    (pair, *_) = result.comparisons["roc_auc"]
    assert result["a"].standard_error != evaluate(y, scores)["a"].standard_error
    assert result.to_dict()["differences"]["roc_auc"][0]["pvalue"] == pair.pvalue
    result = evaluate(y, scores)
    assert result.to_dict().keys() == {
        *("models", "confidence_level", "weights_are", "differences", "verdict")
    }
    assert "bootstrap" not in result.to_dict()["models"][0]


def test_one_key_is_drawn_of_a_generator_in_a_call(models):
    y, scores, _ = models
    generator, other = (np.random.default_rng(11) for _ in range(2))
    result = evaluate(y, scores["b"], n_resamples=99, rng=generator)
    bootstrap(y, scores["b"], n_resamples=9, rng=other)
    assert generator.integers(2**40) == other.integers(2**40)
    again = evaluate(y, scores["b"], n_resamples=99, rng=result.bootstrap.key)
    assert again[0].confidence_interval == result[0].confidence_interval


def test_degenerate_intervals_warn_and_leave_a_note():
    y = np.repeat([0, 1], 40)
    with pytest.warns(DegenerateDataWarning, match="'roc_auc' is degenerate"):
        model = evaluate(y, y * 1.0, n_resamples=99, rng=0, metrics="roc_auc")[0]
    assert model.note == "no sound bootstrap interval of roc_auc"
    assert (model.confidence_interval.low, model.confidence_interval.high) == (1, 1)


def test_intervals_of_maxima_and_choices_say_what_they_are_of(models):
    """KS is a maximum, and the threshold of the TPR is another in each resample."""
    y, scores, _ = models
    result = evaluate(y, {"a": scores["a"], "b": scores["b"]}, n_resamples=99, rng=1)
    notes = {metric: one.note for metric, one in result["a"].bootstrap.items()}
    assert notes["roc_auc"] == notes["average_precision"] == ""
    assert notes["ks_statistic"] == ""
    for rate in ("tpr", "fpr"):
        assert "the threshold is re-chosen in every resample" in notes[f"{rate}_at_best_threshold"]
    rate = "tpr_at_best_threshold"
    assert result.comparisons[rate].pairs[0].note == notes[rate]
    html = unescape(result._repr_html_())
    assert "KS" in html
    assert f"TPR at the best threshold, FPR at the best threshold: {notes[rate]}." in html
    fixed = evaluate(
        y,
        scores["a"],
        n_resamples=99,
        rng=1,
        metrics=("recall_at_false_positive_rate", {"false_positive_rate": 0.3}),
    )[0]
    assert all(one.note == "" for one in fixed.bootstrap.values())


def test_a_small_class_is_noted_beside_a_bootstrap_too():
    y = np.repeat([0, 1], [80, 20])
    score = np.random.default_rng(3).normal(size=100) + y
    weights = np.random.default_rng(4).exponential(size=100)
    note = "only 20 positive examples: below about 30 no interval is sure"
    assert evaluate(y, score)[0].note == note
    assert evaluate(y, score, n_resamples=99, rng=1)[0].note == note
    weighed = evaluate(y, score, sample_weight=weights, n_resamples=99, rng=1)[0].note
    assert weighed == evaluate(y, score, sample_weight=weights)[0].note
    worth = effective_sample_size(weights[y == 1])
    assert weighed.startswith(f"the positive examples are worth {worth:.3g} of equal weight")


@pytest.mark.parametrize("n_models", [1, 2])
def test_each_model_is_put_in_order_once(monkeypatch: pytest.MonkeyPatch, n_models: int) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    scores = {name: y + rng.normal(size=300) for name in "ab"[:n_models]}
    plain = evaluate(y, scores)
    made = []
    from_rows = ScoreTable.from_rows
    monkeypatch.setattr(ScoreTable, "from_rows", lambda rows: made.append(rows) or from_rows(rows))
    drawn = evaluate(y, scores, metrics="roc_auc", n_resamples=99, rng=1)
    assert len(made) == (1 if n_models == 1 else 0)  # of several, the order tells the table
    for one, other in zip(plain, drawn, strict=True):
        for name in ("roc_auc", "average_precision", "ks_statistic", "threshold"):
            assert getattr(one, name) == getattr(other, name)


@pytest.mark.parametrize("plan", [{"stratified": True}, {"groups": True}, {"weights": True}])
def test_several_models_have_paired_replicates_and_differences(models, plan):
    y, scores, groups = models
    given = {}
    if "groups" in plan:
        given["groups"] = groups
    if "weights" in plan:
        given["sample_weight"] = np.random.default_rng(0).random(len(y)) + 0.5
    if "stratified" in plan:
        given["stratified"] = True
    result = evaluate(y, scores, n_resamples=199, rng=3, **given)
    expected = dict(paired_bootstrap(y, scores, metrics=TABLE, n_resamples=199, rng=3, **given))
    rows = {name: value for name, value in given.items() if name != "stratified"}
    expected |= compare(y, scores, metrics="ks_statistic", **rows)
    for name in scores:
        for metric in TABLE:
            own = result[name].bootstrap[metric]
            if metric in RESAMPLED[:2]:  # what jumps from score to score has percentile's
                assert (own.method == "bca") is not ("groups" in plan or "weights" in plan)
            assert same(own, expected[metric].models["abc".index(name)])
            assert own.estimate == pytest.approx(
                getattr(result[name], FIELDS.get(metric, metric)), rel=1e-14
            )
    assert list(result.comparisons) == list(TABLE)
    for metric, pairs in expected.items():
        for pair, actual in zip(pairs, result.comparisons[metric], strict=True):
            assert (actual.a, actual.b) == (pair.a, pair.b)
            assert actual.pvalue_adjusted == pair.pvalue_adjusted
            assert actual.confidence_interval == pair.confidence_interval
            if metric in RESAMPLED:
                assert np.array_equal(actual.details.distribution, pair.details.distribution)
            two = (result[actual.a], result[actual.b])
            own = [getattr(model, FIELDS.get(metric, metric)) for model in two]
            assert actual.difference == pytest.approx(own[0] - own[1], abs=1e-14)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_several_models_by_one_method(models, method):
    """BCa is of models alone: their differences keep the default, and a note says it."""
    y, scores, _ = models
    options = {"n_resamples": 99, "rng": 3}
    result = evaluate(y, scores, metrics=["roc_auc", "rank_loss"], method=method, **options)
    pairs_by = "basic" if method == "bca" else method
    options["method"] = None if method == "bca" else method
    expected = paired_bootstrap(y, scores, metrics=["roc_auc", "rank_loss"], **options)
    for name in scores:
        for metric in ("roc_auc", "rank_loss"):
            assert same(result[name].bootstrap[metric], expected[metric].models["abc".index(name)])
            assert result[name].bootstrap[metric].method == method
    assert result.bootstrap.method == method
    assert {one.method for one in result.comparisons.values()} == {f"{pairs_by} bootstrap"}
    assert f"Intervals of differences: {pairs_by} bootstrap" in result.explain()


def test_no_finite_correction_leaves_the_percentile_interval(models):
    y, scores, _ = models
    best = np.where(np.arange(len(y)) == np.flatnonzero(y == 0)[0], 2.0, y * 1.0)
    options = {
        "n_resamples": 199,
        "rng": 1,
        "metrics": ("recall_at_false_positive_rate", {"false_positive_rate": 0.01}),
    }
    result = evaluate(y, {"best": best, "b": scores["b"]}, **options)
    own = result["best"].bootstrap["recall_at_false_positive_rate"]
    alone = evaluate(y, best, **options)["score"].bootstrap["recall_at_false_positive_rate"]
    assert own.method == alone.method == "percentile"
    assert own.confidence_interval.low < own.confidence_interval.high
