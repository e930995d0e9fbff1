"""Every public result and table is pickled, copied and compared: it is the same afterwards."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from public import NAMES, public
from result_examples import EXAMPLES, FEW, RESULTS, TABLE, P, Q, S, X, Y, evaluation, model


def public_classes() -> set[str]:
    """Return the names of public classes of results and tables: no errors, splitters or tuples."""
    classes = {name: public(name) for name in NAMES}
    return {
        name
        for name, each in classes.items()
        if inspect.isclass(each)
        and not issubclass(each, (Exception, tuple))
        and not hasattr(each, "split")
    }


def test_there_is_an_example_of_each() -> None:
    assert set(EXAMPLES) == public_classes()
    assert len(EXAMPLES) > 50


def frozen(value: Any) -> Any:
    """Return by field whether a result's value is read-only, None if it has no fields."""
    if not dataclasses.is_dataclass(value):
        return None
    values = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    return {
        name: isinstance(each, MappingProxyType)
        or (isinstance(each, np.ndarray) and not each.flags.writeable)
        for name, each in values.items()
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_arrives_as_it_was(name: str) -> None:
    result = EXAMPLES[name]()
    assert type(result).__name__ == name
    arrived = [pickle.loads(pickle.dumps(result, protocol)) for protocol in range(2, 6)]
    for again in [*arrived, copy.deepcopy(result), copy.copy(result)]:
        assert type(again) is type(result)
        assert again == result
        assert result == again
        assert (again != result) is False
        assert repr(again) == repr(result)
        assert frozen(again) == frozen(result)
        assert not hasattr(result, "to_dict") or again.to_dict().keys() == result.to_dict().keys()
        if type(result).__hash__ is not None:
            assert hash(again) == hash(result)
    for other in (None, 1, name, object()):
        assert result != other


@pytest.mark.parametrize("name", RESULTS)
def test_every_field_is_compared(name: str) -> None:
    result = EXAMPLES[name]()
    for each in dataclasses.fields(result):  # type: ignore[arg-type]
        changed = copy.deepcopy(result)
        value = getattr(changed, each.name)
        other = np.append(value, value[:1]) if isinstance(value, np.ndarray) else object()
        object.__setattr__(changed, each.name, other)
        assert (changed == result) is not each.compare
        assert (result == changed) is not each.compare


def test_values_inside_are_compared() -> None:
    nan = float("nan")
    of = fm.results.ConfidenceInterval
    assert of(nan, 1.0) == of(float("nan"), 1.0)
    assert hash(of(nan, 1.0)) == hash(of(float("nan"), 1.0))
    assert of(nan, 1.0) != of(0.0, 1.0)
    assert of(0.0, nan) != of(nan, 0.0)
    assert of(0.0, 1.0) != (0.0, 1.0)
    one, other = (fm.bootstrap(Y, S, **FEW | {"rng": seed}) for seed in (1, 2))
    assert one != other
    assert one["roc_auc"] != other["roc_auc"]
    assert fm.RegressionTable.from_arrays(S, S[::-1]) != fm.RegressionTable.from_arrays(S[::-1], S)


def test_a_copy_is_frozen_too() -> None:
    again = pickle.loads(pickle.dumps(EXAMPLES["BiasVariance"]()))
    with pytest.raises(TypeError, match="does not support item assignment"):
        again.details["noise_rate"] = 1.0
    replicates = pickle.loads(pickle.dumps(EXAMPLES["Replicates"]())).distribution
    with pytest.raises(ValueError, match="read-only"):
        replicates[0] = 1.0


def test_intervals_unpack_and_index() -> None:
    interval = fm.delong(Y, S).confidence_interval
    low, high = interval
    assert (low, high) == (interval.low, interval.high) == (interval[0], interval[1])
    assert (interval[-1], len(interval), list(interval)) == (high, 2, [low, high])
    assert np.asarray(interval).tolist() == [low, high]
    with pytest.raises(IndexError, match="out of range"):
        interval[2]


#: Results that are one number above all, and the name of its field.
NUMBERS = {
    "CostCurve": "expected_total_cost",
    "BreakEvenPoint": "value",
    "GoodnessOfFitTest": "statistic",
    "Estimate": "estimate",
    "GroupAUC": "estimate",
    "GateRule": "estimate",
    "KolmogorovSmirnov": "statistic",
    "MetricEstimate": "estimate",
    "NestedCrossValidation": "estimate",
    "Pair": "estimate",
    "ScoreDecomposition": "loss",
    "SliceEstimate": "estimate",
    "TimingRatio": "estimate",
}


#: Results that have an estimate, and are no number: they have others beside it.
OTHERS_TOO = {"ComparisonTest", "FriedmanTest", "ModelEvaluation", "ThresholdCostInterval"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_result_is_a_number_where_it_has_one_estimate(name: str) -> None:
    result = EXAMPLES[name]()
    if name in NUMBERS:
        assert float(result) == getattr(result, NUMBERS[name])
        assert type(float(result)) is float
        assert -1 * result == -float(result)
    else:
        assert name in OTHERS_TOO or not isinstance(getattr(result, "estimate", None), float)
        with pytest.raises(TypeError, match=r"float\(\) argument must be"):
            float(result)


@pytest.mark.parametrize("function", [fm.ks_statistic, fm.break_even_point])
def test_scorers_of_scikit_learn_take_numbers(function: Any) -> None:
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import cross_val_score

    for sign in (True, False):
        scorer = make_scorer(function, response_method="predict_proba", greater_is_better=sign)
        scores = cross_val_score(model(), X, Y, cv=3, scoring=scorer)
        assert ((scores > 0) == sign).all()


#: Results of several numbers, each with an interval of its own, tested below.
SEVERAL = {"LogisticCalibration"}
#: Results whose intervals are made without a standard error, some or all.
NO_ERROR = {"ComparisonTest", "ThresholdCostInterval"}


def has_an_interval(result: Any) -> bool:
    fields = [getattr(result, each.name) for each in dataclasses.fields(result)]
    return any(isinstance(each, fm.results.ConfidenceInterval) for each in fields)


@pytest.mark.parametrize("name", RESULTS)
def test_an_interval_has_an_estimate_and_a_standard_error(name: str) -> None:
    result = EXAMPLES[name]()
    if name in SEVERAL or not has_an_interval(result):
        return
    low, high = result.confidence_interval
    assert type(result.estimate) is float
    assert low <= result.estimate <= high
    error = result.standard_error
    assert error is None or (type(error) is float and 0 < error < high - low)
    assert error is not None or name in NO_ERROR


@pytest.mark.parametrize("part", ["slope", "intercept", "in_the_large"])
def test_each_number_of_several_has_an_interval_and_a_standard_error(part: str) -> None:
    result = EXAMPLES["LogisticCalibration"]()
    low, high = getattr(result, f"{part}_interval")
    assert low < getattr(result, part) < high
    assert 0 < getattr(result, f"{part}_standard_error") < high - low


TESTS: dict[str, tuple[Callable[[], fm.results.ComparisonTest], bool]] = {
    "McNemar": (lambda: fm.comparison.mcnemar_test(Y, P, Q), False),
    "Wilcoxon": (
        lambda: fm.comparison.wilcoxon_signed_rank_test(
            TABLE[:, 0], TABLE[:, 1], higher_is_better=True
        ),
        False,
    ),
    "binomial": (lambda: fm.comparison.binomial_test(3, 10, error_rate=0.2), True),
    "one-sample t": (lambda: fm.comparison.one_sample_t_test(TABLE[:, 0], error_rate=0.2), True),
    "k-fold t": (
        lambda: fm.comparison.kfold_paired_t_test(TABLE[:, 0], TABLE[:, 1], higher_is_better=True),
        True,
    ),
}


@pytest.mark.parametrize("name", TESTS)
def test_the_interval_of_a_test_is_that_of_its_effect(name: str) -> None:
    made, has_error = TESTS[name]
    test = made()
    assert test.confidence_interval is not None
    assert test.confidence_interval.low <= test.estimate <= test.confidence_interval.high
    assert test.estimate == test.effect_size
    if not has_error:
        assert test.standard_error is None
    elif test.statistic_name == "t" and "margin" not in test.details:
        shift = test.details.get("error_rate", 0.0)
        assert test.statistic == pytest.approx((test.estimate - shift) / test.standard_error)
    else:
        assert test.standard_error > 0


def test_standard_errors_of_proportions() -> None:
    one = fm.comparison.proportion_interval(8, 10)
    assert one.standard_error == pytest.approx(np.std([1] * 8 + [0] * 2) / np.sqrt(10))
    assert fm.comparison.proportion_interval(0, 10).standard_error == 0
    with pytest.warns(fm.UndefinedMetricWarning):
        assert np.isnan(fm.comparison.proportion_interval(0, 0).standard_error)


def test_the_standard_error_of_an_evaluation() -> None:
    assert fm.evaluate(Y, S)[0].standard_error == fm.delong(Y, S).standard_error
    drawn = evaluation()[0]
    assert drawn.standard_error == drawn.bootstrap["roc_auc"].standard_error
