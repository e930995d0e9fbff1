"""Warning and error classes of fastmetrics, and the names of parameters in messages.

In a message, what stands between backticks is code, most often a parameter (`y_score`), alone or
with a value (`stratified=True`); what users passed is shown by its repr. That makes a message a
template: who passes arguments on under other names fills it anew.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Self, TypeVar

__all__ = [
    "DataConversionWarning",
    "DegenerateDataWarning",
    "FileError",
    "InputError",
    "InputKeyError",
    "InputTypeError",
    "SmallSampleWarning",
    "UndefinedMetricWarning",
]


Found = TypeVar("Found")


class UndefinedMetricWarning(UserWarning):
    """The metric has no value on these data; nan (or the stated convention) is returned."""


class DataConversionWarning(UserWarning):
    """The input was accepted, but had to be reshaped or converted to be used."""


class DegenerateDataWarning(UserWarning):
    """The estimate exists, but its interval or test is degenerate on these data."""


class SmallSampleWarning(DegenerateDataWarning):
    """There are so few rows, groups or weights that an interval covers less than its level."""


class FileError(ValueError):
    """A file cannot be read as asked: the message names the file and, where known, the row."""


class InputError(ValueError):
    """Invalid input: the message names the parameter, the rule, the value and its position.

    Attributes
    ----------
    parameter : str or None
        The first parameter that the message names.
    """

    def __init__(self, *message: Any) -> None:
        super().__init__(*(_plain(each) if isinstance(each, str) else each for each in message))

    @property
    def parameter(self) -> str | None:
        """The first parameter that the message names."""
        match = _PARAMETER.search(str(self))
        return None if match is None else match.group(1).partition("=")[0]

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the same error about parameters that have other names in the call.

        Parameters
        ----------
        names : mapping from str to str
            Name in the message to name in the call.

        Returns
        -------
        InputError
            Of the same class.
        """
        return type(self)(with_names(str(self), {name: f"`{names[name]}`" for name in names}))


class InputTypeError(InputError, TypeError):
    """Input of the wrong type: an `InputError` that is a TypeError as well."""


class InputKeyError(InputError, KeyError):
    """Unknown name in a result or a data frame: an `InputError` that is a KeyError as well."""

    __str__ = Exception.__str__  # a KeyError's is the repr of its message


#: Characters of a message; longer ones repeat what was passed, as an array in place of a number.
_LONGEST: Final = 600
#: A number, boolean or text of NumPy as its repr is since NumPy 2.
_NUMPY_SCALAR: Final = re.compile(
    r"\bnp\.(?:(?:u?int|float|longdouble)\w*\((?P<number>[^()]*)\)|(?P<bool>True|False)_\b"
    r"|str_\((?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")\))"
)


def _plain(message: str) -> str:
    """Return a message with plain numbers, 7 for np.int64(7), and without the middle of arrays."""
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST - 200]} … {message[-150:]}"
    if "np." not in message:
        return message
    return _NUMPY_SCALAR.sub(
        lambda match: match["text"] or match["bool"] or match["number"].strip("'"), message
    )


def no_such(name: object, what: str, known: Iterable[object]) -> InputKeyError:
    """Return the error for a name that is none of those of a result, ``what`` they are names of."""
    names = list(known)
    listed = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
    return InputKeyError(f"{name!r}: the {what} are {listed}{did_you_mean(name, names)}")


def by_name(known: Mapping[Any, Found], name: object, what: str) -> Found:
    """Return the item of a result by name, or raise the error that lists the names."""
    if name not in known:
        raise no_such(name, what, known)
    return known[name]


def did_you_mean(value: object, known: Iterable[object]) -> str:
    """Return the end of a message that names the nearest of what there is, if one is near."""
    from difflib import get_close_matches

    by_text = {str(each): each for each in known}
    near = get_close_matches(str(value), by_text, n=1)
    return f"; did you mean {by_text[near[0]]!r}?" if near else ""


#: Parameters, and the words that other libraries have for them.
_CALLED: Final = {
    "rng": "random_state seed random_seed",
    "metrics": "metric measure measures scoring",
    "n_resamples": "n_boot n_bootstrap n_bootstraps n_iter n_permutations",
    "confidence_level": "confidence conf_level ci_level level ci alpha",
    "n_threads": "n_jobs num_threads threads workers",
    "sample_weight": "weight weights sample_weights",
    "higher_is_better": "greater_is_better maximize",
    "names": "model_names",
    "y_proba": "y_prob y_score",
    "y_score": "y_prob y_proba y_pred",
}


def no_parameter(name: str, owner: str, known: Iterable[str]) -> InputTypeError:
    """Return the error for a parameter that a function does not have, and what to do instead."""
    names = list(known)
    here = [
        parameter
        for parameter, synonyms in _CALLED.items()
        if parameter in names and name in synonyms.split()
    ]
    if here:
        advice = f"it is called `{here[0]}` here"
    elif name in _CALLED["rng"].split():
        advice = "nothing in it is random"
    elif name == "groups":
        advice = "groups of rows are for intervals, as of `bootstrap`, `evaluate` and `roc_band`"
    elif name in ("title", "xlabel", "ylabel", "xlim", "ylim") and "ax" in names:
        advice = f"set it on the axes that are returned, with `.set_{name}(...)`"
    else:
        from difflib import get_close_matches

        near = get_close_matches(name, names, n=2, cutoff=0.75)
        advice = (
            f"did you mean {' or '.join(f'`{each}`' for each in near)}?"
            if near
            else (f"it has {', '.join(f'`{each}`' for each in names)}")
        )
    return InputTypeError(f"`{name}` is no parameter of `{owner}`: {advice}")


_PARAMETER: Final = re.compile("`([^`]+)`")


def parsing_error(error: Exception) -> str:
    """Return why a parser of JSON or TOML refused a text.

    Python refuses integers of thousands of digits by a bare ValueError with advice on settings.
    """
    return "an integer in it has too many digits" if type(error) is ValueError else str(error)


def with_names(message: str, names: Mapping[str, str]) -> str:
    """Return a message with other words in the place of parameters, backticks included.

    A parameter with a value, `method='bca'`, has a name of its own under "method=", which the
    value follows, or with this value under "method='bca'".
    """

    def word(match: re.Match[str]) -> str:
        code = match.group(1)
        name, equals, value = code.partition("=")
        if code not in names and equals and f"{name}=" in names:
            return names[f"{name}="] + value.strip("'")
        return names.get(code, match.group(0))

    return _PARAMETER.sub(word, message)


_called: ContextVar[tuple[Mapping[str, str], ...]] = ContextVar("_called", default=())
"""The names of parameters in the calls that are under way, the innermost first."""


@contextmanager
def renamed(**arguments: str) -> Iterator[None]:
    """Let errors and warnings inside speak of a parameter by the name that it has in the call."""
    token = _called.set((arguments, *_called.get()))
    try:
        yield
    except InputError as error:
        raise error.renamed(arguments) from error
    finally:
        _called.reset(token)


@contextmanager
def importing(message: str) -> Iterator[None]:
    """Let the error where an optional package is missing say how to get it."""
    try:
        yield
    except ImportError as error:
        raise ImportError(message, name=error.name) from error


_PACKAGE = os.path.abspath(__file__).removesuffix("errors.py")


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the first line outside fastmetrics (``skip_file_prefixes`` needs Python 3.12).

    Once ``sklearn.exceptions`` is loaded, a category that has a namesake there is replaced by a
    class derived from both, so that a filter for either is heard.
    """
    level = 2  # the caller of this function
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    for names in _called.get():
        message = with_names(message, {name: f"`{names[name]}`" for name in names})
    if category in _SHARED:
        category = _shared(category)
    warnings.warn(_plain(message), category, stacklevel=level)


_SHARED: Final = frozenset({UndefinedMetricWarning, DataConversionWarning})
"""scikit-learn has categories of these names."""


def _shared(category: type[Warning]) -> type[Warning]:
    """Return the class derived from ours and scikit-learn's; ours while that is not loaded."""
    theirs = getattr(sys.modules.get("sklearn.exceptions"), category.__name__, None)
    if theirs is None:
        return category
    name = f"_Shared{category.__name__}"
    if name not in globals():  # shown under the plain name, pickled under one of its own
        body = {"__module__": __name__, "__qualname__": name, "__doc__": category.__doc__}
        made = type(category.__name__, (category, theirs), body)
        globals().setdefault(name, made)  # another thread may have been first
    shared: type[Warning] = globals()[name]
    return shared


def __getattr__(name: str) -> type[Warning]:
    """Return a shared category by its name: what unpickles one asks for it before it is made."""
    for category in _SHARED:
        if name == f"_Shared{category.__name__}":
            return _shared(category)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
