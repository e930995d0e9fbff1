"""``fastmetrics report``: files in, one page out."""

from __future__ import annotations

import argparse
from typing import Final

from fastmetrics.cli._options import EVALUATION

ABOUT: Final = "evaluate scores in files, and write one page about them (HTML)"
HELP: Final = """\
Evaluate scores in files, the same kinds of file as for evaluate, and write one page about them:
the verdict, figures, curves, calibration, decisions, slices, and a paragraph on methods. The page
is one HTML file that needs nothing else: no script, no request, and no row of the data."""

EXAMPLES: Final = """\
examples:
  fastmetrics report scores.csv --label y --score a --score b -o report.html
  fastmetrics report s.parquet --label y --score p --slice country --title "March" -o march.html
  fastmetrics report s.csv --label fraud --score p --cost-fn 20 --cost-fp 1 -o report.html
"""


_OWN: Final = """
-o, --output FILE  the page (.html); one that is there is replaced
[--title TEXT]  of the page
[--band {simultaneous,pointwise,none}]  around the curves of up to three models: where the whole
    curve lies (default), where each of its points lies by itself, or none
"""
OPTIONS: Final = _OWN + EVALUATION
DEFAULTS: Final = {
    "given": (),
    "title": "Evaluation",
    "band": "simultaneous",
    "confidence_level": 0.95,
}


def run(options: argparse.Namespace) -> str:
    """Read the files, evaluate, write the page, and say what it is."""
    import shlex

    from fastmetrics._plots._style import require_matplotlib
    from fastmetrics._report.report import check_page, report
    from fastmetrics.cli._evaluation_rows import asked, check_columns, tell_of
    from fastmetrics.cli._session import in_words, names_here, of_two, tell_skipped

    check_page(options.output)
    require_matplotlib()
    check_columns(options)
    threshold, seed = options.threshold, options.seed
    if options.bootstrap is None:  # they are of pictures
        options.seed = None
        options.threshold = None if options.metrics is None else threshold
    rows = asked(options)
    given = rows.options | {"threshold": threshold, "rng": 0 if seed is None else seed}
    with in_words(names_here(options), of_two(options, rows.labels), options.label) as texts:
        page = report(
            rows.labels,
            rows.scores,
            title=options.title,
            command=shlex.join(["fastmetrics", *options.given]),
            band=None if options.band == "none" else options.band,
            **given,
        )
        page.save(options.output)
    tell_of(page.evaluation, texts, "report")
    tell_skipped(rows.columns, "evaluated")
    said = page.verdict.split("\n")[0]
    about = f"{options.output}: {options.title}, {rows.columns.n_rows:,} rows"
    return f"{about}\n{said}\n" if said else f"{about}\n"
