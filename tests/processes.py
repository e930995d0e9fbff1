"""Python and the program as processes of their own."""

import os
import subprocess
import sys
from typing import Any


def environment(**extra: str) -> dict[str, str]:
    """Return this process's environment with the places that it imports from."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **extra}


def python(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python to its end; return its status and all that it printed."""
    given = {"capture_output": True, "text": True, "timeout": 60, "env": environment()}
    return subprocess.run([sys.executable, *arguments], check=False, **(given | options))


def started(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start Python with pipes to its outputs."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    given = {"env": environment()} | pipes | options
    return subprocess.Popen([sys.executable, *arguments], **given)
