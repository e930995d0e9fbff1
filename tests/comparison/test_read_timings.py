"""Files of timings: what each program saves, by what is in it."""

from __future__ import annotations

import json

import pytest

import fastmetrics as fm


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
    expected = {"machine": "n", "processor": "chip", "python version": "3.11.7"}
    assert run.environment == expected
    with pytest.raises(KeyError, match="t::a"):
        run["t::aa"]


def test_pyperf(tmp_path):
    content = {
        "version": "1.0",
        "metadata": {"hostname": "h", "python_version": "3.12.1", "unit": "second"},
        "benchmarks": [
            {
                "metadata": {"name": "sort"},
                "runs": [
                    {"metadata": {"calibrate_loops": 4}, "warmups": [[1, 9.0]]},
                    {"warmups": [[4, 8.0]], "values": [0.5, 0.25]},
                    {"values": [0.125]},
                ],
            },
            {"metadata": {"name": "memory", "unit": "byte"}, "runs": [{"values": [9]}]},
        ],
    }
    run = fm.comparison.read_timings(saved(tmp_path / "x.json", content))
    assert run.rounds == {"sort": [0.5, 0.25, 0.125]}
    assert run.environment == {"machine": "h", "python version": "3.12.1"}


def test_hyperfine(tmp_path):
    content = {"results": [{"command": "ls", "mean": 1.0, "times": [0.5, 1.5]}]}
    run = fm.comparison.read_timings(saved(tmp_path / "x.json", content))
    assert (run.rounds, run.environment) == ({"ls": [0.5, 1.5]}, {})


def test_asv(tmp_path):
    content = {
        "version": 2,
        "params": {"machine": "m", "cpu": "c", "python": "3.11"},
        "python": "3.11",
        "requirements": {"numpy": "2.0"},
        "result_columns": ["result", "params", "version", "started_at", "duration", "samples"],
        "results": {
            "suite.time_sort": [[0.5, None, 0.25, 1.0], [["10", "20"], ["a", "b"]], "v", 1, 2],
            "suite.Class.time_load": [[0.5], [], "v", 1, 2, [[0.5, 0.75]]],
            "suite.peakmem_load": [[1e6], [], "v", 1, 2],
        },
    }
    with pytest.warns(fm.DataConversionWarning, match=r"1 without a time left out: 'suite.time_s"):
        run = fm.comparison.read_timings(saved(tmp_path / "x.json", content))
    assert run.rounds == {
        "suite.time_sort(10, a)": [0.5],
        "suite.time_sort(20, a)": [0.25],
        "suite.time_sort(20, b)": [1.0],
        "suite.Class.time_load": [0.5, 0.75],
    }
    assert run.environment["numpy"] == "2.0"
    content["results"].pop("suite.time_sort")
    newer = saved(tmp_path / "y.json", content | {"requirements": {"numpy": "2.1"}})
    run.rounds.pop("suite.time_sort(10, a)")
    run.rounds.pop("suite.time_sort(20, a)")
    run.rounds.pop("suite.time_sort(20, b)")
    both = [run], [fm.comparison.read_timings(newer)]
    with pytest.raises(ValueError, match=r"numpy: '2\.0' in .*x\.json, '2\.1' in .*y\.json"):
        fm.comparison.compare_timings(*both)
    found = fm.comparison.compare_timings(*both, allow_different="numpy")
    assert found.decision == "undecided"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "no JSON"),
        ("3", "not what pytest-benchmark, pyperf, hyperfine or asv save"),
        ('{"results": 3}', "not what pytest-benchmark"),
        ('{"results": []}', "holds no times"),
        ('{"results": [{"command": "x"}]}', "not whole, or of a version that is not known"),
        ('{"results": [{"command": "x", "times": ["y"]}]}', "not whole, or of a version"),
        (
            '{"results": [{"command": "x", "times": [-1]}]}',
            "'x' has a time that is not above 0: -1",
        ),
        ('{"results": {"time_x": [[1]]}}', "not whole"),
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
        (
            '{"benchmarks": [{"runs": [{"values": [1]}]}, {"runs": [{"values": [1]}]}]}',
            "two results are named 'benchmark'",
        ),
        (
            '{"result_columns": ["result", "params"], '
            '"results": {"time_x": [[1, 2], [["a", "a"]]]}}',
            r"two results are named 'time_x\(a\)'",
        ),
    ],
)
def test_files_that_are_refused(tmp_path, content, message):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(fm.FileError, match=message) as raised:
        fm.comparison.read_timings(path)
    assert "x.json" in str(raised.value)


ASV = (
    '{"result_columns": ["result", "params", "samples"], '
    '"results": {"time_a": [[1]], "time_b": %s}}'
)
PYTEST = (
    '{"benchmarks": [{"fullname": "time_a", "stats": {"mean": 1}}, {"fullname": "time_b", %s}]}'
)
HYPERFINE = '{"results": [{"command": "time_a", "times": [1]}, {"command": "time_b", "times": %s}]}'


@pytest.mark.parametrize(
    "text",
    [
        ASV % "[[null], []]",  # skipped, or failed for one parameter
        ASV % "[[NaN], []]",
        ASV % "[[NaN], [], [[1, 2]]]",
        ASV % "[null, []]",
        ASV % "null",
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
