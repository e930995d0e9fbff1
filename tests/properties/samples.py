"""Samples of the property tests, and comparisons of two results."""

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import note, settings, strategies as st

from registry import Entry, entry as kinds
from registry.entry import Sample

#: Fewer examples than usual: each of them is for many metrics, by ours or by the peer's function.
few = settings(max_examples=settings().max_examples // 3)
fewer = settings(max_examples=settings().max_examples // 5)

# Few distinct scores, so that ties are the rule; neighbours one unit in the last place apart,
# both zeros, the smallest and the largest numbers.
AWKWARD = [0.0, -0.0, 5e-324, 1.0, float(np.nextafter(1.0, 2.0)), 0.1 + 0.2, 0.3, -1e308, 1.7e308]
# Smallest share of 1 and largest number of shares of a weight, by kind.
UNITS = {"none": (1, 1), "counts": (1, 3), "quarters": (4, 12)}


def parts(least: int, most: int, unit: int) -> st.SearchStrategy[float]:
    return st.integers(least, most).map(lambda number: number / unit)


def probabilities(k: int) -> st.SearchStrategy[list[float]]:
    """Return eighths that add up to 1."""
    cuts = st.lists(st.integers(0, 8), min_size=k - 1, max_size=k - 1).map(sorted)
    return cuts.map(lambda c: [(b - a) / 8 for a, b in zip([0, *c], [*c, 8], strict=True)])


def scores(draw: st.DrawFn, grid: bool) -> st.SearchStrategy[Any]:
    """Return whole numbers (the same in every dtype), eighths, awkward numbers or any."""
    grids = st.integers(0, draw(st.integers(0, 9)))
    some = [grids, grids.map(lambda k: k / 8), st.sampled_from(AWKWARD)]
    some.append(st.floats(allow_nan=False, allow_infinity=False))
    return grids if grid else draw(st.sampled_from(some))


def columns(draw: st.DrawFn, data: str, grid: bool) -> tuple[int, Any, Any]:
    """Return the number of classes (0: numbers), and what true values and given ones are."""
    if data in (kinds.NUMBERS, kinds.AMOUNTS):
        value = parts(-6, 6, 2) if data == kinds.NUMBERS else parts(1, 12, 4)
        return 0, value, value
    k = {kinds.LABELS: st.integers(2, 4), kinds.SHARES: st.integers(3, 4)}.get(data)
    n_classes = draw(k) if k is not None else 3 if data == kinds.MARGINS else 2
    if data == kinds.SCORES:
        given = scores(draw, grid)
    elif data in (kinds.TWO, kinds.LABELS):
        given = st.integers(0, n_classes - 1)
    elif data == kinds.SHARES:
        given = probabilities(n_classes)
    elif data == kinds.MARGINS:
        given = st.lists(parts(-8, 8, 4), min_size=3, max_size=3)
    else:
        given = parts(0, 8, 8) if data == kinds.CHANCES else parts(-8, 8, 4)
    return n_classes, st.integers(0, n_classes - 1), given


@st.composite
def samples(
    draw: st.DrawFn,
    data: str = kinds.SCORES,
    *,
    each: int = 1,
    weights: str = "none",
    grid: bool = False,
    settled: bool = False,
) -> Sample:
    """Draw rows, at least `each` of every class (or two numbers) having a weight.

    Weights are "none", "counts" (0 to 3) or "quarters". With `grid` scores are small whole numbers;
    with `settled` those rows of each class are predicted right.
    """
    k, true, given = columns(draw, data, grid)
    unit, most = UNITS[weights]
    share = st.integers(1 if weights == "none" else 0, most)
    rows = draw(st.lists(st.tuples(true, given, share), min_size=0 if each else 1, max_size=14))
    if not each:
        rows[0] = (*rows[0][:2], max(1, rows[0][2]))
    for label in [*range(k), *[None] * (0 if k else 2)] * each:  # in the midst of the rest
        own = draw(true) if label is None else label
        value = own if settled and data in (kinds.TWO, kinds.LABELS) else draw(given)
        rows.insert(len(rows) // 2, (own, value, draw(st.integers(1, most))))
    labels, values, shares = (list(column) for column in zip(*rows, strict=True))
    return Sample(
        labels, values, None if weights == "none" else [Fraction(s, unit) for s in shares]
    )


class Group(NamedTuple):
    """Entries that take one sample; iterating notes each, so that the last one noted failed."""

    data: str
    weights: tuple[str, ...]
    rows_of_each_class: int
    entries: list[Entry]

    def __repr__(self) -> str:
        return f"Group({', '.join(entry.name for entry in self.entries)})"

    @property
    def named(self) -> Iterator[Entry]:
        for entry in self.entries:
            note(entry.name)
            yield entry


def grouped(name: str, entries: Iterable[Entry]) -> pytest.MarkDecorator:
    """Return the parametrization of a test by groups."""
    actual: dict[Any, Group] = {}
    for entry in entries:
        key = entry.data, entry.weights, entry.rows_of_each_class
        actual.setdefault(key, Group(*key, [])).entries.append(entry)
    ids = [f"{group.data}-{group.entries[0].name}" for group in actual.values()]
    return pytest.mark.parametrize(name, actual.values(), ids=ids)


def drawn(data: st.DataObject, group: Group, *weights: str, **more: Any) -> Sample:
    """Draw a sample for a group, with weights of one of the kinds that it takes."""
    taken = [kind for kind in weights if kind in ("none", *group.weights)] or ["none"]
    kind = data.draw(st.sampled_from(taken)) if len(taken) > 1 else taken[0]
    more.setdefault("each", group.rows_of_each_class)
    return data.draw(samples(group.data, weights=kind, **more))


def settled(data: st.DataObject, group: Group, *weights: str, **more: Any) -> Sample:
    """Draw a sample in which every class occurs, and is predicted."""
    return drawn(data, group, *weights, each=max(1, group.rows_of_each_class), settled=True, **more)


def arrays(sample: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the columns; whole weights as integers, which makes them counts."""
    true = np.array(sample.true)
    given = np.array(sample.given)
    if sample.weights is None:
        return true, given, None
    whole = all(weight.denominator == 1 for weight in sample.weights)
    return true, given, np.array(sample.weights, dtype=np.int64 if whole else np.float64)


@contextlib.contextmanager
def undefined_is_fine() -> Iterator[None]:
    """Let the warnings of our own and of the peers pass: values are compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def fast(entry: Entry, true: Any, given: Any = None, weights: Any = None, **more: Any) -> Any:
    with undefined_is_fine():
        return entry.fast(true, given, weights, **more)


def doubles(value: Any) -> np.ndarray:
    """Return each number as the double nearest to it, whatever its type was."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float64)
    if isinstance(value, list | tuple):
        return np.array([float(item) for item in value])
    return np.asarray(float(value))


def assert_same(entry: Entry, left: Any, right: Any, *, keep_thresholds: bool = True) -> None:
    """Assert the same bits (nan is nan, -0.0 is 0.0)."""
    assert len(left) == len(right)
    for k, (one, other) in enumerate(zip(left, right, strict=True)):
        if keep_thresholds or k not in entry.thresholds:
            np.testing.assert_array_equal(doubles(one), doubles(other), strict=True)


def assert_close(entry: Entry, left: Any, right: Any, *, weighted: bool = False) -> None:
    """Assert equality up to rounding; thresholds must be equal."""
    count = entry.weighted_values if weighted else None
    assert len(left) == len(right)
    for k, (one, other) in enumerate(list(zip(left, right, strict=True))[:count]):
        if k in entry.thresholds:
            np.testing.assert_array_equal(doubles(one), doubles(other), strict=True)
        else:
            np.testing.assert_allclose(
                doubles(one), doubles(other), rtol=1e-12, atol=1e-14, strict=True
            )


def assert_equal(entry: Entry, left: Any, right: Any, **options: Any) -> None:
    """Assert the same bits of what is exact, and equality up to rounding of the rest."""
    if entry.exact:
        assert_same(entry, left, right, **options)
    else:
        assert_close(entry, left, right)
