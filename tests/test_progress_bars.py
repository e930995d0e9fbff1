"""Progress bars: when one is shown, and what it needs."""

import io
import sys
import types

import pytest

import engine_sizes
import fastmetrics as fm


class Terminal(io.StringIO):
    def isatty(self):
        return True


def bar_on(stream, monkeypatch, progress, patience=0.0):
    monkeypatch.setattr(sys, "stderr", stream)
    engine_sizes.put(monkeypatch, patience=patience)
    matrix = fm.ConfusionMatrix.binary(tp=40, fp=9, fn=11, tn=50)
    results = fm.bootstrap(matrix, metrics="f1", n_resamples=25, rng=1, progress=progress)
    assert len(results["f1"].details.distribution) == 25
    return None if stream is None else stream.getvalue()


def test_a_bar_by_itself_is_for_terminals_and_for_what_takes_long(monkeypatch):
    pytest.importorskip("tqdm")
    assert "bootstrap: " in bar_on(Terminal(), monkeypatch, None)
    assert bar_on(Terminal(), monkeypatch, None, patience=60.0) == ""
    assert bar_on(io.StringIO(), monkeypatch, None) == ""
    assert bar_on(Terminal(), monkeypatch, False) == ""
    assert "bootstrap: " in bar_on(io.StringIO(), monkeypatch, True, patience=60.0)
    assert bar_on(None, monkeypatch, None) is None  # as under pythonw


@pytest.mark.parametrize(("config", "is_shown"), [({"IPKernelApp": {}}, True), ({}, False)])
def test_a_notebook_is_watched(monkeypatch, config, is_shown):
    pytest.importorskip("tqdm")
    shell = types.SimpleNamespace(config=config)
    notebook = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    assert ("bootstrap: " in bar_on(io.StringIO(), monkeypatch, None)) == is_shown
    notebook.get_ipython = lambda: None  # IPython was imported, and does not run this
    assert bar_on(io.StringIO(), monkeypatch, None) == ""


def test_a_bar_by_itself_needs_no_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert bar_on(Terminal(), monkeypatch, None) == ""
    with pytest.raises(ImportError, match="progress=True needs tqdm"):
        bar_on(Terminal(), monkeypatch, True)
