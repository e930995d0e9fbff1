"""`BinaryScores`: a table of bins as a metric of torchmetrics, on one process and on several."""

import io
import pickle
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.streams import BinLayout, BinnedScoreTable
from processes import python

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
torchmetrics = pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")

import torch.distributed as dist  # noqa: E402
from torchmetrics.classification import BinaryAUROC  # noqa: E402

from fastmetrics.torch import BinaryScores  # noqa: E402

pytestmark = pytest.mark.integrations

BITS = BinLayout.of_bits(n_bins=1024)
QUARTERS = BinLayout(np.arange(-8, 8, 0.25))
STATES = ("edges", "counts", "scores")


def batches(seed: int = 0, n_batches: int = 6, rows: int = 500, step: float = 0.0) -> Any:
    """Return batches of logits and labels; logits are multiples of a step, if there is one."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, (n_batches, rows))
    scores = labels + rng.normal(size=labels.shape)
    if step:
        scores = np.round(scores / step) * step
    return list(zip(torch.from_numpy(scores.astype(np.float32)), torch.tensor(labels), strict=True))


def updated(metric: BinaryScores, rows: Any) -> BinaryScores:
    for preds, target in rows:
        metric.update(preds, target)
    return metric


def states(metric: BinaryScores) -> dict[str, Any]:
    return {name: getattr(metric, name).clone() for name in STATES}


def assert_same_states(one: dict[str, Any], two: dict[str, Any]) -> None:
    for name in STATES:
        assert one[name].dtype == torch.int64
        assert torch.equal(one[name], two[name]), name


@pytest.mark.parametrize("layout", [None, BITS, QUARTERS])
@pytest.mark.parametrize("step", [0.0, 0.25])
def test_the_state_is_the_table_of_all_rows(layout: BinLayout | None, step: float) -> None:
    rows = batches(step=step)
    metric = updated(BinaryScores(layout), rows)
    assert metric.layout is not None
    table = BinnedScoreTable(metric.layout, first_rows=0)
    preds, target = (torch.cat(each) for each in zip(*rows, strict=True))
    table.update(target, preds)
    assert metric.table == table
    assert metric.table.is_exact == (layout is QUARTERS and step > 0)
    if layout is None:
        assert metric.layout == BinLayout.learn(rows[0][0])
        peer = BinaryAUROC()(torch.sigmoid(preds), target).item()
        assert metric.compute()["roc_auc"].item() == pytest.approx(peer, abs=1e-3)
    for name, limits, exact in (
        ("roc_auc", table.roc_auc(), fm.roc_auc_score(target, preds)),
        ("average_precision", table.average_precision(), fm.average_precision_score(target, preds)),
    ):
        values = {key: value.item() for key, value in metric.compute().items() if name in key}
        assert values == {
            name: limits.midpoint,
            f"{name}_low": limits.low,
            f"{name}_high": limits.high,
        }
        assert values[f"{name}_low"] <= exact <= values[f"{name}_high"]


def test_negative_zero_is_zero() -> None:
    metric = BinaryScores(BITS)
    metric.update(torch.tensor([-0.0, -0.0]), torch.tensor([0, 1]))
    metric.update(torch.tensor([0.0, 0.0]), torch.tensor([0, 1]))
    assert metric.table.is_exact


@pytest.mark.parametrize("layout", [None, BITS])
def test_forward_returns_the_value_of_the_batch_and_counts_it(layout: BinLayout | None) -> None:
    rows = batches()
    metric = BinaryScores(layout)
    values = [metric(*batch) for batch in rows]
    assert_same_states(states(metric), states(updated(BinaryScores(metric.layout), rows)))
    for (preds, target), value in zip(rows, values, strict=True):
        exact = fm.roc_auc_score(target, preds)
        assert value["roc_auc_low"].item() <= exact <= value["roc_auc_high"].item()


@pytest.mark.parametrize("layout", [None, BITS])
def test_reset_forgets_rows_and_keeps_a_given_layout(layout: BinLayout | None) -> None:
    metric = updated(BinaryScores(layout), batches())
    metric.reset()
    assert metric.layout == layout
    assert_same_states(states(metric), states(BinaryScores(layout)))
    for batch in batches(seed=1):
        metric(*batch)
    assert_same_states(states(metric), states(updated(BinaryScores(layout), batches(seed=1))))


def test_a_saved_state_goes_on() -> None:
    rows = batches()
    metric = updated(BinaryScores(), rows[:3])
    file = io.BytesIO()
    torch.save(metric.state_dict(), file)
    file.seek(0)
    other = BinaryScores()
    other.load_state_dict(torch.load(file, weights_only=True))
    assert other.layout == metric.layout
    for batch in rows[3:]:
        metric.update(*batch)
        other(*batch)  # which resets, and merges
    assert_same_states(states(other), states(metric))
    for copy in (metric.clone(), pickle.loads(pickle.dumps(metric))):
        assert copy.table == metric.table
        assert copy.compute() == metric.compute()


@pytest.mark.parametrize(
    "convert",
    [
        lambda metric: metric.to(torch.float16),
        lambda metric: metric.half(),
        lambda metric: metric.set_dtype(torch.float16),
        lambda metric: torch.nn.ModuleList([metric]).to(torch.bfloat16)[0],
        lambda metric: metric.to("cpu"),
    ],
)
def test_another_dtype_or_device_changes_no_bit(convert: Any) -> None:
    rows = batches()
    metric = updated(convert(updated(BinaryScores(), rows[:3])), rows[3:])
    assert_same_states(states(metric), states(updated(BinaryScores(), rows)))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_device_counts_the_same() -> None:
    rows = batches()
    expected = states(updated(BinaryScores(), rows))
    metric = BinaryScores().to("cuda")
    for preds, target in rows:
        metric(preds.cuda(), target.cuda())
    assert metric.counts.is_cuda
    assert metric.compute()["roc_auc"].is_cuda
    assert_same_states(states(metric.to("cpu")), expected)


def test_scores_of_every_float_dtype_and_with_a_gradient() -> None:
    labels = torch.tensor([0, 1, 0, 1])
    scores = torch.tensor([0.25, 0.5, 0.5, 0.75])
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        metric = BinaryScores(BITS)
        assert metric(scores.to(dtype).requires_grad_(), labels.bool())["roc_auc"] == 0.875
    with torch.inference_mode():
        metric.update(scores, labels)
    metric.update(scores, labels)
    assert metric.table.n_positive == 6


def test_merge_state_adds() -> None:
    rows = batches()
    one = updated(BinaryScores(), rows[:3])
    two = updated(BinaryScores(one.layout), rows[3:])
    new = BinaryScores()
    for metric in (one, two):
        new.merge_state(metric)
    assert_same_states(states(new), states(updated(BinaryScores(), rows)))


def test_layouts_that_differ_are_not_merged() -> None:
    one, two = (updated(BinaryScores(), batches(seed)) for seed in (0, 1))
    before = states(one)
    with pytest.raises(fm.errors.InputError, match="different layouts cannot be merged"):
        one.merge_state(two)
    assert_same_states(states(one), before)


def test_collections_and_trackers_take_it() -> None:
    rows = batches()
    pair = torchmetrics.MetricCollection({"a": BinaryScores(BITS), "b": BinaryScores(BITS)})
    for batch in rows:
        pair.update(*batch)
    values = pair.compute()
    assert values["a_roc_auc"] == values["b_roc_auc"]
    assert len(values) == 12
    tracker = torchmetrics.MetricTracker(BinaryScores(), maximize=True)
    for seed in range(2):
        tracker.increment()
        for batch in batches(seed):
            tracker.update(*batch)
    aucs = [updated(BinaryScores(), batches(seed)).compute()["roc_auc"] for seed in range(2)]
    assert tracker.compute_all()["roc_auc"].tolist() == aucs


GOOD = torch.tensor([0.1, 0.9]), torch.tensor([0, 1])


@pytest.mark.parametrize(
    ("preds", "target", "message"),
    [
        (torch.tensor([0.1, np.nan]), GOOD[1], r"`preds` must be finite: nan at index 1"),
        (torch.tensor([0.1, np.inf]), GOOD[1], r"`preds` must be finite: inf at index 1"),
        (torch.zeros(2, 2), GOOD[1], r"`preds` must have shape \(n,\): got \(2, 2\)"),
        (GOOD[0], torch.tensor([1, 2]), r"`target` takes its values in \{1, 2\}: pass `pos_label`"),
        (GOOD[0], torch.tensor([1]), r"lengths differ: `target` has 1 rows, `preds` has 2 rows"),
        (torch.zeros(0), torch.zeros(0), r"`target` is empty"),
    ],
)
def test_errors_name_the_argument_and_count_nothing(preds: Any, target: Any, message: str) -> None:
    for metric in (BinaryScores(), updated(BinaryScores(), [GOOD])):
        before = states(metric)
        for count in (metric.update, metric):
            with pytest.raises(fm.errors.InputError, match=message):
                count(preds, target)
            assert_same_states(states(metric), before)


def test_other_arguments() -> None:
    with pytest.raises(TypeError, match="`layout` must be a BinLayout, or None: got int"):
        BinaryScores(32)  # type: ignore[arg-type]
    with pytest.raises(fm.errors.InputError, match="`layout` must have two bins or more"):
        BinaryScores(BinLayout([]))
    metric = BinaryScores(pos_label=2)
    metric.update(GOOD[0], torch.tensor([1, 2]))
    assert metric.compute()["roc_auc"] == 1


def test_a_missing_class_is_nan_with_a_warning() -> None:
    metric = BinaryScores()
    with pytest.warns(fm.errors.UndefinedMetricWarning):
        assert metric(GOOD[0], torch.tensor([1, 1]))["roc_auc"].isnan()
    with pytest.warns(UserWarning, match="compute|not defined"):
        assert BinaryScores().compute()["average_precision"].isnan()


def size_after(n_batches: int, rows: int) -> tuple[int, int]:
    """Return the bytes of a state, and of all that is pickled, after many rows."""
    metric = BinaryScores(BinLayout.of_bits())
    generator = torch.Generator().manual_seed(0)
    for _ in range(n_batches):
        target = torch.randint(0, 2, (rows,), generator=generator)
        metric.update(torch.randn(rows, generator=generator) + target, target)
    assert metric.table.n_positive + metric.table.n_negative == n_batches * rows
    n_bytes = sum(getattr(metric, name).nbytes for name in STATES)
    return n_bytes, len(pickle.dumps(metric))


def test_a_million_rows_need_the_memory_of_a_few() -> None:
    few, many = size_after(1, 10), size_after(10, 100_000)
    assert few[0] == many[0] < 1.1e6
    assert many[1] == pytest.approx(few[1], abs=100)


@pytest.mark.slow
def test_a_hundred_million_rows_need_the_memory_of_a_few() -> None:
    assert size_after(100, 1_000_000)[0] == size_after(1, 10)[0]


def test_who_lacks_torchmetrics_is_told_what_to_install() -> None:
    code = "import sys; sys.modules['torchmetrics'] = None; import fastmetrics as fm; fm.torch"
    done = python("-c", code)
    assert done.returncode == 1
    assert "ImportError: fastmetrics.torch needs torchmetrics: pip install" in done.stderr


def refused(call: Any, *arguments: Any) -> str:
    try:
        call(*arguments)
    except ValueError as error:
        return str(error)
    return ""


def run_rank(rank: int, folder: str) -> None:
    """Update on one of two ranks, and save what it has."""
    meeting = f"file://{folder}/meeting"
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
    saved: dict[str, Any] = {}
    for name, layout, step in (("learnt", None, 0.0), ("given", BITS, 0.25)):
        metric = BinaryScores(layout)
        if layout is None:  # the first batch of rank 0 is bad: nobody waits, nobody has a layout
            bad = torch.full((4,), torch.nan if rank == 0 else 1.0), torch.tensor([0, 1, 0, 1])
            saved["message"] = refused(metric, *bad)
        count = metric.update if layout is None else metric
        for preds, target in batches(step=step)[rank::2]:
            count(preds, target)
        saved[f"{name}: values"] = metric.compute()
        metric.sync()
        saved[f"{name}: states"] = states(metric)
        metric.unsync()
        saved[f"{name}: local rows"] = int(metric.counts.sum())
    alone = BinaryScores(sync_on_compute=False)
    for batch in batches(rank):
        alone.update(*batch)
    saved["apart"] = refused(alone.sync)
    torch.save(saved, f"{folder}/{rank}.pt")
    dist.destroy_process_group()


def test_two_processes_have_the_bits_of_one(tmp_path: Path) -> None:
    context = torch.multiprocessing.start_processes(
        run_rank, (str(tmp_path),), nprocs=2, join=False, start_method="spawn"
    )
    end = time.monotonic() + 240
    try:
        while not context.join(timeout=5):
            assert time.monotonic() < end, "the ranks wait for one another"
    finally:
        for process in context.processes:
            process.kill()
    ranks = [torch.load(tmp_path / f"{rank}.pt") for rank in range(2)]
    learnt = BinLayout.learn(batches()[0][0])
    for name, layout, step in (("learnt", learnt, 0.0), ("given", BITS, 0.25)):
        one = updated(BinaryScores(None if name == "learnt" else layout), batches(step=step))
        assert one.layout == layout
        for saved in ranks:
            assert_same_states(saved[f"{name}: states"], states(one))
            assert saved[f"{name}: values"] == one.compute()
            assert saved[f"{name}: local rows"] == 3 * 500
    assert "`preds` must be finite" in ranks[0]["message"]
    assert "rank 0 could not learn a layout" in ranks[1]["message"]
    assert all("different layouts cannot be merged" in saved["apart"] for saved in ranks)


@pytest.mark.source_tree
def test_the_block_of_the_guide_prints_what_stands_below(capsys: Any) -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/training.md").read_text("utf-8")
    pattern = r"<!-- ci:torchmetrics -->\n```python\n(.*?)```\n\n```text\n(.*?)```"
    (block,) = re.findall(pattern, page, re.DOTALL)
    exec(block[0], {"np": np, "fm": fm})
    assert capsys.readouterr().out == block[1]
