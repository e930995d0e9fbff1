"""``fastmetrics rank``: rankings in files, of one or several systems, and their comparison."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import level, number, parse_metrics, positive, seed

if TYPE_CHECKING:
    from fastmetrics._report.ranking_result import RankingEvaluation

HELP: Final = """\
Evaluate rankings of one or several systems, query by query: each measure's mean over the queries
with an interval, and how the systems differ. The data are a file of items, in the same kinds of
file as for evaluate, a row an item; or TREC's files, judgments and runs."""

EXAMPLES: Final = """\
examples:
  fastmetrics rank clicks.parquet --query user --score new --score old --relevance clicked --k 5,10
  fastmetrics rank clicks.csv --query q --score s --relevance grade --metrics ndcg@10 map mrr P@5
  fastmetrics rank log.parquet --query visit --groups user --score s --relevance clicked
  fastmetrics rank --qrels qrels.txt --run bm25.run --run dense.run --k 10,100 --format markdown
  fastmetrics rank --qrels q.txt --run a.run --run b.run --ties trec_eval --no-relevant 0 \\
      --test randomization --resamples 99999 --seed 1
"""

_DEFAULT: Final = "ndcg map mrr"
_FIELDS: Final = (
    *("model", "minus_model", "metric", "estimate", "low", "high", "standard_error", "df"),
    *("n_queries", "pvalue", "pvalue_is_bound", "pvalue_holm", "pvalue_holm_is_bound"),
    *("pvalue_max_t", "pvalue_max_t_is_bound", "better"),
    *("method", "test", "adjustment", "confidence_level", "n_resamples", "key", "note"),
)
_SETTINGS: Final = (
    *("n_queries", "n_left_out", "test", "adjustment", "confidence_level"),
    *("n_resamples", "n_groups", "ties", "key", "verdict"),
)
#: What the arguments of the library are called here.
_WORDS: Final = {
    "metrics": "--metrics",
    "k": "--k",
    "ties": "--ties",
    "ties=": "--ties ",
    "relevant_from": "--relevant-from",
    "no_relevant": "--no-relevant",
    "control": "--control",
    "groups": "--groups",
    "rng": "--seed",
    "n_resamples": "--resamples",
    "test": "--test",
    "qrels": "--qrels",
    "runs": "--run",
}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``fastmetrics rank``."""
    add = command.add_argument
    add("files", nargs="*", metavar="FILE", help="file name or glob pattern; a row is an item")
    add("--query", metavar="COL", help="column that says which query an item is of")
    add(
        "--score",
        action="append",
        dest="scores",
        metavar="COL",
        help="column of a system's scores, the highest first; may be repeated",
    )
    add("--relevance", metavar="COL", help="column of how relevant an item is: 0 not, or a grade")
    add("--qrels", metavar="FILE", help="TREC's judgments: query, iteration, document, relevance")
    add(
        "--run",
        action="append",
        dest="runs",
        metavar="FILE",
        help="TREC's run of a system, which is called by its file; may be repeated",
    )
    add("--k", type=cutoffs, metavar="K,K", help="cut-off, or several, of measures without one")
    add(
        "--metrics",
        nargs="+",
        action="extend",
        metavar="NAME",
        help=f"measures (default {_DEFAULT}), as ndcg@10 or rbp:persistence=0.8",
    )
    add(
        "--ties",
        choices=("expected", "optimistic", "pessimistic", "trec_eval"),
        default="expected",
        help="items that score the same: the mean over their orders (default), the best, the "
        "worst, or by name as trec_eval has it",
    )
    add(
        "--relevant-from",
        type=number,
        default=1,
        metavar="R",
        help="the least relevance that counts where grades are made yes or no (default 1)",
    )
    add(
        "--no-relevant",
        type=number,
        metavar="V",
        help="the value of a query without relevant items (default: left out and counted; "
        "trec_eval has 0)",
    )
    add(
        "--missing-queries",
        choices=("zero", "omit"),
        help="a judged query that a run lacks: nothing found (default), or left out for all runs",
    )
    add(
        "--groups",
        metavar="COL",
        help="column of what queries belong to (a user, a session): groups, not queries, are "
        "independent",
    )
    add("--control", metavar="NAME", help="the system that the others are compared with")
    add(
        "--test",
        choices=("t", "randomization"),
        default="t",
        help="between two systems, over queries (default t)",
    )
    add(
        "--adjustment",
        choices=("holm", "max-t"),
        default="holm",
        help="which p decides: Holm's for the pairs of a measure (default), or max-T for all pairs "
        "by all measures",
    )
    add(
        "--resamples",
        type=positive,
        default=9999,
        metavar="N",
        help="random sign flips, of --test randomization and --adjustment max-t (default 9999)",
    )
    add("--seed", type=seed, metavar="S", help="an integer, or the key of an earlier run")
    add(
        "--confidence-level",
        type=level,
        default=0.95,
        metavar="P",
        help="of the intervals; p-values decide at 1 less this (default 0.95)",
    )
    add("--where", metavar="SQL", help="keep the rows for which this SQL expression holds")
    add(
        "--on-bad-row",
        choices=("error", "skip"),
        help="a row that lacks a number: stop (default), or leave it out and count it",
    )
    add("--threads", type=positive, metavar="N", help="threads (default: all processors)")
    add("--plot", metavar="FILE", help="draw the means, against k if one measure has several")


def cutoffs(text: str) -> int | tuple[int, ...]:
    """Return one cut-off, or several with commas between them."""
    found = tuple(positive(part.strip()) for part in text.split(","))
    return found[0] if len(found) == 1 else found


def run(options: argparse.Namespace) -> str:
    """Read the files, evaluate each system, and return the output."""
    import math

    from fastmetrics._report.ranking_evaluation import evaluate_rankings
    from fastmetrics.cli._messages import print_note, print_texts
    from fastmetrics.cli._options import check_picture
    from fastmetrics.cli._session import in_words
    from fastmetrics.errors import DataConversionWarning
    from fastmetrics.measures.ranking.names import asked_rankings

    _check_options(options)
    metrics = parse_metrics(options.metrics or _DEFAULT.split())
    no_relevant = math.nan if options.no_relevant is None else float(options.no_relevant)
    given: dict[str, Any] = {
        "metrics": metrics,
        "k": options.k,
        "ties": options.ties,
        "relevant_from": options.relevant_from,
        "no_relevant": no_relevant,
        "control": options.control,
        "test": options.test,
        "adjustment": options.adjustment,
        "n_resamples": options.resamples,
        "confidence_level": options.confidence_level,
        "rng": options.seed,
    }
    if options.plot:
        check_picture("--plot", options.plot)
    with in_words(_names(options)) as texts:
        asked_rankings(given["metrics"], given["k"])  # before anything is read
        data, n_skipped = _read(options)
        found = evaluate_rankings(**data, **given)
    for text in dict.fromkeys(t for kind, t in texts if kind is DataConversionWarning):
        print_note(text)
    print_texts((t for kind, t in texts if kind is not DataConversionWarning), "rank")
    if n_skipped:
        print_note(f"{n_skipped:,} bad {'row' if n_skipped == 1 else 'rows'} skipped")
    if options.plot:
        _draw(found, options.plot)
    return _rendered(found, options.format)


def _check_options(options: argparse.Namespace) -> None:
    """Raise before any work if it is neither items of files nor TREC's files."""
    of_trec = {"--qrels": options.qrels, "--run": options.runs}
    of_files = {
        "FILE": options.files,
        "--query": options.query,
        "--score": options.scores,
        "--relevance": options.relevance,
    }
    is_trec = any(of_trec.values())
    needed, other = (of_trec, of_files) if is_trec else (of_files, of_trec)
    extra = {"--missing-queries": options.missing_queries}
    if is_trec:
        names = ("groups", "where", "on_bad_row")
        extra = {f"--{name.replace('_', '-')}": getattr(options, name) for name in names}
    for name, value in (other | extra).items():
        if value:
            kind = "files of items" if is_trec else "TREC's files"
            raise ValueError(
                f"{name} is of {kind}: rank takes --qrels and --run, or FILE, --query, --score and "
                "--relevance"
            )
    missing = [name for name, value in needed.items() if not value]
    if missing:
        raise ValueError(
            f"{', '.join(missing)} missing: rank takes FILE, --query, --score and --relevance, or "
            "--qrels and --run"
        )
    if not is_trec and options.ties == "trec_eval":
        raise ValueError("--ties trec_eval orders ties by the names of documents: it is of --qrels")


def _names(options: argparse.Namespace) -> dict[str, str]:
    columns = {f"scores[{name!r}]": f"column {name!r}" for name in options.scores or ()}
    return (
        dict(_WORDS)
        | columns
        | {"relevance": f"column {options.relevance!r}", "query": f"column {options.query!r}"}
    )


def _read(options: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """Return what `evaluate_rankings` takes, and how many rows were left out."""
    if options.qrels:
        from fastmetrics.io.trec import read_trec

        tables = read_trec(
            options.qrels,
            options.runs,
            missing_queries=options.missing_queries or "zero",
        )
        return {"relevance": tables}, 0
    from fastmetrics.cli._session import read_rows
    from fastmetrics.io.columns import TextColumn

    columns = read_rows(options, options.relevance, options.scores, query=options.query)
    if isinstance(columns.labels, TextColumn):
        shown = ", ".join(map(repr, columns.labels.values[:5]))
        raise ValueError(f"column {options.relevance!r} must be numbers: got {shown}")
    scores = {name: columns.scores[name] for name in options.scores}
    data = {"relevance": columns.labels, "scores": scores, "query": columns.queries}
    if columns.groups is not None and columns.queries is not None:
        from fastmetrics.inference.query_sample import groups_of_queries

        data["groups"] = groups_of_queries(columns.groups, columns.queries)
    return data, columns.n_skipped


def _rendered(found: RankingEvaluation, output_format: str) -> str:
    from fastmetrics.cli._layout import csv_text, json_text, markdown_text, table_text

    if output_format == "json":
        return json_text(_plain(found))
    if output_format == "csv":
        return csv_text(_FIELDS, _rows(found))
    shown = found._shown()
    return markdown_text(shown) if output_format == "markdown" else table_text(shown)


def _plain(found: RankingEvaluation) -> dict[str, Any]:
    """Return all but the values of each query."""
    from fastmetrics._display.numbers import is_bound

    whole = {name: getattr(found, name) for name in _SETTINGS}
    whole["n_left_out"] = dict(found.n_left_out)
    whole["means"] = [
        {"model": name} | mean.to_dict()
        for one in found.comparisons.values()
        for name, mean in zip(one.names, one.models, strict=True)
    ]
    whole["differences"] = [pair.to_dict() for pair in found.differences]
    for pair, p in zip(whole["differences"], found.pvalues_max_t, strict=False):
        pair |= {"pvalue_max_t": float(p), "pvalue_max_t_is_bound": bool(is_bound(p))}
    return whole


def _rows(found: RankingEvaluation) -> list[Mapping[str, Any]]:
    whole = _plain(found)
    shared = {name: whole[name] for name in _SETTINGS if name in _FIELDS}
    rows: list[Mapping[str, Any]] = []
    for fields in whole["means"] + whole["differences"]:
        low, high = fields["confidence_interval"].values()
        row = {name: fields[name] for name in _FIELDS if name in fields}
        one = found[fields["metric"]]
        row |= {"low": low, "high": high, "n_queries": int(one.n_samples)}
        if "a" in fields:
            row |= {"model": fields["a"], "minus_model": fields["b"], "method": one.method}
        rows.append(shared | row)
    return rows


def _draw(found: RankingEvaluation, path: str) -> None:
    from matplotlib.figure import Figure

    from fastmetrics._plots._style import save_figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    found.plot(ax=figure.subplots())
    save_figure(figure, path)
