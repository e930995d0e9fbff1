"""One law: data that a metric's function refuses are refused at every entry point, in its words."""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.errors import InputError, InputTypeError
from metric_names import METRICS, REQUIRED
from registry.entry import AMOUNTS, CHANCES, LABELS, SCORES, SHARES, TWO, example

_GIVEN: dict[str, list[dict[str, Any]]] = {
    "cost": [{"cost_fn": 5.0, "cost_fp": 1.0}],
    "mean_tweedie_deviance": [{"power": p} for p in (-1.0, 0.0, 1.0, 1.5, 2.0, 3.0)],
    "d2_tweedie_score": [{"power": p} for p in (-1.0, 0.0, 1.0, 1.5, 2.0, 3.0)],
}
_REQUIRED = {"threshold": 0.5, "cost_fn": 5.0, "cost_fp": 1.0}
_NUMBERS = {"negative": -1.5, "zero": 0.0, "above 1": 1.5}
_FAULTS = {**_NUMBERS, "nan": np.nan, "inf": np.inf, "text": None, "wrong sum": None}
#: Metrics whose functions of scikit-learn's name take what every other entry point refuses.
_LENIENT = {
    ("y_true", "text"): {"roc_auc", "log_loss", "d2_log_loss_score", "hinge_loss"},
    ("y_score", "wrong sum"): {*("log_loss", "brier_score", "d2_log_loss_score", "d2_brier_score")},
}
Case = tuple[str, Mapping[str, Any], str, str, str]


def _cases() -> Iterator[Case]:
    """Yield metric, parameters, kind of data, spoilt column and fault of each case."""
    data = {"scores": [SCORES], "labels": [TWO, LABELS], "values": [AMOUNTS]}
    data["probabilities"] = [CHANCES, SHARES]
    for name, metric in METRICS.items():
        if not (metric.influences and metric.function and metric.needs in data):
            continue
        needed = {key: _REQUIRED[key] for key, v in metric.parameters.items() if v is REQUIRED}
        for kind in data[metric.needs]:
            n_classes = 3 if kind in (LABELS, SHARES) else 2
            if metric.classes not in (0, n_classes) or (name == "cost" and kind == LABELS):
                continue
            for given in _GIVEN.get(name, [needed]):
                for fault in _FAULTS:
                    if fault != "wrong sum" or kind == SHARES:
                        yield name, given, kind, "y_score", fault
                    if fault != "wrong sum" and (fault not in _NUMBERS or kind == AMOUNTS):
                        yield name, given, kind, "y_true", fault


def _spoilt(column: np.ndarray, fault: str) -> Any:
    """Return a column, or a matrix, with a fault in its fourth row."""
    if fault == "text":
        return column.astype(str)
    spoilt = column.astype(np.float64)
    if fault == "wrong sum":
        spoilt[3] *= 0.7
    elif column.ndim == 2:  # the sum stays 1
        spoilt[3] = 0.0
        spoilt[3, :2] = _FAULTS[fault], 1.0 - _FAULTS[fault]
    else:
        spoilt[3] = _FAULTS[fault]
    return spoilt


def _refusal(call: Callable[..., Any], *data: Any) -> str:
    """Return the message by which a call refuses data, in common names; "" if it accepts them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(*data)
    except (InputError, InputTypeError) as error:
        names = r"`(scores(\[[^]]*\])?|y_(score|pred|proba)|pred_decision|y2)`"
        text = re.sub(names, "`y_score`", str(error)).replace("`y1`", "`y_true`")
        return text.partition("; score tables rank")[0]
    return ""


def _doors(name: str, given: Mapping[str, Any], kind: str, sound: Any) -> dict[str, Any]:
    """Return entry points as functions of true values and predictions."""
    metrics = {name: (name, given)}
    tasks = {AMOUNTS: "values", TWO: "labels", LABELS: "labels", SHARES: "multiclass"}

    def compare(y: Any, p: Any) -> Any:
        return fm.compare(y, {"a": sound, "b": p}, metrics=metrics)

    def evaluate(y: Any, p: Any) -> Any:
        return fm.evaluate(y, {"m": p}, metrics=metrics, task=tasks.get(kind, "binary"))

    def gate(y: Any, p: Any) -> Any:
        return fm.gate(y, {"baseline": sound, "candidate": p}, margins={name: 0.1}, metrics=metrics)

    doors = {"estimate": partial(fm.estimate, metrics=metrics), "compare": compare}
    has_direction = METRICS[name].higher_is_better is not None
    return doors | {"evaluate": evaluate} | ({"gate": gate} if has_direction else {})


def _by_metric() -> dict[str, list[Case]]:
    """Return the cases of each metric, with its parameters."""
    cases: dict[str, list[Case]] = {}
    for case in _cases():
        cases.setdefault("-".join(map(str, (case[0], *case[1].values()))), []).append(case)
    return cases


@pytest.mark.parametrize("cases", _by_metric().values(), ids=_by_metric())
def test_every_entry_point_refuses_what_the_function_refuses(cases: list[Case]) -> None:
    for place, case in enumerate(cases):
        name, given, kind, column, fault = case
        true, sound = example(kind, 24)
        spoilt = (_spoilt(true, fault), sound), (true, _spoilt(sound, fault))
        y, p = spoilt[column != "y_true"]
        by_function = _refusal(partial(METRICS[name].value, **given), y, p)
        estimate, *others = _doors(name, given, kind, sound).items()
        doors = dict((estimate, others[place % len(others)]))  # faults meet all in other metrics
        said = {door: _refusal(call, y, p) for door, call in doors.items()}
        if (name in _LENIENT.get((column, fault), ()) and kind != SHARES) or fault == "wrong sum":
            by_function = by_function or said["estimate"]
            assert by_function, case
        if (kind in (TWO, LABELS) and fault in _NUMBERS) or ((column, fault) == ("y_true", "text")):
            # those that take scores name `threshold` and `pos_label` as remedies
            assert {*map(bool, said.values())} == {bool(by_function)}, case
        else:
            assert said == dict.fromkeys(said, by_function), case
