"""Code of the guide on large data, for tests that run it on engines."""

import ast
import re
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "docs" / "scale.md"
_BLOCK = re.compile(r"(?:<!-- ci:(\w+) -->\n)?^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def recipe(name: str) -> str:
    """Return the block after ``<!-- ci:NAME -->``."""
    (code,) = (code for mark, code in _BLOCK.findall(PATH.read_text("utf-8")) if mark == name)
    return str(code)


def definitions(*functions: str) -> str:
    """Return these functions of all other blocks, with the shared layout, as a small module."""
    blocks = [code for mark, code in _BLOCK.findall(PATH.read_text("utf-8")) if not mark]
    nodes = [node for code in blocks for node in ast.parse(code).body]
    kept: list[ast.stmt] = [
        node
        for node in nodes
        if (isinstance(node, ast.FunctionDef) and node.name in functions)
        or ast.unparse(node).startswith("layout = fm.streams.BinLayout.of_bits()")
    ]
    named = {node.id for one in kept for node in ast.walk(one) if isinstance(node, ast.Name)}
    imports = [
        node
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        and {each.asname or each.name for each in node.names} & named
    ]
    return ast.unparse(ast.Module([*imports, *kept], []))
