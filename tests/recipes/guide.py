"""What the guide on large data shows, for tests that run it on engines."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "docs" / "scale.md"
_BLOCK = re.compile(r"(?:<!-- ci:(\w+) -->\n)?^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def recipe(name: str) -> str:
    """Return the block after ``<!-- ci:NAME -->``."""
    (code,) = (code for mark, code in _BLOCK.findall(PATH.read_text("utf-8")) if mark == name)
    return str(code)


def definitions() -> str:
    """Return imports, functions and the shared layout of all other blocks, as a module."""
    blocks = [code for mark, code in _BLOCK.findall(PATH.read_text("utf-8")) if not mark]
    kept = [
        node
        for code in blocks
        for node in ast.parse(code).body
        if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)
        or ast.unparse(node).startswith("layout = fm.BinLayout.of_bits()")
    ]
    return ast.unparse(ast.Module(kept, []))
