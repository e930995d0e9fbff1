"""A metric of torchmetrics with a state of fixed size: AUC and average precision in limits.

May import the tables, torch and torchmetrics.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError, importing, renamed
from fastmetrics.tables.bin_layout import N_BINS, BinLayout
from fastmetrics.tables.binned_score_table import BinnedScoreTable, Bins, ScoredRows, checked_rows

with importing("fastmetrics.torch needs torchmetrics: pip install 'fastmetrics-eval[torch]'"):
    import torch
    import torch.distributed as dist
    from torchmetrics import Metric

__all__ = ["BinaryScores"]

#: The bits of nan, which is no edge: they stand where a layout has fewer edges than there is room.
_NO_EDGE: Final = int(np.array(np.nan).view(np.int64))
#: In place of the bits of the one score of a bin: the bits of -0.0 and of a nan, which is none.
_NONE_YET: Final = int(np.iinfo(np.int64).min)
_SEVERAL: Final = int(np.iinfo(np.int64).max)


class BinaryScores(Metric):
    """AUC and average precision between certain limits, in constant memory, for torchmetrics.

    The state is a `BinnedScoreTable`: counts of both classes in bins of the score. torchmetrics
    merges the states of all ranks, and the limits hold for the rows of all of them.

    Parameters
    ----------
    layout : BinLayout, optional
        The bins. By default rank 0 learns up to 32,768 from its first batch, and from the first one
        after each `reset`, and broadcasts them: every rank has to update before one computes. Give
        a layout where a rank may have no batch.
    pos_label : label, optional
        The label of positives, where labels are not 0 and 1, or -1 and 1.
    **kwargs
        Options of `torchmetrics.Metric`. With `sync_on_compute=False` each rank learns alone.

    Raises
    ------
    TypeError, ValueError
        If `layout` is no `BinLayout`, or has one bin only.

    Notes
    -----
    The state has four 64-bit integers a bin, 1 MB up to 32,768 bins, whatever the number of rows,
    and is in `state_dict`. As integers they keep every bit in half precision and on every device.
    `update` counts on the CPU: it copies a batch, and the state, from a device.

    The state depends on the rows and the layout alone: not on their order, the batches or the
    number of ranks. Merging states of different layouts is a ValueError.

    Examples
    --------
    >>> import torch
    >>> from fastmetrics.torch import BinaryScores
    >>> metric = BinaryScores()
    >>> metric.update(torch.tensor([0.1, 0.4, 0.4, 0.8]), torch.tensor([0, 0, 1, 1]))
    >>> {name: value.item() for name, value in metric.compute().items() if "roc" in name}
    {'roc_auc': 0.875, 'roc_auc_low': 0.875, 'roc_auc_high': 0.875}
    >>> metric.table.ks_statistic()
    Bracket(low=0.5, high=0.5)
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False

    edges: torch.Tensor
    counts: torch.Tensor
    #: The bits of the score of each bin that holds one, which leaves nothing open.
    scores: torch.Tensor

    def __init__(self, layout: BinLayout | None = None, *, pos_label: Any = None, **kwargs: Any):
        super().__init__(**kwargs)
        self._layout = BinnedScoreTable(layout).layout
        self._pos_label = pos_label
        self._keeps_layout = False
        n_bins = N_BINS  # at least: metrics whose layouts are learnt and given then merge
        if layout is not None:
            n_bins = max(n_bins, layout.n_bins)
            if layout.n_bins == 1:
                raise InputError("`layout` must have two bins or more")
        # Edges come first: where they differ, no count must have been merged.
        self.add_state("edges", _edge_bits(layout, n_bins), _common_edges, persistent=True)
        self.add_state("counts", torch.zeros(2 * n_bins, dtype=torch.int64), "sum", persistent=True)
        scores = torch.full((n_bins,), _NONE_YET)
        self.add_state("scores", scores, _common_scores, persistent=True)

    @property
    def layout(self) -> BinLayout | None:
        """The bins; None until they are learnt."""
        edges = self.edges.numpy(force=True)
        known = edges[edges != _NO_EDGE].view(np.float64)
        if not len(known):
            return None
        if self._layout is None or not np.array_equal(self._layout.edges, known):
            self._layout = BinLayout(known)
        return self._layout

    @property
    def table(self) -> BinnedScoreTable:
        """A copy of the state as a table, which also has other metrics, as `ks_statistic`."""
        layout = self.layout
        if layout is None:
            return BinnedScoreTable()
        n = layout.n_bins
        counts = self.counts.numpy(force=True)[: 2 * n].copy()
        bits = self.scores.numpy(force=True)[:n]
        seen = np.where(bits == _NONE_YET, np.nan, bits.view(np.float64))
        watched = (bits != _SEVERAL) & ~layout._holds_one
        bins = Bins(layout, counts, seen, watched.view(np.uint8))
        return BinnedScoreTable._of(layout, 0, bins, int(counts.sum()))

    def update(self, preds: torch.Tensor, target: torch.Tensor) -> None:
        """Count a batch, or leave the state as it was.

        Parameters
        ----------
        preds : Tensor of shape (n,)
            Finite scores, higher for positives, as logits.
        target : Tensor of shape (n,)
            Labels of two classes.

        Raises
        ------
        TypeError, ValueError
            As `BinnedScoreTable.update`; and if rank 0 could not learn a layout from its batch.
        """
        if self.layout is None:
            self._learn_layout(preds, target)
        table = self.table
        with renamed(y_true="target", y_score="preds"):
            table.update(target, preds, pos_label=self._pos_label)
        members = table._members()
        seen = members["seen"]
        unknown = np.where(members["watched"], _NONE_YET, _SEVERAL)
        scores = np.where(np.isnan(seen), unknown, (seen + 0.0).view(np.int64))  # without -0.0
        self.counts = _state(members["counts"], len(self.counts), 0).to(self.counts.device)
        self.scores = _state(scores, len(self.scores), _NONE_YET).to(self.scores.device)

    def compute(self) -> dict[str, torch.Tensor]:
        """Return the limits of both metrics, and their midpoints.

        Returns
        -------
        dict of str to Tensor
            `roc_auc`, `roc_auc_low`, `roc_auc_high`, and the same of `average_precision`, in double
            precision; nan where a class is missing. The exact value lies between the limits.
        """
        table = self.table
        brackets = {"roc_auc": table.roc_auc(), "average_precision": table.average_precision()}
        return {
            f"{name}{end}": torch.tensor(value, dtype=torch.float64, device=self.counts.device)
            for name, bracket in brackets.items()
            for end, value in (
                ("", bracket.midpoint),
                ("_low", bracket.low),
                ("_high", bracket.high),
            )
        }

    def forward(self, preds: torch.Tensor, target: torch.Tensor) -> Any:
        """Count a batch as `update` does, and return its values as `compute` does."""
        if self.layout is None:
            self._learn_layout(preds, target)
        self._checked(preds, target)  # torchmetrics would lose the rows before a bad batch
        self._keeps_layout = True  # torchmetrics resets, to count the batch apart
        try:
            return super().forward(preds, target)
        finally:
            self._keeps_layout = False

    def reset(self) -> None:
        """Forget all rows, and a learnt layout: scores move while a model learns."""
        edges = self.edges
        super().reset()
        if self._keeps_layout:
            self.edges = edges

    def set_dtype(self, dst_type: Any) -> BinaryScores:  # noqa: ARG002
        """Return the metric as it is: its states stay integers."""
        return self

    def _checked(self, preds: Any, target: Any) -> ScoredRows:
        with renamed(y_true="target", y_score="preds"):
            return checked_rows(target, preds, None, self._pos_label, allow_inf=False)

    def _learn_layout(self, preds: Any, target: Any) -> None:
        """Learn a layout on rank 0, and take it on all ranks."""
        is_shared = self.sync_on_compute and self.distributed_available_fn()
        group = self.process_group or (dist.group.WORLD if is_shared else None)
        edges = self.edges.clone()
        try:
            if not is_shared or dist.get_rank(group) == 0:
                layout = BinLayout.learn(self._checked(preds, target).scores)
                edges = _edge_bits(layout, N_BINS).to(edges.device)
        finally:  # the others wait, also where it fails
            if is_shared:
                dist.broadcast(edges, dist.get_global_rank(group, 0), group=group)
        self.edges = edges
        if self.layout is None:
            raise InputError("rank 0 could not learn a layout: its first batch is invalid")


def _state(values: NDArray[np.int64], size: int, fill: int) -> torch.Tensor:
    """Return values of a layout's bins as a state of a fixed size; the rest is filled."""
    state = np.full(size, fill)
    state[: len(values)] = values
    return torch.from_numpy(state)


def _edge_bits(layout: BinLayout | None, n_bins: int) -> torch.Tensor:
    """Return the edges as integers, which no change of the dtype rounds, (n_bins - 1,)."""
    edges = np.empty(0) if layout is None else layout.edges
    return _state(edges.view(np.int64), n_bins - 1, _NO_EDGE)


def _common_edges(edges: torch.Tensor) -> torch.Tensor:
    """Return the edges that all states have, of (n_states, n_bins - 1), or raise."""
    rows = edges.numpy(force=True)
    known = np.flatnonzero((rows != _NO_EDGE).any(axis=1))
    if len(known) and (rows[known] != rows[known[0]]).any():
        raise InputError(
            "states of different layouts cannot be merged: make all metrics with one, "
            "`BinaryScores(layout)`"
        )
    return edges[int(known[0]) if len(known) else 0]


def _common_scores(scores: torch.Tensor) -> torch.Tensor:
    """Merge the scores of bins, (n_states, n_bins): one is kept where no state has another."""
    rows = scores.numpy(force=True)
    merged = rows.max(axis=0)
    has_one = ((rows == merged) | (rows == _NONE_YET)).all(axis=0)
    return torch.from_numpy(np.where(has_one, merged, _SEVERAL)).to(scores.device)
