"""The cheapest decision: the definition, ties, invariances, blocks of rows, refusals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import engine_sizes
from fastmetrics.costs import cost_sensitive_predict
from reference import cost_oracle as oracle


@st.composite
def problems(draw):
    """Draw probabilities and costs whose expected costs are exact in float64, with many ties."""
    k = draw(st.integers(1, 5))
    parts = st.lists(st.integers(0, 4), min_size=k, max_size=k)
    shares = draw(st.lists(parts, min_size=1, max_size=6))
    for row in shares:
        row[0] += 64 - sum(row)
    line = st.lists(st.integers(-3, 9), min_size=k, max_size=k)
    costs = draw(st.lists(line, min_size=k, max_size=k))
    return np.array(shares) / 64, costs


@given(problems())
def test_the_definition_with_ties(problem) -> None:
    probabilities, costs = problem
    exact = [oracle.expected_costs(row, costs) for row in probabilities.tolist()]
    decided = cost_sensitive_predict(probabilities, costs)
    assert decided.tolist() == [row.index(min(row)) for row in exact]


def random_problem(rng, n: int, k: int, dtype=np.float64):
    probabilities = rng.random((n, k)) ** 3
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    costs = rng.random((k, k)) * 10
    np.fill_diagonal(costs, 0)
    return probabilities.astype(dtype), costs


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [2, 3, 10, 40])
def test_it_is_the_product_and_its_least_column(rng, k, dtype) -> None:
    probabilities, costs = random_problem(rng, 3000, k, dtype)
    product = probabilities.astype(np.float64) @ costs
    decided = cost_sensitive_predict(probabilities, costs)
    np.testing.assert_array_equal(decided, product.argmin(axis=1))
    changed = cost_sensitive_predict(probabilities, 3.7 * costs + rng.random((k, 1)))
    np.testing.assert_array_equal(changed, decided)


def test_a_row_decides_alike_alone_and_among_others(rng, monkeypatch) -> None:
    probabilities, costs = random_problem(rng, 2000, 7)
    costs = np.repeat(costs, 2, axis=1)[:, :7] / 3  # equal columns: every row is a tie
    whole = cost_sensitive_predict(probabilities, costs)
    assert set(whole.tolist()) <= {0, 2, 4, 6}
    for row in range(0, 2000, 97):
        alone = cost_sensitive_predict(probabilities[row : row + 1], costs)
        assert alone[0] == whole[row]
    engine_sizes.put(monkeypatch, decided_cells=1, decided_rows=3)
    np.testing.assert_array_equal(whole, cost_sensitive_predict(probabilities, costs))


def test_no_temporary_is_as_large_as_the_data(rng) -> None:
    import tracemalloc

    probabilities, costs = random_problem(rng, 200_000, 10)
    tracemalloc.start()
    decided = cost_sensitive_predict(probabilities, costs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert decided.nbytes < peak < decided.nbytes + 6 * 8 * engine_sizes.size("decided_cells")


def test_two_classes_are_decided_by_a_threshold() -> None:
    p = np.arange(0, 65) / 64
    decided = cost_sensitive_predict(p, [[0, 1], [3, 0]])
    np.testing.assert_array_equal(decided, (p > 1 / 4).astype(int))
    both = cost_sensitive_predict(np.column_stack((1 - p, p)), [[0, 1], [3, 0]])
    np.testing.assert_array_equal(decided, both)
    column = cost_sensitive_predict(p[:, np.newaxis], [[0, 1], [3, 0]])
    np.testing.assert_array_equal(decided, column)


def test_costs_of_any_size() -> None:
    p = [[0.5, 0.5], [0.25, 0.75]]
    for cost in (5e-324, 1e-310, 1.7e308):
        assert cost_sensitive_predict(p, [[0, cost], [cost, 0]]).tolist() == [0, 1]
        assert cost_sensitive_predict(p, [[-cost, cost], [cost, -cost]]).tolist() == [0, 1]
    assert cost_sensitive_predict(p, [[0, 0], [0, 0]]).tolist() == [0, 0]


def test_probability_three_tenths_and_costs_by_hand() -> None:
    exact = oracle.expected_costs([Fraction(7, 10), Fraction(3, 10)], [[0, 1], [4, 0]])
    assert exact == [Fraction(6, 5), Fraction(7, 10)]
    assert cost_sensitive_predict([[0.7, 0.3]], [[0, 1], [4, 0]]).tolist() == [1]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "match"),
    [
        (([[0.5, 0.6]], np.eye(2)), {}, ValueError, "add up to 1 in each row: 1.1 in row 0"),
        (([[0.5, 0.5], [1.5, -0.5]], np.eye(2)), {}, ValueError, "1.5 at index \\(1, 0\\)"),
        (([1.5], np.eye(2)), {}, ValueError, "must lie in \\[0, 1\\]: 1.5 at index \\(0, 0\\)"),
        (([0.5], np.eye(2)), {"labels": [0, 1, 2]}, ValueError, "must name 2 classes: got 3"),
        (([0.5], np.eye(2)), {"labels": [1, 1]}, ValueError, "1 comes twice"),
    ],
)
def test_refusals(arguments, options, error, match) -> None:
    with pytest.raises(error, match=match):
        cost_sensitive_predict(*arguments, **options)


def test_a_wrong_row_is_found_in_a_later_block(rng) -> None:
    probabilities, costs = random_problem(rng, 30_000, 5)
    probabilities[20_000, 3] += 0.5
    with pytest.raises(ValueError, match="in row 20000"):
        cost_sensitive_predict(probabilities, costs)
