"""The study of bands: levels are kept, and bands that are too narrow are caught."""

from typing import Any

import pytest

import fastmetrics as fm

bands = pytest.importorskip("benchmarks.bands", reason="not in the wheel")


@pytest.mark.parametrize("function", [fm.roc_band, fm.pr_band])
@pytest.mark.parametrize("kind", bands.KINDS)
def test_the_level_is_kept_in_few_samples(function: Any, kind: Any) -> None:
    shares = bands.simulate(function, kind, positives=30, n_samples=30)
    assert bands.is_kept(kind, shares, 30)
    assert 0.5 < shares.whole <= shares.least <= shares.mean <= 1.0


def test_bands_that_are_too_narrow_are_caught(monkeypatch: Any, capsys: Any) -> None:
    right = fm.roc_band

    def narrow(*rows: Any, **options: Any) -> fm.results.RocBand:
        return right(*rows, **options, confidence_level=0.5)

    monkeypatch.setattr(fm, "roc_band", narrow)
    assert bands.main(["--samples", "20"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 1 + 2 * len(bands.KINDS) * 2
