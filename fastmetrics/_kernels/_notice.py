"""What a terminal shows while kernels are compiled, once in an installation: why one waits."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, Final

#: Seconds of compiling until something is shown.
_PATIENCE: Final = 1.0


class Notice:
    """A listener of numba's: a line on a terminal while it compiles kernels, gone thereafter."""

    def __init__(self) -> None:
        self.is_wanted = True
        self._seconds = self._since = 0.0
        self._depth = self._width = 0

    def notify(self, event: Any) -> None:
        """Take in that numba starts or ends to compile a function, maybe inside of another one."""
        function = event.data["dispatcher"].py_func
        if not str(function.__module__).startswith("fastmetrics."):  # a user's own may have none
            return
        now = perf_counter()
        self._since = self._since if self._depth else now
        self._depth += 1 if event.is_start else -1
        elapsed = self._seconds + now - self._since
        if not self._depth:
            self._seconds = elapsed
        if self.is_wanted and elapsed > _PATIENCE and sys.stderr is not None:
            self._show(f"compiling, once: {elapsed:.0f} s; `fastmetrics warmup` does it ahead")

    def _show(self, text: str) -> None:
        shown = text if self._depth else ""
        if not sys.stderr.isatty() or not (shown or self._width):
            return
        sys.stderr.write("\r" + shown.ljust(self._width) + "\r" * (not shown))
        sys.stderr.flush()
        self._width = len(shown)


#: That of this process.
notice = Notice()
