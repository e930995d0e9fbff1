"""``fastmetrics demo``."""

from __future__ import annotations

from pathlib import Path

_TITLE = "Breast cancer (Wisconsin, diagnostic): 569 tumours, positive = malignant"
_CAPTION = "Scores: out-of-fold probabilities of three scikit-learn models, ten folds."
_FILE = "scores.csv"


def run(write: str | None, output_format: str) -> str:
    """Return the evaluation of the shipped data, or write the data to a file."""
    if write is not None:
        return _write(Path(write))
    from fastmetrics.cli._render import render, require_renderer
    from fastmetrics.data import load_breast_cancer_scores

    require_renderer(output_format)
    from fastmetrics.report import evaluate

    labels, scores = load_breast_cancer_scores()
    text = render(evaluate(labels, scores), output_format, title=_TITLE, captions=[_CAPTION])
    return text if output_format != "table" else text + _pointer()


def _pointer() -> str:
    return (
        "\nNext, the same from a file; then put your own in its place:\n\n"
        f"  fastmetrics demo --write {_FILE}\n"
        f"  {_evaluate_line(_FILE)}\n"
    )


def _evaluate_line(path: str) -> str:
    import shlex

    return f"fastmetrics evaluate {shlex.quote(path)} --label label --score logistic"


def _write(path: Path) -> str:
    from fastmetrics.data import read_bytes

    content = read_bytes()
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        # Asked twice, the second time has nothing to do; anything else is not ours to replace.
        if not path.is_file() or path.read_bytes() != content:
            raise FileExistsError(f"{path}: exists already, with other content") from None
    rows = content.count(b"\n") - 1
    return f"{path}: {rows} rows. Next:\n\n  {_evaluate_line(str(path))}\n"
