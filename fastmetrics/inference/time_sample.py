"""Censored times with the scores of one or several models, as estimates are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from fastmetrics._input.censored import check_censored, check_censoring
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_scores_array
from fastmetrics.errors import InputError, renamed
from fastmetrics.inference.samples import Design, Sample
from fastmetrics.inference.table_points import measure_of
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
        n = len(self._censored.times)
        self._scores = [check_scores_array(model.values, model.argument) for model in models]
        for model, column in zip(models, self._scores, strict=True):
            check_same_length(**{"y_true": self._censored.times, model.argument: column})
        self._names = [model.argument for model in models]
        self.classes = np.zeros(n, np.int64)
        self.n_models = len(models)
        self.design = Design.checked(n, given)
        self._pairs: dict[tuple[Weighting, float | None, int], CensoredPairs] = {}

    @cached_property
    def _followed(self) -> FollowUp:
        """Rows by their times."""
        weights = self.design.weights
        return follow(*self._censored, np.ones(len(self.classes)) if weights is None else weights)

    @cached_property
    def _uncensored(self) -> Uncensored:
        return self._followed.uncensored()

    def _influenced(self, one: Asked, model: int) -> RowInfluences:
        measure = measure_of(one)
        found: RowInfluences
        if measure.name == "royston_d":
            if self.design.weights is not None:
                raise InputError("`royston_d` has no weights: leave `sample_weight` out")
            longer = check_direction(one.parameters["higher_score_means"])
            found = measure.load_influences()(
                self._censored, self._scores[model], higher_is_longer=longer
            )
            return found
        if measure.name != "concordance_index":  # at one time
            given = {**measure.parameters, **one.parameters}
            others = check_censoring(given.pop("censoring"))
            shares = self._uncensored if others is None else self._followed.uncensored(others)
            with renamed(y_score=self._names[model]):
                found = measure.load_influences()(
                    self._followed, shares, self._scores[model], **given
                )
            return found
        options = check_index_options(**{**measure.parameters, **one.parameters})
        kind = options.weighting, options.tau, id(one.parameters.get("censoring"))
        if kind not in self._pairs:
            weights = self.design.weights
            weights = np.ones(len(self.classes)) if weights is None else weights
            self._pairs[kind] = compare_times(*self._censored, weights, *kind[:2], options.others)
        found = measure.load_influences()(self._pairs[kind], self._scores[model], options)
        return found
