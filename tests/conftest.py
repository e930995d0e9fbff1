"""Settings of all tests: hypothesis profiles, a seeded generator, how the suite is run."""

import atexit
import gc
import itertools
import os
import signal
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Where every core has a process of tests, threads of BLAS (the peers') wait for one another.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
# Workers and the hundreds of processes that tests start would each compile every module anew; the
# machine code of kernels lies beside the sources, whatever this says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

from fastmetrics._kernels import _compile
from fastmetrics.metrics import asking
from grids import leave_to_exhaustive

# Derandomised: a red run is about the change, not about the day. `thorough` is for looking for
# trouble: `python -m pytest --hypothesis-profile=thorough`.
settings.register_profile(
    "default",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", deadline=None, max_examples=2_000, suppress_health_check=[HealthCheck.too_slow]
)
# For mutants: no smaller example is looked for once a test has failed.
settings.register_profile(
    "first_failure", settings.get_profile("default"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("default")

_compile.notice.is_wanted = False  # tests of stderr must not depend on what was compiled before

# A shell that starts pytest in the background makes it, and what it starts, deaf to interrupts: the
# tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


_default_rng = np.random.default_rng
_seeds = itertools.count()


def _seeded_rng(seed: Any = None) -> np.random.Generator:
    """Give who passes no seed numbers that are others in each call, and the same in each run."""
    return _default_rng(next(_seeds) if seed is None else seed)


np.random.default_rng = _seeded_rng


def pytest_runtest_setup(item: pytest.Item) -> None:
    global _seeds
    _seeds = itertools.count(zlib.crc32(item.nodeid.encode()))
    asking._registered.clear()  # metrics that the test before has registered


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator that starts in the same place in every test."""
    return np.random.default_rng(20_080_615)


@pytest.fixture
def blank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave figures blank: rendering takes most of the time of a page."""
    figures = pytest.importorskip("matplotlib.figure")
    monkeypatch.setattr(figures.Figure, "draw", lambda figure, renderer: None)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run a few files, and what times itself or fills the memory, in this process alone."""
    alone = {"bench", "large"}
    few = all(Path(name.partition("::")[0]).is_file() for name in config.args)
    return 0 if few or config.option.markexpr in alone else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without the garbage collector, and freeze half a million objects that stay: 10 %."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        atexit.register(gc.unfreeze)
        gc.set_threshold(50_000)  # compiling makes many objects: a tenth of its time was looking
        gc.enable()


_compiling: list[float] = []


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["compiling"] = _compile.notice._seconds


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _compiling.append(getattr(node, "workeroutput", {}).get("compiling", 0.0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much of the time went into compiling kernels: nothing, where all are cached."""
    seconds = [*_compiling, _compile.notice._seconds]
    if max(seconds) >= 1:
        parts = " + ".join(f"{each:.0f} s" for each in seconds if each >= 1)
        terminalreporter.write_sep("=", f"kernels took {parts} to compile or to load")


#: Every second process of tests reads the files from the last to the first: what one half has
#: compiled by then, byte code and kernels, the other half finds.
BACKWARDS = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 2 == 1


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    if BACKWARDS and isinstance(collector, pytest.Dir) and report.result:
        report.result.reverse()
    return report


#: Tests that start processes of their own come last, the longest of them first: those find all
#: kernels compiled.
LAST = (
    "tests/clusters/test_dask_cluster.py",
    "tests/recipes/",
    "tests/guards/test_imports.py",
    "tests/cli/",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(
        key=lambda item: (*(item.nodeid.startswith(each) for each in reversed(LAST)), item.path)
    )
    leave_to_exhaustive(items)
