"""What each measure can be asked for, found by asking: the table of `docs/architecture.md`.

As a program, in the checkout: write the table anew.
"""

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
from measure_names import MEASURES, REQUIRED, Measure

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


def _data(measure: Measure) -> _Data:
    """Return true values and predictions that suit a measure, and what else `estimate` is told."""
    if measure.classes == 3:
        return (_CLASSES, _OF_CLASSES), {}
    if measure.needs in ("values", "nothing"):
        return (_VALUES, _VALUES * _RNG.uniform(0.8, 1.2, _N)), {}
    if measure.needs == "times":
        return (_VALUES, _VALUES + _RNG.normal(0, 0.3, _N)), {"event": _POSITIVE}
    if measure.needs == "rankings":
        return (_POSITIVE, _PROBABILITIES), {"query": _QUERIES}
    threshold = {"threshold": 0.5} if measure.needs == "labels" else {}
    return (_POSITIVE, _PROBABILITIES), threshold


def _parameters(measure: Measure) -> dict[str, Any]:
    needed = [name for name, default in measure.parameters.items() if default is REQUIRED]
    if measure.name == "cost":
        needed += ["cost_fn", "cost_fp"]
    return {name: _GIVEN[name] for name in needed}


def _asked(measure: Measure) -> Any:
    parameters = _parameters(measure)
    return {"it": (measure.name, parameters) if parameters else measure.name}


def _point(measure: Measure, **more: Any) -> Any:
    rows, form = _data(measure)
    if "threshold" in form:
        rows, form = (rows[0], (rows[1] >= 0.5).astype(int)), {}
    if not measure.function:
        return _influences(measure, **more)
    if "event" in form:
        rows, form = (rows[0], form["event"], rows[1]), {}
    return measure.value(*rows, **form, **_parameters(measure), **more)


def _weighted(measure: Measure) -> Any:
    return _point(measure, sample_weight=np.linspace(1, 2, _N))


def _influences(measure: Measure, **more: Any) -> Any:
    rows, form = _data(measure)
    return fm.estimate(*rows, metrics=_asked(measure), method="influence", **form, **more)


def _replicates(measure: Measure, method: Any = None) -> Any:
    rows, form = _data(measure)
    method = method or "percentile"
    return fm.bootstrap(
        *rows, metrics=_asked(measure), method=method, n_resamples=19, rng=1, **form
    )


def _bca(measure: Measure) -> Any:
    return _replicates(measure, "bca")


def _exchanges(measure: Measure) -> Any:
    (y, s), form = _data(measure)
    models = {"a": s, "b": np.roll(s, 1, axis=0)}
    return fm.paired_permutation_test(
        y, models, metrics=_asked(measure), n_resamples=19, rng=1, **form
    )


def _counts(measure: Measure) -> Any:
    """Of a table of counts, as a statement of SQL makes them."""
    (y, s), _ = _data(measure)
    if measure.needs == "labels":
        return measure.value(
            fm.ConfusionMatrix.from_scores(y, s, threshold=0.5), **_parameters(measure)
        )
    if measure.needs == "values":
        return measure.value(
            fm.RegressionTable.from_arrays(y, s, log_errors=True, powers=(1, 2)),
            **_parameters(measure),
        )
    return measure.value(fm.ScoreTable.from_scores(y, s), **_parameters(measure))


def _brackets(measure: Measure) -> Any:
    (y, s), _ = _data(measure)
    bins = fm.streams.BinnedScoreTable(fm.streams.BinLayout(np.linspace(0, 1, 9)))
    bins.update(y, s)
    return getattr(bins, measure.name)(**_parameters(measure))


def _partitions(measure: Measure) -> Any:
    import dask.array as da

    from fastmetrics import dask as fmd

    rows, form = _data(measure)
    parts = [da.from_array(column, chunks=(20, *column.shape[1:])) for column in rows]
    with contextlib.suppress(ValueError, TypeError):
        return fmd.estimate(*parts, metrics=_asked(measure), **form)["it"].estimate
    return getattr(fmd.evaluate(*parts)[0], measure.name)


ENGINES: Final[Mapping[str, Callable[[Measure], Any]]] = {
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
def has(engine: str, measure: Measure) -> bool:
    """Return whether an engine answers for a measure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ENGINES[engine](measure)
        except (ValueError, TypeError, AttributeError, KeyError):
            return False
    return True


def table() -> str:
    """Return the table in Markdown: a row for measures that are alike."""
    alike: dict[tuple[str, tuple[bool, ...]], list[str]] = {}
    for measure in MEASURES.values():
        found = tuple(has(engine, measure) for engine in ENGINES)
        alike.setdefault((measure.family, found), []).append(f"`{measure.name}`")
    text = io.StringIO()
    print("| family | measures |", " | ".join(ENGINES), "|", file=text)
    print("|---|---|" + "---|" * len(ENGINES), file=text)
    for (family, found), names in alike.items():
        marks = " | ".join("●" if each else "" for each in found)
        print(f"| {family} | {', '.join(names)} | {marks} |", file=text)
    return text.getvalue()


def main() -> None:
    """Write the table anew."""
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(_BETWEEN.sub("\n" + table() + "\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
