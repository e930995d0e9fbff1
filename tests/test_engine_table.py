"""The table of metrics and engines in the document is what asking finds."""

import pytest

pytest.importorskip("dask.array")

import engine_table
from metric_names import METRICS

pytestmark = pytest.mark.source_tree


def test_the_document_has_the_table_as_it_is() -> None:
    assert f"\n{engine_table.table()}\n" in engine_table.DOCUMENT.read_text(encoding="utf-8")


def test_what_the_registry_says_is_what_asking_finds() -> None:
    for metric in METRICS.values():
        assert engine_table.has("influences", metric) == bool(metric.influences), metric.name
        if metric.resampled != "rows":
            assert engine_table.has("BCa", metric) == ("bca" in metric.intervals), metric.name
