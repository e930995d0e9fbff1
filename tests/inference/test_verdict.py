"""Verdicts say what interval and adjusted p allow, in the measure's own direction, and no more."""

import re
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm


def models(rng: np.random.Generator, n: int = 400, *noise: float) -> tuple[Any, dict[str, Any]]:
    """Return labels, and probabilities of models a, b, ... with so much noise."""
    x = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-2 * x))).astype(int)
    found = {
        name: 1 / (1 + np.exp(-(2 * x + s * rng.normal(size=n))))
        for name, s in zip("abc", noise, strict=False)
    }
    return y, found


def test_the_better_model_and_by_how_much(rng: Any) -> None:
    y, scores = models(rng, 400, 0.1, 3.0)
    for metric, gain in (("roc_auc", 1), ("log_loss", -1)):
        found = fm.compare(y, scores, metrics=metric)[metric]
        (pair,) = found.pairs
        assert pair.better == "a"
        ends = sorted(gain * end for end in pair.confidence_interval)
        assert found.verdict == (
            f"a is better in {metric}, by {gain * pair.estimate:.4f} "
            f"[{ends[0]:.4f}, {ends[1]:.4f}]."
        )
        turned = fm.compare(y, {"b": scores["b"], "a": scores["a"]}, metrics=metric)
        assert turned[metric].verdict == found.verdict


def test_what_is_not_shown_names_what_could_have_been(rng: Any) -> None:
    y, scores = models(rng, 300, 1.0, 1.0)
    found = fm.compare(y, scores, metrics="roc_auc")["roc_auc"]
    (pair,) = found.pairs
    said = re.search(r"these 300 rows could have shown is (0\.\d+)\.", found.verdict)
    assert found.verdict.startswith("It is not shown which of a and b is better in roc_auc (a less")
    assert said is not None
    low, high = pair.confidence_interval
    assert float(said[1]) == pytest.approx((high - low) / 2, rel=0.01)
    groups = fm.compare(y, scores, metrics="roc_auc", groups=np.arange(300) // 3)
    assert "these 100 groups could have shown" in groups.verdict


def test_the_smallest_difference_is_where_p_is_the_level(rng: Any) -> None:
    """The sentence's figure is the bound of p: a difference of as much has a p of .05."""
    y, scores = models(rng, 300, 1.0, 1.0)
    pair = fm.compare(y, scores, metrics="roc_auc")["roc_auc"].pairs[0]
    from scipy import stats

    half = (pair.confidence_interval.high - pair.confidence_interval.low) / 2
    assert 2 * stats.t.sf(half / pair.standard_error, pair.df) == pytest.approx(0.05)


def test_several_measures_are_one_sentence_and_one_adjustment(rng: Any) -> None:
    y, scores = models(rng, 400, 0.1, 3.0)
    scores["b"] = np.clip(scores["b"], 0.01, 0.99)
    found = fm.compare(y, scores, metrics=["roc_auc", "log_loss"])
    first, last = found.verdict.split("\n")
    assert re.fullmatch(
        r"a is better in roc_auc, by \S+ \[.+\]; in log_loss too, by \S+ \[.+\]\.", first
    )
    assert last == "All of it stands Holm's adjustment over the 2 measures too."
    y, scores = models(rng, 100, 1.0, 1.0)
    found = fm.compare(y, scores, metrics=["roc_auc", "log_loss"])
    assert re.fullmatch(
        r"It is not shown which of a and b is better: in roc_auc \(.+\); nor in log_loss \(.+\)\.",
        found.verdict,
    )


def test_three_models(rng: Any) -> None:
    y, scores = models(rng, 400, 0.1, 3.0, 3.0)
    found = fm.compare(y, scores, metrics="roc_auc")["roc_auc"]
    assert found.better == "a"
    assert found.verdict.startswith("roc_auc: a is better than b, by ")
    assert "; a is better than c, by " in found.verdict
    assert "; not shown which of b and c is better (b less c: " in found.verdict


def test_nothing_is_claimed_where_no_row_varies() -> None:
    scores = {"a": [0.1, 0.7, 0.3, 0.8], "b": [0.6, 0.2, 0.7, 0.4]}
    with pytest.warns(fm.errors.DegenerateDataWarning):
        found = fm.compare([0, 1, 0, 1], scores, metrics="roc_auc")["roc_auc"]
    assert (found.estimate, found.better) == ((1.0, 0.0), None)
    assert found.verdict == (
        "Neither a nor b is shown to be better in roc_auc: the standard error is 0, as no row "
        "varies (a less b: 1.0000 [1.0000, 1.0000], p < .001)."
    )


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
def test_words_agree_with_p_where_no_row_varies() -> None:
    """Models cannot be told apart where p is 1, and differ where p is 0 (FAULTS 58)."""
    y = np.array([1.0, 2.5, 3, 4, 5])
    others = {"moved": y + 2, "same": y - 1, "a": y + 1}
    scores = {
        "mean_absolute_error": (y, others),
        "brier_score": (
            np.tile([0, 1], 4),
            {"moved": np.full(8, 0.5), "same": np.tile([0.2, 0.8], 4)},
        ),
    }
    for metric, (labels, models) in scores.items():
        models = {"a": models.get("a", np.tile([0.2, 0.8], 4)), **models}
        for other in ("moved", "same"):
            pair = {"a": models["a"], other: models[other]}
            found = fm.compare(labels, pair, metrics=metric)[metric]
            (one,) = found.pairs
            is_same = other == "same"
            assert one.pvalue == (1.0 if is_same else 0.0)
            assert ("cannot be told apart" in found.verdict) == is_same
            assert ("p < .001" in found.verdict) != is_same


def test_a_margin_is_answered(rng: Any) -> None:
    y, scores = models(rng, 2_000, 0.5, 0.5)
    words = {
        0.2: "; the two differ by less than 0.2.",
        0.0001: "; not shown that a is not worse than b by 0.0001 or more.",
    }
    for margin, said in words.items():
        found = fm.compare(y, scores, metrics="roc_auc", margin=margin)["roc_auc"]
        assert said in found.verdict
    better = {"a": scores["a"], "b": np.where(rng.random(2_000) < 0.2, 0.5, scores["b"])}
    found = fm.compare(y, better, metrics="roc_auc", margin=0.005)["roc_auc"]
    assert found.better == "a"
    assert "not worse" not in found.verdict


def test_lines_of_a_verdict_stay_lines(rng: Any) -> None:
    y = np.arange(200) % 2
    scores = {"a": y + rng.normal(size=200), "b": y + rng.normal(size=200) * 4}
    found = fm.compare(y, scores, metrics=["roc_auc", "average_precision"])
    last = found.verdict.splitlines()[-1]
    assert last.startswith("All of it stands Holm's")
    assert last in str(found).splitlines()
    assert f"<br>{last[:9]}" in found._repr_html_()
