"""The tables of the coverage study, and what follows from them; `pages` deals them out."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.coverage import (
    calibration,
    choice,
    concordance,
    costs,
    estimates_report,
    every,
    findings,
    gates,
    guarantees,
    indirect,
    levels,
    logs,
    multilabel,
    rankings,
    recalibration,
    slices,
)
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.first_screen import first_screen
from benchmarks.coverage.layout import (
    bullets,
    interval_tables,
    method_name,
    show_coverage,
    show_share,
    show_width,
    table,
)
from benchmarks.coverage.methods import GROUPED
from benchmarks.coverage.populations import population
from benchmarks.coverage.scenes import (
    CHOSEN,
    COMPARED,
    CORRELATION,
    METRICS,
    SCENES,
    SPREAD,
    THRESHOLD,
    USER_SHARE,
    WORSE,
)
from benchmarks.coverage.study import IntervalRow, Study

TITLES = {
    "roc_auc": "AUC",
    "average_precision": "Average precision",
    "ks_statistic": "Kolmogorov-Smirnov statistic",
    "f1": "F1",
    "accuracy": "Accuracy",
    "true_positive_rate": "TPR at the best threshold",
    "false_positive_rate": "FPR at the best threshold",
}
DIFFERENCES = tuple(f"{name} difference" for name in COMPARED)
HYPOTHESES = {
    "equal": "Size: the models are exchangeable",
    "spread": "Size: the same AUC from a curve of another shape",
    "worse": "Power: the second model is worse",
}
PERMUTATIONS = tuple(f"paired_permutation_test, {what}" for what in ("ranks", "scores"))


def metric_section(study: Study, metric: str) -> str:
    """Write what there is about one metric."""
    rows = study.find("main", metric)
    lines = [findings.where_short(rows, method) for method in _plain_methods(rows)]
    lines.append(findings.which_is_better(rows))
    return f"{interval_tables(rows)}\n{bullets(lines)}"


def _plain_methods(rows: Sequence[IntervalRow]) -> list[str]:
    present = dict.fromkeys(row.method for row in rows)
    return [method for method in findings.GENERAL if method in present]


def defaults(study: Study) -> str:
    """Write which general method falls least short, for each of the two functions."""
    kinds = ("bootstrap", METRICS), ("paired_bootstrap", DIFFERENCES)
    return bullets(findings.about_default(study, *kind) for kind in kinds)


def overview(study: Study) -> str:
    """Write the table of shortfalls by metric and method."""
    methods = findings.GENERAL
    lines = []
    for metric in (*METRICS, *DIFFERENCES):
        found = {v.method: v for v in findings.comparable(study.find("main", metric))}
        overall = findings.best(found.values())
        cells = [
            f"{percent(found[m].shortfall)} ({percent(found[m].worst)})" if m in found else "–"
            for m in methods
        ]
        name = TITLES.get(metric) or f"difference in {metric.removesuffix(' difference')}"
        lines.append([name, *cells, method_name(overall.method)])
    return table(["", *(f"`{m}`" for m in methods), "best of all methods"], lines)


def tests_section(study: Study) -> str:
    """Write size and power of the tests of two models."""
    rows = [row for row in study.tests if row.part == "main"]
    scenes = list(dict.fromkeys(row.scene for row in rows))
    tests = ("paired_bootstrap", "paired_bootstrap, percentile", "delong_test", *PERMUTATIONS)
    cell = {(row.hypothesis, row.test, row.scene): row for row in rows}
    heads = ["rejected at 5 %, %", *map(show_scene, scenes)]
    texts = []
    for hypothesis, title in HYPOTHESES.items():
        lines = [
            [f"`{test}`", *(show_share(cell[hypothesis, test, scene]) for scene in scenes)]
            for test in tests
        ]
        texts.append(f"**{title}**\n\n{table(heads, lines)}")
    said = [findings.about_size(rows, test) for test in tests] + [findings.about_sizes(rows)]
    return "\n".join(texts) + "\n" + bullets(said)


def users_section(study: Study) -> str:
    """Write what happens to rows of the same users, with and without ``groups=``."""
    rows = [row for row in study.intervals if row.part == "users"]
    methods = list(dict.fromkeys(r.method for r in rows if not r.method.endswith("groups")))
    lines = []
    for metric in METRICS:
        found = {row.method: row for row in rows if row.metric == metric}
        lines += [
            [
                TITLES[metric],
                method_name(method),
                *(
                    f"{show_coverage(found[name])}; {show_width(found[name])}"
                    for name in (method, f"{method}, groups")
                ),
            ]
            for method in methods
            if method in found
        ]
    text = table(["coverage, %; mean width", "method", "rows alone", "`groups=`"], lines)
    tests = {row.test: row for row in study.tests if row.part == "users"}
    sizes = [
        [f"`{name}`", *(show_share(tests[test]) for test in (name, f"{name}, groups"))]
        for name in ("paired_bootstrap",)
    ]
    sizes_table = table(["rejected at 5 % though equal, %", "rows alone", "`groups=`"], sizes)
    alone = [row.coverage for row in rows if not row.method.endswith("groups")]
    grouped = [row.coverage for row in rows if row.method.endswith("groups")]
    return (
        f"{text}\n{sizes_table}\nWithout `groups=` coverage is {percent(min(alone))} to "
        f"{percent(max(alone))} %, with it {percent(min(grouped))} to {percent(max(grouped))} %: "
        "rows of one user are not independent, and intervals that take them to be are too "
        "narrow.\n"
    )


def bias_of_costs(study: Study) -> str:
    """Write by how much the least cost is off on average, in percent, here and left out."""
    texts = []
    for how, name in (("on the data", ", on the data"), ("left out", "")):
        metrics = {f"least cost, {prices}{name}" for prices in costs.PRICES}
        rows = [row for row in study.estimates if row.metric in metrics]
        off = [100 * (row.mean / row.target - 1) for row in rows]
        texts.append(f"{how} {min(off):+.0f} to {max(off):+.0f} %")
    return ", ".join(texts)


def costs_section(study: Study) -> str:
    """Write how intervals of thresholds, costs and net benefits cover, and those refused."""
    rows = [row for row in study.intervals if row.part == "costs"]
    texts = []
    for start, title in costs.TITLES.items():
        texts.append(f"### {title}\n")
        for metric in dict.fromkeys(row.metric for row in rows if row.metric.startswith(start)):
            chosen = [row for row in rows if row.metric == metric]
            texts.append(f"**{metric}**\n\n{interval_tables(chosen)}")
    return "\n".join(texts)


def document(study: Study) -> str:
    """Return all sections, one below the other."""
    usual = next(scene for scene in SCENES if scene.part == "main")
    users = next(scene for scene in SCENES if scene.users)
    truth = population(usual)
    sections = ["# Coverage of the intervals, size and power of the tests\n"]
    sections += [table(["you have", "call", "expect"], first_screen(study)), FIRST]
    sections += [HEAD.format(study=study), "## In short\n", RULE, defaults(study)]
    sections += [overview(study), OVERVIEW]
    for metric in METRICS:
        sections += [f"## {TITLES[metric]}\n", metric_section(study, metric)]
        if metric == "average_precision":
            sections.append(f"Bias. {findings.about_bias(study, metric)}.\n")
        if metric == "ks_statistic":
            bias = findings.about_bias(study, metric)
            mended = findings.about_ks(study.find("main", metric))
            sections.append(KS.format(bias=bias, mended=mended))
    sections.append("## Differences between two models\n")
    for metric in DIFFERENCES:
        name = metric.removesuffix(" difference")
        sections += [f"### In `{name}`\n", metric_section(study, metric)]
    sections += ["## Tests of two models\n", TESTS, tests_section(study)]
    sections += [each.section(study) for each in (estimates_report, every, levels)]
    sections += ["## Rows of the same users\n", users_section(study)]
    sections += ["## Few groups, and groups of unlike sizes\n", GROUPS]
    for metric in GROUPED:
        sections += [f"### {TITLES[metric]}, groups\n"]
        sections.append(interval_tables(study.find("groups", metric)))
    weighed = study.find("weights", "roc_auc")
    sections += ["## Weights\n", WEIGHTS.format(n_data=weighed[0].n_data)]
    for metric in GROUPED:
        sections += [f"### {TITLES[metric]}, weights\n"]
        sections.append(interval_tables(study.find("weights", metric)))
    sections += ["## Rates at a threshold chosen on the same rows\n", CHOICE]
    for metric in CHOSEN:
        sections += [f"### {TITLES[metric]}\n", interval_tables(study.find("choice", metric))]
    sections += choice.of_two_models(study, HYPOTHESES)
    one = study.find("costs", "least cost, amounts")[0]
    head = COSTS.format(
        n_data=one.n_data,
        n_resamples=2 * study.n_resamples // 5,
        cost_fn=costs.COST_FN,
        bias=bias_of_costs(study),
    )
    sections += ["## Costs and net benefit\n", head, costs_section(study)]
    for part in (guarantees, gates, logs, slices, indirect):
        sections.append(part.section(study))
    sections.append(multilabel.section(study))
    sections += ["## Rankings, over queries\n", rankings.section(study, HYPOTHESES)]
    sections += ["## Class sizes fixed by design\n", FIXED]
    for metric in METRICS:
        sections.append(f"### {TITLES[metric]}, fixed class sizes\n")
        sections.append(interval_tables(study.find("fixed", metric), widths=False))
    sections.append(fixed_finding(study))
    sections += [calibration.section(study), recalibration.section(study)]
    sections.append(concordance.section(study))
    sections.append(
        DESIGN.format(
            study=study,
            usual=usual,
            users=users,
            rows=users.n // users.users,
            auc=truth["roc_auc"],
            worse=truth["roc_auc"] - truth["roc_auc difference"],
            threshold=THRESHOLD,
            correlation=CORRELATION,
            separation=WORSE,
            spread=SPREAD,
            user_share=100 * USER_SHARE,
        )
    )
    return "\n".join(sections)


def fixed_finding(study: Study) -> str:
    """Compare stratified intervals under both designs."""
    said = []
    for metric in METRICS:
        cells = []
        for part in ("fixed", "main"):
            found = {
                row.method: row
                for row in study.find(part, metric)
                if row.scene == "100 rows, 5% positive"
            }
            cells.append(percent(found["stratified percentile"].coverage))
            cells.append(percent(found["percentile"].coverage))
        said.append([TITLES[metric], *cells])
    heads = ["100 rows, 5 % positive", "fixed: stratified", "fixed: plain"]
    return table([*heads, "random: stratified", "random: plain"], said)


FIRST = """Intervals at the level 95 % and tests at 5 %, in the kinds of data simulated below: yours
may be less kind. Every figure stands in a table below.
"""

RULE = """One rule ranks methods, here and everywhere below: the least that coverage lacks to 95 %,
on average over the kinds of data with five positives or more (and, for a default, over metrics);
what is within half a point of the least is as good, and the narrowest of these is named.
"""

HEAD = """Written by `python -m benchmarks.coverage`; no figure and no conclusion is typed by hand.
Each figure is of {study.n_data:,} simulated data sets of its kind, where nothing else is said, with
intervals at the level 95 %.
Coverage is the share of data sets whose interval holds the value in the population, ± its binomial
standard error. **Bold**: below 95 % by more than two of them, which a figure that is right is one
time in forty; methods share their data sets, and so their luck. An interval that is undefined (nan)
counts as a miss. The mean width is that of the intervals that are defined; behind it stands, in
brackets, the share in % of data sets whose interval says nothing: undefined, or of no width.
"""

OVERVIEW = """Points that coverage lacks to 95 % on average, and the worst coverage in brackets.
"""

KS = """The sample's statistic is the largest of many gaps, and chance alone makes one large: its
mean lies above the population's value. Bias: {bias}.

A bootstrap adds the same bias once more, its replicates being the largest of many gaps of a sample,
so that percentile intervals lie too high: {mended}
"""

TESTS = """How often a test of two AUCs rejects at 5 %, both models being scored on the same rows.
Under the first two hypotheses the AUCs are equal and the share should be 5 % (bold: above it by
more than two binomial errors). A p-value that is undefined does not reject. Power is comparable
only between tests that keep their size. Exchanging the scores of exchangeable models is exact;
exchanging ranks is not quite, as exchanged rows bring ties that the data did not have.
"""

GROUPS = """As above, with fewer users or with shares of the rows that fall as 1, 1/2, 1/3, ...
(Zipf): 50 such groups are worth 12 equal ones, (Σm)²/Σm². "t" is what the functions give, Student's
t with as many degrees of freedom less one, by which the levels of quantiles move out too
(Hesterberg 2015); "normal" is the same without.
"""

WEIGHTS = """Weights are importances, log-normal with this standard deviation of their logarithm,
and independent of labels and scores: a spread of 1 leaves 37 % of the rows' worth, 1.5 a tenth.
Figures of this section are of {n_data:,} data sets each.
"""

CHOICE = """Each resample looks for the threshold of the largest TPR - FPR anew. The target is the
rate at the threshold that is best in the population, not the rate at the one that was found.
"""

COSTS = """A positive that is missed costs {cost_fn:g} and a false alarm 1 ("one price"); or each
costs an amount of its own, lognormal with that mean, the logarithm having a standard deviation of 1
("amounts"). `not dearer`, `left out` and `logarithm` are the intervals of
`threshold_cost_interval`. `percentile` is a bootstrap's, which `bootstrap` refuses: it stands here
to say why. Limits of a threshold are cut at ±10. Net benefit is that of logistic probabilities;
"at once" counts the data sets whose simultaneous band holds the curve at every threshold (its
width there says nothing). Of groups all are given `groups=`. Figures are of {n_data:,} data sets,
with {n_resamples:,} replicates each.

The least cost on the data that chose the threshold is biased downwards; that with each row left
out is a little above, as a threshold that is chosen costs more than the best one:
{bias}.
"""

FIXED = """Above, the class of each row is random, as when rows are sampled as they come: then
`stratified=True` leaves out what chance does to the class sizes. Here the class sizes are fixed, as
in a case-control study, which is what `stratified=True` is for.
"""

DESIGN = """## How it is simulated

- Scores are binormal: negatives N(0, 1), positives N({usual.separation:g}, 1), with an AUC of
  {auc:.3f}. Labels are independent, 50 % or 5 % positive.
- The target of an interval is the value in the population, which is the limit as the sample
  grows: AUC, KS, F1 and accuracy in closed form, average precision by numerical integration. KS
  and average precision of small samples are biased estimates of it, and their intervals inherit
  that. F1 and accuracy call a score of {threshold:g} or more positive.
- The second model's scores correlate with the first's at {correlation:g} given the label. It is
  exchangeable with the first; or its positives have a standard deviation of {spread:g} and the mean
  that gives the same AUC; or its positives are N({separation:g}, 1), an AUC of {worse:.3f}.
- Users: {users.users} with {rows} rows each; a user's share of positives is Beta(1/2, 1/2), and
  {user_share:.0f} % of the variance of a score is the user's own level. Targets are those of the
  independent rows.
- Each bootstrap has {study.n_resamples:,} replicates and each permutation test
  {study.n_exchanges:,} exchanges; percentile, basic and BCa limits come from the same replicates.
- Data set and replicates are functions of one seed, the kind of data and the data set's number:
  the figures, all of which are in [coverage.json](coverage.json), depend neither on the number of
  processes nor on which part is run.
"""
