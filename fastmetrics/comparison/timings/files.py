"""``read_timings``: one run of benchmarks, of pytest-benchmark, pyperf, hyperfine or asv."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fastmetrics._display.table import Display, Table
from fastmetrics._results import Result
from fastmetrics.errors import FileError, InputError, by_name

#: What must be the same for times to be comparable, by what the programs call it.
_OF_PYTEST: Final = {
    "node": "machine",
    "machine": "architecture",
    "system": "system",
    "release": "system release",
    "python_implementation": "python implementation",
    "python_version": "python version",
}
_OF_PYPERF: Final = {
    "hostname": "machine",
    "cpu_model_name": "processor",
    "platform": "system release",
    "python_implementation": "python implementation",
    "python_version": "python version",
}
_OF_ASV: Final = {"machine": "machine", "cpu": "processor", "arch": "architecture", "os": "system"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TimingRun(Result):
    """The rounds of each benchmark in one run, and where they were taken.

    Attributes
    ----------
    rounds : mapping of str to list of float
        Seconds, by the name of the benchmark.
    environment : mapping of str to str
        Machine, processor, interpreter, versions: as far as the file knows.
    source : str
        The file.
    """

    rounds: Mapping[str, list[float]]
    environment: Mapping[str, str] = field(default_factory=dict)
    source: str = ""

    def __getitem__(self, name: str) -> list[float]:
        return by_name(self.rounds, name, "benchmarks")

    def __iter__(self) -> Iterator[str]:
        return iter(self.rounds)

    def __len__(self) -> int:
        return len(self.rounds)

    def __repr__(self) -> str:
        return f"TimingRun({len(self)} benchmarks of {self.source!r})"

    def _shown(self) -> Display:
        columns = {
            "benchmark": list(self),
            "rounds": [len(each) for each in self.rounds.values()],
            "mean": [sum(each) / len(each) for each in self.rounds.values()],
        }
        return Display([Table(columns)], "Times of one run")


def read_timings(path: str | os.PathLike[str]) -> TimingRun:
    """Read the times of one run of benchmarks; the format is told by what is in the file.

    Parameters
    ----------
    path : path
        A JSON file of pytest-benchmark (``--benchmark-json``, or ``--benchmark-save`` with
        ``--benchmark-save-data``), of pyperf, of hyperfine (``--export-json``), or of asv
        (``results/machine/commit-env.json``).

    Returns
    -------
    TimingRun
        To be passed to `compare_timings`, several for each side.

    Raises
    ------
    FileError
        If the file is none of these, or holds no times.

    Notes
    -----
    One file is one run: the rounds in it share a state of the machine, and so do the processes that
    pyperf starts one after another. pytest-benchmark's files without data have the mean of the
    rounds in their place, asv's the median that it keeps. Of asv those are read whose name starts
    with ``time``; of a benchmark with parameters each combination is one. hyperfine does not say
    where it ran.

    Examples
    --------
    >>> import json, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "run.json")
    >>> with open(path, "w") as file:
    ...     json.dump({"results": [{"command": "sort x", "times": [1.25, 1.5]}]}, file)
    >>> read_timings(path)["sort x"]
    [1.25, 1.5]
    """
    name = os.fspath(path)
    with open(path, encoding="utf-8") as file:
        try:
            content = json.load(file)
        except ValueError as error:
            raise FileError(f"{name}: no JSON: {error}") from None
    read = _reader(content)
    if read is None:
        raise FileError(
            f"{name}: not what pytest-benchmark, pyperf, hyperfine or asv save: it has neither "
            "`benchmarks` nor `results` of theirs"
        )
    try:
        found, environment = read(content)
        rounds = {key: list(map(float, each)) for key, each in found.items() if each}
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        what = f"{type(error).__name__} {error}"
        raise FileError(f"{name}: not whole, or of a version that is not known: {what}") from None
    if not rounds:
        raise FileError(f"{name}: holds no times")
    for key, each in rounds.items():
        wrong = [value for value in each if not 0.0 < value < float("inf")]
        if wrong:
            raise FileError(f"{name}: {key!r} has a time that is not above 0: {wrong[0]:g}")
    kept = {key: str(value) for key, value in environment.items() if value not in (None, "")}
    return TimingRun(rounds, kept, name)


_Found = tuple[dict[str, list[Any]], dict[str, Any]]


def _reader(content: Any) -> Callable[[Any], _Found] | None:
    """Return what reads a file like this; None for others."""
    if not isinstance(content, Mapping):
        return None
    benchmarks, results = content.get("benchmarks"), content.get("results")
    if isinstance(benchmarks, list):
        is_pyperf = any(isinstance(each, Mapping) and "runs" in each for each in benchmarks)
        return _of_pyperf if is_pyperf else _of_pytest
    if isinstance(results, list):
        return lambda found: ({str(each["command"]): each["times"] for each in results}, {})
    return _of_asv if isinstance(results, Mapping) else None


def _of_pytest(content: Mapping[str, Any]) -> _Found:
    rounds = {}
    for each in content["benchmarks"]:
        stats = each["stats"]
        rounds[str(each["fullname"])] = stats.get("data") or [stats["mean"]]
    info = content.get("machine_info") or {}
    found = {said: info.get(key) for key, said in _OF_PYTEST.items()}
    cpu = info.get("cpu") or {}
    found["processor"] = cpu.get("brand_raw") or cpu.get("brand") or info.get("processor")
    return rounds, found


def _of_pyperf(content: Mapping[str, Any]) -> _Found:
    shared = content.get("metadata") or {}
    rounds: dict[str, list[Any]] = {}
    found = shared
    for each in content["benchmarks"]:
        own = shared | (each.get("metadata") or {})
        values = [value for run in each["runs"] for value in run.get("values") or ()]
        first = each["runs"][0].get("metadata") or {} if each["runs"] else {}
        found = own | first | found
        if own.get("unit", "second") == "second":
            rounds[str(own.get("name", "benchmark"))] = values
    return rounds, {said: found.get(key) for key, said in _OF_PYPERF.items()}


def _of_asv(content: Mapping[str, Any]) -> _Found:
    heads = content["result_columns"]
    rounds: dict[str, list[Any]] = {}
    for name, values in content["results"].items():
        if not name.rpartition(".")[2].startswith("time"):
            continue
        row = dict(zip(heads, values, strict=False))
        samples = row.get("samples") or [None] * len(row["result"])
        for k, (median, own) in enumerate(zip(row["result"], samples, strict=True)):
            parameters = _parameters(row.get("params") or [], k)
            rounds[f"{name}{parameters}"] = own or ([] if median is None else [median])
    given = content.get("params") or {}
    found = {said: given.get(key) for key, said in _OF_ASV.items()}
    versions = content.get("requirements") or {}
    return rounds, found | {"python version": content.get("python")} | dict(versions)


def _parameters(params: list[list[str]], k: int) -> str:
    """Return the k-th combination of parameters in brackets, the last of them running first."""
    found = []
    for values in reversed(params):
        k, place = divmod(k, len(values))
        found.append(str(values[place]))
    return f"({', '.join(reversed(found))})" if found else ""


def check_environments(sides: Iterable[Iterable[Any]], allowed: Iterable[str]) -> None:
    """Raise if runs were taken in different places; what is allowed may differ."""
    runs = [run for side in sides for run in side if isinstance(run, TimingRun)]
    free = set(allowed)
    seen: dict[str, dict[str, str]] = {}
    for run in runs:
        for key, value in run.environment.items():
            seen.setdefault(key, {}).setdefault(value, run.source)
    known = {"all", *seen}
    unknown = sorted(free - known)
    if unknown and seen:
        raise InputError(
            f"`allow_different` names {unknown[0]!r}: the files tell {', '.join(sorted(seen))}; or "
            "'all'"
        )
    if "all" in free:
        return
    differ = [
        f"{key}: " + ", ".join(f"{value!r} in {source}" for value, source in values.items())
        for key, values in seen.items()
        if len(values) > 1 and key not in free
    ]
    if differ:
        raise InputError(
            f"the runs cannot be compared, {len(differ)} of what they say of where they ran differ "
            f"(`allow_different` lets them): {'; '.join(differ)}"
        )
