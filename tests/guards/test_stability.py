"""docs/stability.md gives each public module a status and names what exists."""

import re
import tomllib

import pytest

import rules
from public import NAMESPACES, PLACES

pytestmark = pytest.mark.source_tree

PAGE = (rules.ROOT / "docs" / "stability.md").read_text("utf-8")


def test_every_public_module_has_a_status() -> None:
    table = "".join(line for line in PAGE.splitlines() if line.startswith("|"))
    assert set(re.findall(r"`fastmetrics\.(\w+)`", table)) == {*NAMESPACES, "dask", "torch"}


def test_provisional_names_exist() -> None:
    listed = PAGE.partition("<!-- provisional -->")[2].partition("<!-- /provisional -->")[0]
    names = re.findall(r"`([\w.]+)\.(\w+)`", listed)
    assert len(names) > 10
    assert {name: PLACES.get(name) for _, name in names} == {name: module for module, name in names}


def test_the_job_deletes_what_the_contract_forbids() -> None:
    settings = tomllib.loads((rules.ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (core,) = (each for each in contracts if each["id"] == "core")
    job = (rules.ROOT / ".ci" / "core").read_text("utf-8")
    outer = re.search(r"^outer=\((.*)\)$", job, re.MULTILINE)
    assert outer is not None
    assert {f"fastmetrics.{each}" for each in outer[1].split()} == set(core["forbidden_modules"])
