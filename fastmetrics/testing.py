"""The pytest plugin: `metric_gate`, a fixture that fails a test if a model became worse.

Every run of pytest beside fastmetrics loads it: arithmetic is imported when a test calls it.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from fastmetrics.errors import FileError, InputError, SmallSampleWarning, renamed

if TYPE_CHECKING:
    from fastmetrics._report.gate import Gate

#: Options of `gate` that may name a column: the first two are of numbers.
_ROWS: Final = ("event", "sample_weight", "groups", "query", "strata")
#: The user property that carries a gate, as JSON, from a worker of xdist to its parent.
_PROPERTY: Final = "metric_gate"
_COLORS: Final = {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}


@dataclass(frozen=True, eq=False)
class MetricGate:
    """Value of the fixture `metric_gate`: call it to assert that a candidate is not worse."""

    test: pytest.Item
    is_strict: bool

    def __call__(
        self,
        y_true: Any = None,
        candidate: Any = None,
        *,
        baseline: Any = None,
        margins: Mapping[str, float],
        data: Any = None,
        file: Any = None,
        label: str | None = None,
        **options: Any,
    ) -> Gate:
        """Return the gate that passed or was inconclusive; raise AssertionError with its words.

        `y_true`, `candidate`, `baseline` and `anchor` are arrays of shape (n_samples,), or columns
        of `data` (a data frame) or of a `file` (CSV, Parquet, JSON lines) by their names; `label`
        names the column of labels too. Options are those of `fastmetrics.gate`.
        """
        from fastmetrics._input.calls import as_called
        from fastmetrics._report.gate import gate

        __tracebackhide__ = True
        models = {"candidate": candidate, "baseline": baseline}
        if options.get("anchor") is not None:
            models["anchor"] = options["anchor"]
        labels = y_true if label is None else label
        try:
            if label is not None and y_true is not None:
                raise InputError("`label` and `y_true` are both given: pass one of them")
            if data is not None and file is not None:
                raise InputError("`data` and `file` are both given: pass one of them")
            if file is not None:
                data = _read_file(file, {"label": labels, **models}, options)
            names = {
                role: value if data is not None and isinstance(value, str) else role
                for role, value in models.items()
            }
            scores = {names[role]: value for role, value in models.items()}
            words = {f"scores[{name!r}]": role for role, name in names.items()}
            words |= {"y_true": "label"} if label is not None else {}
            with warnings.catch_warnings(), renamed(**words):
                # Low power is no error where warnings are: it makes INCONCLUSIVE, in the table.
                warnings.filterwarnings("ignore", "the rule of", SmallSampleWarning)
                options = {**options, **names, "margins": margins, "data": data}
                result = as_called(gate, "fastmetrics")(labels, scores, **options)
        except (FileError, ImportError, InputError) as error:
            raise error.with_traceback(None) from None  # the last frame is that of the test
        self._report(result)
        if result.verdict == "FAIL" or (self.is_strict and result.verdict != "PASS"):
            raise AssertionError(result.explain())
        return result

    def _report(self, gate: Gate) -> None:
        """Add a gate to the report of the test: the rule that decides, all words, the fields."""
        from fastmetrics.cli._terminal import without_nan

        rules = [rule for rule in gate.rules if rule.decision == gate.verdict]
        line = rules[0].said(names_baseline=len(gate.baselines) > 1)
        if gate.verdict == "INCONCLUSIVE" and rules[0].n_samples < rules[0].n_needed < math.inf:
            line += f"; 80 % power needs about n = {rules[0].n_needed:,.0f}"
        line += f" (and {len(rules) - 1} more)" if len(rules) > 1 else ""
        fields = {"test": self.test.nodeid, "explanation": gate.explanation, **gate.to_dict()}
        sent = {"line": line.replace("\xa0", " "), "text": gate.explain(), "gate": fields}
        self.test.user_properties.append((_PROPERTY, json.dumps(without_nan(sent))))


def _read_file(file: Any, models: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """Return the columns of a file that labels, scores and options name, as an Arrow table."""
    from fastmetrics.io.reader import read_columns

    for argument, name in models.items():
        if not isinstance(name, str):
            raise InputError(f"`{argument}` must be the name of a column: got {name!r}")
    label, *scores = models.values()
    slices = options.get("slices") or []
    rows = {k: options[k] for k in _ROWS if isinstance(options.get(k), str)}
    scores += [rows.pop(k) for k in _ROWS[:2] if k in rows]
    texts = [*rows.values(), *([slices] if isinstance(slices, str) else slices)]
    read = read_columns([file], label, scores, named=[*dict.fromkeys(texts)])
    import pyarrow as pa  # as the reader has it

    return pa.table({label: read.label_values, **read.scores, **read.named})


@pytest.fixture
def metric_gate(request: pytest.FixtureRequest) -> MetricGate:
    """Assert no loss: ``metric_gate(y, candidate, baseline=scores, margins={"roc_auc": 0.01})``."""
    return MetricGate(request.node, request.config.getoption("gate_strict"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of gates."""
    group = parser.getgroup("fastmetrics", "gates of fastmetrics (fixture metric_gate)")
    group.addoption("--gate-strict", action="store_true", help="an INCONCLUSIVE gate fails")
    group.addoption("--gate-json", metavar="PATH", help="write the results of all gates as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Let the process that is no worker of xdist gather the gates."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Summary(config.getoption("gate_json")), "metric-gates")


def pytest_report_teststatus(report: Any) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Call a test that passed with an inconclusive gate INCONCLUSIVE; not a subtest."""
    if type(report) is pytest.TestReport and report.when == "call" and report.passed:
        verdicts = {each["gate"]["verdict"] for each in _gates(report)}
        if "INCONCLUSIVE" in verdicts and not hasattr(report, "wasxfail"):
            return "inconclusive", "I", ("INCONCLUSIVE", {"yellow": True})
    return None


def _gates(report: pytest.TestReport) -> list[dict[str, Any]]:
    """Return the gates of a test, as `MetricGate` added them to its report."""
    return [json.loads(str(value)) for name, value in report.user_properties if name == _PROPERTY]


class _Summary:
    """Gathers the gates of all tests; prints and writes them at the end."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._gates: dict[str, list[dict[str, Any]]] = {}
        self.pytest_sessionfinish()  # no run begins whose results cannot be written

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if gates := _gates(report):  # each phase has those of the phases before
            self._gates[report.nodeid] = gates

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._gates:
            terminalreporter.section("metric gates")
        for test, gates in sorted(self._gates.items()):
            for each in gates:
                verdict = each["gate"]["verdict"]
                terminalreporter.write(verdict, **{_COLORS[verdict]: True})
                terminalreporter.write_line(f" {test} - {each['line']}")
                if terminalreporter.verbosity > 0:
                    terminalreporter.write_line(f"{each['text']}\n")

    def pytest_sessionfinish(self) -> None:
        if self._path is not None:
            from fastmetrics._files import writing
            from fastmetrics.cli._terminal import json_text

            gates = [each["gate"] for _, many in sorted(self._gates.items()) for each in many]
            try:
                with writing(self._path) as file:
                    file.write(json_text({"gates": gates}).encode())
            except OSError as error:
                raise pytest.UsageError(f"--gate-json: {error}") from None
