"""``fastmetrics warmup``: kernels compiled ahead."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Final

ABOUT: Final = "compile kernels ahead of their first use, and say how long it took"


def run(_: argparse.Namespace) -> str:
    """Compile kernels; return how many groups there are and how long it took."""
    from fastmetrics.cli._warmup import compile_all

    show = sys.stderr.isatty()
    start = time.perf_counter()
    count = 0
    try:
        for what, seconds in compile_all():
            count += 1
            if show:
                sys.stderr.write(f"\r\x1b[K{count:3d}  {what}  {seconds:.1f} s")
                sys.stderr.flush()
    finally:
        if show:
            sys.stderr.write("\r\x1b[K")
    return f"{count} groups of kernels ready in {time.perf_counter() - start:.1f} s\n"
