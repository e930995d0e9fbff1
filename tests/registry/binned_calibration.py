"""Calibration errors in bins: of one column, and of columns in three forms."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from reference import binned_calibration_oracle as oracle
from registry.entry import CHANCES, ROW_ORDER, ROWS, SHARES, Entry, Sample, Values

Reduced = Callable[[list[oracle.Problem]], Fraction]
N_BINS = 4  # probabilities are eighths: some lie on edges


def _error(
    name: str, value: Reduced, label: str = "", *, weighted: bool = True, **arguments: Any
) -> tuple[Entry, ...]:
    """Return the entries of one column, and of columns in each form."""
    kind = arguments.get("strategy", "uniform")
    bins = getattr(oracle, kind.replace("-", "_"))
    combine = max if name.startswith("maximum") else lambda values: sum(values) / len(values)
    is_root = name.startswith("root")

    def read(problems: list[oracle.Problem]) -> Values:
        parts = [bins(problem, N_BINS) for problem in problems]
        has_two = any(oracle.weight_of(rows) > 1 for problem_bins in parts for rows in problem_bins)
        if not weighted and not has_two:
            return (math.nan,)
        actual = combine(list(map(value, parts)))
        return (math.sqrt(max(actual, 0)) if is_root else actual,)

    def single_column(sample: Sample) -> Values:
        return read([oracle.rows_of(*sample.columns)])

    def several_columns(form: str) -> Callable[[Sample], Values]:
        return lambda sample: read(oracle.problems(form, *sample.columns))

    given: dict[str, Any] = {"laws": ROWS, "peer": None}
    if not weighted:
        given |= {"weights": (), "laws": frozenset({ROW_ORDER})}
    fixed = {"n_bins": N_BINS, **arguments}
    entries = [Entry(f"{name}{label}", CHANCES, single_column, fixed, **given)]
    if kind == "uniform":
        entries += [
            Entry(
                f"{name}[{label.strip('[]')}{form}]",
                SHARES,
                several_columns(form),
                {"form": form, **fixed},
                **given,
            )
            for form in ("top-label", "class-wise")
        ]
    return tuple(entries)


def _mean_square(estimator: str) -> Reduced:
    return lambda bins: oracle.mean_square(bins, estimator)


ROOT = "root_mean_square_calibration_error"
BINNED = (
    *_error("expected_calibration_error", oracle.expected),
    *_error("expected_calibration_error", oracle.expected, "[equal_count]", strategy="equal-count"),
    *_error(
        "maximum_calibration_error", oracle.maximum, "[left_closed]", strategy="uniform-left-closed"
    ),
    *_error("maximum_calibration_error", oracle.maximum),
    *_error(ROOT, _mean_square("plug-in"), "[plug_in]", estimator="plug-in"),
    *(
        entry
        for label, estimator in (("", "kumar"), ("[sun]", "sun"))
        for entry in _error(
            ROOT, _mean_square(estimator), label, weighted=False, estimator=estimator
        )
    ),
)
