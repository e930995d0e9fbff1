"""The list of mutants: its lines stand in the package, in every layer."""

from __future__ import annotations

from pathlib import Path

from benchmarks.mutants.listed import Mutant, locate, read_mutants, write_mutants

ROOT = Path(__file__).resolve().parents[2]
LAYERS = set(
    "_kernels _input tables metrics inference comparison selection io _report dask cli".split()
)


def test_the_list_is_of_every_layer_and_its_lines_stand_in_the_package() -> None:
    mutants = read_mutants()
    there, gone = locate(mutants, ROOT)
    assert len(there) >= 80, gone
    assert {each.layer for each, _ in there} == LAYERS
    assert len({each.line for each in mutants}) == len(mutants)


def test_a_list_is_read_as_it_was_written(tmp_path: Path) -> None:
    mutants = [
        Mutant("tables", "a = b * c", "a = b + c"),
        Mutant("tables", 'a = "\\"', "a = 1", "because"),
    ]
    write_mutants(mutants, tmp_path / "list.toml")
    assert read_mutants(tmp_path / "list.toml") == mutants
