"""A gate decides what its margins and intervals allow, and nothing else."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm

N = 2_000
#: Where equal models would rarely pass, a gate warns.
pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, N)
    return y, 1 / (1 + np.exp(1 - 2 * y + rng.normal(size=N)))


def gate(y: np.ndarray, old: np.ndarray, new: np.ndarray, /, **options: Any) -> fm.results.Gate:
    return fm.gate(y, {"baseline": old, "candidate": new}, **options)


def noisy(p: np.ndarray, size: float, seed: int = 1) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=len(p))
    return 1 / (1 + np.exp(-(np.log(p / (1 - p)) + size * noise)))


def test_a_rule_is_a_paired_t_test_against_the_margin(data) -> None:
    """Compare a mean over rows by its definition, with SciPy's t."""
    y, p = data
    worse = noisy(p, 0.3)
    outcome = gate(y, p, worse, margins={"brier_score": 0.01})
    (rule,) = outcome.rules
    losses = (worse - y) ** 2 - (p - y) ** 2
    assert rule.estimate == pytest.approx(losses.mean(), rel=1e-9)
    assert rule.loss == rule.estimate
    ni = stats.ttest_1samp(losses, 0.01, alternative="less").pvalue
    assert rule.pvalue_noninferior == pytest.approx(ni, rel=1e-6)
    assert rule.pvalue_worse == pytest.approx(1 - ni, rel=1e-6)
    low, high = stats.t.interval(0.9, N - 1, losses.mean(), stats.sem(losses))
    assert [*rule.confidence_interval] == pytest.approx([low, high], rel=1e-6)
    assert rule.decision == outcome.verdict == "PASS"
    assert outcome.exit_status == 0
    error = stats.sem(losses)
    power = stats.t.cdf(stats.t.ppf(0.05, N - 1) + 0.01 / error, N - 1)
    assert rule.chance_of_pass == pytest.approx(power, rel=1e-6)
    needed = N * ((stats.norm.ppf(0.95) + stats.norm.ppf(0.8)) * error / 0.01) ** 2
    assert rule.n_needed == math.ceil(needed)


@pytest.mark.parametrize(
    ("size", "margin", "verdict"),
    [(0.05, 0.01, "PASS"), (3.0, 0.01, "FAIL"), (0.3, 0.0085, "INCONCLUSIVE")],
)
def test_verdicts(data, size: float, margin: float, verdict: str) -> None:
    y, p = data
    scores = {"old": p, "new": noisy(p, size)}
    outcome = fm.gate(y, scores, margins={"roc_auc": margin}, candidate="new", baseline="old")
    assert outcome.verdict == verdict
    assert outcome.exit_status == {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}[verdict]
    assert outcome.explanation.startswith(f"{verdict}: ")
    low, high = outcome["roc_auc"].loss_limits
    assert {"PASS": high < margin, "FAIL": low > margin}.get(verdict, low < margin < high)


def test_a_rule_of_one_class_is_not_defined_and_says_so() -> None:
    outcome = gate(np.ones(N, int), np.arange(N), -np.arange(N), margins={"roc_auc": 0.02})
    assert outcome["roc_auc"].note == "not defined on these rows"
    assert outcome.explanation.endswith("roc_auc: not defined.")


def test_a_shown_loss_within_the_margin_passes_and_is_named(data) -> None:
    y, p = data
    outcome = gate(y, p, noisy(p, 0.3), margins={"roc_auc": 0.02})
    assert outcome.verdict == "PASS"
    assert outcome["roc_auc"].loss_limits.low > 0
    assert "within the margin of 0.02" in outcome.explanation


@pytest.mark.parametrize(
    ("shift", "margin", "n", "end"),
    [
        (-0.05, 0.02, 4_000, "; a loss of 0.02 is ruled out."),
        (-0.05, 0.0, 4_000, ", significant."),
        (-0.01, 0.02, 40, "; a loss of 0.02 is not ruled out."),
        (-0.01, 0.0, 40, ", not significant."),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_gain_is_said_with_the_loss_that_is_ruled_out(shift, margin, n, end) -> None:
    moved = np.random.default_rng(0).normal(size=n)
    errors = 1.0 + shift + 0.3 * (moved - moved.mean())
    outcome = gate(np.zeros(n), np.ones(n), np.abs(errors), margins={"mean_absolute_error": margin})
    (rule,) = outcome.rules
    assert rule.loss < 0.0
    assert rule.decision == ("PASS" if n > 1_000 else "INCONCLUSIVE")
    line = outcome.explanation.split("\n")[1]
    assert line.startswith("mean_absolute_error: a gain of 0.0")
    assert line.endswith(end)


def test_directions_are_the_registry_s(data) -> None:
    y, p = data
    outcome = gate(y, p, 0.5 * p + 0.5 * y, margins={"log_loss": 0.0, "roc_auc": 0.0})
    assert [rule.decision for rule in outcome] == ["PASS", "PASS"]
    assert outcome["log_loss"].estimate < 0 < outcome["roc_auc"].estimate
    with pytest.raises(fm.InputError, match="no better direction"):
        gate(y, p, p, margins={"calibration_slope": 0.1})


def test_identical_models_pass_where_unseen_rows_cannot_matter(data) -> None:
    y, p = data
    outcome = gate(y, p, p.copy(), margins={"roc_auc": 0.01})
    assert outcome.verdict == "PASS"
    assert math.isnan(outcome["roc_auc"].pvalue_noninferior)
    few = gate(y[:50], p[:50], p[:50], margins={"roc_auc": 0.01})
    assert few.verdict == "INCONCLUSIVE"
    assert "cannot have seen" in few["roc_auc"].note


def test_slices_change_no_other_rule_and_are_adjusted_by_holm_for_their_number(data) -> None:
    y, p = data
    rows = (y, p, noisy(p, 0.6))
    slices = {"part": np.arange(N) % 8}
    alone = gate(*rows, margins={"roc_auc": 0.012})
    outcome = gate(*rows, margins={"roc_auc": 0.012}, slices=slices)
    assert outcome["roc_auc"].pvalue_worse == alone["roc_auc"].pvalue_worse
    adjusted = [rule.pvalue_worse_holm for rule in outcome]
    raw = np.array([rule.pvalue_worse for rule in outcome])
    order = np.argsort(raw)
    holm = np.minimum(1, np.maximum.accumulate((len(raw) - np.arange(len(raw))) * raw[order]))
    assert np.array(adjusted)[order] == pytest.approx(holm)
    assert outcome["roc_auc"].pvalue_noninferior == alone["roc_auc"].pvalue_noninferior


def test_a_slice_can_fail_the_gate_and_cannot_hold_it_up(data) -> None:
    y, p = data
    part = np.where(np.arange(N) < 300, "young", "old")
    bad = np.where(part == "young", noisy(p, 4.0), p + 0.001 * (1 - p))
    outcome = gate(y, p, bad, margins={"brier_score": 0.05}, slices={"age": part})
    assert outcome["brier_score"].decision != "FAIL"
    assert outcome["brier_score [age=young]"].decision == outcome.verdict == "FAIL"
    noise = noisy(p, 0.2)
    few = np.where(np.arange(N) < 40, "few", "many")
    options = {"margins": {"roc_auc": 0.01}, "slices": {"size": few}}
    outcome = gate(y, p, noise, **options)
    assert outcome["roc_auc [size=few]"].decision == "INCONCLUSIVE"
    assert outcome.verdict == "PASS"
    assert "Inconclusive (1): roc_auc [size=few]." in outcome.explanation
    strict = gate(y, p, noise, **options, require_slices=True)
    assert (strict.verdict, strict.rules) == ("INCONCLUSIVE", outcome.rules)
    assert "than baseline by more than the margin in roc_auc [size=few]." in strict.explanation
    tiny = np.where(np.arange(N) < 9, "tiny", "rest")
    outcome = gate(y, p, noise, margins={"roc_auc": 0.01}, slices={"size": tiny})
    assert "Fewer than 30 rows, left out: size=tiny." in outcome.notes


@pytest.mark.parametrize(("seed", "margin"), [(0, 0.0), (1, 0.002), (2, 0.02)])
def test_what_is_wholly_beyond_its_margin_fails_and_is_named_first(data, seed, margin) -> None:
    """However many rules and slices there are: no interval contradicts its decision."""
    y, p = data
    part = np.random.default_rng(seed).integers(0, 12, N)
    margins = {"roc_auc": margin, "brier_score": margin}
    outcome = gate(y, p, noisy(p, 0.6, seed), margins=margins, slices={"part": part})
    beyond = [rule.name for rule in outcome if rule.loss_limits.low > margin]
    assert [rule.name for rule in outcome if rule.decision == "FAIL"] == beyond
    assert (outcome.verdict == "FAIL") == bool(beyond)
    if beyond:
        head, *lines = outcome.explanation.split("\n")
        assert f"in {', '.join(beyond[:5])}" in head
        assert [line.partition(":")[0] for line in lines[: len(beyond)]] == beyond


def test_scores_by_class_in_slices_that_lack_a_class(data) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    p = rng.dirichlet(np.ones(3), N)
    part = np.where(y == 2, "two", rng.choice(["a", "b"], N))
    margins = {"log_loss": 0.1, "accuracy": 0.1}
    outcome = gate(y, p, p.copy(), margins=margins, slices={"part": part, "half": np.arange(N) % 2})
    assert {rule.slice for rule in outcome} == {"", "half=0", "half=1"}
    assert "Without a row of some class, left out: part=a, part=b, part=two." in outcome.notes


def test_a_slice_is_the_gate_of_its_rows(data) -> None:
    y, p = data
    part = np.arange(N) % 3
    groups = np.arange(N) // 4
    worse = noisy(p, 0.3)
    outcome = gate(y, p, worse, margins={"roc_auc": 0.01}, slices={"c": part}, groups=groups)
    at = part == 1
    alone = gate(y[at], p[at], worse[at], margins={"roc_auc": 0.01}, groups=groups[at])["roc_auc"]
    for name in ("estimate", "standard_error", "n_samples"):
        assert getattr(outcome["roc_auc [c=1]"], name) == getattr(alone, name)


def test_an_anchor_stops_small_losses_from_adding_up(data) -> None:
    y, p = data
    scores = {"v1": p, "v2": noisy(p, 0.4, 1)}
    scores["v3"] = noisy(scores["v2"], 0.35, 2)
    rules = {"margins": {"roc_auc": 0.02}, "candidate": "v3", "baseline": "v2"}
    assert fm.gate(y, scores, **rules).verdict == "PASS"
    outcome = fm.gate(y, scores, **rules, anchor="v1")
    assert outcome.verdict != "PASS"
    assert outcome["roc_auc against v1"].loss > outcome["roc_auc against v2"].loss


def test_repeats_of_an_item_are_no_items() -> None:
    """Twelve wins of four tasks: p of the sign test is 1/16 by tasks, and not 1/4096."""
    task = np.repeat(np.arange(4), 3)
    truth = np.ones(12, int)
    with pytest.warns(fm.SmallSampleWarning):
        outcome = gate(truth, truth, 1 - truth, margins={"accuracy": 0.1}, groups=task)
    assert outcome["accuracy"].n_samples == 4
    assert outcome.verdict == "INCONCLUSIVE"  # four tasks that all agree show no variance


def test_equal_models_would_rarely_pass_is_said_before(data) -> None:
    y, p = data
    with pytest.warns(fm.SmallSampleWarning, match=r"the rule of .* has a power of \d+ % if"):
        outcome = gate(y[:60], p[:60], noisy(p[:60], 0.5), margins={"roc_auc": 0.01})
    rule = outcome["roc_auc"]
    assert rule.chance_of_pass < 0.5
    assert rule.n_needed > 60


def test_assert_not_worse(data) -> None:
    y, p = data
    outcome = fm.assert_not_worse(
        y, {"baseline": p, "candidate": noisy(p, 0.05)}, margins={"roc_auc": 0.01}
    )
    assert outcome.verdict == "PASS"
    with pytest.raises(AssertionError, match="FAIL: candidate is worse than baseline"):
        fm.assert_not_worse(y, {"baseline": p, "candidate": 1 - p}, margins={"roc_auc": 0.01})


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"margins": {}}, "mapping of metrics"),
        ({"margins": {"roc_auc": -0.1}}, "at least 0"),
        ({"candidate": "new"}, "`candidate` names 'new'"),
        ({"anchor": "v0"}, "`anchor` names 'v0'"),
        ({"anchor": "baseline"}, "must differ"),
        ({"confidence_level": 0.5}, "above 0.5"),
        ({"confidence_level": 0.3}, "above 0.5"),
        ({"margins": {"break_even_point": 0.1}}, "no influences of rows"),
        ({"metrics": {"f": "f1"}}, "'f': the margins are 'roc_auc'"),
    ],
)
def test_what_cannot_be_decided_raises(data, changed, match: str) -> None:
    y, p = data
    options = {"margins": {"roc_auc": 0.01}} | changed
    with pytest.raises((fm.InputError, KeyError), match=match):
        gate(y, p, noisy(p, 0.1), **options)


def test_values_and_parameters(data) -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(size=500)
    scores = {"baseline": y + rng.normal(size=500), "candidate": y + 0.8 * rng.normal(size=500)}
    outcome = fm.gate(
        y,
        scores,
        margins={"root_mean_squared_error": 0.0, "pinball": 0.1},
        metrics={"pinball": ("mean_pinball_loss", {"alpha": 0.3})},
    )
    assert outcome.verdict == "PASS"
    expected = fm.compare(
        y, scores, metrics=("mean_pinball_loss", {"alpha": 0.3}), reference="baseline"
    )
    (one,) = expected.values()
    assert outcome["pinball"].estimate == one["candidate", "baseline"].estimate
