"""What `bootstrap` returns: plain floats, frozen, printable, portable."""

import math

import pytest
from bootstrap_samples import binary, quiet_bootstrap

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


@pytest.fixture(scope="module")
def results():
    labels, scores = binary(40)
    metrics = {"roc_auc": "roc_auc", "<b>F1</b>": "f1"}
    return quiet_bootstrap(labels, scores, metrics=metrics, threshold=0.4)


def test_a_mapping_in_the_order_asked_for(results):
    assert list(results) == ["roc_auc", "<b>F1</b>"]
    assert len(results) == 2
    assert "roc_auc" in results
    assert "f1" not in results
    assert {name: result.metric for name, result in results.items()} == {n: n for n in results}
    with pytest.raises(KeyError, match="'auc': the measures are 'roc_auc', '<b>F1</b>'"):
        results["auc"]


def test_one_sided_intervals_have_one_limit():
    labels, scores = binary(40)
    both = quiet_bootstrap(labels, scores, confidence_level=0.9, n_resamples=200)["roc_auc"]
    less = quiet_bootstrap(labels, scores, alternative="less", n_resamples=200)["roc_auc"]
    more = quiet_bootstrap(labels, scores, alternative="greater", n_resamples=200)["roc_auc"]
    assert less.confidence_interval.low == -math.inf
    assert more.confidence_interval.high == math.inf
    assert less.confidence_interval.high == pytest.approx(both.confidence_interval.high)
    assert more.confidence_interval.low == pytest.approx(both.confidence_interval.low)


def test_labels_of_metrics():
    labels, scores = binary(40)

    class Statistic:
        def __call__(self, labels, scores):
            return 0.5

    metrics = [
        "roc_auc",
        ("recall_at_false_positive_rate", {"false_positive_rate": 0.2}),
        Statistic(),
    ]
    results = quiet_bootstrap(labels, scores, metrics=metrics)
    assert list(results) == ["roc_auc", "recall_at_false_positive_rate", "Statistic"]
    numbered = quiet_bootstrap(labels, scores, metrics={1: "roc_auc", 2: "rank_loss"})
    assert list(numbered) == ["1", "2"]
    pair = quiet_bootstrap(labels, scores, metrics=("roc_auc", "rank_loss"))
    assert list(pair) == ["roc_auc", "rank_loss"]
