"""Times before and after: tests, files, and the published page."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import fastmetrics as fm

RNG = np.random.default_rng(15)
GROWTH = {"same": 0.0, "near": 0.04, "slow": 0.3, "fast": -0.3}
BEFORE = {name: np.exp(RNG.normal(0, 0.04, 12)) for name in GROWTH}
AFTER = {name: np.exp(RNG.normal(growth, 0.04, 12)) for name, growth in GROWTH.items()}


def runs(rounds):
    """Return runs of one round each."""
    return [
        dict(zip(rounds, ([t] for t in each), strict=True))
        for each in zip(*rounds.values(), strict=True)
    ]


def by_scipy(before, after, paired, side):
    """Return scipy's p-value that the ratio is the margin of 5 %, and its interval's limits."""
    x = np.log(after)
    y = np.log(before)
    shifted = x - math.log(1.05)
    if paired:
        actual, plain = (stats.ttest_rel(z, y, alternative=side) for z in (shifted, x))
    else:
        actual, plain = (
            stats.ttest_ind(z, y, equal_var=False, alternative=side) for z in (shifted, x)
        )
    return actual.pvalue, plain.confidence_interval(0.95)


@pytest.mark.parametrize("paired", [True, False])
def test_scipy_and_holm(paired):
    compared = fm.comparison.compare_timings(runs(BEFORE), runs(AFTER), paired=paired)
    above = {name: by_scipy(BEFORE[name], AFTER[name], paired, "greater") for name in GROWTH}
    below = {name: by_scipy(BEFORE[name], AFTER[name], paired, "less") for name in GROWTH}
    adjusted = dict(
        zip(
            GROWTH,
            fm.comparison.adjust_pvalues([p for p, _ in above.values()], method="holm"),
            strict=True,
        )
    )
    for row in compared:
        name = row.name
        assert row.pvalue_worse == pytest.approx(adjusted[name], rel=1e-9)
        assert row.pvalue_not_worse == pytest.approx(below[name][0], rel=1e-9)
        low, high = np.exp([above[name][1].low, below[name][1].high])
        assert row.confidence_interval.low == pytest.approx(low, rel=1e-9)
        assert row.confidence_interval.high == pytest.approx(high, rel=1e-9)
        # What is not worse has an interval that ends below the margin, and the other way round.
        assert (row.decision == "not worse") == (high < 1.05)
        if row.decision == "worse":
            assert low > 1.05
    assert {row.name: row.decision for row in compared} == {
        "same": "not worse",
        "near": "undecided",
        "slow": "worse",
        "fast": "not worse",
    }
    assert compared.decision == "worse"
    assert "1 worse" in repr(compared)


@pytest.mark.parametrize(
    ("names", "decision", "status"),
    [(["same", "fast"], "not worse", 0), (["same", "near"], "undecided", 3), (GROWTH, "worse", 1)],
)
def test_the_whole(names, decision, status):
    one, other = ({name: each[name] for name in names} for each in (BEFORE, AFTER))
    compared = fm.comparison.compare_timings(runs(one), runs(other), paired=True)
    assert (compared.decision, compared.exit_status) == (decision, status)
    alone = fm.comparison.compare_timings(one, other)
    assert (alone.decision, alone.exit_status) == ("undecided", 3)
    assert "nothing is decided" in str(alone)


def test_rounds_of_a_run_are_one_value():
    """The rounds of a run count as the mean of their logarithms, however many there are."""
    before = [{"a": np.exp(RNG.normal(k, 0.1, 5 + k))} for k in range(3)]
    after = [{"a": np.exp(RNG.normal(1, 0.1, 9))} for _ in range(4)]
    row = fm.comparison.compare_timings(before, after)["a"]
    x, y = ([np.log(run["a"]).mean() for run in side] for side in (before, after))
    shifted = np.array(y) - math.log(1.05)
    expected = stats.ttest_ind(shifted, x, equal_var=False, alternative="greater")
    assert row.pvalue_worse == pytest.approx(expected.pvalue, rel=1e-9)
    assert (row.n_before, row.n_after) == (3, 4)


def test_margins_of_names_and_patterns():
    given = {"sl*": 0.5, "near": 0.2, "*": 0.05}
    compared = fm.comparison.compare_timings(runs(BEFORE), runs(AFTER), margin=given, paired=True)
    assert [row.margin for row in compared] == [0.05, 0.2, 0.5, 0.05]
    assert {row.decision for row in compared} == {"not worse"}
    plain = fm.comparison.compare_timings(runs(BEFORE), runs(AFTER), margin=0.2, paired=True)
    assert compared["near"].pvalue_not_worse == plain["near"].pvalue_not_worse


def test_the_false_discovery_rate():
    rng = np.random.default_rng(6)
    before = [{str(k): [math.exp(rng.normal(0, 0.03))] for k in range(20)} for _ in range(5)]
    after = [
        {str(k): [math.exp(rng.normal(0.12 * (k < 8), 0.03))] for k in range(20)} for _ in range(5)
    ]
    plain, fdr = (
        fm.comparison.compare_timings(before, after, correction=each) for each in ("holm", "fdr")
    )
    raw = [
        stats.ttest_ind(
            [math.log(run[str(k)][0]) - math.log(1.05) for run in after],
            [math.log(run[str(k)][0]) for run in before],
            equal_var=False,
            alternative="greater",
        ).pvalue
        for k in range(20)
    ]
    expected = fm.comparison.adjust_pvalues(raw, method="benjamini-hochberg")
    np.testing.assert_allclose([row.pvalue_worse for row in fdr], expected, rtol=1e-9)
    worse = [sum(row.decision == "worse" for row in each) for each in (plain, fdr)]
    assert worse[1] >= worse[0]
    assert "expected proportion of false alarms" in " ".join(str(fdr).split())


def test_what_no_runs_decide():
    one = fm.comparison.compare_timings({"a": [1.0]}, {"a": [2.0]})["a"]
    assert one.decision == "undecided"
    assert one.more_needed is None
    assert math.isnan(one.confidence_interval.low)
    at_the_margin = 1.05 * np.exp([-0.1, 0.1])
    both = runs({"a": [1.0, 1.0]}), runs({"a": at_the_margin})
    row = fm.comparison.compare_timings(*both, paired=True)["a"]
    assert (row.decision, row.more_needed) == ("undecided", None)


def test_times_that_do_not_vary():
    ones = [{"a": [1.0]}] * 2
    twos = [{"a": [2.0]}] * 2
    assert fm.comparison.compare_timings(ones, ones).decision == "not worse"
    assert fm.comparison.compare_timings(ones, twos, paired=True).decision == "worse"


def saved(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_pytest_benchmark(tmp_path):
    info = {
        "node": "n",
        "cpu": {"brand_raw": "chip"},
        "python_version": "3.11.7",
        "processor": "x86",
    }
    benchmarks = [
        {"fullname": "t::a", "stats": {"data": [1.0, 2.0], "mean": 1.5}},
        {"fullname": "t::b", "stats": {"mean": 3.0, "stddev": 1.0, "rounds": 4}},
    ]
    content = {"machine_info": info, "benchmarks": benchmarks}
    run = fm.comparison.read_timings(saved(tmp_path / "x.json", content))
    assert run.rounds == {"t::a": [1.0, 2.0], "t::b": [3.0]}
    assert run.environment == {"machine": "n", "processor": "chip", "python version": "3.11.7"}
    with pytest.raises(KeyError, match="t::a"):
        run["t::aa"]


def test_hyperfine(tmp_path):
    content = {"results": [{"command": "ls", "mean": 1.0, "times": [0.5, 1.5]}]}
    run = fm.comparison.read_timings(saved(tmp_path / "x.json", content))
    assert (run.rounds, run.environment) == ({"ls": [0.5, 1.5]}, {})


def test_other_versions_are_refused(tmp_path):
    actual = []
    for name, version in (("x", "3.11"), ("y", "3.12")):
        content = {
            "machine_info": {"python_version": version},
            "benchmarks": [{"fullname": "a", "stats": {"mean": 1.0}}],
        }
        actual.append([fm.comparison.read_timings(saved(tmp_path / f"{name}.json", content))])
    with pytest.raises(ValueError, match=r"python version: '3\.11' in .*x\.json, '3\.12' in .*y"):
        fm.comparison.compare_timings(*actual)
    either = fm.comparison.compare_timings(*actual, allow_different="python version")
    assert either.decision == "undecided"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "no JSON"),
        ("3", "not what pytest-benchmark or hyperfine save"),
        ('{"results": 3}', "not what pytest-benchmark"),
        ('{"results": []}', "holds no times"),
        ('{"results": [{"command": "x"}]}', "not whole, or of a version that is not known"),
        ('{"results": [{"command": "x", "times": ["y"]}]}', "not whole, or of a version"),
        (
            '{"results": [{"command": "x", "times": [-1]}]}',
            "'x' has a time that is not above 0: -1",
        ),
        ('{"results": {"time_x": [[1]]}}', "not what pytest-benchmark"),
        ('{"results": [{"command": "x", "times": [0]}]}', "a time that is not above 0: 0"),
        ('{"results": [{"command": "x", "times": [Infinity]}]}', "not above 0: inf"),
        ('{"results": [{"command": "x", "times": "12"}]}', "times are a str"),
        ('{"results": [{"command": "x", "times": [true]}]}', "a time of 'x' is no number"),
        ('{"results": [{"command": "x", "times": [1' + "0" * 400 + "]}]}", "OverflowError"),
        ('{"results": [{"command": "x", "times": [1], "times": [2]}]}', "has 'times' twice"),
        ('{"results": ' + "[" * 10**5, "no JSON"),
        ('{"results": 1' + "0" * 5000 + "}", "no JSON: an integer in it has too many digits$"),
        (
            '{"results": [{"command": "x", "times": [1, 2], "exit_codes": [0, 127]}]}',
            "'x' failed in 1 of 2 runs, with exit code 127",
        ),
        (
            '{"results": [{"command": "x", "times": [1], "exit_codes": [null]}]}',
            "'x' failed in 1 of 1 runs, with a signal",
        ),
        (
            '{"results": [{"command": "x", "times": [1]}, {"command": "x", "times": [2]}]}',
            "two results are named 'x'",
        ),
        (
            '{"benchmarks": [{"fullname": "t", "stats": {"mean": 1}}, '
            '{"fullname": "t", "stats": {"mean": 2}}]}',
            "two results are named 't'",
        ),
    ],
)
def test_files_that_are_refused(tmp_path, content, message):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(fm.FileError, match=message) as raised:
        fm.comparison.read_timings(path)
    assert "x.json" in str(raised.value)


PYTEST = (
    '{"benchmarks": [{"fullname": "time_a", "stats": {"mean": 1}}, {"fullname": "time_b", %s}]}'
)
HYPERFINE = '{"results": [{"command": "time_a", "times": [1]}, {"command": "time_b", "times": %s}]}'


@pytest.mark.parametrize(
    "text",
    [
        PYTEST % '"stats": {"mean": null}',
        PYTEST % '"stats": {"data": [1, NaN]}',
        HYPERFINE % "[]",
        HYPERFINE % "[null]",
    ],
)
def test_results_without_a_time_are_named_and_left_out(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8-sig")  # with a mark of its byte order
    with pytest.warns(
        fm.DataConversionWarning, match=r"x\.json: 1 without a time left out: 'time_b'"
    ):
        run = fm.comparison.read_timings(path)
    assert run.rounds == {"time_a": [1.0]}


def test_a_file_is_one_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved(tmp_path / "x.json", {"results": [{"command": "x", "times": [1, 2]}]})
    one, same = map(fm.comparison.read_timings, ("x.json", "./x.json"))
    for sides in (([one], [same]), ([one, same], [{"x": [1.0]}])):
        with pytest.raises(
            ValueError, match=r"\./x\.json is there twice, as x\.json too: each run"
        ):
            fm.comparison.compare_timings(*sides)
