"""How far each row moves a loss of probabilities, or of class scores: losses of single rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._threads.workers import by_blocks
from fastmetrics.measures._measure import Floats, RowInfluences, of_mean, of_ratio


def _log_losses(codes: NDArray[Any], p: NDArray[Any]) -> Floats:
    """Return -log of what each row's class was given, kept away from 0 by the machine epsilon."""
    eps = _eps(p)
    own = _own(codes, p.astype(np.float64, copy=False))
    return np.asarray(-np.log(np.clip(own, eps, 1.0 - eps)))


def _eps(p: NDArray[Any]) -> float:
    return float(np.finfo(p.dtype if p.dtype.kind == "f" else np.float64).eps)


def _own(codes: NDArray[Any], p: Floats) -> Floats:
    """Return the probability of each row's class: of one column, that of class 1."""
    if p.ndim == 1:
        return np.where(codes == 1, p, 1.0 - p)
    return np.asarray(p[np.arange(len(p)), codes])


def _brier_scores(codes: NDArray[Any], p: NDArray[Any]) -> Floats:
    p = p.astype(np.float64, copy=False)
    if p.ndim == 1:
        return np.asarray((p - (codes == 1)) ** 2)
    own = p[np.arange(len(p)), codes]
    return np.asarray((p * p).sum(axis=1) - own * own + (1.0 - own) ** 2)


def _hinge_losses(codes: NDArray[Any], scores: NDArray[Any]) -> Floats:
    scores = scores.astype(np.float64, copy=False)
    if scores.ndim == 1:
        margin = np.where(codes == 1, scores, -scores)
    else:
        rows = np.arange(len(scores))
        others = scores.copy()
        others[rows, codes] = -np.inf
        margin = scores[rows, codes] - others.max(axis=1)
    return np.maximum(1.0 - margin, 0.0)


_LOSSES: Final[dict[str, Callable[..., Floats]]] = {
    "log_loss": _log_losses,
    "brier_score": _brier_scores,
    "hinge_loss": _hinge_losses,
}
_SAVED: Final = {"d2_log_loss_score": "log_loss", "d2_brier_score": "brier_score"}


def losses_of_rows(name: str, codes: NDArray[Any], p: NDArray[Any]) -> Floats:
    """Return the loss of each row, by the name of its mean; see `of_classes`."""
    losses = np.empty(len(p))

    def fill(here: slice) -> None:
        losses[here] = _LOSSES[name](codes[here], p[here])

    by_blocks(len(p), fill)
    return losses


def of_classes(
    name: str, codes: NDArray[Any], p: NDArray[Any], weights: Floats | None
) -> RowInfluences:
    """Return a loss by its name with the influence of each row.

    ``codes`` are numbers of classes, of one column of probabilities 1 for its class. Of the shares
    saved, the loss of the classes' shares is least there: that these move does not matter.
    """
    if name in _LOSSES:
        return of_mean(losses_of_rows(name, codes, p), weights)
    loss = partial(losses_of_rows, _SAVED[name])
    n_classes = 2 if p.ndim == 1 else p.shape[1]
    positive = (codes == 1).astype(np.int64) if p.ndim == 1 else codes
    shares = np.bincount(positive, weights, n_classes)
    shares = shares / shares.sum()
    if np.count_nonzero(shares) < 2:  # they have no loss: -inf, or nan of a perfect model
        clipped = 2.0 * _eps(p) if _SAVED[name] == "log_loss" else 0.0
        has_loss = of_mean(loss(codes, p), weights).value > clipped
        return RowInfluences(-np.inf if has_loss else np.nan, np.full(len(p), np.nan))
    null = np.full(len(p), shares[1]) if p.ndim == 1 else np.broadcast_to(shares, p.shape)
    saved = of_ratio(of_mean(loss(codes, p), weights), of_mean(loss(codes, null), weights))
    return saved.scaled(-1.0, 1.0 - saved.value)
