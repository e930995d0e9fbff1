"""Bad: a figure that knows a floor above it, for types alone."""

import typing

if typing.TYPE_CHECKING:
    import fastmetrics.comparison
