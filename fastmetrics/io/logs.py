"""``read_evaluation_log``: the logs of lm-evaluation-harness and of Inspect."""

from __future__ import annotations

import json
import math
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from fastmetrics._input.scalars import check_text
from fastmetrics.errors import FileError, InputError, InputTypeError, parsing_error

Path = str | os.PathLike[str]

#: The values of Inspect's letters: correct, partly, incorrect, no answer.
_LETTERS: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
#: Metrics of lm-evaluation-harness that are lower for the better.
_DOWNWARDS: Final = frozenset(
    "perplexity word_perplexity byte_perplexity bits_per_byte ter brier_score".split()
)
_ZIP: Final = b"PK\x03\x04"
#: Files in a zip file of Inspect, of which one has the name of the model.
_HEADERS: Final = ("header.json", "_journal/start.json")
#: The method of compression that zip files of Inspect have, and that `zipfile` knows from
#: Python 3.14 on.
_ZSTANDARD: Final = 93


#: One score, as a file has it: item, repeat, group, score.
_Row = tuple[str, int, str | None, float]
#: A line of a file, or a sample in it, with its place for messages before it.
_Placed = tuple[str, Mapping[str, Any]]


def read_evaluation_log(
    files: Mapping[str, Path | Sequence[Path]] | Path | Sequence[Path],
    *,
    score: str | None = None,
    filter: str | None = None,
    group: str | None = None,
    higher_is_better: bool | None = None,
) -> dict[str, Any]:
    r"""Read the scores of models on items from logs, whose format is recognized by their content.

    Parameters
    ----------
    files : mapping of str to path or sequence of path, or path, or sequence of path
        The files of each model by its name; without names a model is called as its log says
        (Inspect), or as the file is without its ending.
    score : str, optional
        The metric, or scorer, to read: needed where a log has several. "scorer/key" is one key of
        a scorer that has several values.
    filter : str, optional
        Of lm-evaluation-harness, the filter of answers: needed where a log has several.
    group : str, optional
        The field with the cluster of an item: of `doc` (lm-evaluation-harness), or of `metadata`
        (Inspect). A path with dots reaches inside.
    higher_is_better : bool, optional
        The direction of the score; successes need none.

    Returns
    -------
    dict
        What `evaluate_log` takes: the columns ``"item"``, ``"score"``, ``"model"``, ``"repeat"``
        (epochs of Inspect) and ``"group"`` (None without `group`), a row for each attempt, with
        ``"name"`` and ``"higher_is_better"`` of the score.

    Raises
    ------
    FileError
        If a file is damaged or none of these, or a sample lacks a field; the message says where.
    ValueError
        If there are several scores or filters and none was named.

    Notes
    -----
    - lm-evaluation-harness: the ``samples_*.jsonl`` that ``--log_samples`` writes; items are
      `doc_id`, and a filter has each once. Files of several tasks must be read apart: `doc_id` is
      of a task.
    - Inspect: ``.eval`` and ``.json``; items are `id`, repeats are `epoch`. C is 1, P is 0.5, I
      and N are 0; true and false are 1 and 0. Samples with an error, which have no score, are
      refused: a log of them must be run to its end. Those compressed with Zstandard need pyarrow.

    Ids are kept as texts, so that no number is rounded.

    Examples
    --------
    >>> import json, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for model, right in (("a", 3), ("b", 1)):
    ...     lines = [{"doc_id": k, "filter": "none", "acc": float(k < right)} for k in range(4)]
    ...     with open(os.path.join(folder, f"{model}.jsonl"), "w") as file:
    ...         _ = file.write("\n".join(json.dumps(line) for line in lines))
    >>> log = read_evaluation_log([os.path.join(folder, f"{model}.jsonl") for model in "ab"])
    >>> log["name"], log["model"][:2], log["item"][:2], log["score"][:2]
    ('acc', ['a', 'a'], ['0', '1'], [1.0, 1.0])
    """
    for name, value in (("score", score), ("filter", filter), ("group", group)):
        if value is not None:
            check_text(name, value)
    rows: list[tuple[Any, ...]] = []
    for name, path in _each(files):
        score, log, model_of_log = _read(path, score, filter, group)
        label = name or model_of_log or os.path.splitext(os.path.basename(os.fspath(path)))[0]
        rows += [(label, *row) for row in log]
    if not rows:
        raise InputError("`files` names no file")
    columns = dict(
        zip(
            ("model", "item", "repeat", "group", "score"),
            map(list, zip(*rows, strict=True)),
            strict=True,
        )
    )
    if higher_is_better is None and score in _DOWNWARDS:
        higher_is_better = False
    given: dict[str, Any] = columns if group is not None else columns | {"group": None}
    return given | {"name": score or "score", "higher_is_better": higher_is_better}


def is_evaluation_log(path: Path) -> bool:
    """Return whether a file begins as a log does; what follows may be damaged."""
    with open(path, "rb") as file:
        first = file.readline()
        if first.startswith(_ZIP):
            try:
                with zipfile.ZipFile(file) as archive:
                    return not {*_HEADERS}.isdisjoint(archive.namelist())
            except zipfile.BadZipFile:
                return True  # which the reader says
        first = first.removeprefix(b"\xef\xbb\xbf").strip()
        if not first.startswith(b"{"):
            return False
        for text in (first, first + file.read()):  # a line, or the whole file
            with suppress(ValueError, RecursionError):
                value = json.loads(text)
                return _is_inspect(value) or (isinstance(value, Mapping) and "doc_id" in value)
    return False


def _is_inspect(value: Any) -> bool:
    return isinstance(value, Mapping) and "samples" in value and "eval" in value


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
) -> tuple[str, list[_Row], str]:
    """Return the metric, the rows of a file, and its own name of the model."""
    name = os.fspath(path)
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(_ZIP):
        return _read_inspect(name, *_unpack(name, path), metric, group)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{name}: no text in UTF-8: {error}") from None
    try:
        whole = json.loads(text)
    except (json.JSONDecodeError, RecursionError):  # lines, or damaged
        whole = None
    except ValueError as error:
        raise FileError(f"{name}: {parsing_error(error)}") from None
    if _is_inspect(whole):
        samples = whole["samples"] or []
        if not isinstance(samples, list):
            raise FileError(f"{name}: its samples are {_kind(samples)}, where a list belongs")
        numbered = ((f"sample {k}", each) for k, each in enumerate(samples, 1))
        return _read_inspect(name, whole["eval"], _objects(name, numbered), metric, group)
    # JSON has no line break inside of a string; U+2028 and the like are none.
    lines = ((f"line {k}", line) for k, line in enumerate(text.split("\n"), 1) if line.strip())
    values = ((position, _loads(name, position, line)) for position, line in lines)
    return _read_harness(name, _objects(name, values), metric, filter, group)


def _loads(name: str, position: str, text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise FileError(f"{name}: {position} is nested too deep") from None
    except ValueError as error:  # of JSON, of its encoding, of integers with too many digits
        raise FileError(f"{name}: {position} is no JSON: {parsing_error(error)}") from None


def _objects(name: str, values: Iterable[tuple[str, Any]]) -> list[_Placed]:
    """Return values with their places, all of them objects."""
    objects = []
    for position, value in values:
        if not isinstance(value, Mapping):
            raise FileError(f"{name}: {position} is {_kind(value)}, where an object belongs")
        objects.append((position, value))
    return objects


def _kind(value: Any) -> str:
    return "null" if value is None else f"a {type(value).__name__}"


def _unpack(name: str, path: Path) -> tuple[Any, list[_Placed]]:
    """Return the header of a zip file of Inspect's, and the samples in it."""
    try:
        with zipfile.ZipFile(path) as archive:
            known = archive.namelist()
            inside = next((each for each in _HEADERS if each in known), None)
            if inside is None:
                raise FileError(f"{name}: a zip file without header.json: no log of Inspect")
            names = [inside, *(each for each in known if each.startswith("samples/"))]
            contents = [_member(name, path, archive, each) for each in names]
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise FileError(f"{name}: a damaged zip file: {error}") from None
    pairs = zip(names, contents, strict=True)
    header, *samples = _objects(name, ((each, _loads(name, each, text)) for each, text in pairs))
    return header[1].get("eval"), samples


def _member(name: str, path: Path, archive: zipfile.ZipFile, inside: str) -> bytes:
    """Return the bytes of a file in a zip file, of Zstandard too."""
    info = archive.getinfo(inside)
    if info.compress_type != _ZSTANDARD or hasattr(zipfile, "ZIP_ZSTANDARD"):
        return archive.read(info)
    try:
        import pyarrow as pa
    except ImportError:
        raise FileError(
            f"{name}: compressed with Zstandard, which needs pyarrow (pip install pyarrow) or "
            "Python 3.14; or `inspect log convert --to json` makes a file that can be read"
        ) from None
    with open(path, "rb") as stream:
        stream.seek(info.header_offset)
        header = stream.read(30)  # ends with the lengths of the name and of the extra field
        lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:], "little")
        stream.seek(lengths, os.SEEK_CUR)
        packed = stream.read(info.compress_size)
    try:
        data = pa.decompress(packed, info.file_size, codec="zstd", asbytes=True)
    except (OSError, pa.ArrowException) as error:
        raise FileError(f"{name}: {inside} is damaged: {error}") from None
    if zlib.crc32(data) != info.CRC:
        raise FileError(f"{name}: {inside} is damaged: its checksum differs")
    return bytes(data)


def _read_harness(
    name: str, lines: list[_Placed], metric: str | None, filter: str | None, group: str | None
) -> tuple[str, list[_Row], str]:
    """Return the metric and the rows of a log of lm-evaluation-harness, which names no model."""
    if not lines:
        raise FileError(f"{name}: no line: nothing was logged")
    position, first = lines[0]
    if "doc_id" not in first:
        raise FileError(f"{name}: {position} has no doc_id: no log of lm-evaluation-harness")
    filters = [str(value.get("filter", "none")) for _, value in lines]
    filter = _chosen(name, "filter", filter, list(dict.fromkeys(filters)))
    lines = [
        each
        for each, filter_of_line in zip(lines, filters, strict=True)
        if filter_of_line == filter
    ]
    _, first = lines[0]
    known = first.get("metrics")
    if not isinstance(known, list):
        skipped = ("doc_id", "idx")
        numbers = (k for k, value in first.items() if isinstance(value, int | float))
        known = [key for key in numbers if key not in skipped]
    metric = _chosen(name, "score", metric, [str(each) for each in known])
    rows = []
    for position, value in lines:
        if metric not in value:
            raise FileError(f"{name}: {position} has no {metric!r}")
        score = _number(name, position, value[metric])
        whose = _field(name, position, value, group, "doc")
        rows.append((_id(name, position, value, "doc_id"), 1, whose, score))
    return metric, rows, ""


def _read_inspect(
    name: str, header: Any, samples: list[_Placed], metric: str | None, group: str | None
) -> tuple[str, list[_Row], str]:
    """Return the metric, the rows and the model of a log of Inspect."""
    if not samples:
        raise FileError(f"{name}: no samples: the log is of a run without any, or a header alone")
    rows = []
    for position, value in samples:
        scores = value.get("scores")
        if not scores:
            why = " (it ended with an error)" if value.get("error") else ""
            raise FileError(f"{name}: {position} has no score{why}: finish the run, or score it")
        if not isinstance(scores, Mapping):
            raise FileError(f"{name}: {position} has scores that are {_kind(scores)}, no object")
        named = dict(_values(scores))
        metric = _chosen(name, "score", metric, list(named))
        whose = _field(name, position, value, group, "metadata")
        epoch = value.get("epoch", 1)
        if not isinstance(epoch, int) or isinstance(epoch, bool) or not 0 <= epoch < 2**53:
            raise FileError(
                f"{name}: {position} has an epoch that is no whole number: {_kind(epoch)}"
            )
        score = _number(name, position, named[metric])
        rows.append((_id(name, position, value, "id"), epoch, whose, score))
    model = header.get("model") if isinstance(header, Mapping) else None
    return metric or "", rows, model if isinstance(model, str) else ""


def _id(name: str, position: str, value: Mapping[str, Any], key: str) -> str:
    identifier = value.get(key)
    if not isinstance(identifier, int | str) or isinstance(identifier, bool):
        what = f"as {key} {_kind(identifier)}, no text or integer"
        if identifier is None:
            what = f"no {key}"
        raise FileError(f"{name}: {position} has {what}")
    return str(identifier)


def _values(scores: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield scorers with their values; of several values each by itself."""
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        if isinstance(value, Mapping):
            yield from ((f"{scorer}/{key}", each) for key, each in value.items())
        else:
            yield scorer, value


def _chosen(name: str, what: str, given: str | None, known: list[str]) -> str:
    if given is None:
        if len(known) == 1:
            return known[0]
        if not known:
            raise FileError(f"{name}: nothing is measured in it")
        raise InputError(f"`{what}` must be named: {name} has {', '.join(known)}")
    if given not in known:
        raise FileError(f"{name}: no {what} {given!r}; it has {', '.join(known)}")
    return given


def _number(name: str, position: str, value: Any) -> float:
    """Return the value of a score; letters as Inspect has them."""
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    what = repr(value) if isinstance(value, str) else _kind(value)
    try:
        if not isinstance(value, str | int | float) or "_" in what:
            raise ValueError
        score = float(value)
    except ValueError:
        raise FileError(f"{name}: {position} has a score that is no number: {what}") from None
    except OverflowError:  # an integer beyond float64
        score = math.inf
    if not math.isfinite(score):
        raise FileError(f"{name}: {position} has a score that is not finite: {score}")
    return score


def _field(
    name: str, position: str, value: Mapping[str, Any], path: str | None, where: str
) -> str | None:
    if path is None:
        return None
    inside: Any = value.get(where)
    for key in path.split("."):
        if not isinstance(inside, Mapping) or key not in inside:
            raise FileError(f"{name}: {position} has no {path!r} in {where}")
        inside = inside[key]
    if not isinstance(inside, str | int | float):
        raise FileError(f"{name}: {position} has in {path!r} {_kind(inside)}, no text or number")
    return str(inside)
