"""The code blocks of the documents, run as a reader would run them.

A ``text`` block holds the output of the block before it. Python blocks of a document share their
names; shell blocks run in one folder, through the command line's ``main``. Blocks after
``<!-- ci:NAME -->`` are left to `.ci/run` or tests of recipes. As a program: rewrite ``text``
blocks and pictures.
"""

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (
    "README.md",
    "docs/bootstrap.md",
    "docs/classification.md",
    "docs/comparison.md",
    "docs/concordance.md",
    "docs/evaluate.md",
    "docs/evaluation-logs.md",
    "docs/gate.md",
    "docs/mission.md",
    "docs/plots.md",
    "docs/start.md",
    "docs/costs-and-calibration.md",
    "docs/ranking.md",
    "docs/scale.md",
    "docs/selection.md",
    *sorted(f"docs/how-to/{path.name}" for path in ROOT.glob("docs/how-to/[!i]*.md")),
)

_FENCE = re.compile(
    r"(?P<mark><!-- ci:\w+ -->\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```\n"
    r"(?:\n```text\n(?P<text>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """Code of a document, what it is said to print (None: nothing is said), and where that is."""

    language: str
    code: str
    text: str | None
    span: tuple[int, int]
    line: int


def blocks(document: str) -> list[Block]:
    """Return the blocks that are to be run."""
    return [
        Block(
            fence["language"],
            fence["code"],
            fence["text"],
            fence.span("text"),
            document.count("\n", 0, fence.start()) + 1,
        )
        for fence in _FENCE.finditer(document)
        if fence["mark"] is None and fence["language"] in ("python", "bash")
    ]


def output_of(block: Block, names: dict[str, Any]) -> str:
    """Run a block in the present folder; return what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        if block.language == "python":
            exec(compile(block.code, f"line {block.line}", "exec"), names)
        else:
            _run_commands(block.code)
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines()) + "\n"


def _run_commands(code: str) -> None:
    from fastmetrics.cli import main

    for command in code.replace("\\\n", " ").splitlines():
        program, *arguments = shlex.split(command, comments=True)
        if program != "fastmetrics":
            raise ValueError(f"the documents run fastmetrics, not {program!r}")
        error = io.StringIO()
        with contextlib.redirect_stderr(error):
            code_of_exit = main(arguments)
        if code_of_exit or error.getvalue():
            raise ValueError(f"{command}: exit code {code_of_exit}: {error.getvalue()}")


def complaints(document: str) -> list[str]:
    """Run every block in the present folder; return where it does not print what it should."""
    names: dict[str, Any] = {}
    messages = []
    for block in blocks(document):
        printed = output_of(block, names)
        if block.text is not None and printed != block.text:
            messages.append(f"line {block.line}: it prints\n{printed}and not\n{block.text}")
    return messages


def rewritten(document: str) -> str:
    """Return the document with what its blocks print."""
    names: dict[str, Any] = {}
    parts = []
    end = 0
    for block in blocks(document):
        printed = output_of(block, names)
        if block.text is not None:
            parts += [document[end : block.span[0]], printed]
            end = block.span[1]
    return "".join([*parts, document[end:]])


def pictures(document: str) -> list[str]:
    """Return the names of the pictures that a document shows, which its blocks write."""
    return re.findall(r"!\[[^]]*\]\(figures/([\w.]+)\)", document)


def make_files(folder: Path) -> None:
    """Write the files that the README's commands name."""
    rng = np.random.default_rng(0)
    y = (np.arange(400) % 3 == 0).astype(np.int8)
    scores = {f"model_{name}": rng.normal(size=400) + y for name in "ab"}
    country = ["NO", "SE", "NO", "DK"] * 100
    pq.write_table(pa.table({"y": y, "country": country} | scores), folder / "scores.parquet")
    payments = {"fraud": y, "amount": rng.integers(5, 500, 400), "p": rng.random(400)}
    pa.csv.write_csv(pa.table(payments), folder / "payments.csv")
    tags = {name: y[::step] for name, step in (("sea", 1), ("sky", -1))}
    draw = np.random.default_rng(2).beta  # what is drawn below stays what it was
    probabilities = {f"p_{name}": draw(1 + tag, 2 - tag) for name, tag in tags.items()}
    pq.write_table(pa.table(tags | probabilities), folder / "tags.parquet")
    (folder / "parts").mkdir()
    words = {"outcome": np.where(y, "yes", "no"), "country": ["NO", "SE"] * 200}
    table = pa.table(words | {"p": rng.random(400)})
    for part in range(2):
        pa.csv.write_csv(table.slice(200 * part, 200), folder / "parts" / f"{part}.csv")
    _make_logs(folder, rng)


def _make_logs(folder: Path, rng: np.random.Generator) -> None:
    """Write logs of two models by lm-evaluation-harness, one of Inspect, and a table of tries."""
    for model, share in (("old", 0.5), ("new", 0.7)):
        lines = [
            {"doc_id": k, "filter": name, "exact_match": float(rng.random() < share)}
            for name in ("strict-match", "flexible-extract")
            for k in range(200)
        ]
        (folder / model).mkdir()
        text = "\n".join(map(json.dumps, lines))
        (folder / model / "samples_gsm8k.jsonl").write_text(text, "utf-8")
    tries = [(item, epoch) for item in range(40) for epoch in range(1, 6)]
    solved = rng.random(200) < np.repeat(rng.random(40), 5)
    with zipfile.ZipFile(folder / "run.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "maker/model"}}))
        for (item, epoch), right in zip(tries, solved, strict=True):
            score = {"match": {"value": "C" if right else "I"}}
            sample = {"id": item, "epoch": epoch, "scores": score}
            archive.writestr(f"samples/{item}_epoch_{epoch}.json", json.dumps(sample))
    columns = {
        "model": ["a"] * 100 + ["b"] * 100,
        "question": [item for item, _ in tries[:100]] * 2,
        "try": [epoch for _, epoch in tries[:100]] * 2,
        "document": [item // 2 for item, _ in tries[:100]] * 2,
        "solved": solved,
    }
    pq.write_table(pa.table(columns), folder / "tries.parquet")


def _rewrite() -> None:
    for name in DOCUMENTS:
        path = ROOT / name
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            make_files(Path(folder))
            text = path.read_text("utf-8")
            path.write_text(rewritten(text), "utf-8")
            for picture in pictures(text):
                shutil.copyfile(picture, path.parent / "figures" / picture)
            os.chdir(ROOT)


if __name__ == "__main__":
    _rewrite()
