"""The site: every guide is on it, every public name has its page, and no warning."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import public
import rules

DOCS = rules.PACKAGE.parent / "docs"


@pytest.mark.source_tree
def test_every_page_is_on_the_site() -> None:
    named: set[str] = set()
    for part in ("index", "guides", "trust", "developers"):
        text = (DOCS / f"{part}.md").read_text(encoding="utf-8")
        trees = "\n".join(re.findall(r"```\{toctree\}(.*?)```", text, re.DOTALL))
        named |= {line for line in trees.splitlines() if re.fullmatch(r"[\w/*-]+", line)}
    pages = {path.stem for path in DOCS.glob("*.md")}
    assert pages - {"index"} <= named
    assert named - {"coverage/*", "reference/index"} <= pages


@pytest.mark.docs
def test_it_builds_without_warnings(tmp_path) -> None:
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run(
        [*command, str(DOCS), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    pages = {path.stem for path in (tmp_path / "reference").glob("*.html")}
    assert {f"{place}.{name}" for name, place in public.PLACES.items()} <= pages
