"""Measures of rankings beside trec_eval, by `pytrec_eval`, and ranx, where these are installed."""

import contextlib
import warnings

import numpy as np
import pytest

import fastmetrics as fm

#: trec_eval's name, our function, and what it is called with.
TREC = {
    "map": (fm.ranking.mean_average_precision, {}),
    "map_cut_5": (fm.ranking.mean_average_precision, {"k": 5}),
    "recip_rank": (fm.ranking.mean_reciprocal_rank, {}),
    "ndcg": (fm.ranking.ndcg, {}),
    "ndcg_cut_5": (fm.ranking.ndcg, {"k": 5}),
    "P_5": (fm.ranking.precision_at_k, {"k": 5}),
    "P_100": (fm.ranking.precision_at_k, {"k": 100}),
    "recall_5": (fm.ranking.recall_at_k, {"k": 5}),
    "success_1": (fm.ranking.hit_rate_at_k, {"k": 1}),
    "success_5": (fm.ranking.hit_rate_at_k, {"k": 5}),
    "Rprec": (fm.ranking.r_precision, {}),
    "bpref": (fm.ranking.bpref, {}),
    "set_P": (fm.ranking.precision_at_k, {"k": None}),
    "set_recall": (fm.ranking.recall_at_k, {"k": None}),
    "set_F": (fm.ranking.f1_at_k, {"k": None}),
}
ASKED = {
    *("map", "map_cut.5", "recip_rank", "ndcg", "ndcg_cut.5", "P.5,100", "recall.5", "success.1,5"),
    *("Rprec", "bpref", "set_P", "set_recall", "set_F"),
}

Judgements = dict[str, dict[str, int]]
Runs = dict[str, dict[str, float]]


def collection(seed: int, distinct: int, n_queries: int = 150) -> tuple[Judgements, Runs]:
    """Return judgements, some of them negative, and runs that miss some and have some unjudged."""
    rng = np.random.default_rng(seed)
    judged, retrieved = {}, {}
    for q in range(n_queries):
        pool = [f"d{number}" for number in rng.permutation(400)[: rng.integers(2, 60)]]
        some = [name for name in pool if rng.random() < 0.7] or pool[:1]
        judged[f"q{q}"] = {name: int(rng.choice([-1, 0, 0, 0, 1, 2, 3])) for name in some}
        found = [name for name in pool if rng.random() < 0.8] or pool[:1]
        retrieved[f"q{q}"] = {name: float(rng.integers(0, distinct)) / 8 for name in found}
    return judged, retrieved


def table_of(judged: Judgements, retrieved: Runs) -> fm.RankingTable:
    """Return the table of a run, and of the judged items that it has not."""
    rows = [
        (q, name, judged[q].get(name, np.nan), scores.get(name, -np.inf))
        for q, scores in retrieved.items()
        for name in {**judged[q], **scores}
    ]
    query, ids, relevance, score = map(np.array, zip(*rows, strict=True))
    return fm.RankingTable.from_scores(relevance, score, query=query, ids=ids)


@pytest.mark.parametrize("distinct", [3, 20, 10_000])
def test_every_query_is_that_of_trec_eval(distinct: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judged, retrieved = collection(distinct, distinct)
    theirs = pytrec_eval.RelevanceEvaluator(judged, ASKED).evaluate(retrieved)
    table = table_of(judged, retrieved)
    for name, (measure, options) in TREC.items():
        more = {} if measure is fm.ranking.precision_at_k else {"no_relevant": 0.0}
        values = measure(table, ties="trec_eval", per_query=True, **more, **options)
        for q, value in zip(table.queries.tolist(), values.tolist(), strict=True):
            assert value == pytest.approx(theirs[q][name], rel=1e-14, abs=1e-15), (name, q)
            if name != "set_F":  # which trec_eval rounds thrice
                assert f"{value:6.4f}" == f"{theirs[q][name]:6.4f}", (name, q)


@pytest.mark.slow  # it compiles for a minute
def test_means_are_those_of_ranx() -> None:
    ranx = pytest.importorskip("ranx")
    rng = np.random.default_rng(3)
    relevance = rng.choice([0, 0, 0, 1, 2], (40, 30))
    relevance[:, 0] = 1
    score = rng.permuted(np.tile(np.arange(30), (40, 1)), axis=1)  # ties go by position there
    names = [f"d{number:02}" for number in range(30)]
    judged = {
        f"q{q:02}": {name: int(g) for name, g in zip(names, row, strict=True) if g}
        for q, row in enumerate(relevance)
    }
    run = {
        f"q{q:02}": {name: float(s) for name, s in zip(names, row, strict=True)}
        for q, row in enumerate(score)
    }
    table = fm.RankingTable.from_scores(relevance, score)
    pairs = {
        "ndcg@10": fm.ranking.ndcg(table, k=10),
        "ndcg_burges@10": fm.ranking.ndcg(table, k=10, gain="exponential"),
        "map": fm.ranking.mean_average_precision(table),
        "map@5": fm.ranking.mean_average_precision(table, k=5),
        "mrr": fm.ranking.mean_reciprocal_rank(table),
        "precision@5": fm.ranking.precision_at_k(table, k=5),
        "recall@5": fm.ranking.recall_at_k(table, k=5),
        "hit_rate@2": fm.ranking.hit_rate_at_k(table, k=2),
        "r-precision": fm.ranking.r_precision(table),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Numba, about casts of theirs
        theirs = ranx.evaluate(ranx.Qrels(judged), ranx.Run(run), list(pairs))
    assert pairs == pytest.approx(theirs, rel=1e-9)


def test_the_row_of_a_query_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import ndcg_score, roc_auc_score

    rng = np.random.default_rng(4)
    relevance, score = rng.integers(0, 4, (50, 20)), rng.integers(0, 6, (50, 20))
    values = fm.ranking.ndcg(relevance, score, k=7, per_query=True)
    for row, value in enumerate(values):
        theirs = ndcg_score(relevance[[row]], score[[row]], k=7)
        assert value == pytest.approx(theirs, rel=1e-12)
    areas = fm.ranking.group_auc(relevance, score).per_query
    for row, area in enumerate(areas):
        with contextlib.suppress(ValueError):
            assert area == pytest.approx(roc_auc_score(relevance[row] >= 1, score[row]), rel=1e-12)
