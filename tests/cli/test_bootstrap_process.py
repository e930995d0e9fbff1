"""The bootstrap as a user at a terminal meets it: its bar, and Ctrl-C."""

import io
import os
import re
import signal
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bootstrap_cases import ONE, QUICK, run
from processes import started

import engine_sizes

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_is_for_those_who_look(scored, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    engine_sizes.put(monkeypatch, patience=60.0)  # kernels may have to be compiled
    assert run(*ONE, *QUICK) == 0
    assert "bootstrap" not in terminal.getvalue()
    engine_sizes.put(monkeypatch, patience=0.0)
    capsys.readouterr()
    assert run(*ONE, *QUICK) == 0
    assert re.search(r"bootstrap: .*/99 \[", terminal.getvalue())
    out = capsys.readouterr().out
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    assert run(*ONE, *QUICK) == 0
    assert log.getvalue() == ""
    assert capsys.readouterr().out == out


def test_without_tqdm_there_is_no_bar(scored, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert run(*ONE, *QUICK) == 0
    assert terminal.getvalue() == ""


@POSIX
@pytest.mark.parametrize("models", [("s",), ("s", "t")])
def test_interrupt_while_resampling(tmp_path, models):
    rng = np.random.default_rng(0)
    n = 100_000
    y = (rng.random(n) < 0.3).astype(np.int8)
    scores = {name: rng.normal(size=n) + y for name in "st"}
    pq.write_table(pa.table({"y": y} | scores), tmp_path / "x.parquet")
    # The engine says when it has begun, so that the signal does not come before.
    code = (
        "import os, sys\nfrom unittest import mock\nfrom fastmetrics.cli import main\n"
        "from fastmetrics.inference.bootstrap.bootstrap import Engine\nbatch = Engine._batch\n"
        "def told(*arguments):\n"
        "    batch(*arguments)\n    os.write(2, b'begun\\n')\n"  # whole, from any thread
        "options = ['--bootstrap', '100000', '--metrics', 'roc_auc']\n"
        f"options += {[part for name in models for part in ('--score', name)]!r}\n"
        "with mock.patch.object(Engine, '_batch', told):\n"
        "    sys.exit(main(['evaluate', 'x.parquet', '--label', 'y', *options]))"
    )
    with started(code, cwd=tmp_path) as process:
        try:
            assert process.stderr.readline() == "begun\n"
            start = time.perf_counter()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert time.perf_counter() - start < 5  # below 1 on an idle machine; minutes if it ran on
    assert process.returncode == 130
    assert out == ""
    assert err.replace("begun\n", "") == "fastmetrics: interrupted\n"
