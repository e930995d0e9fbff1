"""Reports in a browser: on a desk and a phone, light and dark, and on paper."""

import shutil
import subprocess

import numpy as np
import pytest

import fastmetrics as fm

pytest.importorskip("jinja2")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no chromium")

DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Return the address of a page: browsers only look at it."""
    folder = tmp_path_factory.mktemp("page")
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.4
    scores = {name: y + rng.normal(size=300) for name in "ab"}
    fm.report(y, scores, slices={"site": rng.choice(["n", "s"], 300)}, band=None).save(
        folder / "page.html"
    )
    return (folder / "page.html").as_uri()


def browse(page, folder, *options):
    given = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={folder / 'me'}"]
    done = subprocess.run(
        [BROWSER, *given, *options, page], capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(("width", "look"), [(1280, "light"), (390, "dark")])
def test_what_is_seen(page, tmp_path, width, look):
    from matplotlib.image import imread

    picture = tmp_path / "seen.png"
    options = DARK if look == "dark" else ()
    browse(page, tmp_path, f"--screenshot={picture}", f"--window-size={width},3000", *options)
    image = imread(picture)[:, :, :3]
    ground = image[2, 2]
    assert bool(ground.mean() > 0.9) == (look == "light")
    drawn = (np.abs(image - ground).max(axis=2) > 0.3).any(axis=1)
    assert drawn.mean() > 0.2  # lines of pixels on which something is
    right = np.abs(image[:, -8:] - ground).max(axis=2)
    assert (right > 0.3).mean() < 0.05  # nothing runs out of the page


def test_on_paper(page, tmp_path):
    paper = tmp_path / "page.pdf"
    browse(page, tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={paper}")
    content = paper.read_bytes()
    assert content.startswith(b"%PDF")
    assert len(content) > 20_000
