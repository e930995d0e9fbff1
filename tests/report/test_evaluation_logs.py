"""Evaluations of items and repeats, against enumeration and against the formulas of one way."""

from __future__ import annotations

import itertools
import json
import zipfile
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm

RNG = np.random.default_rng(2)


def rows_of(successes, n):
    """Return the columns of items that succeed so often in n tries."""
    item, score, tries = [], [], []
    for k, c in enumerate(successes):
        item += [f"q{k}"] * n
        tries += list(range(n))
        score += [1] * c + [0] * (n - c)
    return {"item": item, "score": score, "repeat": tries}


def share_of_draws(c, n, k, wanted):
    """Return by enumeration the share of draws of k tries of which ``wanted`` holds."""
    tries = [1] * c + [0] * (n - c)
    draws = list(itertools.combinations(tries, k))
    return Fraction(sum(bool(wanted(draw)) for draw in draws), len(draws))


@pytest.mark.parametrize("k", [1, 2, 3, 5, 6])
def test_pass_at_k_is_the_share_of_draws(k):
    successes = [0, 1, 2, 3, 5, 6]
    found = fm.evaluate_log(fm.evaluation_log(**rows_of(successes, 6)), pass_at=k, pass_hat=[k])[0]
    for label, wanted in ((f"pass@{k}", any), (f"pass^{k}", all)):
        exact = sum(share_of_draws(c, 6, k, wanted) for c in successes) / len(successes)
        assert found[label].estimate == pytest.approx(float(exact), rel=1e-14)
    flips = sum(share_of_draws(c, 6, 2, lambda d: d[0] != d[1]) for c in successes) / 6
    assert found["flip_rate"].estimate == pytest.approx(float(flips), rel=1e-14)


def test_the_mean_has_students_interval_over_items():
    score = RNG.random((40, 3))
    item, tries = np.indices(score.shape)
    log = fm.evaluation_log(item.ravel(), score.ravel(), repeat=tries.ravel())
    one = fm.evaluate_log(log)[0]["score"]
    means = score.mean(axis=1)
    assert one.estimate == pytest.approx(means.mean(), rel=1e-14)
    assert one.standard_error == pytest.approx(means.std(ddof=1) / np.sqrt(40), rel=1e-12)
    assert one.df == pytest.approx(39)
    logit = np.log(one.estimate / (1 - one.estimate))
    half = stats.t.ppf(0.975, 39) * one.standard_error / (one.estimate * (1 - one.estimate))
    limits = 1 / (1 + np.exp(-(logit + np.array([-half, half]))))
    np.testing.assert_allclose(one.confidence_interval, limits, rtol=1e-9)


def test_items_tried_once_have_wilsons_interval():
    log = fm.evaluation_log(np.arange(30), np.arange(30) < 21)
    one = fm.evaluate_log(log)[0]["score"]
    assert one.method == "wilson"
    expected = stats.binomtest(21, 30).proportion_ci(method="wilson")
    np.testing.assert_allclose(one.confidence_interval, expected, rtol=1e-12)


def test_near_the_edge_the_limits_are_no_narrower_than_wilsons():
    log = fm.evaluation_log(**rows_of([0] * 48 + [1, 4], 5))
    one = fm.evaluate_log(log, pass_hat=3)[0]["pass^3"]
    assert one.method == "outer limits with wilson"
    n = 50 * one.estimate
    low, high = one.confidence_interval
    center, z = (n + 1.92073) / (50 + 3.84146), 1.959964
    half = z / (50 + z**2) * np.sqrt(n * (50 - n) / 50 + z**2 / 4)
    assert low <= center - half + 1e-5
    assert high >= center + half - 1e-5


def test_models_are_compared_item_by_item():
    score = RNG.random((2, 60, 2))
    score[1] = np.clip(score[0] - 0.05 + 0.02 * RNG.normal(size=(60, 2)), 0, 1)
    model, item, tries = np.indices(score.shape)
    log = fm.evaluation_log(
        item.ravel(),
        score.ravel(),
        model=np.array(["a", "b"])[model.ravel()],
        repeat=tries.ravel(),
        higher_is_better=True,
    )
    found = fm.evaluate_log(log)
    (pair,) = found.comparisons["score"].pairs
    expected = stats.ttest_rel(*score.mean(axis=2))
    assert pair.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    np.testing.assert_allclose(pair.confidence_interval, expected.confidence_interval(), rtol=1e-9)
    assert found.verdict.startswith("a is better in score, by 0.0")
    upside_down = fm.evaluate_log(
        fm.evaluation_log(item.ravel(), score.ravel(), model=model.ravel(), repeat=tries.ravel())
    )
    assert "better" not in upside_down.verdict  # nobody said which way


def test_groups_of_items_are_what_varies():
    score = np.repeat(RNG.random(20), 5)
    rows = {"item": np.arange(100), "score": score, "group": np.arange(100) // 5}
    one = fm.evaluate_log(fm.evaluation_log(**rows))[0]["score"]
    assert one.n_groups == 20
    expected = score[::5].std(ddof=1) / np.sqrt(20)
    assert one.standard_error == pytest.approx(expected, rel=1e-12)


def test_variance_is_that_of_one_way():
    score = RNG.normal(size=(50, 1)) + 0.5 * RNG.normal(size=(50, 4))
    item, tries = np.indices(score.shape)
    log = fm.evaluation_log(item.ravel(), score.ravel(), repeat=tries.ravel())
    (found,) = log.repeat_variance()
    within = score.var(axis=1, ddof=1).mean()
    assert found.between_repeats == pytest.approx(within, rel=1e-12)
    between = score.mean(axis=1).var(ddof=1) - within / 4
    assert found.between_items == pytest.approx(between, rel=1e-12)
    now = fm.evaluate_log(log)[0]["score"].standard_error
    assert found.standard_error(4) == pytest.approx(now, rel=1e-12)
    assert found.standard_error(8, 200) == pytest.approx(
        np.sqrt((between + within / 8) / 200), rel=1e-12
    )
    (alone,) = fm.evaluation_log([1, 2], [0.5, 0.25]).repeat_variance()
    assert np.isnan(alone.standard_error(2))


@pytest.mark.slow
def test_variance_is_unbiased_with_unequal_repeats():
    n = np.tile([2, 3, 7], 10)
    found = []
    for _ in range(2000):
        item = np.repeat(np.arange(30), n)
        score = RNG.normal(size=30)[item] + 2 * RNG.normal(size=n.sum())
        tries = np.concatenate([np.arange(each) for each in n])
        (one,) = fm.evaluation_log(item, score, repeat=tries).repeat_variance()
        found.append((one.between_items, one.between_repeats))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(2000)
    assert (np.abs(means - (1.0, 4.0)) < 4 * errors).all()


def test_items_that_are_not_there_for_all():
    rows = {"item": [1, 2, 3, 1, 2], "score": [1, 0, 1, 0, 1], "model": list("aaabb")}
    log = fm.evaluation_log(**rows, group=[7, 8, 9, 7, 8])
    with pytest.raises(ValueError, match="1 of 3 items are not there for every model, 3 for one"):
        fm.evaluate_log(log)
    found = fm.evaluate_log(log, on_missing="intersect")
    assert found.n_samples == 2
    assert "1 items that not all models have" in found.notes[0]
    assert found["a"]["score"].estimate == 0.5
    apart = fm.evaluation_log([1, 2], [1, 0], model=["a", "b"])
    with pytest.raises(ValueError, match="no item is there for every model"):
        fm.evaluate_log(apart, on_missing="intersect")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": [1, np.nan]}, "`score`.*nan"),
        ({"score": ["x", "y"]}, "`score` must be a vector of numbers"),
        ({"item": ["a", "a"]}, "`item` a is there more than once for model 'model'.*`repeat`"),
        ({"item": ["a", "a"], "repeat": [1, 1]}, "these are copies"),
        ({"item": [1.5, 2.5]}, "`item` must hold texts or whole numbers"),
        ({"item": ["a"]}, "lengths differ"),
        ({"name": 3}, "`name` must be a text"),
        ({"higher_is_better": 1}, "`higher_is_better` must be True or False"),
        ({"item": ["a", "a"], "repeat": [1, 2], "group": [1, 2]}, "same for all rows of an item"),
    ],
)
def test_columns_that_are_refused(change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fm.evaluation_log(**({"item": ["a", "b"], "score": [0, 1]} | change))


def test_what_cannot_be_asked():
    log = fm.evaluation_log(**rows_of([1, 2], 3))
    with pytest.raises(ValueError, match="`pass_at` is at most the fewest repeats of an item, 3"):
        fm.evaluate_log(log, pass_at=4)
    with pytest.raises(ValueError, match="`pass_hat` must be at least 1"):
        fm.evaluate_log(log, pass_hat=[0])
    with pytest.raises(ValueError, match="scores must all be 0 or 1"):
        fm.evaluate_log(fm.evaluation_log([1, 2], [0.5, 1]), pass_at=1)
    with pytest.raises(TypeError, match="`log` must be an EvaluationLog"):
        fm.evaluate_log([1, 2])


# --- files ---------------------------------------------------------------------------------------


def harness(path, scores, **more):
    lines = [
        {"doc_id": k, "doc": {"source": {"id": k // 2}}, "filter": "none", "metrics": ["acc"]}
        | {"acc": value}
        | more
        for k, value in enumerate(scores)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def inspect_log(path, values, epochs=2, model="maker/model"):
    samples = [
        {
            "id": f"s{k}",
            "epoch": epoch + 1,
            "metadata": {"topic": k % 2},
            "scores": {"match": {"value": values[k][epoch]}},
        }
        for k in range(len(values))
        for epoch in range(epochs)
    ]
    header = {"version": 2, "eval": {"model": model, "task": "t"}}
    if path.suffix == ".eval":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", json.dumps(header))
            for each in samples:
                name = f"samples/{each['id']}_epoch_{each['epoch']}.json"
                archive.writestr(name, json.dumps(each))
    else:
        path.write_text(json.dumps(header | {"samples": samples}), encoding="utf-8")
    return path


def test_logs_of_the_harness(tmp_path):
    a, b = harness(tmp_path / "a.jsonl", [1.0, 0.0, 1.0]), harness(tmp_path / "b.jsonl", [0, 0, 1])
    log = fm.read_evaluation_log([a, b], group="source.id")
    assert (log.models, log.metric, log.higher_is_better) == (("a", "b"), "acc", True)
    assert log.totals.tolist() == [[1, 0, 1], [0, 0, 1]]
    assert log.group.tolist() == [0, 0, 1]
    named = fm.read_evaluation_log({"new": a, "old": [b]})
    assert named.models == ("new", "old")
    one = harness(tmp_path / "one.jsonl", [1.0])  # one line is one JSON document too
    assert len(fm.read_evaluation_log(one)) == 1


def test_large_ids_are_not_rounded(tmp_path):
    path = tmp_path / "x.jsonl"
    big = 2**53
    path.write_text("\n".join(json.dumps({"doc_id": big + k, "acc": 1}) for k in range(3)))
    assert fm.read_evaluation_log(path).items.tolist() == [str(big + k) for k in range(3)]


def test_filters_and_metrics_must_be_named(tmp_path):
    path = harness(tmp_path / "a.jsonl", [1, 0], metrics=["acc", "f1"], f1=0.25)
    with pytest.raises(ValueError, match=r"`score` must be named: .* has acc, f1"):
        fm.read_evaluation_log(path)
    assert fm.read_evaluation_log(path, score="f1").score.tolist() == [0.25, 0.25]
    lines = path.read_text() + "\n" + harness(tmp_path / "b.jsonl", [0, 0], filter="x").read_text()
    path.write_text(lines)
    with pytest.raises(ValueError, match=r"`filter` must be named: .* has none, x"):
        fm.read_evaluation_log(path, score="acc")
    assert fm.read_evaluation_log(path, score="acc", filter="x").score.tolist() == [0, 0]
    with pytest.raises(fm.FileError, match="no score 'bleu'; it has acc"):
        fm.read_evaluation_log(path, score="bleu", filter="x")


def test_errors_are_lower_for_the_better(tmp_path):
    path = harness(tmp_path / "a.jsonl", [1, 0], metrics=["perplexity"], perplexity=3.5)
    assert fm.read_evaluation_log(path).higher_is_better is False


@pytest.mark.parametrize("name", ["x.json", "x.eval"])
def test_logs_of_inspect(tmp_path, name):
    path = inspect_log(tmp_path / name, [["C", "I"], ["C", "C"], ["N", "P"], [True, 0.25]])
    log = fm.read_evaluation_log(path, group="topic")
    assert (log.models, log.metric) == (("maker/model",), "match")
    assert log.totals.tolist() == [[1.0, 2.0, 0.5, 1.25]]
    assert log.n_repeats.tolist() == [[2, 2, 2, 2]]
    assert log.group.tolist() == [0, 1, 0, 1]


def broken(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line: nothing was logged"),
        ('{"doc_id": 1, "acc": 1}\n{"doc_id": 2, "ac', "line 2 is no JSON"),
        ("[1]\n[2]", "line 1 is no object"),
        ('{"id": 1}', "no doc_id: no log of lm-evaluation-harness"),
        ('{"doc_id": 1, "acc": 1}\n{"doc_id": 2}', "line 2 has no 'acc'"),
        ('{"doc_id": 1, "acc": NaN}', "line 1 has a score that is not finite"),
        ('{"doc_id": 1, "metrics": ["acc"], "acc": [1, 2]}', "no number: a list"),
        ('{"doc_id": 1, "metrics": ["acc"], "acc": "good"}', "no number: 'good'"),
        ('{"doc_id": 1}', "nothing is measured in it"),
        ('{"eval": {}, "samples": []}', "no samples"),
        (
            '{"eval": {}, "samples": [{"id": 1, "error": {"m": 1}}]}',
            "no score .it ended with an error.",
        ),
        (
            '{"eval": {}, "samples": [{"id": 1, "scores": {"s": {"value": {"x": 1, "y": 0}}}}]}',
            "`score` must be named: .* has s/x, s/y",
        ),
    ],
)
def test_files_that_are_refused(tmp_path, text, message):
    with pytest.raises(ValueError, match=message) as raised:
        fm.read_evaluation_log(broken(tmp_path / "x.jsonl", text))
    assert "x.jsonl" in str(raised.value)


def test_fields_that_are_not_there(tmp_path):
    path = harness(tmp_path / "a.jsonl", [1, 0])
    with pytest.raises(fm.FileError, match="line 1 has no 'subject' in doc"):
        fm.read_evaluation_log(path, group="subject")
    with zipfile.ZipFile(tmp_path / "z.eval", "w") as archive:
        archive.writestr("x", "y")
    with pytest.raises(fm.FileError, match=r"a zip file without header\.json"):
        fm.read_evaluation_log(tmp_path / "z.eval")


def test_nobody_is_better_within_limits_that_hold_zero():
    """Where few items carry the error limits are wider than Student's, and the verdict knows."""
    first, second = [4] * 40 + [0] * 8, [4] * 44 + [0] * 4
    columns = [rows_of(first, 4), rows_of(second, 4)]
    joined = {name: columns[0][name] + columns[1][name] for name in columns[0]}
    log = fm.evaluation_log(**joined, model=["old"] * 192 + ["new"] * 192)
    found = fm.evaluate_log(log, pass_at=[4])
    (pair,) = found.comparisons["pass@4"].pairs
    assert pair.pvalue < 0.05
    assert pair.confidence_interval.low < 0.0 < pair.confidence_interval.high
    assert pair.better is None
    assert "is better" not in found.verdict.partition("pass@4")[2]
