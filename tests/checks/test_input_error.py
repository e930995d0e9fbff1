"""Errors of input: which parameter they are about, and the same error under another name."""

import copy
import pickle

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.errors import warn_user, with_names

MESSAGE = "`y_score` must be finite: nan at index 1, 1 in all"


def raised(*arguments, **options):
    with pytest.raises(fm.InputError) as caught:
        fm.roc_auc_score(*arguments, **options)
    return caught.value


def test_names_the_first_parameter() -> None:
    assert raised([0, 1], [0.5, float("nan")]).parameter == "y_score"
    assert raised([0, 1, 1], [0.5, 0.2]).parameter == "y_true"  # lengths differ: both are named
    assert fm.InputError("nothing between backticks").parameter is None
    assert fm.InputError("take `method='bca'`").parameter == "method"


def test_kinds() -> None:
    of_kind = raised(None, [0.5])
    assert type(of_kind) is fm.InputTypeError
    assert isinstance(of_kind, TypeError)
    assert isinstance(of_kind, ValueError)
    assert not isinstance(raised([], []), TypeError)


def test_renamed() -> None:
    error = raised([0, 1], [0.5, float("nan")])
    assert str(error) == MESSAGE
    other = error.renamed({"y_score": "scores['a']", "y_true": "never named"})
    assert type(other) is fm.InputError
    assert str(other) == MESSAGE.replace("y_score", "scores['a']")
    assert other.parameter == "scores['a']"
    assert type(raised(None, [0.5]).renamed({})) is fm.InputTypeError


def test_what_was_passed_is_no_parameter() -> None:
    error = fm.InputError("`pos_label` must be a label: got 'y_score'")
    assert str(error.renamed({"y_score": "x"})) == str(error)


def test_a_setting_has_a_name_of_its_own() -> None:
    text = "take `method='bca'` or `stratified=True`: `method` is one of several"
    names = {"method=": "--method ", "method": "--method"}
    said = "take --method bca or `stratified=True`: --method is one of several"
    assert with_names(text, names) == said
    said = said.replace("`stratified=True`", "--stratified")
    assert with_names(text, names | {"stratified=True": "--stratified"}) == said


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.int64(-7), "-7"),
        (np.uint8(7), "7"),
        (np.float32(0.5), "0.5"),
        (np.float64("nan"), "nan"),
        (np.longdouble(1.5), "1.5"),
        (np.True_, "True"),
        (np.str_("it's"), '"it\'s"'),
        ([np.int64(1), {"a": np.float64(2.5)}], "[1, {'a': 2.5}]"),
    ],
)
def test_numbers_of_numpy_are_shown_as_plain_ones(value, shown) -> None:
    message = "`x` must be smaller: got "
    assert str(fm.InputError(f"{message}{value!r}")) == message + shown
    with pytest.warns(fm.DegenerateDataWarning) as caught:
        warn_user(f"{message}{value!r}", fm.DegenerateDataWarning)
    assert str(caught[0].message) == message + shown


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_travels(copied) -> None:
    error = raised([0, 1], [0.5, float("nan")])
    assert (type(copied(error)), str(copied(error))) == (fm.InputError, MESSAGE)
