"""Tasks that know of pages."""

from fastmetrics._report.page.report import report as report
