"""What needs a process of its own: imports, the first call, a fresh load-and-AUC, memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import fastmetrics
from benchmarks.speed import naive
from benchmarks.speed.data import ANY_DATA, Spec, make
from benchmarks.speed.timing import BUDGET, BYTES, SECONDS, Measured, Stopwatch, Target, measure

ROOT = Path(fastmetrics.__file__).resolve().parents[1]
PROBE = Path(__file__).with_name("memory_probe.py")

_IMPORT = """
import time
start = time.perf_counter()
{statement}
print(time.perf_counter() - start)
"""
_LOAD_AND_AUC = """
import sys
import numpy as np
from {library} import roc_auc_score
print(repr(float(roc_auc_score(np.load(sys.argv[1]), np.load(sys.argv[2])))))
"""
_FIRST_CALL = """
import sys, time
import numpy as np
labels, scores = np.load(sys.argv[1]), np.load(sys.argv[2])
start = time.perf_counter()
from fastmetrics import roc_auc_score
auc = roc_auc_score(labels, scores)
print(time.perf_counter() - start, repr(auc))
"""
_READ = """
import sys
import duckdb
file, *names = sys.argv[1:]
sums = ", ".join(f"sum({name})" for name in ("y", *names))
print(duckdb.execute(f"SELECT {sums} FROM read_parquet(?)", [file]).fetchall()[0][0])
"""


def _processor_time(watch: Stopwatch) -> Stopwatch:
    """Return the seconds that processors spent on what a stopwatch runs: user's and system's."""

    def seconds() -> float:
        before = os.times()
        watch()
        after = os.times()
        user = after.children_user - before.children_user
        return user + after.children_system - before.children_system

    return seconds


@dataclass
class Workshop:
    """A folder for data files, and Python processes that use it.

    Their compiled code is in the folder `compiled` of it, or where it is by default (None).
    """

    folder: Path
    most_rows: int
    compiled: str | None = "warm"
    _files: dict[Spec, tuple[Path, Path]] = field(default_factory=dict)
    _warm: set[str] = field(default_factory=set)

    def python(self, *arguments: str, cache: Path | None = None) -> str:
        """Run Python and return what it printed; a failure is raised with its last words."""
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        }
        if cache is None and self.compiled is not None:
            cache = self.folder / self.compiled
        if cache is not None:
            environment["NUMBA_CACHE_DIR"] = str(cache)
        done = subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            env=environment,
            cwd=self.folder,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"a timed process failed:\n{done.stderr[-2000:]}")
        return done.stdout

    def files(self, spec: Spec) -> tuple[str, str]:
        """Return the names of the files with the labels and the scores."""
        if spec not in self._files:
            stem = self._stem(spec)
            names = self.folder / f"{stem}-labels.npy", self.folder / f"{stem}-scores.npy"
            if not names[1].exists():
                data = make(spec)
                np.save(names[0], data.labels)
                np.save(names[1], data.scores)
            self._files[spec] = names
        labels, scores = self._files[spec]
        return str(labels), str(scores)

    def _stem(self, spec: Spec) -> str:
        share = spec.positive_share
        return f"{spec.kind}-{spec.rows}-{share}-{spec.scores}-{spec.labels}"

    def right_auc(self, spec: Spec) -> float:
        """Return the exact AUC, which is worked out once for all processes that use the folder."""
        path = self.folder / f"{self._stem(spec)}.auc"
        if not path.exists():
            path.write_text(repr(naive.exact_auc(spec)), encoding="utf-8")
        return float(path.read_text(encoding="utf-8"))

    def forget(self, spec: Spec) -> None:
        """Delete the files of these data."""
        for path in self._files.pop(spec, ()):
            path.unlink()

    def imports(self, statement: str) -> Stopwatch:
        """Time an import inside a new interpreter, whose own start does not count."""
        code = _IMPORT.format(statement=statement)
        return lambda: float(self.python("-c", code))

    def loads_and_ranks(self, library: str, spec: Spec) -> Stopwatch:
        """Time a whole process that loads the data, computes the AUC and exits."""
        code, files = _LOAD_AND_AUC.format(library=library), self.files(spec)

        def whole_process() -> float:
            start = time.perf_counter()
            printed = self.python("-c", code, *files)
            taken = time.perf_counter() - start
            np.testing.assert_allclose(float(printed), self.right_auc(spec), rtol=1e-9)
            return taken

        return whole_process

    def first_call(self, spec: Spec) -> Stopwatch:
        """Time import and first call where nothing has been compiled before."""
        files = self.files(spec)

        def first() -> float:
            with tempfile.TemporaryDirectory(dir=self.folder) as empty:
                taken, auc = self.python("-c", _FIRST_CALL, *files, cache=Path(empty)).split()
            assert float(auc) == self.right_auc(spec)
            return float(taken)

        return first

    def cli_help(self) -> float:
        """Time ``fastmetrics --help``, the whole process."""
        start = time.perf_counter()
        printed = self.python("-m", "fastmetrics", "--help")
        taken = time.perf_counter() - start
        assert "evaluate" in printed
        return taken

    def parquet(self, spec: Spec) -> str:
        """Return the name of a file with the labels and the scores of two models."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self.folder / f"{spec.rows}.parquet"
        if not path.exists():
            data = make(spec)
            noise = 0.5 * np.random.default_rng(1).standard_normal(spec.rows)
            columns = {"y": data.labels, "a": data.scores, "b": data.scores + noise}
            pq.write_table(pa.table(columns), path)
        return str(path)

    def evaluates(self, spec: Spec, *options: str) -> Stopwatch:
        """Time ``fastmetrics evaluate`` of a Parquet file, the whole process."""
        path = self.parquet(spec)
        command = ("-m", "fastmetrics", "evaluate", path, "--label", "y", "--score", "a")

        def whole_process() -> float:
            start = time.perf_counter()
            printed = self.python(*command, *options, "--format", "json")
            taken = time.perf_counter() - start
            assert json.loads(printed)["models"][0]["roc_auc"] == self.right_auc(spec)
            return taken

        return whole_process

    def duckdb_reads(self, spec: Spec, *names: str) -> Stopwatch:
        """Time a process in which DuckDB reads and sums the labels and the scores of such names."""
        path, positives = self.parquet(spec), int(make(spec).labels.sum())

        def whole_process() -> float:
            start = time.perf_counter()
            printed = self.python("-c", _READ, path, *names)
            taken = time.perf_counter() - start
            assert int(printed) == positives
            return taken

        return whole_process

    def extra_memory(self, spec: Spec, what: str = "auc") -> float:
        """Return the bytes a row by which the peak grows during one AUC (or its replicates)."""
        if what not in self._warm:  # what compiling takes is not the memory that is meant
            self.python("-P", str(PROBE), what, *self.files(Spec(rows=1_000)))
            self._warm.add(what)
        extra, auc = self.python("-P", str(PROBE), what, *self.files(spec)).split()
        assert float(auc) == self.right_auc(spec)
        return int(extra) / spec.rows

    def extra_memory_any(self, rows: int) -> float:
        """Return the worst such figure of all distributions; their files come and go."""
        worst = 0.0
        for kind in ANY_DATA:
            spec = Spec(kind, rows)
            worst = max(worst, self.extra_memory(spec))
            self.forget(spec)
        return worst


Maker = Callable[[Workshop, Spec], Stopwatch]

#: How to make each stopwatch, by the name that the targets use.
STOPWATCHES: dict[str, Maker] = {
    "import numpy": lambda shop, _: shop.imports("import numpy"),
    "import fastmetrics": lambda shop, _: shop.imports("import fastmetrics"),
    "import roc_auc_score": lambda shop, _: shop.imports("from fastmetrics import roc_auc_score"),
    "import sklearn.metrics": lambda shop, _: shop.imports("import sklearn.metrics"),
    "process": lambda shop, spec: shop.loads_and_ranks("fastmetrics", spec),
    "process with scikit-learn": lambda shop, spec: shop.loads_and_ranks("sklearn.metrics", spec),
    "first call": lambda shop, spec: shop.first_call(spec),
    "cli help": lambda shop, _: shop.cli_help,
    "evaluate": lambda shop, spec: shop.evaluates(spec),
    "evaluate two": lambda shop, spec: shop.evaluates(spec, "--score", "b"),
    "evaluate by bootstrap": lambda shop, spec: shop.evaluates(
        spec, "--score", "b", "--bootstrap", "200", "--seed", "1"
    ),
    "processor time of evaluate": lambda shop, spec: _processor_time(shop.evaluates(spec)),
    "processor time of evaluate two": lambda shop, spec: _processor_time(
        shop.evaluates(spec, "--score", "b")
    ),
    "DuckDB reads": lambda shop, spec: _processor_time(shop.duckdb_reads(spec, "a")),
    "DuckDB reads two": lambda shop, spec: _processor_time(shop.duckdb_reads(spec, "a", "b")),
}
#: How to count each kind of bytes a row.
MEMORY: dict[str, Callable[[Workshop, Spec], float]] = {
    "memory": lambda shop, spec: shop.extra_memory(spec),
    "bootstrap memory": lambda shop, spec: shop.extra_memory(spec, "replicates"),
    "memory any": lambda shop, spec: shop.extra_memory_any(spec.rows),
}
WORKS = STOPWATCHES.keys() | MEMORY.keys()
#: How the yardsticks are called in print.
NAMES = {
    "import numpy": "`import numpy`",
    "import sklearn.metrics": "`import sklearn.metrics`",
    "process with scikit-learn": "the same with scikit-learn",
    "DuckDB reads": "DuckDB's sums of both columns",
    "DuckDB reads two": "DuckDB's sums of the three columns",
}

_MILLION = Spec(rows=1_000_000)

TARGETS: tuple[Target, ...] = (
    Target("import", "`import fastmetrics`", "import fastmetrics", "import numpy", 1.3),
    Target(
        "fresh_process",
        "fresh process, cache warm: load 10⁶ rows (.npy), AUC, exit",
        "process",
        "process with scikit-learn",
        0.5,
        spec=_MILLION,
    ),
    Target(
        "first_call",
        "first call ever (10⁶ rows), empty cache",
        "first call",
        bound=3,
        unit=SECONDS,
        spec=_MILLION,
    ),
    Target("cli_help", "`fastmetrics --help`", "cli help", bound=0.3, unit=SECONDS),
    *(
        Target(key, f"`fastmetrics evaluate` of 10⁷ rows, {what}", work, bound=bound, unit=SECONDS)
        for key, what, work, bound in (
            ("evaluate_parquet", "Parquet, fresh process, cache warm", "evaluate", 1.2),
            ("evaluate_parquet_two", "the same, two models", "evaluate two", 1.8),
            (
                "evaluate_bootstrap",
                "two models, `--bootstrap 200`, all metrics",
                "evaluate by bootstrap",
                8,
            ),
        )
    ),
    Target(
        "evaluate_processor_time",
        "`fastmetrics evaluate` of 10⁷ rows, Parquet: processor time",
        "processor time of evaluate",
        "DuckDB reads",
        10,
        library="duckdb",
    ),
    Target(
        "evaluate_two_processor_time",
        "the same, two models: processor time",
        "processor time of evaluate two",
        "DuckDB reads two",
        16,
        library="duckdb",
    ),
)
CONTEXT: tuple[Target, ...] = (
    Target(
        "import_and_name",
        "`from fastmetrics import roc_auc_score`",
        "import roc_auc_score",
        "import numpy",
    ),
    Target(
        "first_call_ratio",
        "first call ever (10⁶ rows), empty cache",
        "first call",
        "import sklearn.metrics",
        spec=_MILLION,
    ),
)


def run_in_processes(row: Target, shop: Workshop, budget: float = BUDGET) -> Measured:
    """Measure one row; the first process of each kind warms disk and caches and is not counted."""
    spec = row.spec.scaled(shop.most_rows)
    if row.unit == BYTES:
        return Measured((MEMORY[row.work](shop, spec),))  # counted, not timed: once is enough
    ours = STOPWATCHES[row.work](shop, spec)
    yardstick = STOPWATCHES[row.yardstick](shop, spec) if row.yardstick else None
    for watch in (ours, yardstick):
        if watch is not None:
            watch()
    return measure(ours, yardstick, at_least=row.at_least, budget=budget)
