"""The last commits of a branch have subjects and bodies that the rules allow."""

import subprocess
from pathlib import Path

import pytest

import commits
import rules

pytestmark = pytest.mark.source_tree
BASES = ("origin/main", "main")


def git(folder: Path, *arguments: str) -> None:
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", str(folder), *author, *arguments), check=True, capture_output=True)


def test_the_last_commits_of_this_branch_keep_the_rules() -> None:
    messages = commits.messages_of_branch(rules.ROOT, BASES)
    by_commit = {name: commits.complaints(text) for name, text in messages.items()}
    assert not {name: what for name, what in by_commit.items() if what}


def test_bad_messages_are_caught() -> None:
    bad = (rules.BAD / "commits.txt").read_text(encoding="utf-8").split("-----\n")
    problems = [commits.complaints(message) for message in bad]
    assert [len(each) for each in problems] == [1] * len(bad)
    parts = ("'Fixes'", "'up'", "more than 72", "full stop", "no body", "no blank line", "'What'")
    assert all(part in each for part, (each,) in zip(parts, problems, strict=True))
    assert not commits.complaints("Speed up the sort\n\nOne pass: 0.41 instead of 0.47.\n")


def test_commits_since_the_merge_base_are_read(tmp_path) -> None:
    assert commits.messages_of_branch(tmp_path, BASES) == {}  # no checkout
    git(tmp_path, "init", "-b", "main")
    git(tmp_path, "commit", "--allow-empty", "-m", "First")
    assert commits.messages_of_branch(tmp_path, BASES) == {}  # the main branch itself
    git(tmp_path, "switch", "-c", "branch")
    for number in range(commits.LAST_COMMITS + 1):
        git(tmp_path, "commit", "--allow-empty", "-m", f"Add {number}", "-m", "It was missing.")
    messages = commits.messages_of_branch(tmp_path, BASES)
    assert len(messages) == commits.LAST_COMMITS
    assert next(iter(messages.values())) == f"Add {commits.LAST_COMMITS}\n\nIt was missing."
    git(tmp_path, "branch", "-D", "main")
    assert commits.messages_of_branch(tmp_path, BASES) == {}  # no main branch to compare with


def test_without_git_nothing_is_checked(monkeypatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert commits.messages_of_branch(rules.ROOT, BASES) == {}
