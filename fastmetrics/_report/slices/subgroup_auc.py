"""``subgroup_auc``: how scores rank rows of a subgroup among themselves, and against all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, named_scores
from fastmetrics._input.scalars import WeightsAre, check_confidence_level, check_weights_are
from fastmetrics._report.slices.slices import (
    NO_GAP,
    SLICES,
    estimates_of,
    measured_in,
    rows_of,
    sliced,
)
from fastmetrics._report.slices.slices_result import Slices
from fastmetrics.inference.forms import asked_of


@documented(MODELS, SLICES)
def subgroup_auc(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike],
    slices: Mapping[str, ArrayLike],
    *,
    names: Sequence[str] | None = None,
    intersections: int = 1,
    min_n: int = 30,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    groups: ArrayLike | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
) -> Slices:
    """Compute the AUC within each subgroup, and of its rows against those of all others.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    slices : mapping of str to array-like of shape (n_samples,)
        Columns whose values are subgroups.
    groups : array-like of shape (n_samples,), optional
        Group of each row (user, patient): groups then vary, not rows.
    confidence_level : float, default=0.95
        Of the limits, for all subgroups of a measure and model at once.

    Returns
    -------
    Slices
        Of each model and subgroup "subgroup_auc", "bpsn_auc" and "bnsp_auc".

    Raises
    ------
    ValueError
        If the data are not binary labels and finite scores, or no subgroup has `min_n` rows.

    Notes
    -----
    "subgroup_auc" is the AUC of the rows of the subgroup, with its gap to that of all other rows.
    "bpsn_auc" is that of background positives and subgroup negatives: it is low where negatives of
    the subgroup score like positives of others, so that a common threshold calls too many of them
    positive. "bnsp_auc" is that of background negatives and subgroup positives: it is low where a
    common threshold misses too many of them. The background is all rows outside the subgroup. All
    have the intervals of `estimate`, at the level that holds for all subgroups at once; `n_samples`
    are the rows compared.

    O(k n log n) time for k subgroups.

    References
    ----------
    Borkan, Dixon, Sorensen, Thain & Vasserman (2019), Nuanced metrics for measuring unintended
    bias with real data for text classification, Companion of the Web Conference, 491-500.

    Examples
    --------
    >>> import numpy as np
    >>> y, sex = np.arange(240) % 2, np.repeat(["f", "m"], 120)
    >>> score = y + np.arange(240) % 7 / 4 + (sex == "m")
    >>> found = subgroup_auc(y, {"model": score}, {"sex": sex})
    >>> found.worst("bpsn_auc").slice
    'sex=m'
    """
    read = check_weights_are(sample_weight, weights_are)
    (auc,) = asked_of("roc_auc", None, None)
    cut = sliced(
        y_true,
        named_scores(scores, names),
        slices,
        confidence_level=check_confidence_level(confidence_level),
        min_n=min_n,
        intersections=intersections,
        sample_weight=sample_weight,
        weights_are=read,
        groups=groups,
        query=None,
        threshold=None,
        pos_label=pos_label,
    )
    found = estimates_of(cut, replace(auc, label="subgroup_auc"))
    is_positive = cut.rows.sample(auc, slice(None)).classes == 1
    for label, of_subgroup in (("bpsn_auc", False), ("bnsp_auc", True)):
        one = replace(auc, label=label)
        of_slices = []
        for parts in cut.cuts.all:
            for place in parts.large:
                part = parts.parts[place]
                is_inside = np.isin(np.arange(len(is_positive)), part)
                chosen = np.flatnonzero((is_positive == of_subgroup) == is_inside)
                measured = measured_in(cut.rows, one, chosen)
                gaps = [NO_GAP] * len(cut.rows.models)
                made = rows_of(cut, one, parts.conditions[place], measured, gaps, len(part))
                of_slices.append([replace(row, conditions=()) for row in made])
        found += [row for of_model in zip(*of_slices, strict=True) for row in of_model]
    return cut.result(found)
