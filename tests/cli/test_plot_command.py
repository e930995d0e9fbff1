"""`fastmetrics plot`: the figures of the library, of files, in files; and what is refused."""

import re
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

import fastmetrics as fm
from commands import captured, error_of
from processes import python

GIVEN = {
    **dict.fromkeys(("roc", "pr", "thresholds")),
    "confusion": ("--threshold", "0.5"),
    **dict.fromkeys(("cost", "decision", "gain", "lift", "reliability", "residuals")),
}
OF_PROBABILITIES = ("decision", "reliability")


@pytest.fixture(autouse=True)
def _agg():
    mpl.use("Agg")
    yield
    pyplot.close("all")


def recorded(monkeypatch):
    """Return a list that the axes of each picture to come are put into."""
    found = []
    save = Figure.savefig

    def keep(figure, *given, **options):
        found.extend(figure.axes)
        save(figure, *given, **options)

    monkeypatch.setattr(Figure, "savefig", keep)
    return found


def contents(ax):
    """Return all that axes show: lines and areas with their points, and what the legend says."""
    ax.figure.draw_without_rendering()
    lines = [(line.get_label(), line.get_xydata().tolist()) for line in ax.lines]
    areas = [area.get_paths()[0].vertices.tolist() for area in ax.collections]
    return lines, areas, [text.get_text() for text in ax.get_legend().get_texts()]


def command(kind, *arguments, label="y", score=("a",)):
    scores = [text for name in score for text in ("--score", name)]
    return ["plot", kind, "x.parquet", "--label", label, *scores, *arguments]


def run(capsys, kind, *arguments, **given):
    return captured(capsys, *command(kind, *arguments, **given))


def refused(capsys, kind, *arguments, **given):
    return error_of(capsys, *command(kind, "-o", "f.png", *arguments, **given))


def test_every_kind_is_tested(capsys):
    out = captured(capsys, "plot", "--help").out
    listed = re.search(r"KIND  +(.*?): see below", out, re.DOTALL)
    assert list(GIVEN) == re.split(r",\s+", listed[1])


@pytest.mark.parametrize(
    ("kind", "ending"), [*((kind, "svg") for kind in GIVEN), ("roc", "png"), ("confusion", "pdf")]
)
def test_every_kind_in_every_format(kind, ending, scored, capsys):
    path = scored / f"f.{ending}"
    score = ("p",) if kind in OF_PROBABILITIES else ("a",)
    out, err = run(capsys, kind, *(GIVEN[kind] or ()), "-o", path.name, score=score)
    rows = pq.read_metadata("x.parquet").num_rows
    assert re.fullmatch(rf"{re.escape(path.name)}: \w[^,]+, {rows} rows\n", out)
    assert err == ""
    start = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending]
    content = path.read_bytes()
    assert content.startswith(start)
    run(capsys, kind, *(GIVEN[kind] or ()), "-o", path.name, score=score)
    assert path.read_bytes() == content  # no date, no random names; the first is replaced
    assert {each.name for each in scored.iterdir()} == {"x.parquet", path.name}


def test_roc_is_that_of_the_library(scored, columns, capsys, monkeypatch):
    drawn = recorded(monkeypatch)
    run(
        capsys,
        "roc",
        "--threshold",
        "youden",
        "--confidence-level",
        0.9,
        "--weight",
        "w",
        "--band",
        "pointwise",
        "-o",
        "f.png",
        score=("a", "b"),
    )
    keywords = {"sample_weight": columns["w"]}
    scores = {name: columns[name] for name in "ab"}
    expected = fm.plots.plot_roc(
        columns["y"],
        scores,
        threshold="youden",
        confidence_level=0.9,
        bands={
            name: fm.roc_band(columns["y"], one, kind="pointwise", confidence_level=0.9, **keywords)
            for name, one in scores.items()
        },
        **keywords,
    )
    assert contents(drawn[-1]) == contents(expected)


def test_other_kinds_are_those_of_the_library(scored, columns, capsys, monkeypatch):
    drawn = recorded(monkeypatch)
    y, a = columns["y"], columns["a"]
    run(capsys, "pr", "--threshold", 0.5, "--band", "simultaneous", "--seed", 3, "-o", "f.png")
    band = {"a": fm.pr_band(y, a, rng=3)}
    expected = fm.plots.plot_pr(y, {"a": a}, threshold=0.5, bands=band)
    assert contents(drawn[-1]) == contents(expected)
    metrics = ["f1", "fbeta:beta=2"]
    run(capsys, "thresholds", "--metrics", *metrics, "--threshold", "fbeta", "-o", "f.png")
    named = {"f1": "f1", "fbeta:beta=2": ("fbeta", {"beta": 2})}
    expected = fm.plots.plot_thresholds(y, a, metrics=named, threshold="fbeta")
    assert contents(drawn[-1]) == contents(expected)


def test_prices_and_probabilities_are_those_of_the_library(scored, columns, capsys, monkeypatch):
    drawn = recorded(monkeypatch)
    y, p = columns["y"], columns["p"]
    models = {name: columns[name] for name in "ab"}

    def shown(ax):
        return [np.nan_to_num(line.get_xydata(), nan=-1.0).tolist() for line in ax.lines]

    for kind, score, expected in (
        ("cost", ("a",), lambda: fm.costs.cost_curve(y, models["a"]).plot()),
        ("decision", ("p",), lambda: fm.costs.decision_curve(y, {"p": p}).plot()),
        ("gain", ("a",), lambda: fm.costs.gains_curve(y, models["a"]).plot()),
        ("lift", ("a",), lambda: fm.costs.gains_curve(y, models["a"]).plot(kind="lift")),
        ("reliability", ("p",), lambda: fm.calibration.reliability_diagram(y, p).plot()),
        ("residuals", ("a", "b"), lambda: fm.plots.plot_residuals(y, models)),
    ):
        run(capsys, kind, "-o", "f.png", score=score)
        assert shown(drawn[-1]) == shown(expected()), kind
    for kind in ("confidence", "consistency"):
        given = ("--band", kind, "--confidence-level", 0.9, "--seed", 3)
        run(capsys, "reliability", *given, "-o", "f.png", score=("p",))
        band = fm.calibration.reliability_band(y, p, kind=kind, confidence_level=0.9, rng=3)
        assert contents(drawn[-1]) == contents(
            fm.calibration.reliability_diagram(y, p).plot(band=band)
        )


def test_several_models_on_one_picture(scored, columns, capsys, monkeypatch):
    drawn = recorded(monkeypatch)
    y, models = columns["y"], {name: columns[name] for name in "ab"}
    for kind in ("gain", "lift"):
        run(capsys, kind, "-o", "f.png", score=("a", "b"))
        ax = None
        for name, scores in models.items():
            ax = fm.costs.gains_curve(y, scores).plot(ax, kind=kind, name=name)
        assert contents(drawn[-1]) == contents(ax)
    prices = ("--cost-fn", "20", "--cost-fp", "1", "--prevalence", "0.1")
    out, _ = run(capsys, "cost", *prices, "-o", "f.png", score=("a", "b"))
    ax = None
    for name, scores in models.items():
        costs = fm.costs.threshold_costs(y, scores, cost_fn=20, cost_fp=1, prevalence=0.1)
        ax = costs.plot(ax, name=name)
    assert contents(drawn[-1]) == contents(ax)
    assert ": cost curves, " in out
    pq.write_table(pa.table({"y": y, "p": columns["p"], "q": columns["p"] ** 2}), "x.parquet")
    run(capsys, "reliability", "-o", "f.png", score=("p", "q"))
    assert len([line for line in drawn[-1].lines if "isotonic" in line.get_label()]) == 2


def test_confusion(scored, columns, capsys, monkeypatch):
    drawn = recorded(monkeypatch)
    run(capsys, "confusion", "--threshold", "youden", "--normalize", "true", "-o", "f.png")
    y, a = columns["y"], columns["a"]
    at = fm.best_threshold(y, a, criterion="youden").threshold
    matrix = fm.ConfusionMatrix.from_scores(y, a, threshold=at)
    shares = np.round(matrix.counts / matrix.counts.sum(1, keepdims=True), 3)
    assert [float(text.get_text()) for text in drawn[-1].texts] == shares.ravel().tolist()
    assert drawn[-1].get_title() == f"positive: score ≥ {at}"


def test_confusion_of_texts_has_their_names(scored, columns, capsys, monkeypatch):
    drawn = recorded(monkeypatch)
    words = np.where(columns["y"], "ill", "well")
    pq.write_table(pa.table({"y": words, "a": columns["a"]}), "x.parquet")
    run(capsys, "confusion", "--pos-label", "ill", "--threshold", "12345678", "-o", "f.png")
    assert [label.get_text() for label in drawn[-1].get_xticklabels()] == ["well", "ill"]
    assert drawn[-1].get_title() == "positive: score ≥ 12345678"
    n = [int(text.get_text()) for text in drawn[-1].texts]
    assert n == [(words == "well").sum(), 0, (words == "ill").sum(), 0]
    run(capsys, "confusion", "--pos-label", "'ill'", "--threshold", "12345678", "-o", "f.png")
    assert [label.get_text() for label in drawn[-1].get_xticklabels()] == ["well", "ill"]


def test_width(scored, capsys, monkeypatch):
    drawn = recorded(monkeypatch)
    run(capsys, "roc", "--width", 8, "-o", "f.pdf")
    assert drawn[-1].figure.get_size_inches() * 2.54 == pytest.approx([8, 8])


def test_rows_are_chosen_as_by_evaluate(scored, columns, capsys):
    kept = int((columns["a"] > 0).sum())
    out, _ = run(capsys, "roc", "--where", "a > 0", "-o", "f.svg")
    assert out.endswith(f", {kept} rows\n")
    out, err = run(capsys, "roc", "--on-bad-row", "skip", "-o", "f.svg", score=("absent",))
    assert "1 bad row skipped" in err
    assert out.endswith(f", {len(columns['a']) - 1} rows\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("thresholds --band pointwise", "is of the kinds roc, pr, decision, reliability: not of t"),
        ("roc --band consistency", "--band of roc is one of simultaneous, pointwise"),
        ("reliability --band pointwise", "--band of reliability is one of confidence, consistency"),
        ("reliability --band confidence --weight w", "band counts rows: it takes no --weight"),
        ("roc --metrics f1", "--metrics is of the kinds thresholds: not of roc"),
        ("pr --normalize all", "--normalize is of the kinds confusion: not of pr"),
        ("roc --seed 1", "--seed is of --band"),
        ("pr --confidence-level 0.9", "--confidence-level is of --band here"),
        ("confusion", "confusion needs --threshold"),
        ("roc --weights-are frequencies", "--weights-are is of --weight"),
        ("roc --threshold best", "must be a number or one of youden"),
        ("roc --width 0", "must lie between 2 and 100 cm"),
        ("thresholds --metrics roc_auc", "metrics of predicted labels"),
        ("histogram", "invalid choice: 'histogram'"),
        ("roc -o f.gif", "--output: the name must end in one of .png .pdf .svg: got f.gif"),
        ("roc -o nowhere/f.png", "--output: there is no folder nowhere"),
    ],
)
def test_what_says_nothing_is_refused(arguments, message, scored, capsys):
    assert message in refused(capsys, *arguments.split())
    assert not (scored / "f.png").exists()


def test_bad_data_are_named_by_their_columns(scored, capsys):
    for kind in ("thresholds", "confusion"):
        said = refused(capsys, kind, *(GIVEN[kind] or ()), score=("a", "b"))
        assert f"{kind} draws one model" in said
    said = refused(capsys, "roc", label="user")
    assert "column 'user' holds" in said
    assert '--where "user IN (0, 1)"' in said
    assert not (scored / "f.png").exists()
    Path("f.png").write_bytes(b"old")  # which stays when drawing fails
    said = refused(capsys, "roc", "--where", "y = 1")
    assert "column 'y' must hold examples of both classes" in said
    assert Path("f.png").read_bytes() == b"old"
    assert {each.name for each in scored.iterdir()} == {"x.parquet", "f.png"}


def test_no_window_and_no_state_of_pyplot(scored):
    code = (
        "import sys\nfrom fastmetrics.cli import main\n"
        "main('plot roc x.parquet --label y --score a -o f.svg'.split())\n"
        "assert 'matplotlib.figure' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_matplotlib(scored, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = refused(capsys, "roc")
    assert said == "plots need matplotlib: pip install 'fastmetrics-eval[plot]'"
