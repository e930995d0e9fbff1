"""Times until an event, some of which are censored: what is known is that it came later."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_scores_array, refuse
from fastmetrics.errors import InputTypeError, renamed

#: What functions of censored times take.
CENSORED: Final = """
Parameters
----------
time : array-like of shape (n_samples,)
    Until the event, or until a row was last seen without it; finite, not negative.
event : array-like of shape (n_samples,)
    Whether the time is that of an event (1, True), or censored (0, False).
"""


#: What functions that weigh by the share not censored take beside them.
CENSORING: Final = """
Parameters
----------
censoring : (time, event), optional
    Times and events of other rows, as of the training data, whose share that is not censored is to
    be taken, as scikit-survival takes that of its `survival_train`; that of these rows unless
    given. Intervals take it as known.
"""


class CensoredTimes(NamedTuple):
    """Times, and whether each is that of an event."""

    times: NDArray[Any]
    is_event: NDArray[np.bool_]


def check_censored(time: Any, event: Any) -> CensoredTimes:
    """Return times and events of equal length, fully verified."""
    times = check_scores_array(time, "time")
    given, rule = as_vector(event, "event"), "must hold 0 (censored) and 1 (an event)"
    if given.dtype.kind not in "biuf":
        raise InputTypeError(f"`event` {rule}, or booleans: got dtype {given.dtype}")
    is_event = given == 1
    refuse(~is_event & (given != 0), "event", f"{rule}: got", given)
    check_same_length(time=times, event=is_event)
    refuse(times < 0, "time", "must not be negative:", times)
    return CensoredTimes(times, is_event)


def check_censoring(censoring: Any) -> CensoredTimes | None:
    """Return the times and events of other rows, if there are any."""
    if censoring is None:
        return None
    if not isinstance(censoring, tuple | list) or len(censoring) != 2:
        raise InputTypeError(
            f"`censoring` must be a pair (time, event): got {type(censoring).__name__}"
        )
    with renamed(time="censoring[0]", event="censoring[1]"):
        return check_censored(*censoring)
