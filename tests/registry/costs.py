"""Hulls, cost curves and what is read off them."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from reference import gain_oracle, hull_oracle, roc_oracle
from registry.curves import by_rows
from registry.entry import (
    AMOUNTS,
    CHANCES,
    MIRROR,
    OF_SCORES,
    ROWS,
    SCORES,
    Entry,
    Oracle,
    Sample,
    Values,
    number,
    sk,
)

#: Two classes change places, and scores their sign: the hull is mirrored.
OF_HULLS = OF_SCORES | {MIRROR}


def _cost(name: str, oracle: Oracle, **more: Any) -> Entry:
    given: dict[str, Any] = {"laws": OF_HULLS, "exact": True, "peer": None}
    return Entry(name, SCORES, oracle, **(given | more))


def _hull_by_sklearn(true: Any, given: Any, sample_weight: Any = None) -> float:
    """Return the AUC of the isotonic fit, to which rows of weight 0 are nothing."""
    from sklearn.isotonic import IsotonicRegression

    weight = np.ones(len(true)) if sample_weight is None else np.asarray(sample_weight, float)
    true, given, weight = (np.asarray(column)[weight > 0] for column in (true, given, weight))
    if len(set(true.tolist())) < 2:
        return math.nan
    ranks = np.unique(given, return_inverse=True)[1]  # scores nearly the same it takes for one
    fit = IsotonicRegression().fit_transform(ranks, true, sample_weight=weight)
    return float(sk("roc_auc_score")(true, fit.round(9), sample_weight=weight))


def _gini_by_sklearn(true: Any, given: Any, sample_weight: Any = None) -> float:
    return 2 * float(sk("roc_auc_score")(true, given, sample_weight=sample_weight)) - 1


def _h(name: str, a: float | None, b: float | None, **more: Any) -> Entry:
    return _cost(
        name, by_rows(hull_oracle.h_measure, a, b), **({"exact": False, "laws": OF_SCORES} | more)
    )


COSTS = (
    _cost("roc_hull_auc", by_rows(hull_oracle.hull_area), peer=_hull_by_sklearn),
    _cost("expected_total_cost", by_rows(hull_oracle.total_cost)),
    _h("h_measure", None, None),
    _h("h_measure[symmetric]", 2.0, 2.0, arguments={"cost_weight": "symmetric"}),
    _h("h_measure[0.5, 3]", 0.5, 3.0, arguments={"cost_weight": (0.5, 3.0)}),
    _cost(
        "gini_coefficient",
        lambda sample: (2 * roc_oracle.auc(roc_oracle.rows_of(*sample.columns)) - 1,),
        peer=_gini_by_sklearn,
    ),
)


def _gain(name: str, times: Fraction) -> Entry:
    def oracle(sample: Sample) -> Values:
        actual = gain_oracle.gain(*sample.columns, Fraction(1, 4))
        return (number(actual if actual is None else actual * times),)

    return _cost(name, oracle, arguments={"fraction": 0.25}, laws=OF_SCORES)


RULES = (
    _gain("lift", Fraction(4)),
    _gain("cumulative_gain", Fraction(1)),
    Entry(
        "net_benefit",
        CHANCES,
        lambda sample: (number(gain_oracle.net_benefit(*sample.columns, Fraction(1, 4))),),
        arguments={"threshold": 0.25},
        peer=None,
    ),
    Entry(
        "lorenz_gini",
        AMOUNTS,
        lambda sample: (number(gain_oracle.normalized_gini(*sample.columns)),),
        laws=ROWS,
        peer=None,
    ),
    Entry(
        "lorenz_gini[plain]",
        AMOUNTS,
        lambda sample: (number(gain_oracle.gini(*sample.columns)),),
        arguments={"normalized": False},
        laws=ROWS,
        peer=None,
    ),
)
