"""Functions of the user's that close over an array of their own: rows come in the order given."""

import numpy as np
import pytest

import fastmetrics as fm

pytestmark = [
    pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning"),
    pytest.mark.filterwarnings("ignore::fastmetrics.errors.DegenerateDataWarning"),
]

RNG = np.random.default_rng(5)
N = 60
Y = RNG.integers(0, 2, N)
SCORES = {"a": np.round(RNG.random(N) + 0.3 * Y, 1), "b": np.round(RNG.random(N), 1)}
AMOUNTS = RNG.lognormal(size=N)
GROUPS = RNG.integers(0, 12, N)
IMPORTANCES = RNG.random(N) * (RNG.random(N) < 0.8)
FREQUENCIES = RNG.integers(0, 3, N)
WAYS = {
    "plain": {},
    "stratified": {"stratified": True},
    "groups": {"groups": GROUPS},
    "importances": {"sample_weight": IMPORTANCES},
    "frequencies": {"sample_weight": FREQUENCIES, "weights_are": "frequencies"},
    "frequencies, groups": {
        "sample_weight": FREQUENCIES, "weights_are": "frequencies", "groups": GROUPS
    },
}  # fmt: skip
KINDS = {"scores": Y, "numbers": Y + RNG.random(N)}


def cost(y, score, weights):
    """Return the share of the amounts that is lost; amounts are those of the rows."""
    assert len(y) == len(AMOUNTS)
    return float(np.sum(weights * AMOUNTS * (y * 2 - score) ** 2) / np.sum(weights * AMOUNTS))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_function_that_closes_over_amounts(kind, way):
    """Each replicate is that of a linear sum of the rows, as counts of one-hot functions say."""
    y = KINDS[kind]
    score = SCORES["a"]
    options = {"n_resamples": 7, "rng": 3, **WAYS[way]}
    if way == "stratified" and kind == "numbers":
        return
    more = {"auc": "roc_auc"} if kind == "scores" else {"mse": "mean_squared_error"}

    def rows(i):
        return lambda y, score, weights: float(weights[i])

    of_rows = {str(i): rows(i) for i in range(N)}
    estimates = fm.bootstrap(y, score, metrics={"cost": cost, **more, **of_rows}, **options)
    counts = np.stack([estimates[name].details.distribution for name in of_rows], axis=1)
    if way == "groups":
        assert all(len({*row[g == GROUPS]}) == 1 for row in counts for g in GROUPS)
    wanted = [cost(y, score, row) for row in counts]
    np.testing.assert_allclose(estimates["cost"].details.distribution, wanted, rtol=1e-12)
    weights = options.get("sample_weight", np.ones(N))
    assert estimates["cost"].estimate == pytest.approx(cost(y, score, weights), rel=1e-12)
    if kind == "scores":  # other metrics have the same draws, and weights of rows, as they have
        aucs = [fm.roc_auc_score(y, score, sample_weight=row) for row in counts]
        np.testing.assert_allclose(estimates["auc"].details.distribution, aucs, rtol=1e-12)
    for threads in (1, 7):
        again = fm.bootstrap(y, score, metrics={"cost": cost, **more}, n_threads=threads, **options)
        for name, one in again.items():
            np.testing.assert_array_equal(
                one.details.distribution, estimates[name].details.distribution
            )


@pytest.mark.parametrize("way", WAYS)
def test_models_on_the_same_rows(way):
    """Each is what `bootstrap` of the first model's draws makes of it."""
    options = {"n_resamples": 7, "rng": 3, **WAYS[way]}
    seen = {"a": [], "b": []}

    def recorded(y, score, weights):
        seen["a" if score is not None and score[0] == SCORES["a"][0] else "b"].append(weights)
        return cost(y, score, weights)

    assert SCORES["a"][0] != SCORES["b"][0]
    metrics = {"cost": recorded, "auc": "roc_auc"}
    comparison = fm.paired_bootstrap(Y, SCORES, metrics=metrics, n_threads=1, **options)["cost"]
    np.testing.assert_array_equal(seen["a"], seen["b"])  # the same draws of the same rows
    for name, score in SCORES.items():
        values = [cost(Y, score, row) for row in seen[name]]
        assert comparison[name].estimate == pytest.approx(values[0], rel=1e-12)
        np.testing.assert_allclose(comparison[name].details.distribution, values[1:], rtol=1e-12)


def test_drawn_rows_come_in_the_order_given():
    numbers = RNG.permutation(N).astype(float)
    places = np.argsort(numbers)
    seen = []

    def size(values):
        seen.append(places[values.astype(int)])
        return float(len(values))

    fm.bootstrap(numbers, metrics={"n": size}, n_resamples=5, rng=1, n_threads=1)
    assert len([rows for rows in seen if (np.diff(rows) >= 0).all()]) == 6  # and once reversed


def test_weights_by_keyword_and_by_position():
    def keyword(y, score, *, weights):
        return cost(y, score, weights)

    def positional(y, score, weights, /):
        return cost(y, score, weights)

    metrics = {"cost": cost, "keyword": keyword, "positional": positional}
    result = fm.bootstrap(Y, SCORES["a"], metrics=metrics, n_resamples=9, rng=3)
    for name in metrics:
        np.testing.assert_array_equal(
            result[name].details.distribution, result["cost"].details.distribution
        )


def test_a_function_of_drawn_rows_must_not_depend_on_their_order():
    def silent(y, score, weights=None):
        return float(np.sum(AMOUNTS * (score - y) ** 2) / np.sum(AMOUNTS))

    for call, data in ((fm.bootstrap, SCORES["a"]), (fm.paired_bootstrap, SCORES)):
        with pytest.raises(ValueError, match=r"order of rows .*`weights` too, without a default"):
            call(Y, data, metrics={"cost": silent}, n_resamples=9)
