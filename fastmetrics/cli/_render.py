"""Results as tables as wide as the terminal, Markdown, JSON, CSV, JUnit XML."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from fastmetrics._display import WIDTH, Display, Grid, as_text, grid, is_bound
from fastmetrics.errors import with_names

if TYPE_CHECKING:
    from fastmetrics._report import Evaluation, EvaluationBootstrap, ModelEvaluation
    from fastmetrics.comparison.post_hoc import TableComparison
    from fastmetrics.inference.estimate_result import Estimate, Pair


_NARROWEST: Final = 40
#: What notes call arguments is called here.
_OPTIONS: Final = {"rng=": "--seed ", "to_frame()": "--format csv"}


#: Of every JSON that a command prints: it rises where a field goes, or means another thing.
SCHEMA_VERSION: Final = 1


def json_text(content: Mapping[str, Any]) -> str:
    """Return the fields as JSON, the version of their schema first.

    What JSON has no number for (nan, infinities) is null.
    """
    fields = {"schema_version": SCHEMA_VERSION, **content}
    return json.dumps(_without_nan(fields), indent=2, allow_nan=False) + "\n"


def in_format(
    output_format: str,
    fields: Mapping[str, Any],
    shown: Display,
    rows: Callable[[], tuple[Sequence[str], Iterable[Mapping[str, Any]]]] | None = None,
) -> str:
    """Return what was found: its fields as JSON, rows as CSV, or what is shown as a table."""
    if output_format == "json":
        return json_text(fields)
    if output_format == "csv" and rows is not None:
        return csv_text(*rows())
    return markdown_text(shown) if output_format == "markdown" else table_text(shown)


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return value


def csv_text(fields: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV below a head of the fields; one that a row lacks is left empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def table_text(shown: Display) -> str:
    """Return tables as wide as the terminal, or as `print` has them where there is none."""
    width = shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else WIDTH
    return _in_words(as_text(shown, width=max(width, _NARROWEST))) + "\n"


def markdown_text(shown: Display) -> str:
    """Return the tables in Markdown, numbers at the right, and the notes."""
    drawn = [grid(table) for table in shown.tables if len(table)]
    notes = [*(each.more for each in drawn), *shown.notes]
    parts = [*map(_markdown_table, drawn), *(f"{_in_words(note)}\n" for note in notes if note)]
    return "\n".join(parts)


def _markdown_table(drawn: Grid) -> str:
    sides = [":---" if column.is_left else "---:" for column in drawn.columns]
    lines = [[column.head for column in drawn.columns], ["---", *sides[1:]], *drawn.rows]
    return "".join("| " + " | ".join(map(_escaped, line)) + " |\n" for line in lines)


def _in_words(text: str) -> str:
    """Return a text that speaks of options, not of arguments."""
    return with_names(text, _OPTIONS)


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())


class Case(NamedTuple):
    """A decision: where it belongs, what it is of, how it ended, and what is said of it."""

    group: str
    name: str
    outcome: Literal["", "failure", "error", "skipped"]
    said: str


def _xml(text: str) -> str:
    """Return a text without the characters that no XML document may hold."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def write_junit(path: str, title: str, cases: Sequence[Case], said: str) -> None:
    """Write decisions as JUnit XML, which build servers show; ``said`` is of all."""
    from xml.etree import ElementTree as ET

    from fastmetrics._files import writing

    own = {"name": title, "tests": str(len(cases))}
    for outcome, word in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        own[word] = str(sum(case.outcome == outcome for case in cases))
    suite = ET.Element("testsuite", own)
    for case in cases:
        names = {"classname": _xml(case.group), "name": _xml(case.name)}
        found = ET.SubElement(suite, "testcase", names, time="0")
        if case.outcome:
            ET.SubElement(found, case.outcome, message=_xml(case.said))
        ET.SubElement(found, "system-out").text = _xml(case.said)
    ET.SubElement(suite, "system-out").text = _xml(said)
    with writing(path) as stream:
        stream.write(ET.tostring(suite, encoding="utf-8", xml_declaration=True))


_FIELDS: Final = (
    *("model", "n_positive", "n_negative", "roc_auc", "roc_auc_low", "roc_auc_high"),
    "interval_method",
    *("average_precision", "break_even_point", "ks_statistic", "threshold"),
    *("true_positive_rate", "false_positive_rate", "weights_are", "note"),
)
_INTERVAL_FIELDS: Final = (
    *("model", "minus_model", "metric", "estimate", "low", "high", "standard_error", "bias"),
    *("pvalue", "pvalue_is_bound", "pvalue_holm", "pvalue_holm_is_bound", "better"),
    *("n_failed", "confidence_level", "method", "n_resamples"),
    *("stratified", "n_groups", "effective_n_groups", "threshold", "key", "weights_are", "note"),
)
#: Costs that have limits, and by what name.
_LIMITS_OF_COSTS: Final = {"cheapest_threshold": "cheapest_threshold", "left_out_cost": "cost"}
_TASK_FIELDS: Final = (
    *("model", "minus_model", "metric", "estimate", "low", "high", "standard_error"),
    *("confidence_level", "method", "pvalue", "pvalue_holm", "better", "n_failed", "note"),
)

Rows = tuple[Sequence[str], list[dict[str, Any]]]


def render(
    found: Evaluation | TableComparison,
    output_format: str,
    *,
    title: str = "",
    captions: Sequence[str] = (),
    counts: dict[str, int] | None = None,
) -> str:
    """Return the whole output as text that ends in a line break.

    JSON and CSV have the full precision of the floats. A title stands above a table, captions below
    it; ``counts`` are further figures for the head of the JSON object.
    """
    shown = found._shown()
    notes = [*captions, *shown.notes]
    shown = replace(shown, title=title or shown.title, notes=notes)
    return in_format(
        output_format, {**(counts or {}), **found.to_dict()}, shown, lambda: _rows(found)
    )


def _rows(found: Evaluation | TableComparison) -> Rows:
    """Return the columns of a CSV file, and its rows."""
    from fastmetrics._report.evaluation_result import Evaluation

    if isinstance(found, Evaluation) and found.task != "binary":
        return _rows_of_task(found)
    if not isinstance(found, Evaluation):
        return _rows_of_pairs(found)
    if found.bootstrap is not None:
        return _rows_of_intervals(found, found.bootstrap)
    return _rows_of_models(found)


def _rows_of_task(found: Evaluation) -> Rows:
    """Return a row for each measure of each model, and for each difference."""
    level = {"confidence_level": found.confidence_level}
    rows: list[dict[str, Any]] = []
    for name in found.names:
        for one in found[name].values():
            rows.append({"model": name, "method": one.method} | level | _figures(one))
    for comparison in (found.comparisons or {}).values():
        for pair in comparison:
            row = _figures(pair) | {"pvalue": pair.pvalue, "pvalue_holm": pair.pvalue_holm}
            rows.append(row | {"method": comparison.method} | level)
    return _TASK_FIELDS, rows


def _figures(one: Estimate | Pair) -> dict[str, Any]:
    """Return what the rows of an estimate, or of a difference, have in common."""
    found = {"metric": one.metric, "estimate": one.estimate, "note": one.note}
    found |= {"standard_error": one.standard_error} | one.confidence_interval.to_dict()
    if one.details is not None:
        found["n_failed"] = one.details.n_failed
    from fastmetrics.inference.estimate_result import Pair

    if isinstance(one, Pair):
        found |= {"model": one.a, "minus_model": one.b, "better": one.better}
    return found


def _limits(name: str, interval: Any) -> dict[str, float]:
    return {f"{name}_low": interval.low, f"{name}_high": interval.high}


def _rows_of_models(evaluation: Evaluation) -> Rows:
    rows = []
    for model in evaluation:
        fields = {"model": model.name, **model.to_dict(), "weights_are": evaluation.weights_are}
        fields |= _limits("roc_auc", model.confidence_interval)
        own = _beside(model) | _cost_fields(model.costs) | _guarantee_fields(model)
        rows.append({name: fields[name] for name in _FIELDS} | own)
    return list(dict.fromkeys(name for row in rows for name in row)), rows


def _rows_of_intervals(evaluation: Evaluation, bootstrap: EvaluationBootstrap) -> Rows:
    """Return a row for each number: counts and thresholds, measures, differences."""
    from fastmetrics._report.evaluation_result import FIELDS
    from fastmetrics.inference.bootstrap._engine import joined

    rows: list[dict[str, Any]] = []
    level = {"confidence_level": evaluation.confidence_level}
    plan = bootstrap.to_dict() | level
    plan |= {"weights_are": evaluation.weights_are, "threshold": bootstrap.threshold}
    for model in evaluation:
        results: Mapping[str, Estimate] = model.bootstrap or {}
        for metric, field in FIELDS.items():
            if metric not in results:
                row = {"model": model.name, "metric": field, "estimate": getattr(model, field)}
                rows.append(row | {"note": model.note})
        for metric, result in results.items():
            row = _figures(result) | {"model": model.name, "metric": metric}
            if result.details is not None:
                row["bias"] = result.details.bias
            row |= {"method": result.method, "note": joined(model.note, result.note)}
            rows.append(plan | row)
    for model in evaluation:
        costs = _cost_fields(model.costs)
        for name, value in costs.items():
            row = {"model": model.name, "metric": name, "estimate": value}
            limits = _LIMITS_OF_COSTS.get(name)
            if limits is not None:
                row |= {end: costs[f"{limits}_{end}"] for end in ("low", "high")}
                row |= level | {"note": model.note}
            if not name.endswith(("_low", "_high")):
                rows.append(row)
    for model in evaluation:
        for metric, value in _guarantee_fields(model).items():
            rows.append({"model": model.name, "metric": metric, "estimate": value})
    for metric, pairs in (evaluation.comparisons or {}).items():
        for pair in pairs:
            row = _figures(pair) | {"metric": metric}
            row["method"] = pairs.method.removesuffix(" bootstrap")
            for name, p in (("pvalue", pair.pvalue), ("pvalue_holm", pair.pvalue_holm)):
                row |= {name: p, f"{name}_is_bound": is_bound(p)}
            rows.append(plan | row)
    return _INTERVAL_FIELDS, rows


def _beside(model: ModelEvaluation) -> dict[str, Any]:
    """Return the measures beside those of every evaluation, by the columns of a CSV file."""
    found: dict[str, Any] = {}
    for metric, one in (model.estimates or {}).items():
        if metric not in _FIELDS:
            found |= {metric: one.estimate} | _limits(metric, one.confidence_interval)
    return found


def _cost_fields(costs: Any) -> dict[str, Any]:
    """Return the costs of one model by the columns of a CSV file."""
    if costs is None:
        return {}
    found = {"cheapest_threshold": costs.threshold}
    found |= _limits("cheapest_threshold", costs.threshold_interval)
    found |= {name: getattr(costs, name) for name in ("cost", "left_out_cost")}
    found |= _limits("cost", costs.confidence_interval)
    others = ("cost_at_half", "cost_all_positive", "cost_all_negative")
    return found | {name: getattr(costs, name) for name in others}


def _guarantee_fields(model: ModelEvaluation) -> dict[str, Any]:
    """Return the thresholds that keep promises, by the columns of a CSV file."""
    return {f"threshold_for_{each.metric}": each.threshold for each in model.guarantees}


def _rows_of_pairs(comparison: TableComparison) -> Rows:
    test, friedman, at = comparison.post_hoc, comparison.friedman, comparison.mean_ranks
    of_all = {"post_hoc": test.method, "confidence_level": test.confidence_level}
    of_all |= {"critical_difference": test.critical_difference, "friedman_chi2": friedman.chi2}
    of_all["friedman_pvalue"] = friedman.pvalue
    of_all["friedman_pvalue_is_bound"] = is_bound(friedman.pvalue)
    of_all["friedman_pvalue_method"] = friedman.pvalue_method
    of_all["friedman_reject"] = friedman.reject
    rows: list[dict[str, Any]] = []
    for pair in test:
        row: dict[str, Any] = {"model_a": pair.model_a, "model_b": pair.model_b}
        row |= {"mean_rank_a": at[pair.model_a], "mean_rank_b": at[pair.model_b]}
        rows.append(row | pair.to_dict() | of_all)
    return list(rows[0]), rows
