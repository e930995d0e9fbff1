"""One name for one thing: the words that public parameters and fields do not use, and why.

scikit-learn's namesakes keep scikit-learn's parameters, and so do objects that it calls: that is
their contract.

Private names and docstrings of the package and its tests have words that must not come back:
``python tests/guards/vocabulary.py`` counts them beside the limits of ``vocabulary.toml``, and
``--write`` makes the counts the limits: run it where a change has removed some.
"""

import ast
import dataclasses
import inspect
import sys
import tomllib
import typing
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Path(__file__).with_name("vocabulary.toml")

#: A word, what is said in its place, and why.
FORBIDDEN = {
    **dict.fromkeys(
        ("level", "conf_level", "confidence", "ci_level", "coverage", "alpha", "significance"),
        "confidence_level: that of an interval or a decision, as in scipy",
    ),
    **dict.fromkeys(("ci", "interval", "conf_int"), "confidence_interval: scipy's word"),
    **dict.fromkeys(("se", "stderr", "std_err", "std_error", "sem"), "standard_error"),
    **dict.fromkeys(("std", "sd", "stdev"), "standard_deviation"),
    **dict.fromkeys(("p", "p_value", "pval"), "pvalue: scipy's word"),
    **dict.fromkeys(
        ("n_bootstrap", "n_boot", "n_permutations", "n_draws", "n_iter", "n_bootstraps"),
        "n_resamples: scipy's word, for any kind of resample",
    ),
    **dict.fromkeys(("random_state", "seed"), "rng: scipy's word, since numpy has generators"),
    **dict.fromkeys(("threads", "num_threads", "n_workers", "workers"), "n_threads"),
    **dict.fromkeys(
        ("scoring", "measure", "measures", "score_func"), "metrics; metric in a result"
    ),
    **dict.fromkeys(("splitter", "splits", "folds_"), "cv: scikit-learn's word"),
    **dict.fromkeys(("greater_is_better", "lower_is_better", "maximize"), "higher_is_better"),
    **dict.fromkeys(("model_names", "labels_of_models", "algorithms"), "names"),
    **dict.fromkeys(("verbose", "show_progress", "progress_bar"), "progress"),
    **dict.fromkeys(
        ("tpr", "sensitivity", "hit_rate", "tpr_range"), "true_positive_rate, or recall"
    ),
    **dict.fromkeys(("fpr", "fall_out", "fpr_range"), "false_positive_rate"),
    **dict.fromkeys(("tnr", "fnr"), "specificity, false_negative_rate"),
    **dict.fromkeys(("algorithm_a", "algorithm_b"), "model_a, model_b: in every pair of results"),
    **dict.fromkeys(
        ("errors_a", "errors_b"), "scores_a, scores_b: `higher_is_better` gives their direction"
    ),
    **dict.fromkeys(("pred_a", "pred_b"), "y_pred_a, y_pred_b: two columns like y_pred"),
    **dict.fromkeys(("score_a", "score_b"), "y_score_a, y_score_b: two columns like y_score"),
    **dict.fromkeys(("probas", "probabilities", "proba", "y_prob"), "y_proba"),
    **dict.fromkeys(("weights_", "w", "weight_column"), "sample_weight"),
    **dict.fromkeys(("n_rows", "n_examples", "n_obs"), "n_samples"),
    "stratify": "stratified",
    **dict.fromkeys(("params", "kwargs", "options"), "parameters"),
    **dict.fromkeys(("pos", "positive_label", "positive_class"), "pos_label"),
    **dict.fromkeys(("cluster", "clusters"), "groups"),
    **dict.fromkeys(("n_pos", "n_neg"), "n_positive, n_negative"),
    **dict.fromkeys(("tail", "tails", "sides", "two_sided"), "alternative: scipy's word"),
}
#: Words that mean something else where these say so.
NEEDS_COMPANY = {
    "n_jobs": ({"estimator", "estimator_a"}, "processes (joblib), in which estimators are fitted")
}
#: What public parameters and fields are called, and what is meant; docs/vocabulary.md shows it.
WORDS = {
    "y_true": "true labels or numbers",
    "y_pred": "predicted labels or numbers",
    "y_score": "scores; greater means more positive",
    "y_proba": "probabilities; `y_prob` in `calibration_curve` only, as in scikit-learn",
    "scores": "scores of several models, by name",
    "data": "a data frame whose columns the other arguments name",
    "sample_weight": "a weight for each row; `weights_are` gives its meaning",
    "weights_are": '"frequencies" (numbers of rows) or "importances"',
    "groups": "the cluster of each row: patient, user, document",
    "query": "the query of each item of a ranking",
    "event": "true if the time is that of the event, false if it is censored",
    "pos_label": "the positive label; not guessed unless labels are {0, 1}, {-1, 1} or bool",
    "metrics": "one or several metrics, by name, with parameters, or as functions",
    "metric": "the metric of a result",
    "threshold": "scores at least this large are predicted positive",
    "confidence_level": "level of intervals and decisions, 0.95",
    "confidence_interval": "`low` and `high`",
    "standard_error": "of an estimate; `standard_deviation` is of values",
    "pvalue": "p-value; `pvalue_adjusted` is corrected for several pairs",
    "alternative": '"two-sided", "less" or "greater"',
    "margin": "the largest accepted loss, in the unit of the metric",
    "higher_is_better": "the direction of a metric that the registry does not know",
    "method": "the method of an interval or a p-value",
    "kind": "one of several kinds of a band or a figure",
    "power": "of a test; for Tweedie's deviance the exponent, as in scikit-learn",
    "correction": "of the variance in a resampled t test; `continuity_correction` of a count",
    "weighting": "of pairs in a concordance; `query_weighting` of queries in a mean",
    "grid": "the parameter settings to try",
    "loss": "lower is better; of one row, or the mean",
    "strategy": "how bins are made; `n_bins` is their number",
    "points": "the points at which a curve is evaluated, or their number",
    "n_resamples": "number of bootstrap resamples, permutations or draws",
    "n_samples": "number of rows; `n_positive` and `n_negative` of each class",
    "rng": "a seed, a generator, or the key of an earlier result",
    "n_threads": "threads of kernels; `n_jobs` is the number of processes that fit estimators",
    "progress": "show a progress bar",
    "details": "further values of a method beside its result",
}
#: Options that are the name of a program, as it writes itself.
PROPER_NAMES = {"trec_eval"}


def page() -> str:
    """Return the tables of docs/vocabulary.md."""
    told: dict[str, list[str]] = {}
    for word, instead in FORBIDDEN.items():
        told.setdefault(instead, []).append(f"`{word}`")
    lines = ["| word | meaning |", "|---|---|"]
    lines += [f"| `{word}` | {meaning} |" for word, meaning in WORDS.items()]
    lines += ["", "| instead of | use |", "|---|---|"]
    lines += [f"| {', '.join(words)} | {instead} |" for instead, words in told.items()]
    return "\n".join(lines)


def options_of(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Yield parameters with the texts that they are declared to take."""
    hints = typing.get_type_hints(function)
    for name in inspect.signature(function).parameters:
        yield from ((name, option) for option in _texts(hints.get(name)))


def _texts(hint: Any) -> Iterator[str]:
    inside = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        yield from (each for each in inside if isinstance(each, str))
    else:
        for each in inside:
            yield from _texts(each)


def misspelt(function: Callable[..., Any], metrics: Collection[str]) -> list[str]:
    """Return the options that have an underscore, which names of metrics alone have."""
    options = options_of(function)
    known = {*metrics, *PROPER_NAMES}
    return [f"{name}={text}" for name, text in options if "_" in text and text not in known]


def words_of(value: Any) -> Iterator[tuple[str, set[str]]]:
    """Yield where public words stand, a function, a method or the fields, and the words."""
    if not inspect.isclass(value):
        yield value.__name__, set(inspect.signature(value).parameters)
        return
    name = value.__name__
    if dataclasses.is_dataclass(value):
        yield name, {field.name for field in dataclasses.fields(value)}
    elif value.__init__ is not object.__init__:
        yield name, set(inspect.signature(value).parameters)
    public = {key: each for key, each in vars(value).items() if not key.startswith("_")}
    yield name, {key for key, each in public.items() if isinstance(each, property)}
    for key, each in public.items():
        function = each.__func__ if isinstance(each, classmethod | staticmethod) else each
        if inspect.isfunction(function):
            yield f"{name}.{key}", set(inspect.signature(function).parameters)


def complaints_about(value: Any) -> list[str]:
    """Complain about words that a public function or class uses and the others do not."""
    lines = []
    for where, words in words_of(value):
        for word in sorted(words):
            if word == "metric" and inspect.isfunction(value):  # a result is of one
                lines.append(f"{where}: metric is called metrics: one word, for one name or many")
            elif word in FORBIDDEN:
                lines.append(f"{where}: {word} is called {FORBIDDEN[word]}")
            elif word in NEEDS_COMPANY:
                company, meaning = NEEDS_COMPANY[word]
                if not words & company:
                    lines.append(f"{where}: {word} is for the {meaning}")
    return lines


#: Words that say nothing as a name of a value, alone or between underscores.
DIALECT = ("found", "asked", "dealt", "judged")
#: First words of docstrings that are no sentence.
NO_SENTENCE = ("What", "Of", "Whose", "Whether", "Which", "How", "Return what")


def private_words(text: str) -> Iterator[str]:
    """Yield words of `DIALECT` in names that a text binds, and starts of `NO_SENTENCE`."""
    seen = text.lower()
    starts = (f'"""{words} '.lower() for words in NO_SENTENCE)
    if not any(words in seen for words in (*DIALECT, *starts)):  # most files need no parsing
        return
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        name = ""
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, documented):
            name = getattr(node, "name", "")
            start = f"{ast.get_docstring(node) or ''} "
            yield from (words for words in NO_SENTENCE if start.startswith(f"{words} "))
        yield from (word for word in name.lower().split("_") if word in DIALECT)


def measured() -> dict[str, dict[str, int]]:
    """Count the words of `private_words` in the package and in its tests."""
    counts = {
        folder: dict.fromkeys((*DIALECT, *NO_SENTENCE), 0) for folder in ("fastmetrics", "tests")
    }
    for folder, by_word in counts.items():
        for path in (ROOT / folder).rglob("*.py"):
            if path.parent.name != "bad":
                for word in private_words(path.read_text("utf-8")):
                    by_word[word] += 1
    return counts


def limits() -> dict[str, dict[str, int]]:
    """Return the limits by folder and word."""
    return tomllib.loads(LIMITS.read_text("utf-8"))


def main(arguments: list[str]) -> None:
    """Print the counts beside their limits, or make them the limits."""
    counts = measured()
    if "--write" in arguments:
        head = "# Limits of `vocabulary.py`, as reached so far: numbers here only fall.\n\n"
        tables = (
            f"[{folder}]\n" + "".join(f'"{word}" = {n}\n' for word, n in by_word.items())
            for folder, by_word in counts.items()
        )
        LIMITS.write_text(head + "\n".join(tables), "utf-8")
    for folder, by_word in counts.items():
        for word, n in by_word.items():
            sys.stdout.write(f"{folder:<12} {word:<12} {n:>5,}  of {limits()[folder][word]:>5,}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
