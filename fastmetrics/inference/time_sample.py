"""Censored times with the scores of one or several models, as estimates are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from fastmetrics._input.censored import check_censored, check_censoring
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scores import check_scores_array
from fastmetrics.errors import InputError, renamed
from fastmetrics.inference.samples import Sample
from fastmetrics.inference.table_points import measure_of, moved
from fastmetrics.inference.units import Floats
from fastmetrics.measures._influences import RowInfluences
from fastmetrics.measures.asking import Asked
from fastmetrics.measures.concordance.concordance_index import (
    check_direction,
    check_index_options,
)
from fastmetrics.tables.concordance.follow_up import (
    CensoredPairs,
    FollowUp,
    Uncensored,
    Weighting,
    compare_times,
    follow,
)


class TimeSample(Sample):
    """Times until an event, some of them censored, and scores."""

    def __init__(self, y_true: Any, models: list[NamedScores], given: Mapping[str, Any]) -> None:
        for name in ("threshold", "pos_label"):
            if given[name] is not None:
                raise InputError(f"`{name}` is of classes: censored times have none")
        with renamed(time="y_true"):
            self._censored = check_censored(y_true, given["event"])
        self._scores = [check_scores_array(model.values, model.argument) for model in models]
        self._names = [model.argument for model in models]
        self.classes = np.zeros(len(self._censored.times), np.int64)
        self._judge(self._censored.times, models, self._scores, given)
        self._pairs: dict[tuple[Weighting, float | None, int], CensoredPairs] = {}

    @cached_property
    def _weights(self) -> Floats:
        weights = self.design.weights
        return np.ones(len(self.classes)) if weights is None else weights

    @cached_property
    def _followed(self) -> FollowUp:
        """Rows by their times."""
        return follow(*self._censored, self._weights)

    @cached_property
    def _uncensored(self) -> Uncensored:
        return self._followed.uncensored()

    def _influenced(self, one: Asked, model: int) -> RowInfluences:
        measure, scores = measure_of(one), self._scores[model]
        given = {**measure.parameters, **one.parameters}
        if measure.name == "royston_d":
            if self.design.weights is not None:
                raise InputError("`royston_d` has no weights: leave `sample_weight` out")
            longer = check_direction(one.parameters["higher_score_means"])
            return moved(one, self._censored, scores, higher_is_longer=longer)
        if measure.name != "concordance_index":  # at one time
            others = check_censoring(given.pop("censoring"))
            shares = self._uncensored if others is None else self._followed.uncensored(others)
            with renamed(y_score=self._names[model]):
                return moved(one, self._followed, shares, scores, **given)
        options = check_index_options(**given)
        kind = options.weighting, options.tau, id(one.parameters.get("censoring"))
        if kind not in self._pairs:
            pairs = compare_times(*self._censored, self._weights, *kind[:2], options.others)
            self._pairs[kind] = pairs
        return moved(one, self._pairs[kind], scores, options)
