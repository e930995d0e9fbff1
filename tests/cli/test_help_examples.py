"""The examples in the help of the commands are commands that run."""

import json
import re
import shlex

import documents
import numpy as np
import pandas as pd
import pytest

from fastmetrics.cli import COMMANDS, build_parser, main

#: What needs a repository with benchmarks, or a program of another project.
PARSED_ALONE = ("bench",)
N = 400


def examples():
    """Return each example of the help of each command."""
    for each in COMMANDS:
        text = (each.examples or "").replace("\\\n", " ")
        for line in text.splitlines():
            if line.startswith("  fastmetrics "):
                yield re.sub(r" {2,}\(.*\)$", "", line.strip())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    documents.make_files(folder)
    for new, old in (("a", "old"), ("b", "new")):
        (folder / old).rename(folder / new)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    frame = pd.DataFrame(dict.fromkeys(("y", "fraud", "clicked", "sea", "sky"), y))
    for name in "p a b model_a model_b new old p_sea p_sky".split():
        frame[name] = 1 / (1 + np.exp(rng.normal(size=N) + 1 - 2 * y))
    frame["outcome"] = np.where(y, "sick", "well")
    frame["amount"], frame["age"] = rng.gamma(2, 20, N), rng.integers(10, 80, N)
    frame["country"], frame["patient"] = rng.choice(["NO", "SE"], N), np.arange(N) // 4
    frame["row"] = frame["id"] = np.arange(N)
    frame["visit"] = np.arange(N) // 8
    for name in ("scores", "s", "day-1", "t", "clicks"):
        frame.to_csv(folder / f"{name}.csv", index=False)
    for name in ("scores", "s", "new", "release"):
        frame.to_parquet(folder / f"{name}.parquet")
    tries = pd.read_parquet(folder / "tries.parquet").rename(columns={"solved": "correct"})
    tries.to_csv(folder / "tries.csv", index=False)
    counts = {"score": [0.1, 0.5, 0.9], "positives": [1, 5, 9], "negatives": [9, 5, 1]}
    pd.DataFrame(counts).to_csv(folder / "counts.csv", index=False)
    table = pd.DataFrame(rng.random((8, 3)), columns=["baseline", "x", "z"])
    table.insert(0, "name", list("abcdefgh"))
    table.to_csv(folder / "accuracies.csv", index=False)
    table.to_csv(folder / "errors.csv", index=False)
    table.to_parquet(folder / "auc.parquet")
    for name in "before1 before2 after1 after2 b1 b2 a1 a2 old new".split():
        times = rng.lognormal(0, 0.02, 10)
        stats = {"rounds": 10, "mean": times.mean(), "stddev": times.std(), "data": [*times]}
        runs = {"benchmarks": [{"fullname": "io", "name": "io", "stats": stats}]}
        (folder / f"{name}.json").write_text(json.dumps(runs | {"version": "5"}))
    (folder / "gate.toml").write_text(
        'groups = "patient"\nslice = ["country"]\n'
        '[margin]\nroc_auc = 0.005\n"roc_auc:max_fpr=0.1" = 0.01\n'
    )
    return folder


@pytest.mark.parametrize("example", [*examples()])
@pytest.mark.filterwarnings("ignore")
def test_an_example_of_the_help_runs(folder, monkeypatch, capsys, example) -> None:
    monkeypatch.chdir(folder)
    _, command, *arguments = shlex.split(example.split(" > ")[0])
    if command in PARSED_ALONE:
        build_parser().parse_args([command, *arguments])
        return
    if command == "compare" and "scores.csv" in arguments:
        arguments[arguments.index("scores.csv")] = "tries.csv"
    status = main([command, *arguments])
    assert status in ((0, 1, 3) if command in ("gate", "compare-benchmarks", "doctor") else (0,)), (
        capsys.readouterr().err
    )
