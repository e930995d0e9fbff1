"""The line on a terminal while kernels are compiled."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from fastmetrics._kernels import _compile


class Terminal(io.StringIO):
    is_one = True

    def isatty(self):
        return self.is_one


@pytest.fixture
def tell(monkeypatch):
    """Return what tells a notice, at some second, that a function is compiled or done."""

    def told(second, is_start, module="fastmetrics._kernels.merges"):
        monkeypatch.setattr(_compile, "perf_counter", lambda: second)
        monkeypatch.setattr(sys, "stderr", told.stderr)
        function = SimpleNamespace(__module__=module)
        data = {"dispatcher": SimpleNamespace(py_func=function)}
        told.notice.notify(SimpleNamespace(is_start=is_start, data=data))

    told.notice, told.stderr = _compile.Notice(), Terminal()
    return told


def compile_some(tell):
    """Compile for 0.9 s, and after a while for 2.5 s, of which another function takes a second."""
    tell(10.0, True)
    tell(10.9, False)
    tell(20.0, True)
    tell(21.0, True)
    tell(22.0, False)
    tell(22.5, False)


def test_seconds_of_compiling_are_shown_while_it_lasts(tell):
    compile_some(tell)
    lines = tell.stderr.getvalue().split("\r")
    said = "compiling, once: {} s; `fastmetrics warmup` does it ahead".format
    assert lines == ["", said(2), said(3), " " * len(said(3)), ""]


def test_nothing_is_shown_of_little_or_of_other_peoples_functions(tell):
    tell(10.0, True)
    tell(11.0, False)
    for module in ("__main__", None):
        tell(20.0, True, module)
        tell(30.0, False, module)
    assert tell.stderr.getvalue() == ""


@pytest.mark.parametrize("why", ["no terminal", "no stream", "not wanted"])
def test_nothing_is_shown_where_nobody_waits(tell, why):
    stream = tell.stderr
    stream.is_one = why != "no terminal"
    tell.notice.is_wanted = why != "not wanted"
    if why == "no stream":
        tell.stderr = None
    compile_some(tell)
    assert stream.getvalue() == ""


PROGRAM = """
import sys
from fastmetrics._kernels import _compile
from fastmetrics._kernels.merges import cumulative_weights, pairs_of_sorted
import numpy as np
_compile._PATIENCE = 0.0
if sys.argv[1:]:
    _compile.compile_small_calls()
for kernel in (pairs_of_sorted, cumulative_weights):
    kernel(np.arange(3_000.0), np.arange(3_000.0))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
@pytest.mark.parametrize("where", ["terminal", "asked for", "pipe"])
def test_a_process_that_compiles(tmp_path, where):
    ours, theirs = os.openpty() if where != "pipe" else os.pipe()
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run(
        [sys.executable, "-c", PROGRAM, *([where] if where == "asked for" else [])],
        env={**os.environ, **environment, "NUMBA_CACHE_DIR": str(tmp_path)},
        stderr=theirs,
        check=True,
        timeout=120,
    )
    os.write(theirs, b"end\n")
    said = os.read(ours, 10_000)
    os.close(ours)
    os.close(theirs)
    assert (re.search(rb"compiling, once: \d+ s; `fastmetrics", said) is not None) == (
        where == "terminal"
    )
