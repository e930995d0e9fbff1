"""The command: its list is fixed, a mutant is killed by what notices it and by nothing else."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray")

from benchmarks.mutants import report, trial
from benchmarks.mutants.choice import Choice
from benchmarks.mutants.draw import changes, draw
from benchmarks.mutants.listed import Mutant, locate
from benchmarks.mutants.report import Tried

ROOT = Path(__file__).resolve().parents[2]
MODULE, TEST = "fastmetrics/tables/area.py", "tests/tables/test_area.py"
SOURCE = '''\
from __future__ import annotations


def area(width: float | None, height: float = 1) -> float:
    """Return a - b, which is no code."""
    if width is None:
        return 0.0
    return width * height


def steps(n: int) -> int:
    found = 0
    while found < n:
        found = found + 1
    return found
'''
PROFILE = """\
from hypothesis import settings

settings.register_profile("first_failure")
"""


def checkout(place: Path, test: str) -> Path:
    """Write a package of one module, and one file of tests."""
    texts = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "fastmetrics/__init__.py": "",
        "fastmetrics/testing.py": "",  # the plugin of pytest that the installed package names
        "fastmetrics/tables/__init__.py": "",
        "tests/conftest.py": PROFILE,
        MODULE: SOURCE,
        TEST: test,
    }
    for name, text in texts.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


PRODUCT = Mutant("tables", "return width * height", "return width + height")
CALLS = "from fastmetrics.tables.area import area\n\n\ndef test_area():\n    "


# --- what happens to a mutant --------------------------------------------------------------------


def test_what_a_test_notices_is_killed_and_the_file_is_as_before(tmp_path: Path) -> None:
    place = checkout(tmp_path, CALLS + "assert area(3, 4) == 12\n")
    before = (place / MODULE).stat()
    found = trial.tried((PRODUCT, MODULE, ((TEST,), (), ())), place)
    assert (found.outcome, found.module) == ("killed", MODULE)
    assert "test_area" in found.reason
    assert (place / MODULE).read_text() == SOURCE
    assert (place / MODULE).stat().st_mtime_ns == before.st_mtime_ns


def test_what_no_test_notices_has_survived(tmp_path: Path) -> None:
    place = checkout(tmp_path, CALLS + "area(3, 4)\n")
    found = trial.tried((PRODUCT, MODULE, ((TEST,), (TEST,), ())), place)
    assert (found.outcome, found.reason) == ("survived", "")


def test_every_round_is_asked(tmp_path: Path) -> None:
    place = checkout(tmp_path, CALLS + "assert area(3, 4) == 12\n")
    other = "tests/tables/test_other.py"
    (place / other).write_text("def test_nothing():\n    pass\n")
    assert trial.tried((PRODUCT, MODULE, ((other,), (), (TEST,))), place).outcome == "killed"


@pytest.mark.parametrize(
    ("test", "asked"),
    [
        ("area(3, 4)\n    raise ValueError('always')\n", TEST),
        ("assert area(3, 4) == 12\n", "tests/tables/test_missing.py"),
        ("area(3, 4)\n\n\nimport no_such_module\n", TEST),
    ],
)
def test_what_fails_without_the_mutant_too_kills_nothing(
    tmp_path: Path, test: str, asked: str
) -> None:
    found = trial.tried((PRODUCT, MODULE, ((asked,), (), ())), checkout(tmp_path, CALLS + test))
    assert found.outcome == "survived"
    assert found.reason.startswith("without it too: ERROR" if asked != TEST else "without it too")


def test_what_fails_now_and_then_kills_nothing(tmp_path: Path) -> None:
    once = (
        "import pathlib\n\n\n"
        "def test_once():\n"
        "    mark = pathlib.Path('mark')\n"
        "    is_first, _ = not mark.exists(), mark.touch()\n"
        "    assert not is_first\n"
    )
    found = trial.tried((PRODUCT, MODULE, ((TEST,), (), ())), checkout(tmp_path, once))
    assert found.outcome == "survived"
    assert found.reason.startswith("failed once: FAILED")


def test_a_mutant_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "LIMIT", 6)
    endless = Mutant("tables", "found = found + 1", "found = found - 1")
    test = "from fastmetrics.tables.area import steps\n\n\ndef test_steps():\n    steps(3)\n"
    found = trial.tried((endless, MODULE, ((TEST,), (), ())), checkout(tmp_path, test))
    assert (found.outcome, found.reason) == ("killed", "no end within 6 s")


@pytest.mark.parametrize(
    ("module", "jit", "cache"),
    [
        ("fastmetrics/_kernels/area.py", "1", None),
        ("fastmetrics/_kernels/_compile.py", None, "a folder"),
        (MODULE, None, None),
    ],
)
def test_machine_code_of_no_other_mutant_is_run(
    monkeypatch: pytest.MonkeyPatch, module: str, jit: str | None, cache: str | None
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "somewhere")
    with trial.environment(trial.setting(module)) as variables:
        assert variables.get("NUMBA_DISABLE_JIT") == jit
        found = variables.get("NUMBA_CACHE_DIR")
        assert (found is None) == (cache is None)
        assert found is None or not list(Path(found).iterdir())


def test_tests_that_fail_on_the_code_as_it_is_stop_everything(tmp_path: Path) -> None:
    place = checkout(tmp_path, CALLS + "assert area(3, 4) == 13\n")
    with pytest.raises(SystemExit, match="fail without a mutant"):
        trial.measured(place)


# --- the list ------------------------------------------------------------------------------------


def test_a_line_is_found_where_it_stands_once(tmp_path: Path) -> None:
    place = checkout(tmp_path, "")
    assert locate([PRODUCT], place) == ([(PRODUCT, MODULE)], [])
    (place / "fastmetrics/other.py").write_text(SOURCE)
    assert locate([PRODUCT], place) == ([], [PRODUCT])


@pytest.mark.parametrize("layer", ["dask", "io"])
def test_lines_are_drawn_once_and_changed(layer: str) -> None:
    mutants = [*islice(draw(ROOT, layer, "fastmetrics"), 10)]
    assert len({each.line for each in mutants}) == 10
    assert all(each.line != each.becomes for each in mutants)
    assert len(locate(mutants, ROOT)[0]) == 10


def test_other_lines_do_not_change_what_is_drawn(tmp_path: Path) -> None:
    path = checkout(tmp_path, "") / MODULE
    before = [*draw(tmp_path, "tables", "fastmetrics")]
    path.write_text(SOURCE.replace("\n\n\ndef area", "\n\nUNIT = 2 * 3\n\n\ndef area"))
    after = [*draw(tmp_path, "tables", "fastmetrics")]
    assert [each for each in after if each in before] == before
    assert [each.line for each in after if each not in before] == ["UNIT = 2 * 3"]
    assert before != [*draw(tmp_path, "tables", "other")]


def test_what_nothing_evaluates_is_left_alone() -> None:
    lines, by_line = SOURCE.splitlines(), changes(SOURCE)
    assert not any("no code" in lines[number - 1] for number in by_line)
    annotated = 1 + lines.index("def area(width: float | None, height: float = 1) -> float:")
    assert set(by_line[annotated]) == {"core/NumberReplacer"}  # the default


# --- which tests are asked -----------------------------------------------------------------------


def test_tests_that_run_the_line_are_asked(tmp_path: Path) -> None:
    calls = CALLS + "assert area(None) == 0\n\n\ndef test_product():\n    area(3, 4)\n"
    place = checkout(tmp_path, calls)
    choice = Choice(place, trial.measured(place))
    assert choice.tests_of(PRODUCT, MODULE) == ((f"{TEST}::test_product",), ())
    guard = Mutant("tables", "if width is None:", "if width is not None:")
    first, others = choice.tests_of(guard, MODULE)
    assert {*first, *others} == {f"{TEST}::test_area", f"{TEST}::test_product"}
    unknown = Mutant("tables", "found = 0", "found = 1")
    assert choice.tests_of(unknown, MODULE) == ((TEST,), ())  # by its name


# --- what is published ---------------------------------------------------------------------------


def test_what_is_published(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "CONTRIBUTING.md"
    page.write_text("a\n<!-- mutants:start -->\nold\n<!-- mutants:end -->\nb\n")
    equal = Mutant("tables", "while found < n:", "while found != n:", "it is as fast")
    results = [
        Tried(PRODUCT, MODULE, "killed", "FAILED tests"),
        Tried(Mutant("tables", "found = 0", "found = 1"), MODULE, "survived"),
        Tried(equal, MODULE, "survived"),
    ]
    report.publish(results, tmp_path)
    assert "1 of 2 (50.0 %), limits 9 % to 91 %" in page.read_text()
    assert page.read_text().startswith("a\n<!-- mutants:start -->\nKilled: ")
    text = (tmp_path / "docs" / "mutants.md").read_text()
    assert "| `tables` | 1 of 2 (50.0 %), limits 9 % to 91 % | 1 |" in text
    assert "+ found = 1" in text
    assert "it is as fast" in text
    assert "+ return width + height" not in text  # what a test noticed is not listed
    page.write_text("no block")
    with pytest.raises(RuntimeError, match="0 blocks"):
        report.publish(results, tmp_path)
