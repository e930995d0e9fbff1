"""Draw mutants: lines ranked by a hash of what they say, each changed once by cosmic-ray."""

from __future__ import annotations

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from benchmarks.mutants.listed import Mutant, modules_by_line

#: What somebody might write instead of an operator. A ``|`` for a ``+`` ends in a TypeError: such
#: mutants would only flatter the share that is killed.
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


def never_run(source: str) -> set[tuple[int, int]]:
    """Return the places, line and column, of annotations: nothing evaluates them."""
    places = set[tuple[int, int]]()
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


def changes(source: str) -> dict[int, dict[str, list[tuple[str, int]]]]:
    """Return cosmic-ray's operators, with their occurrences, by line and by kind of operator."""
    nodes = list(ast_nodes(get_ast(source)))
    lines, ignored = source.splitlines(), never_run(source)
    by_line: dict[int, dict[str, list[tuple[str, int]]]] = defaultdict(lambda: defaultdict(list))
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
                by_line[start[0]][name.partition("_")[0]].append((name, occurrence))
    return by_line


def _rank(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def draw(root: Path, layer: str, seed: str) -> Iterator[Mutant]:
    """Yield one mutant of each line that stands once in the package, in the order of its hash."""
    modules, candidates = modules_by_line(root), []
    for path in sorted((root / "fastmetrics" / layer).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
        for number, kinds in changes(source).items():
            text = lines[number - 1].strip()
            if len(modules[text]) == 1:
                kind = min(sorted(kinds), key=lambda kind, t=text: _rank(seed, "kind", kind, t))
                choice = min(kinds[kind], key=lambda each, t=text: _rank(seed, each[0], t))
                candidates.append((_rank(seed, text), number, source, choice))
    for _, number, source, (name, occurrence) in sorted(candidates):
        mutated = mutate_code(source, cosmic_ray.plugins.get_operator(name)(), occurrence)
        before, after = source.splitlines(), (mutated or "").splitlines()
        line, becomes = before[number - 1].strip(), "".join(after[number - 1 : number]).strip()
        before[number - 1 : number] = after[number - 1 : number]
        if before == after and line != becomes:
            yield Mutant(layer, line, becomes)
