"""Power and sample size: exact enumeration, numerical integrals, and (slow) simulation."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import integrate, stats

import fastmetrics as fm
from reference import rank_oracle as oracle

Z = stats.norm.isf(0.025)
AUCS = {"auc_a": 0.85, "auc_b": 0.8, "correlation": 0.6}
DESIGNS = [(0.9, 0.8, 0.2, 100), (0.75, 0.65, 0.3, 250), (0.92, 0.9, 0.06, 700)]


@pytest.mark.parametrize(("test", "less"), [("uncorrected", 0), ("corrected", 1)])
@pytest.mark.parametrize("method", ["connor", "miettinen"])
@pytest.mark.parametrize(("a", "b", "psi", "n"), DESIGNS)
def test_accuracy_against_the_sum_over_all_counts(a, b, psi, n, method, test, less):
    exact = oracle.mcnemar_power(n, (psi + a - b) / 2, (psi - a + b) / 2, Z, less)
    found = fm.comparison.power_paired_accuracy(
        n, accuracy_a=a, accuracy_b=b, discordance=psi, method=method, test=test
    )
    assert found == pytest.approx(exact, abs=0.03)


def test_what_is_planned_is_what_is_tested():
    planned = [
        inspect.signature(function).parameters["test"].default
        for function in (
            fm.comparison.power_paired_accuracy,
            fm.comparison.sample_size_paired_accuracy,
        )
    ]
    assert set(planned) == {"corrected"}
    assert "continuity-corrected" in fm.comparison.mcnemar_test(e01=1, e10=7).method


def test_published_formulas():
    # Connor (1987): n = (z_a sqrt(psi) + z_b sqrt(psi - d^2))^2 / d^2.
    d, psi, z_b = 0.1, 0.3, stats.norm.isf(0.2)
    connor = (Z * math.sqrt(psi) + z_b * math.sqrt(psi - d * d)) ** 2 / d**2
    size = fm.comparison.sample_size_paired_accuracy(
        accuracy_a=0.7, accuracy_b=0.6, discordance=psi, test="uncorrected"
    )
    assert size.n == math.ceil(connor)
    # Miettinen (1968): n = (z_a psi + z_b sqrt(psi^2 - d^2 (3 + psi) / 4))^2 / (psi d^2).
    root = math.sqrt(psi**2 - d * d * (3 + psi) / 4)
    miettinen = (Z * psi + z_b * root) ** 2 / (psi * d * d)
    size = fm.comparison.sample_size_paired_accuracy(
        accuracy_a=0.7, accuracy_b=0.6, discordance=psi, method="miettinen", test="uncorrected"
    )
    assert size.n == math.ceil(miettinen)


@given(
    a=st.sampled_from([0.6, 0.8, 0.95]),
    b=st.sampled_from([0.5, 0.7, 0.9]),
    correlation=st.sampled_from([0.0, 0.2]),
    power=st.sampled_from([0.5, 0.8, 0.99]),
    method=st.sampled_from(["connor", "miettinen"]),
    alternative=st.sampled_from(["two-sided", "one-sided"]),
)
def test_sizes_are_the_smallest(a, b, correlation, power, method, alternative):
    options = {
        "accuracy_a": a,
        "accuracy_b": b,
        "correlation": correlation,
        "method": method,
        "alternative": alternative,
    }
    size = fm.comparison.sample_size_paired_accuracy(power=power, **options)
    assert size.power == fm.comparison.power_paired_accuracy(size.n, **options) >= power
    if size.n > 1:
        assert fm.comparison.power_paired_accuracy(size.n - 1, **options) < power
    swapped = fm.comparison.sample_size_paired_accuracy(
        power=power, **{**options, "accuracy_a": b, "accuracy_b": a}
    )
    assert (swapped.n, swapped.difference) == (size.n, -size.difference)


def test_correlation_and_discordance_say_the_same():
    psi = 0.9 * 0.2 + 0.8 * 0.1 - 2 * 0.5 * math.sqrt(0.9 * 0.1 * 0.8 * 0.2)
    given_both = [
        fm.comparison.power_paired_accuracy(200, accuracy_a=0.9, accuracy_b=0.8, **option)
        for option in ({"correlation": 0.5}, {"discordance": psi})
    ]
    assert given_both[0] == pytest.approx(given_both[1], rel=1e-12)


def test_certain_differences():
    certain = {"accuracy_a": 1, "accuracy_b": 0, "discordance": 1}
    for test, n in (("uncorrected", 4), ("corrected", 6)):  # n, or n - 1, is 1.96 sqrt(n) or more
        powers = [
            fm.comparison.power_paired_accuracy(size, **certain, test=test) for size in (n - 1, n)
        ]
        assert powers == [0.0, 1.0]
        assert fm.comparison.sample_size_paired_accuracy(**certain, test=test).n == n


@pytest.mark.parametrize("auc", [0.55, 0.8, 0.97])
def test_variance_of_an_auc_by_integration(auc):
    # Q1: two positives above one negative, for normal scores a distance apart.
    distance = math.sqrt(2) * stats.norm.ppf(auc)
    q, _ = integrate.quad(
        lambda y: stats.norm.pdf(y) * stats.norm.cdf(distance - y) ** 2, -12, 12, epsabs=1e-13
    )
    for n_pos, n_neg in [(1, 1), (40, 90)]:
        variance = (auc * (1 - auc) + (n_pos + n_neg - 2) * (q - auc**2)) / (n_pos * n_neg)
        # Uncorrelated models of nearly the same AUC: the error of the difference is sqrt(2 V).
        power = fm.comparison.power_paired_auc(
            n_pos, n_neg, auc_a=auc, auc_b=auc - 1e-7, correlation=0, alternative="one-sided"
        )
        z = stats.norm.isf(0.05)
        expected = stats.norm.cdf(1e-7 / math.sqrt(2 * variance) - z)
        assert power == pytest.approx(expected, rel=1e-7)


def test_hanley_mcneil_1982():
    # Their table: AUC .7, 40 and 40 examples, standard error .0583 (exponential scores).
    a = 0.7
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    error = math.sqrt((a * (1 - a) + 39 * (q1 - a * a) + 39 * (q2 - a * a)) / 1600)
    assert error == pytest.approx(0.0583, abs=5e-4)
    power = fm.comparison.power_paired_auc(
        40, 40, auc_a=a, auc_b=a + 1e-9, correlation=0.5, variance="hanley-mcneil"
    )
    assert power == pytest.approx(0.025, abs=1e-6)


@given(
    auc_a=st.sampled_from([0.6, 0.75, 0.9]),
    auc_b=st.sampled_from([0.65, 0.8, 0.95]),
    correlation=st.sampled_from([0.0, 0.5, 0.8]),
    ratio=st.sampled_from([0.3, 1.0, 10.0]),
    variance=st.sampled_from(["binormal", "hanley-mcneil"]),
)
def test_sizes_of_auc_are_the_smallest(auc_a, auc_b, correlation, ratio, variance):
    options = {"auc_a": auc_a, "auc_b": auc_b, "correlation": correlation, "variance": variance}
    size = fm.comparison.sample_size_paired_auc(ratio=ratio, **options)
    assert size.n_negative == math.ceil(ratio * size.n_positive)
    assert size.n == size.n_positive + size.n_negative
    assert (
        fm.comparison.power_paired_auc(size.n_positive, size.n_negative, **options)
        == size.power
        >= 0.8
    )
    fewer = size.n_positive - 1
    if fewer:
        assert fm.comparison.power_paired_auc(fewer, math.ceil(ratio * fewer), **options) < 0.8


def test_correlation_saves_examples():
    sizes = [
        fm.comparison.sample_size_paired_auc(auc_a=0.8, auc_b=0.85, correlation=r).n
        for r in (0, 0.4, 0.8)
    ]
    assert sizes == sorted(sizes, reverse=True)


def test_a_difference_that_no_number_of_rows_shows():
    with pytest.raises(ValueError, match="the difference is too small"):
        fm.comparison.sample_size_paired_accuracy(
            accuracy_a=0.8, accuracy_b=0.8 + 1e-9, discordance=0.1
        )


ACCURACIES = {"accuracy_a": 0.9, "accuracy_b": 0.8}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, TypeError, "pass either `discordance` or `correlation`: got neither"),
        ({"discordance": 0.2, "correlation": 0.1}, TypeError, "got both"),
        ({"discordance": 0.05}, ValueError, "leave a discordance of 0.1 to 0.3"),
        ({"discordance": 0.4}, ValueError, "`discordance` of 0.4 cannot be"),
        ({"correlation": 0.9}, ValueError, "`correlation` of 0.9 cannot be"),
        ({"discordance": 0.2, "confidence_level": 0}, ValueError, "`confidence_level` must lie"),
        ({"discordance": 0.2, "method": "exact"}, ValueError, "`method` must be one of"),
        ({"discordance": 0.2, "alternative": "less"}, ValueError, "`alternative` must be one"),
        ({"discordance": 0.2, "accuracy_a": 1.1}, ValueError, "`accuracy_a` must lie in"),
    ],
)
def test_faults_of_accuracy(options, error, message):
    with pytest.raises(error, match=message):
        fm.comparison.power_paired_accuracy(100, **{**ACCURACIES, **options})
    with pytest.raises(error, match=message):
        fm.comparison.sample_size_paired_accuracy(**{**ACCURACIES, **options})


def test_nothing_to_find():
    with pytest.raises(ValueError, match="must differ: there is nothing to find"):
        fm.comparison.sample_size_paired_accuracy(accuracy_a=0.8, accuracy_b=0.8, discordance=0.1)
    with pytest.raises(ValueError, match="must differ: there is nothing to find"):
        fm.comparison.sample_size_paired_auc(auc_a=0.8, auc_b=0.8, correlation=0.5)
    with pytest.raises(ValueError, match="`correlation` must lie in"):
        fm.comparison.power_paired_auc(5, 5, auc_a=0.8, auc_b=0.8, correlation=1)
    with pytest.raises(ValueError, match="`auc_a` must lie in"):
        fm.comparison.sample_size_paired_auc(auc_a=1, auc_b=0.8, correlation=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["connor", "miettinen"])
@pytest.mark.parametrize(("a", "b", "psi", "n"), [*DESIGNS, (0.85, 0.83, 0.1, 2000)])
def test_accuracy_by_simulation(a, b, psi, n, method):
    rng = np.random.default_rng(1)
    shares = [(psi + a - b) / 2, (psi - a + b) / 2, 1 - psi]
    only_a, only_b, _ = rng.multinomial(n, shares, 20_000).T
    with np.errstate(invalid="ignore"):
        z = (only_a - only_b) / np.sqrt(only_a + only_b)
    found = fm.comparison.power_paired_accuracy(
        n, accuracy_a=a, accuracy_b=b, discordance=psi, method=method, test="uncorrected"
    )
    assert found == pytest.approx(float((z >= Z).mean()), abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("auc_a", "auc_b", "shared", "n_pos", "n_neg"),
    [
        (0.80, 0.70, 0.5, 60, 90),
        (0.90, 0.85, 0.7, 100, 100),
        (0.75, 0.70, 0.8, 120, 240),
    ],
)
def test_auc_by_simulation(auc_a, auc_b, shared, n_pos, n_neg):
    """DeLong's test on correlated normal scores, its correlation from one large sample."""
    rng = np.random.default_rng(2)
    shift = math.sqrt(2) * stats.norm.ppf([auc_a, auc_b])

    def drawn(positives, negatives):
        y = np.repeat([1, 0], [positives, negatives])
        noise = rng.multivariate_normal([0, 0], [[1, shared], [shared, 1]], len(y))
        return y, dict(zip("ab", (noise + y[:, None] * shift).T, strict=True))

    large = fm.delong_test(*drawn(20_000, 20_000 * n_neg // n_pos)).covariance
    correlation = large[0, 1] / math.sqrt(large[0, 0] * large[1, 1])
    found = fm.comparison.power_paired_auc(
        n_pos, n_neg, auc_a=auc_a, auc_b=auc_b, correlation=correlation
    )
    hits = sum(fm.delong_test(*drawn(n_pos, n_neg)).pairs[0].statistic >= Z for _ in range(2000))
    assert found == pytest.approx(hits / 2000, abs=0.04)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fm.comparison.sample_size_paired_auc(**AUCS, ratio=1e308), "`ratio` must lie in"),
        (
            lambda: fm.comparison.power_paired_auc(10**400, 10, **AUCS),
            "`n_positive` must be at most",
        ),
        (
            lambda: fm.comparison.power_paired_auc(10, 10**400, **AUCS),
            "`n_negative` must be at most",
        ),
        (
            lambda: fm.comparison.power_paired_accuracy(
                10**400, accuracy_a=0.9, accuracy_b=0.8, discordance=0.2
            ),
            "`n` must be at most",
        ),
    ],
)
def test_more_examples_than_there_are(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_million_negatives_for_each_positive():
    size = fm.comparison.sample_size_paired_auc(**AUCS, ratio=10**6)
    assert size.n_negative == 10**6 * size.n_positive
