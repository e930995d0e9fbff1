"""Files are read ahead by a thread, of which nothing is left when something else is asked."""

from __future__ import annotations

import threading
import time

import pytest


def test_a_slow_fetch_ends_before_a_file_is_read_anew(tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    from fastmetrics.io import _session, reader

    fetched = _session.ahead

    def slowly(connection, batches):
        def slow():
            for batch in batches:
                time.sleep(0.01)
                yield batch

        return fetched(connection, slow())

    monkeypatch.setattr(_session, "_PATIENCE", 0.0)
    monkeypatch.setattr(reader, "_BATCH_ROWS", 2048)
    monkeypatch.setattr(reader, "ahead", slowly)
    n = 45_000  # DuckDB guesses integers of the first 20,480 rows
    scores = ["7"] * n
    scores[30_000] = "0.5"
    path = tmp_path / "late.csv"
    path.write_text("y,s\n" + "".join(f"{i % 2},{s}\n" for i, s in enumerate(scores)))
    found = reader.read_columns([path], "y", ["s"])
    assert found.scores["s"].sum() == 7 * (n - 1) + 0.5


def test_an_interrupt_at_the_start_leaves_no_thread(monkeypatch):
    pytest.importorskip("duckdb")
    import duckdb

    from fastmetrics.io import _session

    started = []

    class Interrupted(threading.Thread):
        def start(self):
            super().start()
            started.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(_session.threading, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        next(_session.ahead(duckdb.connect(), iter(range(100))))
    started[0].join(5)
    assert not started[0].is_alive()
