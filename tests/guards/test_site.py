"""The site: every guide is on it, every public name has its page, and no warning."""

import re
import subprocess
import sys

import pytest

import public
import rules

DOCS = rules.PACKAGE.parent / "docs"
ROOMS = ("how-to", "coming-from")


@pytest.mark.source_tree
def test_every_page_is_on_the_site() -> None:
    named: set[str] = set()
    for part in ("index", "guides", "trust", "developers", *(f"{room}/index" for room in ROOMS)):
        text = (DOCS / f"{part}.md").read_text(encoding="utf-8")
        trees = "\n".join(re.findall(r"```\{toctree\}(.*?)```", text, re.DOTALL))
        folder = part.rpartition("/")[0]
        entries = re.findall(r"^(?:[\w -]+ <)?([\w/*-]+)>?$", trees, re.MULTILINE)
        named |= {f"{folder}/{line}".lstrip("/") for line in entries}
    files = [*DOCS.glob("*.md"), *(path for room in ROOMS for path in DOCS.glob(f"{room}/*.md"))]
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in files}
    assert pages - {"index"} <= named
    written = {"reference/index", "gallery/index", "stories/index"}  # when the site is built
    assert named - {"coverage/*"} - written <= pages


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
