"""Reports: one page that says what the evaluation says, and nothing of the rows."""

import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import fastmetrics as fm

pytest.importorskip("jinja2")

RNG = np.random.default_rng(7)
N = 400
Y = (RNG.random(N) < 0.4).astype(int)
A = 1 / (1 + np.exp(-(2 * Y - 1 + RNG.normal(size=N))))
B = 1 / (1 + np.exp(-(Y - 0.5 + RNG.normal(size=N))))
TWO = {"a": A, "b": B}
CLASSES = RNG.integers(0, 3, N)
CHANCES = RNG.dirichlet([1, 1, 1], N) * 0.5 + 0.5 * np.eye(3)[CLASSES]
COUNTRY = RNG.choice(["DK", "NO"], N)
HOSTILE = "</style><script>alert(1)</script>&\"'<img src=x onerror=y>"


class Page(HTMLParser):
    """The tags, the ids, the headings and the texts of a page."""

    VOID = frozenset({"meta", "img", "br", "use", "path", "image", "rect"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.headings: list[str] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        named = dict(attrs)
        if "id" in named:
            self.ids.append(named["id"])
        self.links += [value for name, value in attrs if name in ("href", "src", "xlink:href")]
        assert not [name for name in named if name.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)
        if "style" not in self.open and data.strip():
            self.texts.append(data)


def report_values(**options):
    x = RNG.normal(size=N) * 10
    return fm.report(x, {"near": x + 1, "far": x + RNG.normal(size=N) * 3}, **options)


def report_rankings(**options):
    return fm.report(Y * 2, {"a": A, "b": B}, query=np.arange(N) // 20, **options)


TASKS = {
    "one": (lambda **o: fm.report(Y, A, **o), "Calibration", 4),
    "two": (lambda **o: fm.report(Y, TWO, **o), "Differences", 8),
    "scores": (lambda **o: fm.report(Y, {"a": A * 9}, **o), "Decisions", 4),
    "multiclass": (lambda **o: fm.report(CLASSES, CHANCES, task="multiclass", **o), "Errors", 1),
    "labels": (lambda **o: fm.report(Y, {"m": A > 0.5}, task="labels", **o), "Errors", 1),
    "multilabel": (lambda **o: fm.report(np.c_[Y, B > 0], np.c_[A, B], **o), "Metrics", 0),
    "values": (report_values, "Errors", 3),
    "rankings": (report_rankings, "Differences", 1),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_page_of_every_task(task):
    make, heading, n_figures = TASKS[task]
    report = make(band=None)
    page = Page(report.html)
    assert heading in page.headings
    assert "Metrics" in page.headings
    assert page.headings[-1] == "Methods"
    assert page.tags.count("svg") == page.tags.count("figcaption") >= n_figures
    assert len(set(page.ids)) == len(page.ids)
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in page.links)
    assert {link[1:] for link in page.links if link[0] == "#"} <= set(page.ids)
    clips = set(re.findall(r"url\(#([^)]*)\)", report.html))
    assert clips <= set(page.ids)
    assert clips or task == "multilabel"
    assert not {"script", "link", "iframe", "object", "form", "base"} & set(page.tags)
    assert "`" not in report.html
    assert "://" not in re.sub(r'xmlns(:xlink)?="http://www.w3.org/[^"]*"', "", report.html)
    for line in report.verdict.split("\n"):
        assert line in page.texts or not line


@pytest.mark.usefixtures("blank")
def test_the_figures_are_those_of_the_evaluation():
    report = fm.report(Y, TWO, band=None, slices={"country": COUNTRY})
    evaluation = fm.evaluate(Y, TWO, slices={"country": COUNTRY})
    assert report.evaluation == evaluation
    assert report.verdict == evaluation.verdict
    page = " ".join(Page(report.html).texts)
    (pair,) = evaluation.comparisons["roc_auc"].pairs
    for value in (evaluation["a"].roc_auc, evaluation["b"].roc_auc, pair.estimate):
        assert f"{abs(value):.4f}" in page
    assert {"country=DK", "country=NO"} <= set(Page(report.html).texts)
    assert report.diagnosis == fm.doctor(Y, TWO)


def test_names_cannot_break_out_of_the_page():
    slices = {HOSTILE: np.where(COUNTRY == "NO", HOSTILE, "$x_")}
    report = fm.report(
        Y, {HOSTILE: A, "=SIZE=": B}, title=HOSTILE, command=HOSTILE, slices=slices, band=None
    )
    tags = Page(report.html).tags
    assert "script" not in tags
    assert "img" not in tags
    assert tags.count("title") == 1
    assert HOSTILE in Page(report.html).texts
    assert "onerror" not in re.sub(r"&lt;.*?&gt;", "", report.html)


def test_a_page_says_how_large_it_is_and_comes_again():
    first, second = (fm.report(Y, A, title="=SIZE=") for _ in range(2))
    assert first.html == second.html
    (size,) = re.findall(r"One file of ([\d,]+) kB", first.html)
    assert abs(int(size.replace(",", "")) - first.n_bytes / 1000) <= 1
    assert "(seed 0)" in first.methods


@pytest.mark.usefixtures("blank")
def test_bands_are_of_few_models():
    assert "Bands" not in fm.report(Y, {f"m{k}": A + k for k in range(4)}).html
    assert "Bands: 90 %, pointwise." in (
        fm.report(Y, A, band="pointwise", confidence_level=0.9).html
    )


def test_no_row_is_on_the_page():
    scores = np.round(RNG.random(N), 12)
    ids = [f"patient-{k}" for k in range(N)]
    page = " ".join(Page(fm.report(Y, {"m": scores}, groups=ids, band=None).html).texts)
    assert not [each for each in ids if each in page]
    assert "400 groups" in page
    numbers = {f"{value:.6g}" for value in scores} & set(re.findall(r"0\.\d+", page))
    assert len(numbers) <= 1  # the best threshold is a score


def test_the_decision_is_at_the_threshold_given():
    report = fm.report(Y, {"a": A}, threshold=0.25, band=None)
    assert "confusion matrix at score ≥ 0.25, the given threshold" in report.html
    priced = fm.report(Y, {"a": A}, cost_fn=5, cost_fp=1, band=None)
    assert "the cheapest" in priced.html
    assert "expected cost" in priced.html
    matrix = fm.ConfusionMatrix.from_scores(Y, A, threshold=0.25)
    texts = Page(report.html).texts
    assert all(f"{count:g}" in texts for count in np.asarray(matrix.counts).ravel())


@pytest.fixture(scope="module")
def report():
    return fm.report(Y, {"a": A}, band=None)


def test_it_is_saved_whole(report):
    file = io.BytesIO()
    report.save(file)
    assert file.getvalue().decode() == report.html
    assert "sandbox" in report._repr_html_()
    assert "<svg" not in report._repr_html_()


def test_what_it_refuses():
    with pytest.raises(TypeError, match="`title` must be a text: got int"):
        fm.report(Y, A, title=3)
    with pytest.raises(ValueError, match="`band` must be one of 'simultaneous', 'pointwise'"):
        fm.report(Y, A, band="both")
    with pytest.raises(TypeError, match="no parameter of `report`: did you mean `threshold`"):
        fm.report(Y, A, treshold=0.5)


@pytest.mark.usefixtures("blank")
def test_the_page_says_how_its_errors_are_from():
    options = {"groups": np.arange(N) // 2, "sample_weight": 1.0 + Y, "band": None}
    page = fm.report(Y, A, **options).html
    assert "Standard errors are clustered by group. Weights were read as importances." in page
    drawn = {"n_resamples": 50, "rng": 3, "metrics": "f1", "threshold": 0.25}
    page = fm.report(Y, A, **drawn, band=None).html
    key = fm.evaluate(Y, A, **drawn).bootstrap.key
    assert f"bootstrap intervals of 50 resamples (key {key})" in page


@pytest.mark.usefixtures("blank")
def test_one_class_has_a_page_without_curves():
    with pytest.warns(fm.UndefinedMetricWarning):
        report = fm.report(np.ones(50, int), A[:50])
    assert "Curves" not in Page(report.html).headings


def test_versions_are_printed(capsys):
    fm.show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["fastmetrics", "NumPy", "Numba", "SciPy"]
    assert not [line for line in lines if "/" in line]


@pytest.mark.parametrize("name", ["x.pdf", "x", "x.html.gz"])
def test_a_page_is_saved_under_the_name_of_a_page_alone(report, tmp_path, name) -> None:
    with pytest.raises(fm.InputError, match=r"must end in \.html or \.htm"):
        report.save(tmp_path / name)
    report.save(tmp_path / "x.HTM")
    assert [path.name for path in tmp_path.iterdir()] == ["x.HTM"]
