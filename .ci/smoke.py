"""What a user gets: every public name is in the wheel, and the main jobs answer."""

from __future__ import annotations

import importlib
import sysconfig
from importlib.resources import files
from pathlib import Path

import fastmetrics as fm
from fastmetrics._lazy import public_names
from fastmetrics.cli import main

installed = Path(sysconfig.get_path("purelib"))
if installed not in Path(str(fm.__file__)).parents:
    raise SystemExit(f"not the wheel: {fm.__file__}")
for name, module in public_names().items():
    getattr(importlib.import_module(module), name)
if not files("fastmetrics").joinpath("py.typed").is_file():
    raise SystemExit("the wheel has no py.typed")

labels, scores, others = [0, 0, 1, 1] * 25, [0.1, 0.4, 0.35, 0.8] * 25, [0.9, 0.4, 0.35, 0.8] * 25
if fm.roc_auc_score(labels, scores) != 0.75:
    raise SystemExit("a wrong AUC")
comparison = fm.compare(labels, {"a": scores, "b": others}, metrics="roc_auc")
if "a is better than b in roc_auc" not in str(comparison):
    raise SystemExit(f"a wrong comparison: {comparison}")
rows = [f"{y},{s},{t}" for y, s, t in zip(labels, scores, others, strict=True)]
Path("scores.csv").write_text("\n".join(["y,a,b", *rows]), "utf-8")
for command in (
    "evaluate scores.csv --label y --score a --score b",
    "evaluate scores.csv --label y --score a --bootstrap 99 --seed 1",
    "gate scores.csv --label y --baseline b --score a --margin roc_auc=0.1",
):
    if main(command.split()):
        raise SystemExit(f"failed: {command}")
