"""`fastmetrics evaluate` with a bootstrap, of counts, and in the memory that is given."""

import io
import json
import os
import signal
import sys
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import engine_sizes
from commands import captured, error_of, output_of
from evaluations import are_close, without_rows
from fastmetrics import estimate, evaluate
from processes import environment, started

N = 240  # rows of `x.parquet`, see conftest.py
ONE = ("evaluate", "x.parquet", "--label", "y", "--score", "a")
BOTH = (*ONE, "--score", "b")
QUICK = ("--bootstrap", 99, "--seed", 7)


@pytest.mark.parametrize(
    ("models", "options", "given"),
    [
        (BOTH, "", {}),
        (ONE, "--method basic", {"method": "basic"}),
        (BOTH, "--confidence-level 0.8", {"confidence_level": 0.8}),
        (ONE, "--stratified", {"stratified": True}),
        (BOTH, "--groups name", {"groups": "name"}),
        (ONE, "--groups half --weight w", {"groups": "half", "sample_weight": "w"}),
        (BOTH, "--metrics f1 rank_loss --threshold 0.5", {"metrics": ["f1", "rank_loss"]}),
    ],
    ids=str,
)
def test_json_is_what_python_returns(scored, columns, capsys, options, given, models):
    given = {k: columns.get(v, v) if isinstance(v, str) else v for k, v in given.items()}
    if "metrics" in given:
        given["threshold"] = 0.5
    output = json.loads(output_of(capsys, *models, *QUICK, *options.split(), "--format", "json"))
    scores = {name: columns[name] for name in models[5::2]}
    expected = evaluate(columns["y"], scores, n_resamples=99, rng=7, **given)
    assert [output.pop(key) for key in ("schema_version", "n_rows", "n_skipped")] == [1, N, 0]
    assert output == expected.to_dict()
    assert ("differences" in output) is (models is BOTH)


@pytest.mark.parametrize("models", [ONE, BOTH])
def test_csv_has_the_rows_of_the_data_frame(scored, columns, capsys, models):
    text = output_of(capsys, *models, *QUICK, "--groups", "user", "--format", "csv")
    scores = {name: columns[name] for name in models[5::2]}
    expected = evaluate(columns["y"], scores, n_resamples=99, rng=7, groups=columns["user"])
    frame = expected.to_frame("pandas").fillna(np.nan)
    table = pd.read_csv(io.StringIO(text))
    pd.testing.assert_frame_equal(table, frame, check_dtype=False, rtol=1e-14)


def cells(line):
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_markdown(scored, columns, capsys):
    text = output_of(capsys, *BOTH, *QUICK, "--format", "markdown", "--verbose")
    _, tables = text.split("\n\n|", 1)
    metrics, differences, *_ = f"|{tables}".split("\n\n")
    rows = {cells(line)[0]: cells(line)[1:] for line in metrics.splitlines()}
    model = evaluate(columns["y"], columns["a"], n_resamples=9)[0]
    assert rows["[95 % interval]"] == ["a", "b"]
    assert rows["n+"] == [str(model.n_positive)] * 2
    assert rows["AUC ↑"][0].startswith(f"{model.roc_auc:.4f} [0.")
    assert {"TPR at it ↑", "FPR at it ↓"} < rows.keys()
    note = model.bootstrap["fpr_at_best_threshold"].note
    sentence = f"TPR at the best threshold, FPR at the best threshold: {note}."
    assert " ".join(text.split()).count(sentence) == 1
    lines = differences.splitlines()
    assert cells(lines[0]) == ["a − b", "estimate [95 % interval]", "p", "better"]
    assert len(lines) == 2 + 6
    assert "95 % intervals: BCa (AUC, average precision)" in text


def shown_p(p):
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


@pytest.mark.parametrize("width", [40, 200])
def test_the_table_fits_the_terminal_and_loses_nothing(scored, columns, capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    out = output_of(capsys, *BOTH, "--score", "p", *QUICK, "--verbose")
    assert max(map(len, out.splitlines())) <= width
    scores = {name: columns[name] for name in "abp"}
    expected = evaluate(columns["y"], scores, n_resamples=99, rng=7)
    text = " ".join(out.split())
    for model in expected:
        for result in model.bootstrap.values():
            assert f"{result.estimate:.4f}" in text
            low, high = result.confidence_interval.low, result.confidence_interval.high
            assert f"[{low:.4f}, {high:.4f}]".replace("-", "−") in text
    for pairs in expected.comparisons.values():
        for pair in pairs:
            low, high = pair.confidence_interval.low, pair.confidence_interval.high
            assert f"[{low:.4f}, {high:.4f}]".replace("-", "−") in text
            assert shown_p(pair.pvalue) in text
            assert shown_p(pair.pvalue_adjusted) in text
    assert expected.bootstrap.key in text
    assert "is re-chosen in every resample" in text


def test_the_method_is_told_and_whose_is_another(scored, capsys):
    def first_caption(*options):
        out = output_of(capsys, *BOTH, *QUICK, *options, "--verbose")
        return " ".join(out[out.index("Bootstrap: ") :].split()), out

    caption, out = first_caption()
    assert caption.startswith("Bootstrap: 99 resamples of rows; --seed")
    assert "95 % intervals: BCa (AUC, average precision); percentile (break-even" in out
    caption, out = first_caption("--stratified", "--method", "basic")
    assert caption.startswith("Bootstrap: 99 resamples of rows of each class; --seed")
    assert "Intervals of differences: basic bootstrap (AUC, " in out
    caption, out = first_caption("--groups", "user", "--metrics", "f1", "--threshold", 0)
    assert caption.startswith("Bootstrap: 99 resamples of 80 groups, each as a whole; --seed")
    assert "Intervals of differences: basic bootstrap (AUC, F1)" in out


def test_many_models_show_the_differences_of_the_auc(scored, columns, capsys):
    names = [f"model_with_a_rather_long_name_{i}" for i in range(6)]
    scores = {name: columns["b"] + i * columns["p"] for i, name in enumerate(names)}
    pq.write_table(pa.table({"y": columns["y"]} | scores), "x.parquet")
    models = [part for name in names for part in ("--score", name)]
    command = (*ONE[:4], *models, "--bootstrap", 19, "--seed", 0)
    assert "--verbose adds 60 rows" in captured(capsys, *command).out
    out = captured(capsys, *command, "--verbose").out
    assert max(map(len, out.splitlines())) <= 100
    assert "p is adjusted for the 15 pairs of a metric by Holm's method (max-T: KS)." in out
    assert "… 60 rows more: --format csv has all." in out


def test_the_same_seed_or_key_gives_the_same_bits_on_any_number_of_threads(scored, capsys):
    options = (*BOTH, "--bootstrap", 49, "--format", "json")
    first = output_of(capsys, *options, "--seed", 5)
    assert output_of(capsys, *options, "--seed", 5, "--threads", 3) == first
    key = json.loads(first)["bootstrap"]["key"]
    assert output_of(capsys, *options, "--seed", key) == first
    assert output_of(capsys, *options, "--seed", key.upper()) == first
    assert output_of(capsys, *options, "--seed", 6) != first
    assert output_of(capsys, *options) != output_of(capsys, *options)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_text_groups_are_those_of_the_numbers_whatever_the_order(scored, columns, capsys, kind):
    words = [f"user {user:04d}" for user in columns["user"]]
    table = pa.table(
        {"y": columns["y"], "a": columns["a"], "user": columns["user"], "words": words}
    ).take(np.random.default_rng(0).permutation(N))
    path = f"x.{kind}"
    if kind == "csv":
        pa.csv.write_csv(table, path)
    else:
        pq.write_table(table, path, row_group_size=7)
    outputs = []
    for groups in ("user", "words"):
        options = (*QUICK, "--groups", groups, "--format", "json")
        outputs.append(captured(capsys, "evaluate", path, *ONE[2:], *options).out)
    assert outputs[0] == outputs[1]
    # Sums over the rows of a group, of which KS has its limits, are rounded in the rows' order.
    rounded = partial(json.loads, parse_float=lambda text: float(f"{float(text):.13g}"))
    whole = rounded(output_of(capsys, *ONE, *QUICK, "--groups", "user", "--format", "json"))
    assert whole["models"] == rounded(outputs[0])["models"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f1", "f1"),
        (
            "recall_at_false_positive_rate:false_positive_rate=0.05",
            ("recall_at_false_positive_rate", {"false_positive_rate": 0.05}),
        ),
        (
            "partial_auc:false_positive_rate_range=0,0.1",
            ("partial_auc", {"false_positive_rate_range": (0, 0.1)}),
        ),
        ("cost:cost_fn=5:cost_fp=1", ("cost", {"cost_fn": 5, "cost_fp": 1})),
        ("partial_auc:standardized=False", ("partial_auc", {"standardized": False})),
        ("cohen_kappa:weights=none", ("cohen_kappa", {"weights": None})),
    ],
)
def test_metrics_as_they_are_written(scored, columns, capsys, text, expected):
    options = ("--metrics", text, "--threshold", 0.5, "--format", "json")
    estimates = json.loads(output_of(capsys, *ONE, *QUICK, *options))["models"][0]["bootstrap"]
    own = estimate(columns["y"], columns["a"], metrics={text: expected}, threshold=0.5)
    assert estimates[text]["estimate"] == pytest.approx(own[text].estimate, rel=1e-14)


ERRORS = {
    "one resample": ((*ONE, "--bootstrap", 1), "--bootstrap must be at least 2: got 1"),
    "too many": ((*ONE, "--bootstrap", 10**9), "--bootstrap of 1,000,000,000 would keep 48 GB"),
    "method": ((*ONE, *QUICK, "--method", "t"), "argument --method: invalid choice: 't'"),
    "seed": ((*ONE, "--bootstrap", 9, "--seed", "-1"), "argument --seed: must be an integer of"),
    "key": ((*ONE, "--bootstrap", 9, "--seed", "12ab"), "or a key of 16 hexadecimal digits: got"),
    "bca of what jumps": (
        (*ONE, *QUICK, "--method", "bca"),
        "--method bca is not defined for 'break_even_point', which jumps from score to score",
    ),
    "stratified groups": (
        (*ONE, *QUICK, "--groups", "user", "--stratified"),
        "--stratified and --groups exclude each other",
    ),
    "metric twice": ((*ONE, *QUICK, "--metrics", "f1", "f1"), "--metrics names 'f1' more than"),
    "no value": ((*ONE, *QUICK, "--metrics", "cost:cost_fn"), "'cost_fn' is no parameter with its"),
    "no threshold": ((*ONE, *QUICK, "--metrics", "f1"), "'f1' counts decisions: pass --threshold"),
    "no probabilities, two models": (
        (*BOTH, *QUICK, "--metrics", "log_loss"),
        "column 'a' must lie in [0, 1]: from -",
    ),
    "groups are scores": ((*ONE, *QUICK, "--groups", "a"), "column 'a' is named 2 times"),
    **{
        option[0]: ((*ONE, *option), f"{option[0]} is of the bootstrap: pass --bootstrap with it")
        for option in (("--method", "bca"), ("--stratified",), ("--seed", 0))
    },
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case, scored, capsys):
    options, message = ERRORS[case]
    assert message in error_of(capsys, *options)


def test_wrong_options_are_told_before_the_files_are_read(scored, capsys):
    (scored / "x.parquet").unlink()
    for case in ("one resample", "stratified groups", "no threshold"):
        options, message = ERRORS[case]
        assert message in error_of(capsys, *options)


def test_the_row_of_a_null_group(scored, capsys):
    assert error_of(capsys, *ONE, *QUICK, "--groups", "absent").endswith("contains 1 null: row 7")
    (scored / "x.csv").write_text("y,a,g\n1,2,4\n0,1,\n")
    message = error_of(capsys, "evaluate", "x.csv", *ONE[2:], "--bootstrap", 9, "--groups", "g")
    assert message == "x.csv: column 'g' contains 1 null: row 2"
    options = (*ONE, *QUICK, "--groups", "absent", "--on-bad-row", "skip", "--format", "json")
    out, err = captured(capsys, *options)
    assert err == "fastmetrics: note: 1 bad row skipped, 239 evaluated\n"
    assert json.loads(out)["bootstrap"]["n_groups"] == 239


def test_warnings_are_one_line_a_kind(scored, columns, capsys):
    lines = captured(capsys, *ONE, "--score", "perfect", *QUICK).err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("fastmetrics: warning: bootstrap: the interval of 'roc_auc' is deg")
    assert lines[0].endswith(
        "(the same: 'average_precision', 'break_even_point', 'ks_statistic', "
        "'tpr_at_best_threshold', 'fpr_at_best_threshold')"
    )
    assert lines[1].startswith("fastmetrics: note: model 'perfect': no sound bootstrap interval of")
    err = captured(capsys, *ONE[:5], "perfect", *QUICK, "--metrics", "roc_auc").err
    assert err.startswith("fastmetrics: warning: model 'perfect': the interval")


@pytest.mark.parametrize("output", ["table", "json"])
def test_one_class_is_told_once_and_not_resampled(scored, columns, capsys, output):
    pq.write_table(pa.table(columns | {"y": np.ones(N, np.int8)}), "x.parquet")
    out, err = captured(capsys, *ONE, *QUICK, "--format", output)
    assert err.startswith("fastmetrics: warning: model 'a': one class only")
    assert err.count("\n") == 1
    assert "resamples" not in out
    if output == "json":
        assert "bootstrap" not in json.loads(out)


MANY = 150_000
COLUMNS = ("normal", "tied", "single", "whole", "constant", "saturated", "sorted")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with files of several kinds of scores."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(7)
    y = (rng.random(MANY) < 0.3).astype(np.int8)
    normal = rng.normal(size=MANY) + y
    scores = {
        "normal": normal,
        "tied": np.round(normal, 1),
        "single": normal.astype(np.float32),
        "whole": (1000 * normal).astype(np.int64),
        "constant": np.full(MANY, 0.5),
        "saturated": 1 / (1 + np.exp(-40 * normal)),
        "sorted": np.sort(normal),
    }
    table = pa.table(
        {
            "y": y,
            **scores,
            "one": np.ones(MANY, np.int8),
            "word": np.where(y, "sick", "well"),
            "three": np.where(np.arange(MANY) < MANY - 1, y, 2),
            "count": rng.integers(0, 4, MANY),
            "share": rng.random(MANY),
            "gap": pa.array([None if i == MANY - 2 else float(i) for i in range(MANY)]),
        }
    )
    pq.write_table(table, folder / "x.parquet", row_group_size=50_000)
    pa.csv.write_csv(table, folder / "x.csv")
    pq.write_table(table.slice(0, 0), folder / "none.parquet")
    return folder


LOOKED_UP = ("roc_auc", "average_precision", "brier_score", "log_loss")
DECIDED = "--metrics f1 accuracy npv expected_cost:cost_fp=2:cost_fn=1 --threshold 0.5".split()


@pytest.fixture
def little(monkeypatch):
    """Give the rows so little memory that nearly all of them are spilled."""
    engine_sizes.put(monkeypatch, files_memory=lambda total, options: 1 << 20)


def in_both(capsys, *arguments, spill_dir, code=0):
    """Return output and errors with all rows in memory, and in the memory that is given."""
    memory = ("--memory", "100GB", "--spill-dir", spill_dir)
    command = ("evaluate", *arguments)
    with pytest.MonkeyPatch.context() as patch:
        engine_sizes.put(patch, files_loaded=lambda options: "all rows are loaded")
        whole = captured(capsys, *command, code=code)
    return [whole, captured(capsys, *command, *memory, code=code)]


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("kind", ["parquet", pytest.param("csv", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    "options",
    [
        ["--label", "y"],
        ["--label", "word", "--pos-label", "sick"],
        ["--label", "y", "--pos-label", "0"],
        ["--label", "y", "--where", "tied > 0 AND normal < 2"],
        ["--label", "y", "--weight", "count", "--weights-are", "frequencies"],
        ["--label", "one"],
        ["--label", "y", "--on-bad-row", "skip", "--score", "gap"],
        ["--label", "y", *DECIDED],
        ["--label", "one", *DECIDED, "--weight", "count", "--weights-are", "frequencies"],
    ],
    ids=lambda options: "-".join(options[1:]),
)
def test_the_figures_are_those_of_all_rows_in_memory(files, tmp_path, capsys, kind, options):
    scores = [each for name in COLUMNS for each in ("--score", name)]
    arguments = [files / f"x.{kind}", *options, *scores, "--format", "json"]
    whole, bounded = in_both(capsys, *arguments, spill_dir=tmp_path)
    assert whole.err == bounded.err
    expected = json.loads(whole.out)
    actual = json.loads(bounded.out)
    for theirs, ours in zip(expected["models"], actual["models"], strict=True):
        if theirs["average_precision"] is not None:
            precise = theirs.pop("average_precision")
            assert ours.pop("average_precision") == pytest.approx(precise, rel=1e-13)
    assert are_close(without_rows(actual), without_rows(expected))
    assert list(tmp_path.iterdir()) == []
    for metric, pairs in (expected.get("differences") or {}).items():
        for theirs, ours in zip(pairs, actual["differences"][metric], strict=True):
            if metric not in LOOKED_UP:  # counted, not looked up
                for each in (ours, theirs):  # two models decide alike: a singular covariance
                    del each["pvalue_adjusted"]
                assert are_close(ours, theirs)
                continue
            assert ours["estimate"] == pytest.approx(theirs["estimate"], abs=1e-12)
            near = {"rel": 1e-9} if is_exact(ours) else {"rel": 2e-3, "abs": 1e-6}
            assert ours["standard_error"] == pytest.approx(theirs["standard_error"], **near)
            assert ours["standard_error"] >= theirs["standard_error"] * (1.0 - 1e-12)
            assert ours["better"] in (theirs["better"], None)
            if is_exact(ours) or theirs["standard_error"] > 1e-4:
                assert ours["better"] == theirs["better"]


@pytest.mark.usefixtures("little")
def test_metrics_of_one_model_by_sums_over_ranges(files, tmp_path, capsys):
    metrics = ["--metrics", "rank_loss", "gini_coefficient", "ks_statistic", "brier_score"]
    arguments = [files / "x.parquet", *"--label y --score saturated --format json".split()]
    whole, bounded = in_both(capsys, *arguments, *metrics, spill_dir=tmp_path)
    assert whole.err == bounded.err
    assert are_close(json.loads(bounded.out), json.loads(whole.out))


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """Return a file with slices: small ones, of one class, of the rows of another one."""
    rng = np.random.default_rng(11)
    n = 20_000
    y = (rng.random(n) < 0.3).astype(np.int8)
    city = rng.choice(["Oslo", "Bergen", "Å", "Tromsø"], n, p=[0.5, 0.3, 0.199, 0.001])
    a = rng.normal(size=n) + y - (city == "Bergen") * y
    columns = {
        "y": y,
        "a": a.astype(np.float32),
        "b": np.round(a, 1) + rng.integers(0, 2, n),
        "city": city,
        "zone": np.where(city == "Oslo", 1.5, 2.25),
        "age": rng.integers(0, 3, n) * 10,
        "sick": y == 1,
    }
    path = tmp_path_factory.mktemp("visits") / "x.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=3_000)
    return path


@pytest.mark.parametrize(
    "options",
    [
        "--slice city --slice zone --slice age",
        "--slice sick --slice city --min-n 10 --metrics gini_coefficient average_precision",
    ],
)
def test_slices_are_those_of_rows_in_memory(visits, tmp_path, capsys, monkeypatch, options):
    engine_sizes.put(monkeypatch, files_kept=1_000)
    one = "--score a --metrics" if "--metrics" in options else "--score a --score b"
    options = options.replace("--metrics", one) if "--metrics" in options else f"{options} {one}"
    arguments = [visits, "--label", "y", *options.split(), "--format", "json"]
    whole, bounded = in_both(capsys, *arguments, spill_dir=tmp_path)
    assert whole.err == bounded.err
    expected, actual = (json.loads(each.out)["slices"] for each in (whole, bounded))
    assert len(expected["rows"]) > 8
    assert are_close(actual, expected)


def test_slices_that_do_not_fit_or_do_not_exist(visits, capsys, monkeypatch):
    engine_sizes.put(monkeypatch, files_kept=1_000, files_memory=lambda total, options: 1 << 20)
    command = ["evaluate", visits, *"--label y --score a --slice city".split()]
    error = error_of(capsys, *command, "--memory", "1GB")
    assert "--memory 1GB is too little for so many slices" in error
    loaded = captured(capsys, *command)
    engine_sizes.put(monkeypatch, files_memory=lambda total, options: 1 << 30)
    assert captured(capsys, *command).out == loaded.out
    assert "no slice has 99999 rows" in error_of(capsys, *command, "--min-n", "99999")


def is_exact(pair):
    """Return whether both models have so few scores that each of them is looked up by itself."""
    return {pair["a"], pair["b"]} <= {"tied", "whole", "constant"}


def differences(capsys, path, *names, spill_dir):
    scores = [each for name in names for each in ("--score", name)]
    arguments = [path, "--label", "y", *scores, "--format", "json"]
    whole, bounded = in_both(capsys, *arguments, spill_dir=spill_dir)
    assert whole.err == bounded.err
    return [json.loads(each.out) for each in (whole, bounded)]


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(
    ("n_cells", "names", "n_metrics"),
    [(2, ("normal", "tied", "single"), 2), (64, ("saturated", "constant"), 4)],
)
def test_coarse_cells_are_in_the_interval(
    files, tmp_path, capsys, monkeypatch, n_cells, names, n_metrics
):
    """Omissions of a lookup make the limits wider, never narrower."""
    engine_sizes.put(monkeypatch, files_cells=n_cells)
    whole, bounded = differences(capsys, files / "x.parquet", *names, spill_dir=tmp_path)
    assert len(bounded["differences"]) == n_metrics
    for metric, pairs in whole["differences"].items():
        for one, other in zip(pairs, bounded["differences"][metric], strict=True):
            assert other["estimate"] == pytest.approx(one["estimate"], abs=1e-12)
            assert other["standard_error"] > one["standard_error"]
            inner, outer = (each["confidence_interval"] for each in (one, other))
            assert outer["low"] < inner["low"] < inner["high"] < outer["high"]


@pytest.mark.usefixtures("little")
def test_equal_columns_cannot_be_told_apart(tmp_path, capsys):
    rng = np.random.default_rng(4)
    y = (rng.random(MANY) < 0.3).astype(np.int8)
    table = pa.table({"y": y, "a": rng.normal(size=MANY) + y})
    pq.write_table(table.append_column("b", table["a"]), tmp_path / "x.parquet")
    whole, bounded = differences(capsys, tmp_path / "x.parquet", *"ab", spill_dir=tmp_path)
    assert "No significant difference" in whole["verdict"]
    assert bounded["verdict"] == whole["verdict"]
    assert bounded["differences"]["roc_auc"][0]["confidence_interval"]["low"] < -1e-5


@pytest.mark.usefixtures("little")
def test_what_differs_inside_cells_alone_is_not_shown(tmp_path, capsys, monkeypatch):
    engine_sizes.put(monkeypatch, files_cells=64)
    rng = np.random.default_rng(4)
    y = (rng.random(MANY) < 0.3).astype(np.int8)
    normal = rng.normal(size=MANY) + y
    other = normal.copy()
    first, second = np.argsort(normal)[MANY // 2 : MANY // 2 + 2]
    y[[first, second]] = 0, 1
    other[[first, second]] = normal[[second, first]]
    pq.write_table(pa.table({"y": y, "a": normal, "b": other}), tmp_path / "x.parquet")
    _, bounded = differences(capsys, tmp_path / "x.parquet", *"ab", spill_dir=tmp_path)
    pair = bounded["differences"]["roc_auc"][0]
    assert pair["estimate"] > 0.0
    assert pair["pvalue"] > 0.1
    assert pair["better"] is None
    assert pair["confidence_interval"]["low"] < 0.0 < pair["confidence_interval"]["high"]


@pytest.mark.usefixtures("little")
def test_files_that_change_between_the_two_readings(files, tmp_path, capsys, monkeypatch):
    path = tmp_path / "x.parquet"
    pq.write_table(pq.read_table(files / "x.parquet"), path)
    engine_sizes.noted(
        monkeypatch,
        "reading of files",
        then=lambda: pq.write_table(pq.read_table(path).slice(1), path),
    )
    options = "--label y --score normal --score tied --memory 1GB".split()
    error = error_of(capsys, "evaluate", path, *options, "--spill-dir", tmp_path)
    assert "the files changed while they were read, which is done twice to compare models" in error


def test_nothing_is_spilled_where_all_fits(files, tmp_path, capsys, monkeypatch):
    spilled = engine_sizes.noted(monkeypatch, "spilling")
    arguments = [files / "x.parquet", "--label", "y", "--score", "normal", "--format", "json"]
    whole, bounded = in_both(capsys, *arguments, spill_dir=tmp_path)
    both = (without_rows(json.loads(each.out)) for each in (bounded, whole))
    assert are_close(*both)
    assert not spilled


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(
    "options",
    [
        ["--label", "three", "--score", "normal"],
        ["--label", "word", "--score", "normal"],
        ["--label", "word", "--score", "normal", "--pos-label", "ill"],
        ["--label", "y", "--score", "normal", "--pos-label", "7"],
        ["--label", "y", "--score", "gap"],
        ["--label", "y", "--score", "word"],
        ["--label", "y", "--score", "absent"],
        ["--label", "y", "--score", "normal", "--where", "tied > 99"],
    ],
    ids=lambda options: "-".join(options[1:]),
)
@pytest.mark.parametrize("kind", [pytest.param("parquet", marks=pytest.mark.exhaustive), "csv"])
def test_faults_are_told_alike(files, tmp_path, capsys, kind, options):
    whole, bounded = in_both(capsys, files / f"x.{kind}", *options, spill_dir=tmp_path, code=2)
    assert bounded == whole
    assert list(tmp_path.iterdir()) == []


WEIGHED = "--label y --score s --weight w --weights-are frequencies".split()


def test_weights_of_nothing(tmp_path, capsys):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"y": [0, 1], "s": [0.1, 0.2], "w": [0, 0]}), path)
    whole, bounded = in_both(capsys, path, *WEIGHED, spill_dir=tmp_path, code=2)
    assert "column 'w' must not be all zero" in whole.err
    assert bounded == whole


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(("weight", "rule"), [(-1.0, "not be negative"), (1.5, "hold whole")])
def test_a_bad_weight_has_its_place_among_all_rows(tmp_path, capsys, weight, rule):
    n = 140_000  # more than a batch
    weights = np.where(np.arange(n) == n - 2, weight, 1.0)
    table = pa.table({"y": np.arange(n) % 2, "s": np.arange(n), "w": weights})
    path = tmp_path / "x.parquet"
    pq.write_table(table, path)
    whole, bounded = in_both(capsys, path, *WEIGHED, spill_dir=tmp_path, code=2)
    assert f"column 'w' must {rule}" in whole.err
    assert bounded.out == whole.out
    assert f"column 'w' must {rule}" in bounded.err
    assert bounded.err.endswith("at index 8926, 1 in all, of the rows from 131,072 on\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bootstrap", "99"], "--bootstrap needs all rows in memory"),
        (["--prevalence", "0.1"], "--prevalence needs all rows in memory"),
        (["--metrics", "pr_auc"], "--metrics pr_auc needs all rows in memory"),
        (["--metrics", "f1"], "--metrics f1 needs all rows in memory"),
        (["--threshold", "0.5"], "--threshold needs all rows in memory"),
        (["--slice", "count", "--metrics", "log_loss"], "--metrics with --slice needs all"),
        (["--slice", "count", "--intersections", "2"], "or --intersections needs all"),
        (["--memory", "much"], "--memory must be a size such as '1GB'"),
        (["--memory", "99999999999GB"], "--memory must be at most 1,152,921,504,606,846,976 bytes"),
        (["--memory", "387MB"], "too little for 1 model: give at least 388 MB"),
        (["--memory", "349MB", "--score", "rounded"], "for 2 models: give at least 413 MB"),
        (["--spill-dir", ""], "--spill-dir is an empty text: name a folder"),
        (["--spill-dir", "/nowhere"], "--spill-dir '/nowhere' cannot be used: No such file"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(files, capsys, options, message):
    command = ["evaluate", files / "x.parquet", *"--label y --score normal".split()]
    assert message in error_of(capsys, *command, "--memory", "100GB", *options)


@pytest.mark.usefixtures("little")
def test_without_memory_half_of_what_is_free_is_taken(files, tmp_path, capsys):
    command = ["evaluate", files / "x.parquet", *"--label y --score normal --score tied".split()]
    outputs = [
        captured(capsys, *command, *more)
        for more in ([], ["--spill-dir", tmp_path], ["--memory", "1GB"])
    ]
    assert outputs[0] == outputs[1] == outputs[2]


def test_half_of_what_a_control_group_leaves(files, tmp_path, capsys, monkeypatch):
    for name, text in {"max": "3000000\n", "current": "1500000\n"}.items():
        (tmp_path / f"memory.{name}").write_text(text)
    (tmp_path / "memory.stat").write_text("anon 900000\ninactive_file 500000\n")
    (tmp_path / "none").write_text("max\n")
    groups = [(tmp_path, name, "memory.current") for name in ("none", "absent", "memory.max")]
    seen = []
    engine_sizes.put(
        monkeypatch,
        files_groups=groups,
        files_memory=lambda total, options: seen.append(total) or 1 << 20,
    )
    command = ["evaluate", files / "x.parquet", *"--label y --score normal".split()]
    assert captured(capsys, *command).err == ""
    assert seen == [1_000_000]


PROGRAM = """
import os, resource, sys
from fastmetrics.cli import main
if sys.argv[1] in ("full", "slow"):
    import engine_sizes, pytest
    patch = pytest.MonkeyPatch()
    engine_sizes.put(patch, files_memory=lambda total, options: 1 << 20)
if sys.argv[1] == "full":
    sys.dont_write_bytecode = True  # Python 3.11 would keep half a module
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
if sys.argv[1] == "many":
    os.sched_getaffinity, os.cpu_count = lambda process: set(range(32)), lambda: 32
if sys.argv[1] == "limited":
    resource.setrlimit(resource.RLIMIT_AS, (15 * 10**8, 15 * 10**8))
if sys.argv[1] == "slow":
    engine_sizes.noted(patch, "taking of rows", then=lambda: print("taken", flush=True))
status = main(["evaluate", *sys.argv[2:]])
lines = open("/proc/self/status").read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")), flush=True)
os._exit(status)  # as the program does after an interrupt
"""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits of Linux")


def program(how, *arguments, **more):
    return started("-c", PROGRAM, how, *map(str, arguments), env=environment(**more))


@LINUX
def test_a_full_disk_is_told(files, tmp_path):
    arguments = ["--label", "y", "--score", "normal", "--memory", "1GB", "--spill-dir", tmp_path]
    process = program("full", files / "x.parquet", files / "x.csv", *arguments)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "no room in --spill-dir" in err
    assert list(tmp_path.iterdir()) == []


@LINUX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_by_a_signal(files, tmp_path, number):
    arguments = ["--label", "y", *(each for name in COLUMNS for each in ("--score", name))]
    process = program(
        "slow", files / "x.csv", *arguments, "--memory", "1GB", "--spill-dir", tmp_path
    )
    assert process.stdout.readline() == "taken\n"
    os.kill(process.pid, number)
    process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert list(tmp_path.iterdir()) == []


@LINUX
def test_the_least_memory_is_always_enough_and_respected(tmp_path):
    """Whatever the process has loaded, and however many processors there are."""
    rng = np.random.default_rng(3)
    path = tmp_path / "large.parquet"
    y = (rng.random(4_000_000) < 0.5).astype(np.int8)
    scores = {name: rng.normal(size=len(y)) + y for name in ("s", "t")}
    pq.write_table(pa.table({"y": y, **scores}), path)
    arguments = [path, "--label", "y", "--score", "s", "--spill-dir", tmp_path]
    for more, memory in (([], "388MB"), (["--score", "t"], "413MB")):
        process = program("many", *arguments, *more, "--memory", memory)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert int(out.split()[-1]) * 1024 < int(memory[:3]) * 10**6
    process = program("many", *arguments, "--memory", "387MB")
    assert "give at least 388 MB" in process.communicate(timeout=60)[1]


@LINUX
@pytest.mark.large
def test_memory_is_respected(tmp_path):
    """A file whose rows take 700 MB if they are loaded, evaluated in 400 MB."""
    rng = np.random.default_rng(3)
    path = tmp_path / "large.parquet"
    schema = pa.schema({"y": pa.int8(), "s": pa.float64()})
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(15):
            y = (rng.random(1_000_000) < 0.5).astype(np.int8)
            writer.write_table(pa.table({"y": y, "s": rng.normal(size=len(y)) + y}, schema))
    arguments = [path, "--label", "y", "--score", "s", "--format", "json", "--threads", "2"]
    few = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "4"}
    taken = []
    figures = []
    for more in ([], ["--memory", "400MB", "--spill-dir", tmp_path]):
        process = program("whole", *arguments, *more, **few)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        document, _, peak = out.strip().rpartition("\n")
        taken.append(int(peak) * 1024)
        figures.append(json.loads(document)["models"][0])
    assert taken[1] < 400e6 < taken[0]
    assert figures[0]["average_precision"] == pytest.approx(figures[1]["average_precision"])
    assert are_close(*(without_rows({"models": [each]}) for each in figures))
    assert [each.name for each in tmp_path.iterdir()] == ["large.parquet"]
    process = program("limited", *arguments, "--memory", "400MB", "--spill-dir", tmp_path, **few)
    process.communicate(timeout=300)
    assert process.returncode == 0
