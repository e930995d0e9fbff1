"""Tables of what a bootstrap found: measures of models, and differences between models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from fastmetrics._display.table import Table

#: How weights were read, which intervals hang on.
WEIGHTS: Final = {
    None: (),
    "importances": ("Weights are importances: each row is one row, whatever its weight.",),
    "frequencies": ("Weights are frequencies: each row stands for so many rows.",),
}
METHODS: Final = {
    "bca": "BCa",
    "influence": "Student's t, by the influence of each row",
    "newcombe": "Newcombe",
    "outer limits with newcombe": "outer limits of Newcombe and Student's t",
}
_FIGURES: Final = ("estimate", "confidence_interval", "standard_error", "bias", "n_failed")
_OF_PAIRS: Final = ("confidence_interval", "standard_error", "pvalue", "pvalue_holm", "n_failed")


def measures_table(models: Mapping[str, Mapping[str, Any]], **options: Any) -> Table:
    """Return a row for each measure of each model; without the models where there is one."""
    metrics = dict.fromkeys(metric for results in models.values() for metric in results)
    rows = [(m, name) for m in metrics for name, results in models.items() if m in results]
    results = [models[name][metric] for metric, name in rows]
    columns: dict[str, Any] = {"metric": [metric for metric, _ in rows]}
    if len(models) > 1:
        columns["model"] = [name for _, name in rows]
    columns |= Table.of(results, _FIGURES).columns
    level = results[0].confidence_level if results else None
    return Table(columns, level=level, **options)


def differences_table(differences: Mapping[str, Iterable[Any]], **options: Any) -> Table:
    """Return a row for each pair of models by each measure."""
    pairs = [pair for pairs in differences.values() for pair in pairs]
    names = (name for name in _OF_PAIRS if all(hasattr(pair, name) for pair in pairs))
    return Table.of_pairs(pairs, names, **options)


def cautions_of(results: Iterable[Any]) -> list[str]:
    """Return what a reader of the intervals must know, and of which measures."""
    about: dict[str, list[str]] = {}
    for one in results:
        if one.note:
            metrics = about.setdefault(one.note, [])
            metrics += [one.metric] * (one.metric not in metrics)
    return [f"{', '.join(metrics)}: {note}." for note, metrics in about.items()]


def notes_of(result: Any, methods: Iterable[str]) -> list[str]:
    """Return how intervals were made, how they are made again, and what weights were."""
    said = ", ".join(METHODS.get(method, method) for method in dict.fromkeys(methods))
    again = f"`rng={result.key!r}` draws them again"
    made = f"Intervals: {said}; {result.n_resamples:,} resamples, {again}."
    return [made, *WEIGHTS[result.weights_are]]
