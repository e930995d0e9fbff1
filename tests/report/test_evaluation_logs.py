"""Evaluations of items and repeats, against enumeration and against the formulas of one way."""

import itertools
import json
import struct
import sys
import zipfile
import zlib
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import fastmetrics as fm

RNG = np.random.default_rng(2)


def rows_of(successes, n):
    """Return the columns of items that succeed so often in n tries."""
    rows = {"item": [], "score": [], "repeat": []}
    for k, c in enumerate(successes):
        rows["item"] += [f"q{k}"] * n
        rows["score"] += [1] * c + [0] * (n - c)
        rows["repeat"] += range(n)
    return rows


def share_of_draws(c, n, k, wanted):
    """Return by enumeration the share of draws of k tries of which ``wanted`` holds."""
    draws = list(itertools.combinations([1] * c + [0] * (n - c), k))
    return Fraction(sum(bool(wanted(draw)) for draw in draws), len(draws))


@pytest.mark.parametrize("k", [1, 3, 6])
def test_pass_at_k_is_the_share_of_draws(k):
    successes = [0, 1, 2, 3, 5, 6]
    model = fm.evaluate_log(**rows_of(successes, 6), pass_at=k, pass_hat=[k])[0]
    for label, wanted in ((f"pass@{k}", any), (f"pass^{k}", all)):
        exact = sum(share_of_draws(c, 6, k, wanted) for c in successes) / len(successes)
        assert model[label].estimate == pytest.approx(float(exact), rel=1e-14)
    flips = sum(share_of_draws(c, 6, 2, lambda d: d[0] != d[1]) for c in successes) / 6
    assert model["flip_rate"].estimate == pytest.approx(float(flips), rel=1e-14)


def test_the_mean_has_students_interval_over_items():
    score = RNG.random((40, 3))
    item, tries = np.indices(score.shape)
    one = fm.evaluate_log(item.ravel(), score.ravel(), repeat=tries.ravel())[0]["score"]
    means = score.mean(axis=1)
    assert one.estimate == pytest.approx(means.mean(), rel=1e-14)
    assert one.standard_error == pytest.approx(means.std(ddof=1) / np.sqrt(40), rel=1e-12)
    assert one.df == pytest.approx(39)
    logit = np.log(one.estimate / (1 - one.estimate))
    half = stats.t.ppf(0.975, 39) * one.standard_error / (one.estimate * (1 - one.estimate))
    limits = 1 / (1 + np.exp(-(logit + np.array([-half, half]))))
    np.testing.assert_allclose(one.confidence_interval, limits, rtol=1e-9)


def test_items_tried_once_have_wilsons_interval():
    one = fm.evaluate_log(np.arange(30), np.arange(30) < 21)[0]["score"]
    assert one.method == "wilson"
    expected = stats.binomtest(21, 30).proportion_ci(method="wilson")
    np.testing.assert_allclose(one.confidence_interval, expected, rtol=1e-12)


def test_near_the_edge_the_limits_are_no_narrower_than_wilsons():
    one = fm.evaluate_log(**rows_of([0] * 48 + [1, 4], 5), pass_hat=3)[0]["pass^3"]
    assert one.method == "outer limits with wilson"
    n = 50 * one.estimate
    low, high = one.confidence_interval
    center = (n + 1.92073) / (50 + 3.84146)
    z = 1.959964
    half = z / (50 + z**2) * np.sqrt(n * (50 - n) / 50 + z**2 / 4)
    assert low <= center - half + 1e-5
    assert high >= center + half - 1e-5


def test_models_are_compared_item_by_item():
    score = RNG.random((2, 60, 2))
    score[1] = np.clip(score[0] - 0.05 + 0.02 * RNG.normal(size=(60, 2)), 0, 1)
    model, item, tries = np.indices(score.shape)
    rows = {"item": item.ravel(), "score": score.ravel(), "repeat": tries.ravel()}
    names = np.array(["a", "b"])[model.ravel()]
    result = fm.evaluate_log(**rows, model=names, higher_is_better=True)
    (pair,) = result.comparisons["score"].pairs
    expected = stats.ttest_rel(*score.mean(axis=2))
    assert pair.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    np.testing.assert_allclose(pair.confidence_interval, expected.confidence_interval(), rtol=1e-9)
    assert result.verdict == "a is better than b in score."
    assert "better" not in fm.evaluate_log(**rows, model=model.ravel()).verdict


def test_groups_of_items_are_what_varies():
    score = np.repeat(RNG.random(20), 5)
    rows = {"item": np.arange(100), "score": score, "group": np.arange(100) // 5}
    one = fm.evaluate_log(**rows)[0]["score"]
    assert one.n_groups == 20
    assert one.standard_error == pytest.approx(score[::5].std(ddof=1) / np.sqrt(20), rel=1e-12)


def test_items_that_are_not_there_for_all():
    rows = {"item": [1, 2, 3, 1, 2], "score": [1, 0, 1, 0, 1], "model": list("aaabb")}
    rows["group"] = [7, 8, 9, 7, 8]
    with pytest.raises(ValueError, match="1 of 3 items are not there for every model, 3 for one"):
        fm.evaluate_log(**rows)
    result = fm.evaluate_log(**rows, on_missing="intersect")
    assert result.n_samples == 2
    assert "1 items that not all models have" in result.notes[0]
    assert result["a"]["score"].estimate == 0.5
    with pytest.raises(ValueError, match="no item is there for every model"):
        fm.evaluate_log([1, 2], [1, 0], model=["a", "b"], on_missing="intersect")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"item": ["a", "a"]}, "`item` a is there more than once for model 'model'.*`repeat`"),
        ({"item": ["a", "a"], "repeat": [1, 1]}, "these are copies"),
        ({"item": [1.5, 2.5]}, "`item` must hold texts or whole numbers"),
        ({"name": 3}, "`name` must be a text"),
        ({"item": ["a", "a"], "repeat": [1, 2], "group": [1, 2]}, "same for all rows of an item"),
    ],
)
def test_columns_that_are_refused(change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        fm.evaluate_log(**({"item": ["a", "b"], "score": [0, 1]} | change))


def test_what_cannot_be_asked():
    rows = rows_of([1, 2], 3)
    with pytest.raises(ValueError, match="`pass_at` is at most the fewest repeats of an item, 3"):
        fm.evaluate_log(**rows, pass_at=4)
    with pytest.raises(ValueError, match="`pass_hat` must be at least 1"):
        fm.evaluate_log(**rows, pass_hat=[0])
    with pytest.raises(ValueError, match="scores must all be 0 or 1"):
        fm.evaluate_log([1, 2], [0.5, 1], pass_at=1)


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
    a = harness(tmp_path / "a.jsonl", [1.0, 0.0, 1.0])
    b = harness(tmp_path / "b.jsonl", [0, 0, 1])
    assert fm.read_evaluation_log([a, b], group="source.id") == {
        "model": list("aaabbb"),
        "item": list("012012"),
        "repeat": [1] * 6,
        "group": list("001001"),
        "score": [1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
        "name": "acc",
        "higher_is_better": None,
    }
    named = fm.read_evaluation_log({"new": a, "old": [b]})
    assert named["model"] == ["new"] * 3 + ["old"] * 3
    assert named["group"] is None
    one = harness(tmp_path / "one.jsonl", [1.0])  # one line is one JSON document too
    assert fm.read_evaluation_log(one)["score"] == [1.0]


def test_large_ids_are_not_rounded(tmp_path):
    path = tmp_path / "x.jsonl"
    big = 2**53
    path.write_text("\n".join(json.dumps({"doc_id": big + k, "acc": 1}) for k in range(3)))
    assert fm.read_evaluation_log(path)["item"] == [str(big + k) for k in range(3)]


def test_filters_and_metrics_must_be_named(tmp_path):
    path = harness(tmp_path / "a.jsonl", [1, 0], metrics=["acc", "f1"], f1=0.25)
    with pytest.raises(ValueError, match=r"`score` must be named: .* has acc, f1"):
        fm.read_evaluation_log(path)
    assert fm.read_evaluation_log(path, score="f1")["score"] == [0.25, 0.25]
    lines = path.read_text() + "\n" + harness(tmp_path / "b.jsonl", [0, 0], filter="x").read_text()
    path.write_text(lines)
    with pytest.raises(ValueError, match=r"`filter` must be named: .* has none, x"):
        fm.read_evaluation_log(path, score="acc")
    assert fm.read_evaluation_log(path, score="acc", filter="x")["score"] == [0, 0]
    with pytest.raises(fm.FileError, match="no score 'bleu'; it has acc"):
        fm.read_evaluation_log(path, score="bleu", filter="x")


def test_errors_are_lower_for_the_better(tmp_path):
    path = harness(tmp_path / "a.jsonl", [1, 0], metrics=["perplexity"], perplexity=3.5)
    assert fm.read_evaluation_log(path)["higher_is_better"] is False


@pytest.mark.parametrize("name", ["x.json", "x.eval"])
def test_logs_of_inspect(tmp_path, name):
    path = inspect_log(tmp_path / name, [["C", "I"], ["C", "C"], ["N", "P"], [True, 0.25]])
    rows = fm.read_evaluation_log(path, group="topic")
    assert (set(rows["model"]), rows["name"]) == ({"maker/model"}, "match")
    assert rows["score"] == [1.0, 0.0, 1.0, 1.0, 0.0, 0.5, 1.0, 0.25]
    assert rows["repeat"] == [1, 2] * 4
    assert rows["group"] == list("00110011")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line: nothing was logged"),
        ('{"doc_id": 1, "acc": 1}\n{"doc_id": 2, "ac', "line 2 is no JSON"),
        ("[1]\n[2]", "line 1 is a list, where an object belongs"),
        ('{"id": 1}', "no doc_id: no log of lm-evaluation-harness"),
        ('{"doc_id": 1, "acc": 1}\n{"doc_id": 2}', "line 2 has no 'acc'"),
        ('{"doc_id": 1, "acc": NaN}', "line 1 has a score that is not finite"),
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
        ('{"doc_id": 1, "acc": 1' + "0" * 400 + "}", "line 1 has a score that is not finite"),
        (
            '{"doc_id": 1' + "0" * 5000 + ', "acc": 1}',
            r"x\.jsonl: an integer in it has too many digits$",
        ),
        (
            '{"doc_id": 1, "acc": 1}\n{"doc_id": 1' + "0" * 5000 + "}",
            "line 2 is no JSON: an integer in it has too many digits$",
        ),
        ("[" * 10**5, "line 1 is nested too deep"),
        ('{"doc_id": 1, "acc": ' + "[" * 10**5, "line 1 is nested too deep"),
        ('{"doc_id": 1.5, "acc": 1}', "as doc_id a float, no text or integer"),
        ('{"doc_id": null, "acc": 1}', "line 1 has no doc_id"),
        ('{"doc_id": true, "acc": 1}', "as doc_id a bool"),
        ('{"doc_id": 1, "metrics": ["acc"], "acc": null}', "no number: null"),
        ('{"doc_id": 1, "metrics": ["acc"], "acc": "1_0"}', "no number: '1_0'"),
        ('{"doc_id": 1, "metrics": [["acc"], {}], "acc": 1}', "`score` must be named"),
        ('{"eval": [], "samples": {"a": 1}}', "its samples are a dict, where a list belongs"),
        ('{"eval": {}, "samples": [null]}', "sample 1 is null, where an object belongs"),
        ('{"eval": null, "samples": [{"id": 1, "scores": [1]}]}', "scores that are a list"),
        ('{"eval": {}, "samples": [{"scores": {"s": 1}}]}', "sample 1 has no id"),
        (
            '{"eval": {}, "samples": [{"id": 1, "epoch": "x", "scores": {"s": 1}}]}',
            "sample 1 has an epoch that is no whole number: a str",
        ),
        (
            '{"eval": {}, "samples": [{"id": 1, "epoch": 1' + "0" * 400 + ', "scores": {"s": 1}}]}',
            "sample 1 has an epoch that is no whole number",
        ),
        (
            '{"eval": {}, "samples": [{"id": 1, "scores": {"s": 1}}, '
            '{"id": 2, "scores": {"t": 1}}]}',
            "no score 's'; it has t",
        ),
    ],
)
def test_files_that_are_refused(tmp_path, text, message):
    (tmp_path / "x.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as raised:
        fm.read_evaluation_log(tmp_path / "x.jsonl")
    assert "x.jsonl" in str(raised.value)


def test_other_line_separators_do_not_end_a_line(tmp_path):
    path = tmp_path / "x.jsonl"
    lines = [{"doc_id": f"a{c}b", "acc": 1} for c in "\u2028\u2029\x85\x0b\x1c"]
    path.write_text("\r\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    assert fm.read_evaluation_log(path)["item"] == [line["doc_id"] for line in lines]


def zipped(path, members, compress=None):
    """Write a zip file by hand: `zipfile` knows no Zstandard before Python 3.14."""
    entries = b""
    data = b""
    for name, content in members.items():
        packed = content if compress is None else compress(content)
        method = 0 if compress is None else 93
        sizes = struct.pack("<III", zlib.crc32(content), len(packed), len(content))
        shared = struct.pack("<HHHHH", 20, 0, method, 0, 33) + sizes
        local = b"PK\3\4" + shared + struct.pack("<HH", len(name), 4) + name.encode() + b"\1\0\0\0"
        entries += (
            b"PK\1\2\x14\0" + shared + struct.pack("<HHHHHII", len(name), *([0] * 5), len(data))
        )
        entries += name.encode()
        data += local + packed
    count = struct.pack("<HHHHII", 0, 0, len(members), len(members), len(entries), len(data))
    path.write_bytes(data + entries + b"PK\5\6" + count + b"\0\0")
    return path


SAMPLE = {"id": "s", "epoch": 1, "scores": {"match": {"value": "C"}}}


def members(sample=SAMPLE, header=None):
    header = {"eval": {"model": "m"}} if header is None else header
    contents = {"header.json": header, "samples/s_epoch_1.json": sample}
    return {name: json.dumps(content).encode() for name, content in contents.items()}


def cut(path, kept):
    path.write_bytes(zipped(path, members()).read_bytes()[kept])


def test_zstandard_is_read_and_without_pyarrow_it_is_said_what_to_do(tmp_path, monkeypatch):
    path = zipped(tmp_path / "x.eval", members(), partial(pa.compress, codec="zstd", asbytes=True))
    rows = fm.read_evaluation_log(path)
    assert (rows["model"], rows["item"], rows["score"]) == (["m"], ["s"], [1.0])
    monkeypatch.delattr(zipfile, "ZIP_ZSTANDARD", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    pattern = r"x\.eval: compressed with Zstandard, .* `inspect log conv"
    with pytest.raises(fm.FileError, match=pattern):
        fm.read_evaluation_log(path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: zipped(path, members([1])), "samples/s_epoch_1.json is a list"),
        (lambda path: zipped(path, members(None)), "samples/s_epoch_1.json is null"),
        (lambda path: zipped(path, members(header=[])), "header.json is a list"),
        (lambda path: zipped(path, members(), lambda data: data), "damaged"),
        (lambda path: zipped(path, {"header.json": b"{"}), "header.json is no JSON"),
        (lambda path: zipped(path, {"header.json": b"{}"}), "no samples"),
        (lambda path: path.write_bytes(b"PK\3\4"), "a damaged zip file"),
        (lambda path: cut(path, slice(-30)), "a damaged zip"),
        (lambda path: cut(path, slice(60, None)), "no text in UTF-8|no JSON"),
    ],
)
def test_damaged_zip_files(tmp_path, make, message):
    make(tmp_path / "x.eval")
    with pytest.raises(fm.FileError, match=message) as raised:
        fm.read_evaluation_log(tmp_path / "x.eval")
    assert "x.eval: " in str(raised.value)


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
    columns = [rows_of([4] * 40 + [0] * 8, 4), rows_of([4] * 44 + [0] * 4, 4)]
    joined = {name: columns[0][name] + columns[1][name] for name in columns[0]}
    result = fm.evaluate_log(**joined, model=["old"] * 192 + ["new"] * 192, pass_at=[4])
    (pair,) = result.comparisons["pass@4"].pairs
    assert pair.pvalue < 0.05
    assert pair.confidence_interval.low < 0.0 < pair.confidence_interval.high
    assert pair.better is None
    assert "is better" not in result.verdict.partition("pass@4")[2]
