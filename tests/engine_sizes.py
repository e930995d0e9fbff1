"""Sizes of blocks, batches and jobs, which small data must exceed: of tests, what knows them."""

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

import pytest

_CURVES = "metrics.curves"
_BOOTSTRAP = "inference.bootstrap"

#: Where each size stands, in the package: some are read in several modules.
PLACES: dict[str, tuple[str, ...]] = {
    # of threads
    "patience": ("_threads.workers._PATIENCE",),
    # of the command line
    "files_cells": ("cli._bounded.CELLS",),
    "files_memory": ("cli._bounded.memory_of_rows",),
    "files_kept": ("cli._bounded._KEPT_ROWS",),
    "files_groups": ("cli._bounded._GROUPS",),
    "files_loaded": ("cli._bounded.reason_to_load",),
    "patience_with_files": ("cli._session._PATIENCE",),
    # of tables
    "bin_part_rows": ("tables.binned_score_table._PART_ROWS",),
    "bin_call_rows": ("tables.binned_score_table._CALL_ROWS",),
    "dense_classes": (
        "tables.confusion._label_counts.MOST_CLASSES",
        "tables.confusion._matrix_state.MOST_CLASSES",
        "tables.confusion.confusion_matrix.MOST_CLASSES",
    ),
    "hull_chunk_rows": ("tables.score_table.CHUNK_ROWS",),
    "indicator_block": ("metrics.decisions._class_counts._BLOCK",),
    "plain_rows": ("tables.pairs.PLAIN_ROWS",),
    "pair_job_rows": ("tables.concordance._ROWS_OF_A_JOB",),
    "counted_rows": ("tables.key_counter.WORTH",),
    "counted_recur": ("tables.key_counter._MOST_RECUR",),
    "counted_share": ("tables.key_counter._LEAST_SHARE",),
    "beside_rows": ("tables.score_runs._BESIDE",),
    "dealt_rows": ("tables.score_runs._DEALT",),
    "passed_bytes": ("tables.score_runs._PASSED",),
    "waiting_rows": ("tables.score_runs._WAITING",),
    "row_block": ("tables.row_runs._BLOCK",),
    "row_kept": ("tables.row_runs._KEPT",),
    "row_range_rows": ("tables.row_runs._RANGE_ROWS",),
    "row_run_rows": ("tables.row_runs._RUN_ROWS",),
    "row_least_rows": ("tables.row_runs._LEAST_ROWS",),
    "run_entry_bytes": ("tables.score_runs._OF_ENTRY",),
    # of metrics
    "curve_piece_rows": (
        "tables.score_table.PIECE_ROWS",
        f"{_CURVES}.best_threshold.PIECE_ROWS",
        f"{_CURVES}.precision_recall.PIECE_ROWS",
        f"{_CURVES}.roc.PIECE_ROWS",
    ),
    "logit_width": ("metrics.calibration.logistic_calibration._WIDTH",),
    # of replicates
    "band_places": ("inference.bands.N_POINTS",),
    "batch_bytes": (f"{_BOOTSTRAP}._samples.BATCH_BYTES",),
    "batches_of_a_part": (f"{_BOOTSTRAP}.bootstrap._BATCHES",),
    "cell_batch": (f"{_BOOTSTRAP}._samples._CELLS_OF_A_BATCH",),
    "cell_rows": (f"{_BOOTSTRAP}._parse.ROWS_OF_A_CELL",),
    "part_bytes": (f"{_BOOTSTRAP}.bootstrap._CHUNK_BYTES",),
    "part_rows": (f"{_BOOTSTRAP}.bootstrap._MOST_ROWS",),
    # of comparisons and selection
    "critical_value": ("inference.reference.critical_value",),
    "nemenyi_quantile": ("comparison.post_hoc.nemenyi_quantile",),
    "label_block": ("selection.decomposition._BLOCK_OF_LABELS",),
    "loss_block": ("selection.decomposition._BLOCK",),
    "pairs_block": ("selection.point632._BLOCK",),
    "most_settings": ("selection.tuning._MOST_SETTINGS",),
    "most_values": ("selection.tuning._MOST_VALUES",),
}


#: Scores are counted rather than sorted from the first rows on, whatever they are.
COUNT_FEW = {"counted_rows": 8, "counted_recur": 0.0, "counted_share": 0.0, "beside_rows": 0}

#: What does the work, in the module that calls it.
WORK = {
    "error sums": "tables.regression.add_up",
    "label cells": "metrics.decisions.count_metrics.label_cells",
    "label counts": "metrics.decisions._class_counts.label_counts",
    "reading of files": "cli._bounded.read_rows",
    "replicates": f"{_BOOTSTRAP}.bootstrap.Engine.run",
    "taking of rows": "cli._bounded.RowTaker.take",
    "spilling": "tables.sorted_columns.SpillFile.append",
    "counts of draws": f"{_BOOTSTRAP}._samples.Draws.counts",
}


def put(patch: pytest.MonkeyPatch, **sizes: Any) -> None:
    """Put other sizes in place of the engine's until the patch is undone."""
    for name, size in sizes.items():
        for place in PLACES[name]:
            patch.setattr(f"fastmetrics.{place}", size)


def noted(
    patch: pytest.MonkeyPatch, work: str, then: Callable[[], Any] = lambda: None
) -> list[tuple[Any, ...]]:
    """Return a list that collects the arguments of calls that do this work; each calls ``then``."""
    calls: list[tuple[Any, ...]] = []
    place = f"fastmetrics.{WORK[work]}"
    original = resolve_name(place)

    def call(*given: Any, **options: Any) -> Any:
        calls.append(given)
        result = original(*given, **options)
        then()
        return result

    patch.setattr(place, call)
    return calls


def failing(patch: pytest.MonkeyPatch, work: str, error: BaseException) -> None:
    """Let each call fail that does this work."""

    def call(*_: Any, **__: Any) -> Any:
        raise error

    patch.setattr(f"fastmetrics.{WORK[work]}", call)


def size(name: str) -> Any:
    """Return a size as it is."""
    return resolve_name(f"fastmetrics.{PLACES[name][0]}")
