"""The published page is that of its figures, and they say what the guide says."""

import json

import pytest

timing_rates = pytest.importorskip("benchmarks.timing_rates", reason="not in the wheel")

FIGURES = timing_rates.ROOT / "docs" / "timing-rates.json"


def test_the_page_is_that_of_its_figures() -> None:
    found = json.loads(FIGURES.read_text(encoding="utf-8"))
    text = (timing_rates.ROOT / "docs" / "timing-rates.md").read_text(encoding="utf-8")
    assert text == timing_rates.page(found)


def test_the_level_is_kept() -> None:
    found = json.loads(FIGURES.read_text(encoding="utf-8"))["alarms"]
    bound = 0.05 + 3 * (0.05 * 0.95 / timing_rates.TRIES) ** 0.5
    for n_runs in timing_rates.RUNS:
        assert max(found[str(n_runs)]) <= bound


def test_a_figure_is_simulated_anew(monkeypatch) -> None:
    found = json.loads(FIGURES.read_text(encoding="utf-8"))
    at = timing_rates.SHIFTS.index(0.03)
    assert timing_rates.found_growth(5, 0.03) == pytest.approx(found["growths"]["5"][at], abs=0.011)
