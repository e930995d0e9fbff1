"""The guide's recipe on Spark: partitions become states, whatever they hold and whoever dies."""

import os
from collections.abc import Iterator
from typing import Any

import guide
import pandas as pd
import pytest

import fastmetrics as fm
import spark

pytestmark = [pytest.mark.source_tree, pytest.mark.filterwarnings(spark.QUIET)]
LAYOUT = fm.streams.BinLayout.of_bits()


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    with spark.session() as session:
        yield session


def rows(rng: Any, n: int = 3_000) -> tuple[Any, Any]:
    return rng.integers(0, 2, n), rng.normal(size=n)


def visits(session: Any, y: Any, p: Any) -> Any:
    columns = zip(y.tolist(), p.tolist(), strict=True)
    return session.createDataFrame(list(columns), "bought int, p double")


def run_on(frame: Any, **names: Any) -> fm.streams.BinnedScoreTable:
    """Run the recipe on a data frame of Spark, some of what it calls being replaced."""
    given = {"fm": fm, "pd": pd, "layout": LAYOUT, "visits": frame} | names
    exec(compile(guide.recipe("spark"), "docs/scale.md", "exec"), given)
    table: fm.streams.BinnedScoreTable = given["table"]
    return table


def test_partitions_of_any_size(session: Any, rng: Any) -> None:
    y, p = rows(rng)
    whole = fm.streams.BinnedScoreTable(LAYOUT)
    whole.update(y, p)
    frame = visits(session, y, p)
    few = frame.where("p > 2")
    assert run_on(frame.repartition(5, "bought")) == whole, "three partitions are empty"
    some = fm.streams.BinnedScoreTable(LAYOUT)
    some.update(y[p > 2], p[p > 2])
    assert run_on(few.repartition(3)) == some
    assert run_on(frame.where("p > 1e9")) == fm.streams.BinnedScoreTable(LAYOUT)


def test_a_worker_that_dies_is_tried_again_and_counts_once(
    session: Any, rng: Any, tmp_path: Any
) -> None:
    y, p = rows(rng)
    flag = tmp_path / "died"

    def dying(frames: Any) -> Any:
        """Pass rows on; in one partition, at first, die when all of them have been counted."""
        from pyspark import TaskContext

        yield from frames
        if TaskContext.get().partitionId() == 1 and not flag.exists():
            flag.touch()
            os._exit(1)

    frame = visits(session, y, p).repartition(3).mapInPandas(dying, "bought int, p double")
    whole = fm.streams.BinnedScoreTable(LAYOUT)
    whole.update(y, p)
    assert run_on(frame) == whole
    assert flag.exists()


def test_what_is_wrong_with_rows_is_said(session: Any) -> None:
    frame = session.createDataFrame([(1, 0.5), (0, None)], "bought int, p double")
    with pytest.raises(Exception, match="`y_score` must be finite: nan at index"):
        run_on(frame)
