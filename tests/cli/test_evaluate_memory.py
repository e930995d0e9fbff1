"""`fastmetrics evaluate --memory`: the figures of all rows, in the memory that is given."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import engine_sizes
from evaluations import are_close, without_rows
from fastmetrics.cli import main

N = 150_000
COLUMNS = ("normal", "tied", "single", "whole", "constant", "saturated", "sorted")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with files of several kinds of scores."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(7)
    y = (rng.random(N) < 0.3).astype(np.int8)
    normal = rng.normal(size=N) + y
    scores = {
        "normal": normal,
        "tied": np.round(normal, 1),
        "single": normal.astype(np.float32),
        "whole": (1000 * normal).astype(np.int64),
        "constant": np.full(N, 0.5),
        "saturated": 1 / (1 + np.exp(-40 * normal)),
        "sorted": np.sort(normal),
    }
    table = pa.table(
        {
            "y": y,
            **scores,
            "one": np.ones(N, np.int8),
            "word": np.where(y, "sick", "well"),
            "three": np.where(np.arange(N) < N - 1, y, 2),
            "count": rng.integers(0, 4, N),
            "share": rng.random(N),
            "gap": pa.array([None if i == N - 2 else float(i) for i in range(N)]),
        }
    )
    pq.write_table(table, folder / "x.parquet", row_group_size=50_000)
    pa.csv.write_csv(table, folder / "x.csv")
    pq.write_table(table.slice(0, 0), folder / "none.parquet")
    return folder


@pytest.fixture
def little(monkeypatch):
    """Give the rows so little memory that nearly all of them are spilled."""
    engine_sizes.put(monkeypatch, files_memory=lambda total, options: 1 << 20)


def run(capsys, *arguments):
    status = main(["evaluate", *map(str, arguments)])
    return status, *capsys.readouterr()


def in_both(capsys, *arguments, spill_dir):
    memory = ("--memory", "100GB", "--spill-dir", spill_dir)
    return run(capsys, *arguments), run(capsys, *arguments, *memory)


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
    ],
    ids=lambda options: "-".join(options[1:]),
)
def test_the_figures_are_those_of_all_rows_in_memory(files, tmp_path, capsys, kind, options):
    scores = [each for name in COLUMNS for each in ("--score", name)]
    arguments = [files / f"x.{kind}", *options, *scores, "--format", "json"]
    whole, bounded = in_both(capsys, *arguments, spill_dir=tmp_path)
    assert (whole[0], whole[2]) == (bounded[0], bounded[2])
    expected, found = json.loads(whole[1]), json.loads(bounded[1])
    for theirs, ours in zip(expected["models"], found["models"], strict=True):
        if theirs["average_precision"] is not None:
            precise = theirs.pop("average_precision")
            assert ours.pop("average_precision") == pytest.approx(precise, rel=1e-13)
    assert are_close(without_rows(found), without_rows(expected))
    assert list(tmp_path.iterdir()) == []
    for metric, pairs in (expected.get("differences") or {}).items():
        for theirs, ours in zip(pairs, found["differences"][metric], strict=True):
            assert ours["estimate"] == pytest.approx(theirs["estimate"], abs=1e-12)
            near = {"rel": 1e-9} if is_exact(ours) else {"rel": 2e-3, "abs": 1e-6}
            assert ours["standard_error"] == pytest.approx(theirs["standard_error"], **near)
            assert ours["standard_error"] >= theirs["standard_error"] * (1.0 - 1e-12)
            assert ours["better"] in (theirs["better"], None)
            if is_exact(ours) or theirs["standard_error"] > 1e-4:
                assert ours["better"] == theirs["better"]


def is_exact(pair):
    """Return whether both models have so few scores that each of them is looked up by itself."""
    return {pair["a"], pair["b"]} <= {"tied", "whole", "constant"}


def differences(capsys, path, *options, spill_dir):
    arguments = [path, "--label", "y", *options, "--format", "json"]
    whole, bounded = in_both(capsys, *arguments, spill_dir=spill_dir)
    assert (whole[0], whole[2]) == (bounded[0], bounded[2])
    return [json.loads(each[1]) for each in (whole, bounded)]


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(
    ("n_cells", "names", "n_measures"),
    [(2, ("normal", "tied", "single"), 2), (64, ("saturated", "constant"), 4)],
)
def test_coarse_cells_are_in_the_interval(
    files, tmp_path, capsys, monkeypatch, n_cells, names, n_measures
):
    """What a lookup leaves out makes the limits wider, never narrower."""
    engine_sizes.put(monkeypatch, files_cells=n_cells)
    scores = [each for name in names for each in ("--score", name)]
    whole, bounded = differences(capsys, files / "x.parquet", *scores, spill_dir=tmp_path)
    assert len(bounded["differences"]) == n_measures
    for metric, pairs in whole["differences"].items():
        for one, other in zip(pairs, bounded["differences"][metric], strict=True):
            assert other["estimate"] == pytest.approx(one["estimate"], abs=1e-12)
            assert other["standard_error"] > one["standard_error"]
            inner, outer = (each["confidence_interval"] for each in (one, other))
            assert outer["low"] < inner["low"] < inner["high"] < outer["high"]


@pytest.mark.usefixtures("little")
def test_equal_columns_cannot_be_told_apart(tmp_path, capsys):
    rng = np.random.default_rng(4)
    y = (rng.random(N) < 0.3).astype(np.int8)
    table = pa.table({"y": y, "a": rng.normal(size=N) + y})
    pq.write_table(table.append_column("b", table["a"]), tmp_path / "x.parquet")
    scores = ["--score", "a", "--score", "b"]
    whole, bounded = differences(capsys, tmp_path / "x.parquet", *scores, spill_dir=tmp_path)
    assert "cannot be told apart" in whole["verdict"]
    assert bounded["verdict"] == whole["verdict"]
    assert bounded["differences"]["roc_auc"][0]["confidence_interval"]["low"] < -1e-5


@pytest.mark.usefixtures("little")
def test_what_differs_inside_cells_alone_is_not_shown(tmp_path, capsys, monkeypatch):
    engine_sizes.put(monkeypatch, files_cells=64)
    rng = np.random.default_rng(4)
    y = (rng.random(N) < 0.3).astype(np.int8)
    normal = rng.normal(size=N) + y
    other = normal.copy()
    first, second = np.argsort(normal)[N // 2 : N // 2 + 2]
    y[[first, second]] = 0, 1
    other[[first, second]] = normal[[second, first]]
    pq.write_table(pa.table({"y": y, "a": normal, "b": other}), tmp_path / "x.parquet")
    scores = ["--score", "a", "--score", "b"]
    _, bounded = differences(capsys, tmp_path / "x.parquet", *scores, spill_dir=tmp_path)
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
    arguments = [path, "--label", "y", "--score", "normal", "--score", "tied", "--memory", "1GB"]
    status, out, err = run(capsys, *arguments, "--spill-dir", tmp_path)
    assert (status, out) == (2, "")
    assert "the files changed while they were read, which is done twice to compare models" in err


def test_nothing_is_spilled_where_all_fits(files, tmp_path, capsys, monkeypatch):
    spilled = engine_sizes.noted(monkeypatch, "spilling")
    arguments = [files / "x.parquet", "--label", "y", "--score", "normal", "--format", "json"]
    whole, bounded = in_both(capsys, *arguments, spill_dir=tmp_path)
    both = (without_rows(json.loads(each[1])) for each in (bounded, whole))
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
    whole, bounded = in_both(capsys, files / f"x.{kind}", *options, spill_dir=tmp_path)
    assert whole[0] == 2
    assert bounded == whole
    assert list(tmp_path.iterdir()) == []


def test_weights_of_nothing(tmp_path, capsys):
    pq.write_table(pa.table({"y": [0, 1], "s": [0.1, 0.2], "w": [0, 0]}), tmp_path / "x.parquet")
    options = ["--label", "y", "--score", "s", "--weight", "w", "--weights-are", "frequencies"]
    whole, bounded = in_both(capsys, tmp_path / "x.parquet", *options, spill_dir=tmp_path)
    assert "column 'w' must not be all zero" in whole[2]
    assert bounded == whole


@pytest.mark.parametrize(("weight", "rule"), [(-1.0, "not be negative"), (1.5, "hold whole")])
def test_a_bad_weight_has_its_place_among_all_rows(tmp_path, capsys, weight, rule):
    n = 140_000  # more than a batch
    weights = np.where(np.arange(n) == n - 2, weight, 1.0)
    table = pa.table({"y": np.arange(n) % 2, "s": np.arange(n), "w": weights})
    pq.write_table(table, tmp_path / "x.parquet")
    options = ["--label", "y", "--score", "s", "--weight", "w", "--weights-are", "frequencies"]
    whole, bounded = in_both(capsys, tmp_path / "x.parquet", *options, spill_dir=tmp_path)
    assert f"column 'w' must {rule}" in whole[2]
    assert bounded[:2] == whole[:2]
    assert f"column 'w' must {rule}" in bounded[2]
    assert bounded[2].endswith("at index 8926, 1 in all, of the rows from 131,072 on\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--bootstrap", "99"], "--bootstrap needs all rows in memory"),
        (["--groups", "tied"], "--groups needs all rows in memory"),
        (["--cost-fn", "1", "--cost-fp", "2"], "--cost-fn needs all rows in memory"),
        (["--weight", "share"], "--weights-are frequencies"),
        (["--memory", "much"], "--memory must be a size such as '1GB'"),
        (["--memory", "99999999999GB"], "--memory must be at most 1,152,921,504,606,846,976 bytes"),
        (["--memory", "324MB"], "too little for 1 model: give at least 325 MB"),
        (["--memory", "349MB", "--score", "rounded"], "for 2 models: give at least 350 MB"),
        (["--spill-dir", ""], "--spill-dir is an empty text: name a folder"),
        (["--spill-dir", "/nowhere"], "--spill-dir '/nowhere' cannot be used: No such file"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(files, capsys, options, said):
    arguments = [files / "x.parquet", "--label", "y", "--score", "normal", "--memory", "100GB"]
    status, out, err = run(capsys, *arguments, *options)
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_folder_without_memory(files, capsys):
    arguments = [files / "x.parquet", "--label", "y", "--score", "normal", "--spill-dir", "."]
    assert "--spill-dir is of --memory" in run(capsys, *arguments)[2]


@pytest.mark.usefixtures("little")
def test_weights_that_are_no_numbers_of_rows(files, tmp_path, capsys):
    arguments = [files / "x.parquet", "--label", "y", "--score", "normal", "--weight", "share"]
    arguments += ["--weights-are", "frequencies", "--memory", "1GB", "--spill-dir", tmp_path]
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert "column 'share' must hold whole numbers" in err


PROGRAM = """
import os, resource, sys
from fastmetrics.cli import _bounded, main
if sys.argv[1] in ("full", "slow"):
    _bounded._memory_of_rows = lambda total, options: 1 << 20
if sys.argv[1] == "full":
    sys.dont_write_bytecode = True  # Python 3.11 would keep half a module
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
if sys.argv[1] == "many":
    os.sched_getaffinity, os.cpu_count = lambda process: set(range(32)), lambda: 32
if sys.argv[1] == "limited":
    resource.setrlimit(resource.RLIMIT_AS, (15 * 10**8, 15 * 10**8))
if sys.argv[1] == "slow":
    take = _bounded._Taker.take
    def slowly(self, *batch):
        take(self, *batch)
        print("taken", flush=True)
    _bounded._Taker.take = slowly
status = main(["evaluate", *sys.argv[2:]])
lines = open("/proc/self/status").read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")), flush=True)
os._exit(status)  # as the program does after an interrupt
"""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits of Linux")


def program(how, *arguments, **options):
    command = [sys.executable, "-c", PROGRAM, how, *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


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
    rng, path = np.random.default_rng(3), tmp_path / "large.parquet"
    y = (rng.random(4_000_000) < 0.5).astype(np.int8)
    scores = {name: rng.normal(size=len(y)) + y for name in ("s", "t")}
    pq.write_table(pa.table({"y": y, **scores}), path)
    arguments = [path, "--label", "y", "--score", "s", "--spill-dir", tmp_path]
    for more, memory in (([], "325MB"), (["--score", "t"], "350MB")):
        process = program("many", *arguments, *more, "--memory", memory)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert int(out.split()[-1]) * 1024 < int(memory[:3]) * 10**6
    process = program("many", *arguments, "--memory", "324MB")
    assert "give at least 325 MB" in process.communicate(timeout=60)[1]


@LINUX
@pytest.mark.large
def test_memory_is_respected(tmp_path):
    """A file that takes 700 MB in memory, evaluated in 400 MB, and where no more can be had."""
    rng = np.random.default_rng(3)
    path = tmp_path / "large.parquet"
    schema = pa.schema({"y": pa.int8(), "s": pa.float64()})
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(15):
            y = (rng.random(1_000_000) < 0.5).astype(np.int8)
            writer.write_table(pa.table({"y": y, "s": rng.normal(size=len(y)) + y}, schema))
    arguments = [path, "--label", "y", "--score", "s", "--format", "json", "--threads", "2"]
    few = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "4"}
    taken, figures = [], []
    for more in ([], ["--memory", "400MB", "--spill-dir", tmp_path]):
        process = program("whole", *arguments, *more, env=os.environ | few)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        document, _, peak = out.strip().rpartition("\n")
        taken.append(int(peak) * 1024)
        figures.append(json.loads(document)["models"][0])
    assert taken[1] < 400e6 < 600e6 < taken[0]
    assert figures[0]["average_precision"] == pytest.approx(figures[1]["average_precision"])
    assert are_close(*(without_rows({"models": [each]}) for each in figures))
    assert [each.name for each in tmp_path.iterdir()] == ["large.parquet"]
    status = []
    for more in ([], ["--memory", "400MB", "--spill-dir", tmp_path]):
        process = program("limited", *arguments, *more, env=os.environ | few)
        process.communicate(timeout=300)
        status.append(process.returncode)
    assert status == [2, 0]
