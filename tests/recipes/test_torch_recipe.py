"""Tables of bins in a training loop: ranks reduce their states."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import guide  # noqa: E402

from fastmetrics.streams import BinnedScoreTable  # noqa: E402
from processes import started  # noqa: E402

RANK = """
import sys
import numpy as np
import torch
import fastmetrics as fm

{recipe}

rank, folder = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{{folder}}/meeting", rank=rank, world_size=2)
rng = np.random.default_rng(rank)
labels, scores = rng.integers(0, 2, 1_000), rng.normal(size=1_000).astype(np.float32)
table = fm.streams.BinnedScoreTable(fm.streams.BinLayout.of_bits(), first_rows=500)
table.update(torch.from_numpy(labels), torch.from_numpy(scores))
table.save(f"{{folder}}/own{{rank}}.npz")
reduced(table).save(f"{{folder}}/all{{rank}}.npz")
dist.destroy_process_group()
"""


@pytest.mark.source_tree
def test_the_recipe_of_the_guide_reduces_two_ranks(tmp_path: Any) -> None:
    program = RANK.format(recipe=guide.recipe("torch"))
    for rank in [started("-c", program, str(k), str(tmp_path)) for k in range(2)]:
        _, output = rank.communicate(timeout=120)
        assert rank.returncode == 0, output
    own = [BinnedScoreTable.load(tmp_path / f"own{k}.npz") for k in range(2)]
    for k in range(2):
        assert BinnedScoreTable.load(tmp_path / f"all{k}.npz") == own[0] + own[1]
