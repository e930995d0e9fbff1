"""The table of engines in `docs/architecture.md`, by calling each; run as a program to write it."""

import contextlib
import io
import re
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

import fastmetrics as fm
from metric_names import METRICS, REQUIRED, Metric

DOCUMENT: Final = Path(__file__).resolve().parents[1] / "docs/architecture.md"
_BETWEEN: Final = re.compile(r"(?<=<!-- engines -->\n).*?(?=<!-- end of engines -->)", re.DOTALL)

_RNG: Final = np.random.default_rng(5)
_N: Final = 60
_POSITIVE: Final = _RNG.permutation(np.arange(_N) % 2)
_PROBABILITIES: Final = np.clip(0.5 + (_POSITIVE - 0.5) * 0.3 + _RNG.normal(0, 0.2, _N), 0.05, 0.95)
_CLASSES: Final = np.arange(_N) % 3
_OF_CLASSES: Final = _RNG.dirichlet(np.ones(3), _N)
_VALUES: Final = 1 + _RNG.random(_N)
_QUERIES: Final = np.arange(_N) // 6

#: A value of each parameter that has no default.
_GIVEN: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("false_positive_rate", "recall", "precision", "fraction", "threshold"), 0.4),
    "higher_score_means": "longer-time",
    "k": 3,
    "cost_fn": 5,
    "cost_fp": 1,
    "persistence": 0.8,
    "time": 1.5,
}

_Data = tuple[tuple[Any, Any], dict[str, Any]]


def _data(metric: Metric) -> _Data:
    """Return true values and predictions that suit a metric, and what else `estimate` is told."""
    if metric.classes == 3:
        return (_CLASSES, _OF_CLASSES), {}
    if metric.needs in ("values", "nothing"):
        return (_VALUES, _VALUES * _RNG.uniform(0.8, 1.2, _N)), {}
    if metric.needs == "times":
        return (_VALUES, _VALUES + _RNG.normal(0, 0.3, _N)), {"event": _POSITIVE}
    if metric.needs == "rankings":
        return (_POSITIVE, _PROBABILITIES), {"query": _QUERIES}
    threshold = {"threshold": 0.5} if metric.needs == "labels" else {}
    return (_POSITIVE, _PROBABILITIES), threshold


def _parameters(metric: Metric) -> dict[str, Any]:
    needed = [name for name, default in metric.parameters.items() if default is REQUIRED]
    if metric.name == "cost":
        needed += ["cost_fn", "cost_fp"]
    return {name: _GIVEN[name] for name in needed}


def _asked(metric: Metric) -> Any:
    parameters = _parameters(metric)
    return {"it": (metric.name, parameters) if parameters else metric.name}


def _point(metric: Metric, **more: Any) -> Any:
    rows, form = _data(metric)
    if "threshold" in form:
        rows = (rows[0], (rows[1] >= 0.5).astype(int))
        form = {}
    if not metric.function:
        return _influences(metric, **more)
    if "event" in form:
        rows = (rows[0], form["event"], rows[1])
        form = {}
    return metric.value(*rows, **form, **_parameters(metric), **more)


def _weighted(metric: Metric) -> Any:
    return _point(metric, sample_weight=np.linspace(1, 2, _N))


def _influences(metric: Metric, **more: Any) -> Any:
    rows, form = _data(metric)
    return fm.estimate(*rows, metrics=_asked(metric), method="influence", **form, **more)


def _replicates(metric: Metric, method: Any = None) -> Any:
    rows, form = _data(metric)
    method = method or "percentile"
    return fm.bootstrap(*rows, metrics=_asked(metric), method=method, n_resamples=19, rng=1, **form)


def _bca(metric: Metric) -> Any:
    return _replicates(metric, "bca")


def _exchanges(metric: Metric) -> Any:
    (y, s), form = _data(metric)
    models = {"a": s, "b": np.roll(s, 1, axis=0)}
    return fm.paired_permutation_test(
        y, models, metrics=_asked(metric), n_resamples=19, rng=1, **form
    )


def _counts(metric: Metric) -> Any:
    """Compute a metric of a table of counts, as a statement of SQL makes them."""
    (y, s), _ = _data(metric)
    if metric.needs == "labels":
        return metric.value(
            fm.ConfusionMatrix.from_scores(y, s, threshold=0.5), **_parameters(metric)
        )
    if metric.needs == "values":
        return metric.value(
            fm.RegressionTable.from_arrays(y, s, log_errors=True, powers=(1, 2)),
            **_parameters(metric),
        )
    return metric.value(fm.ScoreTable.from_scores(y, s), **_parameters(metric))


def _brackets(metric: Metric) -> Any:
    (y, s), _ = _data(metric)
    bins = fm.streams.BinnedScoreTable(fm.streams.BinLayout(np.linspace(0, 1, 9)))
    bins.update(y, s)
    return getattr(bins, metric.name)(**_parameters(metric))


def _partitions(metric: Metric) -> Any:
    import dask.array as da

    from fastmetrics import dask as fmd

    rows, form = _data(metric)
    parts = [da.from_array(column, chunks=(20, *column.shape[1:])) for column in rows]
    with contextlib.suppress(ValueError, TypeError):
        return fmd.estimate(*parts, metrics=_asked(metric), **form)["it"].estimate
    return getattr(fmd.evaluate(*parts)[0], metric.name)


ENGINES: Final[Mapping[str, Callable[[Metric], Any]]] = {
    "value": _point,
    "weights": _weighted,
    "influences": _influences,
    "replicates": _replicates,
    "BCa": _bca,
    "exchanges": _exchanges,
    "counts": _counts,
    "brackets": _brackets,
    "Dask": _partitions,
}


@cache
def has(engine: str, metric: Metric) -> bool:
    """Return whether an engine answers for a metric."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ENGINES[engine](metric)
        except (ValueError, TypeError, AttributeError, KeyError):
            return False
    return True


def table() -> str:
    """Return the table in Markdown: a row for metrics that are alike."""
    alike: dict[tuple[str, tuple[bool, ...]], list[str]] = {}
    for metric in METRICS.values():
        engines = tuple(has(engine, metric) for engine in ENGINES)
        alike.setdefault((metric.family, engines), []).append(f"`{metric.name}`")
    text = io.StringIO()
    print("| family | metrics |", " | ".join(ENGINES), "|", file=text)
    print("|---|---|" + "---|" * len(ENGINES), file=text)
    for (family, engines), names in alike.items():
        marks = " | ".join("●" if each else "" for each in engines)
        print(f"| {family} | {', '.join(names)} | {marks} |", file=text)
    return text.getvalue()


def main() -> None:
    """Write the table anew."""
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(_BETWEEN.sub("\n" + table() + "\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
