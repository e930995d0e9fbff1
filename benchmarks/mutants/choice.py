"""Which tests a mutant has to pass: the nearest by imports, its layer's, the nearest elsewhere."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp

from fastmetrics._lazy import stub_names

Rounds = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

NEAR, FAR = 3, 99
#: Folders of tests by layer of the package.
FOLDERS = {
    "_kernels": ("tests/kernels/",),
    "_input": ("tests/checks/",),
    "tables": ("tests/tables/",),
    "metrics": ("tests/metrics/",),
    "inference": ("tests/inference/", "tests/intervals/"),
    "comparison": ("tests/comparison/",),
    "selection": ("tests/selection/",),
    "io": ("tests/io/",),
    "_report": ("tests/report/",),
    "dask": ("tests/clusters/",),
    "cli": ("tests/cli/",),
}
#: Layers whose tests every other layer may be asked: those of files and processes take too long.
QUICK = ("_input", "tables", "metrics", "inference", "comparison", "selection")
ANYWHERE = ("tests/properties/",)


def homes(root: Path) -> dict[str, str]:
    """Return the module of each public name."""
    found: dict[str, str] = {}
    for stub in (root / "fastmetrics").rglob("*.pyi"):
        module = ".".join(stub.relative_to(root).with_suffix("").parts)
        found |= stub_names(stub, module.removesuffix(".__init__"))
    return found


def used_by(test: Path, public: dict[str, str]) -> Iterator[str]:
    """Yield the modules that a file of tests names: by imports, and by the public face."""
    tree = ast.parse(test.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fastmetrics."):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "fastmetrics":
            yield from (public[alias.name] for alias in node.names if alias.name in public)
        elif isinstance(node, ast.Attribute) and node.attr in public:
            yield public[node.attr]


class Choice:
    """The tests of one checkout, ranked for each of its modules."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.graph = grimp.build_graph("fastmetrics", cache_dir=None)
        public = homes(root)
        self.tests = {
            path.relative_to(root).as_posix(): Counter(used_by(path, public))
            for path in sorted((root / "tests").rglob("test_*.py"))
        }

    @cache  # noqa: B019 - one object for the whole run
    def distances(self, module: str) -> dict[str, int]:
        """Return how many imports lead from each module to this one."""
        found, reached = {module: 0}, [module]
        for name in reached:
            for importer in sorted(self.graph.find_modules_that_directly_import(name)):
                if importer not in found:
                    found[importer] = found[name] + 1
                    reached.append(importer)
        return found

    def tests_of(self, path: str) -> Rounds:
        """Return the few nearest tests of a file, the others of its layer, a few of other layers.

        Kernels run as plain Python, which the tests of other layers would take for ever with.
        """
        distances = self.distances(path.removesuffix(".py").replace("/", "."))
        layer = path.split("/")[1]
        own = FOLDERS[layer] + (ANYWHERE if layer in QUICK else ())
        folders = own if layer == "_kernels" else sum((FOLDERS[name] for name in QUICK), ())
        ranked = []
        for name, used in self.tests.items():
            if name.startswith((*own, *folders)):
                nearest = min((distances[m] for m in used if m in distances), default=FAR)
                often = sum(count for m, count in used.items() if distances.get(m) == nearest)
                ranked.append((nearest, -often, name))
        ranked.sort()
        here = [name for *_, name in ranked if name.startswith(own)]
        there = [name for far, _, name in ranked if far < FAR and not name.startswith(own)]
        return tuple(here[:NEAR]), tuple(here[NEAR:]), tuple(there[:NEAR])
