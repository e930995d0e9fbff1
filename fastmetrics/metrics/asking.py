"""Parse the argument ``metrics=`` into metrics of the registry, in one way for every caller."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any, Final, get_args

from fastmetrics._display import Display, Table
from fastmetrics._input.scalars import check_choice, check_direction, check_integer
from fastmetrics._results import Result, Several
from fastmetrics.errors import InputError, InputTypeError, did_you_mean, no_such
from fastmetrics.metrics._metric import REQUIRED, Metric, Needs
from fastmetrics.metrics.registry import LOSSES, METRICS, OF_RANGES

#: A user's function; its arguments are documented in `bootstrap` and `evaluate_estimator`.
Statistic = Callable[..., float]
MetricLike = str | Statistic | tuple[str, Mapping[str, Any]]
MetricsLike = MetricLike | Sequence[MetricLike] | Mapping[str, MetricLike]

_BY_NAME = {name: m for m in METRICS.values() for name in (m.name, *m.aliases)}
_registered: dict[str, Metric] = {}

#: Metrics of rankings by all their names and common abbreviations, in lower case.
_RANKINGS = {
    name.lower(): m
    for m in METRICS.values()
    if m.family == "ranking"
    for name in (*m.aliases, m.name.removesuffix("_at_k"), m.name)
}
_RANKINGS |= {
    short: _RANKINGS[name]
    for short, name in {
        "p": "precision_at_k",
        "r": "recall_at_k",
        "success": "hit_rate_at_k",
        "hit": "hit_rate_at_k",
        "rprec": "r_precision",
        "ap": "mean_average_precision",
        "rr": "mean_reciprocal_rank",
        "err": "expected_reciprocal_rank",
        "rbp": "rank_biased_precision",
    }.items()
}


@dataclass(frozen=True, slots=True, eq=False)
class MetricRequest:
    """A requested metric; ``metric`` is None for a function outside the registry.

    ``label`` names its result. ``parameters`` are the given parameters of the metric; ``function``
    is the function that the caller passed or registered.
    """

    label: str
    metric: Metric | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    function: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        """The canonical name; the label for a function outside the registry."""
        return self.label if self.metric is None else self.metric.name

    @property
    def entry(self) -> Metric:
        """The entry of the registry or of a registered metric; raises if there is none."""
        if self.metric is None:
            raise InputError(f"`{self.label}` is no metric of the registry")
        return self.metric

    @property
    def has_influences(self) -> bool:
        """True if its influence values are known."""
        entry = self.metric
        return entry is not None and bool(entry.influences) and not self.is_only_function

    @property
    def is_auc(self) -> bool:
        """True for the whole AUC itself."""
        return (
            self.metric is not None
            and self.metric.linear_in_auc == (1.0, 0.0)
            and not self.parameters
        )

    @property
    def is_of_bins(self) -> bool:
        """True if the metric and its variance follow from counts of bins, or ranges, of scores."""
        is_of_ranges = self.name in OF_RANGES and self.name not in LOSSES
        return (self.entry.linear_in_auc is not None or is_of_ranges) and not self.parameters

    @property
    def is_only_function(self) -> bool:
        """True if the function must be called: a user's, or with options that no metric has."""
        known = None if self.metric is None else self.metric.function
        return self.function is not None and not isinstance(known, str)

    @property
    def higher_is_better(self) -> bool | None:
        """The declared direction under these parameters; None if it is unknown."""
        return None if self.metric is None else self.metric.direction(self.parameters)


def find(name: Any) -> Metric:
    """Return the metric of a name, canonical or alias, or raise with the nearest names.

    A name with ``neg_`` before it is the metric itself, whose direction is declared, not its
    negative.
    """
    if not isinstance(name, str):
        raise InputTypeError(
            f"`metrics` must name a metric by a string: got {type(name).__name__} {name!r}"
        )
    metric = _BY_NAME.get(name) or _registered.get(name)
    if metric is None and name.startswith("neg_"):
        positive = _BY_NAME.get(name.removeprefix("neg_"))
        metric = positive if positive and positive.direction({}) is False else None
    if metric is None:
        raise InputError(
            f"`metrics` names {name!r}, which is no metric: {_suggest(name)}"
            "`metrics_table()` lists them all"
        )
    return metric


def usual_function(name: str) -> str:
    """Return the public function of the metric that people call so; "" if there is none."""
    metric = _BY_NAME.get(name)
    return "" if metric is None else str(metric.function).partition(":")[2]


def find_among(name: Any, family: str) -> Metric:
    """Return the metric of a name, or raise if it is not of the family that can be measured."""
    metric = find(name)
    if metric.family != family:
        raise InputError(
            f"`metrics` names {name!r}, which takes {_TAKES[metric.needs]}, where metrics of "
            f"{_OF[family]} can be had"
        )
    return metric


_TAKES = {
    "scores": "scores",
    "labels": "predicted labels",
    "probabilities": "probabilities",
    "values": "predicted numbers",
    "rankings": "rankings of queries",
    "times": "scores of censored times",
    "nothing": "no prediction",
}
_OF = {"decisions": "predicted labels", "regression": "predicted numbers"}


def ask(
    metrics: Any, *, rankings_only: bool = False, allow_times: bool = False
) -> tuple[MetricRequest, ...]:
    """Return the metrics that ``metrics`` asks for, in order; a mapping gives labels.

    A function of this package, or scikit-learn's of the same name, stands for the metric that it
    computes; `functools.partial` gives it parameters. Metrics of censored times
    raise without ``allow_times``, those of rankings without ``rankings_only``, with which all other
    metrics raise.
    """
    request_one = _request_ranking if rankings_only else _request
    requests = [request_one(metric, label) for label, metric in label_metrics(metrics)]
    check_labels(one.label for one in requests)
    for one in requests:
        needs = "" if one.metric is None else one.metric.needs
        if needs == "times" and not allow_times:
            raise InputError(
                f"`metrics` names {one.label!r}, which is of censored times: "
                f"`estimate(time, score, event=..., metrics={one.label!r})`"
            )
        if needs == "rankings" and not rankings_only:
            raise InputError(
                f"`metrics` names {one.label!r}, which is measured query by query: "
                f"`estimate(relevance, score, query=..., metrics={one.label!r})`"
            )
    return tuple(requests)


def label_metrics(metrics: Any) -> list[tuple[str | None, Any]]:
    """Return pairs (label, metric): labels of a mapping, None for one metric or a sequence."""
    if isinstance(metrics, Mapping):
        pairs: list[tuple[str | None, Any]] = [
            (str(label), metric) for label, metric in metrics.items()
        ]
    elif isinstance(metrics, str) or is_pair(metrics) or callable(metrics):
        pairs = [(None, metrics)]
    elif isinstance(metrics, Sequence):
        pairs = [(None, metric) for metric in metrics]
    else:
        raise InputTypeError(
            f"`metrics` must be a name, a callable, a pair (name, parameters), a sequence or a "
            f"mapping of them: got {type(metrics).__name__}"
        )
    if not pairs:
        raise InputError("`metrics` must name at least one metric: got none")
    return pairs


def ask_one(metrics: Any) -> MetricRequest:
    """Return the one requested metric; raise if there are several."""
    requests = ask(metrics)
    if len(requests) != 1:
        raise InputError(f"`metrics` must be one metric: got {len(requests)}")
    return requests[0]


def check_labels(labels: Iterable[str]) -> None:
    """Raise if two metrics would have one name in the result."""
    seen = list(labels)
    for label in seen:
        if seen.count(label) > 1:
            raise InputError(
                f"`metrics` names {label!r} {seen.count(label)} times: give each a label of "
                "its own with a mapping, {label: metric}"
            )


def is_pair(metric: Any) -> bool:
    """Return True for a pair (name, parameters)."""
    return (
        isinstance(metric, tuple)
        and len(metric) == 2
        and isinstance(metric[0], str)
        and isinstance(metric[1], Mapping)
    )


def register_metric(
    name: str,
    statistic: Statistic,
    *,
    needs: Needs = "scores",
    higher_is_better: bool | None = None,
) -> None:
    """Register a statistic under a name that ``metrics=`` accepts everywhere.

    Parameters
    ----------
    name : str
        A name that no metric of the library has.
    statistic : callable
        ``f(labels, scores, weights)`` if numba compiled it, else ``f(labels, scores)``; see
        `bootstrap`.
    needs : {"scores", "labels", "probabilities", "values"}, default="scores"
        What an estimator is asked for where one is evaluated. Beside the number of each row's
        class, from 0: scores of the second of two classes, or probabilities of all. Beside `y` as
        it is: predicted labels, or a regressor's predictions. Elsewhere the second argument is what
        the caller passes.
    higher_is_better : bool, optional
        Whether the greater number is the better (accuracy, AUC) or the lower (errors, losses);
        comparing and tuning estimators need it.

    Returns
    -------
    None

    Raises
    ------
    TypeError
        If `name` is no text, `statistic` is not callable, or `higher_is_better` is no bool.
    ValueError
        If a metric of the library has that name, or it is empty.

    Examples
    --------
    >>> register_metric("mean_score", lambda labels, scores: scores.mean())
    """
    if not isinstance(name, str):
        raise InputTypeError(f"`name` must be a string: got {type(name).__name__}")
    if not name:
        raise InputError("`name` must not be empty")
    if not callable(statistic):
        raise InputTypeError(f"`statistic` must be callable: got {type(statistic).__name__}")
    check_choice("needs", needs, get_args(Needs))
    if higher_is_better is not None:
        higher_is_better = check_direction(higher_is_better)
    if name in _BY_NAME:
        raise InputError(f"`name` must not be that of a metric of the library: got {name!r}")
    _registered[name] = Metric(
        name,
        "own",
        name,
        statistic,
        higher_is_better,
        needs,
        bounds=(float("-inf"), float("inf")),
        resampled="rows",
    )


def registered() -> tuple[Metric, ...]:
    """Return the users' own metrics, in the order in which they were registered."""
    return tuple(_registered.values())


def _request(metric: Any, label: str | None) -> MetricRequest:
    if is_pair(metric):
        return _request_by_name(metric[0], dict(metric[1]), label)
    if isinstance(metric, str):
        return _request_by_name(metric, {}, label)
    if callable(metric):
        entry, given = _recognise(metric)
        return MetricRequest(label or function_name(metric), entry, given, metric)
    raise InputTypeError(
        f"`metrics` must hold names, callables or pairs (name, parameters): got {metric!r}"
    )


def _request_by_name(name: str, parameters: dict[str, Any], label: str | None) -> MetricRequest:
    metric = find(name)
    is_negated = name.startswith("neg_") and name not in (metric.name, *metric.aliases)
    result_label = label or (metric.name if is_negated else name)  # the value is not negated
    given = metric.check_parameters(name, parameters)
    function = metric.load() if metric.family == "own" else None
    return MetricRequest(result_label, metric, given, function)


def _request_ranking(metric: Any, label: str | None) -> MetricRequest:
    """Return the request of a metric of rankings by name, such as "ndcg@10", or by function."""
    if not (isinstance(metric, str) or is_pair(metric)):
        one = _request(metric, label)
        if one.metric is None or one.metric.family != "ranking":
            raise _no_ranking(one.label)
        return one
    text, given = (metric, {}) if isinstance(metric, str) else (metric[0], dict(metric[1]))
    name = text
    cut_off = re.fullmatch(r"(.+)@([0-9]+)", text)
    if cut_off:
        if "k" in given:
            raise InputError(f"`metrics` gives {text!r} a cut-off, and 'k' beside it")
        name = cut_off[1]
        given["k"] = check_integer("k", int(cut_off[2]), low=1, high=2**53)
    entry = _RANKINGS.get(name.lower())
    if entry is None:
        raise _no_ranking(text)
    return MetricRequest(label or text, entry, entry.check_parameters(label or text, given))


def _no_ranking(name: str) -> InputError:
    names = dict.fromkeys(metric.name for metric in _RANKINGS.values())
    near = did_you_mean(name.partition("@")[0].lower(), _RANKINGS)
    return InputError(
        f"`metrics` names {name!r}, which is no metric of rankings: these are "
        f"{', '.join(names)}{near}"
    )


def function_name(function: Any) -> str:
    """Return the name of a function, unwrapped from a scorer of scikit-learn or a partial."""
    inner = getattr(function, "_score_func", function)
    inner = inner.func if isinstance(inner, partial) else inner
    return str(getattr(inner, "__name__", type(inner).__name__))


_OURS = "fastmetrics.metrics."


def _recognise(function: Any) -> tuple[Metric | None, dict[str, Any]]:
    """Return the metric that a public function computes, and its parameters.

    With options that no metric has (`labels`, `pos_label`) the entry is a copy whose function is
    the one passed: input and direction of the metric stay known.
    """
    given: dict[str, Any] = {}
    inner = function
    if isinstance(function, partial) and not function.args:
        inner = function.func
        given = function.keywords
    if str(getattr(inner, "__module__", None)).partition(".")[0] == "fastmetrics":
        inner = inspect.unwrap(inner)
    metrics = _find_computed(inner)
    if not metrics:
        _check_number(inner)
        return None, {}
    if len({metric.read for metric in metrics if metric.read not in metric.parameters}) > 1:
        names = " or ".join(repr(metric.name) for metric in metrics)
        raise InputError(f"`{inner.__name__}` returns several numbers: name {names}")
    defaults = {n: p.default for n, p in inspect.signature(inner).parameters.items()}
    changed = {n: value for n, value in given.items() if not _is_same(value, defaults.get(n))}
    fits = [m for m in metrics if _fixed_arguments(m).items() <= (defaults | given).items()]
    for metric in fits or metrics:
        ours = {there: here for here, there in _argument_names(metric).items()}
        if fits and changed.keys() <= _fixed_arguments(metric).keys() | ours.keys():
            parameters = {ours[n]: value for n, value in changed.items() if n in ours}
            for here, there in _argument_names(metric).items():
                if defaults.get(there) is inspect.Parameter.empty and here not in parameters:
                    raise InputTypeError(
                        f"`{inner.__name__}` needs its parameter {there!r}: "
                        f"`functools.partial({inner.__name__}, {there}=...)` gives it"
                    )
            return metric, metric.check_parameters(inner.__name__, parameters)
    metric = max(fits or metrics, key=lambda m: len(_fixed_arguments(m)))
    known = {
        here: changed[there] for here, there in _argument_names(metric).items() if there in changed
    }
    calls: dict[str, Any] = {"function": function, "arguments": {}, "resampled": "rows"}
    return replace(metric, **calls, bounds=(-inf, inf), row_loss=""), known


def _find_computed(function: Any) -> list[Metric]:
    """Return the metrics that a function computes with some arguments; ours or scikit-learn's."""
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None) or ""
    if getattr(sys.modules.get(module), name, None) is not function:
        return []
    if module.startswith(_OURS):
        return [m for m in METRICS.values() if m.function == f"{module[len(_OURS) :]}:{name}"]
    if module.startswith("sklearn.metrics."):
        return [m for m in METRICS.values() if str(m.function).partition(":")[2] == name]
    return []


def _check_number(function: Any) -> None:
    """Raise for a public function that returns a curve or a table instead of a number."""
    returned = getattr(function, "__annotations__", {}).get("return", "float")
    if str(getattr(function, "__module__", "")).startswith("fastmetrics.") and (
        "float" not in str(returned)
    ):
        raise InputTypeError(
            f"`{function.__name__}` returns {returned}, which is no number: name a metric, which "
            "`metrics_table()` lists, or pass a function of your own"
        )


def _fixed_arguments(metric: Metric) -> dict[str, Any]:
    """Return the fixed arguments of its public function."""
    return {n: v for n, v in metric.arguments.items() if n not in metric.parameters}


def _argument_names(metric: Metric) -> dict[str, str]:
    """Return the names of its parameters in its public function."""
    names = (name for name in metric.parameters if name != metric.read)
    return {name: metric.passed_as.get(name, name) for name in names}


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, bool | int | float | str) and value == default)


def _suggest(name: str) -> str:
    """Return a hint: the call for rankings, or similar names."""
    from difflib import SequenceMatcher, get_close_matches

    if "@" in name:  # the notation of rankings
        return f"one of rankings is `estimate(relevance, score, query=..., metrics={name!r})`; "
    names = get_close_matches(name, [*_BY_NAME, *_registered], n=3, cutoff=0.6)
    if not names:
        return ""
    nearness = {near: SequenceMatcher(None, near, name).ratio() for near in names}
    suggestions: dict[int, str] = {}
    for near in names:  # a name much less similar may be the opposite metric
        if nearness[near] >= max(nearness.values()) - 0.1:
            suggestions.setdefault(id(_BY_NAME.get(near) or _registered.get(near)), near)
    return f"did you mean {' or '.join(map(repr, suggestions.values()))}? "


# ``metrics_table``: every metric that ``metrics=`` accepts, as a table.


@dataclass(frozen=True, slots=True, repr=False)
class MetricEntry(Result):
    """One metric of the table.

    Attributes
    ----------
    name : str
        Canonical: scikit-learn's scorer name, where there is one, without ``neg_``.
    title : str
        In plain words.
    family : str
        "curves" (scores against thresholds), "decisions" (predicted labels), "probabilities",
        "regression" (predicted numbers), "costs" (what the best thresholds cost), "calibration",
        "concordance", "ranking" (queries), or "own" (registered by the user).
    needs : str
        Input beside the true values: "scores", "labels", "probabilities", "values",
        "rankings" (with `query=` alone), "times" (by `estimate`
        and `compare` alone) or "nothing".
    direction : str
        "higher" or "lower" is better, "none", or "by criterion" where a parameter decides.
    low, high : float
        The least and the greatest value.
    parameters : tuple of str
        Parameters for ``(name, {parameter: value})``, with "=" and the default where there is one.
    intervals : tuple of str
        The methods of its intervals.
    aliases : tuple of str
        Other names that are accepted.
    """

    name: str
    title: str
    family: str
    needs: str
    direction: str
    low: float
    high: float
    parameters: tuple[str, ...]
    intervals: tuple[str, ...]
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class MetricsTable(Several[MetricEntry]):
    """The metrics of the library and those of the user: a sequence of `MetricEntry`.

    Attributes
    ----------
    entries : tuple of MetricEntry
        One for each metric; ``table["roc_auc"]`` selects by name or alias.
    """

    _rows = "entries"
    entries: tuple[MetricEntry, ...]

    def __getitem__(self, name: str) -> MetricEntry:
        for entry in self.entries:
            if name in (entry.name, *entry.aliases):
                return entry
        raise no_such(name, "metrics", (entry.name for entry in self.entries))

    def __repr__(self) -> str:
        return f"MetricsTable({len(self)} metrics)"

    def _display(self) -> Display:
        return Display([Table.of(self, _COLUMNS, most=len(self), unseen=_COLUMNS[6:])])


#: In this order, the widest last.
_COLUMNS: Final = (
    *("name", "needs", "direction", "low", "high", "title", "family"),
    *("parameters", "intervals", "aliases"),
)
_DIRECTIONS: Final = {True: "higher", False: "lower", None: "none"}


def metrics_table() -> MetricsTable:
    """Return every metric that ``metrics=`` accepts, with its input, direction and range.

    Returns
    -------
    MetricsTable
        Printed as a table; ``to_frame()`` makes a data frame of it.

    Examples
    --------
    >>> table = metrics_table()
    >>> table["roc_auc_score"].name, table["log_loss"].direction
    ('roc_auc', 'lower')
    >>> [entry.name for entry in table if entry.needs == "probabilities"][:2]
    ['roc_auc_ovr', 'roc_auc_ovr_weighted']
    """
    return MetricsTable(tuple(map(_entry, (*METRICS.values(), *registered()))))


def _entry(metric: Metric) -> MetricEntry:
    up = metric.higher_is_better
    return MetricEntry(
        metric.name,
        metric.title,
        metric.family,
        metric.needs,
        "by criterion" if callable(up) else _DIRECTIONS[up],
        *metric.bounds,
        tuple(
            name if default is REQUIRED else f"{name}={default!r}"
            for name, default in metric.parameters.items()
        ),
        metric.intervals,
        metric.aliases,
    )
