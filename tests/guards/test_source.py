"""The rules of the source tree hold, and each one catches a file known to be bad."""

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import rules

pytestmark = pytest.mark.source_tree

#: So many files of tests may import what is not public.
LOOK_INSIDE = 36
KERNEL_FILES = [p for p in rules.python_files(rules.KERNELS) if p.name != "__init__.py"]


def complaints(rule: Callable[[str], list[str]], files: list[Path]) -> list[str]:
    return [
        f"{path.relative_to(rules.ROOT)}: {complaint}"
        for path in files
        for complaint in rule(path.read_text(encoding="utf-8"))
    ]


def bad(name: str) -> str:
    return (rules.BAD / name).read_text(encoding="utf-8")


def test_few_tests_look_inside() -> None:
    """Tests take public names; kernels and guards are exempt. Lower the number where it falls."""
    folders = [rules.ROOT / "tests" / name for name in ("kernels", "guards")]
    files = [p for p in rules.python_files(rules.ROOT / "tests") if p.parent not in folders]
    names = [p.name for p in files if rules.looks_inside(p.read_text("utf-8"))]
    assert len(names) <= LOOK_INSIDE, names
    inside = rules.looks_inside(bad("inside.py"))
    assert [line.split(":")[0] for line in inside] == ["line 5", "line 6", "line 7", "line 8"]


def test_numba_is_imported_in_kernels_only() -> None:
    files = [p for p in rules.python_files() if rules.KERNELS not in p.parents]
    assert files
    assert not complaints(rules.numba_stays_in_kernels, files)
    assert len(rules.numba_stays_in_kernels(bad("numba_outside.py"))) == 1


def test_kernels_that_call_one_another_share_a_file() -> None:
    files = [p for p in KERNEL_FILES if p.name != "_compile.py"]
    assert not complaints(rules.kernels_share_a_file, files)
    lines = rules.kernels_share_a_file(bad("kernel_calls_kernel.py"))
    assert [line.split(":")[0] for line in lines] == ["line 7", "line 8", "line 9"]


def test_one_decorator_compiles_and_its_flags_are_strict() -> None:
    for path in rules.python_files():
        is_compile_file = path == rules.KERNELS / "_compile.py"
        lines = rules.one_decorator(path.read_text("utf-8"), is_compile_file=is_compile_file)
        assert not lines, path
    text = bad("kernel_own_flags.py")
    lines = "\n".join(rules.one_decorator(text))
    for word in ("njit", "prange", "fastmath", "parallel", "numba.config"):
        assert word in lines
    lines = "\n".join(rules.one_decorator(text, is_compile_file=True))
    for word in ("fastmath", "parallel", "numba.config"):
        assert word in lines


def test_floors_do_not_use_the_public_face() -> None:
    files = [p for p in rules.python_files() if "cli" not in p.parts and p.parent != rules.PACKAGE]
    files += [p for p in rules.PACKAGE.glob("*.py") if not p.name.startswith("__")]
    assert not complaints(rules.floors_do_not_use_the_face, files)
    assert len(rules.floors_do_not_use_the_face(bad("upwards.py"))) == 2


def test_no_import_is_hidden() -> None:
    # The registry of metrics names functions as texts, as it stands below them; faces read stubs.
    read_names = {rules.PACKAGE / "metrics" / "_metric.py", rules.PACKAGE / "_lazy.py"}
    files = [p for p in rules.python_files() if p not in read_names]
    assert not complaints(rules.imports_are_written_as_imports, files)
    lines = rules.imports_are_written_as_imports(bad("hidden_import.py"))
    assert sorted(line.split(":")[0] for line in lines) == ["line 10", "line 4", "line 8", "line 9"]


def test_warnings_name_the_line_of_the_user() -> None:
    files = [p for p in rules.python_files() if p.name != "errors.py"]
    assert not complaints(rules.one_way_to_warn, files)
    assert len(rules.one_way_to_warn(bad("warns_by_itself.py"))) == 2


def test_rooms_hold_few_files() -> None:
    for room in rules.rooms():
        assert not rules.not_too_many(list(room.glob("*.py"))), room
    files = [Path(f"{k}.py") for k in range(20)]
    assert not rules.not_too_many([*files, Path("__init__.py")])
    assert rules.not_too_many([*files, Path("one_more.py")])


def test_rooms_say_who_lives_there() -> None:
    files = [room / "__init__.py" for room in rules.rooms() if room != rules.PACKAGE]
    assert not complaints(rules.says_who_lives_there, files)
    for text in ("", '"""A room."""\n', "# a room\n# of two lines\n"):
        assert rules.says_who_lives_there(text)


def test_files_stay_short() -> None:
    files = [
        path
        for folder in ("fastmetrics", "tests", "benchmarks", "examples")
        for path in rules.python_files(rules.ROOT / folder)
    ]
    assert not complaints(rules.not_too_long, files)
    assert rules.not_too_long("x = 1\n" * 801)
    assert not rules.not_too_long("x = 1\n" * 800)


def test_nothing_is_left_over() -> None:
    places = {rules.ROOT, Path.home(), Path(sys.prefix)} - {Path(sys.base_prefix)}
    own = tuple(str(place) for place in places if len(place.parts) > 2)  # not "/", not "/root"
    lines = []
    for path in rules.project_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # data and figures
        name = path.relative_to(rules.ROOT)
        lines += (f"{name}: {what}" for what in rules.nothing_left_over(text, own))
    assert not lines


def test_leftovers_are_caught() -> None:
    n_lines = bad("leftovers.txt").count("\n")
    lines = rules.nothing_left_over(bad("leftovers.txt"), ("/var/here",))
    assert [line.split(":")[0] for line in lines] == [f"line {1 + k}" for k in range(n_lines)]


def test_the_readme_shows_the_published_benchmarks() -> None:
    published = rules.ROOT / "docs" / "benchmarks.md"
    text = published.read_text("utf-8") if published.exists() else ""
    assert not rules.same_benchmarks((rules.ROOT / "README.md").read_text(encoding="utf-8"), text)


def test_a_number_typed_by_hand_is_caught() -> None:
    block = "<!-- benchmarks:start -->\n| roc_auc | {} | yes |\n<!-- benchmarks:end -->"
    assert not rules.same_benchmarks(block.format(0.5), block.format(0.5))
    assert rules.same_benchmarks(block.format(0.4), block.format(0.5))
    assert rules.same_benchmarks(block.format(0.4), "")
    longer = block.replace("\n<!-- benchmarks:end", "\n| pr | 3 |\n<!-- benchmarks:end")
    assert rules.same_benchmarks(longer.format(0.5), block.format(0.5))
    assert not rules.same_benchmarks(longer.format(0.5), f"| pr | 3 |\n{block.format(0.5)}")


def test_the_share_of_mutants_killed_is_the_published_one() -> None:
    contributing = (rules.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    published = (rules.ROOT / "docs" / "mutants.md").read_text(encoding="utf-8")
    assert not rules.same_mutants(contributing, published)
    block = "<!-- mutants:start -->\nKilled: {}.\n<!-- mutants:end -->"
    rows = "| `tables` | 3 of 4 (75.0 %) |\n| all | 9 of 10 (90.0 %) |"
    assert not rules.same_mutants(block.format("9 of 10 (90.0 %)"), rows)
    assert rules.same_mutants(block.format("10 of 10 (100.0 %)"), rows)
    assert rules.same_mutants(block.format("9 of 10 (90.0 %)"), "")
    assert rules.same_mutants("", rows)


def test_eighty_mutants_are_of_lines_that_exist() -> None:
    path = rules.ROOT / "benchmarks" / "mutants" / "list.toml"
    listed = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    assert len(listed) - len(rules.lines_gone(listed)) >= 80
    assert rules.lines_gone([{"line": "x = 0 + 0"}, {"line": "return"}]) == ["x = 0 + 0", "return"]
