"""Decisions as JUnit XML, which build servers show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

from fastmetrics._files import writing


class Case(NamedTuple):
    """A decision: where it belongs, what it is of, how it ended, and what is said of it."""

    group: str
    name: str
    outcome: Literal["", "failure", "error", "skipped"]
    said: str


def write_junit(path: str, title: str, cases: Sequence[Case], said: str) -> None:
    """Write a test case for each decision; ``said`` is of all."""
    own = {"name": title, "tests": str(len(cases))}
    for outcome, word in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        own[word] = str(sum(case.outcome == outcome for case in cases))
    suite = ET.Element("testsuite", own)
    for case in cases:
        found = ET.SubElement(suite, "testcase", classname=case.group, name=case.name, time="0")
        if case.outcome:
            ET.SubElement(found, case.outcome, message=case.said)
        ET.SubElement(found, "system-out").text = case.said
    ET.SubElement(suite, "system-out").text = said
    with writing(path) as stream:
        stream.write(ET.tostring(suite, encoding="utf-8", xml_declaration=True))
