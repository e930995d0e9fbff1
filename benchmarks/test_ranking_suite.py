"""The run of ir_measures' own tests: its page, and the providers where it is installed."""

import math

import pytest

pytest.importorskip("benchmarks", reason="the suite is part of the checkout, not of the wheel")

from benchmarks import ranking_suite


def _outcome(ours: int, fault: str = "") -> dict[str, object]:
    return {"ours": ours, "fault": fault, "skipped": ""}


def test_the_page_says_what_passes_and_what_does_not() -> None:
    ours = {"a.T.one": _outcome(3), "a.T.two": _outcome(2, "1 != 2"), "a.T.three": _outcome(0)}
    theirs = ours | {"a.T.two": _outcome(0, "no perl")}
    page = ranking_suite.page(theirs, ours)
    assert "**2 of its 3 tests ask for 5 of our values: 1 pass, 1 fail.**" in page
    assert "| `a.T.one` | 3 | passes |" in page
    assert "| `a.T.two` | 2 | 1 != 2; fails there too: no perl |" in page
    assert "three" not in page


def test_measures_of_other_providers_are_ours() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    from benchmarks.peers import rankings

    qrels = {"q": {"a": 0, "b": 2, "c": 1}, "r": {"a": 1}, "s": {"a": 1}}
    run = {"q": {"a": 3.0, "b": 2.0, "d": 1.0}, "r": {"b": 1.0}, "x": {"a": 1.0}}
    table = rankings.table_of(qrels, run)
    assert table is not None
    assert table.queries.tolist() == ["q", "r"]
    for measure, right in (
        (ir_measures.P @ 2, [0.5, 0]),
        (ir_measures.R(rel=2) @ 2, [1, 0]),
        (ir_measures.nDCG @ 2, [2 / math.log2(3) / (2 + 1 / math.log2(3)), 0]),
        (ir_measures.RBP(p=0.5, rel=1), [0.25, 0]),
    ):
        function, options = rankings.served(measure, "pytrec_eval")
        values = function(table, ties="trec_eval", per_query=True, **options)
        assert values.tolist() == pytest.approx(right)
    assert rankings.served(ir_measures.SetF(beta=2.0), "pytrec_eval") is None
    assert rankings.served(ir_measures.NumRet, "pytrec_eval") is None
    assert rankings.table_of(qrels, {}) is None
