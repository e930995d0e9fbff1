"""``TuningResult`` and ``NestedCrossValidation``: which setting was chosen, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display import Display, Table
from fastmetrics._results import OneNumber, Result
from fastmetrics.inference.estimate_result import Estimate, Estimates


@dataclass(frozen=True, slots=True, repr=False)
class TuningResult(Result):
    """The settings that were tried, the chosen one, and its model fitted on all the data.

    Attributes
    ----------
    metric : str
        What settings were judged by.
    higher_is_better : bool
        Its direction.
    rule : str
        How the setting was chosen: "best" or "one-standard-error".
    setting : mapping from str to value
        The chosen setting.
    index : int
        Its number.
    best_index : int
        That of the setting with the best mean.
    value : float
        Mean of the chosen setting over the validation folds. As it was chosen for being good, this
        is too good an estimate of the error to come: see `nested_cross_validation`.
    standard_error : float
        Of that mean, the folds taken as independent.
    settings : tuple of mappings
        All settings, in the order of the grid, the last parameter varying fastest.
    values : ndarray of shape (n_settings, n_folds)
        The measure of each setting on each validation fold.
    means, standard_errors : ndarray of shape (n_settings,)
        Over the folds.
    estimator : estimator or None
        The final model: the chosen setting fitted on all the data; None without `refit`.
    """

    metric: str
    higher_is_better: bool
    rule: str
    setting: Mapping[str, Any]
    index: int = field(repr=False)
    best_index: int = field(repr=False)
    value: float
    standard_error: float
    settings: tuple[Mapping[str, Any], ...] = field(repr=False)
    values: NDArray[np.float64] = field(repr=False)
    means: NDArray[np.float64] = field(repr=False)
    standard_errors: NDArray[np.float64] = field(repr=False)
    estimator: Any = field(default=None, repr=False, compare=False)

    @property
    def table(self) -> tuple[dict[str, Any], ...]:
        """A row for each setting: its parameters, mean, standard error, and rank, 1 the best."""
        signs = -self.means if self.higher_is_better else self.means
        ranks = [1 + int(np.count_nonzero(signs < sign)) for sign in signs]
        ranks = [len(ranks) if np.isnan(s) else r for s, r in zip(signs, ranks, strict=True)]
        columns = (self.settings, self.means.tolist(), self.standard_errors.tolist(), ranks)
        return tuple(
            {**setting, "mean": mean, "standard_error": error, "rank": rank}
            for setting, mean, error, rank in zip(*columns, strict=True)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Field name to value, without the fitted model.
        """
        found = Result.to_dict(self)
        del found["estimator"]
        return found

    def __repr__(self) -> str:
        return (
            f"TuningResult({dict(self.setting)!r} of {len(self.settings):,} settings, "
            f"{self.metric} {self.value:.4g} (standard error {self.standard_error:.2g}), "
            f"rule={self.rule!r})"
        )

    def _shown(self) -> Display:
        rows = self.table
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        columns["chosen"] = [i == self.index for i in range(len(rows))]
        words = {name: name for name in self.setting}
        settings = ", ".join(f"{name}={value!r}" for name, value in self.setting.items())
        title = f"{self.metric} of {len(rows):,} settings"
        return Display(
            [Table(columns, words=words)], title, [f"Chosen by rule {self.rule!r}: {settings}."]
        )


@dataclass(frozen=True, slots=True, repr=False)
class NestedCrossValidation(OneNumber):
    """What a tuned estimator achieves on data that had no part in its tuning.

    Attributes
    ----------
    metric : str
        What settings and models are judged by.
    higher_is_better : bool
        Its direction.
    estimate : float
        Mean over the outer folds: the honest estimate.
    standard_deviation : float
        Of the values of the outer folds, with n - 1; nan for one fold.
    inner_estimate : float
        Mean over the outer folds of the chosen setting's value on the inner folds: what tuning
        alone would have claimed.
    values : ndarray of shape (n_outer_folds,)
        The measure of each tuned model on its outer test fold.
    tunings : tuple of TuningResult
        The tuning on each outer training fold; without the fitted models.
    of_fitted_models : Estimate or None
        The same mean with the interval of how the tuned models do on average on new examples, given
        their training sets; None where influences are not known.
    """

    metric: str
    higher_is_better: bool
    estimate: float
    standard_deviation: float
    inner_estimate: float
    values: NDArray[np.float64]
    tunings: tuple[TuningResult, ...] = field(repr=False)
    of_fitted_models: Estimate | None = field(default=None, repr=False)

    @property
    def settings(self) -> tuple[Mapping[str, Any], ...]:
        """The setting chosen on each outer fold; where they differ, tuning is unsure."""
        return tuple(tuning.setting for tuning in self.tunings)

    def _shown(self) -> Display:
        shown = Result._shown(self)
        columns = {"fold": range(len(self.values)), self.metric: self.values}
        folds = Table(columns | {"setting": self.settings}, "outer folds", framed=False)
        tables, notes = [*shown.tables, folds], list(shown.notes)
        if self.of_fitted_models is not None:
            inside = Estimates({self.metric: self.of_fitted_models})._shown()
            tables, notes = [*tables, *inside.tables], [*notes, *inside.notes]
        return replace(shown, tables=tables, notes=notes)
