"""Costs of importing: heavy packages are loaded where and when they are needed."""

import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import public
import rules
from processes import python

HEAVY = (
    "numba",
    "llvmlite",
    "scipy",
    "pandas",
    "matplotlib",
    "narwhals",
    "duckdb",
    "pyarrow",
    "tqdm",
    "polars",
    "sklearn",
    "dask",
    "distributed",
    "torch",
    "torchmetrics",
    "array_api_compat",
)


def loaded(code: str, packages: tuple[str, ...] = HEAVY) -> set[str]:
    """Run ``code`` in a fresh interpreter and return which of ``packages`` it loaded."""
    report = f"import sys; print(*(set(sys.modules) & {set(packages)!r}))"
    done = python("-c", f"{code}\n{report}")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()) if done.stdout.strip() else set()


def test_import_is_light() -> None:
    assert loaded("import fastmetrics") == set()


def test_every_public_name_is_light() -> None:
    code = "import fastmetrics\nfor name in fastmetrics.__all__: getattr(fastmetrics, name)"
    assert loaded(code) == set()


def test_dir_and_star_know_the_same_names() -> None:
    code = (
        "import fastmetrics\nassert fastmetrics.__all__ == dir(fastmetrics)\n"
        "from fastmetrics import *"
    )
    assert loaded(code) == set()


@pytest.mark.parametrize("command", [[], ["demo"], ["evaluate"], ["report"], ["warmup"]])
def test_help_is_light_and_instant(command: list[str]) -> None:
    code = (
        "import contextlib, io\nfrom fastmetrics.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):\n"
        f"    main({[*command, '--help']!r})\n"
        "assert out.getvalue().startswith('usage: fastmetrics')"
    )
    start = time.perf_counter()
    assert loaded(code, (*HEAVY, "numpy")) == set()
    assert time.perf_counter() - start < 2  # about 0.1 on an idle machine; 0.3 is the aim


def test_evaluating_a_file_loads_what_it_needs(tmp_path: Path) -> None:
    """Imports are half of a command on a million rows; pandas, by Arrow, would hold up Ctrl-C."""
    (tmp_path / "s.csv").write_text("y,p\n" + "0,0.25\n1,0.5\n0,0.5\n1,0.75\n" * 50)
    pq.write_table(csv.read_csv(tmp_path / "s.csv"), tmp_path / "s.parquet")
    code = (
        "import contextlib, io\nfrom fastmetrics.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()) as out:\n"
        f"    files = {str(tmp_path / 's.*')!r}\n"
        "    assert main(['evaluate', files, '--label', 'y', '--score', 'p']) == 0\n"
        "assert '[95 % interval]' in out.getvalue()"
    )
    rooms = (
        "fastmetrics.comparison",
        "fastmetrics.inference.bootstrap.bootstrap",
        "fastmetrics.selection",
    )
    # Of SciPy the quantiles of Student's t.
    needed = {"duckdb", "pyarrow", "scipy", "numba", "llvmlite"}
    assert loaded(code, (*HEAVY, "scipy.stats", *rooms)) == needed


def test_a_heavy_import_is_caught() -> None:
    assert loaded("import scipy.stats") == {"scipy"}


def test_every_public_name_is_listed_where_it_is_defined() -> None:
    for name, module in public.modules().items():
        assert not rules.face_names_its_homes(Path(str(module.__file__)).with_suffix(".pyi"), name)
        assert module.__all__ == sorted(module.__all__) == dir(module)
    assert rules.face_names_its_homes(rules.BAD / "face.pyi", "fastmetrics.face") == [
        "roc_auc_score is listed twice",
        "roc_curve is not listed as roc_curve",
        "det_curve is not listed as det_curve",
        "roc_auc_score is defined in fastmetrics.metrics.curves.roc_auc, "
        "listed in fastmetrics.metrics",
    ]


def test_a_public_name_lives_in_one_module_and_is_not_shadowed() -> None:
    modules = public.modules()
    listed = [name for module in modules.values() for name in module.__all__]
    assert len(listed) == len(set(listed))
    assert len(dir(modules["fastmetrics"])) <= 120
    for place, module in modules.items():
        for folder in getattr(module, "__path__", ()):
            stems = {path.stem for path in Path(folder).iterdir()}
            assert stems & set(module.__all__) <= set(public.NAMESPACES), place
