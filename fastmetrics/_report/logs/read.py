"""``read_evaluation_log``: the logs of lm-evaluation-harness and of Inspect."""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from fastmetrics._input.scalars import check_text
from fastmetrics._report.logs.log import EvaluationLog, evaluation_log
from fastmetrics.errors import FileError, InputError, InputTypeError

Path = str | os.PathLike[str]

#: What Inspect's letters are worth: correct, partly, incorrect, no answer.
_LETTERS: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
#: Measures of lm-evaluation-harness that are lower for the better.
_DOWNWARDS: Final = frozenset(
    "perplexity word_perplexity byte_perplexity bits_per_byte ter brier_score".split()
)
_ZIP: Final = b"PK\x03\x04"


class Row(NamedTuple):
    """One score, as a file has it."""

    item: str
    repeat: int
    group: str | None
    score: float


class Sample(NamedTuple):
    """A line of a file, or a sample in it: where it stands, and what it is."""

    place: str
    value: Mapping[str, Any]


def read_evaluation_log(
    files: Mapping[str, Path | Sequence[Path]] | Path | Sequence[Path],
    *,
    score: str | None = None,
    filter: str | None = None,
    group: str | None = None,
    higher_is_better: bool | None = None,
) -> EvaluationLog:
    r"""Read the scores of models on items from logs, whose format is told by what is in them.

    Parameters
    ----------
    files : mapping of str to path or sequence of path, or path, or sequence of path
        The files of each model by its name; without names a model is called as its log says
        (Inspect), or as the file is without its ending.
    score : str, optional
        The measure, or scorer, to read: needed where a log has several. "scorer/key" is one key of
        a scorer that has several values.
    filter : str, optional
        Of lm-evaluation-harness, the filter of answers: needed where a log has several.
    group : str, optional
        The field that says whose items vary together: of `doc` (lm-evaluation-harness), or of
        `metadata` (Inspect). A path with dots reaches inside.
    higher_is_better : bool, optional
        The direction of the score; successes need none.

    Returns
    -------
    EvaluationLog
        With all epochs of Inspect's as repeats.

    Raises
    ------
    FileError
        If a file is none of these, or a sample lacks what is asked; the message says where.
    ValueError
        If there are several scores or filters and none was named.

    Notes
    -----
    - lm-evaluation-harness: the ``samples_*.jsonl`` that ``--log_samples`` writes; items are
      `doc_id`, and a filter has each once. Files of several tasks must be read apart: `doc_id` is
      of a task.
    - Inspect: ``.eval`` and ``.json``; items are `id`, repeats are `epoch`. C is 1, P is 0.5, I
      and N are 0; true and false are 1 and 0. Samples with an error, which have no score, are
      refused: a log of them must be run to its end.

    Ids are kept as texts, so that no number is rounded.

    Examples
    --------
    >>> import json, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for model, right in (("a", 3), ("b", 1)):
    ...     lines = [{"doc_id": k, "filter": "none", "acc": float(k < right)} for k in range(4)]
    ...     with open(os.path.join(folder, f"{model}.jsonl"), "w") as file:
    ...         _ = file.write("\n".join(json.dumps(line) for line in lines))
    >>> read_evaluation_log([os.path.join(folder, f"{model}.jsonl") for model in "ab"])
    EvaluationLog(2 models, 4 items, 8 scores of 'acc')
    """
    for name, value in (("score", score), ("filter", filter), ("group", group)):
        if value is not None:
            check_text(name, value)
    rows: list[tuple[Any, ...]] = []
    for name, path in _each(files):
        score, found, own = _read(path, score, filter, group)
        label = name or own or os.path.splitext(os.path.basename(os.fspath(path)))[0]
        rows += [(label, *row) for row in found]
    if not rows:
        raise InputError("`files` names no file")
    columns = dict(zip(("model", *Row._fields), map(list, zip(*rows, strict=True)), strict=True))
    if higher_is_better is None and score in _DOWNWARDS:
        higher_is_better = False
    given: dict[str, Any] = columns if group is not None else columns | {"group": None}
    return evaluation_log(**given, name=score or "score", higher_is_better=higher_is_better)


def _each(files: Any) -> Iterator[tuple[str, Path]]:
    """Yield the name of a model, if it has one, and a path."""
    if isinstance(files, str | os.PathLike):
        yield "", files
    elif isinstance(files, Mapping):
        for name, paths in files.items():
            for _, path in _each(paths):
                yield name, path
    elif isinstance(files, Iterable):
        for path in files:
            if not isinstance(path, str | os.PathLike):
                raise InputTypeError(f"`files` must hold paths: got {type(path).__name__}")
            yield "", path
    else:
        raise InputTypeError(f"`files` must be paths: got {type(files).__name__}")


def _read(
    path: Path, metric: str | None, filter: str | None, group: str | None
) -> tuple[str, list[Row], str]:
    """Return the metric, the rows of a file, and what it calls its model."""
    name = os.fspath(path)
    with open(path, "rb") as file:
        start = file.read(4)
    if start == _ZIP:
        return _of_inspect(name, *_unpacked(name, path), metric, group)
    try:
        with open(path, encoding="utf-8-sig") as lines:
            text = lines.read()
    except UnicodeDecodeError as error:
        raise FileError(f"{name}: no text in UTF-8: {error}") from None
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        whole = None
    if isinstance(whole, Mapping) and "samples" in whole and "eval" in whole:
        samples = [Sample(f"sample {k}", each) for k, each in enumerate(whole["samples"] or [], 1)]
        return _of_inspect(name, whole["eval"], samples, metric, group)
    return _of_harness(name, list(_lines(name, text)), metric, filter, group)


def _lines(name: str, text: str) -> Iterator[Sample]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise FileError(f"{name}: line {number} is no JSON: {error}") from None
        if not isinstance(value, Mapping):
            raise FileError(f"{name}: line {number} is no object: a log has one on each line")
        yield Sample(f"line {number}", value)


def _unpacked(name: str, path: Path) -> tuple[Mapping[str, Any], list[Sample]]:
    """Return what a zip file of Inspect's says of its run, and the samples in it."""
    with zipfile.ZipFile(path) as archive:
        known = archive.namelist()
        inside = next((e for e in ("header.json", "_journal/start.json") if e in known), None)
        if inside is None:
            raise FileError(f"{name}: a zip file without header.json: no log of Inspect")
        header = json.loads(archive.read(inside)).get("eval") or {}
        samples = [each for each in known if each.startswith("samples/")]
        return header, [Sample(each, json.loads(archive.read(each))) for each in samples]


def _of_harness(
    name: str, lines: list[Sample], metric: str | None, filter: str | None, group: str | None
) -> tuple[str, list[Row], str]:
    """Return the metric and the rows of a log of lm-evaluation-harness, which names no model."""
    if not lines:
        raise FileError(f"{name}: no line: nothing was logged")
    if "doc_id" not in lines[0].value:
        raise FileError(f"{name}: {lines[0].place} has no doc_id: no log of lm-evaluation-harness")
    filters = dict.fromkeys(str(each.value.get("filter", "none")) for each in lines)
    filter = _chosen(name, "filter", filter, list(filters))
    lines = [each for each in lines if str(each.value.get("filter", "none")) == filter]
    first = lines[0].value
    known = first.get("metrics")
    if not isinstance(known, list):
        skipped = ("doc_id", "idx")
        known = [
            key
            for key, value in first.items()
            if isinstance(value, int | float) and key not in skipped
        ]
    metric = _chosen(name, "score", metric, [str(each) for each in known])
    rows = []
    for place, value in lines:
        if metric not in value or "doc_id" not in value:
            raise FileError(f"{name}: {place} has no {metric!r} or no doc_id")
        score = _number(name, place, value[metric])
        whose = _field(name, place, value, group, "doc")
        rows.append(Row(str(value["doc_id"]), 1, whose, score))
    return metric, rows, ""


def _of_inspect(
    name: str,
    header: Mapping[str, Any],
    samples: list[Sample],
    metric: str | None,
    group: str | None,
) -> tuple[str, list[Row], str]:
    """Return the metric, the rows and the model of a log of Inspect."""
    if not samples:
        raise FileError(f"{name}: no samples: the log is of a run without any, or a header alone")
    rows = []
    for place, value in samples:
        scores = value.get("scores")
        if not scores:
            why = " (it ended with an error)" if value.get("error") else ""
            raise FileError(f"{name}: {place} has no score{why}: finish the run, or score it")
        named = dict(_values(scores))
        metric = _chosen(name, "score", metric, list(named))
        if metric not in named:
            raise FileError(f"{name}: {place} has no score of {metric!r}")
        whose = _field(name, place, value, group, "metadata")
        if "id" not in value:
            raise FileError(f"{name}: {place} has no id")
        score = _number(name, place, named[metric])
        rows.append(Row(str(value["id"]), int(value.get("epoch", 1)), whose, score))
    return metric or "", rows, str(header.get("model") or "")


def _values(scores: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield scorers with their values; of several values each by itself."""
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        if isinstance(value, Mapping):
            yield from ((f"{scorer}/{key}", each) for key, each in value.items())
        else:
            yield scorer, value


def _chosen(name: str, what: str, asked: str | None, known: list[str]) -> str:
    if asked is None:
        if len(known) == 1:
            return known[0]
        if not known:
            raise FileError(f"{name}: nothing is measured in it")
        raise InputError(f"`{what}` must be named: {name} has {', '.join(known)}")
    if asked not in known:
        raise FileError(f"{name}: no {what} {asked!r}; it has {', '.join(known)}")
    return asked


def _number(name: str, place: str, value: Any) -> float:
    """Return what a score is worth; letters as Inspect has them."""
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    what = repr(value) if isinstance(value, str) else f"a {type(value).__name__}"
    if not isinstance(value, str | int | float):
        raise FileError(f"{name}: {place} has a score that is no number: {what}")
    try:
        found = float(value)
    except ValueError:
        raise FileError(f"{name}: {place} has a score that is no number: {what}") from None
    if not math.isfinite(found):
        raise FileError(f"{name}: {place} has a score that is not finite: {found}")
    return found


def _field(
    name: str, place: str, value: Mapping[str, Any], path: str | None, where: str
) -> str | None:
    if path is None:
        return None
    inside: Any = value.get(where)
    for key in path.split("."):
        if not isinstance(inside, Mapping) or key not in inside:
            raise FileError(f"{name}: {place} has no {path!r} in {where}")
        inside = inside[key]
    return str(inside)
