"""`find_slices` finds what was planted, as a search through all slices would, and little else."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from statistics import mean, variance

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fastmetrics as fm

N = 1_200


def columns(rng: np.random.Generator, n: int = N) -> dict[str, np.ndarray]:
    return {
        "country": rng.choice(["DK", "FI", "NO"], n),
        "age": rng.normal(40, 12, n),
        "visits": rng.integers(0, 4, n),
    }


def test_a_planted_slice_is_found_and_confirmed() -> None:
    rng = np.random.default_rng(3)
    X = columns(rng)
    planted = (X["country"] == "FI") & (X["visits"] == 2)
    loss = rng.exponential(size=N) + 2.0 * planted
    found = fm.find_slices(X, loss, rng=5)
    best = found.confirmed[0]
    assert best.slice == "country=FI & visits=2"
    assert best.conditions == (("country", "=", "FI"), ("visits", "=", 2))
    assert (best.contains(X) == planted).all()
    assert best.n_search + best.n_confirm == planted.sum()
    assert best.estimate > best.confidence_interval.low > 0.0
    assert "where country=FI & visits=2, by " in found.verdict
    assert "excess loss" in str(found)
    assert found == fm.find_slices(pd.DataFrame(X), pd.Series(loss), rng=found.key)


def brute(X: dict, loss: list, held: list, min_n: int) -> dict[str, tuple[float, ...]]:
    """Return size, excess loss and its variance of every slice, by loops over rows."""
    rows = range(len(loss))
    asked = {}
    for name, column in ((k, v.tolist()) for k, v in X.items()):
        values = sorted(set(column))
        if isinstance(values[0], str) or len(values) <= 10:
            asked |= {f"{name}={v}": [x == v for x in column] for v in values}
        else:
            own = sorted(column[i] for i in rows if not held[i])
            cuts = {own[-(-len(own) * k // 4) - 1] for k in (1, 2, 3)}
            for cut in sorted(cuts):
                asked[f"{name}<={cut:.6g}"] = [x <= cut for x in column]
                asked[f"{name}>{cut:.6g}"] = [x > cut for x in column]
    slices = dict(asked)
    for one, other in combinations(asked, 2):
        both = [a and b for a, b in zip(asked[one], asked[other], strict=True)]
        if both not in (asked[one], asked[other]):
            slices[f"{one} & {other}"] = both
    found = {}
    for name, inside in slices.items():
        sizes = Counter(zip(inside, held, strict=True))
        if min(sizes[each] for each in product((True, False), repeat=2)) < min_n:
            continue
        parts = [[loss[i] for i in rows if inside[i] is w and not held[i]] for w in (True, False)]
        gap = mean(parts[0]) - mean(parts[1])
        found[name] = gap, sum(variance(p) / len(p) for p in parts), sum(inside)
    true = mean(max(0.0, gap**2 - v) for gap, v, _ in found.values())
    return {k: (gap * true / (true + v), gap, n) for k, (gap, v, n) in found.items()}


@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_a_search_through_all_slices_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 160
    X = columns(rng, n)
    loss = rng.normal(size=n) + (X["age"] > 45) * (X["country"] == "NO")
    found = fm.find_slices(X, loss, min_n=8, n_slices=30, rng=seed)
    held = np.zeros(n, bool)
    generator = np.random.default_rng(fm._input.scalars.seed_key(found.key))
    held[generator.permutation(n)[: n // 2]] = True
    wanted = brute(X, loss.tolist(), held.tolist(), 8)
    assert found.n_candidates == len(wanted)
    assert len(found) > 5
    shrunken = [wanted[row.slice][0] for row in found]
    assert shrunken == sorted(shrunken, reverse=True)
    assert shrunken[0] == max(value for value, _, _ in wanted.values())
    for row in found:
        assert row.estimate_of_search == pytest.approx(wanted[row.slice][1])
        assert row.n_search + row.n_confirm == wanted[row.slice][2]
        inside = row.contains(X)
        welch = stats.ttest_ind(
            loss[inside & held], loss[~inside & held], equal_var=False, alternative="greater"
        )
        assert row.pvalue == pytest.approx(welch.pvalue, rel=1e-9)
        low = welch.confidence_interval(0.95).low
        assert row.confidence_interval.low == pytest.approx(low, rel=1e-9)
    m = len(found)
    ordered = sorted(found, key=lambda row: row.pvalue)
    for k, row in enumerate(ordered):
        wanted_p = max(min(1.0, (m - j) * ordered[j].pvalue) for j in range(k + 1))
        assert row.pvalue_holm == pytest.approx(wanted_p)
        assert row.is_confirmed == (wanted_p <= 0.05)


def test_numbers_that_are_missing_meet_no_condition() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=N)
    is_missing = np.arange(N) % 5 == 0
    loss = rng.exponential(size=N) + (x > 0.7) + 3.0 * is_missing
    X = {"x": np.where(is_missing, np.nan, x), "none": np.full(N, np.nan)}
    found = fm.find_slices(X, loss, max_conditions=1, rng=3)
    assert found.n_candidates == 6
    known = fm.find_slices({"x": X["x"]}, loss - 3.0 * is_missing, max_conditions=1, rng=3)
    best = known.confirmed[0]
    _, sign, cut = best.conditions[0]
    held = np.zeros(N, np.bool_)
    generator = np.random.default_rng(fm._input.scalars.seed_key(known.key))
    held[generator.permutation(N)[: N // 2]] = True
    searched = x[~is_missing & ~held]
    assert (sign, cut) == (">", np.quantile(searched, 0.75, method="inverted_cdf"))
    assert best.n_search + best.n_confirm == np.count_nonzero(x[~is_missing] > cut)
    assert not best.contains(X)[is_missing].any()


def test_groups_are_held_back_whole_and_counted() -> None:
    rng = np.random.default_rng(1)
    users = rng.integers(0, 150, N)
    X = {"plan": np.where(users % 3 == 0, "free", "paid"), "x": rng.normal(size=N)}
    loss = rng.normal(size=N) + rng.normal(size=150)[users] + 1.5 * (users % 3 == 0)
    found = fm.find_slices(X, loss, groups=users, rng=2)
    assert found.n_groups < 150
    assert found.n_searched + found.n_held_back == N
    best = found.confirmed[0]
    assert best.slice == "plan=free"
    alone = fm.find_slices(X, loss, rng=2)
    assert best.standard_error > 1.5 * next(
        row.standard_error for row in alone if row.slice == "plan=free"
    )


def test_the_search_is_by_groups() -> None:
    """What few groups make look bad is ranked by how groups vary, as the test will judge it."""
    rng = np.random.default_rng(6)
    users = np.repeat(np.arange(120), 10)
    own = rng.normal(size=120)
    plan, city = rng.choice(["a", "b"], 120), rng.choice(["u", "v", "w"], 120)
    X = {"plan": plan[users], "city": city[users], "x": rng.choice(["p", "q"], 1_200)}
    loss = own[users] + 0.5 * rng.normal(size=1_200) + 0.8 * (X["x"] == "p")
    found = fm.find_slices(X, loss, groups=users, n_slices=30, min_n=20, rng=3)
    generator = np.random.default_rng(fm._input.scalars.seed_key(found.key))
    order = generator.permutation(120)  # as many rows of each group
    held = np.isin(users, order[np.arange(120) * 10 + 5 <= 600])
    assert found.n_held_back == held.sum() == 600
    values = {}
    parts = [(name, value) for name, column in X.items() for value in np.unique(column)]
    for first, second in product(parts, parts):
        inside = (X[first[0]] == first[1]) & (X[second[0]] == second[1])
        sizes = [np.count_nonzero(i & h) for i in (inside, ~inside) for h in (held, ~held)]
        if first > second or (first[0] == second[0] and first != second) or min(sizes) < 20:
            continue
        s = ~held
        gap = loss[inside & s].mean() - loss[~inside & s].mean()
        c = []
        for user in np.unique(users[s]):
            here = s & (users == user)
            c.append(
                (loss[here & inside] - loss[inside & s].mean()).sum() / (inside & s).sum()
                - (loss[here & ~inside] - loss[~inside & s].mean()).sum() / (~inside & s).sum()
            )
        variance_of = np.sum(np.square(c)) * len(c) / (len(c) - 1)
        values[frozenset([first, second])] = gap, variance_of
    assert found.n_candidates == len(values)
    true = mean(max(0.0, gap**2 - v) for gap, v in values.values())
    shrunken = {k: gap * true / (true + v) for k, (gap, v) in values.items()}
    ranked = [frozenset((c, v) for c, _, v in row.conditions) for row in found]
    assert ranked[0] == max(shrunken, key=shrunken.__getitem__)
    assert [shrunken[k] for k in ranked] == sorted((shrunken[k] for k in ranked), reverse=True)
    assert "x=p" in [row.slice for row in found.confirmed]  # which varies within users


def test_a_slice_of_one_group_cannot_be_confirmed() -> None:
    rng = np.random.default_rng(9)
    users = np.repeat(np.arange(40), 40)
    X = {"of": np.where(users == 7, "one", "others"), "half": rng.choice(["a", "b"], 1_600)}
    loss = rng.normal(size=1_600) + 3.0 * (users == 7)
    found = fm.find_slices(X, loss, groups=users, rng=1)
    assert not any("of=one" in row.slice for row in found)
    lone = fm.find_slices({"of": X["of"]}, loss, groups=users, rng=1)
    assert (len(lone), lone.n_candidates) == (0, 0)


@pytest.mark.parametrize("few", [2, 4])
def test_a_slice_of_few_groups_is_confirmed_by_chance_seldom(few: int) -> None:
    rng = np.random.default_rng(few)
    users = np.repeat(np.arange(80), 5)
    confirmed = 0
    for seed in range(200):
        X = {"of": np.where(users % 40 < few, "few", "others")}
        loss = rng.normal(size=80)[users] + 0.2 * rng.normal(size=400)
        found = fm.find_slices(X, loss, groups=users, min_n=5, rng=seed)
        confirmed += bool(found.confirmed)
    assert confirmed <= stats.binom.ppf(0.999, 200, 0.05)


def test_repeated_columns_are_one_finding_and_single_conditions_stay_alone() -> None:
    rng = np.random.default_rng(2)
    half = rng.integers(0, 2, N)
    found = fm.find_slices({"a": half, "b": half}, rng.normal(size=N) + half, rng=1)
    assert [row.slice for row in found] == ["a=1"]
    single = fm.find_slices(columns(rng), rng.normal(size=N), max_conditions=1, rng=1)
    assert all(len(row.conditions) == 1 for row in single)


def test_nothing_to_find() -> None:
    found = fm.find_slices({"a": np.arange(N) % 2}, np.ones(N), rng=1)
    assert (found.rows, found.confirmed, found.n_candidates) == ((), (), 2)
    assert found.verdict.startswith("No slice looks worse than the other rows, of 2 slices")
    assert "nothing" in str(found)
    whole = fm.find_slices({"a": np.zeros(N, int)}, np.ones(N), rng=1)
    assert whole.n_candidates == 0


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"X": {}}, "`X` must have a column"),
        ({"X": np.ones((N, 2))}, "`X` must be a mapping"),
        ({"X": {"a": [1, 2]}}, "different lengths|X\\['a'\\]"),
        ({"loss": np.full(N, np.nan)}, "`loss`"),
        ({"confirm": 1.0}, "`confirm`"),
        ({"max_conditions": 3}, "`max_conditions`"),
        ({"min_n": 400}, "`min_n=400` needs 800 rows"),
        ({"groups": [1]}, "groups"),
    ],
)
def test_what_cannot_be_searched_raises(changed, match: str) -> None:
    given = {"X": {"a": np.arange(N) % 2}, "loss": np.arange(N) % 7} | changed
    with pytest.raises(fm.InputError, match=match):
        fm.find_slices(given.pop("X"), given.pop("loss"), **given)


@pytest.mark.slow
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", ["exponential", "errors"])
def test_without_an_effect_little_is_confirmed(kind: str, grouped: bool) -> None:
    """At most alpha of data sets, whatever the search made of them."""
    rng, sets, n = np.random.default_rng(7), 400, 600
    hits = 0
    for seed in range(sets):
        loss = rng.exponential(size=n) if kind == "exponential" else rng.random(n) < 0.15
        groups = np.arange(n) // 4 if grouped else None
        if grouped:
            loss = loss + np.repeat(rng.exponential(size=n // 4), 4)
        found = fm.find_slices(columns(rng, n), loss * 1.0, min_n=20, groups=groups, rng=seed)
        hits += bool(found.confirmed)
    assert hits / sets < 0.05 + 2 * np.sqrt(0.05 * 0.95 / sets)
