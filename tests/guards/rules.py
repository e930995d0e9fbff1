"""The rules of the source tree, as functions from text to complaints.

Each rule gets the text of one file, so that a known-bad file can be put before the same function
that judges the real ones.
"""

import ast
import importlib.util
import inspect
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from public import PLACES, public

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "fastmetrics"
KERNELS = PACKAGE / "_kernels"
BAD = Path(__file__).with_name("bad")

MAX_LINES = 800
MAX_FILES = 20  # of a room; about fifteen is the aim
KERNEL_MAY_IMPORT = {"__future__", "math", "numba", "numpy", "typing"}
DECORATORS = {"kernel"}
COMPILERS = {"njit", "jit", "vectorize", "guvectorize", "stencil", "cfunc", "prange"}
#: Public modules that have no stub.
OTHER_DOORS = {
    f"fastmetrics.{name}" for name in ("cli", "dask", "data", "errors", "testing", "torch")
}
SOURCE_FOLDERS = ("fastmetrics", "tests", "benchmarks", "examples", "docs", ".ci")
IGNORED = re.compile(
    r"(^|/)(\.git|\.venv|\.[a-z_]+_cache|__pycache__|_?build|dist)(/|$)|^docs/reference/"
)


def python_files(folder: Path = PACKAGE) -> list[Path]:
    """Return every Python file under ``folder``, the known-bad ones left out."""
    return sorted(p for p in folder.rglob("*.py") if BAD not in p.parents)


def project_files() -> list[Path]:
    """Return every file of the project, the known-bad ones left out."""
    paths = [p for p in ROOT.iterdir() if p.is_file() and not p.name.startswith(".coverage")]
    for folder in SOURCE_FOLDERS:
        paths += (p for p in (ROOT / folder).rglob("*") if p.is_file())
    return sorted(
        p
        for p in paths
        if BAD not in p.parents and not IGNORED.search(p.relative_to(ROOT).as_posix())
    )


def nodes(text: str, words: Collection[str]) -> Iterator[ast.AST]:
    """Yield the nodes of a text that has one of these words: most files need no parsing."""
    if any(word in text for word in words):
        yield from ast.walk(ast.parse(text))


def imports(text: str, *words: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield line, module and imported name (None for a plain ``import``) where a word is there."""
    for node in nodes(text, words):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, None
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                yield node.lineno, module, alias.name


def looks_inside(text: str) -> list[str]:
    """Complain about what is imported from a module of the package that is not public.

    `fastmetrics` and its namespaces have the names of their stubs and no others; the other public
    modules have none that begins with an underscore.
    """
    places = {*PLACES.values(), *OTHER_DOORS}
    return [
        f"line {line}: {module} is no public module, or {name} not a name of it"
        for line, module, name in imports(text, "fastmetrics")
        if module.split(".")[0] == "fastmetrics"
        and f"{module}.{name}" not in places
        and (module not in places or (name or "").startswith("_") or _is_hidden(module, name))
    ]


def _is_hidden(module: str, name: str | None) -> bool:
    return name is not None and module not in OTHER_DOORS and PLACES.get(name) != module


def numba_stays_in_kernels(text: str) -> list[str]:
    """Complain about numba imported by a file outside ``_kernels``."""
    return [
        f"line {line}: numba is imported in _kernels/ only"
        for line, module, _ in imports(text, "numba", "llvmlite")
        if module.split(".")[0] in {"numba", "llvmlite"}
    ]


def kernels_share_a_file(text: str) -> list[str]:
    """Complain about a kernel file that imports more than numpy, numba and the decorators.

    Numba's cache of a kernel looks at the time stamp of the kernel's own file: a function or a
    constant that comes from another file may change and leave stale machine code behind. A file
    that marks nothing as a kernel, such as NumPy's twins of kernels, leaves none.
    """
    complaints: list[str] = []
    if "\n@kernel\n" not in text:
        return complaints
    for line, module, name in imports(text, "import"):
        if module == "fastmetrics._kernels._compile" and name in DECORATORS:
            continue
        if module.split(".")[0] in KERNEL_MAY_IMPORT:
            continue
        complaints.append(f"line {line}: a kernel file imports {module} ({name})")
    return complaints


def _options(node: ast.AST) -> Iterator[tuple[object, ast.expr]]:
    """Yield the names and values of a keyword argument or of a written-out dictionary."""
    if isinstance(node, ast.keyword):
        yield node.arg, node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            yield (key.value if isinstance(key, ast.Constant) else None), value


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _writes_config(node: ast.AST) -> bool:
    stores = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    return stores and isinstance(node.value, ast.Attribute) and node.value.attr == "config"


def one_decorator(text: str, *, is_compile_file: bool = False) -> list[str]:
    """Complain about a kernel compiled in another way than by ``@kernel``, or with loose flags."""
    complaints = []
    for node in nodes(text, {*COMPILERS, "config", "parallel", "fastmath"}):
        line = getattr(node, "lineno", 0)
        name = getattr(node, "attr", getattr(node, "id", getattr(node, "name", None)))
        if not is_compile_file and name in COMPILERS:
            complaints.append(f"line {line}: {name} is used; `@kernel` of _compile.py compiles")
        if _writes_config(node):
            complaints.append(f"line {line}: numba.config is written to")
        complaints += (
            f"line {line}: {option} is switched on"
            for option, value in _options(node)
            if option in {"parallel", "fastmath"} and not _is_false(value)
        )
    return complaints


def floors_do_not_use_the_face(text: str) -> list[str]:
    """Complain about a module that reaches its own floor, or a higher one, by ``fastmetrics``.

    The public face resolves names on first use, so the import linter cannot see through it.
    """
    modules = {p.stem for p in PACKAGE.iterdir()}
    return [
        f"line {line}: imports {name or module} from the public face"
        for line, module, name in imports(text, "import fastmetrics", "fastmetrics import")
        if module == "fastmetrics" and name not in modules
    ]


def imports_are_written_as_imports(text: str) -> list[str]:
    """Complain about a module that is reached by a text: the import linter does not see it."""
    complaints = []
    for node in nodes(text, {"import_module", "__import__"}):
        name = getattr(node, "attr", getattr(node, "id", getattr(node, "name", None)))
        if name in {"import_module", "__import__"}:
            complaints.append(f"line {getattr(node, 'lineno', 0)}: {name} hides an import")
    return complaints


def one_way_to_warn(text: str) -> list[str]:
    """Complain about a warning that is not left to `warn_user`, which finds the user's line."""
    complaints = [
        f"line {line}: {name} is imported from warnings"
        for line, module, name in imports(text, "warnings")
        if module == "warnings" and name == "warn"
    ]
    for node in nodes(text, ["warnings.warn"]):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "warnings.warn":
            complaints.append(f"line {node.lineno}: warnings.warn; `warn_user` of errors.py warns")
    return complaints


def not_too_long(text: str) -> list[str]:
    """Complain about a file of more than 800 lines."""
    lines = len(text.splitlines())
    return [f"{lines} lines, at most {MAX_LINES}"] if lines > MAX_LINES else []


def rooms() -> list[Path]:
    """Return every folder of the package that holds modules."""
    return sorted({path.parent for path in python_files()})


def not_too_many(files: Collection[Path]) -> list[str]:
    """Complain about a room of more than 20 files, its ``__init__.py`` not counted."""
    count = len({path.name for path in files} - {"__init__.py"})
    return [f"{count} files, at most {MAX_FILES}"] if count > MAX_FILES else []


def says_who_lives_there(text: str) -> list[str]:
    """Complain about an ``__init__.py`` that does not say what its room is for, and may import."""
    docstring = ast.get_docstring(ast.parse(text)) or ""
    return [] if len(docstring.splitlines()) > 1 else ["its docstring has fewer than two lines"]


def face_names_its_homes(stub: Path, module: str) -> list[str]:
    """Complain about a public name listed twice, under another name, or not where it is defined."""
    package = module if stub.stem == "__init__" else module.rpartition(".")[0]
    listed = [
        (alias, importlib.util.resolve_name("." * node.level + node.module, package))
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    ]
    names = [alias.name for alias, _ in listed]
    complaints = [
        f"{name} is listed twice" for name in dict.fromkeys(names) if names.count(name) > 1
    ]
    for alias, home in listed:
        if alias.asname != alias.name:  # type checkers take it for private
            complaints.append(f"{alias.name} is not listed as {alias.name}")
        defined = getattr(inspect.unwrap(public(alias.name)), "__module__", None)
        if defined != home:
            complaints.append(f"{alias.name} is defined in {defined}, listed in {home}")
    return complaints


# Written as patterns, so that this file does not offend against itself.
_LEFTOVERS = {
    "an absolute path of one machine": re.compile(
        r"(?<![\w.:/$}>-])/(?:home|root|Users|work|srv|mnt|scratch|opt|workspace)/[\w.-]+"
        r"|\b[A-Z]:\\+Users\\"
    ),
    "a package index": re.compile(r"index[-_]url|find[-_]links|trusted[-_]host", re.IGNORECASE),
    "coverage switched off": re.compile(r"pragma:\s*no\s+cover"),
    # With a message it is an answer: scikit-learn too refuses a few combinations that way.
    "a stub": re.compile(r"\braise NotImplemented(?=Error\s*($|#))|\bTO(?=DO\b)|\bFIX(?=ME\b)"),
}


def nothing_left_over(text: str, own_paths: tuple[str, ...] = ()) -> list[str]:
    """Complain about paths of this machine, package indexes, and work left undone."""
    complaints = []
    for number, line in enumerate(text.splitlines(), 1):
        complaints += (
            f"line {number}: {what}: {match[0]}"
            for what, pattern in _LEFTOVERS.items()
            if (match := pattern.search(line))
        )
        complaints += (f"line {number}: {path}" for path in own_paths if path in line)
    return complaints


_BLOCK = re.compile(r"<!-- benchmarks:start -->\n(.*?)<!-- benchmarks:end -->", re.DOTALL)


def same_benchmarks(readme: str, published: str) -> list[str]:
    """Complain about lines of the README's table of speed that docs/benchmarks.md does not have."""
    ours = _BLOCK.findall(readme)
    theirs = _BLOCK.findall(published)
    if not ours and not theirs:
        return []
    if len(ours) > 1 or len(theirs) != 1:
        return [f"{len(ours)} blocks in the README, {len(theirs)} in docs/benchmarks.md"]
    if not ours:
        return []
    allowed = {*published.splitlines()}
    return [
        f"not what the script published: {line}"
        for line in ours[0].splitlines()
        if line not in allowed
    ]


_SCORE = re.compile(r"\d+ of \d+ \([\d.]+ %\)")


def same_mutants(contributing: str, published: str) -> list[str]:
    """Complain about a share of mutants killed that was not published."""
    told = re.findall(r"<!-- mutants:start -->\n(.*?)<!-- mutants:end -->", contributing, re.DOTALL)
    rows = [line for line in published.splitlines() if line.startswith("| all |")]
    ours, theirs = (_SCORE.findall("".join(texts)) for texts in (told, rows))
    if len(theirs) == 1 and ours == theirs:
        return []
    return [f"CONTRIBUTING.md says {ours}, docs/mutants.md {theirs}"]


def lines_gone(listed: Iterable[Mapping[str, str]], root: Path = ROOT) -> list[str]:
    """Return the lines of listed mutants that do not stand once in the package."""
    counts = Counter(
        line.strip()
        for path in (root / "fastmetrics").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    return [each["line"] for each in listed if counts[each["line"]] != 1]
