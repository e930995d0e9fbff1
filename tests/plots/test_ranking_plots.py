"""Figures of rankings: what they show is what the evaluation says."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

import fastmetrics as fm

RNG = np.random.default_rng(5)
RELEVANCE = (RNG.random((30, 10)) < 0.3).astype(int)
SYSTEMS = {name: RELEVANCE * gain + RNG.normal(size=RELEVANCE.shape) for name, gain in
           (("first", 0.2), ("second", 1.0))}  # fmt: skip


@pytest.fixture(autouse=True)
def _agg() -> Any:
    mpl.use("Agg")
    yield
    pyplot.close("all")


def evaluated(**options: Any) -> fm.results.RankingEvaluation:
    return fm.ranking.evaluate_rankings(RELEVANCE, SYSTEMS, rng=1, **options)


def bars(ax: Any) -> list[tuple[list[float], list[list[float]]]]:
    """Return of each system the values, and the lower and upper ends of the bars."""
    return [
        (
            container.lines[0].get_ydata().tolist(),
            [segment[:, 1].tolist() for segment in container.lines[2][0].get_segments()],
        )
        for container in ax.containers
    ]


def test_a_measure_against_k_in_order_of_k() -> None:
    found = evaluated(metrics="ndcg", k=[5, 1, 3])
    ax = found.plot()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "3", "5"]
    assert ax.get_ylabel() == "ndcg"
    assert "k (95 % intervals)" in ax.get_xlabel()
    for (values, ends), model in zip(bars(ax), SYSTEMS, strict=True):
        means = [found[f"ndcg@{k}"][model] for k in (1, 3, 5)]
        assert values == [mean.estimate for mean in means]
        assert ends == [pytest.approx(list(mean.confidence_interval)) for mean in means]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(SYSTEMS)
    assert all(container.lines[0].get_linestyle() != "None" for container in ax.containers)


def test_measures_side_by_side() -> None:
    found = evaluated(metrics=["map", "P@3"])
    ax = found.plot()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["map", "P@3"]
    assert all(container.lines[0].get_linestyle() == "None" for container in ax.containers)
    assert bars(ax)[1][0] == [found[name]["second"].estimate for name in found.metrics]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_interval_that_is_undefined_has_no_bar() -> None:
    perfect = {"a": np.eye(4), "b": np.eye(4)}
    found = fm.ranking.evaluate_rankings(np.eye(4), perfect, metrics="mrr", groups=range(4))
    (_, ends), _ = bars(found.plot())
    assert ends == [[1.0, 1.0]]


def test_differences_of_queries_sorted() -> None:
    found = evaluated(metrics="ndcg@5")
    pair = found["ndcg@5"]["first", "second"]
    ax = found.plot_differences("first", "second", "ndcg@5")
    differences = found.per_query("first", "ndcg@5") - found.per_query("second", "ndcg@5")
    differences = differences[~np.isnan(differences)]
    n_better, n_worse = int((differences > 0).sum()), int((differences < 0).sum())
    above, below = (patch.get_data().values for patch in ax.patches)
    np.testing.assert_array_equal(above + below, np.sort(differences)[::-1])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[0] == f"first is better: {n_better} of {len(differences)}"
    assert texts[1] == f"second is better: {n_worse} of {len(differences)}"
    assert texts[2].startswith(f"mean {pair.difference:.4f}, ".replace("-", "−"))
    assert ax.get_ylabel() == "difference in ndcg@5"
    mean = next(line for line in ax.lines if line.get_label() == texts[2])
    assert mean.get_ydata().tolist() == [pair.difference] * 2


def test_they_draw_on_the_axes_given_and_change_nothing() -> None:
    figure, (left, right) = pyplot.subplots(1, 2)
    found = evaluated(metrics="ndcg", k=[1, 2])
    before = found.values.copy()
    assert found.plot(ax=left) is left
    assert found.plot_differences("first", "second", "ndcg@1", ax=right) is right
    assert len(pyplot.get_fignums()) == 1
    np.testing.assert_array_equal(found.values, before)
    assert figure.axes == [left, right]


def test_many_systems_look_different() -> None:
    scores = {f"s{i}": RNG.normal(size=RELEVANCE.shape) for i in range(9)}
    ax = fm.ranking.evaluate_rankings(RELEVANCE, scores, metrics="map", rng=1).plot()
    looks = {
        (tuple(np.round(mpl.colors.to_rgb(c.lines[0].get_color()), 3)), c.lines[0].get_marker())
        for c in ax.containers
    }
    assert len(looks) == 9
