"""Progress bars: when one is shown, and what it needs."""

from __future__ import annotations

import io
import sys
import types

import pytest

from fastmetrics._threads import workers as _workers
from fastmetrics._threads.workers import run_batches


class Terminal(io.StringIO):
    def isatty(self):
        return True


def bar_on(stream, monkeypatch, progress, patience=0.0):
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_workers, "_PATIENCE", patience)
    done: list[int] = []
    run_batches(
        lambda start, count: done.append(count),
        range(0, 25, 10),
        progress=progress,
        description="work",
        unit="steps",
    )
    assert done == [10, 10, 5]
    return stream.getvalue()


def test_a_bar_by_itself_is_for_terminals_and_for_what_takes_long(monkeypatch):
    pytest.importorskip("tqdm")
    assert "work: " in bar_on(Terminal(), monkeypatch, None)
    assert bar_on(Terminal(), monkeypatch, None, patience=60.0) == ""
    assert bar_on(io.StringIO(), monkeypatch, None) == ""
    assert bar_on(Terminal(), monkeypatch, False) == ""
    assert "work: " in bar_on(io.StringIO(), monkeypatch, True, patience=60.0)
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw
    assert _workers._tqdm(None) is None


@pytest.mark.parametrize(("config", "is_shown"), [({"IPKernelApp": {}}, True), ({}, False)])
def test_a_notebook_is_watched(monkeypatch, config, is_shown):
    pytest.importorskip("tqdm")
    shell = types.SimpleNamespace(config=config)
    notebook = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    assert ("work: " in bar_on(io.StringIO(), monkeypatch, None)) == is_shown
    notebook.get_ipython = lambda: None  # IPython was imported, and does not run this
    assert bar_on(io.StringIO(), monkeypatch, None) == ""


def test_a_bar_by_itself_needs_no_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert bar_on(Terminal(), monkeypatch, None) == ""
    with pytest.raises(ImportError, match="progress=True needs tqdm"):
        bar_on(Terminal(), monkeypatch, True)
