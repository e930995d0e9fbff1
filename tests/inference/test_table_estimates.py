"""Estimates of runs, of bins and of groups in bins: those of the same rows in memory."""

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning

MEASURES = ("roc_auc", "rank_loss", "gini_coefficient", "average_precision")


def drawn(rng, n, separation=1.0, share=0.4, digits=9):
    y = (rng.random(n) < share).astype(np.int8)
    y[:2] = 0, 1
    return y, np.round(rng.normal(size=n) + separation * y, digits)


def equal(found, expected, rel=1e-12):
    assert list(found) == list(expected)
    for one, other in zip(found.values(), expected.values(), strict=True):
        for name in ("estimate", "standard_error", "df"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=rel, nan_ok=True)
        assert tuple(one.confidence_interval) == pytest.approx(
            tuple(other.confidence_interval), rel=10 * rel, nan_ok=True
        )
        assert (one.method, one.n_samples) == (other.method, other.n_samples)


@pytest.mark.parametrize("digits", [0, 2, 9])
@pytest.mark.parametrize("share", [0.4, 0.01])
def test_runs_are_rows_in_memory(rng, tmp_path, digits, share):
    y, s = drawn(rng, 60_000, share=share, digits=digits)
    weights = rng.integers(1, 4, len(y))
    runs = fm.streams.ScoreRuns(memory=1_000_000, spill_dir=tmp_path)
    for at in range(0, len(y), 7_000):
        runs.update(y[at : at + 7_000], s[at : at + 7_000], weights[at : at + 7_000])
    assert digits < 9 or len(list(runs.ranges())) > 5
    expected = fm.estimate(y, s, metrics=MEASURES, sample_weight=weights, weights_are="frequencies")
    found = [fm.estimate(runs, metrics=MEASURES, n_threads=n) for n in (1, 2, 7)]
    assert found[0].to_dict() == found[1].to_dict() == found[2].to_dict()
    for one, other in zip(found[0].values(), expected.values(), strict=True):
        object.__setattr__(other, "weights_are", None)
        assert one.note == other.note
    equal(found[0], expected)
    one_sided = fm.estimate(runs, metrics="roc_auc", alternative="greater", method="newcombe")
    limits = one_sided["roc_auc"].confidence_interval
    assert limits.high == 1.0
    assert 0.5 < limits.low < found[0]["roc_auc"].estimate


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "rows",
    [
        ([1, 0, 1, 0, 0], [5, 4, 3, 2, 1]),
        ([1, 1, 0, 0], [4, 3, 2, 1]),
        ([0, 1, 1], [3, 2, 2]),
        ([1, 0, 0], [1, 1, 1]),
    ],
)
def test_few_rows(rows):
    runs, bins = fm.streams.ScoreRuns(), fm.streams.BinnedScoreTable()
    runs.update(*rows)
    bins.update(*rows)
    expected = fm.estimate(*rows, metrics=MEASURES)
    for table in (runs, bins):
        equal(fm.estimate(table, metrics=MEASURES), expected)


@pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")
def test_limits_of_bins_hold_for_any_order(rng):
    for n, k in [(60, 5), (300, 3), (300, 20), (2_000, 50)] * 5:
        y, s = drawn(rng, n)
        layout = fm.streams.BinLayout(np.unique(np.quantile(s, np.linspace(0, 1, k + 1)[1:-1])))
        bins = fm.streams.BinnedScoreTable(layout, first_rows=0)
        bins.update(y, s)
        found = fm.estimate(bins, metrics=MEASURES)
        at = np.searchsorted(layout.edges, s, side="right")
        assert found["roc_auc"].details == bins.roc_auc()
        assert found["average_precision"].details == bins.average_precision()
        for order in (s, at, at + 0.5 * y, at - 0.5 * y, at + rng.random(n) / 2):
            for name, exact in fm.estimate(y, order, metrics=MEASURES).items():
                assert exact.estimate in fm.results.Bracket(*(e + t for e, t in zip(
                    found[name].details, (-1e-12, 1e-12), strict=True)))  # fmt: skip
                low, high = found[name].confidence_interval
                assert low <= exact.confidence_interval.low
                assert high >= exact.confidence_interval.high


def test_bins_tend_to_the_rows(rng):
    y, s = drawn(rng, 20_000)
    expected = fm.estimate(y, s, metrics=MEASURES)
    widths = []
    for k in (10, 100, 1_000, 100_000):
        bins = fm.streams.BinnedScoreTable(
            fm.streams.BinLayout(np.linspace(-4, 5, min(k, 30_000))), first_rows=0
        )
        bins.update(y, s)
        found = fm.estimate(bins, metrics=MEASURES)
        off = [np.subtract(found[m].confidence_interval, expected[m].confidence_interval)
               for m in MEASURES]  # fmt: skip
        widths.append(np.abs(off).max())
    assert widths[0] > 5 * widths[1] > 20 * widths[2]
    assert widths[-1] < 1e-4
    ranges = fm.streams.ScoreRanges(s, s, y, 1 - y)
    equal(fm.estimate(ranges, metrics=MEASURES), expected)


def test_what_tables_do_not_have(rng):
    y, s = drawn(rng, 100)
    runs, bins, weighted = (
        fm.streams.ScoreRuns(),
        fm.streams.BinnedScoreTable(),
        fm.streams.BinnedScoreTable(),
    )
    runs.update(y, s)
    bins.update(y, s)
    weighted.update(y, s, rng.random(100))
    for table in (runs, bins):
        with pytest.raises(ValueError, match=r"`partial_auc` needs rows: a .* alone"):
            fm.estimate(table, metrics={"partial_auc": ("roc_auc", {"max_fpr": 0.2})})
        with pytest.raises(TypeError, match="comes alone: pass no `y_score`, `groups` with it"):
            fm.estimate(table, s, metrics="roc_auc", groups=y)
    with pytest.raises(TypeError, match="fractional weights does not tell"):
        fm.estimate(weighted, metrics="roc_auc")


def test_one_class_is_told():
    for table in (fm.streams.ScoreRuns(), fm.streams.BinnedScoreTable()):
        table.update([1, 1], [0.2, 0.3])
        with pytest.warns(UndefinedMetricWarning, match="`roc_auc` is not defined"):
            assert np.isnan(fm.estimate(table, metrics="roc_auc")["roc_auc"].estimate)
