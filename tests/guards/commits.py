"""Rules of commit messages, and the commits of a branch to which they apply."""

from __future__ import annotations

import subprocess
from pathlib import Path

LONGEST_SUBJECT = 72
#: So many commits of a branch are checked, the last ones: older ones may be shared already.
LAST_COMMITS = 10
#: Verbs with which a subject begins; "Speed" is followed by "up". New verbs are added here.
VERBS = frozenset(
    """
    Add Bound Cache Change Check Compare Compute Count Cut Declare Document Drop Fix Format Give
    Keep Let Limit Lower Make Match Measure Merge Move Name Narrow Pin Print Raise Read Refuse
    Reject Remove Rename Replace Report Restore Return Revert Rewrite Show Simplify Skip Sort Speed
    Split Stop Store Take Test Turn Update Use Validate Warn Widen Write
    """.split()
)


def complaints(message: str) -> list[str]:
    """Complain about the subject and the body of a commit message."""
    subject, _, rest = message.strip().partition("\n")
    first = subject.split(" ", 1)[0]
    problems = []
    if first not in VERBS:
        problems.append(f"the subject begins with {first!r}, which is none of the verbs")
    if first == "Speed" and not subject.startswith("Speed up "):
        problems.append("the subject begins with 'Speed' without 'up'")
    if len(subject) > LONGEST_SUBJECT:
        problems.append(f"the subject has {len(subject)} characters, more than {LONGEST_SUBJECT}")
    if subject.endswith("."):
        problems.append("the subject ends with a full stop")
    if not rest.strip():
        problems.append("there is no body that says why")
    elif not rest.startswith("\n"):
        problems.append("no blank line follows the subject")
    return problems


def messages_of_branch(checkout: Path, bases: tuple[str, ...]) -> dict[str, str]:
    """Return the last messages since the merge base by short hash, the newest first, no merges.

    `bases` are names of the main branch, the first that exists counts. The result is empty on the
    main branch, without git or a checkout, and where the history ends before the merge base.
    """
    for base in bases:
        fork = _git(checkout, "merge-base", "HEAD", base)
        if fork is not None:
            span = (f"-{LAST_COMMITS}", "--no-merges", f"{fork}..HEAD")
            log = _git(checkout, "log", "--format=%h%x00%B%x01", *span) or ""
            entries = [entry.strip().partition("\0") for entry in log.split("\x01")]
            return {name: text for name, _, text in entries if name}
    return {}


def _git(checkout: Path, *arguments: str) -> str | None:
    """Return the output of git in a checkout, None where git is missing or fails."""
    try:
        done = subprocess.run(
            ("git", "-C", str(checkout), *arguments),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
