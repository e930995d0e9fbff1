"""The page of `estimate` and `compare`: coverage, misses, widths and scores, scene by scene."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.coverage import claim, estimates
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import method_name, show_coverage, show_share, table
from benchmarks.coverage.study import Study

_HEADS = (
    "scene",
    "true",
    "coverage, %",
    "below",
    "above",
    "median width",
    "mean",
    "score",
    "best that covers",
    "its coverage, %",
    "its median width",
    "score ÷ best",
)


def section(study: Study) -> str:
    """Return the section, a heading first: a table for each metric, and the tests of two models."""
    pairs = [each for each in claim.sharpness(study) if each.default.part == estimates.PART]
    n_data = max(each.default.n_data for each in pairs)
    texts = [
        "## `estimate` and `compare`\n",
        _HEAD.format(n_data=n_data),
    ]
    for metric in dict.fromkeys(each.default.metric for each in pairs):
        of_metric = [each for each in pairs if each.default.metric == metric]
        texts.append(f"### {claim.metric_title(metric)}\n\n{scene_table(of_metric)}")
    return "\n".join([*texts, "### Size and power of `compare`\n", _tests(study)])


def scene_table(pairs: Sequence[claim.Sharpness]) -> str:
    """Write a line for each scene; "held out" stands before those no constant was chosen on."""
    lines = []
    for pair in sorted(pairs, key=lambda pair: pair.is_held_out):
        row, best = pair.default, pair.best
        rival = ["none", "–", "–"]
        if best is not None:
            rival = [method_name(best.method), show_coverage(best), f"{best.median_width:#.4g}"]
        lines.append(
            [
                "*held out:* " * pair.is_held_out + show_scene(row.scene),
                f"{row.target:.4f}",
                show_coverage(row),
                percent(row.below / row.n_data),
                percent(row.above / row.n_data),
                f"{row.median_width:#.4g}",
                f"{row.mean_width:#.4g}",
                f"{row.score:#.4g}",
                *rival,
                claim.show_ratio(pair.ratio, pair.ratio_error),
            ]
        )
    return table(_HEADS, lines)


def _tests(study: Study) -> str:
    rows = [row for row in study.tests if row.part == estimates.PART]
    cells = {(row.scene, row.test): row for row in rows}
    lines = [
        [
            show_scene(scene),
            *(show_share(cells[scene, test]) for test in estimates.COMPARED),
        ]
        for scene in dict.fromkeys(row.scene for row in rows)
    ]
    heads = ["rejected at 5 %, %", *(f"`{test}`" for test in estimates.COMPARED)]
    return table(heads, lines)


_HEAD = f"""Intervals of `estimate` without `method`, and differences of `compare`. "120 + 400" are
the positives and negatives that are expected, labels being random; the number behind the kind of
scores is the distance of the classes. Scores are normal; of unequal variances, the positives'
standard deviation being 2, or 0.1; of heavy tails (Student's t with 3 degrees of freedom); rounded
to whole numbers; of two values; with a tenth of a class around -4 (positives) or 6 (negatives);
U-shaped, the positives lying on both sides of the negatives; exponential. Probabilities are right
for normal and rounded scores; "overconfident" ones have three times the right log odds, and those
of the other scores are a logistic curve that does not fit: losses have rare large values. Clusters
differ in their share of positives and in the level of their scores; Zipf ones have 3 to 62 rows.
Weights are log-normal importances. Two models' scores correlate at {estimates.CORRELATION:g} given
the label. `matthews_corrcoef`, `f1` and the like call a score positive from half way between the
classes on; `partial_auc` is up to an FPR of {estimates.LARGEST_FPR:g}. Targets are
those of {estimates.MANY:,} rows, differences of equal models 0.

Figures are of {{n_data:,}} data sets, half as many with more than 1,500 rows, clusters or two
models; half of the data sets are resampled, and a method that resamples is
compared with the default on these. "Below" and "above" are shares of intervals that lie below or
above the true value, in %. Scores, "best" and "held out" are explained on
[the front page](../coverage.md).
"""
