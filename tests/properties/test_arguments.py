"""Every public function takes arrays that cannot be written to, and leaves them as they were."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from test_refusals import FUNCTIONS, good_arguments, public

pytestmark = pytest.mark.filterwarnings("ignore")


def frozen(value: Any) -> Any:
    """Return a copy of an argument in arrays that cannot be written to."""
    if isinstance(value, dict):
        return {key: frozen(each) for key, each in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    copy = value.copy()
    copy.flags.writeable = False
    return copy


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_may_be_frozen_and_stay(name: str) -> None:
    arguments = good_arguments(name)
    if "groups" in arguments:  # which exclude other options
        arguments.pop("groups")
    if "weights_are" in inspect.signature(public(name)).parameters:
        arguments["weights_are"] = "frequencies"
    given = frozen(arguments)
    public(name)(**given)
    np.testing.assert_equal(given, arguments)
