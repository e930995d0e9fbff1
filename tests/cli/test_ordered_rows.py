"""``fastmetrics evaluate --memory`` with groups and importances: the figures of rows in memory."""

import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import engine_sizes
from commands import captured, error_of
from evaluations import are_close
from processes import environment, started

N = 3_000
SCORES = {
    "probability": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "rounded": lambda x: (1.0 / (1.0 + np.exp(-x))).round(2),
    "whole": lambda x: x.round().astype(int),
    "short": lambda x: x.astype(np.float32),
    "mostly_tied": lambda x: np.where(np.abs(x) < 1.2, 0.25, x),
    "flat": lambda x: np.zeros(len(x)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a file of rows with scores of each kind, weights, groups and amounts."""
    rng = np.random.default_rng(2)
    group = rng.integers(0, 400, N)
    y = (rng.random(N) < 0.3).astype(int)
    x = 2.0 * y - 1.0 + rng.normal(size=N) + 0.5 * rng.normal(size=400)[group]
    noisy = x + rng.normal(size=N)
    columns = {name: make(x) for name, make in SCORES.items()}
    columns |= {"y": y, "other": 1.0 / (1.0 + np.exp(-noisy)), "group": group}
    columns["word"] = [f"customer {k}" for k in group]
    columns["half"] = group / 2.0
    columns["one"] = np.ones(N, int)
    columns["weight"] = rng.random(N) * (rng.random(N) < 0.9)
    columns["count"] = rng.integers(0, 4, N)
    columns["none"] = np.zeros(N)
    columns["amount"] = rng.exponential(100.0, N).round(2)
    columns["perfect"] = y + 0.5 * rng.random(N)
    columns["backwards"] = -columns["perfect"]
    columns["decided"] = (x > 0.0).astype(int)
    columns["gap"] = pa.array([None if k == 6 else float(k) for k in range(N)])
    folder = tmp_path_factory.mktemp("rows")
    pq.write_table(pa.table(columns), folder / "x.parquet")
    return folder


@pytest.fixture
def _small(monkeypatch):
    """Let runs and ranges have few rows, and all of them be spilled."""
    engine_sizes.put(monkeypatch, files_memory=lambda total, options: 1 << 20, files_kept=20)
    engine_sizes.put(monkeypatch, row_range_rows=300, row_run_rows=700, row_least_rows=200)
    engine_sizes.put(monkeypatch, row_block=16, row_kept=1 << 20)


def in_both(capsys, folder, spill_dir, *options, code=0):
    """Return output and errors with all rows in memory, and with little."""
    command = ["evaluate", folder / "x.parquet", "--label", "y", *options]
    with pytest.MonkeyPatch.context() as patch:
        engine_sizes.put(patch, files_loaded=lambda options: "all rows are loaded")
        whole = captured(capsys, *command, code=code)
    memory = ["--memory", "1GB", "--spill-dir", spill_dir]
    return [whole, captured(capsys, *command, *memory, code=code)]


GROUPED = ["--groups", "group"]
WEIGHTED = ["--weight", "weight"]
FREQUENCIES = ["--weight", "count", "--weights-are", "frequencies"]


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("score", [*SCORES])
@pytest.mark.parametrize(
    "options",
    [
        GROUPED,
        WEIGHTED,
        [*GROUPED, *WEIGHTED],
        ["--groups", "word", "--weight", "count"],
        ["--groups", "half", *FREQUENCIES],
        [*GROUPED, *WEIGHTED, "--score", "other"],
        [*WEIGHTED, "--score", "other"],
        ["--weight", "count", "--score", "other", "--cost-fn", "amount", "--cost-fp", "5"],
        ["--groups", "word", "--score", "other", "--where", "amount < 60"],
        ["--score", "other", "--cost-fn", "amount", "--cost-fp", "5"],
        [*WEIGHTED, "--cost-fn", "amount", "--cost-fp", "count"],
        [*GROUPED, *WEIGHTED, "--cost-fn", "amount", "--cost-fp", "5"],
        [*FREQUENCIES, "--cost-fn", "amount", "--cost-fp", "5"],
        [*FREQUENCIES, "--cost-fn", "0.7", "--cost-fp", "0.1"],
        ["--cost-fn", "3", "--cost-fp", "1", "--confidence-level", "0.8"],
        ["--cost-fn", "0", "--cost-fp", "1"],
        ["--cost-fn", "amount", "--cost-fp", "5", "--prevalence", "0.05"],
        [*WEIGHTED, "--cost-fn", "3", "--cost-fp", "1", "--prevalence", "0.2"],
    ],
    ids=" ".join,
)
def test_the_figures_are_those_of_rows_in_memory(folder, tmp_path, capsys, score, options):
    given = ["--score", score, *options, "--format", "json"]
    whole, ordered = in_both(capsys, folder, tmp_path, *given)
    assert are_close(json.loads(ordered.out), json.loads(whole.out))
    assert ordered.err == whole.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("options", [GROUPED, [*GROUPED, *FREQUENCIES], ["--weight", "count"]])
@pytest.mark.parametrize("score", ["probability", "rounded", "whole", "perfect", "backwards"])
def test_areas_of_whole_weights_are_exact(folder, tmp_path, capsys, score, options):
    given = ["--score", score, *options, "--format", "json"]
    models = [
        json.loads(each.out)["models"][0] for each in in_both(capsys, folder, tmp_path, *given)
    ]
    for name in ("roc_auc", "break_even_point", "true_positive_rate", "false_positive_rate"):
        assert models[1][name] == models[0][name]


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("weights", [WEIGHTED, [*GROUPED, *WEIGHTED]])
def test_fractions_of_weights_stay_between_0_and_1(folder, tmp_path, capsys, weights):
    names = ("roc_auc", "average_precision", "ks_statistic", "true_positive_rate")
    for score, expected in (
        ("perfect", [1.0, 1.0, 1.0, 1.0]),
        ("backwards", [0.0, None, 1.0, 0.0]),
    ):
        given = ["--score", score, *weights, "--format", "json", "--memory", "1GB"]
        (model,) = json.loads(
            captured(capsys, "evaluate", folder / "x.parquet", "--label", "y", *given).out
        )["models"]
        for name, value in zip(names, expected, strict=True):
            assert 0.0 <= model[name] <= 1.0
            assert value is None or model[name] == value
        assert 0.0 <= model["false_positive_rate"] <= 1.0


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize(
    "options",
    [
        ["--score", "other", "--groups", "gap"],
        ["--score", "gap", "--groups", "group"],
        ["--score", "other", "--weight", "none"],
        ["--score", "other", "--weight", "absent"],
        ["--score", "other", "--weight", "whole"],
        ["--score", "other", "--groups", "group", "--weight", "group"],
        ["--score", "other", "--groups", "group", "--where", "amount < 0"],
        ["--score", "word", "--groups", "group"],
        ["--score", "other", "--cost-fn", "amount"],
        ["--score", "other", "--cost-fn", "0", "--cost-fp", "0"],
        ["--score", "other", "--cost-fn", "none", "--cost-fp", "none"],
        ["--score", "other", "--cost-fn", "whole", "--cost-fp", "1"],
        ["--score", "other", "--cost-fn", "-1", "--cost-fp", "1"],
        ["--score", "other", "--cost-fn", "gap", "--cost-fp", "1"],
        ["--score", "other", "--cost-fn", "word", "--cost-fp", "1"],
        ["--score", "other", "--cost-fn", "missing", "--cost-fp", "1"],
    ],
    ids=" ".join,
)
def test_faults_are_told_alike(folder, tmp_path, capsys, options):
    whole, ordered = in_both(capsys, folder, tmp_path, *options, code=2)
    assert ordered.out == whole.out
    assert ordered.err.replace(", of the rows from 0 on", "") == whole.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("_small")
def test_cells_widen_the_difference_of_models_with_importances(
    folder, tmp_path, capsys, monkeypatch
):
    engine_sizes.put(monkeypatch, files_cells=400)
    given = ["--score", "probability", "--score", "other", *WEIGHTED, "--format", "json"]
    whole, ordered = (json.loads(each.out) for each in in_both(capsys, folder, tmp_path, *given))
    assert are_close(ordered["models"], whole["models"])
    assert ordered["differences"].keys() == whole["differences"].keys()
    for metric, (pair,) in whole["differences"].items():
        (bounded,) = ordered["differences"][metric]
        assert bounded["estimate"] == pytest.approx(pair["estimate"], rel=1e-9)
        assert 1.0 < bounded["standard_error"] / pair["standard_error"] < 1.05


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("more", [["--on-bad-row", "skip"], ["--where", "gap >= 1500"]])
def test_bad_rows_are_skipped_alike(folder, tmp_path, capsys, more):
    given = ["--score", "gap", *GROUPED, *more, "--format", "json"]
    whole, ordered = in_both(capsys, folder, tmp_path, *given)
    assert are_close(json.loads(ordered.out), json.loads(whole.out))
    assert ordered.err == whole.err


@pytest.mark.usefixtures("_small")
def test_one_group_has_no_interval(folder, tmp_path, capsys):
    given = ["--score", "whole", "--groups", "one", "--format", "json"]
    whole, ordered = in_both(capsys, folder, tmp_path, *given)
    assert are_close(json.loads(ordered.out), json.loads(whole.out))
    assert ordered.err == whole.err


@pytest.mark.parametrize("score", ["decided", "whole"])
def test_named_losses_of_decisions(folder, capsys, monkeypatch, score):
    command = ["evaluate", folder / "x.parquet", "--label", "y", "--score", score]
    command += ["--metrics", "log_loss", "--format", "json"]
    code = 2 * (score == "whole")
    whole = captured(capsys, *command, code=code)
    engine_sizes.put(monkeypatch, files_kept=20)
    read = captured(capsys, *command, code=code)
    assert (read.out, read.err) == (whole.out, whole.err)


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("score", ["whole", "probability"])
@pytest.mark.parametrize("more", [[], GROUPED, WEIGHTED, ["--score", "other"]], ids=" ".join)
def test_one_class_alone(folder, tmp_path, capsys, score, more):
    given = ["--score", score, *more, "--where", "y = 1", "--format", "json"]
    whole, ordered = in_both(capsys, folder, tmp_path, *given)
    assert are_close(json.loads(ordered.out), json.loads(whole.out))
    assert (score == "probability") == ("estimates" in json.loads(ordered.out)["models"][0])
    assert ordered.err == whole.err


@pytest.mark.usefixtures("_small")
def test_large_files_are_not_loaded_without_a_memory(folder, capsys, monkeypatch):
    spilled = engine_sizes.noted(monkeypatch, "spilling")
    command = ["evaluate", folder / "x.parquet", "--label", "y", "--score", "other", *WEIGHTED]
    assert captured(capsys, *command).out == captured(capsys, *command, "--memory", "1GB").out
    assert len(spilled) > 2


def test_few_rows_are_evaluated_in_memory(folder, capsys, monkeypatch):
    spilled = engine_sizes.noted(monkeypatch, "spilling")
    command = ["evaluate", folder / "x.parquet", "--label", "y", "--score", "other", *WEIGHTED]
    assert "n+" in captured(capsys, *command, "--memory", "1GB").out
    assert not spilled


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--bootstrap", "9"], "--bootstrap needs all rows in memory"),
        (["--memory", "387MB"], "too little for 1 model: give at least 388 MB"),
    ],
)
def test_what_needs_all_rows_is_refused(folder, capsys, more, message):
    command = ["evaluate", folder / "x.parquet", "--label", "y", "--score", "other", *WEIGHTED]
    assert message in error_of(capsys, *command, "--memory", "1GB", *more)


def test_too_many_groups_for_the_memory(folder, capsys, monkeypatch):
    engine_sizes.put(monkeypatch, files_memory=lambda total, options: 1 << 17, files_kept=20)
    command = ["evaluate", folder / "x.parquet", "--label", "y", "--score", "other", *GROUPED]
    error = error_of(capsys, *command, "--memory", "1GB")
    assert "--memory 1GB is too little for 400 groups and more" in error
    spilled = engine_sizes.noted(monkeypatch, "spilling")
    assert "n+" in captured(capsys, *command).out  # all rows are loaded
    assert not spilled


def test_weights_out_of_all_proportion(tmp_path, capsys, monkeypatch):
    engine_sizes.put(monkeypatch, files_kept=1)
    pq.write_table(pa.table({"y": [0, 1], "s": [1, 2], "w": [1.0, 1e200]}), tmp_path / "x.parquet")
    error = error_of(
        capsys, "evaluate", tmp_path / "x.parquet", *"--label y --score s --weight w".split(),
        *"--memory 1GB".split(),
    )  # fmt: skip
    assert "column 'w' must be 0 or lie between 5e-91 and 2e+90" in error


PROGRAM = """
import sys
from fastmetrics.cli import main
status = main(["evaluate", *sys.argv[1:]])
lines = open("/proc/self/status").read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
sys.exit(status)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory as Linux has it")
def test_memory_is_respected(tmp_path):
    """Two thousand times the sums of a group, and rows that take more than the memory."""
    rng = np.random.default_rng(4)
    n = 4_000_000
    y = (rng.random(n) < 0.5).astype(np.int8)
    columns = {"y": y, "s": rng.normal(size=n) + y, "w": rng.random(n) + 0.5}
    columns["g"] = rng.integers(0, 50_000, n)
    pq.write_table(pa.table(columns), tmp_path / "large.parquet")
    arguments = ["--label", "y", "--score", "s", "--weight", "w", "--groups", "g"]
    arguments += ["--memory", "450MB", "--spill-dir", tmp_path]
    given = map(str, [tmp_path / "large.parquet", *arguments])
    process = started("-c", PROGRAM, *given, env=environment())
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert int(out.split()[-1]) * 1024 < 450e6
    assert [each.name for each in tmp_path.iterdir()] == ["large.parquet"]
