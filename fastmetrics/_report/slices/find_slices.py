"""``find_slices``: where is the loss greater? Searched on some rows, tested on the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, pairwise, starmap
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.rows import has_names, named_columns
from fastmetrics._input.scalars import (
    check_confidence_level,
    check_decision_level,
    check_fraction,
    check_integer,
    check_same_length,
    key_text,
    seed_key,
)
from fastmetrics._input.scores import check_scores_array
from fastmetrics._report.slices.found_slices import FoundSlice, FoundSlices
from fastmetrics.errors import InputError
from fastmetrics.inference._pvalues import holm
from fastmetrics.inference.reference import DifferenceTest, difference_test
from fastmetrics.inference.units import Floats, Ints, Spread, Units

#: Whole numbers of so few values are categories; others are cut at the quartiles.
_FEW_VALUES: Final = 10
_QUARTILES: Final = (0.25, 0.5, 0.75)
#: Slices that share so much of the rows of either are one finding.
_SAME: Final = 0.75
Masks = NDArray[np.bool_]
Condition = tuple[str, str, Any]


class Part(NamedTuple):
    """Of a column the part that each row is in, and which parts meet each of its conditions."""

    codes: Ints
    met: NDArray[Any]


class Candidate(NamedTuple):
    """A slice by the numbers of its conditions, and its excess loss on the rows searched."""

    members: tuple[int, ...]
    excess: float


@documented()
def find_slices(
    X: Mapping[str, ArrayLike] | Any,
    loss: ArrayLike,
    *,
    confirm: float = 0.5,
    max_conditions: int = 2,
    min_n: int = 30,
    n_slices: int = 10,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> FoundSlices:
    """Find slices of the rows whose loss is greater, and confirm them on rows held back.

    Parameters
    ----------
    X : mapping of str to array-like of shape (n_samples,), or data frame
        Columns that may tell where the loss is greater: texts, or numbers.
    loss : array-like of shape (n_samples,)
        Of each row, the greater the worse: squared errors, log losses, 1 for a wrong decision.
    confirm : float, default=0.5
        Share of the rows that is held back, in (0, 1).
    max_conditions : int, default=2
        How many conditions make a slice: 1 or 2.
    min_n : int, default=30
        Rows that a slice, and what is outside it, must have on either side.
    n_slices : int, default=10
        How many slices are tested at most.
    groups : array-like of shape (n_samples,), optional
        Group of each row (user, patient): whole groups are held back, and groups vary, not rows.
    confidence_level : float, default=0.95
        Of the limits; and 1 less that is the chance that anything is confirmed where nothing is.
    rng : None, int, numpy Generator or str, optional
        Seed of the halves; or the key of an earlier result, which makes the same ones.

    Returns
    -------
    FoundSlices
        Frozen; `confirmed` and `verdict`.

    Raises
    ------
    ValueError
        If lengths differ, the loss is not finite, `X` has no column, or the rows are too few.

    Notes
    -----
    A condition is a value of a column of texts, or of whole numbers of at most 10 values; of other
    numbers, to be at most a quartile of the rows searched, or greater, which a missing one (nan) is
    not. A pair of them, of one column too, is a slice where it is not the same rows as one of the
    two.

    The search ranks slices by the mean loss inside less that outside, drawn towards 0 as d t / (t +
    v): v is the variance of d, of rows or between groups, t the mean of what d^2 has beyond v. It
    leaves out what shares three quarters of its rows with a slice ranked higher. The rows held back
    are not looked at until then but for how many each slice has, so that Welch's test on them,
    one-sided, holds whatever the search did; Holm's adjustment is over the slices tested. Of groups
    the test is that of `estimate`: their contributions on both sides are added up, and the degrees
    of freedom are how many carry the variance. A slice, and what is outside it, then has two groups
    or more on either side.

    O(n d^2 + c^3) time for c conditions of d columns; with groups c^2 passes over the rows.

    References
    ----------
    Cox (1975), A note on data-splitting for the evaluation of significance levels, Biometrika
    62:441-444. Chung, Kraska, Polyzotis, Tae & Whang (2019), Slice Finder, ICDE.

    Examples
    --------
    >>> import numpy as np
    >>> country, age = np.repeat(["FI", "NO"], 200), np.arange(400) % 80
    >>> loss = np.where((country == "FI") & (age > 59), 1.0, 0.0) + np.arange(400) % 7 / 7
    >>> found = find_slices({"country": country, "age": age}, loss, min_n=10, rng=1)
    >>> [each.slice for each in found.confirmed][0]
    'country=FI & age>59'
    """
    share = check_fraction("confirm", confirm)
    level = check_confidence_level(confidence_level)
    most = check_integer("max_conditions", max_conditions, low=1, high=2)
    min_n = check_integer("min_n", min_n, low=2)
    n_slices = check_integer("n_slices", n_slices, low=1)
    losses = check_scores_array(loss, "loss").astype(np.float64)
    codes = None if groups is None else check_class_labels(groups, "groups").codes
    if not has_names(X):
        raise InputError("`X` must be a mapping of names to columns, {'country': ...}, or a frame")
    columns = named_columns(X, "X")
    if not columns:
        raise InputError("`X` must have a column: got none")
    check_same_length(loss=losses, groups=codes, **{f"X[{k!r}]": v for k, v in columns.items()})
    key = seed_key(rng)
    held = _held_back(len(losses), codes, share, np.random.default_rng(key))
    if min(np.count_nonzero(held), np.count_nonzero(~held)) < 2 * min_n:
        raise InputError(
            f"`min_n={min_n}` needs {2 * min_n} rows to search and as many to confirm: got "
            f"{np.count_nonzero(~held)} and {np.count_nonzero(held)}"
        )
    conditions, parts = _parts(columns, ~held)
    masks = np.concatenate([part.met[:, part.codes] for part in parts])
    found = _searched(parts, masks, losses, held, codes, most, min_n)
    chosen = _chosen(found, masks[:, ~held], n_slices)
    if codes is not None:
        codes = np.unique(codes[held], return_inverse=True)[1]
    own = losses[held]
    insides = [np.logical_and.reduce(masks[list(each.members)]) for each in chosen]
    tests = [_tested(own, inside[held], codes, level) for inside in insides]
    adjusted = holm([test.pvalue for _, test, _ in tests])
    rows = []
    of_slices = zip(chosen, insides, tests, adjusted, strict=True)
    for each, inside, (means, test, spread), p in of_slices:
        asked = tuple(conditions[k] for k in each.members)
        rows.append(
            FoundSlice(
                slice=" & ".join(_named(*one) for one in asked),
                conditions=asked,
                estimate=means[0] - means[1],
                confidence_interval=test.interval,
                standard_error=spread.standard_error,
                df=spread.df,
                pvalue=test.pvalue,
                pvalue_holm=p,
                is_confirmed=p <= check_decision_level(level),
                mean_inside=means[0],
                mean_outside=means[1],
                estimate_of_search=each.excess,
                n_search=int(np.count_nonzero(inside & ~held)),
                n_confirm=int(np.count_nonzero(inside & held)),
            )
        )
    return FoundSlices(
        rows=tuple(rows),
        confidence_level=level,
        n_candidates=len(found),
        n_searched=int(np.count_nonzero(~held)),
        n_held_back=len(own),
        n_groups=None if codes is None else int(codes.max()) + 1,
        key=key_text(key),
    )


def _held_back(n: int, groups: Ints | None, share: float, generator: np.random.Generator) -> Masks:
    """Return which rows are held back: that share of the rows, or whole groups of about as many."""
    held = np.zeros(n, np.bool_)
    if groups is None:
        held[generator.permutation(n)[: round(share * n)]] = True
        return held
    sizes = np.bincount(groups)
    order = generator.permutation(len(sizes))
    taken = order[np.cumsum(sizes[order]) - sizes[order] / 2.0 <= share * n]
    return np.isin(groups, taken)


def _parts(
    columns: Mapping[str, NDArray[Any]], searched: Masks
) -> tuple[list[Condition], list[Part]]:
    """Return what can be asked of a row, and of each column how its parts answer."""
    conditions: list[Condition] = []
    parts = []
    for name, column in columns.items():
        kind = column.dtype.kind
        if kind == "f" or (kind in "iu" and len(np.unique(column)) > _FEW_VALUES):
            known = column[searched & (column == column)]
            cuts = known[:0]
            if len(known):
                cuts = np.unique(np.quantile(known, _QUARTILES, method="inverted_cdf"))
            codes = np.searchsorted(cuts, column)
            codes[column != column] = len(cuts) + 1
            below = np.arange(len(cuts) + 1) <= np.arange(len(cuts))[:, None]
            both = np.stack([below, ~below], axis=1).reshape(-1, len(cuts) + 1)
            met = np.pad(both, ((0, 0), (0, 1)))  # what is missing meets nothing
            conditions += [(name, sign, cut.item()) for cut in cuts for sign in ("<=", ">")]
        else:
            codes, classes = check_class_labels(column, f"X[{name!r}]")[1::-1]
            met = np.eye(len(classes), dtype=np.bool_)
            conditions += [(name, "=", value) for value in np.asarray(classes).tolist()]
        parts.append(Part(codes, met))
    return conditions, parts


def _sums(parts: list[Part], rows: Masks, *columns: Floats | None) -> Floats:
    """Return the sums of columns over the rows that meet each two conditions: (k, c, c).

    Of None the numbers of rows. Sums are of each two parts, from which those of conditions follow.
    """
    ends = np.cumsum([0, *(len(part.met) for part in parts)])
    found = np.zeros((len(columns), ends[-1], ends[-1]))
    own = [Part(part.codes[rows], part.met.astype(np.float64)) for part in parts]
    for (one, here), (other, there) in combinations_with_replacement(
        zip(own, starmap(slice, pairwise(ends)), strict=True), 2
    ):
        shape = one.met.shape[1], other.met.shape[1]
        cells = one.codes * shape[1] + other.codes
        for column, sums in zip(columns, found, strict=True):
            table = np.bincount(cells, column, shape[0] * shape[1]).reshape(shape)
            sums[here, there] = one.met @ table @ other.met.T
            sums[there, here] = sums[here, there].T
    return found


def _searched(
    parts: list[Part],
    masks: Masks,
    losses: Floats,
    held: Masks,
    groups: Ints | None,
    most: int,
    min_n: int,
) -> list[Candidate]:
    """Return the slices that are large enough, the greatest excess loss first once it is shrunk."""
    own = losses[~held] - losses[~held].mean()
    n, n_held = len(own), len(losses) - len(own)
    counts, sums, squares = _sums(parts, ~held, None, own, own * own)
    (kept,) = _sums(parts, held, None)
    is_large = np.minimum(counts, n - counts) >= min_n
    is_large &= np.minimum(kept, n_held - kept) >= min_n
    both = counts + kept
    alone = np.diagonal(both)
    is_new = (both < alone[:, None]) & (both < alone[None, :]) if most == 2 else False
    first, second = np.nonzero(np.triu(is_large & (is_new | np.eye(len(masks), dtype=np.bool_))))
    if groups is not None:
        several = [
            _has_groups(masks[i] & masks[j], held, groups)
            for i, j in zip(first, second, strict=True)
        ]
        first, second = first[several], second[several]
    if not len(first):
        return []
    m, inside, within = (each[first, second] for each in (counts, sums, squares))
    mean, other = inside / m, -inside / (n - m)
    total = float(own @ own)
    variance = np.maximum(within - m * mean**2, 0.0) / (m * (m - 1.0))
    rest = n - m
    variance += np.maximum(total - within - rest * other**2, 0.0) / (rest * (rest - 1.0))
    if groups is not None:
        each = np.unique(groups[~held], return_inverse=True)[1]
        ends = zip(first, second, m, mean, other, strict=True)
        variance = np.array(
            [
                _between(_moved(own, (masks[i] & masks[j])[~held], size, means), each)
                for i, j, size, *means in ends
            ]
        )
    excess = mean - other
    true = np.maximum(excess**2 - variance, 0.0).mean()
    spread = true + variance
    shrunken = np.where(spread > 0.0, excess * true / np.where(spread > 0.0, spread, 1.0), 0.0)
    order = np.argsort(-shrunken, kind="stable")
    pairs = zip(first[order].tolist(), second[order].tolist(), strict=True)
    return [
        Candidate((i,) if i == j else (i, j), gap)
        for (i, j), gap in zip(pairs, excess[order].tolist(), strict=True)
    ]


def _chosen(found: list[Candidate], masks: Masks, n_slices: int) -> list[Candidate]:
    """Return those that go into the test: of slices of much the same rows the first."""
    chosen: list[tuple[Candidate, Masks]] = []
    for each in found:
        if len(chosen) == n_slices or each.excess <= 0.0:
            break
        own = np.logical_and.reduce(masks[list(each.members)])
        if all(
            np.count_nonzero(own & other) < _SAME * np.count_nonzero(own | other)
            for _, other in chosen
        ):
            chosen.append((each, own))
    return [each for each, _ in chosen]


def _has_groups(inside: Masks, held: Masks, groups: Ints) -> bool:
    """Return whether two groups or more have rows in a slice, and outside it, on either side."""
    parts = (which & where for which in (inside, ~inside) for where in (held, ~held))
    return all(len(found) and (found != found[0]).any() for found in (groups[p] for p in parts))


def _moved(losses: Floats, inside: Masks, m: float, means: Sequence[float]) -> Floats:
    """Return by how much each row moves the difference of the means inside and outside."""
    rest = max(len(losses) - m, 1)
    return np.where(inside, (losses - means[0]) / m, (means[1] - losses) / rest)


def _between(moved: Floats, groups: Ints) -> float:
    """Return the variance of a sum of which groups vary."""
    sums = np.bincount(groups, moved)
    return float(sums @ sums) * len(sums) / (len(sums) - 1.0)


def _tested(
    losses: Floats, inside: Masks, groups: Ints | None, level: float
) -> tuple[tuple[float, float], DifferenceTest, Spread]:
    """Return the means inside and outside, and the test that the first is greater."""
    means = float(losses[inside].mean()), float(losses[~inside].mean())
    moved = _moved(losses, inside, int(np.count_nonzero(inside)), means)
    units = Units(len(losses), groups=groups, strata=inside.astype(np.int64))
    # Few groups may have rows in the slice, whatever the number of all.
    spread = units.spread(moved, "student" if groups is None else "contributions")
    test = difference_test(means[0] - means[1], spread.standard_error, spread.df, level, "greater")
    return means, test, spread


def _named(column: str, sign: str, value: Any) -> str:
    return f"{column}{sign}{value:.6g}" if isinstance(value, float) else f"{column}{sign}{value}"
