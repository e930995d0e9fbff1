"""Files of pictures, before there is anything to draw."""

from __future__ import annotations

import os
from typing import Final

_ENDINGS: Final = (".png", ".pdf", ".svg")


def check_picture(option: str, path: str) -> None:
    """Raise before any work if a picture could not be drawn, or not under this name."""
    if os.path.splitext(path.lower())[1] not in _ENDINGS:
        raise ValueError(f"{option}: the name must end in one of {' '.join(_ENDINGS)}: got {path}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{option}: there is no folder {folder}")
    from fastmetrics._plots._style import require_matplotlib

    require_matplotlib()
