"""``fastmetrics find-slices``: where the loss of a model is greater."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import as_options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fastmetrics.io.columns import Columns

ABOUT: Final = "search columns for slices whose loss is greater, and confirm them on rows held back"
FORMATS: Final = ("table", "json", "markdown")
HELP: Final = """\
Search the values of columns, and pairs of them, for rows whose loss is greater than elsewhere. One
part of the rows is searched; the slices that look worst are tested on the other, with Holm's
adjustment. The loss of a row is (label - score)^2, of probabilities and of predicted numbers; or,
with --threshold, 1 where the decision is wrong."""

EXAMPLES: Final = """\
examples:
  fastmetrics find-slices scores.parquet --label y --score p --column country --column age
  fastmetrics find-slices scores.csv --label y --score s --threshold 2.5 --column city \\
      --groups patient --confirm 0.4 --format json
"""
OPTIONS: Final = """
FILE
--label
--score COL  column of the scores of the model
--column COL...  column that may tell where the loss is greater: texts, or numbers; may be repeated
[--threshold T]  from which on a score is called positive; a wrong decision is then a loss of 1
[--confirm P]  share of the rows that is held back (default 0.5)
[--max-conditions {1,2}]  how many conditions make a slice (default 2)
[--min-n N]  rows that a slice, and what is outside it, must have on either side (default 30)
[--groups COL]  column that says whose a row is: a group is in one part only, and varies as a whole
[--confidence-level P]  of the limits, and of all that is confirmed together (default 0.95)
[--seed S]  of the parts
[--pos-label]
[--where]
[--threads]
"""
DEFAULTS: Final[dict[str, Any]] = {"max_conditions": "2"}
#: Options that are arguments of `find_slices` as they are.
_GIVEN: Final = ("confirm", "min_n", "confidence_level")
_NAMES: Final = as_options(*_GIVEN, "groups", "pos_label", "min_n=") | {"rng": "--seed"}


def run(options: argparse.Namespace) -> str:
    """Read the files, search, and return the output."""
    from fastmetrics._report.slices.find_slices import find_slices
    from fastmetrics.cli._layout import in_format
    from fastmetrics.cli._session import in_words, read_rows

    names = list(dict.fromkeys([*options.column, *([options.groups] if options.groups else [])]))
    columns = read_rows(options, options.label, [options.score], named=names)
    words = _NAMES | {f"X[{name!r}]": f"column {name!r}" for name in options.column}
    words |= {"y_true": f"column {options.label!r}", "y_score": f"column {options.score!r}"}
    given = {name: getattr(options, name) for name in _GIVEN}
    given = {name: value for name, value in given.items() if value is not None}
    with in_words(words, about="find-slices"):
        found = find_slices(
            {name: columns.named[name] for name in options.column},
            _losses(columns, options),
            max_conditions=int(options.max_conditions),
            groups=columns.named[options.groups] if options.groups else None,
            rng=options.seed,
            **given,
        )
    fields = {"verdict": found.verdict, **found.to_dict()}
    return in_format(options.format, fields, found._shown())


def _losses(columns: Columns, options: argparse.Namespace) -> NDArray[np.float64]:
    """Return the loss of each row."""
    import numpy as np

    from fastmetrics._input.labels import distinct
    from fastmetrics._input.rows import check_binary
    from fastmetrics._input.scores import check_unit_interval
    from fastmetrics.cli._session import labels_of

    scores = columns.scores[options.score]
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    if options.threshold is None and pos_label is None and len(distinct(labels)) > 2:
        return np.asarray((labels.astype(np.float64) - scores) ** 2, np.float64)
    is_positive = check_binary(labels, scores, pos_label=pos_label).recheck().labels == 1
    if options.threshold is not None:
        return np.asarray((scores >= options.threshold) != is_positive, np.float64)
    check_unit_interval(scores, "y_score", "; --threshold makes decisions of scores")
    return np.asarray((is_positive - scores.astype(np.float64)) ** 2, np.float64)
