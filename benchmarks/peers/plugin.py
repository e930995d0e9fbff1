"""A pytest plugin: scikit-learn's own tests, run on the functions of fastmetrics.

``benchmarks.peer_suite`` starts pytest with it, in a process of its own. Every public function of
``sklearn.metrics`` that fastmetrics has under the same name is replaced before a test module is
imported, by a wrapper that notes which test calls it; ``--peer-theirs`` wraps scikit-learn's own
functions instead. Functions of scikit-learn that are not replaced go on calling their own.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import pytest
import sklearn.metrics
from _pytest.doctest import DoctestModule

import fastmetrics

HOMES = ("_classification", "_ranking", "_regression")
PACKAGE = str(Path(fastmetrics.__file__).parent)
THEIRS = "FASTMETRICS_PEER_THEIRS"  # set for the worker processes of tests


class Notes:
    """What the tests did, by node id; ``test`` is the one that runs."""

    def __init__(self) -> None:
        self.test = ""
        self.calls: dict[str, list[str]] = {}
        self.wordings: dict[str, list[str]] = {}
        self.outcomes: dict[str, tuple[str, str]] = {}
        self.broken: dict[str, str] = {}

    def called(self, name: str) -> None:
        """Note a call; the last name stays last."""
        names = self.calls.setdefault(self.test, [])
        if name in names:
            names.remove(name)
        names.append(name)


notes = Notes()
original_raises = pytest.raises


def peers(only: frozenset[str]) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    """Return the pairs (ours, theirs) of equal name; what cannot be imported is noted."""
    found = {}
    modules = [importlib.import_module(f"sklearn.metrics.{home}") for home in HOMES]
    for name in fastmetrics.__all__:
        homes = [module for module in modules if inspect.isfunction(vars(module).get(name))]
        if not homes or (only and name not in only):
            continue
        try:
            ours = getattr(fastmetrics, name)
        except Exception as error:
            notes.broken[name] = f"{type(error).__name__}: {error}"
        else:
            found[name] = (ours, vars(homes[0])[name])
    return found


def recorded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, its calls noted; the signature stays visible."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        notes.called(name)
        return function(*args, **kwargs)

    call.__module__, call.__qualname__ = __name__, name  # where pickle looks it up
    globals()[name] = call
    return call


def __getattr__(name: str) -> Any:
    """Return the bare function where a worker process of a test looks it up."""
    if name not in fastmetrics.__all__:
        raise AttributeError(name)
    return getattr(sklearn.metrics if os.environ.get(THEIRS) else fastmetrics, name)


@contextmanager
def patched(modules: list[ModuleType], functions: dict[str, Callable[..., Any]]) -> Iterator[None]:
    """Put the functions in place wherever a module has the name, for as long as this lasts."""
    kept = [(m, name, vars(m)[name]) for m in modules for name in functions if name in vars(m)]
    for module, name, _ in kept:
        setattr(module, name, functions[name])
    try:
        yield
    finally:
        for module, name, value in kept:
            setattr(module, name, value)


def raised_by_us(trace: TracebackType | None) -> bool:
    """Return whether the innermost frame is ours: a check that spoke, not an accident below it."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith(PACKAGE)


class Raises:
    """``pytest.raises`` that notes another wording of an error.

    Otherwise the first of them would end the test, and what it asks after that stay unasked.
    """

    def __init__(self, expected: Any, match: Any, options: dict[str, Any]) -> None:
        self._inner = original_raises(expected, **options)
        self._match = match

    def __enter__(self) -> Any:
        return self._inner.__enter__()

    def __exit__(self, kind: Any, value: Any, trace: Any) -> bool | None:
        __tracebackhide__ = True
        is_expected = self._inner.__exit__(kind, value, trace)
        if is_expected and self._match is not None and not re.search(self._match, str(value)):
            what = f"{str(value)!r} does not match {getattr(self._match, 'pattern', self._match)!r}"
            if not raised_by_us(trace):
                raise AssertionError(what)
            notes.wordings.setdefault(notes.test, []).append(what)
        return is_expected


def raises(expected: Any = Exception, *args: Any, match: Any = None, **options: Any) -> Any:
    """Stand in for ``pytest.raises``."""
    if args:
        return original_raises(expected, *args, **options)
    return Raises(expected, match, options)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the three options of the script."""
    group = parser.getgroup("peer suite")
    group.addoption("--peer-output", help="JSON file for what the tests did")
    group.addoption("--peer-theirs", action="store_true", help="replace nothing, only note calls")
    group.addoption("--peer-only", default="", help="names to replace, comma-separated")


def pytest_configure(config: pytest.Config) -> None:
    """Put our functions into sklearn.metrics, for good."""
    is_theirs = config.getoption("--peer-theirs")
    os.environ[THEIRS] = "yes" if is_theirs else ""
    if not is_theirs:
        pytest.raises = raises  # type: ignore[assignment]
    only = frozenset(filter(None, config.getoption("--peer-only").split(",")))
    pairs = peers(only)
    config.stash[FUNCTIONS] = functions = {
        name: recorded(name, theirs if is_theirs else ours)
        for name, (ours, theirs) in pairs.items()
    }
    for name, function in functions.items():
        if hasattr(sklearn.metrics, name):
            setattr(sklearn.metrics, name, function)


FUNCTIONS = pytest.StashKey[dict[str, Callable[..., Any]]]()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Put them into the private modules as well while a test module is imported.

    The examples of docstrings are found by looking at those modules, so they stay as they are.
    """
    if not isinstance(collector, pytest.Module) or isinstance(collector, DoctestModule):
        return (yield)
    homes = [sys.modules[f"sklearn.metrics.{home}"] for home in HOMES]
    with patched(homes, collector.config.stash[FUNCTIONS]):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Remember which test runs."""
    notes.test = item.nodeid
    try:
        return (yield)
    finally:
        notes.test = ""


def one_line(text: str) -> str:
    """Return the gist of a failure: the first lines, joined, without the machine's paths."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    joined = re.sub(r"(?<![\w.])/[\w./-]+/", "", " ".join(lines[:8]))
    return joined if len(joined) <= 300 else joined[:297] + "..."


def reason_of(report: pytest.TestReport) -> str:
    """Return why a test failed or was skipped."""
    if isinstance(report.longrepr, tuple):
        return one_line(report.longrepr[2].removeprefix("Skipped: "))
    chain = getattr(report.longrepr, "chain", [])
    messages = [crash.message for _, crash, _ in chain if crash is not None]
    if messages:
        return one_line("\nthen: ".join(messages))
    text = report.longreprtext  # of an example: what was expected or raised comes last
    starts = [text.find(word) for word in ("Expected:", "UNEXPECTED EXCEPTION:") if word in text]
    return one_line(text[min(starts) :] if starts else text[-1_000:])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep the outcome; a failure in setup or teardown counts as one."""
    outcome, reason = report.outcome, ""
    if hasattr(report, "wasxfail"):
        outcome, reason = "xfailed" if report.skipped else "passed", report.wasxfail
    elif report.when != "call" and report.passed:
        return
    elif not report.passed:
        reason = reason_of(report)
    if notes.outcomes.get(report.nodeid, ("", ""))[0] != "failed":
        notes.outcomes[report.nodeid] = (outcome, reason)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A module that cannot be imported is a failed test by its name."""
    if report.failed:
        notes.outcomes[report.nodeid] = ("failed", one_line(report.longreprtext[-1_000:]))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write down what happened."""
    output = session.config.getoption("--peer-output")
    if not output:
        return
    tests = {
        test: {
            "outcome": outcome,
            "reason": reason,
            "calls": notes.calls.get(test, []),
            "wordings": notes.wordings.get(test, []),
        }
        for test, (outcome, reason) in notes.outcomes.items()
    }
    names = sorted(session.config.stash[FUNCTIONS])
    written = {"functions": names, "broken": notes.broken, "tests": tests}
    Path(output).write_text(json.dumps(written, indent=1), encoding="utf-8")
