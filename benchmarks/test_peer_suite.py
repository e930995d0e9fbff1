"""The run of scikit-learn's own tests: its plugin, its judge, its data file, its page."""

import inspect
import json
import os
from pathlib import Path

import pytest
from sklearn import metrics as peer

pytest.importorskip("benchmarks", reason="the suite is part of the checkout, not of the wheel")

import fastmetrics
from benchmarks import peer_suite
from benchmarks.peers import judge as judging, report
from benchmarks.peers.judge import Entry, Expectations, judge

RANKING = ["tests/test_ranking.py"]
AUC_TESTS = "test_auc or positional_args_deprecation or test_det_curve_bad_input or test_ndcg_score"
EXPECTATIONS = Expectations(
    wording="error messages",
    failures=(
        Entry("row one", ("t.py::test_a", "t.py::test_b[1]"), because="got 2"),
        Entry("row two", ("t.py::test_c",), because="nan"),
    ),
    out_of_scope=(Entry("not ours", ("t.py::test_out",)),),
)


def outcome(result: str = "passed", reason: str = "", *calls: str, wordings: int = 0) -> dict:
    return {
        "outcome": result,
        "reason": reason,
        "calls": list(calls or ("f",)),
        "wordings": ["other words"] * wordings,
    }


def found(**tests: dict) -> dict:
    named = {name.replace("__", "::test_", 1): test for name, test in tests.items()}
    return {
        "functions": ["f", "g"],
        "broken": {},
        "tests": {f"t.py{name.removeprefix('t')}": test for name, test in named.items()},
    }


def test_the_data_file_names_deviations_that_exist() -> None:
    text = judging.DEVIATIONS.read_text(encoding="utf-8")
    known = judging.known_deviations(text)
    assert {"error messages", "auc: float32 input"} <= known
    assert judging.load().deviations() <= known


def test_the_data_file_gives_a_reason_for_every_test() -> None:
    expectations = judging.load()
    assert all(entry.because and entry.tests for entry in expectations.failures)
    assert all(entry.why and entry.tests for entry in expectations.out_of_scope)
    names = [t for e in (*expectations.failures, *expectations.out_of_scope) for t in e.tests]
    assert all("::" in name or name.startswith("example of ") for name in names)


def test_the_page_is_of_the_functions_that_exist() -> None:
    """Else: python -m benchmarks.peer_suite."""
    folder = judging.ROOT / "docs"
    stored = json.loads((folder / report.STORED).read_text(encoding="utf-8"))
    shared = {name for name in fastmetrics.__all__ if inspect.isfunction(getattr(peer, name, None))}
    assert set(stored["functions"]) == shared
    assert stored["unexpected"] == {}
    assert stored["listed_but_passing"] == []
    assert stored["total"]["failed"] == 0
    text = (folder / report.PAGE).read_text(encoding="utf-8")
    total = stored["total"]
    cells = (total["tests"], total["passed"], total["wordings"], total["deliberate"], 0)
    assert f"| all, each test once | {' | '.join(map(str, cells))} |" in text


def test_a_test_listed_twice_is_refused(tmp_path: Path) -> None:
    row = '[[expected]]\ndeviation = "d"\nbecause = "b"\ntests = ["t"]\n'
    path = tmp_path / "expected.toml"
    path.write_text(f'wording = "w"\n{row}{row}[[out_of_scope]]\nwhy = "w"\ntests = ["t"]\n')
    with pytest.raises(ValueError, match="listed twice"):
        judging.load(path)


def test_outcomes_are_sorted() -> None:
    ours = found(
        t__fine=outcome("passed", "", "f", "g"),
        t__words=outcome(wordings=2),
        t__a=outcome("failed", "ValueError: got 2"),
        t__c=outcome("failed", "ValueError: another"),
        t__out=outcome("failed", "for its own reasons"),
        t__alone=outcome("skipped", "no torch"),
        t__none={**outcome(), "calls": []},
    )
    theirs = found(**{f"t__{name}": outcome() for name in "fine words a c out".split()})
    theirs["tests"]["t.py::test_alone"] = outcome("skipped", "no torch")
    theirs["tests"]["t.py::test_none"] = {**outcome(), "calls": []}
    verdict = judge(ours, theirs, EXPECTATIONS)
    f, g = verdict.functions["f"], verdict.functions["g"]
    assert (f.passed, f.wordings, f.deliberate, f.failed, f.tests) == (1, 1, 1, 1, 4)
    assert (g.passed, g.tests, verdict.total.tests, verdict.others) == (1, 1, 4, 1)
    assert verdict.deliberate == {"row one": ["t.py::test_a"]}
    assert verdict.unexpected == {"t.py::test_c": "failed: ValueError: another"}
    assert verdict.out_of_scope == {"not ours": ["t.py::test_out"]}
    assert list(verdict.alone.values()) == [1]
    assert verdict.stale == ["t.py::test_c (row two: nan)"]  # test_b did not run: nothing to say
    assert not verdict.is_good


def test_only_the_case_that_is_listed_is_expected() -> None:
    ours = found()
    for case in "12":
        ours["tests"][f"t.py::test_b[{case}]"] = outcome("failed", "got 2")
        ours["tests"][f"t.py::test_a[{case}]"] = outcome("failed", "got 2")
    verdict = judge(ours, None, EXPECTATIONS)
    assert list(verdict.unexpected) == ["t.py::test_b[2]"]
    assert verdict.stale == []


def test_other_words_are_counted() -> None:
    verdict = judge(found(t__x=outcome(wordings=2), t__y=outcome(wordings=1)), None, EXPECTATIONS)
    assert report.words(verdict).split() == ["3", "other", "words"]
    assert report.stored(verdict)["other_words"] == {"t.py::test_x": 1, "t.py::test_y": 1}


def test_what_scikit_learn_passes_must_not_be_skipped() -> None:
    verdict = judge(found(t__x=outcome("skipped")), found(t__x=outcome()), EXPECTATIONS)
    assert list(verdict.unexpected) == ["t.py::test_x"]


def test_the_page_says_what_is_wrong() -> None:
    ours = found(t__c=outcome("failed", "of a | bar"), t__fine=outcome())
    verdict = judge(ours, None, EXPECTATIONS)
    verdict.broken["g"] = "SyntaxError"
    text = report.page(verdict)
    assert "| `f` | 2 | 1 | 0 | 0 | 1 |" in text
    for words in ("of a | bar", "listed, and passes: t.py::test_c", "`g` cannot be imported"):
        assert words in text
    assert "What is wrong" not in report.page(judge(found(), None, EXPECTATIONS))


@pytest.fixture
def wrong_auc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a plugin of pytest's replace our `auc` by a wrong one, in the process of the tests."""
    text = "import fastmetrics\nfastmetrics.auc = lambda x, y: 0.5\n"
    (tmp_path / "wrong_auc.py").write_text(text, encoding="utf-8")
    places = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))


@pytest.mark.usefixtures("wrong_auc")
def test_every_function_of_the_same_name_is_replaced_and_a_wrong_one_found_out() -> None:
    ran = peer_suite.run(RANKING, ["-p", "wrong_auc", "-k", AUC_TESTS])
    assert ran["broken"] == {}
    assert {"auc", "det_curve", "roc_auc_score", "metric_at_thresholds"} <= set(ran["functions"])
    assert not {"bootstrap", "ndcg", "ConfusionMatrix"} & set(ran["functions"])
    tests = ran["tests"]
    noted = [test for test in tests.values() if test["wordings"]]
    assert noted
    assert all(test["outcome"] == "passed" for test in noted)
    verdict = judge(ran, None, judging.load())
    assert {"test_ranking.py::test_auc", "test_ranking.py::test_auc_errors"} <= {
        *verdict.unexpected
    }
    assert all(tests[test]["calls"] == ["auc"] for test in verdict.unexpected)
    assert verdict.functions["auc"].failed == len(verdict.unexpected)
    assert verdict.functions["det_curve"].tests > 0
    assert verdict.others  # of ndcg_score
    assert [*verdict.deliberate] == [
        "confusion_matrix_at_thresholds: pos_label, sample_weight by position"
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("wrong_auc")
def test_the_other_run_is_of_their_functions() -> None:
    options = ["-p", "wrong_auc", "-k", "test_auc", "--peer-theirs", "--peer-only", "auc"]
    ran = peer_suite.run(RANKING, options)
    assert ran["functions"] == ["auc"]
    assert ran["tests"]["test_ranking.py::test_auc"]["calls"] == ["auc"]
    assert {test["outcome"] for test in ran["tests"].values()} == {"passed"}
