"""Files of timings: what each program saves, by what is in it."""

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


def test_hyperfine(tmp_path):
    content = {"results": [{"command": "ls", "mean": 1.0, "times": [0.5, 1.5]}]}
    run = fm.comparison.read_timings(saved(tmp_path / "x.json", content))
    assert (run.rounds, run.environment) == ({"ls": [0.5, 1.5]}, {})


def test_other_versions_are_refused(tmp_path):
    found = []
    for name, version in (("x", "3.11"), ("y", "3.12")):
        content = {
            "machine_info": {"python_version": version},
            "benchmarks": [{"fullname": "a", "stats": {"mean": 1.0}}],
        }
        found.append([fm.comparison.read_timings(saved(tmp_path / f"{name}.json", content))])
    with pytest.raises(ValueError, match=r"python version: '3\.11' in .*x\.json, '3\.12' in .*y"):
        fm.comparison.compare_timings(*found)
    either = fm.comparison.compare_timings(*found, allow_different="python version")
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
