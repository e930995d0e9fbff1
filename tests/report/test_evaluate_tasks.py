"""`evaluate` of every task: told by its rule, measured as `estimate` and `compare` do."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics as sk

import fastmetrics as fm
from fastmetrics.cli import main

N = 300


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.fixture
def values(rng) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    y = rng.normal(size=N)
    return y, {name: y + size * rng.normal(size=N) for name, size in (("a", 0.5), ("b", 0.8))}


@pytest.fixture
def classes(rng) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    names = np.array(["ape", "bee", "cat"])
    codes = rng.integers(0, 3, N)
    found = {}
    for name, weight in (("a", 0.2), ("b", 0.1)):
        matrix = rng.dirichlet([1, 1, 1], N) * (1 - weight)
        matrix[np.arange(N), codes] += weight
        found[name] = matrix
    return names[codes], found


WHOLE = np.arange(60) % 4
TEXTS = np.array(["x", "y", "z"])[np.arange(60) % 3]
BITS = np.arange(60) % 2
FRACTIONS = np.linspace(0.01, 0.99, 60)


@pytest.mark.parametrize(
    ("y", "scores", "task"),
    [
        (FRACTIONS, {"m": FRACTIONS**2}, "values"),
        (WHOLE, {"m": WHOLE + FRACTIONS}, "values"),
        (list(TEXTS), {"m": list(TEXTS)}, "labels"),
        (pd.Series(TEXTS), {"m": pd.Series(TEXTS)}, "labels"),
        (np.where(BITS, "yes", "no"), {"m": np.where(BITS[::-1], "yes", "no")}, "labels"),
        (TEXTS, {"m": np.full((60, 3), 1 / 3)}, "multiclass"),
        (WHOLE, {"m": np.full((60, 4), 1 / 4)}, "multiclass"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_the_rule(y, scores, task: str) -> None:
    found = fm.evaluate(y, scores)
    assert found.task == task
    assert repr(found).startswith(f"Evaluation({task}; m: ")


@pytest.mark.parametrize("y", [BITS, BITS == 1, 2 * BITS - 1, BITS + 0.0])
def test_two_values_are_binary(y) -> None:
    assert isinstance(fm.evaluate(y, np.arange(60)), fm.results.Evaluation)


@pytest.mark.parametrize(
    ("y", "scores", "options", "match"),
    [
        (WHOLE, WHOLE[::-1], {}, "`task='labels'` or `task='values'`"),
        (TEXTS, FRACTIONS, {}, "a matrix for each model"),
        (FRACTIONS, FRACTIONS, {"n_resamples": 99}, "these are values, and `n_resamples`"),
        (FRACTIONS, FRACTIONS, {"cost_fn": 2}, "`cost_fn` is of scores of two classes"),
        (FRACTIONS, FRACTIONS, {"task": "rankings"}, "`query`"),
        (BITS, FRACTIONS, {"query": BITS, "task": "binary"}, "`query`"),
        (TEXTS, {"m": np.full((60, 2), 1 / 2)}, {}, "a column for each class"),
    ],
)
def test_what_cannot_be_told_is_never_guessed(y, scores, options, match: str) -> None:
    with pytest.raises((fm.InputError, fm.InputTypeError), match=match):
        fm.evaluate(y, scores, **options)


def test_values(values) -> None:
    y, models = values
    found = fm.evaluate(y, models)
    assert found["a"]["root_mean_squared_error"].estimate == pytest.approx(
        sk.root_mean_squared_error(y, models["a"])
    )
    assert found["a"]["median_absolute_error"].estimate == pytest.approx(
        sk.median_absolute_error(y, models["a"])
    )
    expected = fm.compare(y, models, metrics=["root_mean_squared_error", "r2"])
    for name, one in expected.items():
        assert found.comparisons[name] == one
        assert found["b"][name] == one["b"]
    assert found.verdict.startswith("a is better in RMSE, by ")
    assert "RMSE ↓" in str(found)
    assert "R² ↑" in str(found)
    alone = fm.evaluate(y, models["a"])
    assert (alone.names, alone.comparisons, alone.verdict) == (("score",), None, "")
    assert alone["score"]["r2"] == fm.estimate(y, models["a"], metrics="r2")["r2"]


def test_groups_and_weights_reach_the_intervals(values, rng) -> None:
    y, models = values
    rows = {"groups": np.arange(N) // 6, "sample_weight": rng.integers(1, 4, N)}
    found = fm.evaluate(y, models, **rows, weights_are="frequencies")
    expected = fm.compare(y, models, metrics="r2", **rows, weights_are="frequencies")["r2"]
    assert found.comparisons["r2"] == expected
    assert "median_absolute_error" not in found["a"]  # its interval is of independent rows


@pytest.mark.parametrize("name", ["median_absolute_error", "absolute_error_quantile_90"])
def test_quantiles_lie_between_order_statistics_that_hold(rng, name: str) -> None:
    """Exact by the binomial: the limits are two of the errors, with so many between them."""
    share = 0.5 if name == "median_absolute_error" else 0.9
    errors = rng.permutation(np.arange(1.0, 201.0))
    found = fm.evaluate(errors, np.zeros(200), task="values")["score"][name]
    low, high = found.confidence_interval
    left, right = int(low), int(high)  # the errors are their ranks
    law = stats.binom(200, share)
    assert law.cdf(right - 1) - law.cdf(left - 1) >= 0.95
    assert law.cdf(left - 1) <= 0.025 < law.cdf(left)
    assert law.sf(right - 1) <= 0.025 < law.sf(right - 2)
    few = fm.evaluate([1.5, 2.5, 3.5, 4.5], np.zeros(4), metrics=None)["score"]
    assert few["absolute_error_quantile_90"].confidence_interval.high == math.inf


def test_classes(classes) -> None:
    y, models = classes
    found = fm.evaluate(y, models)
    called = np.unique(y)[np.argmax(models["a"], axis=1)]
    assert found["a"]["accuracy"].estimate == pytest.approx((called == y).mean())
    assert found["a"]["f1_macro"].estimate == pytest.approx(sk.f1_score(y, called, average="macro"))
    assert found["a"]["log_loss"].estimate == pytest.approx(sk.log_loss(y, models["a"]))
    expected = sk.roc_auc_score(y, models["a"], multi_class="ovr")
    assert found["a"]["roc_auc_ovr"].estimate == pytest.approx(expected)
    assert [*found.comparisons] == [*found["a"]]
    most = pd.Series(y).value_counts().index[0]
    assert found.notes[0].startswith(f"Always {most!r} would be right in ")
    recalls = {c: (called[y == c] == c).mean() for c in np.unique(y)}
    worst = min(recalls, key=recalls.__getitem__)
    assert found.notes[1].startswith(f"a: the worst class is {str(worst)!r}")
    assert f"recall {recalls[worst]:.4f}" in found.notes[1]
    frames = {name: pd.DataFrame(matrix) for name, matrix in models.items()}
    assert fm.evaluate(y, frames) == found
    own = fm.evaluate(y, models, metrics=["cohen_kappa", "log_loss"])
    assert {*own["a"]} == {"cohen_kappa", "log_loss"}


def test_labels(classes) -> None:
    y, models = classes
    called = {name: np.unique(y)[np.argmax(m, axis=1)] for name, m in models.items()}
    found = fm.evaluate(y, called)
    whole = fm.evaluate(y, models)
    assert found["b"]["accuracy"] == whole["b"]["accuracy"]
    two = fm.evaluate(y == "ape", {n: c == "ape" for n, c in called.items()}, task="labels")
    assert [*two["a"]] == ["accuracy", "balanced_accuracy", "f1_macro"]
    named = fm.evaluate(
        np.where(y == "ape", "yes", "no"),
        np.where(called["a"] == "ape", "yes", "no"),
        pos_label="yes",
    )
    assert [*named["score"]] == ["accuracy", "balanced_accuracy", "precision", "recall", "f1"]
    assert named["score"]["recall"].estimate == (called["a"][y == "ape"] == "ape").mean()


def test_rankings(rng) -> None:
    relevance, query = rng.integers(0, 3, N), np.arange(N) // 10
    models = {"a": relevance + rng.normal(size=N), "b": rng.normal(size=N)}
    found = fm.evaluate(relevance, models, query=query)
    expected = fm.compare(relevance, models, query=query, metrics="ndcg@10")["ndcg@10"]
    assert found.task == "rankings"
    assert found.comparisons["ndcg@10"] == expected
    assert found.n_samples == expected.n_samples


def test_probabilities_are_measured_and_it_is_said(rng) -> None:
    y = rng.integers(0, 2, N)
    p = 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=N))))
    found = fm.evaluate(y, {"a": p, "b": p**2})
    brier = fm.compare(y, {"a": p, "b": p**2}, metrics="brier_score")["brier_score"]
    assert found.comparisons["brier_score"] == brier
    assert "taken for probabilities" in found.notes[0]
    assert "Brier score ↓" in str(found)
    for scores in (p + 1, (p > 0.5).astype(float), (100 * p).astype(int)):
        other = fm.evaluate(y, scores)
        assert "probabilities" not in " ".join(other.notes)
        assert "brier_score" not in other[0].estimates


def test_measures_beside_the_usual_need_no_bootstrap(rng) -> None:
    y = rng.integers(0, 2, N)
    scores = {"a": y + rng.normal(size=N), "b": y + 2 * rng.normal(size=N)}
    found = fm.evaluate(y, scores, metrics=["f1", "recall"], threshold=0.5)
    expected = fm.compare(y, scores, metrics="f1", threshold=0.5)["f1"]
    assert found.comparisons["f1"] == expected
    assert found["a"].estimates["f1"] == expected["a"]
    with pytest.raises(fm.InputError, match="`threshold`"):
        fm.evaluate(y, scores, metrics="f1")
    with pytest.raises(fm.InputError, match="`n_resamples`"):
        fm.evaluate(y, scores, metrics="break_even_point")
    with pytest.raises(fm.InputError, match="measures of labels"):
        fm.evaluate(y, scores, threshold=0.5)


class TestCommand:
    @pytest.fixture
    def file(self, tmp_path, classes, values, monkeypatch):
        y, models = classes
        truth, predicted = values
        frame = pd.DataFrame({"y": y, "truth": truth, **predicted})
        frame[["p_ape", "p_bee", "p_cat"]] = models["a"]
        frame["called"] = np.unique(y)[np.argmax(models["a"], axis=1)]
        frame.to_csv(tmp_path / "all.csv", index=False)
        monkeypatch.chdir(tmp_path)
        return frame

    def test_values(self, file, capsys) -> None:
        command = ("evaluate", "all.csv", "--label", "truth", "--score", "a", "--score", "b")
        assert main([*command, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["task"] == "values"
        expected = fm.evaluate(file.truth, {"a": file.a, "b": file.b})
        own = found["models"]["a"]["r2"]["estimate"]
        assert own == pytest.approx(expected["a"]["r2"].estimate, rel=1e-12)
        assert main([*command, "--format", "csv"]) == 0
        rows = pd.read_csv(pd.io.common.StringIO(capsys.readouterr().out))
        assert len(rows) == 2 * 5 + 3
        assert main([*command, "--task", "values", "--memory", "1GB"]) == 2
        assert "--memory is for scores of two classes" in capsys.readouterr().err
        assert main([*command, "--bootstrap", "99"]) == 2
        assert "--bootstrap is of scores of two classes" in capsys.readouterr().err

    def test_classes_and_labels(self, file, capsys) -> None:
        scores = [f"--class-score={name}=p_{name}" for name in ("cat", "ape", "bee")]
        assert main(["evaluate", "all.csv", "--label", "y", *scores, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        matrix = file[["p_ape", "p_bee", "p_cat"]].to_numpy()
        own = found["models"]["score"]["log_loss"]["estimate"]
        assert own == pytest.approx(sk.log_loss(file.y, matrix))
        labels = ("evaluate", "all.csv", "--label", "y", "--score", "called", "--task", "labels")
        assert main([*labels, "--format", "json"]) == 0
        again = json.loads(capsys.readouterr().out)
        accuracy = [
            each["accuracy"]["estimate"]
            for each in (found["models"]["score"], again["models"]["called"])
        ]
        assert accuracy[0] == accuracy[1]
        assert main(["evaluate", "all.csv", "--label", "y", *scores[:2]]) == 2
        assert "each class needs its scores" in capsys.readouterr().err
        assert main(["evaluate", "all.csv", "--label", "y", "--score", "a"]) == 2
        assert "--class-score" in capsys.readouterr().err


@pytest.mark.parametrize("task", ["multiclass", "values"])
def test_a_positive_label_is_never_ignored(rng, task) -> None:
    y = rng.integers(0, 3, N)
    scores = rng.dirichlet(np.ones(3), N) if task == "multiclass" else y + rng.normal(size=N)
    with pytest.raises(TypeError, match=f"these are {task}, and `pos_label` is of scores of two"):
        fm.evaluate(y, scores, task=task, pos_label=1)
