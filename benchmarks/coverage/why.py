"""``docs/why-this-interval.md``: why each metric has the interval it has, with its figures."""

from __future__ import annotations

from typing import Final, NamedTuple

from benchmarks.coverage import claim, estimates
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import method_name, show_coverage, table
from benchmarks.coverage.measured import Study

PAGE: Final = "docs/why-this-interval.md"
_KINDS: Final = {scene.name: scene.kind for scene in estimates.SCENES}
#: What a method is called on this page; the others have the names of the study.
_NAMES: Final = {
    estimates.METHOD: "**the default**",
    "t": "**the default**",
    estimates.STUDENT: "Student's t, as few degrees of freedom as the rows show",
    estimates.LOGIT: "Student's t on the logit scale",
    estimates.WALD: "DeLong's Wald interval, cut at 1 (pROC)",
    "percentile": "percentile bootstrap (boot)",
    "basic": "basic bootstrap (boot)",
    "bca": "BCa bootstrap (SciPy's default; boot)",
}


class Topic(NamedTuple):
    """A paragraph, the metrics whose figures stand below it, and one scene that is looked into.

    ``kinds`` are the kinds of scenes that count; there are none of rankings.
    """

    title: str
    text: str
    metrics: tuple[str, ...]
    scene: str
    kinds: tuple[str, ...] = ("rows",)


def document(study: Study) -> str:
    """Return the page."""
    texts = [_HEAD]
    for topic in TOPICS:
        texts.append(f"## {topic.title}\n\n{topic.text}\n{_figures(study, topic)}")
    return "\n".join([*texts, _OTHERS])


def _figures(study: Study, topic: Topic) -> str:
    if topic.kinds:
        pairs = [p for p in claim.sharpness(study) if _KINDS.get(p.default.scene) in topic.kinds]
    else:  # of rankings coverage alone is measured
        rows = [row for row in study.intervals if (row.part, row.method) == ("rankings", "t")]
        pairs = [claim.Sharpness(row, None) for row in rows]
    groups = [
        (claim.metric_title(metric), [pair for pair in pairs if pair.default.metric == metric])
        for metric in topic.metrics
    ]
    return f"{claim.summary_table(groups)}\n{_example(study, topic)}"


def _example(study: Study, topic: Topic) -> str:
    """Write what each method gives in one scene, for the first metric of the topic."""
    metric = topic.metrics[0]
    rows = [
        row
        for row in study.intervals
        if row.part in (estimates.PART, "rankings")
        and (row.scene, row.metric) == (topic.scene, metric)
    ]
    if not rows:
        return ""
    lines = [
        [
            _method(row.method, topic),
            show_coverage(row),
            percent(row.below / row.n_data),
            percent(row.above / row.n_data),
            *(f"{width:#.3g}" if width else "–" for width in (row.median_width, row.mean_width)),
            "–" if not row.ratio else f"{1 / row.ratio:.2f}",
        ]
        for row in rows
    ]
    name = f"{claim.metric_title(metric)}, {show_scene(topic.scene)}, true {rows[0].target:.3f}"
    heads = ["coverage, %", "below", "above", "median width", "mean", "score ÷ the default's"]
    return table([name, *heads], lines)


def _method(name: str, topic: Topic) -> str:
    """Return what a method is called; pROC has neither groups nor weights."""
    if name == estimates.WALD and topic.kinds != ("rows",):
        return "Wald interval, cut at 1"
    return _NAMES.get(name, method_name(name))


TOPICS: Final = (
    Topic(
        "AUC",
        """An AUC near 1 is the usual case, and there the textbook interval fails: the estimate plus
or minus two standard errors ends above 1, and the error itself is estimated from the few rows that
are out of order. The default asks the question the other way round: for which true values t is
this estimate no surprise? It keeps those with (t - a)² ≤ q² r V(t). V(t) is the variance an AUC of
t has with so many positives and negatives (Hanley & McNeil 1982, with the counts of Newcombe 2006);
it shrinks towards t = 1, so the interval is lopsided as it should be. r corrects V by what the rows
say of the variance (DeLong's), trusted only as far as enough rows carry it; q is Student's. Rank
loss, Gini, and Somers' D of an outcome with two values are the same number on another scale, and
have the same limits.
""",
        ("roc_auc",),
        "212 + 357, normal 3.6",
    ),
    Topic(
        "Average precision and areas of curves",
        """Average precision hangs on the few top-ranked rows, so its standard error is known badly
where positives are few. The default is Student's t on the logit scale, which keeps the limits
between 0 and 1. Its degrees of freedom are the number of rows that carry the variance, plus five:
without the five, samples in which two or three rows carry everything get limits that say nothing; a
normal quantile in their place misses too often.
""",
        ("average_precision", "pr_auc", "partial_auc"),
        "15 + 150, normal 1.8",
    ),
    Topic(
        "Brier score and log loss",
        """A loss is a mean, and a mean of a few large values and many small ones. Student's t on
the logarithm keeps the limits positive and lets the upper one reach farther, where rare large
losses hide; its degrees of freedom are those of the rows that carry the variance, plus five.
""",
        ("brier_score", "log_loss"),
        "10 + 1,000, normal 2.9",
    ),
    Topic(
        "Matthews' correlation",
        """A correlation lies between -1 and 1, so that limits are found on Fisher's scale (atanh)
and turned back: Student's t with the same degrees of freedom.
""",
        ("matthews_corrcoef",),
        "50 + 950, unequal variances 2",
    ),
    Topic(
        "F1, recall, precision, accuracy",
        """These are proportions of counts. Wilson's interval of a proportion needs no variance that
is estimated: it asks, as that of an AUC does, which proportions would make the counts no surprise.
It is right for 3 of 3 and for 0 of 50, where others have no width. F1 is a proportion in disguise;
balanced accuracy and the like put together the intervals of both rates (Zou & Donner 2008).
""",
        ("f1", "recall", "precision", "balanced_accuracy", "accuracy"),
        "15 + 150, normal 1.8",
    ),
    Topic(
        "KS",
        """The Kolmogorov-Smirnov statistic is the largest of many gaps, and chance makes one gap
large: the estimate is too high, and a bootstrap adds the same error once more. The default takes
the interval of the gap at every threshold, by Wilson's of both rates, and of these the greatest
limits; the lower one is stricter, because the largest gap was looked for.
""",
        ("ks_statistic",),
        "50 + 500, outlying positives 2.5",
    ),
    Topic(
        "Regression",
        """Mean errors and R² are means of the squares or sizes of residuals: Student's t on a scale
that keeps the limits in range, plus five degrees of freedom. Where errors have heavy tails no
method covers from one sample, and a note on the result says so when the sample shows it.
""",
        ("r2", "root_mean_squared_error", "mean_absolute_error"),
        "60 rows, values, skewed",
        ("values",),
    ),
    Topic(
        "Ranking",
        """Queries are what varies, not items: a metric is a mean over queries, and Student's t over
queries, on the logit scale, is its interval. Hit rates are proportions of queries: Wilson's.
""",
        ("map", "mrr@10", "precision@5", "hit_rate@1"),
        "25 queries",
        (),
    ),
    Topic(
        "Groups",
        """Rows of one user are alike: 1,000 rows of 20 users know little more than 20 rows. With
`groups=` a group counts as one unit, and few unlike groups are few degrees of freedom indeed: only
one is added, as five would miss too often. An AUC keeps its shape, widened by the design effect.
""",
        (
            "roc_auc",
            "average_precision",
            "brier_score",
            "log_loss",
            "matthews_corrcoef",
        ),
        "15 Zipf clusters",
        ("clusters",),
    ),
    Topic(
        "Weights",
        """Importance weights leave fewer rows' worth of information, and a few heavy rows may carry
the variance: the same rules see this through the contributions, which are weighted.
""",
        ("roc_auc", "average_precision", "brier_score", "log_loss", "matthews_corrcoef"),
        "50 + 50, normal 1.5, weights of spread 1",
        ("weights",),
    ),
    Topic(
        "Differences of two models",
        """Two models on the same rows share most of their luck: the difference is taken row by row,
and its error is that of these differences. It has no edge to stay inside of, so the scale is plain;
Student's t has the degrees of freedom of the rows that tell the models apart, plus five.
""",
        (
            "roc_auc difference",
            "average_precision difference",
            "brier_score difference",
            "log_loss difference",
        ),
        "15 + 150, models 1.8 and 1",
        ("models",),
    ),
)

_HEAD = f"""# Why this interval?

`estimate` chooses an interval for each metric. This page says why, one paragraph each, with its row
of [the study](coverage.md), from which it is written by `python -m benchmarks.coverage`.

Two things make an interval good. It **covers**: of 100 intervals at 95 %, about 95 hold the true
value. And it is **sharp**: no wider than it has to be. The interval score measures both, the width
plus 40 times the distance of a miss; less is better. In the first table below each paragraph
"score ÷ best" is the default's score over that of the best other method that covers
{percent(claim.COVERED)} % in the scene, in the geometric mean over the scenes, and the largest of
them; below 1 the default beats them all. The second table looks into one scene: all methods, the
shares of intervals that lie below and above the true value in %, and each method's score over the
default's, on the same data sets. A method without a limit says "everything is possible": it has the
whole scale.
"""

_OTHERS = """## What you get elsewhere

- **R, pROC**: `ci.auc` gives DeLong's Wald interval, the AUC ± 1.96 standard errors, cut at 1;
  `method="bootstrap"`, and partial areas, give percentile limits of 2,000 stratified replicates. A
  sample with an AUC of 1 has the interval [1, 1]. Here it is `delong` with `scale="plain"`.
- **R, boot**: `boot.ci` gives normal, basic, percentile and BCa limits, and studentized ones if the
  function returns variances; which one to believe is up to the reader. The tables above have basic,
  percentile and BCa limits; here they are `bootstrap(method=...)`, in one pass for all metrics.
- **SciPy**: `scipy.stats.bootstrap` takes BCa limits of 9,999 replicates unless told otherwise.
  Labels and scores need `paired=True`, each replicate is a call of a Python function, and one that
  lacks a class makes the limits nan. The same limits here: `bootstrap(method="bca")`.
- **scikit-learn** gives the number, and no interval.
"""
