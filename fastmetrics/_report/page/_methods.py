"""The paragraph on methods: what was done, in words to paste, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.model_evaluation import figures_of
from fastmetrics._report.page._content import Found, size_of
from fastmetrics._report.page._figures import MOST_BANDS, Drawn, said_of
from fastmetrics._report.versions import version_of
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.replicates import METHODS, Replicates

_SCALES: Final = {
    "logit": "on the logit scale",
    "log": "on the logarithmic scale",
    "lack": "on the logarithm of what a perfect value lacks",
    "atanh": "on Fisher's z scale",
}
_REFERENCES: Final = {
    "bca": "Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American "
    "Statistical Association 82:171-185.",
    "bh": "Benjamini, Y. & Hochberg, Y. (1995). Controlling the false discovery rate. Journal of "
    "the Royal Statistical Society B 57:289-300.",
    "bootstrap": "Efron, B. & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman "
    "& Hall.",
    "delong": "DeLong, E. R., DeLong, D. M. & Clarke-Pearson, D. L. (1988). Comparing the areas "
    "under two or more correlated receiver operating characteristic curves. Biometrics 44:837-845.",
    "holm": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. "
    "Scandinavian Journal of Statistics 6:65-70.",
    "influence": "Efron, B. (1982). The jackknife, the bootstrap and other resampling plans. SIAM, "
    "chapter 6 (the infinitesimal jackknife).",
    "isotonic": "Dimitriadis, T., Gneiting, T. & Jordan, A. I. (2021). Stable reliability diagrams "
    "for probabilistic classifiers. PNAS 118:e2016191118.",
    "sidak": "Šidák, Z. (1967). Rectangular confidence regions for the means of multivariate "
    "normal distributions. Journal of the American Statistical Association 62:626-633.",
    "newcombe": "Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on "
    "the Mann-Whitney statistic. Part 2. Statistics in Medicine 25:559-573.",
    "wilson": "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical "
    "inference. Journal of the American Statistical Association 22:209-212.",
}


class Methods(NamedTuple):
    """The paragraph, and the references that it needs, by author."""

    text: str
    references: list[str]


def methods_of(evaluation: Found, drawn: Drawn) -> Methods:
    """Return what was done, as a paragraph."""
    cited: dict[str, None] = {}
    version, size = version_of("fastmetrics"), size_of(evaluation, drawn)
    sentences = [f"With fastmetrics {version}, {size} were evaluated."]
    sentences += _of_intervals(evaluation, cited)
    rows = drawn.rows
    if rows["groups"] is not None:
        sentences.append("The units of all errors are groups, not rows.")
    if rows["sample_weight"] is not None:
        sentences.append(f"Weights were read as {rows['weights_are']}.")
    if evaluation.comparisons is not None:
        sentences.append(
            "Models were compared in pairs on the same rows; p-values are of no difference, "
            "adjusted over the pairs of each measure by Holm's method."
        )
        cited["holm"] = None
    if evaluation.slices is not None:
        sentences.append(
            f"Measures of the {evaluation.slices.n_slices} slices have limits that hold for all at "
            "once (Šidák); slices that are worse than the other rows were "
            "named by the procedure of Benjamini and Hochberg at a false discovery rate of 5 %."
        )
        cited |= dict.fromkeys(("sidak", "bh"))
    is_of_two = isinstance(evaluation, Evaluation)
    band = drawn.band if is_of_two and len(drawn.models) <= MOST_BANDS else None
    if band == "simultaneous":
        seed = f" (seed {drawn.rng})" if isinstance(drawn.rng, int) else ""
        sentences.append(f"Bands around curves hold for the whole curve, by bootstrap{seed}.")
        cited["bootstrap"] = None
    elif band is not None:
        sentences.append("Bands around curves hold at each point by itself.")
    if is_of_two and drawn.has_probabilities:
        sentences.append("Calibration was judged by isotonic regression of labels on scores.")
        cited["isotonic"] = None
    return Methods(" ".join(sentences), sorted(_REFERENCES[key] for key in cited))


def _of_intervals(evaluation: Found, cited: dict[str, None]) -> Iterator[str]:
    """Yield a sentence for each way in which intervals were made."""
    level = f"{100 * evaluation.confidence_level:g} % confidence intervals"
    of_way: dict[str, dict[str, list[str]]] = {}
    for metric, one in figures_of(evaluation[0]).items():
        scale = _SCALES.get(one.scale, "") if one.method == "influence" else ""
        of_way.setdefault(_way(one, cited), {}).setdefault(scale, []).append(said_of(metric))
        if metric == "roc_auc" and one.method == "influence":
            cited["delong"] = None
    for way, of_scale in of_way.items():
        if list(of_scale) == [""]:
            yield f"{level} of {_listed(of_scale[''])} are {way}."
            continue
        each = (
            f"{scale or 'as they are'} for {_listed(metrics)}"
            for scale, metrics in of_scale.items()
        )
        yield f"{level} are {way}, taken {', '.join(each)}."


def _way(one: Estimate, cited: dict[str, None]) -> str:
    """Return how an interval was made, and note what it is from."""
    cited |= {key: None for key in _REFERENCES if key in one.method}
    if isinstance(one.details, Replicates):
        n = len(one.details.distribution)
        cited["bootstrap"] = None
        what = METHODS.get(one.method, one.method)
        return f"{what} bootstrap intervals of {n:,} resamples (key {one.details.key})"
    if one.method == "influence":
        return (
            "Student's t intervals, with errors from the influence of each row and degrees of "
            "freedom from the effective number of rows"
        )
    return f"by {METHODS.get(one.method, one.method)}"


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
