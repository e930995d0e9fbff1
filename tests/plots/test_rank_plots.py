"""The two plots of ranks: what they draw, nothing overlaps, nothing is told by a colour."""

import itertools
import sys

import numpy as np
import pytest
from matplotlib import colors

import fastmetrics as fm
from fastmetrics._plots.tests import _bar_levels, _ticks
from fastmetrics.comparison.post_hoc import save_critical_difference

LONG = "a very long name of an algorithm that would fill the whole width of any page, number"


def compared(k, n=20, slope=0.03, names=None, **options):
    table = np.random.default_rng(k).random((n, k)) + slope * np.arange(k)
    names = names or [f"gradient boosting, depth {j}" if j % 3 == 0 else f"m{j}" for j in range(k)]
    return fm.comparison.compare_table(
        table, higher_is_better=True, names=names, pvalue_method="f", **options
    )


CASES = {
    "two": {"k": 2},
    "three": {"k": 3},
    "twenty": {"k": 20},
    "twenty that do not differ": {"k": 20, "slope": 0.0, "n": 8},
    "fifty": {"k": 50, "n": 40},
    "long names": {"k": 7, "names": [f"{LONG} {j}" for j in range(7)]},
    "a control": {"k": 9, "post_hoc": "bonferroni-dunn", "control": "m4"},
    "Wilcoxon": {"k": 8, "post_hoc": "wilcoxon-holm"},
    "unequal halves": {"k": 4, "names": ["x", "a name of quite some length", "y", "z"]},
}


def texts(ax):
    ax.figure.canvas.draw()
    shown = [text for text in ax.texts if text.get_text()]
    if ax.axison:
        low, high = ax.get_xlim()  # ticks beyond are kept, but not drawn
        shown += [tick for tick in ax.get_xticklabels() if low <= tick.get_position()[0] <= high]
        shown += [*ax.get_yticklabels(), ax.xaxis.label]
    return [text for text in shown if text.get_visible() and text.get_text()]


def assert_readable(ax):
    """Every text inside the figure, no two of them over one another."""
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts(ax)]
    whole = ax.figure.bbox
    for text, box in boxes:
        assert box.x0 >= whole.x0 - 1, text
        assert box.x1 <= whole.x1 + 1, text
        assert box.y0 >= whole.y0 - 1, text
        assert box.y1 <= whole.y1 + 1, text
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        apart = a.x1 <= b.x0 or b.x1 <= a.x0 or a.y1 <= b.y0 + 1 or b.y1 <= a.y0 + 1
        assert apart, (one, other)


def assert_grey(ax):
    for artist in [*ax.lines, *ax.patches]:
        for colour in filter(
            None,
            (
                getattr(artist, f"get_{part}", lambda: None)()
                for part in ("color", "facecolor", "markerfacecolor", "markeredgecolor")
            ),
        ):
            red, green, blue, _ = colors.to_rgba(colour)
            assert red == green == blue


@pytest.mark.parametrize("case", CASES)
def test_critical_difference_is_readable(case):
    ax = compared(**CASES[case]).plot()
    assert_readable(ax)
    assert_grey(ax)


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("Wilcoxon", "long names")])
def test_friedman_plot_is_readable(case):
    ax = compared(**CASES[case]).plot_friedman()
    assert_readable(ax)
    assert_grey(ax)


@pytest.mark.parametrize("size", [(4, 3), (12, 4)])
def test_axes_of_the_user(size):
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=size)
    result = compared(8)
    assert result.plot(ax) is ax
    assert tuple(figure.get_size_inches()) == size
    assert_readable(ax)
    figure, ax = pyplot.subplots(figsize=size)
    assert result.plot_friedman(ax=ax) is ax


def test_the_diagram_shows_the_data():
    result = compared(6, slope=0.15)
    ax = result.plot()
    left, right = ax.get_xlim()
    assert left > right  # the best ranks are at the right
    thick = [line for line in ax.lines if line.get_linewidth() > 3]
    at = result.mean_ranks
    groups = [group for group in result.post_hoc.groups if len(group) > 1]
    assert len(thick) == len(groups) > 1
    for line, group in zip(thick, groups, strict=True):
        assert line.get_xdata() == pytest.approx([at[group[0]], at[group[-1]]], abs=0.1)
    shown = [text.get_text() for text in ax.texts]
    for name, rank in result.mean_ranks.items():
        assert f"{name}  {rank:.2f}" in shown
    assert f"CD = {result.post_hoc.critical_difference:.3g}" in shown
    stems = {line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 3}
    assert stems == set(at.values())


def test_the_friedman_plot_shows_the_data():
    result = compared(6, slope=0.15)
    ax = result.plot_friedman()
    segments = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 2]
    assert len(segments) == 6
    half = result.post_hoc.critical_difference / 2
    for shown, rank in zip(segments, result.post_hoc.mean_ranks, strict=True):
        assert list(shown) == [rank - half, rank + half]
    points = [line for line in ax.lines if len(line.get_xdata()) == 1]
    best = next(iter(result.mean_ranks))
    for name, point in zip(result.names, points, strict=True):
        apart = name != best and result.post_hoc[best, name].reject
        assert point.get_markerfacecolor() == ("white" if apart else "black")
    assert {point.get_markerfacecolor() for point in points} == {"white", "black"}


def test_no_friedman_plot_without_a_critical_difference():
    with pytest.raises(ValueError, match="Wilcoxon with Holm has none: compare with `post_hoc="):
        compared(4, post_hoc="wilcoxon-holm").plot_friedman()


@pytest.mark.parametrize("ending", [".png", ".pdf", ".svg"])
def test_files(ending, tmp_path):
    from matplotlib import pyplot

    path = tmp_path / f"diagram{ending}"
    save_critical_difference(compared(20), str(path))
    assert path.stat().st_size > 1000
    assert not pyplot.get_fignums()
    if ending == ".png":
        pixels = pyplot.imread(path)[..., :3]
        assert pixels.shape[1] == 1600
        assert 0.01 < (pixels < 0.5).mean() < 0.3
        assert (pixels.max(axis=2) - pixels.min(axis=2)).max() == 0


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'fastmetrics-eval\[plot\]'"):
        compared(3).plot()


def test_bars_that_overlap_stand_on_levels():
    assert _bar_levels(((1, 3), (2, 4), (3.5, 5))) == [0, 1, 0]
    assert _bar_levels(((1, 2), (2, 3))) == [0, 1]
    assert _bar_levels(()) == []


@pytest.mark.parametrize(
    ("k", "apart", "expected"),
    [(4, 0.5, [1, 2, 3, 4]), (20, 1.5, [1, 4, 6, 8, 10, 12, 14, 16, 18, 20]), (2, 3.0, [1, 2])],
)
def test_ticks(k, apart, expected):
    assert _ticks(k, apart) == expected
