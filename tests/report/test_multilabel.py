"""`evaluate` of rows with several labels."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics as sk

import fastmetrics as fm

N = 90
K = 4
AT = 0.55


def made(n: int = N) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(4)
    shared = rng.normal(size=(n, 1))  # labels of a row go together
    y = (shared + rng.normal(size=(n, K)) > [-0.5, 0.0, 0.3, 0.6]).astype(int)
    models = {}
    for name, pull in (("a", 1.6), ("b", 1.0)):
        noise = rng.normal(size=(n, 1)) + rng.normal(size=(n, K))  # as do errors of a model
        logits = pull * (y - 0.5) + noise
        models[name] = np.round(1.0 / (1.0 + np.exp(-logits)), 2)
    return y, models


Y, MODELS = made()


NAMES = ["roc_auc_macro", "average_precision_macro", "brier_score", "f1_macro", "f1_micro"]
NAMES += ["subset_accuracy", "hamming_loss"]


def oracle(y: np.ndarray, s: np.ndarray, weight: np.ndarray | None = None) -> dict[str, float]:
    """Return every metric by scikit-learn, label by label."""
    called = (s >= AT).astype(int)
    columns = range(y.shape[1])
    both = {"sample_weight": weight}

    def mean(function, values) -> float:
        return float(np.mean([function(y[:, j], values[:, j], **both) for j in columns]))

    return {
        "roc_auc_macro": mean(sk.roc_auc_score, s),
        "average_precision_macro": mean(sk.average_precision_score, s),
        "brier_score": mean(sk.brier_score_loss, s),
        "f1_macro": mean(sk.f1_score, called),
        "f1_micro": sk.f1_score(y, called, average="micro", **both),
        "subset_accuracy": sk.accuracy_score(y, called, **both),
        "hamming_loss": sk.hamming_loss(y, called, **both),
    }


@pytest.mark.parametrize("weights", [None, "importances", "frequencies"])
def test_values_are_means_over_labels(weights: str | None) -> None:
    rng = np.random.default_rng(1)
    rows = {}
    if weights is not None:
        own = rng.integers(1, 4, N) if weights == "frequencies" else 1.0 + rng.random(N)
        rows = {"sample_weight": own, "weights_are": weights}
    result = fm.evaluate(Y, MODELS, threshold=AT, **rows)
    assert (result.task, result.names, result.n_samples) == (
        *("multilabel", ("a", "b")),
        N if weights != "frequencies" else rows["sample_weight"].sum(),
    )
    for name, scores in MODELS.items():
        assert [*result[name]] == NAMES
        for metric, value in oracle(Y, scores, rows.get("sample_weight")).items():
            assert result[name][metric].estimate == pytest.approx(value, rel=1e-12)


def placements(y: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Return by how much each row moves an AUC (DeLong): its place less the AUC, over its class."""
    wins = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
    moved = np.empty(len(y))
    moved[y == 1] = (wins.mean(axis=1) - wins.mean()) / (y == 1).sum()
    moved[y == 0] = (wins.mean(axis=0) - wins.mean()) / (y == 0).sum()
    return moved


def test_the_error_has_the_covariance_of_the_labels() -> None:
    moved = {
        m: np.stack([placements(Y[:, j], s[:, j]) for j in range(K)]) for m, s in MODELS.items()
    }
    for j in range(K):  # what `estimate` says of one label is of these very influences
        y = Y[:, j]
        psi = moved["a"][j]
        by_class = sum((c := psi[y == k]) @ c * len(c) / (len(c) - 1) for k in (0, 1))
        alone = fm.estimate(y, MODELS["a"][:, j], metrics="roc_auc")["roc_auc"]
        assert alone.standard_error == pytest.approx(math.sqrt(by_class), rel=1e-9)
    covariance = {m: N / (N - 1) * psi @ psi.T for m, psi in moved.items()}
    assert covariance["a"][0, 1] > 0.1 * covariance["a"][0, 0]  # labels share what varies
    result = fm.evaluate(Y, MODELS)
    for name, own in covariance.items():
        error = result[name]["roc_auc_macro"].standard_error
        assert error == pytest.approx(math.sqrt(own.sum()) / K, rel=1e-9)
    less = (moved["a"] - moved["b"]).mean(axis=0)
    pair = result.comparisons["roc_auc_macro"]["a", "b"]
    assert pair.standard_error == pytest.approx(math.sqrt(N / (N - 1) * less @ less), rel=1e-9)


def test_decisions_and_a_share_of_whole_rows() -> None:
    called = {name: s >= AT for name, s in MODELS.items()}
    result = fm.evaluate(Y, called)
    assert [*result["a"]] == NAMES[3:]
    at = fm.evaluate(Y, MODELS, threshold=AT)
    for name in NAMES[3:]:
        assert result["b"][name] == at["b"][name]
    right = (called["a"] == Y).all(axis=1)
    one = result["a"]["subset_accuracy"]
    expected = fm.estimate(np.ones(N), right.astype(int), metrics="accuracy")["accuracy"]
    assert one.confidence_interval == expected.confidence_interval
    assert one.method == "wilson"
    assert not any("score ≥" in note for note in result.notes)
    assert "A label is predicted where its score is ≥ 0.55." in at.notes


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_worst_label_by_name(frame) -> None:
    names = ["sea", "sky", "sun", "sand"]
    y = frame(dict(zip(names, Y.T, strict=True)))
    result = fm.evaluate(y, frame(dict(zip(names, MODELS["a"].T, strict=True))))
    turned = frame({name: MODELS["a"][:, names.index(name)] for name in names[::-1]})
    assert fm.evaluate(y, {"score": turned}) == result
    alone = [
        fm.estimate(Y[:, j], MODELS["a"][:, j], metrics="roc_auc", confidence_level=1 - 0.05 / K)
        for j in range(K)
    ]
    worst = min(range(K), key=lambda j: alone[j]["roc_auc"].estimate)
    one = alone[worst]["roc_auc"]
    low, high = one.confidence_interval
    text = f"{one.estimate:.4f} [{low:.4f}, {high:.4f}] (corrected)."
    (note,) = [note for note in result.notes if "lowest" in note]
    assert note.replace("\N{NO-BREAK SPACE}", " ") == (
        f"score: {names[worst]} has the lowest AUC of {K} labels, {text}"
    )
    assert "Several labels a row" in str(result)
    assert "macro AUC ↑" in str(result)


def test_labels_of_one_class_are_left_out_and_named() -> None:
    y = Y.copy()
    y[:, 1] = 0
    model = fm.evaluate(y, MODELS["a"], threshold=AT)["score"]
    rest = oracle(y[:, [0, 2, 3]], MODELS["a"][:, [0, 2, 3]])
    for name in ("roc_auc_macro", "average_precision_macro", "f1_macro"):
        assert model[name].estimate == pytest.approx(rest[name])
    called = (MODELS["a"] >= AT).astype(int)
    assert model["hamming_loss"].estimate == pytest.approx(sk.hamming_loss(y, called))
    assert model["brier_score"].estimate == pytest.approx(np.mean((y - MODELS["a"]) ** 2))
    (note,) = [n for n in fm.evaluate(y, MODELS["a"]).notes if "leave out labels of one class" in n]
    assert note == (
        "Means over the 4 labels leave out labels of one class: y_true[:, 1] (not Brier score)."
    )
    none = fm.evaluate(np.zeros_like(Y), MODELS["a"])["score"]
    assert math.isnan(none["roc_auc_macro"].estimate)
    assert none["brier_score"].estimate == pytest.approx(np.mean(MODELS["a"] ** 2))


def test_few_rows_and_classes_that_exclude_one_another_are_said() -> None:
    result = fm.evaluate(Y[:50], MODELS["a"][:50])
    assert any("a class has fewer than 30 rows" in note for note in result.notes)
    result = fm.evaluate(np.eye(K, dtype=int)[np.arange(N) % K], MODELS["a"])
    assert any("pass the class of each row" in note for note in result.notes)


def test_other_metrics_and_a_perfect_model() -> None:
    wanted = ["recall", ("partial_auc", {"false_positive_rate_range": (0, 0.2)}), "precision_micro"]
    model = fm.evaluate(Y, MODELS["a"], metrics=[*wanted, "accuracy"], threshold=AT)["score"]
    called = (MODELS["a"] >= AT).astype(int)
    assert model["recall"].estimate == pytest.approx(sk.recall_score(Y, called, average="macro"))
    assert model["accuracy"].estimate == pytest.approx(sk.accuracy_score(Y, called))
    expected = sk.precision_score(Y, called, average="micro")
    assert model["precision_micro"].estimate == pytest.approx(expected)
    perfect = fm.evaluate(Y, {"a": Y + 0.25, "b": Y + 0.25})
    assert perfect["a"]["roc_auc_macro"].estimate == 1.0
    assert math.isnan(perfect["a"]["roc_auc_macro"].confidence_interval.low)
    assert "No significant difference between a and b in macro AUC" in perfect.verdict
    rare = Y * (np.arange(N)[:, None] < [90, 90, 90, 20])
    result = fm.evaluate(rare, {"a": rare + 0.25, "b": rare + 0.25})
    pair = result.comparisons["roc_auc_macro"]["a", "b"]
    sizes = np.array([(rare[:, 3] == k).sum() for k in (0, 1)])
    z = stats.norm.ppf(0.975)
    assert pair.confidence_interval.high == pytest.approx(np.linalg.norm(z**2 / (sizes + z**2)))


def test_rows_of_no_weight_are_none() -> None:
    kept = np.arange(N) % 3 > 0
    options = {"sample_weight": 2.0 * kept, "groups": np.arange(N) // 2}
    whole = fm.evaluate(Y, MODELS, **options)
    options = {name: each[kept] for name, each in options.items()}
    assert whole == fm.evaluate(Y[kept], {k: s[kept] for k, s in MODELS.items()}, **options)


@pytest.mark.parametrize(
    ("y", "scores", "options", "match"),
    [
        (Y, MODELS["a"][:, :3], {}, r"`scores` must have the shape of `y_true`.*\(90, 4\)"),
        (Y, {"m": MODELS["a"][:-1]}, {}, r"`scores\['m'\]` must have the shape"),
        (Y, {"m": MODELS["a"][:, 0]}, {}, "`y_true` is the class of each row"),
        (Y + 1, MODELS["a"], {}, "`y_true` must be an indicator matrix"),
        ({"sea": Y[:, 0], "sky": Y[:, 1] + 1}, MODELS["a"][:, :2], {}, r"`y_true\['sky'\]` must"),
        (pd.DataFrame(Y, columns=[*"aabc"]), MODELS["a"], {}, "`y_true` names 2 columns 'a'"),
        (Y[:, :1], MODELS["a"][:, :1], {"task": "multilabel"}, "2 or more: got 1"),
        (Y, MODELS["a"], {"n_resamples": 99}, "these are multilabel, and `n_resamples`"),
        (Y, MODELS["a"], {"slices": {"x": Y[:, 0]}}, "`slices` is of scores of two classes"),
        (Y, MODELS["a"], {"metrics": "f1_macro"}, "`f1_macro` is of predicted labels"),
        (Y, MODELS["a"], {"metrics": "roc_auc_micro"}, "only decisions are counted"),
        (Y, MODELS["a"], {"metrics": "r2"}, "`r2` is no metric of one label"),
        (Y, MODELS["a"], {"metrics": sk.roc_auc_score}, "`metrics` of several labels are names"),
    ],
)
def test_faults(y, scores, options, match: str) -> None:
    with pytest.raises((fm.InputError, fm.InputTypeError), match=match):
        fm.evaluate(y, scores, **options)


def for_themselves(y: np.ndarray, s: np.ndarray, w: np.ndarray) -> float:
    """Return by how much precision is less at each positive without it, on average over labels."""
    by_label = []
    for j in range(y.shape[1]):
        losses = []
        own = []
        for i in np.flatnonzero(y[:, j]):
            above = s[:, j] >= s[i, j]
            right = (w * y[:, j])[above].sum()
            called = w[above].sum()
            others = (right - w[i]) / (called - w[i]) if called > right else 1.0
            losses.append(right / called - others)
            own.append(w[i])
        by_label.append(np.average(losses, weights=own))
    return float(np.mean(by_label))


@pytest.mark.parametrize("weights_are", [None, "importances", "frequencies"])
def test_lower_limits_of_precision_leave_out_what_a_positive_counts_of_itself(
    weights_are: str | None,
) -> None:
    y, models = made(40)
    y[:, 0] = np.arange(40) % 10 == 0  # of few positives
    s = np.round(models["a"], 1)  # of ties
    times = 1 + np.arange(40) % 3
    options = {} if weights_are is None else {"sample_weight": times, "weights_are": weights_are}
    excess = for_themselves(y, s, np.ones(40) if weights_are is None else times)
    if weights_are == "frequencies":  # as if each row stood there so often
        many = np.repeat(np.arange(40), times)
        excess = for_themselves(y[many], s[many], np.ones(79))
    assert excess > 0.01
    one = fm.evaluate(y, s, **options)[0]["average_precision_macro"]
    at = np.log(one.estimate / (1 - one.estimate))
    high = one.confidence_interval.high
    upper = np.log(high / (1 - high))
    lower = 1.0 / (1.0 + np.exp(upper - 2 * at))  # as far below on the scale of log-odds
    assert one.confidence_interval.low == pytest.approx(lower - excess, abs=1e-12)
    assert ("counts itself" in one.note) == (excess > 0.25 * one.standard_error)


def curved(y: np.ndarray, called: np.ndarray, w: np.ndarray) -> float:
    """Return half the second derivative of F1 by each row's weight, in its squares, over labels."""

    def mean(i: int, step: float) -> float:
        moved = np.where(np.arange(len(w)) == i, w * (1.0 + step), w)
        right = moved @ (called & (y == 1))
        return float(np.mean(2.0 * right / (2.0 * right + moved @ (called != y))))

    h = 1e-3
    return sum(mean(i, h) + mean(i, -h) - 2.0 * mean(i, 0.0) for i in range(len(w))) / (2 * h * h)


@pytest.mark.parametrize("weights_are", [None, "importances", "frequencies"])
def test_limits_of_f1_take_in_what_it_is_too_small_by(weights_are: str | None) -> None:
    y, models = made(40)
    y[:, 0] = np.arange(40) % 10 == 0  # of few positives
    times = 1 + np.arange(40) % 3
    options = {} if weights_are is None else {"sample_weight": times, "weights_are": weights_are}
    w = np.ones(40) if weights_are is None else times.astype(float)
    result = fm.evaluate(y, models, metrics=["f1_macro"], threshold=AT, **options)
    both = {name: s >= AT for name, s in models.items()}
    bias = {name: curved(y, called, w) for name, called in both.items()}
    if weights_are == "frequencies":  # as if each row stood there so often
        many = np.repeat(np.arange(40), times)
        bias = {name: curved(y[many], s[many], np.ones(79)) for name, s in both.items()}
    for name, model in result.models.items():
        one = model["f1_macro"]
        low, high = one.confidence_interval
        assert bias[name] < -0.002
        at = np.log(one.estimate / (1 - one.estimate))
        upper = 1.0 / (1.0 + np.exp(np.log(low / (1 - low)) - 2 * at))
        assert high == pytest.approx(upper - bias[name], abs=1e-6)
        assert ("few positives" in one.note) == (-bias[name] > 0.25 * one.standard_error)
    pair = result.comparisons["f1_macro"]["a", "b"]
    low, high = pair.confidence_interval
    more = bias["a"] - bias["b"]
    assert pair.estimate - low - (high - pair.estimate) == pytest.approx(more, abs=1e-6)


def test_limits_of_a_difference_take_in_what_models_are_unlike_too_large_by() -> None:
    result = fm.evaluate(Y, MODELS)
    name = "average_precision_macro"
    pair = result.comparisons[name]["a", "b"]
    low, high = pair.confidence_interval
    below, above = pair.estimate - low, high - pair.estimate
    more = [for_themselves(Y, s, np.ones(N)) for s in MODELS.values()]
    assert below - above == pytest.approx(more[0] - more[1], abs=1e-12)
    for one, other in zip(result.comparisons[name].models, result, strict=True):
        assert one.confidence_interval == other[name].confidence_interval
    turned = fm.evaluate(Y, {"b": MODELS["b"], "a": MODELS["a"]}).comparisons[name]["b", "a"]
    assert turned.confidence_interval == pytest.approx((-high, -low))
