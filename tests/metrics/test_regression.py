"""Regression metrics: definitions, scikit-learn's values, faults."""

import inspect
import math
import tracemalloc
import warnings
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics as peer

import engine_sizes
import fastmetrics as fm
from metric_names import METRICS as REGISTRY, OF_ERRORS, REGRESSION as METRICS
from public import NAMES, public


def test_max_error_of_a_table_leaves_rows_of_no_weight_out():
    table = fm.RegressionTable.from_arrays([1, 2, 9], [1, 3, 0], sample_weight=[1, 1, 0])
    assert fm.max_error(table) == 1.0


@pytest.mark.parametrize("n", [10, 14])
def test_a_median_between_rows_of_equal_weight(n):
    """Ten running sums of 0.1 pass the middle above it, fourteen below it: rounding, not weight."""
    errors = np.arange(n)
    weights = np.full(n, 0.1)
    assert fm.median_absolute_error(errors, np.zeros(n), sample_weight=weights) == (n - 1) / 2


def test_the_quantile_of_level_zero_is_the_least_target_however_light():
    y = [1.0, 2.0, 3.0]
    p = [1.0, 3.0, 3.0]
    w = [1e-20, 1.0, 1.0]
    assert fm.d2_pinball_score(y, p, sample_weight=w, alpha=0) == 0.0  # 1 itself has no loss


def test_a_median_of_numbers_whose_sum_overflows():
    assert fm.median_absolute_error([1.75e308, 1.25e308], [0, 0]) == 1.5e308


_SCALES = [2.0**e for e in (-1000, -560, -480, 0, 480, 530, 1000)]
_TRUE = [1, 2, 3, 5]
_PREDICTED = [4, 3, 2, 1]
_WEIGHTS = [1, 2, 3, 1]


def _exact_scores(y, p, w, alpha):
    """Return R², explained variance and D² of the pinball loss, by fractions."""
    y, p, w = ([Fraction(x) for x in each] for each in (y, p, w))

    def mean(values):
        return sum(a * b for a, b in zip(w, values, strict=True)) / sum(w)

    def variance(values):
        return mean([(x - mean(values)) ** 2 for x in values])

    def pinball(q):
        pairs = zip(y, q, strict=True)
        return mean([alpha * (a - b) if a >= b else (1 - alpha) * (b - a) for a, b in pairs])

    errors = [a - b for a, b in zip(y, p, strict=True)]
    return (
        1 - mean([e * e for e in errors]) / variance(y),
        1 - variance(errors) / variance(y),
        1 - pinball(p) / min(pinball([constant] * len(y)) for constant in y),
    )


@pytest.mark.parametrize("weights", [None, _WEIGHTS])
@pytest.mark.parametrize("scale", _SCALES)
@pytest.mark.filterwarnings("ignore:the weights leave", "ignore::fastmetrics.DegenerateDataWarning")
def test_scores_of_extreme_numbers_at_every_entry_point(scale, weights):
    y = np.multiply(_TRUE, scale)
    p = np.multiply(_PREDICTED, scale)
    values = _exact_scores(_TRUE, _PREDICTED, weights or [1] * 4, Fraction(3, 4))
    metrics = {"r2": "r2", "explained_variance": "explained_variance"}
    metrics |= {"d2_pinball_score": ("d2_pinball_score", {"alpha": 0.75})}
    given = {"sample_weight": weights, "metrics": metrics}
    estimates = [fm.regression_metrics(y, p, **given).values, fm.estimate(y, p, **given)]
    pairs = fm.compare(y, {"a": p, "b": p}, **given)
    estimates += [{name: one.models[1] for name, one in pairs.items()}]
    for each in estimates:
        numbers = [getattr(each[name], "estimate", each[name]) for name in metrics]
        assert numbers == pytest.approx([*map(float, values)], rel=1e-14)
    assert fm.root_mean_squared_error(y, p) == pytest.approx(6.75**0.5 * scale, rel=1e-14)


@pytest.mark.parametrize("weights", [None, [1.0, 2.5, 0.5]])
@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        *((name, {}, 0.0) for name in ("r2", "explained_variance", "d2_absolute_error_score")),
        ("d2_pinball_score", {"alpha": 0.9}, 0.0),
        ("r2", {"force_finite": False}, -math.inf),
        ("d2_tweedie_score", {"power": 0.0}, math.nan),
        ("d2_tweedie_score", {"power": 1.5}, math.nan),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_constant_targets_at_every_entry_point(name, given, value, weights):
    y, p = [0.7] * 3, [0.5, 0.6, 0.8]  # the rounded mean of y is another number
    metrics = {name: (name, given)}
    one = fm.estimate(y, p, metrics=metrics, sample_weight=weights)[name]
    pair = fm.compare(y, {"a": p, "b": p[::-1]}, metrics=metrics, sample_weight=weights)[name]
    function = REGISTRY[name].value(y, p, sample_weight=weights, **given)
    for estimate in (function, one.estimate, pair.models[0].estimate):
        np.testing.assert_equal(estimate, value)
    assert math.isnan(one.standard_error)
    assert pair.pairs[0].better is None
    assert one.note in str(fm.evaluate(y, p, metrics=metrics, task="values"))


ONE_OUTPUT = (
    *("max_error", "mean_tweedie_deviance", "mean_poisson_deviance", "mean_gamma_deviance"),
    "d2_tweedie_score",
)
OF_TWO_ROWS = ("r2_score", "d2_tweedie_score", "d2_pinball_score", "d2_absolute_error_score")
SCORES = ("r2_score", "explained_variance_score")
PARAMETERS = {
    "mean_pinball_loss": [{"alpha": a} for a in (0, 0.1, 0.5, 0.93, 1.0)],
    "d2_pinball_score": [{"alpha": a} for a in (0, 0.1, 0.5, 0.93, 1.0)],
    "mean_tweedie_deviance": [{"power": p} for p in (-3, -0.5, 0, 1, 1.7, 2, 2.1, 5)],
    "d2_tweedie_score": [{"power": p} for p in (-3, -0.5, 0, 1, 1.7, 2, 2.1, 5)],
    "r2_score": [{}, {"force_finite": False}, {"multioutput": None}],
    "explained_variance_score": [{}, {"force_finite": False}],
}
every = pytest.mark.parametrize("name", METRICS)
multiple = pytest.mark.parametrize("name", [name for name in METRICS if name not in ONE_OUTPUT])


def both(name, *data, **more):
    return getattr(fm, name)(*data, **more), getattr(peer, name)(*data, **more)


def check(name, *data, **more):
    # Where a row outweighs all others, their ratio of two small deviances has lost digits.
    rtol = 1e-9 if name == "d2_tweedie_score" else 1e-12
    for parameters in PARAMETERS.get(name, [{}]):
        if "multioutput" in parameters and "multioutput" in more:
            continue
        with warnings.catch_warnings():
            if not parameters.get("force_finite", True):  # 0 / 0 is what is asked for
                warnings.simplefilter("ignore")
            mine, theirs = both(name, *data, **more, **parameters)
        assert type(mine) is type(theirs)
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=1e-13)
        if isinstance(mine, np.ndarray):
            assert mine.shape == theirs.shape


def targets(rng, shape):
    y = rng.gamma(2.0, 2.0, shape)
    return y, y * rng.gamma(5.0, 0.2, shape)


@every
def test_the_arguments_are_the_same(name):
    mine = inspect.signature(getattr(fm, name)).parameters
    theirs = inspect.signature(getattr(peer, name)).parameters
    assert mine.keys() == {*theirs, "n_threads"}
    for key, parameter in theirs.items():
        assert mine[key].kind == parameter.kind, key
        if key != "y_pred":  # left out beside a table
            assert mine[key].default == parameter.default, key


@multiple
@pytest.mark.parametrize("n", [2, 5000])
def test_many_outputs(rng, name, n):
    y, p = targets(rng, (n, 4))
    ways = ["raw_values", "uniform_average", [0.1, 0.2, 3, 0]]
    if name in SCORES:
        ways.append("variance_weighted")
    counts = rng.integers(0, 3, n) + (np.arange(n) == 0)
    for w in (None, rng.random(n), counts, np.arange(1, n + 1.0)):
        for how in ways:
            check(name, y, p, sample_weight=w, multioutput=how)
        check(name, np.asfortranarray(y), p, sample_weight=w, multioutput="raw_values")


def test_booleans_are_numbers():
    assert fm.median_absolute_error([True, False, True], [True, True, False]) == 1.0
    check("mean_squared_error", [True, False, True], [True, True, False])
    check("r2_score", np.array([True, False, True]), np.array([True, True, False]))


@every
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_small_floats_are_added_up_in_float64(rng, name, dtype):
    y, p = (values.astype(dtype) for values in targets(rng, 500))
    as_float = y.astype(np.float64), p.astype(np.float64)
    assert getattr(fm, name)(y, p) == getattr(fm, name)(*as_float)
    assert getattr(fm, name)(y, p) == pytest.approx(getattr(peer, name)(*as_float), rel=1e-12)
    assert getattr(fm, name)(y, as_float[1]) == getattr(fm, name)(*as_float)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("force_finite", [True, False])
@pytest.mark.parametrize("how", ["raw_values", "uniform_average", "variance_weighted", [1, 2, 3]])
def test_constant_targets(name, force_finite, how):
    y = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 5.0], [1.0, 2.0, 4.0]])
    p = np.array([[1.0, 2.5, 3.0], [1.0, 2.0, 5.0], [1.0, 2.0, 5.0]])
    for k in (1, 2, 3):
        more = {"multioutput": how[:k] if isinstance(how, list) else how}
        if k == 1 and isinstance(how, list):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mine, theirs = both(name, y[:, :k], p[:, :k], force_finite=force_finite, **more)
        np.testing.assert_allclose(mine, theirs, rtol=1e-14)


@pytest.mark.parametrize("name", ["d2_pinball_score", "d2_absolute_error_score"])
def test_constant_targets_of_quantiles(name):
    check(name, [2.0, 2.0, 2.0], [2.0, 2.0, 2.0])
    check(name, [2.0, 2.0, 2.0], [2.0, 2.0, 3.0])


@pytest.mark.parametrize("name", OF_TWO_ROWS)
def test_too_few_rows(name):
    with pytest.warns(peer._regression.UndefinedMetricWarning) as theirs:
        assert np.isnan(getattr(peer, name)([1.0], [2.0]))
    with pytest.warns(fm.UndefinedMetricWarning) as mine:
        assert np.isnan(getattr(fm, name)([1.0], [2.0]))
    assert [str(w.message) for w in mine] == [str(w.message) for w in theirs]
    assert mine[0].filename == __file__


@pytest.mark.parametrize("name", [name for name in METRICS if name not in OF_TWO_ROWS])
def test_one_row(name):
    check(name, [2.0], [3.0])


def test_zeros_among_targets():
    check("mean_absolute_percentage_error", [0.0, 1.0, -2.0], [1.0, 1.0, 1.0])
    check("mean_absolute_percentage_error", [0.0, 1.0], [0.0, 2.0])
    check("mean_poisson_deviance", [0.0, 3.0], [1.0, 2.0])
    check("mean_squared_log_error", [0.0, -0.5], [-0.99, 0.0])
    for power in (-2, 1, 1.5):
        check_power([0.0, 0.0, 3.0], [0.1, 5.0, 2.0], power)
    check_power([-1.0, 0.0, 3.0], [0.1, 5.0, 2.0], -2)


def check_power(y, p, power):
    for name in ("mean_tweedie_deviance", "d2_tweedie_score"):
        mine, theirs = both(name, y, p, power=power)
        assert mine == pytest.approx(theirs, rel=1e-13)


@multiple
def test_weights_of_outputs_have_to_fit(name):
    y = np.array([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match="`multioutput` must"):
        getattr(fm, name)(y, y, multioutput=[1.0])
    if name == "root_mean_squared_error":  # theirs takes the weight of one, and TypeErrors for two
        return
    with pytest.raises(ValueError, match="weights"):
        getattr(peer, name)(y, y, multioutput=[1.0])


def test_objects_are_converted_with_a_warning():
    with pytest.warns(fm.DataConversionWarning, match="`y_true` has dtype object: converted to"):
        assert fm.mean_squared_error(np.array([1, 2.5], object), [1, 2]) == 0.125


@pytest.mark.parametrize("name", [name for name in METRICS if METRICS[name].one_output])
def test_metrics_of_one_output(name):
    with pytest.raises(ValueError, match=f"{name} is a metric of one output: `y_true` has 2"):
        getattr(fm, name)([[1, 2], [3, 4]], [[1, 2], [3, 5]])


@pytest.mark.parametrize("name", ["r2_score", "explained_variance_score"])
def test_constant_targets_faults(name):
    score = getattr(fm, name)
    for value in (0.1, 1e9 + 0.1, -3.3e-8):
        y = np.full(2000, value)
        assert score(y, y) == 1.0
        assert score(y, y + np.arange(2000)) == 0.0
        with pytest.warns(fm.UndefinedMetricWarning, match=f"{name} is not defined for constant"):
            assert math.isnan(score(y, y, force_finite=False))
        with pytest.warns(fm.UndefinedMetricWarning, match="constant targets"):
            assert score(y, y + np.arange(2000), force_finite=False) == -math.inf


@pytest.mark.parametrize("power", [-1, 0, 1, 1.5, 2, 3])
def test_constant_targets_of_deviances(power):
    with pytest.warns(fm.UndefinedMetricWarning, match="d2_tweedie_score is not defined for const"):
        assert math.isnan(fm.d2_tweedie_score([2.0] * 5, [2.0, 1, 2, 3, 4], power=power))


def test_a_mean_that_a_negative_power_cannot_take():
    with pytest.warns(fm.UndefinedMetricWarning, match="power -1 and a mean of `y_true` that is"):
        assert math.isnan(fm.d2_tweedie_score([-2.0, 1.0], [2.0, 1.0], power=-1))


def test_a_mean_that_power_zero_can_take():
    y, p = [-2.0, -1.0, -4.0], [-2.0, -1.5, -3.0]
    assert fm.d2_tweedie_score(y, p, power=0) == fm.r2_score(y, p)


def test_targets_of_zero_alone():
    assert fm.mean_poisson_deviance([0, 0], [1, 3]) == 4.0
    with pytest.warns(fm.UndefinedMetricWarning, match="constant targets"):
        assert math.isnan(fm.d2_tweedie_score([0, 0], [1, 3], power=1))


def test_values_beyond_float64():
    huge = np.array([1e300, -1e300])
    with pytest.warns(fm.UndefinedMetricWarning, match="error exceeds the range of float64"):
        assert fm.mean_squared_error(huge, -huge) == math.inf
    assert fm.root_mean_squared_error(huge, -huge) == 2e300
    assert fm.mean_absolute_error(huge, -huge) == 2e300
    top = 1.7e308 * np.array([1.0, -1.0])
    with pytest.warns(fm.UndefinedMetricWarning, match="mean_absolute_error exceeds the range"):
        assert fm.mean_absolute_error(top, -top) == math.inf
    with pytest.warns(fm.UndefinedMetricWarning, match="median_absolute_error exceeds the range"):
        assert fm.median_absolute_error(top, -top) == math.inf
    assert fm.r2_score(huge, -huge) == -3.0


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_scores_beyond_float64(n_outputs):
    """Only a ratio beyond float64 is warned of; squares on the way to it are scaled."""
    small, huge = (np.tile([[x], [-x]], n_outputs) for x in (1.0, 1e200))
    for name in ("r2_score", "explained_variance_score"):
        for y, p, value in ((huge, huge, 1.0), (huge, small, 0.0)):
            values = getattr(fm, name)(y, p, multioutput="raw_values")
            np.testing.assert_array_equal(values, np.full(n_outputs, value))
        with pytest.warns(fm.UndefinedMetricWarning, match=f"{name} exceeds the range") as caught:
            values = getattr(fm, name)(small, huge, multioutput="raw_values")
        np.testing.assert_array_equal(values, np.full(n_outputs, -math.inf))
        assert len(caught) == 1


OF_MANY = [name for name in METRICS if not METRICS[name].one_output]


@pytest.mark.parametrize("how", ["uniform_average", "raw_values", [1, 2, 0.5]])
def test_many_outputs_and_weights(rng, how):
    y, p = targets(rng, (3000, 3))
    w = rng.random(3000)
    together = fm.regression_metrics(y, p, metrics=OF_MANY, sample_weight=w, multioutput=how)
    for name in OF_MANY:
        alone = public(name)(y, p, sample_weight=w, multioutput=how)
        np.testing.assert_allclose(together[name], alone, rtol=1e-14)


def test_names_and_parameters(rng):
    y, p = targets(rng, 100)
    result = fm.regression_metrics(
        y,
        p,
        metrics={
            "low": ("mean_pinball_loss", {"alpha": 0.1}),
            "high": ("mean_pinball_loss", {"alpha": 0.9}),
            "poisson": ("d2_tweedie_score", {"power": 1}),
            "inverse": ("mean_tweedie_deviance", {"power": 3}),
            "mse": "mean_squared_error",
        },
    )
    assert result["low"] == fm.mean_pinball_loss(y, p, alpha=0.1)
    assert result["high"] == fm.mean_pinball_loss(y, p, alpha=0.9)
    assert result["poisson"] == fm.d2_tweedie_score(y, p, power=1)
    assert result["inverse"] == fm.mean_tweedie_deviance(y, p, power=3)
    assert result["mse"] == fm.mean_squared_error(y, p)
    for one in ("r2_score", ("r2_score", {"force_finite": False})):
        assert dict(fm.regression_metrics(y, p, metrics=one).values) == {
            "r2_score": fm.r2_score(y, p)
        }


def test_results_are_named_as_written(rng):
    y, p = targets(rng, 100)
    names = ["r2", "r2_score", "neg_mean_squared_error", "mean_error"]
    result = fm.regression_metrics(y, p, metrics=names)
    assert list(result.values) == ["r2", "r2_score", "mean_squared_error", "mean_error"]
    assert result["r2"] == result["r2_score"] == fm.r2_score(y, p)
    assert result["mean_error"] == pytest.approx((p - y).mean(), rel=1e-12)


def test_a_registered_function_is_no_metric_of_a_table():
    fm.register_metric("widest", max, needs="values")
    with pytest.raises(TypeError, match="metrics of predicted numbers: got the function 'widest'"):
        fm.regression_metrics([1, 2], [1, 2], metrics="widest")


def test_the_usual_ones_without_a_choice(rng):
    y, p = targets(rng, 100)
    result = fm.regression_metrics(y, p)
    assert {name: public(name)(y, p) for name in result.values} == dict(result.values)
    assert {"mean_squared_error", "mean_absolute_error", "r2_score"} <= result.values.keys()


def test_a_table_in_place_of_rows(rng):
    y, p = targets(rng, 1000)
    table = fm.RegressionTable.from_arrays(y, p, log_errors=True, powers=[1])
    metrics = ["mean_squared_log_error", "mean_poisson_deviance", "r2_score"]
    result = fm.regression_metrics(table, metrics=metrics)
    right = fm.regression_metrics(y, p, metrics=metrics)
    assert dict(result.values) == pytest.approx(dict(right.values), rel=1e-14)


def test_one_pass_whatever_is_asked(rng, monkeypatch):
    passes = engine_sizes.noted(monkeypatch, "error sums")
    metrics = [name for name in METRICS if not name.startswith(("d2_p", "d2_a"))]
    fm.regression_metrics(*targets(rng, 1000), metrics=metrics)
    assert len(passes) == 1
    fm.mean_squared_error(*targets(rng, 1000))
    terms = passes[1][1]
    assert terms == type(terms)()  # no logarithms, no powers, not even moments


def test_no_temporaries_of_the_size_of_the_rows(rng):
    y, p = rng.random((2, 1_000_000))
    metrics = ["mean_squared_error", "mean_absolute_error", "r2_score", "mean_poisson_deviance"]
    for dtype in (np.float64, np.float32, np.int64):
        data = (1 + 9 * y).astype(dtype), (1 + 9 * p).astype(dtype)
        for names in (metrics[:2], metrics):
            fm.regression_metrics(*data, metrics=names)
            tracemalloc.start()
            fm.regression_metrics(*data, metrics=names)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 4_000_000


def test_every_metric_is_public():
    assert OF_ERRORS - set(NAMES) == {"mean", "mean_error"}


N = 40_000

TARGETS = {
    "normal": lambda rng: rng.normal(size=N),
    "tied": lambda rng: np.round(rng.normal(size=N), 1),
    "sorted": lambda rng: np.sort(rng.normal(size=N)),
    "equal": lambda _: np.full(N, 0.5),
    "every other one huge": lambda rng: rng.normal(size=N) * np.where(np.arange(N) % 2, 1, 1e9),
}
WEIGHTS = {
    "few": lambda rng: rng.integers(0, 4, N),
    "ones": lambda _: np.ones(N, np.int64),
    "few rows": lambda rng: (rng.random(N) < 1e-3).astype(np.int64),
    "uneven": lambda rng: np.minimum(rng.pareto(0.9, N), 200).astype(np.int64),
    "the last": lambda _: (np.arange(N) == N - 1).astype(np.int64),
}


def quantile(values, level):
    """Return Hyndman and Fan's second definition."""
    ordered = np.sort(values)
    rank = level * len(values)
    if rank == int(rank) and 0 < rank < len(values):
        return (ordered[int(rank) - 1] + ordered[int(rank)]) / 2
    return ordered[min(int(rank), len(values) - 1)]


@pytest.mark.parametrize("targets", ["normal", "tied"])
@pytest.mark.parametrize("alpha", [0.0, 0.001, 0.25, 0.9, 0.999, 1.0])
def test_quantiles_of_any_level(rng, targets, alpha):
    y = TARGETS[targets](rng)
    w = WEIGHTS["few"](rng)
    p = y + rng.normal(size=N)
    best = quantile(y[np.repeat(np.arange(N), w)], alpha)
    loss = fm.mean_pinball_loss(y, p, sample_weight=w, alpha=alpha)
    constant_loss = fm.mean_pinball_loss(y, np.full(N, best), sample_weight=w, alpha=alpha)
    value = fm.d2_pinball_score(y, p, sample_weight=w, alpha=alpha)
    if constant_loss:
        assert value == pytest.approx(1 - loss / constant_loss, rel=1e-12)
    else:
        assert value == (1.0 if loss == 0 else 0.0)
