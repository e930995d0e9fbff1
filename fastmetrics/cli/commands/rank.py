"""``fastmetrics rank``: rankings in files, of one or several systems, and their comparison."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import as_options, check_picture, number, parse_metrics

if TYPE_CHECKING:
    from fastmetrics._report.ranking_result import RankingEvaluation

ABOUT: Final = "evaluate rankings in files, TREC's too, and compare systems"
FORMATS: Final = ("table", "json", "csv", "markdown")
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
#: Options that are arguments of `evaluate_rankings` as they are.
_GIVEN: Final = "k ties relevant_from control test adjustment confidence_level".split()
#: What the arguments of the library are called here.
_WORDS: Final = as_options(
    *("metrics", "k", "ties", "ties=", "relevant_from", "no_relevant", "control", "groups"),
    *("test", "qrels"),
) | {"rng": "--seed", "n_resamples": "--resamples", "runs": "--run"}
OPTIONS: Final = f"""
[FILE ...]  file name or glob pattern; a row is an item
[--query COL]  column that says which query an item is of
[--score COL]...  column of a system's scores, the highest first; may be repeated
[--relevance COL]  column of how relevant an item is: 0 not, or a grade
[--qrels FILE]  TREC's judgments: query, iteration, document, relevance
[--run FILE]...  TREC's run of a system, which is called by its file; may be repeated
[--k K,K]  cut-off, or several, of measures without one
[--metrics NAME ...]  measures (default {_DEFAULT}), as ndcg@10 or rbp:persistence=0.8
[--ties {{expected,optimistic,pessimistic,trec_eval}}]  items that score the same: the mean over
    their orders (default), the best, the worst, or by name as trec_eval has it
[--relevant-from R]  the least relevance that counts where grades are made yes or no (default 1)
[--no-relevant V]  the value of a query without relevant items (default: left out and counted;
    trec_eval has 0)
[--missing-queries {{zero,omit}}]  a judged query that a run lacks: nothing found (default), or left
    out for all runs
[--groups COL]  column of what queries belong to (a user, a session): groups, not queries, are
    independent
[--control NAME]  the system that the others are compared with
[--test {{t,randomization}}]  between two systems, over queries (default t)
[--adjustment {{holm,max-t}}]  which p decides: Holm's for the pairs of a measure (default), or
    max-T for all pairs by all measures
[--resamples N]  random sign flips, of --test randomization and --adjustment max-t (default 9999)
[--seed S]  an integer, or the key of an earlier run
[--confidence-level P]  of the intervals; p-values decide at 1 less this (default 0.95)
[--where]
[--on-bad-row {{error,skip}}]  a row that lacks a number: stop (default), or leave it out and count
    it
[--threads]
[--plot FILE]  draw the means, against k if one measure has several
"""
TYPES: Final = {"no_relevant": number}
DEFAULTS: Final = {
    "ties": "expected",
    "relevant_from": 1,
    "test": "t",
    "adjustment": "holm",
    "resamples": 9999,
    "confidence_level": 0.95,
}


def run(options: argparse.Namespace) -> str:
    """Read the files, evaluate each system, and return the output."""
    import math

    from fastmetrics._report.ranking_evaluation import evaluate_rankings
    from fastmetrics.cli._layout import in_format
    from fastmetrics.cli._messages import print_texts, tell
    from fastmetrics.cli._session import in_words
    from fastmetrics.errors import DataConversionWarning
    from fastmetrics.measures.ranking.names import asked_rankings

    _check_options(options)
    given: dict[str, Any] = {name: getattr(options, name) for name in _GIVEN}
    given |= {"n_resamples": options.resamples, "rng": options.seed}
    given["metrics"] = parse_metrics(options.metrics or _DEFAULT.split())
    given["no_relevant"] = math.nan if options.no_relevant is None else float(options.no_relevant)
    if options.plot:
        check_picture("--plot", options.plot)
    with in_words(_names(options)) as texts:
        asked_rankings(given["metrics"], given["k"])  # before anything is read
        data, n_skipped = _read(options)
        found = evaluate_rankings(**data, **given)
    for text in dict.fromkeys(t for kind, t in texts if kind is DataConversionWarning):
        tell("note", text)
    print_texts((t for kind, t in texts if kind is not DataConversionWarning), "rank")
    if n_skipped:
        tell("note", f"{n_skipped:,} bad {'row' if n_skipped == 1 else 'rows'} skipped")
    if options.plot:
        from matplotlib.figure import Figure

        from fastmetrics._plots._style import save_figure

        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        found.plot(ax=figure.subplots())
        save_figure(figure, options.plot)
    return in_format(options.format, _plain(found), found._shown(), lambda: (_FIELDS, _rows(found)))


def _check_options(options: argparse.Namespace) -> None:
    """Raise before any work if it is neither items of files nor TREC's files."""
    of_trec = {"--qrels": options.qrels, "--run": options.run}
    of_files = {
        "FILE": options.files,
        "--query": options.query,
        "--score": options.score,
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
    columns = {f"scores[{name!r}]": f"column {name!r}" for name in options.score or ()}
    columns |= {name: f"column {getattr(options, name)!r}" for name in ("relevance", "query")}
    return _WORDS | columns


def _read(options: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """Return what `evaluate_rankings` takes, and how many rows were left out."""
    if options.qrels:
        from fastmetrics.io.trec import read_trec

        tables = read_trec(
            options.qrels, options.run, missing_queries=options.missing_queries or "zero"
        )
        return {"relevance": tables}, 0
    from fastmetrics.cli._session import read_rows
    from fastmetrics.io.columns import TextColumn

    columns = read_rows(
        options, options.relevance, options.score, query=options.query, group=options.groups
    )
    if isinstance(columns.labels, TextColumn):
        shown = ", ".join(map(repr, columns.labels.values[:5]))
        raise ValueError(f"column {options.relevance!r} must be numbers: got {shown}")
    scores = {name: columns.scores[name] for name in options.score}
    data = {"relevance": columns.labels, "scores": scores, "query": columns.queries}
    if columns.groups is not None and columns.queries is not None:
        from fastmetrics.inference.query_sample import groups_of_queries

        data["groups"] = groups_of_queries(columns.groups, columns.queries)
    return data, columns.n_skipped


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
