"""`evaluate` with a bootstrap: each measure's interval is the one that the bootstrap gives."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
from html import unescape

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from evaluation_cases import FIELDS, TABLE, same
from scipy.stats import bootstrap as scipy_bootstrap
from sklearn.metrics import f1_score, roc_auc_score, roc_curve

from fastmetrics import ScoreTable, bootstrap, compare, estimate, evaluate
from fastmetrics.cli import main
from fastmetrics.comparison import effective_sample_size
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning


@pytest.mark.parametrize("method", [None, "percentile", "basic", "bca"])
@pytest.mark.parametrize("plan", [{}, {"stratified": True}, {"groups": True}])
def test_one_model_has_the_intervals_of_the_bootstrap(models, method, plan):
    y, scores, groups = models
    plan = {name: groups if name == "groups" else value for name, value in plan.items()}
    if method == "bca":
        with pytest.raises(ValueError, match="not defined for 'break_even_point', which jumps"):
            evaluate(y, scores["a"], n_resamples=99, method=method, **plan)
        return
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


def youden_rates(y, score):
    """TPR and FPR at the highest threshold of the largest TPR - FPR, by scikit-learn."""
    fpr, tpr, _ = roc_curve(y, score, drop_intermediate=False)
    best = np.argmax(np.round(tpr - fpr, 12))
    return tpr[best], fpr[best]


def test_the_best_threshold_is_chosen_anew_in_each_replicate(models):
    # Against the bootstrap of scipy, which chooses in each replicate as the function does.
    y, scores, _ = models

    def rate_of_resample(y, score, axis=-1):
        pairs = zip(np.atleast_2d(y), np.atleast_2d(score), strict=True)
        found = np.array([youden_rates(*pair) for pair in pairs]).T
        return found[:, 0] if y.ndim == 1 else found

    expected = scipy_bootstrap(
        (y, scores["b"]), rate_of_resample, paired=True, n_resamples=1500,
        method="percentile", rng=np.random.default_rng(0),
    )  # fmt: skip
    model = evaluate(y, scores["b"], n_resamples=4000, rng=1)[0]
    tpr, fpr = youden_rates(y, scores["b"])
    assert model.bootstrap["tpr_at_best_threshold"].estimate == pytest.approx(tpr)
    assert model.bootstrap["fpr_at_best_threshold"].estimate == pytest.approx(fpr)
    for i, metric in enumerate(("tpr_at_best_threshold", "fpr_at_best_threshold")):
        result = model.bootstrap[metric]
        assert result.standard_error == pytest.approx(expected.standard_error[i], rel=0.1)
        # With the threshold held where the data have it, the error would be about half of this.
        positive = y == (1 if i == 0 else 0)
        rate = (tpr, fpr)[i]
        held = math.sqrt(rate * (1 - rate) / positive.sum())
        assert result.standard_error > 1.4 * held


def test_measures_by_name_beside_the_auc(models):
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


def lowest(labels, scores):
    return float(scores.min())


@pytest.mark.parametrize(
    ("metrics", "labels"),
    [
        ("ks_statistic", ["roc_auc", "ks_statistic"]),
        ("roc_auc", ["roc_auc"]),
        (
            ("recall_at_false_positive_rate", {"false_positive_rate": 0.1}),
            ["roc_auc", "recall_at_false_positive_rate"],
        ),
        (["fpr_at_best_threshold", "roc_auc"], ["roc_auc", "fpr_at_best_threshold"]),
        (("ks_statistic", "rank_loss"), ["roc_auc", "ks_statistic", "rank_loss"]),
        (lowest, ["roc_auc", "lowest"]),
        (
            [("recall_at_false_positive_rate", {"false_positive_rate": 0.1}), lowest],
            ["roc_auc", "recall_at_false_positive_rate", "lowest"],
        ),
    ],
)
def test_every_way_to_name_measures(models, metrics, labels):
    y, scores, _ = models
    model = evaluate(y, scores["a"], n_resamples=9, rng=0, metrics=metrics)[0]
    assert list(model.bootstrap) == labels


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"metrics": []}, ValueError, "at least one measure: got none"),
        ({"metrics": ["f1"]}, ValueError, "'f1' counts decisions: pass `threshold`"),
        ({"metrics": "auroq"}, ValueError, "`metrics` names 'auroq', which is no measure"),
        ({"metrics": ["roc_auc"] * 2}, ValueError, "names 'roc_auc' 2 times"),
        ({"metrics": {"roc_auc": "ks_statistic"}}, ValueError, "gives 'roc_auc'.* of another"),
        (
            {"metrics": {"x": ("recall_at_false_positive_rate", {"false_positive_rate": 2})}},
            ValueError,
            "metric 'x': .*got 2",
        ),
        ({"metrics": 3}, TypeError, "`metrics` must"),
        ({"metrics": "f1", "threshold": math.nan}, ValueError, "`threshold` must not be nan"),
        ({"method": "bayes"}, ValueError, "`method` must be one of 'percentile'"),
        ({"n_resamples": 0}, ValueError, "`n_resamples` must be at least 1: got 0"),
        ({"n_resamples": 1}, ValueError, "`n_resamples` must be at least 2: got 1"),
        ({"n_resamples": 10**9}, ValueError, "`n_resamples` of 1,000,000,000 would keep"),
        ({"rng": -1}, ValueError, "`rng` must be a seed that is not negative"),
        ({"rng": np.random.RandomState(0)}, TypeError, "got a RandomState"),
        ({"groups": [1, 2], "stratified": True}, ValueError, "exclude each other"),
        ({"groups": [1, 2]}, ValueError, "`groups` has 2 rows"),
        ({"confidence_level": 95}, ValueError, r"did you mean 0\.95\?"),
    ],
)
def test_wrong_options(models, options, error, message):
    y, scores, _ = models
    with pytest.raises(error, match=message):
        evaluate(y, scores["a"], **{"n_resamples": 9} | options)


@pytest.mark.parametrize(
    "option",
    [
        {"method": "bca"},
        {"stratified": True},
        {"rng": 0},
        {"progress": True},
    ],
    ids=lambda option: next(iter(option)),
)
def test_options_of_the_bootstrap_need_one(models, option):
    y, scores, _ = models
    (name,) = option
    with pytest.raises(ValueError, match=f"`{name}` is of the bootstrap: pass `n_resamples`"):
        evaluate(y, scores["a"], **option)


def test_without_a_bootstrap_influences_give_intervals_and_differences(models):
    y, scores, groups = models
    result = evaluate(y, scores)
    assert result.bootstrap is None
    assert result["a"].bootstrap is None
    for given in ({}, {"groups": groups}):
        found = compare(y, scores, metrics=["roc_auc", "average_precision"], **given)
        result = evaluate(y, scores, **given)
        assert result.comparisons == found
        assert result["a"].estimates["average_precision"] == found["average_precision"].models[0]
        words = found.verdict.replace("roc_auc", "AUC").replace("average_p", "average p")
        assert result.verdict.replace("\N{NO-BREAK SPACE}", " ") == words
    (pair, *_) = result.comparisons["roc_auc"]
    assert result["a"].standard_error != evaluate(y, scores)["a"].standard_error
    assert result.to_dict()["differences"]["roc_auc"][0]["pvalue"] == pair.pvalue
    result = evaluate(y, scores)
    assert result.to_dict().keys() == {
        *("models", "confidence_level", "weights_are", "differences", "verdict")
    }
    assert "bootstrap" not in result.to_dict()["models"][0]
    assert hash(result) == hash(evaluate(y, scores))


def test_the_key_the_seed_and_the_generator(models):
    y, scores, _ = models

    def interval(rng):
        return evaluate(y, scores["b"], n_resamples=99, rng=rng)

    first = interval(11)
    assert interval(11)[0].confidence_interval == first[0].confidence_interval
    assert interval(first.bootstrap.key)[0].confidence_interval == first[0].confidence_interval
    assert interval(12)[0].confidence_interval != first[0].confidence_interval
    generator = np.random.default_rng(11)
    assert interval(generator)[0].confidence_interval == first[0].confidence_interval
    # One key a call, however often the library looks at it.
    other = np.random.default_rng(11)
    bootstrap(y, scores["b"], n_resamples=9, rng=other)
    assert generator.integers(2**40) == other.integers(2**40)


def test_threads_and_the_order_of_rows_change_nothing(models):
    y, scores, _ = models
    order = np.random.default_rng(1).permutation(len(y))
    options = {"n_resamples": 99, "rng": 1}
    whole = evaluate(y, scores["b"], n_threads=1, **options)[0]
    other = evaluate(y[order], scores["b"][order], n_threads=3, **options)[0]
    assert all(same(whole.bootstrap[metric], other.bootstrap[metric]) for metric in TABLE)


def test_dictionary_html_and_pickle(models):
    y, scores, _ = models
    result = evaluate(y, {"<a>": scores["a"], "b": scores["b"]}, n_resamples=99, rng=1)
    content = result.to_dict()
    assert json.loads(json.dumps(content)) == content
    figures = content["models"][1]["bootstrap"]["break_even_point"]
    assert figures.keys() == {
        *("estimate", "confidence_interval", "method", "standard_error", "bias", "n_failed", "note")
    }
    assert content["bootstrap"]["key"] == result.bootstrap.key
    (pair,) = content["differences"]["roc_auc"]
    assert (pair["a"], pair["b"]) == ("<a>", "b")
    assert "bootstrap_distribution" not in pair
    page = result._repr_html_()
    assert page.count("<table>") == 2
    assert page.count("<tr>") == (1 + 9) + (1 + 6)
    assert "<a>" not in page
    assert "&lt;a&gt; − b" in page
    low, high = figures["confidence_interval"].values()
    assert f"[{low:.4f},\N{NO-BREAK SPACE}{high:.4f}]" in page
    assert pickle.loads(pickle.dumps(result)).to_dict() == content
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.bootstrap.key = "0" * 16


def test_frames_and_labels(models):
    y, scores, groups = models
    frame = pd.DataFrame(scores)
    expected = evaluate(y, scores, n_resamples=49, rng=1).to_dict()
    assert evaluate(pd.Series(y), frame, n_resamples=49, rng=1).to_dict() == expected
    words = np.where(y == 1, "sick", "well")
    named = evaluate(words, scores, n_resamples=49, rng=1, pos_label="sick")
    assert named.to_dict() == expected
    by_text = [f"patient {group}" for group in groups]
    one, other = (
        evaluate(y, scores["a"], n_resamples=49, rng=1, groups=given)
        for given in (np.char.zfill(groups.astype(str), 3), by_text)
    )
    assert one.bootstrap.n_groups == other.bootstrap.n_groups == 80


def test_groups_make_the_interval_wider():
    rng = np.random.default_rng(0)
    patients = np.repeat(np.arange(60), 10)
    y = (np.arange(60) % 2)[patients]
    score = (rng.normal(size=60) + y[::10])[patients] + 0.1 * rng.normal(size=600)
    rows, grouped = (
        evaluate(y, score, n_resamples=499, rng=1, metrics="roc_auc", groups=groups)[0]
        for groups in (None, patients)
    )
    assert rows.roc_auc == grouped.roc_auc == pytest.approx(roc_auc_score(y, score))
    widths = [m.confidence_interval.high - m.confidence_interval.low for m in (rows, grouped)]
    assert widths[1] > 2 * widths[0]


def test_weights_that_are_no_counts_have_an_interval(models):
    y, scores, _ = models
    weights = np.random.default_rng(1).random(len(y)) + 0.5
    model = evaluate(y, scores["a"], sample_weight=weights, n_resamples=99, rng=1)[0]
    assert model.note == ""
    low, high = model.confidence_interval.low, model.confidence_interval.high
    assert low < model.roc_auc < high


def test_one_class_is_not_resampled(models):
    _, scores, _ = models
    with pytest.warns(UndefinedMetricWarning) as caught:
        result = evaluate(np.ones(240, np.int8), {"a": scores["a"]}, n_resamples=99)
    assert len(caught) == 1
    assert result.bootstrap is None
    assert math.isnan(result["a"].confidence_interval.low)
    assert result["a"].note.startswith("one class only")


def test_degenerate_intervals_warn_and_leave_a_note():
    y = np.repeat([0, 1], 40)
    with pytest.warns(DegenerateDataWarning, match="'roc_auc' is degenerate"):
        model = evaluate(y, y * 1.0, n_resamples=99, rng=0, metrics="roc_auc")[0]
    assert model.note == "no sound bootstrap interval of roc_auc"
    assert (model.confidence_interval.low, model.confidence_interval.high) == (1, 1)


def test_replicates_without_a_class_are_counted_and_warned_about():
    y, score = np.repeat([0, 1], [18, 2]), np.arange(20)
    score[18] = 5
    with pytest.warns(UndefinedMetricWarning, match="`stratified=True` keeps both"):
        model = evaluate(y, score, n_resamples=999, rng=0, metrics="roc_auc")[0]
    share = model.bootstrap["roc_auc"].details.n_failed / 999
    assert share == pytest.approx(0.9**20, abs=4 * math.sqrt(0.12 * 0.88 / 999))
    kept = evaluate(y, score, n_resamples=999, rng=0, metrics="roc_auc", stratified=True)[0]
    assert kept.bootstrap["roc_auc"].details.n_failed == 0


def test_intervals_of_maxima_and_choices_say_what_they_are_of(models):
    """KS is a maximum, and the threshold of the TPR is another in each resample."""
    y, scores, _ = models
    result = evaluate(y, {"a": scores["a"], "b": scores["b"]}, n_resamples=99, rng=1)
    notes = {metric: one.note for metric, one in result["a"].bootstrap.items()}
    assert notes["roc_auc"] == notes["average_precision"] == ""
    assert notes["ks_statistic"] == ""
    for rate in ("tpr", "fpr"):
        note = notes[f"{rate}_at_best_threshold"]
        assert "each resample looks for anew, not at the threshold found here" in note
    rate = "tpr_at_best_threshold"
    assert result.comparisons[rate].pairs[0].note == notes[rate]
    html = unescape(result._repr_html_())
    assert "KS" in html
    assert f"¹ {notes[rate]}." in html
    fixed = evaluate(
        y,
        scores["a"],
        n_resamples=99,
        rng=1,
        metrics=("recall_at_false_positive_rate", {"false_positive_rate": 0.3}),
    ).models[0]
    assert all(one.note == "" for one in fixed.bootstrap.values())


@pytest.mark.parametrize("output", ["table", "markdown", "csv"])
def test_what_is_printed_has_the_footnotes(models, output, tmp_path, capsys):
    y, scores, _ = models
    given = {"a": scores["a"], "b": scores["b"]}
    result = evaluate(y, given, n_resamples=99, rng=1)
    path = str(tmp_path / "x.parquet")
    pq.write_table(pa.table({"y": y, **given}), path)
    options = ["--label", "y", "--score", "a", "--score", "b", "--bootstrap", "99", "--seed", "1"]
    assert main(["evaluate", path, *options, "--format", output]) == 0
    text = " ".join(capsys.readouterr().out.split())
    note = result["b"].bootstrap["fpr_at_best_threshold"].note
    if output == "csv":
        assert text.count(note) == 6  # TPR and FPR of two models and of their difference
        return
    assert "KS: limits of the largest of many gaps, without resamples." in text
    assert "TPR at it ↑ ¹" in text
    assert "FPR at it ↓ ¹" in text
    assert f"¹ {note}." in text
    assert text.count(note) == 1


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
