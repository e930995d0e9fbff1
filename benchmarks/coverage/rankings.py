"""The part of the study on rankings: means over queries, and tests of two systems."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import fastmetrics
from benchmarks.coverage.findings import show_scene
from benchmarks.coverage.layout import interval_tables, show_share, table
from benchmarks.coverage.measured import Cost, Measured, Study
from benchmarks.coverage.scenes import RANKINGS, Data

_FUNCTIONS = {
    "map": "mean_average_precision",
    "mrr": "mean_reciprocal_rank",
    "precision": "precision_at_k",
    "hit_rate": "hit_rate_at_k",
}


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep intervals over queries, and the paired tests of systems that are alike or not."""
    given = {"query": data.groups, "n_threads": 1}
    systems = {"model": data.scores, "worse": data.others["worse"]}
    found = fastmetrics.compare(data.labels, systems, metrics=RANKINGS, **given)
    for metric in RANKINGS:
        own, other = (_values(metric, data, scores) for scores in systems.values())
        kept = ~np.isnan(own)
        for name, part, values in (
            (metric, found[metric]["model"], own[kept]),
            (f"{metric} difference", found[metric]["model", "worse"], (own - other)[kept]),
        ):
            out.intervals[name, "t"] = tuple(part.confidence_interval)
            for method in ("percentile", "basic", "bca"):
                out.intervals[name, method] = (math.nan, math.nan)
                if np.ptp(values) > 0.0:
                    mean = fastmetrics.bootstrap(
                        values,
                        metrics="mean",
                        method=method,
                        n_resamples=cost.n_resamples,
                        rng=rng,
                        n_threads=1,
                    )["mean"]
                    out.intervals[name, method] = tuple(mean.confidence_interval)
    for hypothesis in ("equal", "worse"):
        systems = {"model": data.scores, "other": data.others[hypothesis]}
        found = fastmetrics.compare(data.labels, systems, metrics=RANKINGS, **given)
        pairs = [found[metric]["model", "other"] for metric in RANKINGS]
        every = fastmetrics.comparison.adjust_pvalues([pair.pvalue for pair in pairs])
        out.pvalues[hypothesis, "t"] = found["map"]["model", "other"].pvalue
        own, other = (_values("map", data, scores) for scores in systems.values())
        less = (own - other)[~np.isnan(own)]
        options = {"n_resamples": cost.n_exchanges, "rng": rng}
        flipped = fastmetrics.comparison.sign_flip_test(less, higher_is_better=True, **options)
        out.pvalues[hypothesis, "randomization"] = flipped.pvalue
        ranks = fastmetrics.comparison.wilcoxon_signed_rank_test(less, higher_is_better=True)
        out.pvalues[hypothesis, "wilcoxon"] = ranks.pvalue
        out.pvalues[hypothesis, "holm, any of four"] = float(every.min())


def _values(metric: str, data: Data, scores: np.ndarray) -> np.ndarray:
    """Return the values of the queries by one of `RANKINGS`."""
    name, _, k = metric.partition("@")
    function = getattr(fastmetrics.ranking, _FUNCTIONS.get(name, name))
    cutoff = {"k": int(k)} if k else {}
    return np.asarray(function(data.labels, scores, query=data.groups, per_query=True, **cutoff))


RANKED = """Queries of 20 items, 15 % of them relevant; how much relevance adds to a score is
Gamma(2, 1/2) times that of the first design, anew for each query. "t" is what `estimate` and
`compare` say: Student's t, of means on the logit scale, and Wilson's interval for hit
rates, whose values are 0 and 1. The others are of `bootstrap` of the values of the queries. Tests
are those of `map`; "any of four" is a rejection by any of the four metrics after the adjustment
for these. Figures are of {n_data:,} data sets each.
"""


def section(study: Study, hypotheses: Mapping[str, str]) -> str:
    """Write intervals over queries, and how often paired tests of two systems reject."""
    first = study.find("rankings", RANKINGS[0])[0]
    sections = [RANKED.format(n_data=first.n_data)]
    for metric in (*RANKINGS, *(f"{name} difference" for name in RANKINGS)):
        sections.append(f"### `{metric.removesuffix(' difference')}`, over queries\n")
        if metric.endswith(" difference"):
            sections[-1] = f"### Difference in `{metric.removesuffix(' difference')}`\n"
        sections.append(interval_tables(study.find("rankings", metric)))
    rows = [row for row in study.tests if row.part == "rankings"]
    scenes = list(dict.fromkeys(row.scene for row in rows))
    cell = {(row.hypothesis, row.test, row.scene): row for row in rows}
    for hypothesis in ("equal", "worse"):
        lines = [
            [f"`{test}`", *(show_share(cell[hypothesis, test, scene]) for scene in scenes)]
            for test in dict.fromkeys(row.test for row in rows)
        ]
        heads = ["rejected at 5 %, %", *map(show_scene, scenes)]
        title = hypotheses[hypothesis].replace("model", "system")
        sections.append(f"**{title}**\n\n{table(heads, lines)}")
    return "\n".join(sections)
