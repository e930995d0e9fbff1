"""The sample: lines ranked by a hash of what they say, so that edits elsewhere leave it alone."""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast

from fastmetrics import __version__

#: Each version draws lines of its own: tests that were written for survivors of one say nothing of
#: what another one draws.
SEED = __version__
FLOORS = ("_kernels", "tables", "measures", "inference")
#: What somebody might write instead of an operator. A ``|`` for a ``+`` ends in a TypeError: such
#: mutants would only flatter the score.
_INSTEAD = {
    "Add": {"Sub", "Mul"},
    "Sub": {"Add"},
    "Mul": {"Add", "Div"},
    "Div": {"Mul", "FloorDiv"},
    "FloorDiv": {"Div", "Mod"},
    "Mod": {"FloorDiv"},
    "Pow": {"Mul"},
    "BitAnd": {"BitOr", "BitXor"},
    "BitOr": {"BitAnd", "BitXor"},
    "BitXor": {"BitAnd", "BitOr"},
    "LShift": {"RShift"},
    "RShift": {"LShift"},
}
_IDENTITY, _SIGNS = {"Is", "IsNot"}, {"USub", "UAdd"}
_UNPACKED = re.compile(r"(^|[(\[{,:=]|\b(return|yield|lambda))\s*$")


@dataclass(frozen=True)
class Mutant:
    """One change of one line.

    Attributes
    ----------
    module : str
        Path of the file from the root of the checkout.
    line : int
        Its number, from 1.
    text : str
        What it says, without what surrounds it.
    operator : str
        Name of cosmic-ray's operator.
    occurrence : int
        Which of the operator's places in the file.
    """

    module: str
    line: int
    text: str
    operator: str
    occurrence: int


def _rank(seed: str, *parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, (seed, *parts))).encode()).hexdigest()


def never_run(source: str) -> set[tuple[int, int]]:
    """Return the places, line and column, of annotations: nothing evaluates them."""
    places = set()
    for node in ast.walk(ast.parse(source)):
        for field in ("annotation", "returns"):
            hint = getattr(node, field, None)
            if isinstance(hint, ast.expr) and hint.end_lineno is not None:
                lines = source.splitlines()[hint.lineno - 1 : hint.end_lineno]
                for number, line in enumerate(lines, hint.lineno):
                    first = hint.col_offset if number == hint.lineno else 0
                    last = hint.end_col_offset if number == hint.end_lineno else len(line)
                    places.update((number, column) for column in range(first, last or 0))
    return places


def is_plausible(operator: str) -> bool:
    """Return whether somebody might make that mistake; decorators are left to the guards."""
    kind, *change = operator.rpartition("/")[2].split("_")
    if kind == "ReplaceBinaryOperator":
        return change[1] in _INSTEAD[change[0]]
    if kind == "ReplaceUnaryOperator":  # ``2.0**not 50`` is no Python, ``+mask`` a TypeError
        return change[0] == "Delete" or set(change) == _SIGNS
    if kind == "ReplaceComparisonOperator":
        return len(_IDENTITY & set(change)) in (0, 2)
    return kind != "RemoveDecorator"


def mutants_of(module: str, source: str) -> list[Mutant]:
    """Return every change that cosmic-ray knows for a file, annotations and decorators left out."""
    nodes = list(ast_nodes(get_ast(source)))
    lines, ignored = source.splitlines(), never_run(source)
    found = []
    for name in cosmic_ray.plugins.operator_names():
        operator_class = cosmic_ray.plugins.get_operator(name)
        if operator_class.arguments() or not is_plausible(name):
            continue
        operator = operator_class()
        places = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(places):
            text = lines[start[0] - 1]
            is_unpacking = text[start[1]] == "*" and _UNPACKED.search(text[: start[1]])
            is_decorator = text.lstrip().startswith("@")
            if start not in ignored and not (is_unpacking or is_decorator):
                found.append(Mutant(module, start[0], text.strip(), name, occurrence))
    return found


def _one_a_line(mutants: Sequence[Mutant], seed: str) -> Iterator[tuple[str, Mutant]]:
    """Yield one change of each line, with its rank: one kind of operator, then one of that kind."""
    seen = Counter[str]()  # a line may stand several times in a file
    by_line = defaultdict(lambda: defaultdict(list))
    for mutant in mutants:
        by_line[mutant.line][mutant.operator.partition("_")[0]].append(mutant)
    for _, kinds in sorted(by_line.items()):
        one = min(
            min(kinds.items(), key=lambda kind: _rank(seed, "kind", kind[0], kind[1][0].text))[1],
            key=lambda mutant: _rank(seed, "mutant", mutant.operator, mutant.text),
        )
        yield _rank(seed, one.module, one.text, seen[one.text]), one
        seen[one.text] += 1


def sample(root: Path, floor: str, count: int, seed: str = SEED) -> list[Mutant]:
    """Return the mutants of ``count`` lines of one floor of the package."""
    found = []
    for path in sorted((root / "fastmetrics" / floor).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        found += _one_a_line(mutants_of(path.relative_to(root).as_posix(), source), seed)
    return [mutant for _, mutant in sorted(found, key=lambda ranked: ranked[0])[:count]]
