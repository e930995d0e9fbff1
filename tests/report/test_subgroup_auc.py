"""`subgroup_auc` is the AUC of the rows that each definition names."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import fastmetrics as fm

N = 800
METRICS = ("subgroup_auc", "bpsn_auc", "bnsp_auc")


@pytest.fixture
def data():
    rng = np.random.default_rng(6)
    y, sex = rng.integers(0, 2, N), rng.choice(["f", "m", "x"], N)
    return y, np.round(y + rng.normal(size=N) + (sex == "m"), 1), sex


def chosen(y, inside, metric: str) -> np.ndarray:
    if metric == "subgroup_auc":
        return inside
    negatives, positives = (inside, ~inside) if metric == "bpsn_auc" else (~inside, inside)
    return np.where(y == 1, positives, negatives)


@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_auc_of_those_rows(data, weighted: bool) -> None:
    y, score, sex = data
    weight = {"sample_weight": np.arange(N) % 4} if weighted else {}
    found = fm.concordance.subgroup_auc(y, {"a": score, "b": -score}, {"sex": sex}, **weight)
    assert len(found) == 3 * 2 * 3
    assert {row.metric for row in found} == set(METRICS)
    for row in found:
        here = chosen(y, sex == row.slice.removeprefix("sex="), row.metric)
        sign = 1 if row.model == "a" else -1
        own = {name: each[here] for name, each in weight.items()}
        assert row.estimate == pytest.approx(roc_auc_score(y[here], sign * score[here], **own))
        level = {"confidence_level": 0.95 ** (1 / 3)}
        alone = fm.estimate(y[here], sign * score[here], metrics="roc_auc", **level, **own)
        limits = [*alone["roc_auc"].confidence_interval]
        assert [*row.confidence_interval] == pytest.approx(limits, rel=1e-12)
        assert np.isnan(row.gap) == (row.metric != "subgroup_auc")


def test_a_shifted_subgroup_is_ranked_well_and_treated_badly(data) -> None:
    y, score, sex = data
    found = fm.concordance.subgroup_auc(y, {"a": score}, {"sex": sex})
    assert found.worst("bpsn_auc").slice == "sex=m"
    assert found.between("sex=m", "sex=f").pvalue > 0.01
    rows = {(row.slice, row.metric): row.confidence_interval for row in found}
    assert rows["sex=m", "bpsn_auc"].high < rows["sex=f", "bpsn_auc"].low
    assert rows["sex=m", "bnsp_auc"].low > rows["sex=f", "bnsp_auc"].high
    with pytest.raises(fm.InputError, match="rows in common"):
        found.between("sex=m", "sex=f", metric="bpsn_auc")
    assert "bpsn_auc ↑" in str(found)


def test_groups_intersections_and_one_class(data) -> None:
    y, score, sex = data
    users = np.arange(N) // 2
    grouped = fm.concordance.subgroup_auc(y, {"a": score}, {"sex": sex}, groups=users)
    assert grouped.shared == ("sex",)
    both = fm.concordance.subgroup_auc(
        y, {"a": score}, {"sex": sex, "odd": users % 2}, intersections=2
    )
    assert both.n_slices == 3 + 2 + 6
    with_label = fm.concordance.subgroup_auc(y, {"a": score}, {"label": y})
    values = {(row.slice, row.metric): row.estimate for row in with_label}
    assert np.isnan(values["label=0", "subgroup_auc"])
    assert values["label=0", "bpsn_auc"] == pytest.approx(roc_auc_score(y, score))
    with pytest.raises(fm.InputError, match="`slices` must be a mapping"):
        fm.concordance.subgroup_auc(y, {"a": score}, sex)
    alone = fm.concordance.subgroup_auc(np.ones(N, int), {"a": score}, {"sex": sex})
    assert all(np.isnan(row.estimate) and row.note for row in alone)
