"""Bad: a figure that knows results."""

from fastmetrics._results import Result
