"""States whose numbers are wrong though every checksum is right: refused by name, or harmless."""

import copy
import io
import json
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest
from state_samples import PART, STATES, rows
from travels import changed

import fastmetrics as fm

WHOLE: Final = [0, 1, -1, 3, 2**31, 2**52, 2**61, 2**62 - 1, 2**63 - 1, -(2**63)]
REAL: Final = [np.nan, np.inf, -np.inf, 0.0, -1.0, 0.5, 1e72, 1e160, 1e308, 1e-72, 5e-324]
TEXTS: Final = ["", "x", "-1", "3", "9" * 40]
JSONS: Final = [
    *("null", "[]", "{}", "1", "[NaN]", "[1e400]", "[-1, 0]", '["a", 1]', "[[1]]", f"[{2**70}]"),
    *("[1, 0]", "[0, 1]", "[" * 10_000),
]
#: What a state that is right may say as well: it is full, or the other is of another kind.
LIMITS: Final = re.compile(
    r"2\*\*6[23]|differently scaled|is in both tables|can(not)? be (merged|added)"
    r"|this table holds no|pass `k`|too great for exponential"
)

SCORES: Final = fm.ScoreTable.from_scores(*rows(0))
ONE_OUTPUT: Final = fm.RegressionTable.from_arrays([1, 2, 4], [2, 2, 3], powers=[1, 1.5, 3])
HOSTILE: Final = PART | {"one output": ONE_OUTPUT}


def spoilt(member: Any, third: int) -> Iterator[Any]:
    """Give the member with numbers that no state has, or that stand where they should not.

    One number of eleven is replaced, by each value another one: of those, a third of the places.
    """
    kind = member.dtype.kind
    if member.dtype == np.uint8 and member.max(initial=0) > 1:  # bytes of JSON
        whole = json.loads(member.tobytes())
        texts = [*JSONS, *map(json.dumps, (whole[::-1], whole[1:], whole * 2))]
        yield from (np.frombuffer(text.encode(), np.uint8) for text in texts)
        return
    values: list[Any] = {"f": REAL, "U": TEXTS}.get(kind, WHOLE)
    if kind in "iu":
        ends = np.iinfo(member.dtype)
        values = [value for value in values if ends.min <= value <= ends.max]
    wide = member.astype("U99") if kind == "U" else member
    for turn, value in enumerate(values):
        yield np.full_like(wide, value)
        for at in range(turn % 11 + 11 * third, member.size if member.ndim else 0, 33):
            other = wide.copy()
            other.reshape(-1)[at] = value
            yield other
    if kind != "U":
        yield from (member * np.nan, member * 1.0)
    if member.ndim:
        yield from (member[::-1], member[1:], member[:0], np.concatenate([member, member]))


def of_scores(table: Any) -> Iterator[Any]:
    yield from (fm.roc_auc_score(table), fm.average_precision_score(table))
    yield from (fm.evaluate(table)[0].ks_statistic, *np.ravel(fm.roc_curve(table)[:2]))
    if not table.is_weighted:
        yield fm.delong(table).estimate


def of_bins(table: Any) -> Iterator[Any]:
    found = table.at_threshold(0.5)
    for each in (
        *(table.roc_auc(), table.average_precision(), table.ks_statistic()),
        *(table.tpr_at_fpr(0.3), found.precision, found.f1),
    ):
        yield from (each.low, each.high)
    if table.is_exact:
        yield from of_scores(table.to_score_table())


def of_matrix(matrix: Any) -> Iterator[Any]:
    yield from (fm.accuracy_score(matrix), fm.f1_score(matrix, average="macro"))
    yield abs(fm.matthews_corrcoef(matrix))
    for label in matrix.labels[:1]:
        matrix.update([label], [label])
    yield fm.accuracy_score(matrix.copy())


def of_errors(table: Any) -> Iterator[Any]:
    for name in ("under", "over", "squared_error", "target_variance"):
        yield from (0.0 if value >= 0 else value for value in table.mean(name))
    fm.r2_score(table)
    for power, _ in table._terms.powers if table.n_outputs == 1 else ():
        yield max(fm.d2_tweedie_score(table, power=power), 0.0)


def of_rankings(table: Any) -> Iterator[Any]:
    yield fm.ranking.ndcg(table)
    yield fm.ranking.precision_at_k(table, k=2)
    for measure in (
        fm.ranking.bpref,
        fm.ranking.mean_average_precision,
        fm.ranking.mean_reciprocal_rank,
        fm.ranking.r_precision,
    ):
        yield measure(table)
    yield from (
        fm.ranking.rank_biased_precision(table, persistence=0.8),
        fm.ranking.expected_reciprocal_rank(table),
    )


USES: Final[dict[type, Callable[[Any], Iterator[Any]]]] = {
    fm.ScoreTable: of_scores,
    fm.streams.BinnedScoreTable: of_bins,
    fm.ConfusionMatrix: of_matrix,
    fm.RegressionTable: of_errors,
    fm.RankingTable: of_rankings,
    fm.streams.BinLayout: lambda layout: iter(layout.bins([0.3]) < 0),
}


def use(name: str, state: Any) -> None:
    """Ask all of a state: nothing raises that a right one would not, and shares are shares."""
    for other in (type(state).from_bytes(state.to_bytes()), copy.deepcopy(state)):
        assert repr(other) == repr(state)
        assert str(other) == str(state)
    try:
        shares = [float(share) for share in USES[type(state)](state)]
        assert all(0.0 <= share <= 1.0 or share != share for share in shares), shares
        if name in STATES and STATES[name].merges:
            repr(sum([state, STATES[name].of_part(1)]))
    except (fm.InputError, OverflowError) as error:
        if not LIMITS.search(str(error)):
            raise


@pytest.mark.parametrize(
    "third", [0, *(pytest.param(k, marks=pytest.mark.exhaustive) for k in (1, 2))]
)
@pytest.mark.parametrize("name", HOSTILE)
def test_numbers_that_no_state_has(name: str, third: int) -> None:
    data, kind = HOSTILE[name].to_bytes(), type(HOSTILE[name])
    with np.load(io.BytesIO(data)) as stored:
        members = {key: stored[key] for key in stored.files if key not in ("kind", "format")}
    n_refused = 0
    for key, member in members.items():
        for other in spoilt(member, third):
            try:
                state = kind.from_bytes(changed(data, **{key: other}))
            except ValueError as error:
                assert f"does not hold a whole {kind.__name__}" in str(error)  # noqa: PT017
                n_refused += 1
                continue
            with warnings.catch_warnings():
                for each in (fm.UndefinedMetricWarning, fm.DegenerateDataWarning):
                    warnings.simplefilter("ignore", each)
                try:
                    use(name, state)
                except Exception as error:
                    error.add_note(f"`{key}` was {other!r}")
                    raise
    assert n_refused > 5


@pytest.mark.parametrize("exponent", [2**63 - 1, -(2**63), 2**14, 0.5, [0, 0]])
@pytest.mark.parametrize("name", ["scores, weights", "labels, weights", "errors, weights"])
def test_a_scale_that_no_weights_have(name: str, exponent: Any) -> None:
    data = changed(PART[name].to_bytes(), weight_exponent=np.array(exponent))
    with pytest.raises(ValueError, match="`weight_exponent` must be"):
        type(PART[name]).from_bytes(data)


@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_extreme_weights_travel(weight: float) -> None:
    """What checks refuse is not what states have: many batches at either end are read again."""
    y, scores = rows(0)
    weights = np.full(7, weight)
    table = sum(fm.ScoreTable.from_scores(y, scores, sample_weight=weights) for _ in range(50))
    assert fm.ScoreTable.from_bytes(table.to_bytes()) == table
    assert table.weight_exponent != 0
    matrix = fm.ConfusionMatrix()
    for _ in range(50):
        matrix.update(y, y[::-1], weights)
    assert fm.ConfusionMatrix.from_bytes(matrix.to_bytes()) == matrix
    errors = sum(fm.RegressionTable.from_arrays(y, scores, sample_weight=weights) for _ in "ab")
    assert fm.RegressionTable.from_bytes(errors.to_bytes()) == errors
    assert str(fm.RegressionTable.from_arrays(y, scores, sample_weight=weights * 1e8))


def test_settled_rankings_travel() -> None:
    table = PART["rankings of words"].settled("trec_eval")
    assert fm.RankingTable.from_bytes(table.to_bytes()) == table
