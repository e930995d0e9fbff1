"""``show_versions``: what a report of a fault should say."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata
from typing import Final

#: Distributions by what readers call them.
_NEEDED: Final = {
    "fastmetrics": "fastmetrics-eval",
    "NumPy": "numpy",
    "Numba": "numba",
    "SciPy": "scipy",
}
_OPTIONAL: Final = (
    *("dask", "distributed", "duckdb", "jinja2", "matplotlib", "pandas", "polars", "pyarrow"),
    *("scikit-learn", "sqlglot", "tqdm"),
)


def version_of(name: str) -> str:
    """Return the version of a distribution that is installed; else that it is not."""
    try:
        return metadata.version(_NEEDED.get(name, name))
    except metadata.PackageNotFoundError:
        return "(not installed)"


def show_versions() -> None:
    """Print the versions of what fastmetrics runs on, for a report of a fault.

    Returns
    -------
    None

    Notes
    -----
    Nothing of the user's is printed: no path, no name of a machine.

    Examples
    --------
    >>> show_versions()
    fastmetrics...
    """
    found = {name: version_of(name) for name in _NEEDED}
    found |= {
        "Python": f"{platform.python_version()} ({sys.implementation.name})",
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "byte order": sys.byteorder,
    }
    found |= {name: version_of(name) for name in _OPTIONAL}
    for variable in ("NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT", "OMP_NUM_THREADS"):
        if variable in os.environ:
            found[variable] = os.environ[variable]
    width = max(map(len, found))
    print("\n".join(f"{name:<{width}}  {version}" for name, version in found.items()))  # noqa: T201
