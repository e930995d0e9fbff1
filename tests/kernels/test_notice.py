"""The notice on stderr where kernels take more than two seconds to compile."""

import io
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from fastmetrics._kernels import _compile


@pytest.fixture
def tell(monkeypatch):
    """Return what tells a notice, at some second, that a function is compiled or done."""

    def told(second, is_start, module="fastmetrics._kernels.merges"):
        monkeypatch.setattr(_compile, "perf_counter", lambda: second)
        monkeypatch.setattr(sys, "stderr", told.stderr)
        function = SimpleNamespace(__module__=module)
        data = {"dispatcher": SimpleNamespace(py_func=function)}
        told.notice.notify(SimpleNamespace(is_start=is_start, data=data))

    told.notice, told.stderr = _compile.Notice(), io.StringIO()
    return told


def compile_some(tell):
    """Compile for 1.9 s, and after a while for 2.5 s, of which another function takes a second."""
    tell(10.0, True)
    tell(11.9, False)
    assert not tell.stderr or not tell.stderr.getvalue()
    tell(20.0, True)
    tell(21.0, True)
    tell(22.0, False)
    tell(22.5, False)


def test_it_comes_once_after_two_seconds_of_compiling(tell):
    compile_some(tell)
    assert tell.stderr.getvalue() == _compile.NOTICE
    assert _compile.NOTICE.count("\n") == 1
    assert "`fastmetrics warmup`" in _compile.NOTICE


def test_nothing_is_said_of_little_or_of_other_peoples_functions(tell):
    tell(10.0, True)
    tell(12.0, False)
    for module in ("__main__", None):
        tell(20.0, True, module)
        tell(30.0, False, module)
    assert tell.stderr.getvalue() == ""


@pytest.mark.parametrize("why", ["no stream", "not wanted"])
def test_nothing_is_said_where_nobody_reads_it(tell, why):
    stream = tell.stderr
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
_compile.notice.is_wanted = sys.argv[1] == "wanted"
for kernel in (pairs_of_sorted, cumulative_weights):
    kernel(np.arange(3.0), np.arange(3.0))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_process_that_compiles(tmp_path):
    paths = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": paths}
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM, want],
            env=environment | {"NUMBA_CACHE_DIR": str(tmp_path / want)},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stderr
        for want in ("wanted", "unwanted", "wanted")
    ]
    assert said == [_compile.NOTICE, "", ""]  # the last one finds all compiled
