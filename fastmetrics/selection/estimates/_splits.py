"""``cv=``: the splitter that a name or a number stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np

from fastmetrics._input.scalars import check_integer
from fastmetrics.errors import InputError, InputTypeError, renamed
from fastmetrics.selection.estimates._fit_and_score import Task
from fastmetrics.selection.splitters._splitter import Split, Splitter
from fastmetrics.selection.splitters.draws import BootstrapOutOfBag, HoldOut
from fastmetrics.selection.splitters.folds import FiveByTwo, Folds, LeaveOneOut
from fastmetrics.selection.splitters.grouped_folds import GroupedFolds

NAMES = "'k-fold' as in '10-fold', 'pxk' as in '10x10', '5x2', 'loo', 'holdout', '.632', '.632+'"

_DRAWN: Final[dict[str, type[FiveByTwo | HoldOut]]] = {"5x2": FiveByTwo, "holdout": HoldOut}


class Method(NamedTuple):
    """A splitter, what it is called, and which .632 rule follows it, if any."""

    title: str
    splitter: Any
    rule: str | None = None

    @property
    def key(self) -> str | None:
        """Key of the random numbers; None where there are none, or they are not ours."""
        is_ours = isinstance(self.splitter, Splitter) and not isinstance(self.splitter, LeaveOneOut)
        return self.splitter.key if is_ours else None


def check_method(cv: Any, task: Task, rng: Any, n_resamples: Any = None) -> Method:
    """Return the method of a number of folds, a name or a splitter, or raise."""
    stratified, grouped = task.classes is not None, task.groups is not None
    if isinstance(cv, int | np.integer):
        cv = f"{check_integer('cv', cv, low=2)}-fold"
    if not isinstance(cv, str):
        return _of_splitter(cv, rng, n_resamples)
    if cv in (".632", ".632+"):
        if grouped:
            raise InputError(f"`cv` of {cv!r} draws rows, not groups: name folds, as '10-fold'")
        drawn = 200 if n_resamples is None else check_integer("n_resamples", n_resamples, low=1)
        return Method(cv, BootstrapOutOfBag(drawn, rng=rng), cv)
    if n_resamples is not None:
        raise InputTypeError(f"`n_resamples` is for the methods '.632' and '.632+': got {cv!r}")
    found = re.fullmatch(r"(?:(\d+)-fold)|(?:(\d+)x(\d+))", cv)
    if grouped and found is None:
        raise InputError(f"`cv` of {cv!r} knows no `groups`: name folds, as '10-fold'")
    if cv == "loo":
        return Method(cv, LeaveOneOut())
    if cv in _DRAWN and not grouped:
        return Method(cv, _DRAWN[cv](stratified=stratified, rng=rng))
    if found is None:
        raise InputError(
            f"`cv` must be a number of folds, a splitter or one of {NAMES}: got {cv!r}"
        )
    folds, repeats, folds_of_repeat = found.groups()
    kind = GroupedFolds if grouped else Folds
    options: dict[str, Any] = {"n_repeats": int(repeats or 1), "stratified": stratified}
    return Method(cv, kind(int(folds or folds_of_repeat), rng=rng, **options))


def _of_splitter(cv: Any, rng: Any, n_resamples: Any) -> Method:
    if isinstance(cv, type) or not callable(getattr(cv, "split", None)):
        raise InputTypeError(
            f"`cv` must be a number of folds, a splitter or one of {NAMES}: got {cv!r}"
        )
    for name, value in (("rng", rng), ("n_resamples", n_resamples)):
        if value is not None:
            raise InputTypeError(
                f"`{name}` belongs to the splitter where `cv` is one: got {value!r}"
            )
    title = re.sub(r", rng='[0-9a-f]{16}'|rng='[0-9a-f]{16}'", "", repr(cv))
    return Method(title, cv)


def check_splitting(cv: Any, task: Task, rng: Any, name: str = "cv") -> Method:
    """Return a method that splits the rows."""
    with renamed(cv=name):
        method = check_method(cv, task, rng)
    if method.rule is not None:
        raise InputError(f"`{name}` must split the rows, and {cv!r} is a way to estimate")
    return method


def check_splits(cv: Any, task: Task, rng: Any, name: str = "cv") -> list[Split]:
    """Return the splits of a number of folds, of a name, of a splitter, or those given."""
    if isinstance(cv, int | np.integer | str):
        cv = check_splitting(cv, task, rng, name).splitter
    if callable(getattr(cv, "split", None)) and not isinstance(cv, type):
        found = cv.split(task.X, task.y, task.groups)
    elif isinstance(cv, Iterable):
        found = cv
    else:
        raise InputTypeError(
            f"`{name}` must be a number of folds, a splitter, one of {NAMES}, or pairs of row "
            f"numbers: got {cv!r}"
        )
    splits = [(np.asarray(train), np.asarray(test)) for train, test in found]
    if not splits:
        raise InputError(f"`{name}` yields no split")
    return splits
