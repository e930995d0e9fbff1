"""Curves of tables of several pieces, which threads share: the bits of one piece."""

import numpy as np
import pytest

import engine_sizes
import fastmetrics as fm

CRITERIA = {
    "youden": {},
    "closest-topleft": {},
    "fewest-errors": {},
    "fbeta": {},
    "precision_at_recall": {"at_least": 0.9},
    "recall_at_precision": {"at_least": 0.5},
    "recall_at_false_positive_rate": {"at_most": 0.1},
}


def found(labels, scores, weights) -> list[bytes]:
    options = {"sample_weight": weights}
    results = [
        *fm.roc_curve(labels, scores, **options),
        *fm.roc_curve(labels, scores, drop_intermediate=False, **options),
        *fm.precision_recall_curve(labels, scores, **options),
        *fm.det_curve(labels, scores, **options),
        fm.average_precision_score(labels, scores, **options),
        *fm.ks_statistic(labels, scores, **options).to_dict().values(),
        *fm.estimate(labels, scores, metrics="ks_statistic", **options)[
            "ks_statistic"
        ].confidence_interval,
        *fm.break_even_point(labels, scores, **options).to_dict().values(),
    ]
    for criterion, constraint in CRITERIA.items():
        best = fm.best_threshold(labels, scores, criterion=criterion, **constraint, **options)
        results += [best.threshold, best.value, best.tp, best.fp]
    return [np.asarray(result).tobytes() for result in results]


@pytest.mark.parametrize("decimals", [1, 2, 9])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 7, 300])
def test_pieces_change_no_bit(rng, monkeypatch, decimals: int, is_weighted: bool, rows) -> None:
    labels = rng.integers(0, 2, 500)
    scores = np.round(rng.standard_normal(500) + labels, decimals)
    weights = rng.random(500) if is_weighted else None
    whole = found(labels, scores, weights)
    engine_sizes.put(monkeypatch, curve_piece_rows=rows)
    assert found(labels, scores, weights) == whole
