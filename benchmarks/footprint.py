"""What an installation weighs and how long it takes to wake: writes ``docs/footprint.md``.

``python -m benchmarks.footprint``: the wheel and the sdist, built twice and compared byte by byte;
the dependencies; the seconds of imports and first calls in fresh processes, each the median of
several; and what happens where numba is missing.
"""

from __future__ import annotations

import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import distribution
from pathlib import Path

from benchmarks.speed.processes import ROOT

TARGET = ROOT / "docs" / "footprint.md"
ROUNDS = 7
DEPENDENCIES = ("numpy", "scipy", "numba", "llvmlite", "narwhals")

_DATA = """
import numpy as np
rng = np.random.default_rng(0)
y = rng.random({n}) < 0.3
score = rng.normal(size={n}) + y
"""
_IMPORT = (
    "import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
)
_FIRST = (
    _DATA
    + """
import time
start = time.perf_counter()
import fastmetrics as fm
{call}
print(time.perf_counter() - start)
"""
)
CALLS = {
    "AUC of 600 rows": (600, "fm.roc_auc_score(y, score)"),
    "AUC with its interval, 600 rows": (600, "fm.estimate(y, score, metrics='roc_auc')"),
    "AUC of 10⁶ rows": (1_000_000, "fm.roc_auc_score(y, score)"),
    "`evaluate` of 10⁶ rows": (1_000_000, "fm.evaluate(y, score)"),
    "AUC of 10⁷ rows": (10_000_000, "fm.roc_auc_score(y, score)"),
}


def build(folder: Path) -> dict[str, bytes]:
    """Build the wheel and the sdist; return them by name."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def packages() -> list[tuple[str, int, str]]:
    """Return name, bytes and hash of what is built, which two builds must agree on."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        one = build(Path(first))
        time.sleep(2.1)  # zip archives count in steps of two seconds
        other = build(Path(second))
    if one != other:
        raise SystemExit("two builds of one checkout differ")
    return [(name, len(data), hashlib.sha256(data).hexdigest()[:12]) for name, data in one.items()]


def weight(name: str) -> tuple[str, int]:
    """Return the version of a dependency and the bytes of its files."""
    found = distribution(name)
    files = [Path(str(file.locate())) for file in found.files or ()]
    return found.version, sum(path.stat().st_size for path in files if path.is_file())


def python(code: str, cache: str | None = None) -> tuple[int, str]:
    """Run code in a fresh process; return its exit status and the last line that it printed."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    environment |= {} if cache is None else {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, (done.stdout or done.stderr).strip().splitlines()[-1]


def seconds(code: str, cache: str | None = None, rounds: int = ROUNDS) -> float:
    """Return the median of what fresh processes print, after one that warms the disk."""
    found = [float(python(code, cache)[1]) for _ in range(rounds + 1)]
    return statistics.median(found[1:])


def times() -> list[tuple[str, float, float | None]]:
    """Return what is timed with its seconds: compiled code in the cache, and an empty cache."""
    rows: list[tuple[str, float, float | None]] = [
        (f"`import {module}`", seconds(_IMPORT.format(module=module)), None)
        for module in ("numpy", "fastmetrics")
    ]
    for name, (n, call) in CALLS.items():
        code = _FIRST.format(n=n, call=call)
        with tempfile.TemporaryDirectory() as cache:
            cold = float(python(code, cache)[1])
            rows.append((name, seconds(code, cache), cold))
    return rows


def page() -> str:
    """Return the page."""
    built = "\n".join(f"| `{name}` | {size / 1e6:.2f} MB |" for name, size, _ in packages())
    needs = {name: weight(name) for name in DEPENDENCIES}
    deps = "\n".join(f"| {name} {v} | {size / 1e6:.0f} MB |" for name, (v, size) in needs.items())
    whole = sum(size for _, size in needs.values()) / 1e6
    timed = "\n".join(
        f"| {name} | {warm:.2f} s | {'' if cold is None else f'{cold:.1f} s'} |"
        for name, warm, cold in times()
    )
    return f"""# What it weighs, and how long it takes to wake

Written by `python -m benchmarks.footprint`: Python {sys.version.split()[0]},
{os.cpu_count()} cores.

| package | size |
|---|---|
{built}

Two builds of one checkout are the same to the byte.

| dependency | installed |
|---|---|
{deps}

{whole:.0f} MB in all. Importing fastmetrics imports none of them: NumPy, numba, SciPy and
matplotlib are imported by the first call that needs them. A process of its own from the import to
the answer, the median of {ROUNDS}; and one where nothing was compiled before, as once in an
installation (`fastmetrics warmup` does it ahead; a notice says so after two seconds):

| import and first call | compiled before | never compiled |
|---|---|---|
{timed}

**Why numba?** The loops that matter (pairs across two sorted classes, counts of a replicate in
sorted order, sums over tie groups) are no calls of NumPy, and extensions compiled ahead would need
a wheel for each platform. [rationale.md](rationale.md) says more.
"""


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
    print(TARGET.relative_to(ROOT))
