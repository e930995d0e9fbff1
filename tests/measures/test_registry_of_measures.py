"""The one list of measures: names, directions, parameters, and what users are told."""

import re
import subprocess
import sys

import pytest

import fastmetrics as fm
from fastmetrics.measures.asking import ask, find
from fastmetrics.measures.registry import MEASURES


def test_names_are_distinct() -> None:
    names = [name for m in MEASURES.values() for name in (m.name, *m.aliases)]
    assert len(names) == len(set(names))
    assert list(MEASURES) == [m.name for m in MEASURES.values()]


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("roc_auc", "roc_auc"),
        ("roc_auc_score", "roc_auc"),
        ("r2", "r2"),
        ("r2_score", "r2"),
        ("mcc", "matthews_corrcoef"),
        ("neg_log_loss", "log_loss"),
        ("neg_mean_squared_error", "mean_squared_error"),
        ("neg_negative_likelihood_ratio", "negative_likelihood_ratio"),
        ("zero_one_loss", "error_rate"),
        ("macro_precision", "precision_macro"),
        ("auroc", "roc_auc"),
        ("sensitivity", "recall"),
        *((typed, m.name) for m in MEASURES.values() for typed in m.aliases),
        *((name, name) for name in ("pr_auc", "recall", "npv", "precision", "r2")),
        ("gini", "gini_coefficient"),
        ("map", "mean_average_precision"),
        ("mrr", "mean_reciprocal_rank"),
    ],
)
def test_aliases(name, canonical) -> None:
    assert find(name).name == canonical


def test_every_scorer_of_scikit_learn_that_we_have_a_measure_for() -> None:
    from sklearn.metrics import get_scorer, get_scorer_names

    of_clusters = ("mutual_info", "rand_score", "completeness", "fowlkes", "homogeneity", "v_meas")
    for name in get_scorer_names():
        if any(word in name for word in of_clusters) or name.endswith("_samples"):
            continue
        measure = find(name)
        assert measure.direction({}) is (get_scorer(name)._sign > 0), name


def test_a_negated_name_of_what_is_better_when_higher_is_unknown() -> None:
    with pytest.raises(fm.InputError, match=r"'neg_roc_auc', which is no measure: did you mean"):
        find("neg_roc_auc")
    assert [one.label for one in ask(["neg_log_loss", "zero_one_loss"])] == [
        "log_loss",  # the value is not negated, and neither is the name
        "zero_one_loss",
    ]


def test_a_misspelt_name_gets_the_nearest_ones() -> None:
    said = r"`metrics` names 'roc_acu', which is no measure: did you mean 'roc_auc'\? "
    with pytest.raises(fm.InputError, match=said + r"`metrics_table\(\)` lists them all") as error:
        ask("roc_acu")
    assert error.value.parameter == "metrics"
    with pytest.raises(fm.InputError, match=r"`metrics` names 'x', which is no measure: `metrics_"):
        ask("x")
    with pytest.raises(TypeError, match="`metrics` must name a measure by a string: got int 3"):
        find(3)


CRITERIA = {
    "youden": True,
    "closest-topleft": False,
    "fewest-errors": False,
    "fbeta": True,
    "precision_at_recall": True,
    "recall_at_precision": True,
    "recall_at_false_positive_rate": True,
    "lowest-cost": False,
}


@pytest.mark.parametrize(("criterion", "higher"), CRITERIA.items())
def test_directions_by_criterion(criterion, higher) -> None:
    (one,) = ask(("best_threshold", {"criterion": criterion}))
    assert one.higher_is_better is higher
    for of, expected in (
        ("true_positive_rate", True),
        ("recall", True),
        ("precision", True),
        ("false_positive_rate", False),
        ("threshold", None),
    ):
        (one,) = ask(("best_threshold", {"criterion": criterion, "of": of}))
        assert one.higher_is_better is expected


def test_parameters() -> None:
    with pytest.raises(TypeError, match="`f1` has no parameter 'beta': it has 'zero_division'"):
        ask(("f1", {"beta": 2}))
    with pytest.raises(
        TypeError, match="`recall_at_false_positive_rate` needs its parameter 'false_positive_rate'"
    ):
        ask("recall_at_false_positive_rate")
    with pytest.raises(TypeError, match="`accuracy_score` has no parameter 'x': it has no param"):
        ask([("accuracy_score", {"x": 1})])
    with pytest.raises(fm.InputError, match=r"^`false_positive_rate` must lie in \[0, 1\]: got 2"):
        MEASURES["recall_at_false_positive_rate"].value([0, 1], [0.0, 1.0], false_positive_rate=2)


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [(["f1", "f1"], ValueError, "names 'f1' 2 times: give each a label of its own")],
)
def test_what_is_no_measure(metrics, error, message) -> None:
    with pytest.raises(error, match=f"^`metrics` {message}"):
        ask(metrics)


def test_labels_and_functions() -> None:
    def gap(labels, scores):
        return 0.0

    named = ask({"mine": gap, "loss": ("mean_pinball_loss", {"alpha": 0.1}), "other": "mcc"})
    assert [(one.label, one.name) for one in named] == [
        ("mine", "mine"),
        ("loss", "mean_pinball_loss"),
        ("other", "matthews_corrcoef"),
    ]
    assert [one.higher_is_better for one in named] == [None, False, True]
    assert ask(gap)[0].label == "gap"


def test_registered() -> None:
    fm.register_metric("gap", min, needs="labels", higher_is_better=False)
    (one,) = ask("gap")
    assert (one.label, one.function, one.higher_is_better) == ("gap", min, False)
    assert one.measure is not None
    assert one.measure.needs == "labels"
    assert fm.metrics_table()["gap"].direction == "lower"
    for wrong, error, message in (
        ({"needs": "what"}, ValueError, "`needs` must be one of 'scores', 'labels'"),
        ({"higher_is_better": "yes"}, TypeError, "`higher_is_better` must be True .* or False"),
    ):
        with pytest.raises(error, match=message):
            fm.register_metric("other", min, **wrong)


def test_reading_the_registry_imports_no_measure() -> None:
    code = (
        "import sys, fastmetrics as fm\n"
        f"assert len(fm.metrics_table()) == {len(MEASURES)}, len(fm.metrics_table())\n"
        "rooms = ('curves', 'decisions', 'probabilities', 'regression', 'costs', 'calibration')\n"
        "loaded = [m for m in sys.modules if m.startswith(tuple('fastmetrics.measures.' + r "
        "for r in rooms))]\n"
        "assert not loaded, loaded\n"
        "assert 'numba' not in sys.modules and 'scipy' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_table(library) -> None:
    table = fm.metrics_table()
    assert len(table) == len(MEASURES)
    assert table["mcc"].name == "matthews_corrcoef"
    assert table["best_threshold"].direction == "by criterion"
    assert table["mean"].direction == "none"
    assert table["recall_at_false_positive_rate"].parameters == ("false_positive_rate",)
    assert table["fbeta"].parameters == ("beta=1.0", "zero_division=nan")
    with pytest.raises(KeyError, match="the measures are"):
        table["nothing"]
    text = str(table)
    assert text.splitlines()[0].split() == "name needs direction low high title".split()
    assert re.search(r"matthews_corrcoef +labels +higher +−1(\.0)? +1(\.00)? ", text)
    assert repr(table) == f"MetricsTable({len(MEASURES)} measures)"
    assert "<td>roc_auc</td>" in table._repr_html_()
    frame = table.to_frame(library)
    assert type(frame).__module__.startswith(library)
    assert list(frame["name"]) == list(MEASURES)
    assert len(table.to_frame()) == len(MEASURES)


def test_what_people_type_gives_the_measure_under_the_name_that_they_typed(rng) -> None:
    y, p = rng.integers(0, 2, 50), rng.random(50)
    found = fm.estimate(y, p, metrics=["auc", "ap", "sensitivity", "mse"], threshold=0.5)
    assert list(found) == ["auc", "ap", "sensitivity", "mse"]
    assert found["auc"].estimate == fm.roc_auc_score(y, p)
    assert found["sensitivity"].estimate == fm.recall_score(y, p >= 0.5)
    assert found["mse"].estimate == pytest.approx(fm.brier_score_loss(y, p))
    table = fm.RankingTable.from_scores([[0, 1, 0], [1, 0, 0]], [[1, 2, 3], [3, 2, 1]])
    assert fm.estimate(table, metrics="hit@2")["hit@2"].estimate == 1.0
