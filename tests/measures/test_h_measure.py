"""The H-measure against published values, and the Gini coefficient."""

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics import ScoreTable

# The README of the Python package hmeasure 0.1.6, a translation of R's, whose `severity_ratio` r
# stands for Beta(2, 1 + 1 / r), by default with r = p / (1 - p); a negative one for the weight of
# Hand & Anagnostopoulos (2014).
Y = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0]
S = [
    *(0.84901876, 0.10282827, 0.43752488, 0.46004468, 0.90878931),
    *(0.79177719, 0.5297229, 0.13803906, 0.73166264, 0.22959056),
]
PUBLISHED = {
    7 / 3: 0.18889596344769588,
    0.7: 0.13502616807120948,
    0.5: 0.10750123502531805,
    0.1: 0.001212529211507385,
}


@pytest.mark.parametrize("ratio", PUBLISHED)
def test_published_values(ratio) -> None:
    found = fm.costs.h_measure(Y, S, cost_weight=(2, 1 + 1 / ratio))
    assert found == pytest.approx(PUBLISHED[ratio], rel=1e-11)


def test_the_published_value_of_the_default() -> None:
    assert fm.costs.h_measure(Y, S) == pytest.approx(0.18310946512079307, rel=1e-12)
    assert fm.costs.h_measure(Y, S, cost_weight=(1.7, 1.3)) == pytest.approx(
        fm.costs.h_measure(Y, S)
    )


def test_the_weight_is_of_false_positives() -> None:
    """A weight near c = 1 asks for few false positives: the first of two scores has none."""
    careful, greedy = [1, 1, 0, 0, 1, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    table = [6, 8, 7, 5, 4, 3, 2, 1]  # two negatives on top
    assert fm.costs.h_measure(careful, greedy, cost_weight=(20, 2)) > 0.3
    assert (
        fm.costs.h_measure([0, 0, 1, 1, 1, 1, 0, 0], sorted(table)[::-1], cost_weight=(20, 2))
        < 0.01
    )
    assert (
        fm.costs.h_measure([0, 0, 1, 1, 1, 1, 0, 0], sorted(table)[::-1], cost_weight=(2, 20)) > 0.1
    )


def test_perfect_and_useless_scores() -> None:
    for weight in ("prevalence", "symmetric", (0.1, 9)):
        assert fm.costs.h_measure([0, 1], [0, 1], cost_weight=weight) == 1
        assert fm.costs.h_measure([0, 1], [1, 0], cost_weight=weight) == 0
        assert fm.costs.h_measure([0, 1, 1], [1, 1, 1], cost_weight=weight) == 0


def test_gini_keeps_its_digits_near_zero() -> None:
    n = 3 * 10**8  # pairs of a table: 1 more won than lost, of 9e16
    table = ScoreTable.from_counts([3, 2, 1], [1, n - 1, 0], [0, n - 1, 1])
    won = 1 * n + (n - 1)
    assert fm.gini_coefficient(table) == won / n**2
    labels = np.tile([0, 1, 1, 0], 5)
    assert fm.gini_coefficient(labels, np.arange(20)) == fm.gini_coefficient(
        ScoreTable.from_scores(labels, np.arange(20))
    )
