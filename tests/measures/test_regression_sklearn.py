"""Regression measures and scikit-learn's, over shapes, dtypes, weights and averages."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn.metrics as peer

import fastmetrics as fm
from measure_names import REGRESSION as MEASURES

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
every = pytest.mark.parametrize("name", MEASURES)
multiple = pytest.mark.parametrize("name", [name for name in MEASURES if name not in ONE_OUTPUT])


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


def weightings(rng, n):
    return (None, rng.random(n), rng.integers(0, 3, n) + (np.arange(n) == 0), np.arange(1, n + 1.0))


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
    for w in weightings(rng, n):
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


@pytest.mark.parametrize("name", [name for name in MEASURES if name not in OF_TWO_ROWS])
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
@pytest.mark.parametrize("outputs", [2])
def test_weights_of_outputs_have_to_fit(name, outputs):
    y = np.array([[1.0, 2.0], [3.0, 4.0]])[:, :outputs]
    with pytest.raises(ValueError, match="`multioutput` must"):
        getattr(fm, name)(y, y, multioutput=[1.0])
    if name == "root_mean_squared_error":  # theirs takes the weight of one, and TypeErrors for two
        return
    with pytest.raises(ValueError, match="weights"):
        getattr(peer, name)(y, y, multioutput=[1.0])
