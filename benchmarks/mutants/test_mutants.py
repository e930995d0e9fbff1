"""The command: its sample is stable, a mutant is killed by what notices it and by nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray")

import fastmetrics
from benchmarks.mutants import report, trial
from benchmarks.mutants.choice import FOLDERS, Choice
from benchmarks.mutants.report import Tried
from benchmarks.mutants.sample import FLOORS, Mutant, mutants_of, sample

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
REGISTRY = "fastmetrics/measures/registry.py"
PROFILE = """\
from hypothesis import settings

settings.register_profile("first_failure")
"""


def checkout(place: Path, test: str) -> Path:
    """Write a package of one module, and one file of tests."""
    texts = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "fastmetrics/__init__.py": "",
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


def mutant_of(line: str, operator: str) -> Mutant:
    """Return the first mutant of a line by one of cosmic-ray's operators."""
    return next(
        mutant
        for mutant in mutants_of(MODULE, SOURCE)
        if mutant.text == line and mutant.operator == f"core/{operator}"
    )


PRODUCT = mutant_of("return width * height", "ReplaceBinaryOperator_Mul_Add")
CALLS = "from fastmetrics.tables.area import area\n\n\ndef test_area():\n    "


# --- what happens to a mutant --------------------------------------------------------------------


def test_what_a_test_notices_is_killed_and_the_file_is_as_before(tmp_path: Path) -> None:
    place = checkout(tmp_path, CALLS + "assert area(3, 4) == 12\n")
    before = (place / MODULE).stat()
    found = trial.tried((PRODUCT, ((TEST,), (), ())), place)
    assert (found.outcome, found.becomes) == ("killed", "return width + height")
    assert "test_area" in found.reason
    assert (place / MODULE).read_text() == SOURCE
    assert (place / MODULE).stat().st_mtime_ns == before.st_mtime_ns


def test_what_no_test_notices_has_survived(tmp_path: Path) -> None:
    place = checkout(tmp_path, CALLS + "area(3, 4)\n")
    found = trial.tried((PRODUCT, ((TEST,), (TEST,), ())), place)
    assert (found.outcome, found.reason) == ("survived", "")


def test_every_round_is_asked(tmp_path: Path) -> None:
    place = checkout(tmp_path, CALLS + "assert area(3, 4) == 12\n")
    other = "tests/tables/test_other.py"
    (place / other).write_text("def test_nothing():\n    pass\n")
    assert trial.tried((PRODUCT, ((other,), (), (TEST,))), place).outcome == "killed"


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
    found = trial.tried((PRODUCT, ((asked,), (), ())), checkout(tmp_path, CALLS + test))
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
    found = trial.tried((PRODUCT, ((TEST,), (), ())), checkout(tmp_path, once))
    assert found.outcome == "survived"
    assert found.reason.startswith("failed once: FAILED")


def test_a_mutant_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "LIMITS", (6, 6, 6))
    endless = mutant_of("found = found + 1", "ReplaceBinaryOperator_Add_Sub")
    test = "from fastmetrics.tables.area import steps\n\n\ndef test_steps():\n    steps(3)\n"
    found = trial.tried((endless, ((TEST,), (), ())), checkout(tmp_path, test))
    assert (found.outcome, found.becomes) == ("killed", "found = found - 1")
    assert found.reason == "no end within 6 s"


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
        trial.unchanged([(PRODUCT, ((TEST,), (), ()))], place)


# --- the sample ----------------------------------------------------------------------------------


@pytest.mark.parametrize("floor", FLOORS)
def test_the_sample_takes_a_line_once(floor: str) -> None:
    found = sample(ROOT, floor, 40)
    assert len(found) == 40
    assert max(Counter((mutant.module, mutant.line) for mutant in found).values()) == 1
    for mutant in found:
        lines = (ROOT / mutant.module).read_text(encoding="utf-8").splitlines()
        assert lines[mutant.line - 1].strip() == mutant.text


def test_another_seed_draws_other_lines() -> None:
    one, other = (set(sample(ROOT, "tables", 20, seed)) for seed in ("fastmetrics", "other"))
    assert one == set(sample(ROOT, "tables", 20))
    assert len(one & other) < 10


def test_other_lines_do_not_change_the_sample(tmp_path: Path) -> None:
    def asked() -> list[tuple[str, str]]:
        return [(mutant.text, mutant.operator) for mutant in sample(tmp_path, "tables", 99)]

    path = checkout(tmp_path, "") / MODULE
    before = asked()
    path.write_text(SOURCE.replace("\n\n\ndef area", "\n\nUNIT = 2 * 3\n\n\ndef area"))
    after = asked()
    assert [each for each in after if each in before] == before
    assert [text for text, _ in after if text not in SOURCE] == ["UNIT = 2 * 3"]


def test_what_nothing_evaluates_is_left_alone() -> None:
    found = {mutant.text for mutant in mutants_of(MODULE, SOURCE)}
    assert not any("no code" in text for text in found)
    annotated = "def area(width: float | None, height: float = 1) -> float:"
    changes = [m.operator for m in mutants_of(MODULE, SOURCE) if m.text == annotated]
    assert set(changes) == {"core/NumberReplacer"}  # the default


# --- which tests are asked -----------------------------------------------------------------------


def test_the_nearest_tests_come_first_and_all_of_the_floor_are_asked() -> None:
    choice = Choice(ROOT)
    for module, nearest in (
        ("fastmetrics/tables/score_table.py", "tests/tables/test_hull.py"),
        ("fastmetrics/measures/probabilities/top_k.py", "tests/measures/test_hinge.py"),
        ("fastmetrics/inference/units.py", "tests/inference/test_units.py"),
        ("fastmetrics/_kernels/merges.py", "tests/kernels/test_merges.py"),
    ):
        first, others, elsewhere = choice.tests_of(module)
        assert first[0] == nearest
        folders = FOLDERS[module.split("/")[1]]
        tests = (path for folder in folders for path in (ROOT / folder).glob("test_*.py"))
        own = {path.relative_to(ROOT).as_posix() for path in tests}
        assert own <= {*first, *others}
        asked = [*first, *others, *elsewhere]
        assert len(set(asked)) == len(asked)
        assert not (elsewhere and "_kernels" in module)
    assert any(name.startswith("tests/selection/") for name in choice.tests_of(REGISTRY)[2])


# --- what is published ---------------------------------------------------------------------------


def each_outcome() -> list[Tried]:
    reasons = {"killed": "FAILED tests", "survived": "", "equivalent": "it is faster"}
    return [Tried(PRODUCT, f"{kind} += 1", kind, why) for kind, why in reasons.items()]


def test_a_survivor_that_is_listed_is_equivalent(tmp_path: Path) -> None:
    killed, survived, _ = each_outcome()
    known = {(MODULE, PRODUCT.text, each.becomes): "because" for each in (killed, survived)}
    assert report.judged(killed, known) == killed
    report.keep(each_outcome(), tmp_path / "tried.json")
    assert report.kept(tmp_path / "tried.json") == each_outcome()
    assert report.judged(survived, {}) == survived
    listed = report.judged(survived, known)
    assert (listed.outcome, listed.reason) == ("equivalent", "because")


def test_what_is_published(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "CONTRIBUTING.md"
    page.write_text("a\n<!-- mutants:start -->\nold\n<!-- mutants:end -->\nb\n")
    report.publish(each_outcome(), tmp_path)
    assert page.read_text() == (
        f"a\n<!-- mutants:start -->\n{report.summary(each_outcome())}<!-- mutants:end -->\nb\n"
    )
    assert "1 of 2 (50.0 %)" in page.read_text()
    said = (tmp_path / "docs" / "mutants.md").read_text()
    assert "| `tables` | 1 of 2 (50.0 %), limits 9 % to 91 % | 1 | 1 |" in said
    assert f"of the version, here {fastmetrics.__version__}" in said
    assert "+ survived += 1" in said
    assert "+ killed += 1" not in said  # what a test noticed is not listed
    page.write_text("no block")
    with pytest.raises(RuntimeError, match="0 blocks"):
        report.publish(each_outcome(), tmp_path)
