"""Scores of 16 bits are counted as they are; results are those of float32, to the bit."""

import tracemalloc
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from table_samples import BFLOAT16, NARROW_ROWS, labels_of, narrow_jobs, without_sorts

import fastmetrics as fm

Array = NDArray[Any]
N = NARROW_ROWS + 3
ALL_BITS = np.arange(1 << 16, dtype=np.uint16)
INFINITY = {"float16": 0x7C00, "bfloat16": 0x7F80}


def as_narrow(bits: Array, kind: str) -> Any:
    return bits.view(np.float16 if kind == "float16" else BFLOAT16)


def as_float32(bits: Array, kind: str) -> Array:
    if kind == "float16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def bits_of(values: Array, kind: str) -> Array:
    """Return the bits of values, cut where bfloat16 holds no more."""
    if kind == "float16":
        return values.astype(np.float16).view(np.uint16)
    return (values.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)


def finite_bits(kind: str) -> Array:
    return ALL_BITS[INFINITY[kind] > (ALL_BITS & 0x7FFF)]


#: Bits of n scores.
SAMPLES: dict[str, Callable[[Any, int, str], Array]] = {
    "all bits": lambda rng, n, kind: rng.choice(finite_bits(kind), n),
    "normal": lambda rng, n, kind: bits_of(rng.standard_normal(n), kind),
    "uniform": lambda rng, n, kind: bits_of(rng.random(n), kind),
    "all equal": lambda rng, n, kind: bits_of(np.full(n, 0.25), kind),
    "zeros of both signs": lambda rng, n, kind: rng.choice(np.array([0, 0x8000], np.uint16), n),
    "zeros and the least": lambda rng, n, kind: rng.choice(
        np.array([0, 0x8000, 1, 0x8001], np.uint16), n
    ),
}

pytestmark = pytest.mark.parametrize("kind", INFINITY)


def same_tables(actual: fm.ScoreTable, expected: fm.ScoreTable) -> None:
    for column in ("scores", "positives", "negatives"):
        ours, theirs = getattr(actual, column), getattr(expected, column)
        assert ours.dtype == theirs.dtype
        assert ours.tobytes() == theirs.tobytes()  # 0.0 is not -0.0
    assert (actual.n_positive, actual.n_negative) == (expected.n_positive, expected.n_negative)


def result_of(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return the result of a call or its exception, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except (TypeError, ValueError) as error:
            result = type(error), str(error)
    return result, [str(each.message) for each in caught]


METRICS = ["roc_auc", "average_precision", "ks_statistic", "brier_score", "f1"]


def estimates(y: Array, scores: Any, **options: Any) -> list[Any]:
    options = {"metrics": METRICS, "threshold": 0.5} | options
    return [each.to_dict() for each in fm.estimate(y, scores, **options).values()]


def comparisons(y: Array, scores: Any, **options: Any) -> list[Any]:
    models = {"a": scores, "b": scores[::-1]}
    options = {"metrics": METRICS, "threshold": 0.5} | options
    return [each.to_dict() for each in fm.compare(y, models, **options).values()]


def auc_of_batches(table: Any, y: Array, scores: Any) -> Any:
    table.update(y, scores)
    table.update(y[::-1], scores)
    return repr(fm.estimate(table, metrics="roc_auc")["roc_auc"].to_dict())


def groups_of(y: Array) -> Array:
    return np.arange(len(y)) // 7


def weights_of(y: Array) -> Array:
    return np.arange(len(y)) % 5


#: Everything that the counts at each score answer, and what reads the scores of rows.
CALLS: dict[str, Callable[..., Any]] = {
    "roc_auc_score": fm.roc_auc_score,
    "rank_loss": fm.rank_loss,
    "partial": lambda y, s: fm.roc_auc_score(y, s, max_fpr=0.1),
    "average_precision_score": fm.average_precision_score,
    "ks_statistic": fm.ks_statistic,
    "roc_curve": lambda y, s: [each.tobytes() for each in fm.roc_curve(y, s)],
    "precision_recall_curve": lambda y, s: [
        each.tobytes() for each in fm.precision_recall_curve(y, s)
    ],
    "best_threshold": fm.best_threshold,
    "ScoreRuns": lambda y, s: auc_of_batches(fm.streams.ScoreRuns(), y, s),
    "BinnedScoreTable": lambda y, s: auc_of_batches(fm.streams.BinnedScoreTable(), y, s),
    "brier_score_loss": fm.brier_score_loss,
    "calibration": lambda y, s: fm.calibration.expected_calibration_error(y, s),
    "estimate": estimates,
    "estimate, AUC": lambda y, s: estimates(y, s, metrics="roc_auc"),
    "estimate, groups": lambda y, s: estimates(y, s, groups=groups_of(y)),
    "estimate, AUC of groups": lambda y, s: estimates(y, s, metrics="roc_auc", groups=groups_of(y)),
    "estimate, strata": lambda y, s: estimates(y, s, strata=groups_of(y) % 3),
    "estimate, weights": lambda y, s: estimates(
        y, s, sample_weight=weights_of(y), weights_are="importances"
    ),
    "estimate, frequencies": lambda y, s: estimates(
        y, s, sample_weight=weights_of(y), weights_are="frequencies"
    ),
    "compare": comparisons,
    "compare, AUC": lambda y, s: comparisons(y, s, metrics="roc_auc"),
    "compare, groups": lambda y, s: comparisons(y, s, groups=groups_of(y)),
    "compare, frequencies": lambda y, s: comparisons(
        y, s, metrics="roc_auc", sample_weight=weights_of(y), weights_are="frequencies"
    ),
    "evaluate": lambda y, s: fm.evaluate(y, s).to_dict(),
    "evaluate, two": lambda y, s: fm.evaluate(y, {"a": s, "b": s[::-1]}).to_dict(),
    "delong": lambda y, s: fm.delong_test(y, {"a": s, "b": s[::-1]}).to_dict(),
    "bootstrap": lambda y, s: fm.bootstrap(y, s, metrics="roc_auc", n_resamples=20, rng=1)[
        "roc_auc"
    ].to_dict(),
}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("n", [NARROW_ROWS - 1, N])
def test_table_and_auc(rng: Any, kind: str, sample: str, n: int) -> None:
    bits = SAMPLES[sample](rng, n, kind)
    narrow, wide = as_narrow(bits, kind), as_float32(bits, kind)
    for proportion in (0.0, 0.3, 0.99):
        y = labels_of(rng, n, proportion)
        same_tables(fm.ScoreTable.from_scores(y, narrow), fm.ScoreTable.from_scores(y, wide))
        assert fm.roc_auc_score(y, narrow) == fm.roc_auc_score(y, wide)
        assert fm.rank_loss(y, narrow) == fm.rank_loss(y, wide)


@pytest.mark.parametrize("name", CALLS)
def test_all_that_follows(rng: Any, kind: str, name: str) -> None:
    bits = bits_of(rng.random(N), kind)
    y = rng.random(N) < as_float32(bits, kind)
    actual, expected = (CALLS[name](y, s) for s in (as_narrow(bits, kind), as_float32(bits, kind)))
    assert repr(actual) == repr(expected)


def test_every_value_is_in_its_order(rng: Any, kind: str) -> None:
    bits = np.tile(rng.permutation(finite_bits(kind)), 2)
    table = fm.ScoreTable.from_scores(np.arange(len(bits)) < len(bits) // 2, as_narrow(bits, kind))
    expected = np.unique(as_float32(finite_bits(kind), kind) + np.float32(0))[::-1]
    assert np.array_equal(table.scores, expected)
    assert table.positives.tolist() == table.negatives.tolist()
    assert table.positives.tolist() == [1 + (score == 0) for score in expected.tolist()]


@pytest.mark.parametrize("most", [1 << 31, 40_000])
def test_jobs_and_threads(rng: Any, kind: str, most: int) -> None:
    bits = SAMPLES["normal"](rng, 40_001, kind)
    y = labels_of(rng, len(bits), 0.3)
    expected = fm.ScoreTable.from_scores(y, as_float32(bits, kind))
    with narrow_jobs(1_000, most):
        for n_threads in (1, 2, 7):
            table = fm.ScoreTable.from_scores(y, as_narrow(bits, kind), n_threads=n_threads)
            same_tables(table, expected)


def test_no_sort_and_no_copy(rng: Any, kind: str) -> None:
    bits = SAMPLES["normal"](rng, 2_000_000, kind)
    y = labels_of(rng, len(bits), 0.3)
    fm.roc_auc_score(y, as_narrow(bits, kind))
    tracemalloc.start()
    with without_sorts():
        fm.roc_auc_score(y, as_narrow(bits, kind))
        fm.average_precision_score(y, as_narrow(bits, kind))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < bits.nbytes


LABELS: dict[str, Callable[[Array], Any]] = {
    "int8": lambda y: y,
    "bool": lambda y: y == 1,
    "minus one": lambda y: np.where(y == 1, 1, -1).astype(np.int8),
    "minus one, late": lambda y: np.concatenate([np.ones(9_000), 2 * y[9_000:] - 1]).astype("i1"),
    "float": lambda y: y.astype(np.float64),
    "text": lambda y: np.where(y == 1, "b", "a"),
    "one class": np.zeros_like,
    "the other class": np.ones_like,
    "three classes": lambda y: np.append(y[:-1], np.int8(2)),
    "short": lambda y: y[:-1],
}


@pytest.mark.parametrize("form", LABELS)
def test_labels(rng: Any, kind: str, form: str) -> None:
    bits = SAMPLES["normal"](rng, N, kind)
    labels = LABELS[form](labels_of(rng, N, 0.4))
    for call in (fm.roc_auc_score, fm.average_precision_score, fm.rank_loss):
        more = {"pos_label": "b"} if form == "text" and call is not fm.roc_auc_score else {}
        actual, expected = (
            result_of(lambda s=s, call=call, more=more: call(labels, s, **more))
            for s in (as_narrow(bits, kind), as_float32(bits, kind))
        )
        assert repr(actual) == repr(expected)


@pytest.mark.parametrize("more", [0, 1, -1])
@pytest.mark.parametrize("sign", [0, 0x8000])
@pytest.mark.parametrize("allow_inf", [False, True])
def test_nan_and_infinities(rng: Any, kind: str, more: int, sign: int, allow_inf: bool) -> None:
    """The bits after those of infinity, and the last of all, are of nan."""
    bits = SAMPLES["normal"](rng, N, kind)
    bits[[77, 99, N - 1]] = (INFINITY[kind] + more if more >= 0 else 0x7FFF) | sign
    y = labels_of(rng, N, 0.4)
    narrow, wide = as_narrow(bits, kind), as_float32(bits, kind)

    def both(call: Callable[[Any], Any]) -> list[Any]:
        return [result_of(partial(call, s)) for s in (narrow, wide)]

    actual, expected = both(lambda s: fm.ScoreTable.from_scores(y, s, allow_inf=allow_inf))
    if allow_inf and not more:
        same_tables(actual[0], expected[0])
    else:
        assert "at index 77, 3 in all" in actual[0][1]
        assert actual == expected
    for name in ("roc_auc_score", "roc_curve", "estimate", "compare", "evaluate"):
        actual, expected = both(lambda s, name=name: CALLS[name](y, s))
        assert "at index 77, 3 in all" in actual[0][1]
        assert actual == expected


def test_layouts(rng: Any, kind: str) -> None:
    bits = np.tile(SAMPLES["normal"](rng, N, kind), 2)
    y = labels_of(rng, N, 0.3)
    expected = fm.roc_auc_score(y, as_float32(bits[:N], kind))
    odd = np.empty(2 * N + 1, np.uint8)[1:].view(np.uint16)  # not aligned
    odd[:] = bits[:N]
    fixed = bits[:N].copy()
    fixed.flags.writeable = False
    layouts = {
        "strided": np.repeat(bits[:N], 2)[::2],
        "reversed": bits[:N][::-1].copy()[::-1],
        "read-only": fixed,
        "not aligned": odd,
        "a column": np.stack([bits[:N], bits[:N]], axis=1)[:, 1],
    }
    for layout in layouts.values():
        before = layout.tobytes()
        assert fm.roc_auc_score(y, as_narrow(layout, kind)) == expected
        assert layout.tobytes() == before


@pytest.mark.parametrize("weights", ["counts", "reals", "some zero"])
def test_weights(rng: Any, kind: str, weights: str) -> None:
    bits = SAMPLES["normal"](rng, N, kind)
    y = labels_of(rng, N, 0.3)
    w: Array = rng.integers(weights == "counts", 5, N)
    w = w / 3 if weights == "reals" else w
    tables = [
        fm.ScoreTable.from_scores(y, s, sample_weight=w)
        for s in (as_narrow(bits, kind), as_float32(bits, kind))
    ]
    same_tables(*tables)
    assert tables[0].is_weighted is (weights == "reals")


def test_a_row_without_weight_is_checked(rng: Any, kind: str) -> None:
    bits = SAMPLES["normal"](rng, N, kind)
    y = labels_of(rng, N, 0.3)
    w = np.arange(N) % 3
    bits[w == 0] = 0x7FFF
    with pytest.raises(ValueError, match="`y_score` must be finite: nan at index 0"):
        fm.roc_auc_score(y, as_narrow(bits, kind), sample_weight=w)
    y[0] = 2
    with pytest.raises(ValueError, match="`y_true` has 3 classes"):
        fm.roc_auc_score(y, as_narrow(bits, kind), sample_weight=w)


@pytest.mark.parametrize("n", [100, N])
def test_of_pytorch(rng: Any, kind: str, n: int) -> None:
    torch = pytest.importorskip("torch")
    y = labels_of(rng, n, 0.3)
    wide = as_float32(SAMPLES["normal"](rng, n, kind), kind)
    tensor = torch.from_numpy(wide).to(getattr(torch, kind))
    expected = fm.roc_auc_score(y, wide)
    assert fm.roc_auc_score(torch.from_numpy(y), tensor) == expected
    assert fm.roc_auc_score(y, tensor.repeat_interleave(2)[::2]) == expected
    assert fm.roc_auc_score(y, tensor.requires_grad_()) == expected


@pytest.mark.parametrize("n", [100, N])
def test_of_ml_dtypes(rng: Any, kind: str, n: int) -> None:
    dtype = getattr(pytest.importorskip("ml_dtypes"), kind, np.float16)
    y = labels_of(rng, n, 0.3)
    bits = SAMPLES["normal"](rng, n, kind)
    expected = fm.roc_auc_score(y, as_float32(bits, kind))
    assert fm.roc_auc_score(y, bits.view(dtype)) == expected
    assert fm.roc_auc_score(y, list(bits.view(dtype))) == expected
