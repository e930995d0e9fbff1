"""Leave-one-out values in closed form against the measures and oracles on every smaller table."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics import ScoreTable
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.inference.bootstrap import _leave_one_out as left_out
from fastmetrics.inference.bootstrap._limits import acceleration, limits
from grids import few_examples
from reference import bootstrap_oracle as oracle, pr_oracle, roc_oracle

FIELDS = [
    "value",
    "threshold",
    "true_positive_rate",
    "false_positive_rate",
    "precision",
    "recall",
]
CRITERIA = [
    {"criterion": "youden"},
    {"criterion": "closest-topleft"},
    {"criterion": "fewest-errors"},
    {"criterion": "fbeta"},
    {"criterion": "fbeta", "beta": 2.0},
    {"criterion": "fbeta", "beta": 0.3},
    {"criterion": "precision_at_recall", "at_least": 0.5},
    {"criterion": "precision_at_recall", "at_least": 1.0},
    {"criterion": "recall_at_precision", "at_least": 0.75},
    {"criterion": "recall_at_false_positive_rate", "at_most": 0.0},
    {"criterion": "recall_at_false_positive_rate", "at_most": 0.25},
]
RANGES = [
    {},
    {"false_positive_rate_range": (0, 0.25)},
    {"false_positive_rate_range": (0.1, 0.6)},
    {"false_positive_rate_range": (0.4, 0.5)},
    {"false_positive_rate_range": (0.5, 1)},
    {"true_positive_rate_range": (0, 1)},
    {"true_positive_rate_range": (0.5, 0.9)},
    {"true_positive_rate_range": (0, 0.3)},
    {"false_positive_rate_range": (0, 0.3), "standardized": True},
    {"false_positive_rate_range": (0.999999, 1.0), "standardized": True},
    {"true_positive_rate_range": (0.7, 1), "standardized": True},
]
NAMES_AND_PARAMS = [
    ("roc_auc", {}),
    *(("roc_auc", {"max_fpr": max_fpr}) for max_fpr in (0.1, 0.5, 0.75, 1.0)),
    ("rank_loss", {}),
    *(("partial_auc", params) for params in RANGES),
    ("average_precision", {}),
    *(("pr_auc", {"interpolation": kind}) for kind in ("step", "trapezoid", "continuous")),
    ("ks_statistic", {}),
    ("break_even_point", {}),
    *(("best_threshold", params) for params in CRITERIA),
]
CASES = pytest.mark.parametrize(
    ("name", "params"), NAMES_AND_PARAMS, ids=[f"{n}-{p}" for n, p in NAMES_AND_PARAMS]
)

Cells = list[tuple[int, int, int]]


def numbered(counts) -> Cells:
    """Return cells with falling scores."""
    return [(len(counts) - i, *both) for i, both in enumerate(counts)]


def cells_of(most: int, size: int):
    cell = st.tuples(st.integers(0, most), st.integers(0, most)).filter(any)
    return st.lists(cell, min_size=1, max_size=size).map(numbered)


CELLS = cells_of(1, 14) | cells_of(3, 8)

SHAPES = {
    "one row": [(2, 3)],
    "single positive": [(0, 2), (1, 1), (0, 3)],
    "single negative": [(2, 0), (1, 1), (1, 0)],
    "one of each": [(1, 0), (0, 1)],
    "perfect": [(1, 0), (2, 0), (0, 1), (0, 3)],
    "reversed": [(0, 1), (0, 3), (1, 0), (2, 0)],
    "positives only": [(1, 0), (2, 0)],
    "negatives only": [(0, 1), (0, 2)],
    "alone at the top": [(0, 1), (1, 0), (0, 1), (1, 0), (1, 2)],
}


def table_of(cells: Cells) -> ScoreTable:
    scores, positives, negatives = zip(*cells, strict=True)
    return ScoreTable.from_counts(scores, positives, negatives)


def leave_one_out(table: ScoreTable, name: str, **params) -> list[np.ndarray]:
    """Return what leaving out a row of each class changes, nan where a score has none."""
    sides = left_out.leave_one_out(table, name, **params)
    counts = table.positives, table.negatives
    return [np.where(has > 0, side, math.nan) for side, has in zip(sides, counts, strict=True)]


def measured(cells: Cells, name: str, params: dict) -> float:
    """Return the public measure, nan where it says that it is undefined."""
    if not cells:
        return math.nan
    table = table_of(cells)
    params = dict(params)
    of = params.pop("of", "value")
    functions = {
        "roc_auc": fm.roc_auc_score,
        "average_precision": fm.average_precision_score,
        "ks_statistic": lambda table: fm.ks_statistic(table).statistic,
        "break_even_point": lambda table: fm.break_even_point(table).value,
        "best_threshold": lambda table, **kw: getattr(fm.best_threshold(table, **kw), of),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return functions.get(name, getattr(fm, name, None))(table, **params)
        except UndefinedMetricWarning:
            return math.nan


def check(cells: Cells, name: str, params: dict, tolerance: float = 1e-13) -> None:
    table = table_of(cells)
    expected = oracle.without_one(cells, lambda rest: measured(rest, name, params))
    whole = measured(cells, name, params)
    for want, deviation in zip(expected, leave_one_out(table, name, **params), strict=True):
        values = np.array([math.nan if value is None else value for value in want])
        assert deviation.shape == (len(table),)
        if not math.isinf(whole):
            wanted = values - whole
            assert deviation == pytest.approx(wanted, rel=tolerance, abs=tolerance, nan_ok=True)


@CASES
def test_shapes(name: str, params: dict) -> None:
    for shape in SHAPES.values():
        # McClish's correction of a range of 1e-6 divides by 1e-12.
        check(numbered(shape), name, params, 1e-9 if "correction" in params else 1e-13)


@CASES
@few_examples
@given(cells=CELLS)
def test_against_every_smaller_table(name: str, params: dict, cells: Cells) -> None:
    check(cells, name, params, 1e-9 if "correction" in params else 1e-13)


@pytest.mark.parametrize("params", CRITERIA, ids=str)
@given(cells=CELLS, of=st.sampled_from(FIELDS))
def test_fields_of_the_best_threshold(params: dict, cells: Cells, of: str) -> None:
    check(cells, "best_threshold", params | {"of": of})


@CASES
def test_many_rows(rng, name: str, params: dict) -> None:
    labels = rng.integers(0, 2, 120)
    scores = np.round(rng.normal(labels * 0.9), 1)
    table = ScoreTable.from_scores(labels, scores)
    columns = (table.scores, table.positives, table.negatives)
    cells = list(zip(*(column.tolist() for column in columns), strict=True))
    check(cells, name, params, 1e-9 if "correction" in params else 1e-13)


# --- against the definitions, in rational numbers --------------------------------------------


def exact_sides(cells: Cells, measure) -> tuple[Fraction | None, list[list[Fraction | None]]]:
    def defined(rest: Cells) -> Fraction | None:
        if not sum(cell[1] for cell in rest) or not sum(cell[2] for cell in rest):
            return None
        return measure([(s, Fraction(p), Fraction(n)) for s, p, n in rest])

    return defined(cells), [list(side) for side in oracle.without_one(cells, defined)]


def weighted(measure):
    """Turn an oracle of labels, scores and weights into one of cells."""

    def of_cells(cells):
        rows = [(1, s, p) for s, p, _ in cells if p] + [(0, s, n) for s, _, n in cells if n]
        return measure(*(list(column) for column in zip(*rows, strict=True)))

    return of_cells


EXACT = {
    "roc_auc": ({}, roc_oracle.auc),
    "rank_loss": ({}, roc_oracle.rank_loss),
    "up to .3": ({"max_fpr": 0.3}, lambda rows: roc_oracle.mcclish(rows, 0, Fraction(0.3))),
    "fpr": (
        {"false_positive_rate_range": (0.2, 0.7)},
        lambda rows: roc_oracle.partial_auc(rows, Fraction(0.2), Fraction(0.7)),
    ),
    "tpr": (
        {"true_positive_rate_range": (0.3, 0.9)},
        lambda rows: roc_oracle.partial_auc(rows, Fraction(0.3), Fraction(0.9), "tpr"),
    ),
    "average_precision": ({}, weighted(pr_oracle.average_precision)),
    "trapezoid": ({"interpolation": "trapezoid"}, weighted(pr_oracle.trapezoid)),
    "break_even_point": ({}, weighted(lambda *rows: pr_oracle.break_even(*rows)[0])),
    "ks_statistic": ({}, lambda rows: roc_oracle.kolmogorov_smirnov(rows)[0]),
}
NAME_OF = {
    "up to .3": "roc_auc",
    "fpr": "partial_auc",
    "tpr": "partial_auc",
    "trapezoid": "pr_auc",
}


def check_exact(cells: Cells, case: str, relative: float, absolute: float = 0.0) -> None:
    params, measure = EXACT[case]
    whole, sides = exact_sides(cells, measure)
    table = table_of(cells)
    found = leave_one_out(table, NAME_OF.get(case, case), **params)
    for side, expected in zip(found, sides, strict=True):
        for deviation, value in zip(side.tolist(), expected, strict=True):
            if value is None or whole is None:
                continue
            wanted = float(value - whole)
            assert deviation == pytest.approx(wanted, rel=relative, abs=absolute), (case, cells)
            if case != "ks_statistic":
                assert (deviation == 0) == (wanted == 0) or abs(deviation) <= absolute


@pytest.mark.parametrize("case", [case for case in EXACT if case != "average_precision"])
@given(cells=CELLS)
def test_deviations_by_definition(case: str, cells: Cells) -> None:
    check_exact(cells, case, 1e-12, 1e-16)


@given(cells=CELLS)
def test_average_precision_deviations_by_definition(cells: Cells) -> None:
    if sum(cell[2] for cell in cells) > 1:  # with none left it is 1, which the oracle leaves out
        check_exact(cells, "average_precision", 1e-12, 1e-16)


LARGE = [
    numbered([(10**6, 7), (3 * 10**6, 10**5), (5, 4 * 10**6), (10**6, 10**7), (1, 10**7)]),
    numbered([(10**12, 3), (7, 10**9), (10**11, 10**12), (2, 1), (1, 10**12)]),
    numbered([(10**7, 0), (0, 1), (1, 0), (0, 10**7)]),  # one pair of 10^14 is wrong
    numbered([(2**40, 2**41), (2**61, 2**20), (2**30, 2**62)]),
]


@pytest.mark.parametrize("cells", LARGE, ids=range(len(LARGE)))
@pytest.mark.parametrize("case", [case for case in EXACT if case != "ks_statistic"])
def test_deviations_of_large_counts(cells: Cells, case: str) -> None:
    """Of size 1/n, and yet to nine places: the measures themselves have only sixteen."""
    n = sum(cell[1] for cell in cells)
    sums = case in ("average_precision", "trapezoid")
    check_exact(cells, case, 1e-9, 2.0**-50 / n if sums else 0.0)


@pytest.mark.parametrize("cells", LARGE[:3], ids=range(3))
def test_large_counts_by_differences(cells: Cells) -> None:
    check_exact(cells, "ks_statistic", 0, 2.0**-51)


# --- what they are for -----------------------------------------------------------------------


@given(cells=CELLS.filter(lambda cells: sum(c[1] for c in cells) > 1 < sum(c[2] for c in cells)))
@pytest.mark.parametrize("case", ["roc_auc", "fpr", "average_precision", "break_even_point"])
def test_acceleration_by_rows(case: str, cells: Cells) -> None:
    params, measure = EXACT[case]
    _, sides = exact_sides(cells, measure)
    by_class = [
        [value for value, cell in zip(side, cells, strict=True) for _ in range(cell[column])]
        for column, side in enumerate(sides, 1)
    ]
    if case == "average_precision" and sum(cell[2] for cell in cells) == 1:
        return
    by_class = [[value for value in rows if value is not None] for rows in by_class]
    table = table_of(cells)
    of_positives, of_negatives = leave_one_out(table, NAME_OF.get(case, case), **params)
    if np.isnan(of_positives).all():  # undefined on all rows
        return
    plain = acceleration(
        [
            (
                np.concatenate((of_positives, of_negatives)),
                np.concatenate((table.positives, table.negatives)),
            )
        ]
    )
    expected = oracle.acceleration([by_class[0] + by_class[1]])
    assert plain == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
    stratified = acceleration([(of_positives, table.positives), (of_negatives, table.negatives)])
    expected = oracle.acceleration(by_class)
    assert stratified == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_scipys_interval_of_the_auc(rng) -> None:
    import scipy.stats

    labels = np.arange(40) % 3 == 0
    scores = np.round(rng.normal(labels * 1.2), 1)

    def auc(y, s, axis=-1):
        wins = (s[..., :, None] > s[..., None, :]) + 0.5 * (s[..., :, None] == s[..., None, :])
        pairs = y[..., :, None] & ~y[..., None, :]
        return (wins * pairs).sum((-2, -1)) / pairs.sum((-2, -1))

    peer = scipy.stats.bootstrap(
        (labels, scores), auc, paired=True, vectorized=True, n_resamples=500, method="BCa", rng=rng
    )
    table = ScoreTable.from_scores(labels, scores)
    sides = leave_one_out(table, "roc_auc")
    a = acceleration([(np.concatenate(sides), np.r_[table.positives, table.negatives])])
    found = limits(
        peer.bootstrap_distribution,
        fm.roc_auc_score(table),
        method="bca",
        confidence_level=0.95,
        acceleration=a,
    )
    expected = peer.confidence_interval
    assert tuple(found.interval.to_dict().values()) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", left_out.LEAVE_ONE_OUT)
def test_no_value_changes_where_separation_is_perfect(name: str) -> None:
    """Noise in the last place would make an acceleration of nothing."""
    table = table_of(numbered([(1, 0)] * 37 + [(5, 0)] + [(0, 1)] * 53))
    kinds: list[dict[str, object]] = [{}]
    if name == "pr_auc":
        kinds = [{"interpolation": kind} for kind in ("step", "trapezoid", "continuous")]
    if name == "best_threshold":
        kinds += [
            {"criterion": "recall_at_false_positive_rate", "at_most": 0.1},
            {"criterion": "precision_at_recall", "at_least": 0.9},
            {"criterion": "recall_at_precision", "at_least": 0.9},
        ]
    for options in kinds:
        for side in leave_one_out(table, name, **options):
            assert set(side[~np.isnan(side)].tolist()) == {0.0}
