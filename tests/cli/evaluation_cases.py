"""The measures of an evaluation, and when two results are the same."""

from __future__ import annotations

import numpy as np

TABLE = {
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "break_even_point": "break_even_point",
    "ks_statistic": "ks_statistic",
    "tpr_at_best_threshold": ("best_threshold", {"of": "true_positive_rate"}),
    "fpr_at_best_threshold": ("best_threshold", {"of": "false_positive_rate"}),
}
#: Those whose replicates make intervals.
RESAMPLED = [metric for metric in TABLE if metric != "ks_statistic"]
FIELDS = {"tpr_at_best_threshold": "true_positive_rate"}
FIELDS |= {"fpr_at_best_threshold": "false_positive_rate"}


def same(one, other):
    """Whether two results are the same, replicate for replicate."""
    assert one.confidence_interval == other.confidence_interval
    if one.details is None:
        return one == other
    assert (one.estimate, one.details.n_failed, one.details.key) == (
        other.estimate,
        other.details.n_failed,
        other.details.key,
    )
    return np.array_equal(one.details.distribution, other.details.distribution, equal_nan=True)
