"""Slices and subgroups of rows."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fastmetrics as fm
from commands import captured, error_of

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


N = 900


@pytest.fixture
def data():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, N)
    country = rng.choice(["NO", "SE", "DK", "FI"], N)
    score = y + rng.normal(size=N)
    score[country == "FI"] = rng.normal(size=(country == "FI").sum())
    return y, score, country


def test_a_slice_is_the_estimate_of_its_rows_at_a_level_for_all(data) -> None:
    y, score, country = data
    table = fm.evaluate(y, score, slices={"country": country}).slices
    assert table.n_slices == len(table) == 4
    for row in table:
        here = country == row.slice.removeprefix("country=")
        own = fm.estimate(
            y[here], score[here], metrics="roc_auc", confidence_level=0.95 ** (1 / 4)
        )["roc_auc"]
        assert row.estimate == own.estimate
        assert row.confidence_interval == pytest.approx(own.confidence_interval, rel=1e-12)
        rest = fm.estimate(y[~here], score[~here], metrics="roc_auc")["roc_auc"]
        assert row.gap == own.estimate - rest.estimate
        error = np.hypot(own.standard_error, rest.standard_error)
        assert row.gap_standard_error == pytest.approx(error, rel=1e-12)
        t = stats.t.sf(abs(row.gap / error), row.gap_df)
        assert row.gap_pvalue == pytest.approx(2 * t, rel=1e-9)
    assert table.worst().slice == "country=FI"
    assert [row.slice for row in table.flagged()] == ["country=FI"]
    assert table["country=FI"] == table.worst()
    assert table.flagged(margin=0.9) == ()


def test_the_auc_of_other_rows_of_a_perfect_score_has_no_spread(data) -> None:
    y, _, country = data
    row = fm.evaluate(y, y + 0.0, slices={"country": country}).slices.rows[0]
    assert (row.gap, row.gap_standard_error) == (0.0, 0.0)


def test_between_two_slices_is_the_difference_of_their_estimates(data) -> None:
    y, score, country = data
    slices = {"country": country, "half": np.arange(N) % 2}
    options = {"task": "values", "metrics": ["mean_squared_error", "root_mean_squared_error"]}
    table = fm.evaluate(1.0 * y, score, slices=slices, intersections=2, **options).slices
    for one, other in (("FI", "NO"), ("DK", "SE")):
        parts = [(y - score)[country == each] ** 2 for each in (one, other)]
        welch = stats.ttest_ind(*parts, equal_var=False)
        gap = table.between(f"country={one}", f"country={other}")
        assert gap.estimate == pytest.approx(parts[0].mean() - parts[1].mean())
        assert gap.estimate / gap.standard_error == pytest.approx(welch.statistic)
        assert gap.pvalue == pytest.approx(2 * stats.t.sf(abs(welch.statistic), gap.df))
        low, high = gap.confidence_interval
        assert low < gap.estimate < high
        wider = table.between(f"country={one}", f"country={other}", confidence_level=0.99)
        assert wider.confidence_interval.low < low
    crossed = table.between("country=FI & half=0", "half=1", metric="root_mean_squared_error")
    own = [table.between(f"country=FI & half={k}", f"half={1 - k}").estimate for k in (0, 1)]
    assert crossed.metric == "root_mean_squared_error"
    assert own[0] != own[1]
    with pytest.raises(fm.InputError, match="'country=FI' and 'half=0' may have rows in common"):
        table.between("country=FI", "half=0")
    with pytest.raises(fm.InputError, match="may have rows in common"):
        table.between("country=FI", "country=FI")


def test_between_slices_that_share_groups_nothing_is_said(data) -> None:
    y, score, country = data
    users = np.arange(N) // 3
    slices = {"country": country, "team": users % 4}
    table = fm.evaluate(y, score, slices=slices, groups=users).slices
    assert table.shared == ("country",)
    assert table.between("team=0", "team=1").standard_error > 0
    with pytest.raises(fm.InputError, match="'country=FI' and 'country=NO' share groups"):
        table.between("country=FI", "country=NO")


def test_slices_of_the_same_rows_are_counted_once(data) -> None:
    y, score, country = data
    city = np.where(country == "NO", "Oslo", np.where(country == "FI", "Turku", "other"))
    table = fm.evaluate(y, score, slices={"country": country, "city": city}, intersections=2).slices
    assert table.same["city=Oslo"] == table.same["country=NO & city=Oslo"] == "country=NO"
    assert table.same["country=DK & city=other"] == "country=DK"
    assert table.n_slices == len(table) == 4 + 1
    assert table["city=Oslo"] == table["country=NO"]
    assert "The same rows, counted once: city=Oslo is country=NO" in table.explain()


def test_flags_are_benjamini_and_hochberg_s(data) -> None:
    y, score, _ = data
    part = np.arange(N) % 20
    score = score - 0.5 * y * (part < 4)
    table = fm.evaluate(y, score, slices={"part": part}).slices
    adjusted = stats.false_discovery_control([row.pvalue_worse() for row in table])
    expected = {row.slice for row, p in zip(table, adjusted, strict=True) if p <= 0.05}
    assert {row.slice for row in table.flagged()} == expected


def test_directions_and_several_models(data) -> None:
    y, score, country = data
    p = 1 / (1 + np.exp(-score))
    options = {"metrics": ["brier_score", "f1"], "threshold": 0.5}
    table = fm.evaluate(y, {"a": p, "b": p**1.5}, slices={"country": country}, **options).slices
    assert len(table) == 2 * 2 * 4
    own = [each.estimate for each in table if (each.metric, each.model) == ("brier_score", "b")]
    assert table.worst("brier_score", "b").estimate == max(own)
    with pytest.raises(KeyError, match="metrics and models"):
        table.worst("recall")


def test_weights_and_zero_weights(data) -> None:
    y, score, country = data
    weight = np.arange(N) % 3
    rows = {"slices": {"country": country}, "sample_weight": weight}
    table = fm.evaluate(y, score, **rows, weights_are="frequencies").slices
    rows = np.repeat(np.arange(N), weight)
    again = fm.evaluate(y[rows], score[rows], slices={"country": country[rows]}).slices
    for one, other in zip(table, again, strict=True):
        for name in ("estimate", "standard_error", "gap_standard_error"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9)


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
def test_the_error_of_a_gap_between_parts_of_the_same_groups_is_the_jackknife_s(
    data, metric
) -> None:
    y, score, _ = data
    groups = np.arange(N) // 6
    part = np.arange(N) % 2
    options = {"metrics": [metric], "threshold": None if metric == "roc_auc" else 0.5}
    row = fm.evaluate(y, score, slices={"part": part}, groups=groups, **options).slices["part=1"]

    def gap(kept: np.ndarray) -> float:
        values = []
        for which in (1, 0):
            at = kept & (part == which)
            own = options | {"metrics": metric}
            values.append(fm.estimate(y[at], score[at], **own)[metric].estimate)
        return values[0] - values[1]

    m = groups.max() + 1
    left_out = np.array([gap(groups != g) for g in range(m)])
    jackknife = np.sqrt((m - 1) / m * np.sum((left_out - left_out.mean()) ** 2))
    assert row.gap_standard_error == pytest.approx(jackknife, rel=0.03)


@pytest.mark.parametrize(("metric", "few", "off"), [("roc_auc", 12, 0.1), ("accuracy", 6, 0.05)])
def test_the_error_of_a_gap_with_groups_nested_in_slices_is_the_cluster_bootstrap_s(
    data, metric, few, off
) -> None:
    y, score, _ = data
    groups = np.arange(N) // 25
    rng = np.random.default_rng(5)
    score = score + rng.normal(size=groups.max() + 1)[groups]
    part = np.where(groups < few, "few", "many")
    options = {"metrics": [metric], "threshold": None if metric == "roc_auc" else 0.5}
    row = fm.evaluate(y, score, slices={"part": part}, groups=groups, **options).slices["part=few"]

    def value(rows: np.ndarray) -> float:
        if metric == "accuracy":
            return float(np.mean((score[rows] >= 0.5) == y[rows]))
        ranks = stats.rankdata(score[rows])
        m = y[rows].sum()
        return (ranks[y[rows] == 1].sum() - m * (m + 1) / 2) / (m * (len(rows) - m))

    variance = 0.0
    for which in ("few", "many"):
        own = np.unique(groups[part == which])
        drawn = rng.choice(own, (4_000, len(own)))
        rows = (drawn[:, :, None] * 25 + np.arange(25)).reshape(len(drawn), -1)
        variance += np.var([value(each) for each in rows]) * len(own) / (len(own) - 1)
    assert row.gap_standard_error == pytest.approx(np.sqrt(variance), rel=off)
    options |= {"metrics": metric}
    errors = [
        fm.estimate(y[at], score[at], groups=groups[at], **options)[metric].standard_error
        for at in (part == "few", part == "many")
    ]
    assert row.gap_standard_error == pytest.approx(np.hypot(*errors), rel=1e-12)


def test_intersections_and_small_slices(data) -> None:
    y, score, country = data
    slices = {"country": country, "half": np.arange(N) % 2}
    both = fm.evaluate(y, score, slices=slices, intersections=2, min_n=100)
    names = {row.slice for row in both.slices}
    assert {"country=NO", "half=0", "country=NO & half=1"} <= names
    assert len(names) == both.slices.n_slices
    few = np.where(np.arange(N) < 20, "few", "many")
    table = fm.evaluate(y, score, slices={"size": few}).slices
    assert table.left_out == ("size=few",)
    assert "Left out, as they have too few rows: size=few." in str(table)
    with pytest.raises(fm.InputError, match="no slice has 1000 rows"):
        fm.evaluate(y, score, slices={"country": country}, min_n=1_000)


def test_a_slice_of_one_class_is_undefined_and_said(data) -> None:
    y, score, _ = data
    table = fm.evaluate(y, score, slices={"label": y}).slices
    assert all(np.isnan(row.estimate) and row.note for row in table)
    with pytest.raises(fm.InputError, match="no worst slice"):
        table.worst()


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"slices": {}}, "`slices` must be a mapping"),
        ({"metrics": "break_even_point"}, "`n_resamples`"),
        ({"n_resamples": 99}, "`slices`"),
    ],
)
def test_what_makes_no_slices_raises(data, changed, match: str) -> None:
    y, score, country = data
    with pytest.raises(fm.InputError, match=match):
        fm.evaluate(y, score, **({"slices": {"country": country}} | changed))


def test_other_tasks(data) -> None:
    y, score, country = data
    values = fm.evaluate(score, score + 0.3 * y, slices={"country": country})
    assert values.slices.rows[0].metric == "root_mean_squared_error"
    texts = np.where(y, "yes", "no")
    labels = fm.evaluate(texts, texts[::-1], slices={"country": country})
    assert labels.slices.rows[0].metric == "accuracy"
    assert "Slices" in str(labels)
    assert "slices" in labels.to_dict()


def test_on_the_command_line(data, tmp_path, monkeypatch, capsys) -> None:
    y, score, country = data
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"y": y, "s": score, "country": country, "half": np.arange(N) % 2})
    frame.to_csv("x.csv", index=False)
    command = ("evaluate", "x.csv", "--label", "y", "--score", "s", "--slice", "country")
    both = "--slice half --intersections 2 --format json".split()
    assert json.loads(captured(capsys, *command, *both).out)["slices"]["n_slices"] == 4 + 2 + 8
    error = error_of(capsys, *command, *both, "--memory", "1GB")
    assert "--slice with --weight or --intersections needs all rows in memory" in error
    out = captured(capsys, *command).out
    assert captured(capsys, *command, "--memory", "1GB").out == out
    assert "s is worse in country=FI than in other rows: roc_auc differs by" in out


def test_shares_have_exact_limits_far_out_in_the_tails(data) -> None:
    """Wilson's at the level of one of 200 slices cover the worst one in 85 % (shares of 0.9)."""
    y, score, country = data
    options = {"metrics": ["accuracy"], "threshold": 0.5}
    for row in fm.evaluate(y, score, slices={"country": country}, **options).slices:
        here = country == row.slice.removeprefix("country=")
        hits = int(((score[here] >= 0.5) == y[here]).sum())
        level = {"confidence_level": 0.95**0.25, "method": "clopper-pearson"}
        exact = fm.comparison.proportion_interval(hits, int(here.sum()), **level)
        assert [*row.confidence_interval] == pytest.approx([*exact.confidence_interval])


def test_matrices_of_classes_that_a_slice_may_lack(data) -> None:
    """A slice of a matrix is the estimate of its rows; decisions are the most probable class."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, N)
    P = rng.dirichlet(np.ones(3), N)
    part = np.where(y == 2, "two", rng.choice(["a", "b"], N))
    options = {"metrics": ["accuracy", "log_loss"], "slices": {"part": part}}
    for more in ({}, {"groups": np.arange(N) // 3}, {"sample_weight": rng.integers(1, 3, N)}):
        table = fm.evaluate(y, {"m": P}, **options, **more).slices
        weight = more.get("sample_weight", np.ones(N))
        for row in table:
            here = part == row.slice.removeprefix("part=")
            right = P.argmax(axis=1) == y
            if row.metric == "log_loss":
                right = -np.log(P[np.arange(N), y])
            expected = [np.average(right[at], weights=weight[at]) for at in (here, ~here)]
            assert row.estimate == pytest.approx(expected[0], rel=1e-12)
            assert row.gap == pytest.approx(expected[0] - expected[1], rel=1e-9)


@pytest.mark.parametrize("groups", [None, np.arange(N) // 30])
def test_rankings_in_slices(data, groups) -> None:
    y, score, _ = data
    query = np.arange(N) // 10
    half = query % 2
    for row in fm.evaluate(y, score, query=query, groups=groups, slices={"half": half}).slices:
        here = half == int(row.slice[-1])
        mine = None if groups is None else groups[here]
        one = fm.evaluate(y[here], score[here], query=query[here], groups=mine)
        right = one["score"][row.metric]
        assert row.estimate == pytest.approx(right.estimate)
        assert row.standard_error == pytest.approx(right.standard_error)
        assert np.isnan(row.gap) == (groups is not None)


def test_the_worst_slices_are_printed_and_the_rest_is_counted() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(3_000) < 0.4
    scores = {name: y + rng.normal(size=3_000) for name in "ab"}
    cut = {"slices": {"site": np.arange(3_000) % 15}, "min_n": 9}
    for models, n_printed in ((scores["a"], 10), (scores, 20)):
        slices = fm.evaluate(y, models, **cut).slices
        printed = str(slices).splitlines()
        assert sum(line.startswith("site=") for line in printed) == n_printed
        n_rows = 15 * (1 if models is not scores else 2)
        assert f"… {n_rows - n_printed} rows more: `to_frame()` has all." in printed
