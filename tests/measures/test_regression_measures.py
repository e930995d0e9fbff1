"""Several regression measures at once are each of them alone, from one pass."""

import tracemalloc

import numpy as np
import pytest

import engine_sizes
import fastmetrics as fm
from measure_names import OF_ERRORS, REGRESSION as MEASURES
from public import NAMES, public

OF_MANY = [name for name in MEASURES if not MEASURES[name].one_output]


def data(rng, shape):
    y = rng.gamma(2.0, 2.0, shape)
    return y, y * rng.gamma(5.0, 0.2, shape)


def test_each_is_what_it_is_alone(rng):
    y, p = data(rng, 70_000)
    together = fm.regression_measures(y, p, metrics=list(MEASURES))
    assert list(together.values) == list(MEASURES)
    assert (together.n_samples, together.n_outputs) == (70_000, 1)
    for name in MEASURES:
        alone = public(name)(y, p)
        assert together[name] == pytest.approx(alone, rel=1e-14)
        assert type(together[name]) is float


@pytest.mark.parametrize("how", ["uniform_average", "raw_values", [1, 2, 0.5]])
def test_many_outputs_and_weights(rng, how):
    y, p = data(rng, (3000, 3))
    w = rng.random(3000)
    together = fm.regression_measures(y, p, metrics=OF_MANY, sample_weight=w, multioutput=how)
    for name in OF_MANY:
        alone = public(name)(y, p, sample_weight=w, multioutput=how)
        np.testing.assert_allclose(together[name], alone, rtol=1e-14)


def test_names_and_parameters(rng):
    y, p = data(rng, 100)
    found = fm.regression_measures(
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
    assert found["low"] == fm.mean_pinball_loss(y, p, alpha=0.1)
    assert found["high"] == fm.mean_pinball_loss(y, p, alpha=0.9)
    assert found["poisson"] == fm.d2_tweedie_score(y, p, power=1)
    assert found["inverse"] == fm.mean_tweedie_deviance(y, p, power=3)
    assert found["mse"] == fm.mean_squared_error(y, p)
    for one in ("r2_score", ("r2_score", {"force_finite": False})):
        assert dict(fm.regression_measures(y, p, metrics=one).values) == {
            "r2_score": fm.r2_score(y, p)
        }


def test_results_are_named_as_written(rng):
    y, p = data(rng, 100)
    names = ["r2", "r2_score", "neg_mean_squared_error", "mean_error"]
    found = fm.regression_measures(y, p, metrics=names)
    assert list(found.values) == ["r2", "r2_score", "mean_squared_error", "mean_error"]
    assert found["r2"] == found["r2_score"] == fm.r2_score(y, p)
    assert found["mean_error"] == pytest.approx((p - y).mean(), rel=1e-12)


def test_a_registered_function_is_no_measure_of_a_table():
    fm.register_metric("widest", max, needs="values")
    with pytest.raises(TypeError, match="measures of predicted numbers: got the function 'widest'"):
        fm.regression_measures([1, 2], [1, 2], metrics="widest")


def test_the_usual_ones_without_a_choice(rng):
    y, p = data(rng, 100)
    found = fm.regression_measures(y, p)
    assert {name: public(name)(y, p) for name in found.values} == dict(found.values)
    assert {"mean_squared_error", "mean_absolute_error", "r2_score"} <= found.values.keys()


def test_a_table_in_place_of_rows(rng):
    y, p = data(rng, 1000)
    table = fm.RegressionTable.from_arrays(y, p, log_errors=True, powers=[1])
    metrics = ["mean_squared_log_error", "mean_poisson_deviance", "r2_score"]
    found = fm.regression_measures(table, metrics=metrics)
    right = fm.regression_measures(y, p, metrics=metrics)
    assert dict(found.values) == pytest.approx(dict(right.values), rel=1e-14)


def test_one_pass_whatever_is_asked(rng, monkeypatch):
    passes = engine_sizes.noted(monkeypatch, "error sums")
    metrics = [name for name in MEASURES if not name.startswith(("d2_p", "d2_a"))]
    fm.regression_measures(*data(rng, 1000), metrics=metrics)
    assert len(passes) == 1
    fm.mean_squared_error(*data(rng, 1000))
    terms = passes[1][1]
    assert terms == type(terms)()  # no logarithms, no powers, not even moments


def test_no_temporaries_of_the_size_of_the_rows(rng):
    y, p = rng.random((2, 1_000_000))
    metrics = ["mean_squared_error", "mean_absolute_error", "r2_score", "mean_poisson_deviance"]
    for dtype in (np.float64, np.float32, np.int64):
        data = (1 + 9 * y).astype(dtype), (1 + 9 * p).astype(dtype)
        for asked in (metrics[:2], metrics):
            fm.regression_measures(*data, metrics=asked)
            tracemalloc.start()
            fm.regression_measures(*data, metrics=asked)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 4_000_000


@pytest.mark.parametrize(
    ("metrics", "error", "said"),
    [
        ("accuracy", ValueError, "'accuracy', which takes predicted labels, where measures of"),
        (max, TypeError, "must name measures of predicted numbers: got the function 'max'"),
        ({"gap": max}, TypeError, "must name measures of predicted numbers: got the function"),
        (("r2_score", {"alpha": 1}), TypeError, "`r2_score` has no parameter 'alpha'"),
        (("mean_poisson_deviance", {"power": 1}), TypeError, "has no parameter 'power'"),
    ],
)
def test_what_is_no_measure(metrics, error, said):
    with pytest.raises(error, match=said):
        fm.regression_measures([1, 2], [1, 2], metrics=metrics)


def test_every_measure_is_public():
    assert OF_ERRORS - set(NAMES) == {"mean", "mean_error"}
