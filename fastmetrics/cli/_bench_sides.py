"""Two versions of a project, each in a folder of its own, and what runs benchmarks there."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

#: Where a command says that its times shall go; pytest is told without.
OUTPUT: Final = "{output}"
#: pytest, without the folder that ``python -m pytest`` would put first.
_PYTEST: Final = "import sys; del sys.path[0]; import pytest; sys.exit(pytest.main())"
_ORIGINS: Final = """\
import importlib.util, json, sys
found = {}
for name in sys.argv[1:]:
    spec = importlib.util.find_spec(name)
    found[name] = spec and (spec.origin or str(list(spec.submodule_search_locations or [])))
print(json.dumps(found))
"""
#: Folders and modules beside a package that are not what is timed.
_BESIDE: Final = frozenset(
    "benchmarks benchmark bench tests test testing docs doc examples scripts tools setup conftest "
    "noxfile tasks build dist".split()
)
_LINES: Final = 6


@dataclass
class Side:
    """A version of the project: where it lies, with what it runs."""

    name: str
    folder: Path
    python: str
    environment: Mapping[str, str]
    said: str = ""
    shared: list[str] = field(default_factory=list)

    def run(self, work: Sequence[str], output: Path) -> str:
        """Run the benchmarks in a fresh process, and return the end of what it printed.

        A process that fails is an error only where it leaves no times.
        """
        command = _command(work, self.python, output)
        done = _call(command, self.folder, self.environment)
        if not output.exists() or not output.stat().st_size:
            raise ValueError(
                f"{self.name}: {shlex.join(work)} ended with {done.returncode} and wrote no times. "
                f"Its last lines: {_end(done)}"
            )
        return f"ended with {done.returncode}: {_end(done)}" if done.returncode else ""

    def origins(self, names: Sequence[str]) -> dict[str, str | None]:
        """Return where the interpreter of this side finds packages."""
        with TemporaryDirectory() as elsewhere:
            done = _call([self.python, "-c", _ORIGINS, *names], Path(elsewhere), self.environment)
        if done.returncode:
            raise ValueError(f"{self.name}: {self.python} cannot look for packages: {_end(done)}")
        found: dict[str, str | None] = json.loads(done.stdout.splitlines()[-1])
        return found


def _call(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def _end(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip(" =-_!") for line in done.stdout.splitlines()]
    lines = [line for line in lines if line.strip("^")]
    return " | ".join(lines[-_LINES:]) or "none"


def _command(work: Sequence[str], python: str, output: Path) -> list[str]:
    """Return the words to run: with this interpreter, and with the file for the times."""
    first, *rest = work
    name = Path(first).name
    words = [first, *rest]
    if re.fullmatch(r"python[\d.]*", name):
        words = [python, *rest]
    elif name in ("pytest", "py.test"):
        words = [python, "-c", _PYTEST, *rest]
    if any(OUTPUT in word for word in words):
        return [word.replace(OUTPUT, str(output)) for word in words]
    return [*words, f"--benchmark-json={output}"]


def check_work(work: Sequence[str]) -> None:
    """Raise if the command does not say where its times go."""
    is_pytest = any(Path(word).name in ("pytest", "py.test") for word in work[:3])
    if not is_pytest and not any(OUTPUT in word for word in work):
        raise ValueError(
            f"what is to be run is not pytest: say with {OUTPUT} where it writes its times, as in "
            f"hyperfine --export-json {OUTPUT} ..."
        )


@contextmanager
def two_sides(
    revision: str | None,
    work: Sequence[str],
    *,
    same: bool = False,
    install: str | None = None,
    pythons: Sequence[str | None] = (None, None),
    packages: Sequence[str] = (),
) -> Iterator[tuple[Side, Side]]:
    """Give the sides before and after; what they lie in goes afterwards.

    Before is a revision of the project around the current folder, after its working tree, or the
    same revision again. Without a revision only the interpreters differ.
    """
    check_work(work)
    used = [_interpreter(python) for python in pythons]
    here = Path.cwd().resolve()
    if revision is None:
        both = [
            Side(name, here, python, _environment(python, []), python)
            for name, python in zip(("before", "after"), used, strict=True)
        ]
        found = _call(["git", "rev-parse", "--show-toplevel"], here, os.environ)
        _check_apart(both, packages, here if found.returncode else Path(found.stdout.strip()))
        yield both[0], both[1]
        return
    top = Path(_git(here, "rev-parse", "--show-toplevel")).resolve()
    commit = _git(here, "rev-parse", "--verify", f"{revision}^{{commit}}")
    with TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as name:
        places = [Path(name).resolve() / each / top.name for each in ("a", "b")]
        try:
            for place, what in zip(places, (commit, commit if same else "HEAD"), strict=True):
                no_hooks = ("-c", f"core.hooksPath={os.devnull}")
                _git(top, *no_hooks, "worktree", "add", "--detach", str(place), what)
            n_changed = 0 if same else _overlay(top, places[1])
            taken = _share(top, here, work, places)
            files = "1 file" if n_changed == 1 else f"{n_changed} files"
            tree = f"the working tree, {files} not committed" if n_changed else "HEAD, as committed"
            is_named = not commit.startswith(revision)
            before = f"{revision} ({commit[:10]})" if is_named else commit[:10]
            sides = []
            for k, (place, python) in enumerate(zip(places, used, strict=True)):
                said = before if same or k == 0 else tree
                folder = place / here.relative_to(top)
                own = _installed(place, python, install) if install else None
                paths = [] if own else [place / "src", place]
                python = own or python
                environment = _environment(python, [p for p in paths if p.is_dir()], top)
                sides.append(Side(("before", "after")[k], folder, python, environment, said, taken))
            _check_apart(sides, packages, places[1])
            yield sides[0], sides[1]
        finally:
            for place in places:
                _call(["git", "worktree", "remove", "--force", str(place)], top, os.environ)
            _call(["git", "worktree", "prune"], top, os.environ)


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = _call(["git", *arguments], folder, os.environ)
    except FileNotFoundError:
        raise ValueError("git is not installed: a revision cannot be taken") from None
    if done.returncode:
        raise ValueError(f"git {arguments[0]}: {_end(done)}")
    return done.stdout.strip()


def _interpreter(python: str | None) -> str:
    if python is None:
        return sys.executable
    found = shutil.which(python)
    if found is None:
        raise ValueError(f"{python}: no such interpreter")
    return os.path.abspath(found)  # not resolved: a virtual environment is told by its link


def _environment(python: str, first: Sequence[Path], top: Path | None = None) -> dict[str, str]:
    """Return the variables of a side: its interpreter and its folders come first."""
    found = dict(os.environ)
    found["PATH"] = os.pathsep.join((os.path.dirname(python), os.environ.get("PATH", "")))
    theirs = (top, top / "src") if top else ()
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = [path for path in given if path and Path(path).resolve() not in theirs]
    paths = [*map(str, first), *kept]
    found.pop("PYTHONPATH", None)
    return found | ({"PYTHONPATH": os.pathsep.join(paths)} if paths else {})


def _overlay(top: Path, place: Path) -> int:
    """Bring what is not committed into a folder; return how many files that are."""
    changed = _git(top, "diff", "--name-only", "-z", "HEAD").split("\0")
    new = _git(top, "ls-files", "-z", "--others", "--exclude-standard").split("\0")
    names = [name for name in (*changed, *new) if name and not (top / name).is_dir()]
    for name in names:
        source, target = top / name, place / name
        if source.is_symlink() or source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
        else:
            target.unlink(missing_ok=True)
    return len(names)


def _share(top: Path, here: Path, work: Sequence[str], places: Sequence[Path]) -> list[str]:
    """Give both sides the benchmarks that the command names, as they are in the working tree.

    What holds a package is not taken: that is what is compared.
    """
    packages = _packages(top)
    taken = []
    for word in work[1:]:
        path = (here / word.split("::")[0]).resolve()
        if not word or word.startswith("-") or not path.exists() or top not in path.parents:
            continue
        if any(path == package or path in package.parents for package in packages):
            continue
        name = path.relative_to(top)
        for place in places:
            target = place / name
            if target.is_dir():
                shutil.rmtree(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(path, target, ignore=ignored)
            else:
                shutil.copy2(path, target)
        taken.append(str(name))
    return taken


def _packages(top: Path) -> list[Path]:
    """Return the packages and modules of a project that benchmarks may be of."""
    found: list[Path] = []
    for base in (top, top / "src"):
        if base.is_dir():
            found += (path for path in sorted(base.iterdir()) if (path / "__init__.py").is_file())
            found += sorted(base.glob("*.py"))
    return [path for path in found if path.stem.isidentifier() and path.stem not in _BESIDE]


def _check_apart(sides: Sequence[Side], packages: Sequence[str], top: Path) -> None:
    """Raise if both sides would import the same code: of packages named, or of all there are."""
    packages = packages or [path.stem for path in _packages(top)]
    before, after = (side.origins(packages) for side in sides)
    for name in packages:
        if before[name] is not None and before[name] == after[name]:
            raise ValueError(
                f"both sides would import {name} from {before[name]}: nothing would be compared. "
                "Install each side with --install, as --install 'pip install .', or say with "
                "--package what is compared"
            )


def _installed(place: Path, python: str, install: str) -> str:
    """Make a virtual environment beside a folder, install into it, and return its interpreter.

    Behind its own packages it sees those of the interpreter that made it.
    """
    folder = place.parent / "environment"
    done = _call([python, "-m", "venv", "--without-pip", str(folder)], place, os.environ)
    if done.returncode:
        raise ValueError(f"no virtual environment could be made: {_end(done)}")
    own = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    outer, inner = (
        _call([each, "-c", ask], place.parent, os.environ).stdout.strip() for each in (python, own)
    )
    line = f"import site; site.addsitedir({outer!r})\n"
    (Path(inner) / "behind.pth").write_text(line, encoding="utf-8")
    words = shlex.split(install)
    if not words:
        raise ValueError("--install is empty")
    if words[0] in ("pip", "pip3"):
        words = [own, "-m", "pip", *words[1:]]
    elif words[0] == "python":
        words = [own, *words[1:]]
    done = _call(words, place, _environment(own, []))
    if done.returncode:
        raise ValueError(f"{install} ended with {done.returncode}: {_end(done)}")
    return own
