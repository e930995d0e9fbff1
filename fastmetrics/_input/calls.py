"""Checks of every call of a public function: equal lengths, arguments that fit, threads.

`as_called` makes the function that ``fastmetrics.<name>`` is. Rows are matched by position: where
pandas labels those of two arguments differently, functions of ours refuse them, and those of
scikit-learn's names warn of the same labels in another order. No function can forget it: what holds
no rows of the data is listed here, all else does. Here ``n_threads`` begins to hold for all that is
called inside.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import NoneType
from typing import Any, Final, TypeVar, cast

import numpy as np

from fastmetrics._input.rows import check_same_index, different_rows
from fastmetrics._threads.workers import at_most
from fastmetrics.errors import DataConversionWarning, InputTypeError, no_parameter, warn_user

F = TypeVar("F", bound=Callable[..., Any])

#: Functions of scikit-learn's names.
NAMESAKES: Final = frozenset(
    """accuracy_score auc average_precision_score balanced_accuracy_score brier_score_loss
    calibration_curve class_likelihood_ratios classification_report cohen_kappa_score
    confusion_matrix confusion_matrix_at_thresholds coverage_error d2_absolute_error_score
    d2_brier_score d2_log_loss_score d2_pinball_score d2_tweedie_score dcg_score det_curve
    explained_variance_score f1_score fbeta_score hamming_loss hinge_loss jaccard_score
    label_ranking_average_precision_score label_ranking_loss log_loss matthews_corrcoef max_error
    mean_absolute_error mean_absolute_percentage_error mean_gamma_deviance mean_pinball_loss
    mean_poisson_deviance mean_squared_error mean_squared_log_error mean_tweedie_deviance
    median_absolute_error metric_at_thresholds multilabel_confusion_matrix ndcg_score
    precision_recall_curve precision_recall_fscore_support precision_score r2_score recall_score
    roc_auc_score roc_curve root_mean_squared_error root_mean_squared_log_error
    top_k_accuracy_score zero_one_loss""".split()
)
#: Parameters that may hold columns whose rows are not those of the data.
NOT_OF_ROWS: Final = frozenset(
    """after before censoring cost_matrix counts datasets error_rate fractions grid labels
    metric_params metrics multioutput n_relevant names parameters pvalues replace_undefined_by
    target_names thresholds times values""".split()
)
_WITHOUT_INDEX: Final = frozenset({np.ndarray, NoneType, bool, int, float, str})


def as_called(function: F, home: str, *, name: str = "", has_rows: bool = True) -> F:
    """Return a function as users call it from its ``home``, which it is pickled from.

    It is called where the rows of its arguments do not contradict each other; ``has_rows`` says
    whether they are checked here: columns of the same rows. Messages call it by ``name``, by
    default its own.
    """
    sets = dict[str, str]()
    parameters = inspect.signature(function).parameters
    if has_rows:  # of each parameter that may hold columns of rows, which rows these are
        ends = ("_a", "_b") if "y_true_b" in parameters else ("_train", "_test")
        for each in parameters:
            rows = next((end for end in ends if each.endswith(end)), "rows")
            sets[each] = "" if each in NOT_OF_ROWS else rows
    is_namesake = function.__name__ in NAMESAKES

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        for value in (*arguments, *options.values()):
            if type(value) not in _WITHOUT_INDEX:
                _check_rows(sets, arguments, options, is_namesake)
                break
        try:
            if options.get("n_threads") is None:
                return function(*arguments, **options)
            with at_most(options["n_threads"]):
                return function(*arguments, **options)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # it was called
            better = _misfit(function, name or function.__name__, arguments, options)
            if better is None:
                raise
            raise better from None

    call.__module__ = home
    return cast(F, call)


def _check_rows(
    sets: dict[str, str], arguments: tuple[Any, ...], options: dict[str, Any], is_namesake: bool
) -> None:
    """Raise, or warn, where two arguments of the same rows have them in different orders."""
    if "pandas" not in sys.modules:  # what has an index is of pandas, or imports it
        return
    given = {**dict(zip(sets, arguments, strict=False)), **options}
    for rows in set(sets.values()) - {""}:
        columns = {name: given[name] for name in given if sets.get(name) == rows}
        if not is_namesake:
            check_same_index(**columns)
        elif (difference := different_rows(columns)) is not None and difference[1]:
            warn_user(difference[0], DataConversionWarning)


def _misfit(
    function: Callable[..., Any], name: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> InputTypeError | None:
    """Return a clearer message than Python's for a call that does not fit the signature."""
    parameters = inspect.signature(function).parameters
    positional = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    for option in options:
        if option not in parameters:
            return no_parameter(option, name, parameters)
    if len(arguments) > len(positional) and "scores" in positional:
        return InputTypeError(
            "`scores` holds those of all models by name: pass {'a': ..., 'b': ...}; got "
            f"{len(arguments)} arguments by position, and `{name}` takes {len(positional)}"
        )
    return None
