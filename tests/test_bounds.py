"""P-values of replicates: without one as extreme they are bounds, and every form says so."""

import copy
import csv
import io
import json
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastmetrics as fm
from fastmetrics._number_text import MonteCarloPValue, as_p, pvalue
from fastmetrics.cli import main
from fastmetrics.inference.bootstrap.bootstrap import pvalue_from_limits
from fastmetrics.inference.reference import holm

B = 199
N = 1_000
Y = np.arange(N) % 2
NOISE = np.random.default_rng(0).normal(size=(2, N))
#: The first is far better than the others, which are alike.
SCORES = {"a": 4 * Y + NOISE[0], "b": NOISE[1], "c": NOISE[1] + 0.1 * NOISE[0]}
TABLE = np.random.default_rng(1).random((60, 6)) + np.array([3, 0, 0, 0, 0, 0])
#: The same without a difference: p-values that are none too small.
LEVEL_TABLE = np.random.default_rng(2).random((60, 6))


def sign_flips(shift: float) -> Any:
    differences = np.random.default_rng(3).normal(shift, 1, 300)
    options: dict[str, Any] = {"higher_is_better": True, "n_resamples": B, "rng": 1}
    return fm.comparison.sign_flip_test(differences, method="monte-carlo", **options)


def friedman(shift: float) -> Any:
    options: dict[str, Any] = {"pvalue_method": "permutation", "n_resamples": B, "rng": 1}
    scores = TABLE if shift else LEVEL_TABLE
    return fm.comparison.friedman_test(scores, higher_is_better=True, **options)


def calibration(shift: float) -> Any:
    p = np.random.default_rng(5).random(600)
    y = np.random.default_rng(6).random(600) < p ** (1 + shift)
    return fm.calibration.calibration_test(y, p, n_resamples=B, rng=1)


def paired(shift: float, **options: Any) -> Any:
    models = {"a": SCORES["a" if shift else "c"], "b": SCORES["b"]}
    return fm.paired_bootstrap(Y, models, n_resamples=B, rng=1, **options)["roc_auc"].pairs[0]


def exchanged(shift: float) -> Any:
    models = {"a": SCORES["a" if shift else "c"], "b": SCORES["b"]}
    return fm.paired_permutation_test(Y, models, n_resamples=B, rng=1)["roc_auc"].pairs[0]


def compared(shift: float) -> Any:
    models = {"a": SCORES["a" if shift else "c"], "b": SCORES["b"]}
    options: dict[str, Any] = {"method": "bootstrap", "n_resamples": B, "rng": 1}
    return fm.compare(Y, models, metrics="roc_auc", **options)["roc_auc"].pairs[0]


#: What makes a result, and the least p-value: of B replicates one-sided, or twice that.
FLOORS: dict[str, tuple[Callable[[float], Any], float]] = {
    "sign flips": (sign_flips, 1 / (B + 1)),
    "Friedman": (friedman, 1 / (B + 1)),
    "calibration": (calibration, 1 / (B + 1)),
    "percentile": (paired, 2 / (B + 1)),
    "basic": (lambda shift: paired(shift, method="basic"), 2 / (B + 1)),
    "one-sided": (lambda shift: paired(shift, alternative="greater"), 1 / (B + 1)),
    "exchanges": (exchanged, 1 / (B + 1)),
    "compare": (compared, 2 / (B + 1)),
}


@pytest.mark.parametrize("of", FLOORS)
def test_the_floor_is_a_bound_in_every_form(of: str) -> None:
    make, floor = FLOORS[of]
    result = make(1.0)
    assert result.pvalue == floor
    text = f"≤ {floor:.3f}".replace("0.", ".")
    assert text in str(result)
    assert text in result._repr_html_()
    assert f"pvalue<={floor:g}" in repr(result)
    plain = result.to_dict()
    assert type(plain["pvalue"]) is float
    assert plain["pvalue_is_bound"] is True
    assert json.loads(json.dumps(plain["pvalue"])) == floor
    for library in ("pandas", "polars"):
        frame = result.to_frame(library)
        names = [name for name in frame.columns if name.endswith("_is_bound")]
        assert names
        assert all(bool(each) for name in names for each in frame[name] if each is not None)


@pytest.mark.parametrize("of", FLOORS)
def test_above_the_floor_it_is_measured(of: str) -> None:
    make, floor = FLOORS[of]
    result = make(0.0)
    assert floor < result.pvalue <= 1
    assert "≤" not in str(result)
    assert "<=" not in repr(result)
    assert result.to_dict()["pvalue_is_bound"] is False


def test_p_values_that_count_everything_are_no_bounds() -> None:
    options: dict[str, Any] = {"higher_is_better": True}
    exact = fm.comparison.sign_flip_test(np.arange(1.0, 11), **options)
    assert exact.pvalue == 2 / 2**10
    friedman_exact = fm.comparison.friedman_test(TABLE[:3, :3], **options)
    t = fm.comparison.one_sample_t_test(np.arange(1.0, 11), error_rate=0.1)
    for result in (exact, friedman_exact, t):
        assert type(result.pvalue) is float
        assert "pvalue_is_bound" not in result.to_dict()


@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_either_tail_of_a_bootstrap(method: str) -> None:
    replicates = np.random.default_rng(1).normal(0.1, 1, 199)
    how: dict[str, Any] = {"method": method}
    for sign, side, other in ((1, "greater", "less"), (-1, "less", "greater")):
        far = sign * (replicates + 6)
        estimate = sign * 6.1
        for alternative, bound in ((side, True), ("two-sided", True), (other, False)):
            actual = pvalue_from_limits(far, estimate, alternative=alternative, **how)
            assert actual.is_bound is bound, (side, alternative)
        grouped = pvalue_from_limits(far, estimate, n_groups=12.0, **how)
        assert grouped.is_bound
        assert grouped > pvalue_from_limits(far, estimate, **how)
    assert not pvalue_from_limits(replicates, 0.1, **how).is_bound


def test_holm_passes_bounds_on() -> None:
    bound = MonteCarloPValue(0.01, True)
    adjusted = holm([MonteCarloPValue(0.02, False), bound, MonteCarloPValue(0.3)])
    assert adjusted == [0.04, 0.03, 0.3]
    assert [each.is_bound for each in adjusted] == [False, True, False]
    # at 2 × .011 a measured one is below what the bound makes of the first: so is its bound
    adjusted = holm([bound, MonteCarloPValue(0.011), MonteCarloPValue(0.5)])
    assert adjusted == [0.03, 0.03, 0.5]
    assert [each.is_bound for each in adjusted] == [True, True, False]
    # measured ones as large as what comes of a bound: no more than measured
    adjusted = holm([bound, MonteCarloPValue(0.02), math.nan])
    assert [each.is_bound for each in adjusted[:2]] == [True, False]
    assert not holm([MonteCarloPValue(0.4, True), MonteCarloPValue(0.6, True), 0.9])[0].is_bound
    assert [type(each) for each in holm([0.01, 0.02])] == [float, float]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.002, "≤ .002"),
        (2 / 1500, "≤ .002"),  # .001 would claim too much
        (3 * 0.002, "≤ .006"),
        (0.0092, "≤ .0092"),  # .010 would seem to decide
        (0.01, "≤ .010"),
        (0.05, "≤ .050"),
        (0.049999, "≤ .049999"),
        (0.0002, "< .001"),
        (0.001, "≤ .001"),
        (1.0, "1.000"),
    ],
)
def test_how_bounds_are_written(value: float, text: str) -> None:
    assert pvalue(MonteCarloPValue(value, True)) == text
    assert as_p(MonteCarloPValue(value, True)) == (f"p = {text}" if value == 1 else f"p {text}")
    assert "≤" not in pvalue(MonteCarloPValue(value, False))


def test_it_is_a_number_that_travels() -> None:
    value = MonteCarloPValue(0.25, True)
    for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
        assert (again, again.is_bound, type(again)) == (0.25, True, MonteCarloPValue)
    assert json.dumps(value) == repr(value) == "0.25"
    assert type(value * 2) is float


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"y": Y, **SCORES}), "x.parquet")
    rows = np.column_stack([np.arange(len(TABLE)), TABLE])
    np.savetxt("t.csv", rows, delimiter=",", header="set,a,b,c,d,e,f", comments="")


EVALUATE = "evaluate x.parquet --label y --score a --score b --bootstrap 199 --seed 1"
COMPARE = "compare-table t.csv --datasets set --higher-is-better --seed 1"


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("command", "text", "field"),
    [
        (EVALUATE, "≤ .010", "pvalue"),
        (EVALUATE, "≤ .010", "pvalue_adjusted"),
        (COMPARE, "< .001", "pvalue"),
    ],
)
def test_the_command_line(command: str, text: str, field: str, capsys: Any) -> None:
    printed = {}
    for form in ("table", "markdown", "json", "csv"):
        assert main([*command.split(), "--format", form]) == 0
        printed[form] = capsys.readouterr().out
    assert text in printed["table"]
    assert text in printed["markdown"]
    assert f'"{field}_is_bound": true' in printed["json"]
    if command == EVALUATE:  # the table of pairs has no p-value of permutations
        rows = list(csv.DictReader(io.StringIO(printed["csv"])))
        assert {row[f"{field}_is_bound"] for row in rows} <= {"True", "False", ""}
        assert "True" in {row[f"{field}_is_bound"] for row in rows if float(row[field] or 1) < 0.02}
