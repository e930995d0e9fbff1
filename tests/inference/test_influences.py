"""How far a row moves a measure is the measure's numerical derivative by the row's weight."""

import warnings
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics._input.rows import NamedScores
from fastmetrics.inference.samples import sample_of
from fastmetrics.measures.asking import ask
from measure_names import MEASURES
from reference import concordance_oracle

_STEP = 1e-4
_PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "roc_auc": [{}, {"max_fpr": 0.33}],
    "partial_auc": [
        {"false_positive_rate_range": (0.11, 0.53)},
        {"true_positive_rate_range": (0.23, 0.77)},
        {"false_positive_rate_range": (0.0, 0.47), "standardized": True},
        {"true_positive_rate_range": (0.31, 1.0), "standardized": True},
    ],
    "pr_auc": [{"interpolation": kind} for kind in ("step", "trapezoid", "continuous")],
    "cohen_kappa": [{}, {"weights": "quadratic"}],
    "cost": [{"cost_fn": 5.0, "cost_fp": 1.0}],
    "expected_cost": [{"cost_fn": 5.0, "cost_fp": 1.0, "prevalence": p} for p in (None, 0.1)],
    "net_benefit": [
        {"threshold": 0.4},
        {"threshold": 0.4, "standardized": True},
        {"threshold": 0.4, "prevalence": 0.1},
        {"threshold": 0.4, "prevalence": 0.1, "standardized": True},
    ],
    "fbeta": [{"beta": 2.0}],
    "mean_pinball_loss": [{"alpha": 0.3}],
    "mean_tweedie_deviance": [{"power": 1.5}, {"power": 3.0}],
    "kendall_tau": [{"variant": "b"}, {"variant": "c"}],
    "somers_d": [{"given": "outcome"}, {"given": "score"}],
    "concordance_index": [{"higher_score_means": "longer-time", "weighting": "uno"}],
}
_SMOOTH = [m.name for m in MEASURES.values() if m.influences and m.needs != "rankings"]
#: Those whose public function takes no weights, or that have none, are tested by their definition.
_ASKED = [
    (name, given)
    for name in _SMOOTH
    for given in _PARAMETERS.get(name, [{}])
    if MEASURES[name].family != "concordance" and name not in ("mean", "mean_error")
]


def _data(name: str, seed: int = 3) -> tuple[Any, Any, float | None]:
    """Return outcomes, predictions with ties, and a threshold where decisions are asked."""
    rng = np.random.default_rng(seed)
    measure, n = MEASURES[name], 37
    if measure.family in ("regression", "concordance"):
        y = rng.gamma(2.0, 1.0, n).round(1) + 0.1
        return y, (y * rng.gamma(9.0, 1.0 / 9.0, n)).round(1) + 0.05, None
    if measure.classes == 3 or name.endswith(("_macro", "_micro", "_weighted", "_harmonic")):
        codes = rng.integers(0, 3, n)
        if measure.needs == "labels":
            return codes, np.where(rng.random(n) < 0.6, codes, rng.integers(0, 3, n)), None
        scores = rng.dirichlet([1.0, 1.0, 1.0], n) + np.eye(3)[codes] * 0.5
        return codes, scores / scores.sum(axis=1, keepdims=True), None
    y = (rng.random(n) < 0.4).astype(int)
    scores = np.clip((rng.normal(size=n) * 0.25 + 0.4 + 0.2 * y).round(2), 0.03, 0.97)
    return y, scores, 0.5 if measure.needs == "labels" else None


def _value(name: str, y: Any, p: Any, threshold: float | None, w: Any, given: Any) -> float:
    labels = p if threshold is None else (p >= threshold).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", fm.SmallSampleWarning)  # its own intervals are not asked
        return float(MEASURES[name].value(y, labels, sample_weight=w, **given))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "given"), _ASKED)
def test_derivative_by_the_weight(name: str, given: dict[str, Any], weighted: bool) -> None:
    y, p, threshold = _data(name)
    n = len(y)
    weights = np.random.default_rng(5).random(n) + 0.5 if weighted else None
    asked = ask([(name, given)], of_times=True)
    sample = sample_of(
        asked,
        y,
        [NamedScores("", "y_score", p)],
        threshold=threshold,
        pos_label=None,
        sample_weight=weights,
        weights_are="importances" if weighted else None,
        event=None,
        query=None,
        groups=None,
        strata=np.zeros(n, int),  # so that points are rows
    )[name]
    found = sample.measured(asked[0])
    made_larger = found.rates[0].inflation() if found.rates else 1.0  # of a gap that was chosen
    influences = np.asarray(found.influences) / made_larger
    base = np.ones(n) if weights is None else weights
    assert found.values[0] == pytest.approx(_value(name, y, p, threshold, base, given), rel=1e-12)
    quantile = name in ("d2_pinball_score", "d2_absolute_error_score")
    for row in range(n):
        values = []
        for step in (_STEP, -_STEP):
            moved = base.copy()
            moved[row] += step
            values.append(_value(name, y, p, threshold, moved, given))
        slope = (values[0] - values[1]) / (2 * _STEP)
        # the best constant of a quantile jumps from row to row: of the order of one of them
        close = {"abs": 0.02} if quantile else {"abs": 1e-8, "rel": 1e-6}
        assert influences[0, row] == pytest.approx(slope, **close), row


def _censored(seed: int = 4, n: int = 13) -> dict[str, Any]:
    """Return times with ties, events, and what is said of each row."""
    rng = np.random.default_rng(seed)
    return {
        "time": (rng.gamma(2.0, 1.0, n).round(1) + 0.1).tolist(),
        "event": (rng.random(n) < 0.6).tolist(),
        "risk": (rng.normal(size=n).round(4)).tolist(),
    }


_LATER = {"higher_score_means": "shorter-time"}
#: Of censored times: the column, the parameters, and the value by the weights of rows. Uno's index
#: takes the share not censored as known.
_OF_TIMES: dict[str, tuple[str, str, dict[str, Any], Any]] = {
    "index": (
        *("concordance_index", "risk", _LATER),
        lambda d, w: concordance_oracle.index(d["time"], d["event"], d["risk"], w),
    ),
    "Uno's index": (
        *("concordance_index", "risk", _LATER | {"weighting": "uno"}),
        lambda d, w: concordance_oracle.index(
            *(d["time"], d["event"], d["risk"], w), weighting="uno", of=(d["time"], d["event"])
        ),
    ),
}


@pytest.mark.parametrize(
    ("name", "weighted"),
    # of Uno's index the known share is of rows that count one
    [("index", False), ("Uno's index", False), ("index", True)],
)
def test_derivative_of_measures_of_times(name: str, weighted: bool) -> None:
    """Row by row, of the definition."""
    metric, column, given, value = _OF_TIMES[name]
    data = _censored()
    n = len(data["time"])
    weights = np.random.default_rng(5).integers(1, 5, n) / 2 if weighted else None
    asked = ask([(metric, given)], of_times=True)
    options = dict.fromkeys(("threshold", "pos_label", "query", "groups", "strata"))
    sample = sample_of(
        asked,
        data["time"],
        [NamedScores("", "y_score", np.array(data[column]))],
        event=data["event"],
        sample_weight=weights,
        weights_are="importances" if weighted else None,
        **options,
    )[metric]
    found = sample.measured(asked[0])
    base = np.ones(n) if weights is None else weights
    assert found.values[0] == pytest.approx(float(value(data, base.tolist())), rel=1e-9)
    for row in range(n):
        values = []
        for step in (_STEP, -_STEP):
            moved = base.copy()
            moved[row] += step
            values.append(float(value(data, moved.tolist())))
        slope = (values[0] - values[1]) / (2 * _STEP)
        assert found.influences[0][row] == pytest.approx(slope, abs=1e-7, rel=1e-5), row


def mean_ranks(values: Any, w: Any) -> Any:
    """Return the weight below each row, and half of that which ties with it."""
    below = np.greater.outer(values, values) + np.equal.outer(values, values) / 2
    return below @ w


def correlation(x: Any, z: Any, w: Any) -> float:
    covariance = np.cov(x, z, aweights=w, ddof=0)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("kendall_tau", "b"),
        ("somers_d", "outcome"),
        ("goodman_kruskal_gamma", ""),
        ("spearman_rho", "spearman"),
    ],
)
def test_rank_correlation_by_its_definition(name: str, option: str) -> None:
    y, p, _ = _data("kendall_tau")
    rng = np.random.default_rng(1)
    weights = rng.random(len(y)) + 0.5

    def value(w: Any) -> float:
        if option == "spearman":
            return correlation(*(mean_ranks(column, w) for column in (y, p)), w)
        products = np.sign(np.subtract.outer(y, y)) * np.sign(np.subtract.outer(p, p))
        pairs = np.multiply.outer(w, w)
        apart_y, apart_p = (np.not_equal.outer(x, x) * pairs for x in (y, p))
        over = {
            "b": np.sqrt(apart_y.sum() * apart_p.sum()),
            "outcome": apart_y.sum(),
            "": (np.abs(products) * pairs).sum(),
        }[option]
        return float((products * pairs).sum() / over)

    found = fm.estimate(y, p, metrics=name, sample_weight=weights)[name]
    assert found.estimate == pytest.approx(value(weights), rel=1e-12)
    slopes = []
    for row in range(len(y)):
        up, down = weights.copy(), weights.copy()
        up[row] += _STEP
        down[row] -= _STEP
        slopes.append((value(up) - value(down)) / (2 * _STEP))
    squares = (weights * np.array(slopes)) ** 2
    shares = weights / weights.sum()
    left = 1 - 2 * (shares**3).sum() / (shares**2).sum() + (shares**2).sum()
    assert found.standard_error == pytest.approx(np.sqrt(squares.sum() / left), rel=1e-6)


@pytest.mark.parametrize("name", _SMOOTH)
def test_influences_add_up_to_nothing(name: str) -> None:
    """A measure does not change with the scale of the weights (Euler)."""
    y, p, threshold = _data(name, seed=11)
    given = _PARAMETERS.get(name, [{}])[0]
    weights = np.random.default_rng(2).integers(1, 4, len(y))
    asked = ask([(name, given)], of_times=True)
    sample = sample_of(
        asked,
        y,
        [NamedScores("", "y_score", p)],
        threshold=threshold,
        pos_label=None,
        sample_weight=weights,
        weights_are="frequencies",
        event=(np.arange(len(y)) % 3 > 0) if MEASURES[name].needs == "times" else None,
        query=None,
        groups=np.arange(len(y)),
        strata=None,
    )[name]
    found = sample.measured(asked[0])
    assert float(found.influences[0] @ weights) == pytest.approx(0.0, abs=1e-12)
