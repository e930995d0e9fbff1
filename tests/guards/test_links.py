"""Links of the documents lead somewhere: to a file that is there, and a heading in it."""

import re
from pathlib import Path

import pytest

import rules

pytestmark = pytest.mark.source_tree
ROOT = rules.PACKAGE.parent
PAGES = (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
_CODE = re.compile(r"^(```+)\w*.*?^\1$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and MyST make them."""
    prose = re.sub(r"^(```+)\w*.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    slugs: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", prose, re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower())
        slug = plain.strip().replace(" ", "-")
        same = sum(re.fullmatch(re.escape(slug) + r"(-\d+)?", each) is not None for each in slugs)
        slugs.add(f"{slug}-{same}" if same else slug)
    return slugs


def broken(page: Path, text: str) -> list[str]:
    """Return the relative links of a page that lead nowhere."""
    links = []
    for link in _LINK.findall(_CODE.sub("", text)):
        name, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        target = (page.parent / name) if name else page
        there = target.exists()
        if not there or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            links.append(link)
    return links


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    assert not broken(page, page.read_text(encoding="utf-8"))


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# One, `two` & three\n\n# Same\n\n# Same\n", "utf-8")
    text = "[a](none.md) [b](other.md#one-two--three) [c](other.md#same-1) [d](other.md#four)\n"
    page.write_text(text + "`[e](code.md)` [f](https://example.org) [g](#own)\n", "utf-8")
    assert broken(page, page.read_text("utf-8")) == ["none.md", "other.md#four", "#own"]
