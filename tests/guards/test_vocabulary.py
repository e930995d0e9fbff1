"""One name for one thing, in all public signatures, fields and metrics."""

import collections
import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, Literal

import pytest
import sklearn.metrics

import fastmetrics as fm
import rules
import vocabulary
from fastmetrics.metrics.registry import METRICS
from public import NAMES, NAMESAKES, public


def is_namesake(name: str) -> bool:
    return name in NAMESAKES or hasattr(sklearn.metrics, name)


#: Public functions and classes, without those that have scikit-learn's parameters.
OURS = [
    name
    for name in NAMES
    if not is_namesake(name) and not name.endswith(("Error", "Warning", "_version__"))
]


def test_public_names_use_the_vocabulary() -> None:
    assert not [one for name in OURS for one in vocabulary.complaints_about(public(name))]


def test_options_are_hyphenated() -> None:
    functions = [public(name) for name in OURS if inspect.isfunction(public(name))]
    assert not [one for each in functions for one in vocabulary.misspelt(each, METRICS)]


def test_options_are_found() -> None:
    assert ("method", "clopper-pearson") in vocabulary.options_of(fm.comparison.proportion_interval)
    assert vocabulary.misspelt(bad, METRICS) == ["method=mid_p"]


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (
            lambda: fm.comparison.proportion_interval(3, 10, method="clopper_pearson"),
            "clopper-pearson",
        ),
        (lambda: fm.best_threshold([0, 1], [0, 1], criterion="f_beta"), "fbeta"),
        (lambda: fm.comparison.mcnemar_test(e01=1, e10=2, method="midp"), "mid-p"),
        (
            lambda: fm.comparison.binomial_test(1, 9, error_rate=0.1, alternative="two_sided"),
            "two-sided",
        ),
    ],
)
def test_another_spelling_is_told_the_right_one(call: Callable[[], Any], meant: str) -> None:
    with pytest.raises(fm.InputError, match=rf"must be one of .*; did you mean '{meant}'\?$"):
        call()


def test_metrics_use_the_vocabulary() -> None:
    for name, metric in METRICS.items():
        own = {name, str(metric.function).partition(":")[2]}
        assert not own & set(vocabulary.FORBIDDEN)
        assert not any("fpr" in word or "tpr" in word for word in own)
        if not is_namesake(str(metric.function).partition(":")[2]):
            assert not set(metric.parameters) & set(vocabulary.FORBIDDEN), name


@dataclasses.dataclass
class Bad:
    ci: float
    estimate: float

    @property
    def tpr(self) -> float:
        return 0.0

    def refit(self, seed: int) -> None: ...

    @classmethod
    def of(cls, scores: object, params: object) -> None: ...


def bad(
    y_true: object,
    metric: object,
    n_boot: int = 1,
    alpha: float = 0.05,
    method: Literal["mid_p", "mid-p", "roc_auc"] | None = None,
) -> None: ...


@pytest.mark.source_tree
def test_the_page_shows_the_words_that_are_used() -> None:
    assert vocabulary.page() in (rules.ROOT / "docs" / "vocabulary.md").read_text("utf-8")
    used = {
        name for each in OURS for words in vocabulary.words_of(public(each)) for name in words[1]
    }
    assert vocabulary.WORDS.keys() <= used
    assert not vocabulary.WORDS.keys() & vocabulary.FORBIDDEN.keys()


def test_other_words_are_caught() -> None:
    names = [line.partition(" is ")[0] for line in vocabulary.complaints_about(Bad)]
    assert names == ["Bad: ci", "Bad: tpr", "Bad.refit: seed", "Bad.of: params"]
    assert vocabulary.complaints_about(bad) == [
        "bad: alpha is called confidence_level: that of an interval or a decision, as in scipy",
        "bad: metric is called metrics: one word, for one name or many",
        "bad: n_boot is called n_resamples: scipy's word, for any kind of resample",
    ]


def test_what_is_meant_passes() -> None:
    for good in (
        fm.comparison.kfold_paired_t_test,
        fm.selection.tune_estimator,
        fm.ConfusionMatrix,
        fm.results.Replicates,
    ):
        assert vocabulary.complaints_about(good) == []


@pytest.mark.source_tree
def test_no_word_of_the_dialect_comes_back() -> None:
    counts = vocabulary.measured()
    limits = vocabulary.limits()
    assert {*counts} == {*limits}
    for folder, by_word in counts.items():
        assert {*by_word} == {*limits[folder]}
        above = {word: n for word, n in by_word.items() if n > limits[folder][word]}
        assert not above, f"{folder}: {above} above {limits[folder]}; see vocabulary.py"


@pytest.mark.source_tree
def test_words_of_the_dialect_are_caught() -> None:
    text = (rules.ROOT / "tests" / "guards" / "bad" / "dialect.py").read_text("utf-8")
    counts = collections.Counter(vocabulary.private_words(text))
    assert counts == {"found": 2, "asked": 2, "dealt": 1, "judged": 2} | dict.fromkeys(
        ("What", "Return what", "Of"), 1
    )
    assert not [*vocabulary.private_words('"""Whatever it is."""\nfounded = [asked]\n')]
